/** `help`, `--help` and what is shown where a command is missing. */

import { ExitCode, UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import type { CommandSpec } from '../command.js';
import { commands, startsWith } from '../manifest.js';

/** Prints the help of a command, of a group of commands, or the overview. */
export async function runHelp(context: Context, words: readonly string[]): Promise<ExitCode> {
	const entry = commands.find((each) => each.words.length === words.length && startsWith(each, words));
	if (entry !== undefined) {
		const { command } = await entry.load();
		context.stdout.write(commandHelp(entry.words, command));
		return ExitCode.ok;
	}
	const under = commands.filter((each) => startsWith(each, words));
	if (under.length === 0) throw new UsageError(`there is no help on ${JSON.stringify(words.join(' '))}`);
	for (const each of under) context.stdout.write(`${each.words.join(' ').padEnd(24)} ${each.summary}\n`);
	return ExitCode.ok;
}

/** A group's name alone is not a command: its commands go to stderr. */
export async function runGroup(_context: Context, words: readonly string[]): Promise<ExitCode> {
	const names = commands.filter((each) => startsWith(each, words)).map((each) => each.words.join(' '));
	throw new UsageError(`${words.join(' ')} needs one of its commands: ${names.join(', ')}`, {
		code: 'missing_command',
	});
}

function commandHelp(words: readonly string[], command: CommandSpec): string {
	const lines = [command.summary, '', `supportctl ${words.join(' ')}`, ''];
	for (const { command: text, note } of command.examples) lines.push(`  ${text}  # ${note}`);
	lines.push('');
	for (const option of command.options) lines.push(`  ${option.flags.padEnd(34)} ${option.help}`);
	return `${lines.join('\n')}\n`;
}

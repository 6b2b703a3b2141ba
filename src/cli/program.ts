/** Finds the command of a command line and runs it. */

import type { ExitCode } from '../errors.js';
import type { Context } from '../io/context.js';
import { version } from '../version.js';
import { findCommand, ourPath, ourWord } from './manifest.js';
import type { OptionSpec } from './options/option.js';

export async function runProgram(context: Context): Promise<ExitCode | undefined> {
	const { argv } = context;
	// From completion scripts, which load nothing else.
	if (argv[0] === '__complete') {
		return (await import('./completion/complete.js')).runCompleter(context, argv.slice(1));
	}
	const help = async (about: readonly string[]): Promise<ExitCode | undefined> =>
		(await import('./help/help.js')).runHelp(context, about);
	const { entry, path, flags, rest } = await findCommand(argv);
	if (entry !== undefined) {
		const [command, { parseWords }] = await Promise.all([entry.load(), import('./parse.js')]);
		const parsed = parseWords(command, path, [...flags, ...rest]);
		return parsed === undefined ? help(path) : command.run({ context, ...parsed });
	}
	const [word] = rest;
	const isTop = path.length === 0;
	if (flags.includes('--help') || flags.includes('-h')) return help(path);
	// `help users` is the page of `user`.
	if (isTop && word === 'help') return help(ourPath(rest.slice(1)));
	if (isTop && (word === '--version' || word === '-V')) {
		context.stdout.write(`${version}\n`);
		return;
	}
	const endsWithGroup = ourWord(path.slice(0, -1), argv.at(-1) ?? '') === path.at(-1);
	if (word === undefined && (isTop || endsWithGroup)) return help(path);
	const { missingCommand, runnable, unknownCommand } = await import('./unknown.js');
	if (word === undefined) throw missingCommand(path);
	const [{ leadingOptions }, { commandText, isFlag, mendedOnce, sayable, unknownFlag }] = await Promise.all([
		import('./options/shared.js'),
		import('./unknown-flag.js'),
	]);
	if (!isFlag(word)) throw await unknownCommand(path, rest);
	const line = sayable(rest) && (await runnable([...path, 'list', ...rest]));
	const ofList = line === undefined ? '' : `, such as: ${commandText(line)}`;
	const hint = `put flags after the command${ofList}; run "${commandText([...path, '--help'])}" to see the commands`;
	const versionFlag: OptionSpec = { flags: '-V, --version', help: '', group: '' };
	const options = isTop ? [...leadingOptions, versionFlag] : leadingOptions;
	throw unknownFlag(word, { path, options, hint, lines: mendedOnce(options, rest), runs: () => true });
}

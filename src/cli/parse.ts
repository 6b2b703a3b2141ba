/** The words behind a command, read by commander from the command's description; its complaints in our words. */

import { Argument, Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import type { CommandSpec } from './command.js';
import { camelCase, longFlag, type OptionSpec, type OptionValues, takesValue } from './options/option.js';
import { unknownFlag } from './unknown.js';

/** @param path the command's words. Undefined where `words` ask for help. @throws UsageError */
export function parseWords(
	spec: Pick<CommandSpec, 'options' | 'arguments'>,
	path: readonly string[],
	words: readonly string[],
): { args: readonly string[]; options: OptionValues } | undefined {
	const command = new Command(path.at(-1)).exitOverride().configureOutput({ writeOut() {}, writeErr() {} });
	command.showSuggestionAfterError(false);
	for (const option of spec.options) command.addOption(toOption(option));
	for (const { name, required, variadic, choices } of spec.arguments) {
		const text = `${name}${variadic === true ? '...' : ''}`;
		const argument = new Argument(required ? `<${text}>` : `[${text}]`);
		if (choices !== undefined) argument.argParser((given: string) => oneOf(choices, given, `<${name}>: `));
		command.addArgument(argument);
	}
	// A flag without its optional value gets the one that it stands for: commander would take the next word, an id.
	const bare = new Map(spec.options.flatMap((each) => (each.bare === undefined ? [] : [[longFlag(each), each.bare]])));
	const end = words.includes('--') ? words.indexOf('--') : words.length;
	const given = words.map((word, at) => (at < end && bare.has(word) ? `${word}=${bare.get(word)}` : word));
	try {
		command.parse(given, { from: 'user' });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.code === 'commander.helpDisplayed') return undefined;
		throw toUsageError(error, command, path);
	}
	return { args: command.args, options: command.opts() };
}

function toOption(spec: OptionSpec): Option {
	const option = new Option(spec.flags.replace('[=', ' ['), spec.help).conflicts((spec.conflicts ?? []).map(camelCase));
	if (spec.counted === true) return option.argParser((_text, count: number | undefined) => (count ?? 0) + 1);
	if (!takesValue(spec) && spec.bare === undefined) return option;
	const { choices, parse = (text: string) => text } = spec;
	const read = choices === undefined ? parse : (text: string) => oneOf(choices, text, `${longFlag(spec)}: `);
	if (spec.repeatable === true) {
		return option.argParser((text, before: unknown[] | undefined) => [...(before ?? []), read(text)]);
	}
	return option.argParser((text, before: unknown) => {
		if (before === undefined) return read(text);
		throw new UsageError(`${longFlag(spec)} is given twice; it takes one value`, { code: 'repeated_flag' });
	});
}

function oneOf(choices: readonly string[], text: string, where: string): string {
	if (choices.includes(text)) return text;
	const nearest = didYouMean(text, choices) || ';';
	throw new UsageError(`${where}${quote(text)} is not allowed${nearest} it takes ${choices.join(', ')}`, {
		code: 'invalid_value',
	});
}

function toUsageError({ code, message }: CommanderError, command: Command, path: readonly string[]): UsageError {
	const name = ['supportctl', ...path].join(' ');
	const quoted = /'([^']*)'/.exec(message)?.[1] ?? '';
	if (code === 'commander.unknownOption') {
		const known = [...command.options.map((option) => option.long ?? ''), '--help'];
		const fields = /^ticket (?:update|fields)/.test(path.join(' '))
			? '; supportctl ticket fields set ID --set NAME=VALUE sets custom fields'
			: '';
		return unknownFlag(quoted, known, `${name} --help lists the flags${fields}`);
	}
	if (code === 'commander.missingArgument') {
		return new UsageError(`missing <${quoted}>`, { code: 'missing_argument', hint: `${name} --help shows the usage` });
	}
	if (code === 'commander.excessArguments') {
		const takes = command.registeredArguments.length;
		const count = ['no arguments', 'one', 'two'][takes] ?? String(takes);
		return new UsageError(`unexpected argument ${quote(command.args[takes] ?? '')}: ${name} takes ${count}`, {
			code: 'excess_argument',
			hint: `${name} --help shows the usage`,
		});
	}
	return new UsageError(message.replace(/^error: /, '').replaceAll("option '", "flag '"), {
		hint: `${name} --help lists the flags`,
		...(code === 'commander.conflictingOption' && { code: 'conflicting_flags' }),
	});
}

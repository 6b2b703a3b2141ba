/** commander reads the words behind a command; its complaints in our words. */

import { Argument, Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import type { CommandSpec } from './command.js';
import { camelCase, longName, type OptionSpec, type OptionValues } from './options/option.js';
import { unknownFlag } from './unknown.js';
import { otherFlags } from './words.js';

/** Undefined if `words` ask for help. @throws UsageError */
export function parseWords(
	spec: CommandSpec,
	path: readonly string[],
	words: readonly string[],
): { args: readonly string[]; options: OptionValues } | undefined {
	const command = new Command(path.at(-1)).exitOverride().configureOutput({ writeOut() {}, writeErr() {} });
	command.showSuggestionAfterError(false);
	for (const option of spec.options) command.addOption(toOption(option));
	for (const { name, required, variadic, choices } of spec.arguments) {
		const text = `${name}${variadic === true ? '...' : ''}`;
		const argument = new Argument(required ? `<${text}>` : `[${text}]`);
		if (choices !== undefined) argument.argParser((given: string) => oneOf(choices, given, `<${name}>`));
		command.addArgument(argument);
	}
	try {
		// commander would take the next word for an optional value.
		const bare = new Map(spec.options.map((option) => [`--${longName(option)}`, option.bare]));
		const given = words.map((word) => (bare.get(word) === undefined ? word : `${word}=${bare.get(word)}`));
		command.parse(given, { from: 'user' });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.code === 'commander.helpDisplayed') return undefined;
		throw toUsageError(error, command, path);
	}
	return { args: command.args, options: command.opts() };
}
function toOption(spec: OptionSpec): Option {
	const { flags, help, conflicts = [], counted, repeatable, choices, parse } = spec;
	const flag = `--${longName(spec)}`;
	const [theirs] = [...otherFlags].find(([, ours]) => ours === flag) ?? [];
	const both = theirs === undefined ? flags : `${theirs}, ${flags}`;
	const option = new Option(both.replace('[=', ' ['), help).conflicts(conflicts.map(camelCase));
	if (counted === true) return option.argParser((_text, count: number | undefined) => (count ?? 0) + 1);
	if (!option.required && !option.optional) return option;
	return option.argParser((text, before: unknown) => {
		const value = parse === undefined ? text : parse(text, flag);
		if (choices !== undefined) for (const each of [value].flat()) oneOf(choices, String(each), flag);
		if (repeatable === true) return Array.isArray(before) ? [...before, value] : [value];
		if (before === undefined) return value;
		throw new UsageError(`${flag} was passed twice, but takes one value`, { code: 'repeated_flag' });
	});
}

function oneOf(choices: readonly string[], text: string, where: string): string {
	if (choices.includes(text)) return text;
	const nearest = didYouMean(text, choices) || ';';
	throw new UsageError(`${where}: ${quote(text)} is not allowed${nearest} use ${choices.join(', ')}`, {
		code: 'invalid_value',
	});
}

function toUsageError({ code, message }: CommanderError, command: Command, path: readonly string[]): UsageError {
	const name = ['supportctl', ...path].join(' ');
	const page = `run "${name} --help"`;
	const hint = `${page} to see the flags`;
	const [quoted = ''] = /(?<=')[^']*(?=')/.exec(message) ?? [];
	// Behind another tool's word stands ours.
	const flags = message.match(/--[a-z0-9-]+(?![,\w-])/g) ?? [];
	switch (code) {
		case 'commander.unknownOption': {
			const known = [...command.options.map(({ long }) => long ?? ''), '--help'];
			const isOfTicket = /^ticket (?:update|fields)/.test(path.join(' '));
			const fields = isOfTicket ? '; custom fields: supportctl ticket fields set ID --set NAME=VALUE' : '';
			return unknownFlag(quoted, path, known, hint + fields);
		}
		case 'commander.missingArgument':
			return new UsageError(`missing <${quoted}>`, { code: 'missing_argument', hint: page });
		case 'commander.excessArguments': {
			const takes = command.registeredArguments.length;
			const count = ['no arguments', 'one', 'two'][takes] ?? takes;
			const surplus = `unexpected argument ${quote(command.args[takes] ?? '')}: ${name} takes ${count}`;
			return new UsageError(surplus, { code: 'excess_argument', hint: page });
		}
		case 'commander.conflictingOption':
			return new UsageError(flags.join(" can't be used with "), { code: 'conflicting_flags', hint });
		case 'commander.optionMissingArgument':
			return new UsageError(`${flags[0]} needs a value`, { hint });
		default:
			return new UsageError(message.replace(/^error: /, ''), { hint });
	}
}

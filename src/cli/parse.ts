/** commander reads the words behind a command; its complaints in our words. */

import { Argument, Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import type { CommandSpec } from './command.js';
import {
	camelCase,
	findOption,
	longFlag,
	type OptionSpec,
	type OptionValues,
	shortFlag,
	takesValue,
} from './options/option.js';
import { unknownFlag } from './unknown.js';
import { otherFlags } from './words.js';

/** Undefined if `words` ask for help. @throws UsageError */
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
	try {
		command.parse(inOurWords(words, spec.options), { from: 'user' });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.code === 'commander.helpDisplayed') return undefined;
		throw toUsageError(error, command, path);
	}
	return { args: command.args, options: command.opts() };
}

/** Flags of other tools, and flags without their optional value: commander would take the next word. */
function inOurWords(words: readonly string[], options: readonly OptionSpec[]): string[] {
	let isValue = false;
	let isEnded = false;
	return words.map((word) => {
		isEnded ||= word === '--' && !isValue;
		if (isEnded || isValue) {
			isValue = false;
			return word;
		}
		const own = ownFlag(word, options);
		const option = own.startsWith('-') ? findOption(options, own) : undefined;
		if (option === undefined) return own;
		const isWhole = own === longFlag(option) || own === shortFlag(option);
		isValue = isWhole && takesValue(option);
		return isWhole && option.bare !== undefined ? `${own}=${option.bare}` : own;
	});
}

/** `--tag=vip` is `--ticket-tag=vip` in commands without --tag. */
function ownFlag(word: string, options: readonly OptionSpec[]): string {
	const flag = word.split('=')[0] as string;
	const ours = otherFlags.get(flag);
	if (ours === undefined || findOption(options, flag) !== undefined) return word;
	return findOption(options, ours) === undefined ? word : ours + word.slice(flag.length);
}

function toOption(spec: OptionSpec): Option {
	const option = new Option(spec.flags.replace('[=', ' ['), spec.help).conflicts((spec.conflicts ?? []).map(camelCase));
	if (spec.counted === true) return option.argParser((_text, count: number | undefined) => (count ?? 0) + 1);
	if (!takesValue(spec) && spec.bare === undefined) return option;
	const { choices, parse = (text: string) => text } = spec;
	const read = (text: string): unknown => {
		const value = parse(text);
		return choices === undefined ? value : oneOf(choices, String(value), `${longFlag(spec)}: `);
	};
	if (spec.repeatable === true) {
		return option.argParser((text, before: unknown[] | undefined) => [...(before ?? []), read(text)]);
	}
	return option.argParser((text, before: unknown) => {
		if (before === undefined) return read(text);
		throw new UsageError(`${longFlag(spec)} was passed twice, but takes one value`, { code: 'repeated_flag' });
	});
}

function oneOf(choices: readonly string[], text: string, where: string): string {
	if (choices.includes(text)) return text;
	const nearest = didYouMean(text, choices) || ';';
	throw new UsageError(`${where}${quote(text)} is not allowed${nearest} use ${choices.join(', ')}`, {
		code: 'invalid_value',
	});
}

function toUsageError({ code, message }: CommanderError, command: Command, path: readonly string[]): UsageError {
	const name = ['supportctl', ...path].join(' ');
	const quoted = /'([^']*)'/.exec(message)?.[1] ?? '';
	if (code === 'commander.unknownOption') {
		const known = [...command.options.map((option) => option.long ?? ''), '--help'];
		const fields = /^ticket (?:update|fields)/.test(path.join(' '))
			? '; custom fields: supportctl ticket fields set ID --set NAME=VALUE'
			: '';
		return unknownFlag(quoted, { path, known, hint: `run "${name} --help" to see the flags${fields}` });
	}
	if (code === 'commander.missingArgument') {
		return new UsageError(`missing <${quoted}>`, { code: 'missing_argument', hint: `run "${name} --help"` });
	}
	if (code === 'commander.excessArguments') {
		const takes = command.registeredArguments.length;
		const count = ['no arguments', 'one', 'two'][takes] ?? String(takes);
		return new UsageError(`unexpected argument ${quote(command.args[takes] ?? '')}: ${name} takes ${count}`, {
			code: 'excess_argument',
			hint: `run "${name} --help"`,
		});
	}
	const flags = [...message.matchAll(/option '([^']*)'/g)].map(
		([, flag = '']) => /--[a-z0-9-]+/.exec(flag)?.[0] ?? flag,
	);
	const hint = `run "${name} --help" to see the flags`;
	if (code === 'commander.conflictingOption') {
		return new UsageError(`${flags.join(" can't be used with ")}`, { code: 'conflicting_flags', hint });
	}
	if (code === 'commander.optionMissingArgument') return new UsageError(`${flags[0]} needs a value`, { hint });
	return new UsageError(message.replace(/^error: /, ''), { hint });
}

/** The words behind a command → its arguments and the values of its flags. */

import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import type { ArgumentSpec, CommandSpec } from './command.js';
import {
	camelCase,
	flagsOf,
	helpOption,
	longFlag,
	longName,
	type OptionSpec,
	type OptionValues,
	takesValue,
	tokensOf,
} from './options/option.js';
import { unknownFlag } from './unknown.js';

/** Undefined if `words` ask for help. @throws UsageError */
export function parseWords(
	spec: CommandSpec,
	path: readonly string[],
	words: readonly string[],
): { args: readonly string[]; options: OptionValues } | undefined {
	const name = ['supportctl', ...path].join(' ');
	const hint = `run "${name} --help" to see the flags`;
	const flags = flagsOf([...spec.options, helpOption]);
	const tokens = tokensOf(words, flags);
	if (tokens.some((token) => token.kind === 'option' && token.name === 'help')) return undefined;
	const values: Record<string, unknown> = {};
	const args: string[] = [];
	for (const token of tokens) {
		if (token.kind === 'positional') args.push(token.value);
		if (token.kind !== 'option') continue;
		const option = flags.get(`--${token.name}`);
		if (option === undefined) {
			const isOfTicket = /^ticket (?:update|fields)/.test(path.join(' '));
			const fields = isOfTicket ? '; custom fields: supportctl ticket fields set ID --set NAME=VALUE' : '';
			const known = [...spec.options, helpOption].map(longFlag);
			throw unknownFlag(token.rawName, { path, known, hint: hint + fields });
		}
		const key = camelCase(longName(option));
		values[key] = readValue(option, token.value, values[key], hint);
	}
	for (const option of spec.options) {
		const other = option.conflicts?.find((each) => values[camelCase(each)] !== undefined);
		if (other === undefined || values[camelCase(longName(option))] === undefined) continue;
		throw new UsageError(`${longFlag(option)} can't be used with --${other}`, { code: 'conflicting_flags', hint });
	}
	checkArguments(spec.arguments, args, name);
	return { args, options: values };
}

function readValue(option: OptionSpec, given: string | undefined, before: unknown, hint: string): unknown {
	const flag = longFlag(option);
	if (option.counted === true) return Number(before ?? 0) + 1;
	const text = given ?? option.bare;
	if (!takesValue(option) && option.bare === undefined) {
		if (text !== undefined) throw new UsageError(`${flag} takes no value`, { hint });
		return !flag.startsWith('--no-');
	}
	if (text === undefined) throw new UsageError(`${flag} needs a value`, { hint });
	if (before !== undefined && option.repeatable !== true) {
		throw new UsageError(`${flag} was passed twice, but takes one value`, { code: 'repeated_flag' });
	}
	checkChoice(option, text, flag);
	const value = option.parse === undefined ? text : option.parse(text);
	if (option.repeatable !== true) return value;
	return Array.isArray(before) ? [...before, value] : [value];
}

function checkArguments(specs: readonly ArgumentSpec[], args: readonly string[], name: string): void {
	const hint = `run "${name} --help"`;
	const missing = specs.find(({ required }, at) => required && args[at] === undefined);
	if (missing !== undefined) {
		throw new UsageError(`missing <${missing.name}>`, { code: 'missing_argument', hint });
	}
	const surplus = args[specs.length];
	if (surplus !== undefined && specs.at(-1)?.variadic !== true) {
		const count = ['no arguments', 'one', 'two'][specs.length];
		const message = `unexpected argument ${quote(surplus)}: ${name} takes ${count ?? specs.length}`;
		throw new UsageError(message, { code: 'excess_argument', hint });
	}
	for (const [at, text] of args.entries()) {
		const spec = specs[at];
		if (spec !== undefined) checkChoice(spec, text, `<${spec.name}>`);
	}
}

function checkChoice({ choices }: { readonly choices?: readonly string[] }, text: string, where: string): void {
	if (choices === undefined || choices.includes(text)) return;
	const nearest = didYouMean(text, choices) || ';';
	const message = `${where}: ${quote(text)} is not allowed${nearest} use ${choices.join(', ')}`;
	throw new UsageError(message, { code: 'invalid_value' });
}

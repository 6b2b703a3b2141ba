/** Command-line words → a command's arguments and options, by way of commander. */

import { Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import type { CommandSpec, OptionSpec, OptionValues } from './command.js';
import { camelCase, longFlag, longName, shortFlag, takesValue } from './option-names.js';

export interface ParsedLine {
	args: string[];
	options: OptionValues;
	help: boolean;
}

function readValue(spec: OptionSpec, text: string): unknown {
	if (spec.choices !== undefined && !spec.choices.includes(text)) {
		throw new UsageError(
			`${longFlag(spec)} ${JSON.stringify(text)} is not one of ${spec.choices.join(', ')}${didYouMean(text, spec.choices)}`,
		);
	}
	return spec.parse === undefined ? text : spec.parse(text);
}

function toOption(spec: OptionSpec): Option {
	const option = new Option(spec.flags.replace('[=', ' ['));
	if (spec.counted) return option.argParser((_text, count: number | undefined) => (count ?? 0) + 1);
	if (!takesValue(spec) && spec.bare === undefined) return option;
	return spec.repeatable
		? option.argParser((text, before: unknown[] | undefined) => [...(before ?? []), readValue(spec, text)])
		: option.argParser((text) => readValue(spec, text));
}

/** Whether a flag stands anywhere among the words. Commander is told of no others: of sixty, a call uses three. */
function occurs(spec: OptionSpec, words: readonly string[]): boolean {
	const long = longFlag(spec);
	const letter = shortFlag(spec)?.charAt(1);
	return words.some(
		(word) => word.startsWith(long) || (letter !== undefined && /^-[^-]/.test(word) && word.includes(letter)),
	);
}

/** Gives a flag without its optional value the one that it stands for: commander would take the next word, an id. */
function withBareValues({ options }: CommandSpec, rest: readonly string[]): string[] {
	const bare = new Map(options.flatMap((each) => (each.bare === undefined ? [] : [[longFlag(each), each.bare]])));
	const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
	return rest.map((word, index) => (index < end && bare.has(word) ? `${word}=${bare.get(word)}` : word));
}

/** Reads a command's words. @throws UsageError that names the flag, with the nearest known one. */
export function parseLine(spec: CommandSpec, words: readonly string[], rest: readonly string[]): ParsedLine {
	const command = new Command(words.join(' '))
		.exitOverride()
		.configureOutput({ writeOut() {}, writeErr() {} })
		.helpOption(false)
		.allowExcessArguments(true)
		.showSuggestionAfterError(false)
		.option('-h, --help');
	for (const option of spec.options) if (occurs(option, rest)) command.addOption(toOption(option));
	command.argument('[args...]');
	try {
		command.parse(withBareValues(spec, rest), { from: 'user' });
	} catch (error) {
		if (error instanceof CommanderError) throw explain(error, spec, words);
		throw error;
	}
	const { help, ...options } = command.opts<Record<string, unknown>>();
	checkConflicts(spec, options);
	return { args: command.args, options, help: help === true };
}

function explain(error: CommanderError, spec: CommandSpec, words: readonly string[]): UsageError {
	const hint = `supportctl ${words.join(' ')} --help lists the flags`;
	const flag = /'(-[^' ]*)/.exec(error.message)?.[1];
	if (error.code === 'commander.unknownOption' && flag !== undefined) {
		if (/^--(?:new-)?pass(?:word)?$/.test(flag.split('=')[0] as string)) {
			return new UsageError('a password never comes from a flag, where other users of the machine could read it', {
				hint: 'use --password-stdin, or leave it out to be asked',
			});
		}
		const known = spec.options.map(longFlag);
		return new UsageError(`unknown flag ${flag}${didYouMean(flag, known)}`, { code: 'unknown_flag', hint });
	}
	return new UsageError(error.message.replace(/^error: /, ''), { hint });
}

function checkConflicts(spec: CommandSpec, options: OptionValues): void {
	for (const option of spec.options) {
		if (options[camelCase(longName(option))] === undefined) continue;
		for (const other of option.conflicts ?? []) {
			if (options[camelCase(other)] === undefined) continue;
			throw new UsageError(`${longFlag(option)} and --${other} can't be given together`);
		}
	}
}

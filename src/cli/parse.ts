/** commander reads the words behind a command. */

import { Argument, Command, CommanderError, Option } from 'commander';
import { didYouMean } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import { type CommandSpec, readAs } from './command.js';
import { isComplete } from './complete-line.js';
import { camelCase, findOption, longName, type OptionSpec, type OptionValues, takesValue } from './options/option.js';
import { beforeFlags, commandText, mendedLines, sayable, unknownFlag } from './unknown-flag.js';
import { nounMeant, otherFlags, settingFlags } from './words.js';

/**
 * commander's errors, thrown as ours. Its typings offer `error` alone; the other methods are how it reports each kind
 * (docs/decisions.md). If a release renames one, `error` gets commander's own message and a test fails.
 */
class Parser extends Command {
	constructor(
		private readonly spec: CommandSpec,
		private readonly path: readonly string[],
		private readonly words: readonly string[],
		/** Of a line that may be suggested: its own errors need no suggestions. */
		private readonly isTrial: boolean,
	) {
		super(path.at(-1));
		// Both would print or end the process.
		this.exitOverride().configureOutput({ writeOut() {}, writeErr() {} });
	}

	get #name(): string {
		return ['supportctl', ...this.path].join(' ');
	}

	get #page(): string {
		return `run "${this.#name} --help"`;
	}

	override error(message: string): never {
		throw new UsageError(message.replace(/^error: /, ''), { hint: `${this.#page} to see the flags` });
	}

	unknownOption(flag: string): never {
		if (this.isTrial) throw new UsageError(`unknown flag ${flag}`);
		const isOfTicket = /^ticket (?:update|fields)/.test(this.path.join(' '));
		const { spec, path, words } = this;
		const pair = words[words.indexOf(flag) + 1];
		const isSetting = settingFlags.has(flag) && pair?.includes('=') === true && sayable([flag, pair]) !== undefined;
		const ids = isSetting && beforeFlags(words).length > 0 ? beforeFlags(words) : ['ID'];
		const set = commandText(['ticket', 'fields', 'set', ...ids, '--set', isSetting ? pair : 'NAME=VALUE']);
		const hint = `${this.#page} to see the flags${isOfTicket ? `; custom fields: ${set}` : ''}`;
		const lines = mendedLines(spec.options, words);
		throw unknownFlag(flag, { path, options: spec.options, hint, lines, runs: (line) => canRun(spec, path, line) });
	}

	missingArgument(name: string): never {
		const code = 'missing_argument';
		if (this.isTrial) throw new UsageError(`missing <${name}>`, { code });
		const { spec, path } = this;
		const { choices = [] } = spec.arguments.find((each) => each.name === name) ?? {};
		const allowed = choices.length === 0 ? '' : `: ${choices.join(', ')}`;
		const places = spec.arguments.map((each) => `<${each.name}>`).join(' ');
		const line = sayable(this.words);
		const { usual } = spec.arguments[0] ?? {};
		// `api /tickets`
		const meant = usual === undefined || line === undefined ? undefined : [usual, ...line];
		const isMeant = meant !== undefined && line?.[0] !== usual && canRun(spec, path, meant);
		const read = isMeant || line === undefined ? '' : readAs(spec.arguments, this.args);
		const hint = isMeant
			? `did you mean: ${commandText([...path, ...meant])}`
			: `usage: ${this.#name} ${places}; ${this.#page}`;
		throw new UsageError(`missing <${name}>${allowed}${read}`, { code, hint });
	}

	optionMissingArgument({ flags, long, description }: Option): never {
		throw new UsageError(`${long} needs a value`, { hint: `${flags}: ${description}` });
	}

	_conflictingOption({ long }: Option, other: Option): never {
		const message = `${long} can't be used with ${other.long}`;
		throw new UsageError(message, { code: 'conflicting_flags', hint: `${this.#page} to see the flags` });
	}

	_excessArguments(given: readonly string[]): never {
		if (this.isTrial) throw new UsageError('too many arguments');
		const most = this.registeredArguments.length;
		const count = ['no arguments', 'one argument', 'two arguments'][most] ?? `${most} arguments`;
		const message = `unexpected argument ${quote(given[most] ?? '')}: ${this.#name} takes ${count}`;
		// `ticket list refund`, `run list 17`
		const { spec, path } = this;
		const line = sayable(this.words);
		const meant = line === undefined ? [] : [...surplusMeant(spec, line, given[most] as string)];
		const found = meant.find((each) => canRun(spec, path, each));
		const hint = found === undefined ? this.#page : `did you mean: ${commandText([...path, ...found])}`;
		throw new UsageError(message, { code: 'excess_argument', hint });
	}
}

/** What an argument too many may be: a flag without its dashes, a value of one that has known values, or a text to look for. */
function* surplusMeant(
	{ options }: CommandSpec,
	line: readonly string[],
	surplus: string,
): Generator<readonly string[]> {
	const put = (...words: string[]) => line.flatMap((word) => (word === surplus ? words : [word]));
	// `status=hold`, `status hold`
	if (findOption(options, `--${surplus}`) !== undefined) yield put(`--${surplus}`);
	const value = surplus.toLowerCase();
	for (const option of options) {
		const known = option.group === 'Filters' ? [...(option.choices ?? []), ...(option.suggests ?? [])] : [];
		if (known.includes(value)) yield put(`--${longName(option)}`, value);
	}
	yield put('--search', surplus);
	if (/^#?\d+$/.test(surplus)) yield put('--id', surplus);
}

/** Undefined if `words` ask for help. @throws UsageError */
export function parseWords(
	spec: CommandSpec,
	path: readonly string[],
	words: readonly string[],
	isTrial = false,
): { args: readonly string[]; options: OptionValues } | undefined {
	checkValues(spec, words);
	const command = new Parser(spec, path, words, isTrial);
	for (const option of spec.options) command.addOption(toOption(option));
	for (const { name, required, variadic, choices } of spec.arguments) {
		const text = `${name}${variadic === true ? '...' : ''}`;
		const argument = new Argument(required ? `<${text}>` : `[${text}]`);
		if (choices !== undefined) argument.argParser((given: string) => oneOf(choices, given, `<${name}>`));
		command.addArgument(argument);
	}
	// commander would take the next word for an optional value.
	const withBare = spec.options.filter(({ bare }) => bare !== undefined);
	const bare = new Map(withBare.map((option) => [`--${longName(option)}`, option.bare]));
	const given = words.map((word) => (bare.has(word) ? `${word}=${bare.get(word)}` : word));
	try {
		command.parse(given, { from: 'user' });
	} catch (error) {
		if (error instanceof CommanderError && error.code === 'commander.helpDisplayed') return undefined;
		throw error;
	}
	return { args: command.args, options: command.opts() };
}

/** A flag in the place of a value: the value was forgotten. So `asksForJson`, which reads words, finds flags alone. */
function checkValues({ options }: CommandSpec, words: readonly string[]): void {
	const end = words.indexOf('--');
	const before = end === -1 ? words : words.slice(0, end);
	for (const [at, given] of before.entries()) {
		const word = otherFlags.get(given) ?? given;
		const option = findOption(options, word);
		const next = words[at + 1] ?? '';
		if (option === undefined || !takesValue(option) || !option.flags.split(/[ ,]+/).includes(word)) continue;
		// A word of other tools is text there.
		const isFlag = next.startsWith('--') && findOption(options, next) !== undefined;
		if (!isFlag && next !== '--') continue;
		const hint = `if ${quote(next)} is the value: ${given}=${next}`;
		throw new UsageError(`${given} needs a value before ${next}`, { hint });
	}
}

/** Whether the program takes a line that is suggested. */
export function canRun(spec: CommandSpec, path: readonly string[], words: readonly string[]): boolean {
	try {
		const parsed = parseWords(spec, path, words, true);
		return parsed === undefined || isComplete(spec, path, parsed);
	} catch (error) {
		if (error instanceof UsageError) return false;
		throw error;
	}
}

/** By ours: a hint tries hundreds of lines, each with all flags of its command. */
const theirFlags = new Map([...otherFlags].map(([theirs, ours]) => [ours, theirs]));

function toOption(spec: OptionSpec): Option {
	const { flags, help, conflicts = [], counted, repeatable, choices, parse } = spec;
	const flag = `--${longName(spec)}`;
	const theirs = theirFlags.get(flag);
	const both = theirs === undefined ? flags : `${theirs}, ${flags}`;
	const option = new Option(both.replace('[=', ' ['), help)
		.conflicts(conflicts.map(camelCase))
		.hideHelp(spec.hidden === true);
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
	const meant = nounMeant(text)?.owner;
	const named = meant !== undefined && choices.includes(meant) ? `; did you mean "${meant}"?` : '';
	const nearest = named || didYouMean(text, choices) || ';';
	throw new UsageError(`${where}: ${quote(text)} is not allowed${nearest} use ${choices.join(', ')}`, {
		code: 'invalid_value',
	});
}

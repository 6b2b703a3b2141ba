/** What an unknown flag may mean: the command line to type, if it is one that runs. */

import { flagName } from '../api/fields.js';
import { nearest } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';
import { shellWord } from '../profile/settings.js';
import { findOption, longName, type OptionSpec, shownOptions, takesValue } from './options/option.js';
import { secretOptions } from './options/shared.js';
import { FIELDS, valueOptions } from './runs/options.js';
import { conditionFlags, flagsMeant, flagWords, negations, otherFlags, settingFlags } from './words.js';

const MOST_WORDS = 16;
const MOST_CHARACTERS = 80;

/** Words of a command line that a message may repeat; undefined where one may be secret, or is long. */
export function sayable(words: readonly string[]): readonly string[] | undefined {
	const mayBeSecret = (word: string): boolean => {
		const name = word.replace(/^-+/, '').split(/[=:]/)[0] as string;
		const isNamed = word.startsWith('-') || /[=:]/.test(word);
		// `https://me:password@host`
		return /["{\s]|:\/\/[^/]*@/.test(word) || (isNamed && isSecretName(name));
	};
	const isLong = words.length > MOST_WORDS || words.some((word) => word.length > MOST_CHARACTERS);
	return isLong || words.some(mayBeSecret) ? undefined : words;
}

/** A flag's value may be secret. */
export function beforeFlags(words: readonly string[]): readonly string[] {
	const end = words.findIndex((each) => each.startsWith('-'));
	return sayable(end === -1 ? words : words.slice(0, end)) ?? [];
}

export function commandText(words: readonly string[]): string {
	return ['supportctl', ...words.map(shellWord)].join(' ');
}

interface Place {
	/** The command's words. */
	readonly path: readonly string[];
	readonly options: readonly OptionSpec[];
	/** Where no flag is meant. */
	readonly hint: string;
	/** In its place; the other unknown flags too, where the command is known. */
	readonly lines: Iterable<readonly string[]>;
	/** Whether the command can be called with these words. */
	runs(words: readonly string[]): boolean;
}

/** Flags of other commands that say where a secret comes from: their names are about secrets, their values are not. */
const askingFlags: ReadonlySet<string> = new Set(
	[...valueOptions, ...secretOptions].map((each) => `--${longName(each)}`),
);

export function unknownFlag(given: string, place: Place): UsageError {
	const flag = (given.split('=')[0] as string).slice(0, 60);
	if (isSecretName(flag.replace(/^-+/, '')) && !askingFlags.has(flag)) {
		return new UsageError(`${flag} is not supported: flags are visible to other users`, {
			code: 'secret_on_command_line',
			hint: 'use --password-stdin or the prompt',
		});
	}
	return new UsageError(`unknown flag ${flag}`, { code: 'unknown_flag', hint: hintFor(flag, place) });
}

function hintFor(flag: string, { path, options, hint, lines, runs }: Place): string {
	for (const line of lines) {
		if (runs(line)) return `did you mean: ${commandText([...path, ...line])}`;
	}
	const [template] = meanings(flag, undefined, options).filter((each) => each.startsWith('-'));
	return template === undefined ? hint : `did you mean ${template.replace('{}', 'FILE')}? ${hint}`;
}

/** Each unknown flag is replaced by what it may mean, likeliest first. */
export function* mendedLines(options: readonly OptionSpec[], words: readonly string[]): Generator<readonly string[]> {
	if (unknownAt(options, words) === -1) yield words;
	else for (const line of mendedOnce(options, words)) yield* mendedLines(options, line);
}

/** Only the first one is. */
export function* mendedOnce(options: readonly OptionSpec[], words: readonly string[]): Generator<readonly string[]> {
	const at = unknownAt(options, words);
	const word = words[at];
	if (word === undefined) return;
	const [flag = '', ...inline] = word.split('=');
	const next = words[at + 1]?.startsWith('-') ? undefined : words[at + 1];
	const value = inline.length > 0 ? inline.join('=') : next;
	for (const template of meanings(flag, value, options)) {
		for (const [put, used] of filled(template, value, inline.length > 0)) {
			if (sayable(put) === undefined) continue;
			const whole = sayable([...words.slice(0, at), ...put, ...words.slice(at + used)]);
			yield whole ?? [...beforeFlags(words), ...put];
		}
	}
}

/** `-` stands for stdin, and `-5` is a number. */
export const isFlag = (word: string): boolean => /^-[^\d]/.test(word);

function unknownAt(options: readonly OptionSpec[], words: readonly string[]): number {
	for (let at = 0; at < words.length; at++) {
		const word = words[at] as string;
		if (word === '--') return -1;
		if (!isFlag(word) || ['-h', '--help'].includes(word)) continue;
		const option = knownOption(options, word);
		if (option === undefined) return at;
		if (takesValue(option) && !word.includes('=') && (word.startsWith('--') || word.length === 2)) at++;
	}
	return -1;
}

function knownOption(options: readonly OptionSpec[], word: string): OptionSpec | undefined {
	return findOption(options, word) ?? findOption(options, otherFlags.get(word.split('=')[0] as string) ?? '-');
}

/** Templates for a flag's place, likeliest first; `words.ts` says what they hold. */
function meanings(flag: string, value: string | undefined, options: readonly OptionSpec[]): string[] {
	const isKnown = (template: string): boolean =>
		!template.startsWith('-') || knownOption(options, template.split(' ')[0] as string) !== undefined;
	const listed = [...fieldsSet(flag, value, options), ...(flagsMeant.get(flag) ?? alike.get(plain(flag)) ?? [])];
	if (listed.length > 0 || settingFlags.has(flag) || flagsMeant.has(flag)) return listed.filter(isKnown);
	// `--content-file x.txt`: texts of fields can be in files.
	const ofFile = flag.endsWith('-file') ? knownOption(options, flag.slice(0, -'-file'.length)) : undefined;
	if (ofFile?.group === FIELDS) return [`--${longName(ofFile)} @{}`];
	const known = shownOptions(options).map((each) => `--${longName(each)}`);
	const theirs = [...otherFlags.keys()].filter((each) => knownOption(options, each) !== undefined);
	const likely = [inOtherWords(flag, known), within(flag, known), nearest(flag, [...known, ...theirs, '--help'])];
	const found = likely.find((each) => each !== undefined);
	// Only there does every other name stand for a custom field.
	const custom = known.includes('--set') && value !== undefined ? [`--set ${flag.replace(/^-+/, '')}={}`] : [];
	return found === undefined ? custom : [otherFlags.get(found) ?? found];
}

/** `--status hold` for `--set status=hold`, and for `--filter status=hold` in a list. */
function fieldsSet(flag: string, pair: string | undefined, options: readonly OptionSpec[]): string[] {
	const at = pair?.search(/[=:]/) ?? -1;
	const isList = knownOption(options, '--limit') !== undefined;
	const isMeant = settingFlags.has(flag) || (conditionFlags.has(flag) && isList);
	if (!isMeant || pair === undefined || at < 1) return [];
	return [`--${flagName(pair.slice(0, at))} ${pair.slice(at + 1).replace(/^=/, '')}`];
}

const plain = (flag: string): string => flag.replaceAll(/[-_]/g, '').toLowerCase();

/** `--order_by` and `--orderby` mean `--order-by`. */
const alike = new Map(
	[...flagsMeant].filter(([flag]) => flag.startsWith('--')).map(([flag, ours]) => [plain(flag), ours]),
);

/** `--dryrun`, `--post_status`, `--updatedBefore`. */
function inOtherWords(flag: string, known: readonly string[]): string | undefined {
	const words = flag
		.replaceAll(/([a-z])([A-Z])/g, '$1-$2')
		.toLowerCase()
		.split(/[-_]/);
	const ours = words.map((word) => flagWords.get(word) ?? word).join('');
	return known.find((each) => [plain(flag), ours].includes(plain(each)));
}

/** `--reassign-to`, `--save-plan`: the longest of ours in it. */
function within(flag: string, known: readonly string[]): string | undefined {
	if (negations.has(flag.split('-')[2] as string)) return undefined;
	const inside = known.filter((each) => `${flag}-`.replaceAll('_', '-').includes(`${each.slice(1)}-`));
	return inside.sort((one, other) => other.length - one.length)[0];
}

/** @returns what to put there, and how many words it replaces */
function* filled(
	template: string,
	value: string | undefined,
	isInline: boolean,
): Generator<readonly [put: string[], used: number]> {
	if (template === '') {
		yield [[], 1];
		if (value !== undefined && !isInline) yield [[], 2];
		return;
	}
	const parts = template.split(' ');
	const isOpen = parts.length === 1 && parts[0] !== '{}';
	const withValue = isOpen ? [...parts, '{}'] : parts;
	const [, end] = withValue.map((part) => /\{(\.?\w*)\}/.exec(part)).find((each) => each !== null) ?? [];
	const takes = end !== undefined;
	if (takes && value?.endsWith(end) === true) {
		yield [withValue.map((part) => part.replace(/\{\.?\w*\}/, () => value)), isInline ? 1 : 2];
	}
	if (isOpen) yield [parts, 1];
	if (isOpen || takes) return;
	// The next word may be its value in another tool, and nothing of ours.
	if (parts[1] === undefined || value?.includes(parts[1]) !== true) yield [parts, 1];
	if (value !== undefined && !isInline) yield [parts, 2];
}

/** What an unknown flag may mean: the command line to type, if it is one that runs. */

import { flagName } from '../api/fields.js';
import { nearest } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';
import { shellWord } from '../profile/settings.js';
import { flagsMeant, settingFlags } from './words.js';

const MOST_WORDS = 16;
const MOST_CHARACTERS = 80;

/** Words of a command line that a message may repeat; undefined where one may be secret, or is long. */
export function sayable(words: readonly string[]): readonly string[] | undefined {
	const mayBeSecret = (word: string): boolean => {
		const name = word.replace(/^-+/, '').split(/[=:]/)[0] as string;
		const isNamed = word.startsWith('-') || /[=:]/.test(word);
		return /["{\s]/.test(word) || (isNamed && isSecretName(name));
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
	/** The command's words, and those behind it. */
	readonly path: readonly string[];
	readonly words: readonly string[];
	readonly known: readonly string[];
	/** Where no flag is meant. */
	readonly hint: string;
	/** Whether the command can be called with these words. */
	runs(words: readonly string[]): boolean;
}

export function unknownFlag(given: string, place: Place): UsageError {
	const flag = (given.split('=')[0] as string).slice(0, 60);
	if (isSecretName(flag.replace(/^-+/, ''))) {
		return new UsageError(`${flag} is not supported: flags are visible to other users`, {
			code: 'secret_on_command_line',
			hint: 'use --password-stdin or the prompt',
		});
	}
	return new UsageError(`unknown flag ${flag}`, { code: 'unknown_flag', hint: hintFor(flag, place) });
}

function hintFor(flag: string, { path, words, known, hint, runs }: Place): string {
	const isKnown = (template: string): boolean =>
		template.startsWith('{') || known.includes(template.split(' ')[0] ?? '');
	const own = [...fieldsSet(flag, words), ...(flagsMeant.get(flag) ?? [])].filter(isKnown);
	const near = own.length > 0 ? undefined : nearest(flag, known);
	const templates = near === undefined ? own : [near];
	for (const template of templates) {
		for (const line of linesWith(flag, template, words)) {
			if (runs(line)) return `did you mean: ${commandText([...path, ...line])}`;
		}
	}
	const [flagMeant] = templates.map((each) => each.split(' ')[0] as string).filter((each) => known.includes(each));
	return flagMeant === undefined ? hint : `did you mean ${flagMeant}? ${hint}`;
}

/** `--status hold` for `--set status=hold`. */
function fieldsSet(flag: string, words: readonly string[]): string[] {
	const pair = words[words.indexOf(flag) + 1] ?? '';
	const at = pair.indexOf('=');
	if (!settingFlags.has(flag) || at < 1) return [];
	return [`--${flagName(pair.slice(0, at))} ${pair.slice(at + 1)}`];
}

/** The whole line with another flag, then what stands before the first flag with it. */
function* linesWith(flag: string, template: string, words: readonly string[]): Generator<string[]> {
	const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
	const inline = words[at]?.includes('=') ? words[at]?.slice(flag.length + 1) : undefined;
	const next = words[at + 1]?.startsWith('-') ? undefined : words[at + 1];
	const value = inline ?? next;
	const parts = template.split(' ');
	const isOpen = parts.length === 1 && parts[0] !== '{}';
	const withValue = isOpen ? [...parts, '{}'] : parts;
	const takesValue = withValue.some((part) => part.includes('{}'));
	const variants: (readonly [string[], number])[] = [];
	if (takesValue && value !== undefined) {
		const used = inline === undefined ? 2 : 1;
		variants.push([withValue.map((part) => part.replace('{}', () => value)), used]);
	}
	if (isOpen || !takesValue) variants.push([parts, 1]);
	for (const [put, used] of variants) {
		if (sayable(put) === undefined) continue;
		const whole = at === -1 ? undefined : sayable([...words.slice(0, at), ...put, ...words.slice(at + used)]);
		if (whole !== undefined) yield [...whole];
		yield [...beforeFlags(words), ...put];
	}
}

/**
 * What each shell's script asks, and the offer in the form that it reads: a first line that says what follows, then a line for
 * each value.
 */

import { hiddenCharacter } from '../../characters.js';
import type { Offer } from './offer.js';

/** The words before the one that is typed, and that one. */
export interface Question {
	before: string[];
	current: string;
	/** Writes the answer down. */
	answer(offer: Offer): string;
}

function fit(offer: Offer): Offer {
	return { ...offer, candidates: offer.candidates.filter(({ value }) => value !== '' && !hiddenCharacter.test(value)) };
}

const firstLine = (offer: Offer): string => (offer.files !== undefined ? 'files' : offer.open ? 'open' : 'words');

/** Value and description, apart by a tab. */
function described({ value, help }: Offer['candidates'][number]): string {
	const text = (help ?? '').replace(/\s+/g, ' ').trim();
	return text === '' || hiddenCharacter.test(text) ? value : `${value}\t${text}`;
}

/** Reads what a script asks. @param words behind the shell's name; undefined for a shell that is not known */
export function readQuestion(shell: string, words: readonly string[]): Question | undefined {
	switch (shell) {
		case 'bash':
			return bashQuestion(words[0] ?? '', words[1] ?? '');
		case 'zsh':
		case 'fish':
			return wordsQuestion(words);
		case 'powershell':
			return powershellQuestion(words[0] ?? '');
		default:
			return undefined;
	}
}

/**
 * bash hands over the line as it stands, since its own words are broken at every = and :, and takes only what readline
 * is to replace. Nothing of the line is ever evaluated.
 */
function bashQuestion(line: string, breaks: string): Question {
	const { words, current } = readTypedLine(line, breaks);
	const { text, quote, kept } = current;
	return {
		before: words.slice(1),
		current: text,
		answer(offer) {
			if (offer.files !== undefined) {
				// The path to look for, how much of each that is found to leave out, what to put before it, the open quote.
				const path = text.slice(offer.files.length);
				const cut = Math.max(0, kept - offer.files.length);
				return lines(['files', path, String(cut), offer.files.slice(kept), quote ?? '']);
			}
			const values = fit(offer)
				.candidates.filter(({ value }) => value.startsWith(text))
				.map(({ value }) => quoteForBash(value.slice(kept), quote))
				.filter((value) => value !== undefined);
			return lines([firstLine(offer), ...values]);
		},
	};
}

/** zsh and fish hand over words without quotes, and choose and quote by themselves. */
function wordsQuestion(words: readonly string[]): Question {
	const current = words.at(-1) ?? '';
	return {
		before: words.slice(0, -1),
		current,
		answer(offer) {
			if (offer.files !== undefined) return lines(['files', offer.files, current.slice(offer.files.length)]);
			return lines([firstLine(offer), ...fit(offer).candidates.map(described)]);
		},
	};
}

/** PowerShell hands over JSON in base64, because it loses empty words and quotation marks on the way to a program. */
function powershellQuestion(encoded: string): Question | undefined {
	let words: unknown;
	try {
		words = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8'));
	} catch {
		return undefined;
	}
	if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined;
	const current: string = words.at(-1) ?? '';
	return {
		before: words.slice(0, -1),
		current,
		answer(offer) {
			if (offer.files !== undefined) return lines(['files', offer.files, current.slice(offer.files.length)]);
			const candidates = fit(offer).candidates.filter(({ value }) =>
				value.toLowerCase().startsWith(current.toLowerCase()),
			);
			return lines([firstLine(offer), ...candidates.map(described)]);
		},
	};
}

function lines(all: readonly string[]): string {
	return all.map((line) => `${line}\n`).join('');
}

export interface TypedWord {
	/** Without quotes and backslashes. */
	text: string;
	/** The quotation mark that is still open. */
	quote: '"' | "'" | undefined;
	/** How much of `text` stands before what readline will replace: it breaks words at `=` and `:` too. */
	kept: number;
}

export interface TypedLine {
	/** Whole words before the one that is typed, the command's name first. */
	words: string[];
	current: TypedWord;
}

const BLANK = /\s/;

/** Reads a line up to the cursor. @param breaks the characters at which readline ends a word, as COMP_WORDBREAKS has them */
export function readTypedLine(line: string, breaks: string): TypedLine {
	const words: string[] = [];
	let text = '';
	let kept = 0;
	let quote: TypedWord['quote'];
	let inWord = false;
	/** The next word is where output goes to or input comes from, not an argument. */
	let redirected = false;

	function endWord(): void {
		if (inWord && !redirected) words.push(text);
		if (inWord) redirected = false;
		text = '';
		kept = 0;
		inWord = false;
	}

	for (let at = 0; at < line.length; at++) {
		const character = line[at] as string;
		if (quote !== undefined) {
			if (character === quote) quote = undefined;
			else if (character === '\\' && quote === '"' && /["\\$`]/.test(line[at + 1] ?? '')) text += line[++at];
			else text += character;
		} else if (character === '"' || character === "'") {
			quote = character;
			inWord = true;
			kept = text.length;
		} else if (character === '\\' && at + 1 < line.length) {
			text += line[++at];
			inWord = true;
		} else if (BLANK.test(character)) {
			endWord();
		} else if (character === '<' || character === '>') {
			if (/^\d*$/.test(text)) {
				text = '';
				inWord = false;
			}
			endWord();
			redirected = true;
		} else {
			text += character;
			inWord = true;
			// At an @ readline breaks the word too, but replaces it with what follows.
			if (breaks.includes(character)) kept = text.length - (character === '@' ? 1 : 0);
		}
	}
	return { words, current: { text, quote, kept } };
}

/** A value as it has to be typed behind what is there already. */
export function quoteForBash(text: string, quote: TypedWord['quote']): string | undefined {
	if (quote === "'") return text.includes("'") ? undefined : text;
	if (quote === '"') return text.replace(/["\\$`]/g, '\\$&');
	return text.replace(/[^A-Za-z0-9_@%+=:,./~-]/g, (character) => (character > '\x7f' ? character : `\\${character}`));
}

/** An offer in the form that each shell's script reads: a first line that says what follows, then a line for each value. */

import { hiddenCharacter } from '../../characters.js';
import type { Offer } from './offer.js';
import { quoteForBash, readTypedLine } from './shell-words.js';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

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

/**
 * A page of help is text: `## Heading`, lines behind four spaces for what is typed, `name :: what it means` for lists, anything
 * else is prose. An empty line ends a block.
 */

import type { Palette } from '../../output/colour.js';

export type Block =
	| { kind: 'heading'; text: string }
	| { kind: 'prose'; text: string }
	| { kind: 'list'; entries: { name: string; text: string }[] }
	/** Lines to be typed or copied, never wrapped. */
	| { kind: 'code'; lines: string[] };

/** `## TITLE` over some text; nothing where the text is empty. */
export const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n${text}`);

/** Lines to be typed or copied. */
export const typed = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');

/** Parts of a page, but for empty ones. */
export const parts = (...all: readonly string[]): string => all.filter((part) => part !== '').join('\n\n');

export function readPage(text: string): Block[] {
	const page: Block[] = [];
	for (const chunk of text.trim().split(/\n[ \t]*\n/)) {
		const lines = chunk.split('\n');
		if (lines[0]?.startsWith('## ')) page.push({ kind: 'heading', text: (lines.shift() as string).slice(3) });
		const last = page.at(-1);
		if (lines[0]?.includes(' :: ')) {
			page.push({ kind: 'list', entries: lines.map(readEntry) });
		} else if (lines.length > 0 && lines.every((line) => line.startsWith('    '))) {
			const code = lines.map((line) => line.slice(4));
			if (last?.kind === 'code') last.lines.push('', ...code);
			else page.push({ kind: 'code', lines: code });
		} else if (lines.length > 0) {
			page.push({ kind: 'prose', text: lines.join(' ') });
		}
	}
	return page;
}

function readEntry(line: string): { name: string; text: string } {
	const at = line.indexOf(' :: ');
	return { name: line.slice(0, at), text: line.slice(at + 4) };
}

/** The page as lines for a terminal, in the manner of `gh`: capitals for headings, what is below them indented. */
export function pageText(text: string, width: number, palette: Palette): string {
	const lines: string[] = [];
	let indent = '';
	let before: Block['kind'] = 'heading';
	for (const block of readPage(text)) {
		if (before !== 'heading') lines.push('');
		before = block.kind;
		if (block.kind === 'heading') {
			indent = '  ';
			// The capitals of a flag would be another flag.
			const capitals = block.text.replace(/(?<!\S)(?!--)\S+/g, (word) => word.toUpperCase());
			lines.push(palette.strong(capitals));
			continue;
		}
		const room = width - indent.length;
		const inside =
			block.kind === 'prose'
				? wrap(block.text, room)
				: block.kind === 'list'
					? list(block.entries, room, palette.command)
					: block.lines.map((line) => (line.startsWith('#') ? palette.faint(line) : line));
		lines.push(...inside.map((line) => (line === '' ? '' : indent + line)));
	}
	return `${lines.join('\n')}\n`;
}

/** The width that help is laid out for: the terminal's, from 40 to the 100 that can be read well, 80 in a pipe. */
export const helpWidth = (columns: number | undefined): number => Math.max(40, Math.min(columns ?? 80, 100));

/** Breaks text between words, and behind `|` in a word that is too long, into lines of at most `width` characters. */
export function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(/\s+/).filter((each) => each !== '')) {
		const pieces = word.length > width ? word.split(/(?<=\|)/) : [word];
		for (const [index, piece] of pieces.entries()) {
			const joined = line === '' ? piece : `${line}${index === 0 ? ' ' : ''}${piece}`;
			if (line !== '' && joined.length > width) lines.push(line);
			line = line !== '' && joined.length > width ? piece : joined;
		}
	}
	return line === '' ? lines : [...lines, line];
}

/** Names on the left, what they mean on the right; below a name that is too long for its column. */
export function list(
	entries: readonly { name: string; text: string }[],
	width: number,
	paint: (name: string) => string = (name) => name,
): string[] {
	const gap = 2;
	const lengths = entries.map(({ name }) => name.length + gap);
	// As wide as the longest name where all texts then fit on their line, else as the longest of a usual length.
	const fits = entries.every(({ text }) => Math.max(...lengths) + text.length <= width);
	const column = Math.max(0, ...lengths.filter((length) => fits || length - gap <= width * 0.45));
	return entries.flatMap(({ name, text }) => {
		const lines = wrap(text, Math.max(20, width - column)).map((line) => ' '.repeat(column) + line);
		if (name.length + gap > column) return [paint(name), ...lines];
		const [first = '', ...rest] = lines;
		return [`${paint(name)}${first.slice(name.length)}`.trimEnd(), ...rest];
	});
}

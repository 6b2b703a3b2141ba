/** A page of help is Markdown: `## Heading`, code, lists of "- `name`: meaning" (from commands: `name :: meaning`), prose. */

import type { Palette } from '../../output/colour.js';

export interface Block {
	kind: 'heading' | 'prose' | 'list' | 'code';
	lines: string[];
}

export const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n${text}`);

export const typed = (lines: readonly string[]): string => lines.map((line) => `    ${line}`).join('\n');

export const parts = (...all: readonly string[]): string => all.filter((part) => part !== '').join('\n\n');

/** Splits into text, language, code, text, … */
const FENCES = /^```(\w*).*\n([\s\S]*?)^```$/m;

export function readPage(text: string): Block[] {
	const pieces = text.split(FENCES);
	const blocks: Block[] = [];
	for (let at = 0; at < pieces.length; at += 3) {
		const [prose = '', language, code] = pieces.slice(at);
		blocks.push(...readBlocks(prose));
		if (code === undefined) continue;
		const lines = code.trimEnd().split('\n');
		blocks.push({ kind: 'code', lines: language === 'sh' ? lines.map((line) => `$ ${line}`) : lines });
	}
	return blocks;
}

function readBlocks(text: string): Block[] {
	const blocks: Block[] = [];
	for (const chunk of text.split('\n\n')) {
		const lines = chunk.split('\n').filter((line) => line !== '' && !line.startsWith('# '));
		const [first = ''] = lines;
		if (first.startsWith('## ')) {
			blocks.push({ kind: 'heading', lines: [first.slice(3)] });
			lines.shift();
		}
		if (lines.length === 0) continue;
		const last = blocks.at(-1);
		if (lines[0]?.includes(' :: ')) blocks.push({ kind: 'list', lines });
		else if (lines[0]?.startsWith('- ')) {
			const entries = lines.map((line) => plain(line.slice(2).replace(': ', ' :: ')));
			blocks.push({ kind: 'list', lines: entries });
		} else if (lines.some((line) => !line.startsWith('    '))) {
			blocks.push({ kind: 'prose', lines: [plain(lines.join(' '))] });
		} else {
			const code = lines.map((line) => line.slice(4));
			if (last?.kind === 'code') last.lines.push('', ...code);
			else blocks.push({ kind: 'code', lines: code });
		}
	}
	return blocks;
}

const plain = (text: string): string => text.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

/** In the manner of `gh`. */
export function pageText(text: string, width: number, palette: Palette): string {
	let indent = '';
	const blocks = readPage(text).map(({ kind, lines }) => {
		if (kind === 'heading') {
			indent = '  ';
			// The capitals of a flag would be another flag.
			const words = lines.join().split(' ');
			return `${palette.strong(words.map((word) => (word.startsWith('--') ? word : word.toUpperCase())).join(' '))}\n`;
		}
		const room = width - indent.length;
		const inside = {
			prose: () => lines.flatMap((line) => wrap(line, room)),
			list: () => list(lines, room, palette.command),
			code: () => lines.map((line) => (line.startsWith('#') ? palette.faint(line) : line)),
		}[kind]();
		return `${inside.map((line) => `${line === '' ? '' : indent + line}\n`).join('')}\n`;
	});
	return `${blocks.join('').trimEnd()}\n`;
}

/** From 40 to 100 columns. */
export const helpWidth = (columns: number | undefined): number => Math.max(40, Math.min(columns ?? 80, 100));

/** Also behind `|` in a word that is too long. */
export function wrap(text: string, width: number): string[] {
	if (text.length <= width) return text === '' ? [] : [text];
	const lines = [''];
	for (const word of text.split(/\s+/)) {
		for (const piece of word.length > width ? `${word} `.split(/(?<=\|)/) : [`${word} `]) {
			const line = lines.at(-1) as string;
			if (line === '' || line.length + piece.trimEnd().length <= width) lines[lines.length - 1] = line + piece;
			else lines.push(piece);
		}
	}
	return lines.map((line) => line.trimEnd());
}

/** A name that is too long has its line. */
export function list(
	entries: readonly string[],
	width: number,
	paint: (name: string) => string = (name) => name,
): string[] {
	const cells = entries.map((entry) => {
		const [name = '', ...text] = entry.split(' :: ');
		return { name, text: text.join(' :: '), room: name.length + 2 };
	});
	// As wide as the longest name if all texts then fit, else as the longest usual one.
	const longest = Math.max(...cells.map(({ room }) => room));
	const fits = cells.every(({ text }) => longest + text.length <= width);
	const column = Math.max(0, ...cells.map(({ room }) => (fits || room - 2 <= width * 0.45 ? room : 0)));
	return cells.flatMap(({ name, text, room }) => {
		const lines = wrap(text, Math.max(20, width - column)).map((line) => ' '.repeat(column) + line);
		if (room > column) return [paint(name), ...lines];
		const [first = '', ...rest] = lines;
		return [`${paint(name)}${first.slice(name.length)}`.trimEnd(), ...rest];
	});
}

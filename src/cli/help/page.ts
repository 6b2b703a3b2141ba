/** A page of help is Markdown: headings, paragraphs, code between fences, and lists of "- `name`: meaning". */

import type { Palette } from '../../output/colour.js';
import { wrap } from '../wrap.js';

export interface Block {
	kind: 'heading' | 'prose' | 'list' | 'code';
	lines: string[];
}

export const section = (title: string, text: string): string => (text === '' ? '' : `## ${title}\n\n${text}`);

export const entry = (name: string, meaning: string): string => `- \`${name}\`: ${meaning}`;

export const code = (lines: readonly string[]): string =>
	lines.length === 0 ? '' : ['```', ...lines, '```'].join('\n');

export const parts = (...all: readonly string[]): string => all.filter((part) => part !== '').join('\n\n');

/** Splits into text, language, code, text … */
const FENCES = /^```(\w*).*\n([\s\S]*?)^```$/m;

export function readPage(text: string): Block[] {
	const pieces = text.split(FENCES);
	const blocks: Block[] = [];
	for (let at = 0; at < pieces.length; at += 3) {
		const [prose = '', language, listing] = pieces.slice(at);
		blocks.push(...readBlocks(prose));
		if (listing === undefined) continue;
		const lines = listing.trimEnd().split('\n');
		blocks.push({ kind: 'code', lines: language === 'sh' ? lines.map((line) => `$ ${line}`) : lines });
	}
	return blocks;
}

function readBlocks(text: string): Block[] {
	const chunks = text.split(/\n{2,}/).map((chunk) => chunk.trim());
	return chunks
		.filter((chunk) => chunk !== '' && !chunk.startsWith('# '))
		.map((chunk) => {
			const lines = chunk.split('\n');
			if (chunk.startsWith('## ')) return { kind: 'heading', lines: [chunk.slice(3)] };
			if (chunk.startsWith('- ')) return { kind: 'list', lines };
			return { kind: 'prose', lines: [plain(lines.join(' '))] };
		});
}

/** Without the marks of code and links. */
const plain = (text: string): string => text.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');

export function readEntry(line: string): { name: string; meaning: string } {
	const [, name = '', meaning = ''] = /^- (.*?): (.*)$/.exec(line) ?? [];
	return { name: plain(name), meaning: plain(meaning) };
}

/** The page as lines for a terminal, in the manner of `gh`: capitals for headings, what is below them indented. */
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
			list: () => definitionList(lines, room, palette.command),
			code: () => lines.map((line) => (line.startsWith('#') ? palette.faint(line) : line)),
		}[kind]();
		return `${inside.map((line) => `${line === '' ? '' : indent + line}\n`).join('')}\n`;
	});
	return `${blocks.join('').trimEnd()}\n`;
}

/** In two columns; a name that is too long has its own line. */
export function definitionList(
	lines: readonly string[],
	width: number,
	paint = (name: string): string => name,
): string[] {
	const entries = lines.map(readEntry);
	// Long flags stand below each other.
	const hasShort = entries.some(({ name }) => /^-[A-Za-z0-9],/.test(name));
	const cells = entries.map(({ name, meaning }) => {
		return { name: hasShort && name.startsWith('--') ? `    ${name}` : name, meaning };
	});
	const lengths = cells.map(({ name }) => name.length);
	const column = 2 + Math.max(0, ...lengths.filter((length) => length <= width * 0.45));
	return cells.flatMap(({ name, meaning }) => {
		const texts = wrap(meaning, Math.max(20, width - column)).map((line) => ' '.repeat(column) + line);
		if (name.length + 2 > column) return [paint(name), ...texts];
		const [first = '', ...rest] = texts;
		return [`${paint(name)}${first.slice(name.length)}`.trimEnd(), ...rest];
	});
}

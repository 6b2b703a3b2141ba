/** A page of help: blocks of prose, lists and commands, laid out for a terminal or written as Markdown. */

import type { Palette } from '../../output/colour.js';
import { type Entry, indent, list, wrap } from './layout.js';

export type Block =
	| { kind: 'heading'; text: string }
	| { kind: 'prose'; text: string }
	| { kind: 'list'; entries: readonly Entry[] }
	/** Lines to be typed or copied, never wrapped. */
	| { kind: 'code'; lines: readonly string[] };

export type Page = readonly Block[];

export const heading = (text: string): Block => ({ kind: 'heading', text });
export const prose = (text: string): Block => ({ kind: 'prose', text });
export const entries = (given: readonly Entry[]): Block => ({ kind: 'list', entries: given });
export const code = (...lines: string[]): Block => ({ kind: 'code', lines });

/** The page as lines for a terminal, in the manner of `gh`: capitals for headings, what is below them indented. */
export function pageText(page: Page, width: number, palette: Palette): string {
	const lines: string[] = [];
	let inside = false;
	page.forEach((block, index) => {
		const previous = page[index - 1];
		if (previous !== undefined && previous.kind !== 'heading') lines.push('');
		if (block.kind === 'heading') {
			inside = true;
			lines.push(palette.strong(capitals(block.text)));
			return;
		}
		const by = inside ? 2 : 0;
		lines.push(...indent(blockLines(block, width - by, palette), by));
	});
	return `${lines.join('\n')}\n`;
}

/** Capitals, but for flags, which would be others. */
function capitals(text: string): string {
	return text
		.split(' ')
		.map((word) => (word.startsWith('--') ? word : word.toUpperCase()))
		.join(' ');
}

function blockLines(block: Exclude<Block, { kind: 'heading' }>, width: number, palette: Palette): string[] {
	switch (block.kind) {
		case 'prose':
			return wrap(block.text, width);
		case 'list':
			return list(block.entries, width, palette.command);
		case 'code':
			return block.lines.map((line) => (line.startsWith('#') ? palette.faint(line) : line));
	}
}

/** The same page as Markdown, its headings at the given depth, in bold from the fifth on. */
export function pageMarkdown(page: Page, depth: number): string {
	return page.map((block) => blockMarkdown(block, depth)).join('\n\n');
}

const FENCE = '```';

function blockMarkdown(block: Block, depth: number): string {
	switch (block.kind) {
		case 'heading':
			return depth > 4 ? `**${block.text}**` : `${'#'.repeat(depth)} ${block.text}`;
		case 'prose':
			return block.text;
		case 'list':
			return block.entries.map(({ name, text }) => `- \`${name.trim()}\`: ${text}`).join('\n');
		case 'code':
			return [FENCE, ...block.lines, FENCE].join('\n');
	}
}

/**
 * Reads a page from the text that topics are written in: `## Heading`, lines indented by four blanks for what is typed,
 * `name :: what it means` for lists, anything else is prose.
 */
export function readPage(text: string): Page {
	const page: Block[] = [];
	for (const chunk of text.trim().split(/\n[ \t]*\n/)) {
		const lines = chunk.split('\n');
		if (lines[0]?.startsWith('## ')) page.push(heading((lines.shift() as string).slice(3)));
		if (lines.length > 0) addBlock(page, lines);
	}
	return page;
}

function addBlock(page: Block[], lines: readonly string[]): void {
	const last = page.at(-1);
	if (lines.every((line) => line.startsWith('    '))) {
		const typed = lines.map((line) => line.slice(4));
		if (last?.kind === 'code') page[page.length - 1] = code(...last.lines, '', ...typed);
		else page.push(code(...typed));
	} else if (lines[0]?.includes(' :: ')) {
		page.push(entries(readEntries(lines)));
	} else {
		page.push(prose(lines.join(' ')));
	}
}

/** A line without `::` goes on with the entry above it. */
function readEntries(lines: readonly string[]): Entry[] {
	const read: { name: string; text: string }[] = [];
	for (const line of lines) {
		const at = line.indexOf(' :: ');
		const last = read.at(-1);
		if (at >= 0) read.push({ name: line.slice(0, at), text: line.slice(at + 4) });
		else if (last !== undefined) last.text += ` ${line}`;
	}
	return read;
}

/** A page of help: blocks of prose, lists and commands, laid out for a terminal, as Markdown or as a man page. */

import type { Palette } from '../../output/colour.js';

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
 * Reads a page from the text that topics are written in: `## Heading`, lines indented by four spaces for what is typed,
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

/** Lines longer than this are hard to read, however wide the terminal is. */
const WIDEST = 100;
const NARROWEST = 40;

/** The width that help is laid out for: the terminal's within reason, 80 in a pipe. */
export function helpWidth(columns: number | undefined): number {
	return Math.max(NARROWEST, Math.min(columns ?? 80, WIDEST));
}

/**
 * Breaks text between words into lines of at most `width` characters; a longer word is broken behind `|`, as in lists of
 * values.
 */
export function wrap(text: string, width: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(/\s+/).filter((each) => each !== '')) {
		const pieces = word.length > width ? word.split(/(?<=\|)/) : [word];
		for (const [index, piece] of pieces.entries()) {
			const joined = line === '' ? piece : `${line}${index === 0 ? ' ' : ''}${piece}`;
			if (line !== '' && joined.length > width) {
				lines.push(line);
				line = piece;
			} else {
				line = joined;
			}
		}
	}
	if (line !== '') lines.push(line);
	return lines;
}

export function indent(lines: readonly string[], by: number): string[] {
	const spaces = ' '.repeat(by);
	return lines.map((line) => (line === '' ? '' : spaces + line));
}

/** A name and what it means. */
export interface Entry {
	readonly name: string;
	readonly text: string;
}

const GAP = 2;

/**
 * Names on the left, what they mean on the right. A name that is too long for its column has its text on the next line.
 */
export function list(
	entries: readonly Entry[],
	width: number,
	paint: (name: string) => string = (name) => name,
): string[] {
	const column = nameColumn(entries, width);
	return entries.flatMap(({ name, text }) => {
		const lines = wrap(text, Math.max(20, width - column));
		if (name.length + GAP > column) return [paint(name), ...indent(lines, column)];
		const [first = '', ...rest] = lines;
		return [`${paint(name)}${' '.repeat(column - name.length)}${first}`.trimEnd(), ...indent(rest, column)];
	});
}

/** As wide as the longest name where all texts then fit on their line, else as the longest of a usual length. */
function nameColumn(entries: readonly Entry[], width: number): number {
	const lengths = entries.map((entry) => entry.name.length);
	const longest = Math.max(0, ...lengths) + GAP;
	if (entries.every((entry) => longest + entry.text.length <= width)) return longest;
	const most = Math.floor(width * 0.45);
	return Math.max(0, ...lengths.filter((length) => length <= most)) + GAP;
}

export interface ManSection {
	title: string;
	page: Page;
}

/** Text that roff takes literally: no backslash, leading dot, quote or hyphen of it is a command. */
function literal(text: string): string {
	return text
		.replaceAll('\\', '\\e')
		.replaceAll('-', '\\-')
		.replace(/^([.'])/gm, '\\&$1');
}

/** An argument of a macro. */
function quoted(text: string): string {
	return `"${literal(text).replaceAll('"', '\\(dq')}"`;
}

function blockRoff(block: Block): string {
	switch (block.kind) {
		case 'heading':
			return `.SS ${quoted(block.text)}`;
		case 'prose':
			return `.PP\n${literal(block.text)}`;
		case 'list':
			return block.entries.map(({ name, text }) => `.TP\n.B ${quoted(name.trim())}\n${literal(text)}`).join('\n');
		case 'code':
			return `.PP\n.RS 4\n.nf\n${block.lines.map(literal).join('\n')}\n.fi\n.RE`;
	}
}

/** The whole page, for section 1 of the manual. */
export function manPage(version: string, sections: readonly ManSection[]): string {
	return [
		`.TH SUPPORTCTL 1 "" ${quoted(`supportctl ${version}`)} "User Commands"`,
		'.SH NAME',
		'supportctl \\- the admin command line for a help desk',
		'.SH SYNOPSIS',
		'.B supportctl',
		'.I command\n[\\fIarguments\\fR] [\\fIflags\\fR]',
		...sections.flatMap(({ title, page }) => [`.SH ${quoted(title.toUpperCase())}`, ...page.map(blockRoff)]),
		'',
	].join('\n');
}

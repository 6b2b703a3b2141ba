/**
 * Makes text from the service or the input safe to print: what could move the cursor, reorder or hide text is shown as
 * an escape, and what a CI runner would obey as a command gets a backslash.
 */

import type { Context, Output } from '../io/context.js';
import { HIDDEN_CHARACTER } from '../text.js';

/** Most text holds nothing else, and looking for that is much quicker than for all that is unsafe. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * Hidden characters, one at a time; first what may stay: flags of regions, joiners between characters beyond ASCII and
 * variation selectors, each where emoji and several scripts need them.
 */
const EACH_SOURCE = [
	'(\\u{1f3f4}[\\u{e0020}-\\u{e007e}]+\\u{e007f}',
	'(?<=[^\\x00-\\x7f\\u200b-\\u200f])[\\u200c\\u200d](?=[^\\x00-\\x7f\\u200b-\\u200f])',
	'(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
	'(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}])',
	HIDDEN_CHARACTER,
].join('|');

const each = (): RegExp => new RegExp(EACH_SOURCE, 'gu');

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const hex = (point: number, width: number): string => point.toString(16).padStart(width, '0');

function escapeOne(character: string): string {
	const point = character.codePointAt(0) as number;
	if (point < 0x100) return SHORT[character] ?? `\\x${hex(point, 2)}`;
	return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\u{${hex(point, 0)}}`;
}

/** `::error::` where a line begins, and `##` with a word in front of a bracket: commands to GitHub, Azure and TeamCity. */
const LINE_COMMAND = /(^|[\n\r])((?:[^\S\n\r]|\x85)*)::/g;
const MARKED_COMMAND = /##(?=[^\s[]*\[)/g;

/** Text in which a CI runner finds no command: a backslash stands where it would begin. */
function withoutCommands(text: string): string {
	const lines = text.includes('::') ? text.replace(LINE_COMMAND, '$1$2\\::') : text;
	return lines.includes('##') ? lines.replace(MARKED_COMMAND, '#\\#') : lines;
}

/** One line of text in which nothing but printable characters is left: `\n`, `\x1b`, `\u202e` stand for the rest. */
export function sanitise(text: string): string {
	if (PLAIN.test(text)) return withoutCommands(text);
	return withoutCommands(text.replace(each(), (character, kept?: string) => kept ?? escapeOne(character)));
}

/** The same for text of several lines: line breaks stay, a carriage return before one goes, tabs become spaces. */
export function sanitiseLines(text: string): string {
	return text
		.split(/\r?\n/)
		.map((line) => sanitise(line.replaceAll('\t', '    ')))
		.join('\n');
}

const PLAIN_LINES = /^[\n\x20-\x7e]*$/;

/** JSON text with those characters as `\u` escapes: the same value to every reader, and nothing to obey. */
export function escapeJson(json: string): string {
	return escapeQuoted(json, (character) =>
		character.split('').reduce((text, unit) => `${text}\\u${hex(unit.charCodeAt(0), 4)}`, ''),
	);
}

/** The same for YAML, whose readers don't join the halves of a pair. */
export function escapeYaml(yaml: string): string {
	return escapeQuoted(yaml, (character) => {
		const point = character.codePointAt(0) as number;
		return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
	});
}

/** Text in which hidden characters stand only between quotation marks that allow escapes; line breaks stay. */
function escapeQuoted(text: string, escaped: (character: string) => string): string {
	const visible = PLAIN_LINES.test(text)
		? text
		: text.replace(each(), (found, kept?: string) => kept ?? (found === '\n' ? found : escaped(found)));
	return visible.includes('##') ? visible.replace(MARKED_COMMAND, '\\u0023#') : visible;
}

/**
 * The integers of a JSON text that a number can't hold exactly, as they are written; each once.
 * @param json Valid JSON.
 */
export function unsafeIntegers(json: string): string[] {
	const tokens = json.match(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?![\d.eE])|-?\d[\d.eE+-]*/g) ?? [];
	return [...new Set(tokens.filter((token) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))))];
}

/** Whether results, and so errors, are to be JSON. */
export function asksForJson(argv: readonly string[]): boolean {
	return argv.some(
		(word, index) =>
			/^--(?:json|format=(?:nd)?json)$/.test(word) || (/^(?:nd)?json$/.test(word) && argv[index - 1] === '--format'),
	);
}

/**
 * An output in which no line is a command to a CI runner, whoever wrote it; `command` writes one on purpose.
 * @param paint gives `error:` and `warning:` their colors, where a line begins with them
 */
export function guardOutput(output: Output, paint: (label: string) => string = (label) => label): Output {
	return Object.assign(Object.create(output), {
		write: (text: string): void => output.write(withoutCommands(text).replace(/^(?:error|warning):/gm, paint)),
		command: (text: string): void => output.write(`${text.replace(MARKED_COMMAND, '#\\#')}\n`),
	});
}

export interface Annotation {
	readonly level?: 'error' | 'warning';
	readonly title: string;
	readonly message: string;
	/** As the repository names it. */
	readonly file?: string | undefined;
	readonly line?: number | undefined;
}

/**
 * Under GitHub Actions, shows a failure beside the input's line: `::error file=edits.csv,line=813,title=…::…`. Nothing in
 * the texts can end it or begin another.
 */
export function annotate({ env, stderr }: Pick<Context, 'env' | 'stderr'>, annotation: Annotation): void {
	if (env.GITHUB_ACTIONS !== 'true') return;
	const { level = 'error', title, message, file, line } = annotation;
	const data = (text: string): string => sanitiseLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
	const properties = Object.entries({ file, line: file === undefined ? undefined : line, title })
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name}=${data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`);
	stderr.command?.(`::${level} ${properties.join(',')}::${data(message)}`);
}

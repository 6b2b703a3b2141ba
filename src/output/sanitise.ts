/** Makes text safe to print: no control of the terminal, no hidden text, no command to a CI runner. */

import type { Context, Output } from '../io/context.js';
import { eachHidden, hexOf, showHidden } from '../text.js';
import { formats, isFormat } from './formats.js';

/** Commands to GitHub, Azure and TeamCity. */
const LINE_COMMAND = /(^|[\n\r])((?:[^\S\n\r]|\x85)*)::/g;
const MARKED_WORD = /##[^\s[]*\[?/g;

function withoutMarks(text: string, mark = '#\\'): string {
	return text.replace(MARKED_WORD, (word) => (word.endsWith('[') ? word.replace(/#(?=#)/g, mark) : word));
}

/** Text in which a CI runner finds no command: a backslash stands where one would begin. */
function withoutCommands(text: string): string {
	const lines = text.includes('::') ? text.replace(LINE_COMMAND, '$1$2\\::') : text;
	return lines.includes('##') ? withoutMarks(lines) : lines;
}

/** One line; `\n`, `\x1b`, `\u202e` replace other characters. */
export function sanitise(text: string): string {
	return withoutCommands(showHidden(text));
}

/** Keeps the ends of lines. */
export function sanitiseLines(text: string): string {
	return text
		.split(/\r?\n/)
		.map((line) => sanitise(line.replaceAll('\t', '    ')))
		.join('\n');
}

const PLAIN_LINES = /^[\n\x20-\x7e]*$/;

/** JSON of the same value. */
export function escapeJson(json: string): string {
	return escapeQuoted(json, (character) =>
		character.split('').reduce((text, unit) => `${text}\\u${hexOf(unit.charCodeAt(0), 4)}`, ''),
	);
}

/** YAML readers don't join the halves of a pair. */
export function escapeYaml(yaml: string): string {
	return escapeQuoted(yaml, (character) => {
		const point = character.codePointAt(0) as number;
		return point < 0x10000 ? `\\u${hexOf(point, 4)}` : `\\U${hexOf(point, 8)}`;
	});
}

/** Hidden characters are always between quotes there. */
function escapeQuoted(text: string, escaped: (character: string) => string): string {
	const visible = PLAIN_LINES.test(text)
		? text
		: text.replace(eachHidden(), (found, kept?: string) => kept ?? (found === '\n' ? found : escaped(found)));
	return withoutMarks(visible, '\\u0023');
}

/** Before flags are parsed, so that errors of parsing are JSON too. */
export function asksForJson(argv: readonly string[]): boolean {
	const end = argv.indexOf('--');
	const words = end === -1 ? argv : argv.slice(0, end);
	return words.some((word, at) => {
		const [flag, value = words[at + 1] ?? ''] = word.split('=', 2) as [string, string?];
		return word === '--json' || (flag === '--format' && isFormat(value) && formats[value].isJson);
	});
}

/** Only `command` can write a CI command. */
export function guardOutput(output: Output, edit: (text: string) => string = (text) => text): Output {
	return Object.assign(Object.create(output), {
		write: (text: string): void => output.write(edit(withoutCommands(text))),
		command: (text: string): void => output.write(edit(`${withoutMarks(text)}\n`)),
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

/** Marks the input's line in GitHub Actions. Nothing in the texts can end the command. */
export function annotate(
	{ argv, env, stderr }: Pick<Context, 'argv' | 'env' | 'stderr'>,
	annotation: Annotation,
): void {
	// JSON has no commands for the runner.
	if (env.GITHUB_ACTIONS !== 'true' || asksForJson(argv)) return;
	const { level = 'error', title, message, file, line } = annotation;
	const data = (text: string): string => sanitiseLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
	const properties = Object.entries({ file, line: file === undefined ? undefined : line, title })
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name}=${data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`);
	stderr.command?.(`::${level} ${properties.join(',')}::${data(message)}`);
}

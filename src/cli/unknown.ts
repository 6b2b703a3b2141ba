/** What unknown words may mean: the command line to type, if it is one that runs. */

import { plural } from '../api/names.js';
import { type Read, reads } from '../api/reads.js';
import { nearest } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import { commands, findCommand, nextWords, ourWord } from './manifest.js';
import { canRun } from './parse.js';
import { beforeFlags, commandText, sayable } from './unknown-flag.js';
import { nouns, verbs } from './words.js';

type Words = readonly string[];

const isCommand = (words: Words): boolean => commands.some((each) => each.words.join() === words.join());

/** @param rest begins with the unknown word */
export async function unknownCommand(path: Words, rest: Words): Promise<UsageError> {
	const [word = ''] = rest;
	const under = path.length === 0 ? '' : ` under "${path.join(' ')}"`;
	const message = `unknown command ${quote(word)}${under}`;
	return new UsageError(message, { code: 'unknown_command', hint: await hintFor(path, rest) });
}

async function hintFor(path: Words, rest: Words): Promise<string> {
	const [word = '', ...behind] = rest;
	const lines = [sayable(behind), beforeFlags(behind)].flatMap((args) => {
		return args === undefined ? [] : [...linesMeant(path, [word, ...args])];
	});
	for (const line of lines) {
		const found = await runnable(line);
		if (found !== undefined) return `did you mean: ${commandText(found)}`;
	}
	for (const line of lines) {
		const found = await findCommand(line);
		if (found.entry !== undefined) return `did you mean: ${commandText([...found.path, '--help'])}`;
	}
	if (['create', 'new', 'add'].includes(word)) {
		const what = plural(path[0] ?? nounOf(behind[0] ?? '') ?? 'object', 2);
		return `supportctl can't create ${what}: the API has no endpoint for it. Create them in your help desk.`;
	}
	const noun = path.length === 0 ? (nounOf(word) ?? nounOf(behind[0] ?? '')) : undefined;
	const group = noun ?? nearest(word, nextWords(path));
	if (group !== undefined) return `did you mean: ${commandText([...path, group, '--help'])}`;
	return `run "${commandText([...path, '--help'])}" to see the commands`;
}

/** The line in our words, if the program takes it. */
export async function runnable(line: Words): Promise<Words | undefined> {
	if (line[0] === 'help') return line;
	const { entry, path, flags, rest } = await findCommand(line);
	if (entry === undefined) return undefined;
	const words = [...flags, ...rest];
	return canRun(await entry.load(), path, words) ? [...path, ...words] : undefined;
}

/** Likeliest first. */
function* linesMeant(path: Words, rest: Words): Generator<Words> {
	const [word = '', ...args] = rest;
	const isTop = path.length === 0;
	if (isTop) {
		const [second = '', ...others] = args;
		const noun = nounOf(word);
		if (noun !== undefined) yield* linesBelow([noun], args);
		// `show ticket 14`
		const named = nounOf(second);
		if (named !== undefined) yield* linesBelow([named], isCommand([named]) ? others : [word, ...others]);
	}
	for (const group of [isTop ? ['ticket'] : path, []]) {
		for (const template of verbs.get(word.toLowerCase()) ?? []) {
			const filled = fill(template, args);
			if (filled !== undefined) yield [...group, ...filled];
		}
	}
	const read = new Map<string, Read>(Object.entries(reads)).get(path.join(' '));
	if (read !== undefined && /^\d+$/.test(word)) {
		yield [...path, rest.length <= read.owners.length ? 'list' : 'get', ...rest];
	}
	const near = nearest(word, nextWords(path));
	if (near !== undefined) yield* linesBelow([...path, near], args);
}

function* linesBelow(group: Words, rest: Words): Generator<Words> {
	const [word] = rest;
	if (isCommand(group) || (word !== undefined && ourWord(group, word) !== undefined)) yield [...group, ...rest];
	if (word !== undefined) yield* linesMeant(group, rest);
}

function nounOf(word: string): string | undefined {
	return nouns.get(word.toLowerCase().replace(/s$/, '')) ?? ourWord([], word);
}

/** Undefined if a word for it is missing. */
function fill(template: string, args: Words): Words | undefined {
	const [first] = args;
	const last = args.length > 1 ? args.at(-1) : undefined;
	const words: string[] = [];
	for (const word of template.split(' ')) {
		if (word === '{none}' && args.length > 0) return undefined;
		if (word === '{}') words.push(...args);
		else if (word === '{none}') continue;
		else if (word !== '{first}' && word !== '{last}') words.push(word);
		else if (first === undefined || last === undefined) return undefined;
		else words.push(word === '{first}' ? first : last);
	}
	return words;
}

/** A script must not treat that as success. */
export function missingCommand(path: Words): UsageError {
	const name = path.join(' ');
	return new UsageError(`"${name}" needs a command: ${nextWords(path).join(', ')}`, {
		code: 'missing_command',
		hint: `run "supportctl ${name} --help" to see them`,
	});
}

/** What unknown words may mean: the command line to type, if it is one that runs. */

import { endpoints } from '../api/endpoints.js';
import { flagName } from '../api/fields.js';
import { kinds } from '../api/kinds.js';
import { plural } from '../api/names.js';
import { type Read, reads } from '../api/reads.js';
import { nearest } from '../api/suggest.js';
import { quote } from '../api/values.js';
import { UsageError } from '../errors.js';
import { commands, findCommand, nextWords, ourWord } from './manifest.js';
import { longName } from './options/option.js';
import { canRun } from './parse.js';
import { beforeFlags, commandText, mendedLines, sayable } from './unknown-flag.js';
import { type Noun, negations, nounMeant, otherFlags, verbs } from './words.js';

type Words = readonly string[];

const isCommand = (words: Words): boolean => commands.some((each) => each.words.join() === words.join());

/** @param rest begins with the unknown word */
export async function unknownCommand(path: Words, rest: Words): Promise<UsageError> {
	const [word = ''] = rest;
	const under = path.length === 0 ? '' : ` under "${path.join(' ')}"`;
	const message = `unknown command ${quote(word)}${under}`;
	return new UsageError(message, { code: 'unknown_command', hint: await hintFor(path, rest) });
}

/** What makes new objects. */
const CREATES: Words = ['create', 'new', 'add', 'invite', 'upload'];

async function hintFor(path: Words, rest: Words): Promise<string> {
	const [word = '', ...behind] = rest;
	const args = beforeFlags(behind);
	if (word === 'help') {
		const { path: known } = await findCommand([...path, ...args]);
		return `did you mean: ${commandText([...known, '--help'])}`;
	}
	const whole = sayable(behind);
	const lines = whole === undefined ? [] : [...linesTyped(path, [word, ...whole.flatMap(apart)])];
	const shorter = whole?.length === args.length ? [] : [...linesTyped(path, [word, ...args])];
	for (const line of lines) {
		const found = await mended(line);
		if (found !== undefined) return `did you mean: ${commandText(found)}`;
	}
	for (const line of shorter) {
		const found = await runnable(line);
		// What is left out may be what keeps a write small.
		if (found !== undefined && !(await writes(found))) return `did you mean: ${commandText(found)}`;
	}
	const created = [word, ...behind].findIndex((each) => CREATES.includes(each));
	if (created >= 0) return cannotCreate([...path, word, ...behind], created + path.length);
	for (const line of [...lines, ...shorter]) {
		if (line.includes(word)) continue;
		const found = await findCommand(line);
		if (found.entry !== undefined) return `did you mean: ${commandText([...found.path, '--help'])}`;
	}
	const noun = nounOf(path[0] ?? word) ?? nounOf(behind[0] ?? '');
	const group = path.length === 0 ? noun?.group : undefined;
	const near =
		group ??
		(isVerb(behind[0] ?? '') && !word.startsWith('-')
			? []
			: [nearest(word, nextWords(path))].filter((each) => each !== undefined));
	if (near.length > 0) return `did you mean: ${commandText([...path, ...near, '--help'])}`;
	return `run "${commandText([...path, '--help'])}" to see the commands`;
}

/** @param at where the verb is: `issue comment add 14` is about a reply, `create user` about a user */
function cannotCreate(words: Words, at: number): string {
	const nouns = [...words.slice(0, at + 1).reverse(), ...words.slice(at + 1)].map(nounOf);
	const noun = nouns.find((each) => each !== undefined);
	const what = plural(noun?.owner === undefined ? (noun?.group.at(-1) ?? 'object') : `${noun.owner} term`, 2);
	return `supportctl can't create ${what}: the API has no endpoint for it. Create them in your help desk.`;
}

/** `ticket/14` */
function apart(word: string): Words {
	const [noun = '', id] = word.split('/');
	return id !== undefined && nounOf(noun) !== undefined ? [noun, id] : [word];
}

/** The line in our words, if the program takes it. */
export async function runnable(line: Words): Promise<Words | undefined> {
	if (line[0] === 'help') return line;
	const { entry, path, flags, rest } = await findCommand(line);
	if (entry === undefined) return undefined;
	const words = [...flags, ...rest];
	return canRun(await entry.load(), path, words) ? [...path, ...words] : undefined;
}

/** With our words for its flags. */
async function mended(line: Words): Promise<Words | undefined> {
	if (line[0] === 'help') return line;
	const { entry, path, flags, rest } = await findCommand(line);
	if (entry === undefined) return undefined;
	const spec = await entry.load();
	for (const words of mendedLines(spec.options, [...flags, ...rest])) {
		if (canRun(spec, path, words)) return [...path, ...words];
	}
	return undefined;
}

/** What asks first, or opens an editor. */
async function writes(line: Words): Promise<boolean> {
	const { entry } = await findCommand(line);
	const { options = [] } = (await entry?.load()) ?? {};
	return options.some((each) => ['yes', 'confirm'].includes(longName(each)));
}

/** Likeliest first; `list-tickets`, `ticket:list` and `sign-in` are taken apart. */
function* linesTyped(path: Words, [word = '', ...args]: Words): Generator<Words> {
	yield* linesMeant(path, [word, ...args]);
	const parts = word.split(/[-:._/]/).filter((part) => part !== '');
	if (parts.length > 1 && parts.length < 5 && /^[a-z][\w.:/-]*$/i.test(word)) yield* linesOfParts(path, parts, args);
	yield* linesShown(path, [word, ...args]);
}

function* linesOfParts(path: Words, parts: Words, args: Words): Generator<Words> {
	yield* linesMeant(path, [parts.join(''), ...args]);
	yield* linesMeant(path, [...parts, ...args]);
	// `config set-context`
	const others = parts.filter((part) => nounOf(part)?.group.join() !== path.join());
	if (others.length < parts.length) yield* linesMeant(path, [...others, ...args]);
	// `clear-assignee` is not `assignee`.
	if (args.length === 0 || negations.has(parts[0] as string)) return;
	// `set-role`
	for (const part of [parts[0] as string, parts.at(-1) as string]) yield* linesMeant(path, [part, ...args]);
}

function* linesMeant(path: Words, rest: Words): Generator<Words> {
	const [word = '', ...args] = rest;
	const [second = '', ...others] = args;
	const isTop = path.length === 0;
	// `auth login`, `tag add`
	yield* linesOf(path, `${word}-${second}`.toLowerCase(), others);
	// `show ticket 14`
	const named = isTop && nounOf(word) === undefined ? nounOf(second) : undefined;
	if (named !== undefined) yield* linesOfNoun(named, isCommand(named.group) ? others : [word, ...others]);
	yield* linesOf(path, word.toLowerCase(), args);
	yield* linesOfField(isTop ? ['ticket'] : path, word.toLowerCase(), args);
	// `issue list`, `ticket replies 14`
	const noun = nounOf(word);
	if (noun !== undefined) yield* linesOfNoun(noun, args);
	yield* linesWithoutVerb(path, rest);
	// A word with a meaning is no misspelling: `undelete` is not `delete`.
	const near = verbs.has(word.toLowerCase()) ? undefined : nearest(word, nextWords(path));
	// `plugin list` is not `login list`.
	if (near !== undefined && !(isVerb(second) && isCommand([...path, near]))) yield* linesBelow([...path, near], args);
	// `ticket set 14 status=hold`
	const isPair = (each: string): boolean => /^[a-z][\w-]*=/i.test(each);
	if (args.some(isPair)) {
		yield* linesMeant(path, [word, ...args.map((each) => (isPair(each) ? `--${each}` : each))]);
	}
}

/** Of a command of ours. */
const isVerb = (word: string): boolean => commands.some(({ words }) => words.length > 1 && words.at(-1) === word);

/** Below what was typed, which is about tickets if nothing was, then from the top. */
function* linesOf(path: Words, verb: string, args: Words): Generator<Words> {
	const isTop = path.length === 0;
	const templates = verbs.get(verb) ?? [];
	const places: readonly [Words, string[]][] = [
		[[], isTop ? templates.filter((each) => each.startsWith('/')) : []],
		[isTop ? ['ticket'] : path, templates.filter((each) => !each.startsWith('/'))],
		[[], templates.filter((each) => !each.startsWith('/'))],
	];
	for (const [group, all] of places) {
		for (const template of all) {
			const filled = fill(template.replace('/', ''), args);
			if (filled !== undefined) yield [...group, ...filled];
		}
	}
}

/** `ticket priority 14 high`: a field's name for a verb. */
function* linesOfField(group: Words, word: string, args: Words): Generator<Words> {
	const fields = new Map(Object.entries(endpoints)).get([...group, 'update'].join('.'))?.fields ?? [];
	const names = [word, `${word}s`].map((each) => otherFlags.get(`--${each}`) ?? `--${each}`);
	const field = fields.find(({ name }) => names.includes(`--${flagName(name)}`));
	const [id, value, ...more] = args;
	if (field === undefined || kinds[field.kind].isSecret || id === undefined || more.length > 0) return;
	if (value === undefined) yield [...group, 'get', id, '--field', field.name];
	else yield [...group, 'update', id, `--${flagName(field.name)}`, value];
}

/** `run last`, `user passwords jose`: whatever the word is, so after all other readings. */
function* linesShown(path: Words, rest: Words): Generator<Words> {
	const next = nextWords(path);
	if (path.length === 0 || next.includes('get')) return;
	for (const verb of ['show', 'list']) if (next.includes(verb)) yield [...path, verb, ...rest];
}

/** `ticket 14`, `ticket 14 update`. */
function* linesWithoutVerb(path: Words, rest: Words): Generator<Words> {
	const [word = ''] = rest;
	const next = nextWords(path);
	const { owners = [] } = new Map<string, Read>(Object.entries(reads)).get(path.join(' ')) ?? {};
	const isId = /^#?\d+$/.test(word);
	const [, verb = '', ...more] = rest;
	// `ticket 14 update --status hold`
	if (isId && isVerb(verb)) yield* linesBelow(path, [verb, word, ...more]);
	if (isId && next.includes('get')) yield [...path, rest.length <= owners.length ? 'list' : 'get', ...rest];
}

function* linesBelow(group: Words, rest: Words): Generator<Words> {
	const [word] = rest;
	if (isCommand(group) || (word !== undefined && ourWord(group, word) !== undefined)) yield [...group, ...rest];
	if (word !== undefined) yield* linesTyped(group, rest);
}

function* linesOfNoun({ group, owner }: Noun, rest: Words): Generator<Words> {
	if (owner === undefined) yield* linesBelow(group, rest);
	else if (rest.length === 0) yield [...group, 'list', owner];
	else yield* linesBelow(group, [rest[0] as string, owner, ...rest.slice(1)]);
}

/** Or a command's own. */
function nounOf(word: string): Noun | undefined {
	const own = ourWord([], word);
	return nounMeant(word) ?? (own === undefined ? undefined : { group: [own] });
}

const FILE_OF_ROWS = /^-$|\.(?:csv|tsv|ndjson|jsonl|json|txt|ids|gz|xlsx?)$/i;
/** `to csv`, `tickets.xlsx` */
const SHEET = /^(?:to|as|into|a|excel|csv|xlsx?|.*\.(?:csv|tsv|xlsx?))$/i;
/** Also a saved plan. */
const RUN = /^(?:last|[\da-z]{5}|\d{8}(?:-[\w-]*)?|.*\.(?:ndjson|plan))$/i;

/** Undefined if a word for it is missing, or does not fit. */
function fill(template: string, args: Words): Words | undefined {
	const [first] = args;
	const last = args.length > 1 ? args.at(-1) : undefined;
	const fits: Readonly<Record<string, Words | undefined>> = {
		'{}': args,
		'{none}': args.length === 0 ? [] : undefined,
		'{first}': first === undefined || last === undefined ? undefined : [first],
		'{last}': last === undefined ? undefined : [last],
		'{id}': args.every((each) => /^#?\d+$/.test(each)) ? args : undefined,
		'{run}': args.some((each) => RUN.test(each)) ? args : undefined,
		'{sheet}': args.every((each) => SHEET.test(each)) ? [] : undefined,
		'{file}': first !== undefined && FILE_OF_ROWS.test(first) ? args : undefined,
		'{path}': first?.startsWith('/') === true ? args : undefined,
		'{site}': first !== undefined && /[.:]/.test(first) ? args : undefined,
	};
	const words: string[] = [];
	for (const word of template.split(' ')) {
		const put = word.startsWith('{') ? fits[word] : [word];
		if (put === undefined) return undefined;
		words.push(...put);
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

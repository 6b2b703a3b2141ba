/** What a command line that leads to no command may have meant: another word for a command, or one that the API does not document. */

import { didYouMean } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import { commands, startsWith } from './manifest.js';

/** Verbs of other tools, and ours for them, the likeliest first. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
	show: ['show', 'get', 'list'],
	view: ['show', 'get', 'list'],
	get: ['get', 'show', 'list'],
	read: ['get', 'show', 'list'],
	describe: ['show', 'get'],
	info: ['show', 'get'],
	list: ['list'],
	ls: ['list'],
	find: ['list'],
	search: ['list'],
	edit: ['edit', 'update', 'set'],
	update: ['update', 'set'],
	set: ['set', 'update'],
	change: ['update', 'set'],
	modify: ['update', 'set'],
	patch: ['update', 'set'],
	rename: ['rename', 'update', 'set'],
	rm: ['delete', 'remove', 'prune'],
	remove: ['remove', 'delete', 'prune'],
	delete: ['delete', 'remove', 'prune'],
	destroy: ['delete', 'remove'],
	trash: ['delete'],
	close: ['update'],
	assign: ['update'],
	add: ['create', 'set'],
	create: ['create', 'set'],
	new: ['create', 'set'],
	verify: ['check'],
	continue: ['resume'],
	revert: ['undo'],
	failed: ['rejects'],
	logs: ['show'],
	clean: ['prune'],
	log: ['show'],
	history: ['list'],
	status: ['show'],
	switch: ['use'],
	select: ['use'],
};

/** First words of other tools, and the commands that do it here. */
const NOUNS: Readonly<Record<string, string>> = {
	replies: 'reply',
	taxonomy: 'term',
	category: 'term',
	media: 'attachment',
	signin: 'login',
	auth: 'login',
	signout: 'logout',
	config: 'profile',
	request: 'api',
	mock: 'sandbox',
	demo: 'sandbox',
	check: 'user check',
	resume: 'run resume',
	retry: 'run retry',
	rejects: 'run rejects',
	undo: 'run undo',
	logs: 'run show',
	history: 'run list',
	me: 'whoami',
	product: 'term',
	priority: 'term',
	runs: 'run list',
	profiles: 'profile list',
};

/** What the API has, of which it documents no other requests. */
const RESOURCES: ReadonlySet<string> = new Set(['ticket', 'reply', 'user', 'attachment', 'term']);

const isKnown = (words: readonly string[]): boolean => commands.some((entry) => startsWith(entry, words));

/** The words that can stand behind `words`. */
function wordsBehind(words: readonly string[]): string[] {
	const next = commands.filter((each) => startsWith(each, words)).map((each) => each.words[words.length]);
	return [...new Set(next.filter((each) => each !== undefined))];
}

/** @param path the words that lead to a group; `word` leads nowhere from there, and `next` stands behind it */
export function unknownCommand(path: readonly string[], word: string, next?: string): UsageError {
	const under = path.length === 0 ? '' : ` under "${path.join(' ')}"`;
	const what = `unknown command ${JSON.stringify(word.slice(0, 60))}${under}`;
	const found = otherWord(path, word.toLowerCase());
	if (found !== undefined) {
		const isCommand = commands.some((entry) => entry.words.join(' ') === found.join(' '));
		// `users list` is about the list, not about the plural.
		if (!isCommand && path.length === 0 && next !== undefined && !next.startsWith('-')) {
			if (!isKnown([...found, next])) return unknownCommand(found, next);
			return refuse(what, `supportctl ${[...found, next].join(' ')} does that`);
		}
		return refuse(
			what,
			isCommand
				? `supportctl ${found.join(' ')} does that`
				: `supportctl ${found.join(' ')} --help lists what there is`,
		);
	}
	const verbs = VERBS[word.toLowerCase()];
	if (RESOURCES.has(path.join(' ')) && verbs !== undefined) {
		return refuse(
			`${what}: the documented API has no request for it`,
			`${commandsOf(path)}; for anything else: supportctl api --help`,
		);
	}
	const sameVerb = path.length === 0 && verbs !== undefined ? commandsWith(verbs) : [];
	if (sameVerb.length > 0) return refuse(what, `a command begins with what it is about: ${sameVerb.join(', ')}`);
	return refuse(
		`${what}${didYouMean(word, wordsBehind(path))}`,
		`supportctl ${[...path, '--help'].join(' ')} lists the commands`,
	);
}

const refuse = (message: string, hint: string): UsageError =>
	new UsageError(message, { code: 'unknown_command', hint });

/** Commands whose last word is one of some verbs. */
function commandsWith(verbs: readonly string[]): string[] {
	return commands.filter(({ words }) => verbs.includes(words.at(-1) as string)).map(({ words }) => words.join(' '));
}

const commandsOf = (path: readonly string[]): string => `there are ${wordsBehind(path).join(', ')}`;

/** The command or group that another tool calls by this word. */
function otherWord(path: readonly string[], word: string): string[] | undefined {
	if (path.length > 0) {
		const verb = VERBS[word]?.find((each) => isKnown([...path, each]));
		return verb === undefined ? undefined : [...path, verb];
	}
	const noun = NOUNS[word] ?? (word.endsWith('s') && isKnown([word.slice(0, -1)]) ? word.slice(0, -1) : undefined);
	return noun?.split(' ');
}

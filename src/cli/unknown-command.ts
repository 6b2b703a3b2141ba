/** What words that lead to no command may have meant: another tool's word for one of ours, or one that the API does not document. */

import { didYouMean } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import { commands, startsWith } from './manifest.js';

/** Verbs of other tools, and ours for them, the likeliest first. */
const VERBS: readonly (readonly [typed: string, ours: string])[] = [
	['show view get read describe info log logs status', 'get show list'],
	['list ls find search history', 'list'],
	['update edit set change modify patch rename close assign', 'update set edit'],
	['delete rm remove destroy trash clean', 'delete remove prune'],
	['create new add', 'set'],
	['verify', 'check'],
	['continue', 'resume'],
	['revert', 'undo'],
	['failed', 'rejects'],
	['switch select', 'use'],
];

/** First words of other tools, and ours. */
const NOUNS: readonly (readonly [typed: string, ours: string])[] = [
	['replies', 'reply'],
	['taxonomy category product priority', 'term'],
	['media', 'attachment'],
	['signin auth', 'login'],
	['signout', 'logout'],
	['config', 'profile'],
	['request', 'api'],
	['mock demo', 'sandbox'],
	['me', 'whoami'],
	['check', 'user check'],
	['resume', 'run resume'],
	['retry', 'run retry'],
	['rejects', 'run rejects'],
	['undo', 'run undo'],
	['history', 'run list'],
	['logs', 'run show'],
];

const oursFor = (table: typeof VERBS, word: string): string[] =>
	table.find(([typed]) => typed.split(' ').includes(word))?.[1].split(' ') ?? [];

/** @param path the words that lead to a group; `word` leads nowhere from there, and `next` stands behind it */
export function unknownCommand(path: readonly string[], word: string, next = ''): UsageError {
	const isKnown = (words: readonly string[]): boolean => commands.some((entry) => startsWith(entry, words));
	const verbs = oursFor(VERBS, word.toLowerCase());
	let noun = oursFor(NOUNS, word.toLowerCase());
	if (noun.length === 0 && isKnown([word.toLowerCase().replace(/s$/, '')])) noun = [word.toLowerCase().slice(0, -1)];
	const meant = path.length > 0 ? verbs.map((verb) => [...path, verb]) : noun.length > 0 ? [[...noun, next], noun] : [];
	const found = meant.find(isKnown);
	const sameVerb = commands.filter(({ words }) => path.length === 0 && verbs.includes(words.at(-1) as string));
	let hint = `supportctl ${[...path, '--help'].join(' ')} lists the commands`;
	if (found !== undefined) {
		const isCommand = commands.some(({ words }) => words.join(' ') === found.join(' '));
		hint = `supportctl ${found.join(' ')} ${isCommand ? 'does that' : '--help lists what there is'}`;
	} else if (sameVerb.length > 0) {
		hint = `a command begins with what it is about: ${sameVerb.map(({ words }) => words.join(' ')).join(', ')}`;
	} else if (verbs.length > 0) {
		hint = `the documented API has no request for it; ${hint}, and supportctl api sends any request`;
	}
	const behind = commands.flatMap((entry) => (startsWith(entry, path) ? [entry.words[path.length] as string] : []));
	const under = path.length === 0 ? '' : ` under "${path.join(' ')}"`;
	const nearest = found === undefined ? didYouMean(word, behind) : '';
	return new UsageError(`unknown command ${JSON.stringify(word.slice(0, 60))}${under}${nearest}`, {
		code: 'unknown_command',
		hint,
	});
}

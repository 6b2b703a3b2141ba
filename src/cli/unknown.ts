/** What words and flags that are unknown may have meant: the nearest name, or what another tool calls one of ours. */

import { didYouMean } from '../api/suggest.js';
import { UsageError } from '../errors.js';
import { isSecretName } from '../output/redact.js';
import { commands, commandsBelow, nextWords } from './manifest.js';

/** Our words, the likeliest first, and words of other tools for them. */
const SYNONYMS: readonly (readonly [ours: readonly string[], typed: string])[] = [
	[['get', 'show', 'list'], 'show view get read describe info log logs status'],
	[['list'], 'ls find search history'],
	[['update', 'set', 'edit'], 'update edit set change modify patch rename close assign'],
	[['delete', 'remove', 'prune'], 'delete rm remove destroy trash clean'],
	[['set'], 'create new add'],
	[['check', 'user check'], 'verify check'],
	[['resume', 'run resume'], 'continue resume'],
	[['undo', 'run undo'], 'revert undo'],
	[['rejects', 'run rejects'], 'failed rejects'],
	[['use'], 'switch select'],
	[['reply'], 'replies'],
	[['term'], 'taxonomy category product priority'],
	[['attachment'], 'media'],
	[['login'], 'signin auth'],
	[['logout'], 'signout'],
	[['profile'], 'config'],
	[['api'], 'request'],
	[['sandbox'], 'mock demo'],
	[['whoami'], 'me'],
	[['run retry'], 'retry'],
	[['run list'], 'history'],
	[['run show'], 'logs'],
];

/** @param path the words of a group; `word` is no command in it, and `next` stands behind it */
export function unknownCommand(path: readonly string[], word: string, next = ''): UsageError {
	const typed = word.toLowerCase();
	const ours = SYNONYMS.flatMap(([names, others]) => (others.split(' ').includes(typed) ? names : []));
	const meant = [...ours, typed.replace(/s$/, '')].map((name) => [...path, ...name.split(' ')]);
	const found = meant.flatMap((words) => [[...words, next], words]).find((words) => commandsBelow(words).length > 0);
	const sameVerb = commands.filter(({ words }) => path.length === 0 && ours.includes(words.at(-1) as string));
	let hint = `supportctl ${[...path, '--help'].join(' ')} lists the commands`;
	if (found !== undefined) {
		const isCommand = commandsBelow(found)[0]?.words.length === found.length;
		hint = `supportctl ${found.join(' ')} ${isCommand ? 'does that' : '--help lists what there is'}`;
	} else if (sameVerb.length > 0) {
		hint = `a command begins with what it is about: ${sameVerb.map(({ words }) => words.join(' ')).join(', ')}`;
	} else if (ours.length > 0) {
		hint = `the documented API has no request for it; ${hint}, and supportctl api sends any request`;
	}
	const nearest = found === undefined ? didYouMean(word, nextWords(path)) : '';
	const under = path.length === 0 ? '' : ` under "${path.join(' ')}"`;
	const message = `unknown command ${JSON.stringify(word.slice(0, 60))}${under}${nearest}`;
	return new UsageError(message, { code: 'unknown_command', hint });
}

/** For a flag without the command that it is for: a script must not take that for success. */
export function missingCommand(path: readonly string[]): UsageError {
	const name = path.join(' ');
	const message = `"${name}" alone is not a command; it continues with one of ${nextWords(path).join(', ')}`;
	return new UsageError(message, { code: 'missing_command', hint: `supportctl ${name} --help lists the commands` });
}

/** @param known long flags, of which the nearest is suggested */
export function unknownFlag(given: string, known: readonly string[], hint: string): UsageError {
	const flag = given.split('=')[0] as string;
	if (isSecretName(flag.replace(/^-+/, ''))) {
		return new UsageError(`a secret never comes from a flag, where other users of the machine could read it: ${flag}`, {
			code: 'secret_on_command_line',
			hint: 'use --password-stdin where the command has it, or leave it out to be asked',
		});
	}
	return new UsageError(`unknown flag ${flag.slice(0, 60)}${didYouMean(flag, known)}`, { code: 'unknown_flag', hint });
}

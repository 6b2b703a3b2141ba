/** Every command's words, and where it is loaded from. */

import type { EndpointName } from '../api/endpoints.js';
import type { EditNoun, Noun } from '../api/reads.js';
import type { CommandSpec } from './command.js';
import { findOption, takesValue } from './options/option.js';
import { otherWords } from './words.js';

export interface CommandEntry {
	/** `ticket`, `fields`, `get` */
	readonly words: readonly string[];
	load(): Promise<CommandSpec>;
}

type Load = (words: string) => Promise<CommandSpec>;

const objects = () => import('./commands/objects.js');
const send: Load = async (words) => (await objects()).writeCommand(words);
const list = (noun: Noun) => async () => (await objects()).listCommand(noun);
const get = (noun: EditNoun) => async () => (await objects()).getCommand(noun);
const history = (noun: EditNoun) => async () => (await import('./commands/history.js')).historyCommand(noun);
const edit = (noun: EditNoun) => async () => (await objects()).editCommand(noun);

const profile = () => import('./commands/profile.js');
const again = () => import('./commands/run/again.js');
const only = (file: () => Promise<{ command: CommandSpec }>) => async () => (await file()).command;

type Spaced<Name extends string> = Name extends `${infer First}.${infer Rest}` ? `${First} ${Spaced<Rest>}` : Name;

/** An endpoint, or a kind of object, that lacks a command does not compile. */
type Required = Spaced<EndpointName> | `${EditNoun} ${'list' | 'get' | 'history' | 'edit'}`;

/** In the order of help; `help/commands.md` says what they do. */
const table = {
	'ticket update': send,
	'ticket edit': edit('ticket'),
	'ticket delete': send,
	'ticket fields set': send,
	'reply update': send,
	'reply edit': edit('reply'),
	'reply delete': send,
	'user update': send,
	'user edit': edit('user'),
	'user delete': send,
	'user password delete': send,
	'attachment update': send,
	'attachment edit': edit('attachment'),
	'term update': send,
	'term edit': edit('term'),
	'term delete': send,
	'ticket fields get': send,
	'ticket list': list('ticket'),
	'ticket get': get('ticket'),
	'ticket history': history('ticket'),
	'reply list': list('reply'),
	'reply get': get('reply'),
	'reply history': history('reply'),
	'user id': send,
	'user check': only(() => import('./commands/user/check.js')),
	'user list': list('user'),
	'user get': get('user'),
	'user history': history('user'),
	'user password list': list('password'),
	whoami: async () => (await objects()).whoamiCommand(),
	'attachment list': list('attachment'),
	'attachment get': get('attachment'),
	'attachment history': history('attachment'),
	'term list': list('term'),
	'term get': get('term'),
	'term history': history('term'),
	login: only(() => import('./commands/login.js')),
	logout: async () => (await profile()).logout,
	'profile list': async () => (await profile()).list,
	'profile show': async () => (await profile()).show,
	'profile use': async () => (await profile()).use,
	'profile set': async () => (await profile()).set,
	'profile rename': async () => (await profile()).rename,
	'profile remove': async () => (await profile()).remove,
	'profile path': async () => (await profile()).path,
	doctor: only(() => import('./commands/doctor.js')),
	'run list': only(() => import('./commands/run/list.js')),
	'run show': only(() => import('./commands/run/show.js')),
	'run resume': async () => (await again()).resume,
	'run retry': async () => (await again()).retry,
	'run rejects': only(() => import('./commands/run/rejects.js')),
	'run apply': only(() => import('./commands/run/apply.js')),
	'run undo': async () => (await again()).undo,
	'run prune': only(() => import('./commands/run/prune.js')),
	api: only(() => import('./commands/api.js')),
	sandbox: only(() => import('./commands/sandbox.js')),
	completion: only(() => import('./commands/completion.js')),
	version: only(() => import('./commands/version.js')),
} as const satisfies Readonly<Record<string, Load>> & Readonly<Record<Required, Load>>;

export const commands: readonly CommandEntry[] = Object.entries(table).map(([words, load]) => ({
	words: words.split(' '),
	load: () => load(words),
}));

export function commandsBelow(path: readonly string[]): CommandEntry[] {
	return commands.filter(({ words }) => path.every((word, index) => words[index] === word));
}

/** The words with which commands go on after these. */
export function nextWords(path: readonly string[]): string[] {
	return [...new Set(commandsBelow(path).flatMap(({ words }) => words.slice(path.length, path.length + 1)))];
}

/** @param word perhaps a different tool's */
export function ourWord(path: readonly string[], word: string): string | undefined {
	const below = commandsBelow(path);
	const fits = (each: string): boolean => below.some(({ words }) => words[path.length] === each);
	return [word, ...(otherWords.get(word) ?? [])].find(fits);
}

/** The words with ours for those of other tools, as far as they are known. */
export function ourPath(words: readonly string[]): string[] {
	const path: string[] = [];
	for (const word of words) path.push(ourWord(path, word) ?? word);
	return path;
}

/** Where a command line leads. @returns `entry` if the words are a command's; `flags` before its last word, with their values */
export async function findCommand(words: readonly string[]) {
	let entry: CommandEntry | undefined;
	let path: string[] = [];
	const flags: string[] = [];
	let at = 0;
	for (; at < words.length && entry === undefined; at++) {
		const word = words[at] as string;
		if (['--help', '-h', '--'].includes(word)) {
			flags.push(word);
		} else if (word.startsWith('-')) {
			const option = findOption((await import('./options/shared.js')).leadingOptions, word);
			if (option === undefined) break;
			const ends = takesValue(option) && !word.includes('=') ? at + 1 : at;
			flags.push(...words.slice(at, ends + 1));
			at = ends;
		} else {
			const ours = ourWord(path, word);
			if (ours === undefined) break;
			path = [...path, ours];
			entry = commandsBelow(path).find((each) => each.words.length === path.length);
		}
	}
	return { entry, path, flags, rest: words.slice(at) };
}

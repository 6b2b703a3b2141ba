/** Every command's words and summary, and where it is loaded from. */

import type { EditNoun, Noun } from '../api/reads.js';
import type { CommandSpec } from './command.js';
import { findOption, takesValue } from './options/option.js';
import { otherWords } from './words.js';

export interface CommandEntry {
	/** ['ticket', 'fields', 'get'] */
	readonly words: readonly string[];
	/** Without a period. */
	readonly summary: string;
	readonly group: string;
	load(): Promise<CommandSpec>;
}

type Load = (words: string) => Promise<CommandSpec>;

const objects = () => import('./commands/objects.js');
const send: Load = async (words) => (await objects()).send(words);
const list = (noun: Noun) => async () => (await objects()).list(noun);
const get = (noun: EditNoun) => async () => (await objects()).get(noun);
const edit = (noun: EditNoun) => async () => (await objects()).edit(noun);

const profile = () => import('./commands/profile.js');
const again = () => import('./commands/run/again.js');
const only = (file: () => Promise<{ command: CommandSpec }>) => async () => (await file()).command;

const table: Readonly<Record<string, readonly (readonly [words: string, summary: string, load: Load])[]>> = {
	'Edit and delete': [
		['ticket update', 'Update tickets', send],
		['ticket edit', 'Edit a ticket in your editor', edit('ticket')],
		['ticket delete', 'Move tickets to the trash, or delete them', send],
		['ticket fields set', 'Set custom fields of tickets', send],
		['reply update', 'Update replies', send],
		['reply edit', 'Edit a reply in your editor', edit('reply')],
		['reply delete', 'Move replies to the trash, or delete them', send],
		['user update', 'Update users', send],
		['user edit', 'Edit a user in your editor', edit('user')],
		['user delete', 'Delete users and reassign their posts', send],
		['user password delete', 'Delete application passwords', send],
		['attachment update', 'Update attachments', send],
		['attachment edit', 'Edit an attachment in your editor', edit('attachment')],
		['term update', 'Update terms', send],
		['term edit', 'Edit a term in your editor', edit('term')],
		['term delete', 'Delete terms', send],
	],
	'Look up and check': [
		['ticket fields get', 'Show custom fields of tickets', send],
		['ticket list', 'List tickets', list('ticket')],
		['ticket get', 'Show tickets', get('ticket')],
		['reply list', 'List the replies to a ticket', list('reply')],
		['reply get', 'Show replies to a ticket', get('reply')],
		['user id', 'Look up user IDs by username', send],
		['user check', 'Check a username and password', only(() => import('./commands/user/check.js'))],
		['user list', 'List users', list('user')],
		['user get', 'Show users', get('user')],
		['user password list', 'List application passwords', list('password')],
		['whoami', 'Show your account', async () => (await objects()).whoami()],
		['attachment list', 'List attachments', list('attachment')],
		['attachment get', 'Show attachments', get('attachment')],
		['term list', 'List the terms of a taxonomy', list('term')],
		['term get', 'Show terms of a taxonomy', get('term')],
	],
	'Sign in and settings': [
		['login', 'Sign in to a help desk', only(() => import('./commands/login.js'))],
		['logout', 'Remove the stored secret of a profile', async () => (await profile()).logout],
		['profile list', 'List profiles', async () => (await profile()).list],
		['profile show', 'Show settings and where they come from', async () => (await profile()).show],
		['profile use', 'Switch to a profile', async () => (await profile()).use],
		['profile set', 'Create or change a profile', async () => (await profile()).set],
		['profile rename', 'Rename a profile', async () => (await profile()).rename],
		['profile remove', 'Remove a profile and its secret', async () => (await profile()).remove],
		['profile path', 'Print the path of the profile file', async () => (await profile()).path],
		['doctor', "Find out why something isn't working", only(() => import('./commands/doctor.js'))],
	],
	Runs: [
		['run list', 'List runs', only(() => import('./commands/run/list.js'))],
		['run show', 'Show a run, or several combined', only(() => import('./commands/run/show.js'))],
		['run resume', 'Send the unfinished rows of a run', async () => (await again()).resume],
		['run retry', 'Send the failed rows of a run again', async () => (await again()).retry],
		['run rejects', 'Export failed rows with their errors', only(() => import('./commands/run/rejects.js'))],
		['run apply', 'Send the rows of a saved plan', only(() => import('./commands/run/apply.js'))],
		['run undo', 'Restore the old values of a run', async () => (await again()).undo],
		['run prune', 'Remove old journals', only(() => import('./commands/run/prune.js'))],
	],
	Tools: [
		['api', 'Send any request to the API', only(() => import('./commands/api.js'))],
		['sandbox', 'Run a local mock API with sample data', only(() => import('./commands/sandbox.js'))],
		['completion', 'Print a shell completion script', only(() => import('./commands/completion.js'))],
		['version', 'Print the version', only(() => import('./commands/version.js'))],
	],
};

export const commands: readonly CommandEntry[] = Object.entries(table).flatMap(([group, rows]) =>
	rows.map(([words, summary, load]) => ({ words: words.split(' '), group, summary, load: () => load(words) })),
);

export function commandsBelow(path: readonly string[]): CommandEntry[] {
	return commands.filter(({ words }) => path.every((word, index) => words[index] === word));
}

/** The words that may follow these. */
export function nextWords(path: readonly string[]): string[] {
	return [...new Set(commandsBelow(path).flatMap(({ words }) => words.slice(path.length, path.length + 1)))];
}

/** The next word, which may be a different tool's. */
export function ourWord(path: readonly string[], word: string): string | undefined {
	const next = nextWords(path);
	return [word, ...(otherWords.get(word) ?? [])].find((each) => next.includes(each));
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

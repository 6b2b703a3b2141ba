/** Every command's words, its one-line summary, and where its file is; nothing is loaded until it is needed. */

import type { CommandSpec } from './command.js';
import { findOption, takesValue } from './options/option.js';

export interface CommandEntry {
	/** What a person types, for instance ['ticket', 'fields', 'get']. */
	readonly words: readonly string[];
	/** What it does, without a full stop; lists of commands show it, and help begins with it. */
	readonly summary: string;
	/** The heading in the overview. */
	readonly group: string;
	load(): Promise<CommandSpec>;
}

const WRITE = 'Edit and delete';
const LOOK = 'Look up and check';
const SETUP = 'Sign in and settings';
const RUNS = 'Runs';
const TOOLS = 'Tools';

const ticket = () => import('./commands/ticket.js');
const reply = () => import('./commands/reply.js');
const user = () => import('./commands/user.js');
const attachment = () => import('./commands/attachment.js');
const term = () => import('./commands/term.js');
const runs = () => import('./commands/run/list.js');
const again = () => import('./commands/run/again.js');
const profile = () => import('./commands/profile.js');

const table: readonly (readonly [words: string, group: string, summary: string, load: CommandEntry['load']])[] = [
	['ticket update', WRITE, 'Change fields of tickets', async () => (await ticket()).update()],
	['ticket edit', WRITE, 'Edit a ticket in an editor', async () => (await ticket()).edit()],
	[
		'ticket delete',
		WRITE,
		'Move tickets to the trash, or delete them permanently',
		async () => (await ticket()).remove(),
	],
	['ticket fields set', WRITE, 'Set custom fields of tickets', async () => (await ticket()).setFields()],
	['ticket fields get', LOOK, 'Read custom fields of tickets', async () => (await ticket()).getFields()],
	['ticket list', LOOK, 'List tickets', async () => (await ticket()).list()],
	['ticket get', LOOK, 'Show tickets', async () => (await ticket()).get()],
	['reply update', WRITE, 'Change fields of replies', async () => (await reply()).update()],
	['reply edit', WRITE, 'Edit a reply in an editor', async () => (await reply()).edit()],
	[
		'reply delete',
		WRITE,
		'Move replies to the trash, or delete them permanently',
		async () => (await reply()).remove(),
	],
	['reply list', LOOK, 'List the replies of a ticket', async () => (await reply()).list()],
	['reply get', LOOK, 'Show replies of a ticket', async () => (await reply()).get()],
	['user update', WRITE, 'Change fields of users', async () => (await user()).update()],
	['user edit', WRITE, 'Edit a user in an editor', async () => (await user()).edit()],
	['user delete', WRITE, 'Delete users permanently and reassign their posts', async () => (await user()).remove()],
	[
		'user password delete',
		WRITE,
		'Delete application passwords of a user',
		async () => (await user()).deletePasswords(),
	],
	['user id', LOOK, 'Look up the ids of user names', async () => (await user()).findIds()],
	[
		'user check',
		LOOK,
		"Check a user's name and password, once",
		async () => (await import('./commands/user/check.js')).command,
	],
	['user list', LOOK, 'List users', async () => (await user()).list()],
	['user get', LOOK, 'Show users', async () => (await user()).get()],
	['user password list', LOOK, 'List the application passwords of a user', async () => (await user()).listPasswords()],
	['whoami', LOOK, 'Show the account that is signed in', async () => (await user()).whoami()],
	['attachment update', WRITE, 'Change fields of attachments', async () => (await attachment()).update()],
	['attachment edit', WRITE, 'Edit an attachment in an editor', async () => (await attachment()).edit()],
	['attachment list', LOOK, 'List attachments', async () => (await attachment()).list()],
	['attachment get', LOOK, 'Show attachments', async () => (await attachment()).get()],
	['term update', WRITE, 'Change fields of terms', async () => (await term()).update()],
	['term edit', WRITE, 'Edit a term in an editor', async () => (await term()).edit()],
	['term delete', WRITE, 'Delete terms permanently', async () => (await term()).remove()],
	['term list', LOOK, 'List the terms of a taxonomy', async () => (await term()).list()],
	['term get', LOOK, 'Show terms of a taxonomy', async () => (await term()).get()],
	[
		'login',
		SETUP,
		'Sign in: check credentials and store them as a profile',
		async () => (await import('./commands/login.js')).command,
	],
	['logout', SETUP, 'Remove the secret of a profile', async () => (await profile()).logout],
	['profile list', SETUP, 'List the stored profiles; * marks the current one', async () => (await profile()).list],
	['profile show', SETUP, 'Show the current settings and where each comes from', async () => (await profile()).show],
	['profile use', SETUP, 'Choose the current profile', async () => (await profile()).use],
	['profile set', SETUP, 'Create or change a profile', async () => (await profile()).set],
	['profile rename', SETUP, 'Rename a profile', async () => (await profile()).rename],
	['profile remove', SETUP, 'Remove a profile and its secret', async () => (await profile()).remove],
	['profile path', SETUP, 'Print the path of the file of profiles', async () => (await profile()).path],
	['run list', RUNS, 'List runs, the newest first', async () => (await runs()).list],
	['run show', RUNS, 'Show a run, or several together', async () => (await import('./commands/run/show.js')).command],
	['run resume', RUNS, 'Resume a run: send the rows that are not done', async () => (await again()).resume],
	['run retry', RUNS, 'Retry the failed rows of a run, as a new run', async () => (await again()).retry],
	[
		'run rejects',
		RUNS,
		'Export failed rows, with the reason of each',
		async () => (await import('./commands/run/rejects.js')).command,
	],
	['run undo', RUNS, 'Revert a run that was made with --snapshot', async () => (await again()).undo],
	['run prune', RUNS, 'Remove the journals of old runs', async () => (await runs()).prune],
	[
		'doctor',
		SETUP,
		'Check settings, network, service and credentials',
		async () => (await import('./commands/doctor.js')).command,
	],
	['api', TOOLS, 'Send any request to the API', async () => (await import('./commands/api.js')).command],
	[
		'sandbox',
		TOOLS,
		'Run a local mock API with sample data',
		async () => (await import('./commands/sandbox.js')).command,
	],
	[
		'completion',
		TOOLS,
		'Print a shell completion script',
		async () => (await import('./commands/completion.js')).command,
	],
];

export const commands: readonly CommandEntry[] = table.map(([words, group, summary, load]) => {
	return { words: words.split(' '), group, summary, load };
});

/** Whether `words` begin the words of a command. */
export function startsWith(entry: CommandEntry, words: readonly string[]): boolean {
	return words.every((word, index) => entry.words[index] === word);
}

/** Where a command line leads. */
export interface Found {
	/** Undefined where the words are those of a group, or of nothing. */
	entry: CommandEntry | undefined;
	/** The words of the command or the group. */
	path: string[];
	/** Flags before the command's last word, with their values: those that commands share, and --help. */
	flags: string[];
	/** What follows. */
	rest: string[];
}

/** Follows the words; the flags that may stand before a command and between its words are loaded where one does. */
export async function findCommand(words: readonly string[]): Promise<Found> {
	const found: Found = { entry: undefined, path: [], flags: [], rest: [] };
	let at = 0;
	for (; at < words.length && found.entry === undefined; at++) {
		const word = words[at] as string;
		if (['--help', '-h', '--'].includes(word)) {
			found.flags.push(word);
		} else if (word.startsWith('-')) {
			const option = findOption((await import('./options/shared.js')).leadingOptions, word);
			if (option === undefined) break;
			const ends = takesValue(option) && !word.includes('=') ? at + 1 : at;
			found.flags.push(...words.slice(at, ends + 1));
			at = ends;
		} else {
			const path = [...found.path, word];
			const inside = commands.filter((each) => startsWith(each, path));
			if (inside.length === 0) break;
			found.path = path;
			found.entry = inside.find((each) => each.words.length === path.length);
		}
	}
	found.rest = words.slice(at);
	return found;
}

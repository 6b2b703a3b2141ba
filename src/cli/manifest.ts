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

/** @param load imports the command: a file's `command`, or one of a noun's commands */
function entry(
	words: string,
	group: string,
	summary: string,
	load: () => Promise<CommandSpec | { command: CommandSpec }>,
): CommandEntry {
	return {
		words: words.split(' '),
		group,
		summary,
		async load() {
			const loaded = await load();
			return 'command' in loaded ? loaded.command : loaded;
		},
	};
}

const ticket = () => import('./commands/ticket.js');
const reply = () => import('./commands/reply.js');
const user = () => import('./commands/user.js');
const attachment = () => import('./commands/attachment.js');
const term = () => import('./commands/term.js');
const runs = () => import('./commands/run/list.js');
const again = () => import('./commands/run/again.js');
const profile = () => import('./commands/profile.js');

export const commands: readonly CommandEntry[] = [
	entry('ticket update', WRITE, 'Change fields of tickets', async () => (await ticket()).update()),
	entry('ticket edit', WRITE, 'Edit a ticket in an editor', async () => (await ticket()).edit()),
	entry('ticket delete', WRITE, 'Move tickets to the trash, or delete them permanently', async () =>
		(await ticket()).remove(),
	),
	entry('ticket fields set', WRITE, 'Set custom fields of tickets', async () => (await ticket()).setFields()),
	entry('ticket fields get', LOOK, 'Read custom fields of tickets', async () => (await ticket()).getFields()),
	entry('ticket list', LOOK, 'List tickets', async () => (await ticket()).list()),
	entry('ticket get', LOOK, 'Show tickets', async () => (await ticket()).get()),
	entry('reply update', WRITE, 'Change fields of replies', async () => (await reply()).update()),
	entry('reply edit', WRITE, 'Edit a reply in an editor', async () => (await reply()).edit()),
	entry('reply delete', WRITE, 'Move replies to the trash, or delete them permanently', async () =>
		(await reply()).remove(),
	),
	entry('reply list', LOOK, 'List the replies of a ticket', async () => (await reply()).list()),
	entry('reply get', LOOK, 'Show replies of a ticket', async () => (await reply()).get()),
	entry('user update', WRITE, 'Change fields of users', async () => (await user()).update()),
	entry('user edit', WRITE, 'Edit a user in an editor', async () => (await user()).edit()),
	entry('user delete', WRITE, 'Delete users permanently and reassign their posts', async () => (await user()).remove()),
	entry('user password delete', WRITE, 'Delete application passwords of a user', async () =>
		(await user()).deletePasswords(),
	),
	entry('user id', LOOK, 'Look up the ids of user names', async () => (await user()).findIds()),
	entry('user check', LOOK, "Check a user's name and password, once", () => import('./commands/user/check.js')),
	entry('user list', LOOK, 'List users', async () => (await user()).list()),
	entry('user get', LOOK, 'Show users', async () => (await user()).get()),
	entry('user password list', LOOK, 'List the application passwords of a user', async () =>
		(await user()).listPasswords(),
	),
	entry('whoami', LOOK, 'Show the account that is signed in', async () => (await user()).whoami()),
	entry('attachment update', WRITE, 'Change fields of attachments', async () => (await attachment()).update()),
	entry('attachment edit', WRITE, 'Edit an attachment in an editor', async () => (await attachment()).edit()),
	entry('attachment list', LOOK, 'List attachments', async () => (await attachment()).list()),
	entry('attachment get', LOOK, 'Show attachments', async () => (await attachment()).get()),
	entry('term update', WRITE, 'Change fields of terms', async () => (await term()).update()),
	entry('term edit', WRITE, 'Edit a term in an editor', async () => (await term()).edit()),
	entry('term delete', WRITE, 'Delete terms permanently', async () => (await term()).remove()),
	entry('term list', LOOK, 'List the terms of a taxonomy', async () => (await term()).list()),
	entry('term get', LOOK, 'Show terms of a taxonomy', async () => (await term()).get()),
	entry('login', SETUP, 'Sign in: check credentials and store them as a profile', () => import('./commands/login.js')),
	entry('logout', SETUP, 'Remove the secret of a profile', async () => (await profile()).logout),
	entry('profile list', SETUP, 'List the stored profiles; * marks the current one', async () => (await profile()).list),
	entry(
		'profile show',
		SETUP,
		'Show the current settings and where each comes from',
		async () => (await profile()).show,
	),
	entry('profile use', SETUP, 'Choose the current profile', async () => (await profile()).use),
	entry('profile set', SETUP, 'Create or change a profile', async () => (await profile()).set),
	entry('profile rename', SETUP, 'Rename a profile', async () => (await profile()).rename),
	entry('profile remove', SETUP, 'Remove a profile and its secret', async () => (await profile()).remove),
	entry('profile path', SETUP, 'Print the path of the file of profiles', async () => (await profile()).path),
	entry('run list', RUNS, 'List runs, the newest first', async () => (await runs()).list),
	entry('run show', RUNS, 'Show a run, or several together', () => import('./commands/run/show.js')),
	entry('run resume', RUNS, 'Resume a run: send the rows that are not done', async () => (await again()).resume),
	entry('run retry', RUNS, 'Retry the failed rows of a run, as a new run', async () => (await again()).retry),
	entry('run rejects', RUNS, 'Export failed rows, with the reason of each', () => import('./commands/run/rejects.js')),
	entry('run undo', RUNS, 'Revert a run that was made with --snapshot', async () => (await again()).undo),
	entry('run prune', RUNS, 'Remove the journals of old runs', async () => (await runs()).prune),
	entry('doctor', SETUP, 'Check settings, network, service and credentials', () => import('./commands/doctor.js')),
	entry('api', TOOLS, 'Send any request to the API', () => import('./commands/api.js')),
	entry('sandbox', TOOLS, 'Run a local mock API with sample data', () => import('./commands/sandbox.js')),
	entry('completion', TOOLS, 'Print a shell completion script', () => import('./commands/completion.js')),
];

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

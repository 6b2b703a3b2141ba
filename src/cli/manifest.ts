/** Every command's words, its one-line summary, and where its file is; nothing is loaded until it is needed. */

import type { CommandSpec } from './command.js';

export interface CommandEntry {
	/** What a person types, for instance ['ticket', 'fields', 'get']. */
	readonly words: readonly string[];
	/** One line for lists of commands. */
	readonly summary: string;
	/** The heading in the overview. */
	readonly group: string;
	load(): Promise<{ command: CommandSpec }>;
}

const WRITE = 'Edit and delete';
const LOOK = 'Look up and check';
const SETUP = 'Sign in and settings';
const RUNS = 'Runs';
const TOOLS = 'Tools';

const entry = (words: string, group: string, summary: string, load: CommandEntry['load']): CommandEntry => ({
	words: words.split(' '),
	group,
	summary,
	load,
});

export const commands: readonly CommandEntry[] = [
	entry('ticket update', WRITE, 'Change fields of tickets', () => import('./commands/ticket/update.js')),
	entry('ticket edit', WRITE, 'Edit a ticket in an editor', () => import('./commands/ticket/edit.js')),
	entry(
		'ticket delete',
		WRITE,
		'Move tickets to the trash, or delete them permanently',
		() => import('./commands/ticket/delete.js'),
	),
	entry('ticket fields set', WRITE, 'Set custom fields of tickets', () => import('./commands/ticket/fields/set.js')),
	entry('ticket fields get', LOOK, 'Read custom fields of tickets', () => import('./commands/ticket/fields/get.js')),
	entry('ticket list', LOOK, 'List tickets', () => import('./commands/ticket/list.js')),
	entry('ticket get', LOOK, 'Show tickets', () => import('./commands/ticket/get.js')),
	entry('reply update', WRITE, 'Change fields of replies', () => import('./commands/reply/update.js')),
	entry('reply edit', WRITE, 'Edit a reply in an editor', () => import('./commands/reply/edit.js')),
	entry(
		'reply delete',
		WRITE,
		'Move replies to the trash, or delete them permanently',
		() => import('./commands/reply/delete.js'),
	),
	entry('reply list', LOOK, 'List the replies of a ticket', () => import('./commands/reply/list.js')),
	entry('reply get', LOOK, 'Show replies of a ticket', () => import('./commands/reply/get.js')),
	entry('user update', WRITE, 'Change fields of users', () => import('./commands/user/update.js')),
	entry('user edit', WRITE, 'Edit a user in an editor', () => import('./commands/user/edit.js')),
	entry('user delete', WRITE, 'Delete users and reassign their posts', () => import('./commands/user/delete.js')),
	entry(
		'user password delete',
		WRITE,
		'Delete application passwords of a user',
		() => import('./commands/user/password/delete.js'),
	),
	entry('user id', LOOK, 'Look up the ids of user names', () => import('./commands/user/id.js')),
	entry('user check', LOOK, "Check a user's credentials", () => import('./commands/user/check.js')),
	entry('user list', LOOK, 'List users', () => import('./commands/user/list.js')),
	entry('user get', LOOK, 'Show users', () => import('./commands/user/get.js')),
	entry(
		'user password list',
		LOOK,
		'List the application passwords of a user',
		() => import('./commands/user/password/list.js'),
	),
	entry('whoami', LOOK, 'Show the account that is signed in', () => import('./commands/whoami.js')),
	entry('attachment update', WRITE, 'Change fields of attachments', () => import('./commands/attachment/update.js')),
	entry('attachment edit', WRITE, 'Edit an attachment in an editor', () => import('./commands/attachment/edit.js')),
	entry('attachment list', LOOK, 'List attachments', () => import('./commands/attachment/list.js')),
	entry('attachment get', LOOK, 'Show attachments', () => import('./commands/attachment/get.js')),
	entry('term update', WRITE, 'Change fields of terms', () => import('./commands/term/update.js')),
	entry('term edit', WRITE, 'Edit a term in an editor', () => import('./commands/term/edit.js')),
	entry('term delete', WRITE, 'Delete terms', () => import('./commands/term/delete.js')),
	entry('term list', LOOK, 'List the terms of a taxonomy', () => import('./commands/term/list.js')),
	entry('term get', LOOK, 'Show terms of a taxonomy', () => import('./commands/term/get.js')),
	entry('login', SETUP, 'Sign in: check credentials and store them as a profile', () => import('./commands/login.js')),
	entry('logout', SETUP, 'Remove the secret of a profile', () => import('./commands/logout.js')),
	entry('profile list', SETUP, 'List the stored profiles', () => import('./commands/profile/list.js')),
	entry(
		'profile show',
		SETUP,
		'Show the current settings and where each comes from',
		() => import('./commands/profile/show.js'),
	),
	entry('profile use', SETUP, 'Choose the current profile', () => import('./commands/profile/use.js')),
	entry('profile set', SETUP, 'Create or change a profile', () => import('./commands/profile/set.js')),
	entry('profile remove', SETUP, 'Remove a profile and its secret', () => import('./commands/profile/remove.js')),
	entry('profile path', SETUP, 'Print the path of the file of profiles', () => import('./commands/profile/path.js')),
	entry('run list', RUNS, 'List runs', () => import('./commands/run/list.js')),
	entry('run show', RUNS, 'Show a run, or several together', () => import('./commands/run/show.js')),
	entry('run resume', RUNS, 'Resume a run', () => import('./commands/run/resume.js')),
	entry('run retry', RUNS, 'Retry the failed rows of a run', () => import('./commands/run/retry.js')),
	entry('run rejects', RUNS, 'Export failed rows', () => import('./commands/run/rejects.js')),
	entry('run undo', RUNS, 'Revert a run', () => import('./commands/run/undo.js')),
	entry('run prune', RUNS, 'Remove the journals of old runs', () => import('./commands/run/prune.js')),
	entry('doctor', SETUP, 'Check settings, network, service and credentials', () => import('./commands/doctor.js')),
	entry('api', TOOLS, 'Send any request to the API', () => import('./commands/api.js')),
	entry('sandbox', TOOLS, 'Run a local mock API with sample data', () => import('./commands/sandbox.js')),
	entry('completion', TOOLS, 'Print a shell completion script', () => import('./commands/completion.js')),
];

/** Whether `words` begin the words of a command. */
export function startsWith(entry: CommandEntry, words: readonly string[]): boolean {
	return words.every((word, index) => entry.words[index] === word);
}

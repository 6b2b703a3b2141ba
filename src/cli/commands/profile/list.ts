/** `profile list`: the stored profiles, with the one in use marked. */

import { ExitCode } from '../../../errors.js';
import type { Column } from '../../../output/columns.js';
import { redactBaseUrl } from '../../../output/redact.js';
import { configFolder } from '../../../profile/folders.js';
import { describeStore } from '../../../profile/secrets.js';
import { readStore } from '../../../profile/store.js';
import type { CommandSpec, Invocation } from '../../command.js';
import { say, warn } from '../../notices.js';
import { outputOptions } from '../../options/output.js';
import { printRows } from '../../profile-results.js';

export const command: CommandSpec = {
	summary: 'List the stored profiles; * marks the one in use.',
	examples: [
		{ command: 'supportctl profile list', note: 'a table' },
		{ command: 'supportctl profile list --field profile', note: 'bare names' },
	],
	arguments: [],
	options: outputOptions,
	run,
};

/** The name is typed again; a base URL is told from another by its host and by its end. */
const columns: readonly Column[] = [
	{ path: 'current', label: '', key: 'current', get: ({ current }) => (current === true ? '*' : '') },
	{ path: 'profile', whole: true },
	{ path: 'base_url', important: true, ends: true, least: 16 },
	{ path: 'scheme', optional: true, usual: 'basic' },
	{ path: 'username' },
	{ path: 'stored_in' },
	{ path: 'protected', optional: true, usual: 'false' },
];

/** The file may have been edited by hand, so that anything stands there. */
function shownBaseUrl(stored: unknown): string | null {
	if (stored === undefined) return null;
	return redactBaseUrl(typeof stored === 'string' ? stored : JSON.stringify(stored));
}

async function run(invocation: Invocation): Promise<ExitCode> {
	const { context } = invocation;
	const { store, warnings } = readStore(configFolder({ env: context.env, cwd: context.cwd }));
	warn(context, warnings);
	const rows = Object.entries(store.profiles).map(([name, profile]) => ({
		current: name === store.current,
		profile: name,
		base_url: shownBaseUrl(profile.baseUrl),
		scheme: profile.scheme ?? 'basic',
		username: profile.username ?? null,
		stored_in: describeStore(profile.secret),
		protected: profile.protected === true,
	}));
	if (rows.length === 0) say(invocation, 'No profile is stored yet: supportctl login makes one.');
	await printRows(invocation, rows, columns, ({ profile }) => profile);
	return ExitCode.ok;
}

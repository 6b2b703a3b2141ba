/** `profile list`: the stored profiles, with the one that commands use marked. */

import { ExitCode } from '../../../errors.js';
import type { Column } from '../../../output/columns.js';
import { redactBaseUrl } from '../../../output/redact.js';
import { configFolder } from '../../../profile/environment.js';
import { type Choice, readChoice } from '../../../profile/resolve.js';
import { describeStore } from '../../../profile/secrets.js';
import { readStore, type Store } from '../../../profile/store.js';
import { defineCommand, type Invocation } from '../../command.js';
import { say, warn } from '../../notices.js';
import { connectionFlags, connectionOptions } from '../../options/connection.js';
import { outputOptions } from '../../options/output.js';
import { printRows } from '../../profile-results.js';

export const command = defineCommand({
	summary: 'List the stored profiles; * marks the current one.',
	description:
		'--profile, SUPPORTCTL_PROFILE or `supportctl profile use` choose the current profile; with --json, chosen_by shows which.',
	examples: [
		{ command: 'supportctl profile list', note: 'a table' },
		{ command: 'supportctl profile list --field profile', note: 'bare names' },
	],
	arguments: [],
	options: [...connectionOptions.filter(({ flags }) => flags.startsWith('--profile')), ...outputOptions],
	run,
});

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

/** Says where the choice comes from, where `profile use` is not what made it. */
function explainChoice(invocation: Invocation, { profiles, current }: Store, choice: Choice): void {
	const { profileName, chosenBy, leftOut } = choice;
	if (leftOut !== undefined) {
		say(invocation, `No profile is in use: SUPPORTCTL_BASE_URL is another place than that of "${leftOut}".`);
	}
	if (profileName === undefined || profileName === current) return;
	if (!Object.hasOwn(profiles, profileName)) {
		warn(invocation.context, [`${chosenBy} names the profile "${profileName}", which is not stored`]);
		return;
	}
	const otherwise = current === undefined ? 'none is in use' : `"${current}" is in use`;
	say(invocation, `${chosenBy} chooses "${profileName}"; without it ${otherwise}.`);
}

async function run(invocation: Invocation): Promise<ExitCode> {
	const { context, options } = invocation;
	const { env, cwd } = context;
	const reading = readStore(configFolder({ env, cwd }));
	const { store, warnings } = reading;
	const choice = readChoice(reading, { env, flags: connectionFlags(options), cwd });
	warn(context, warnings);
	const rows = Object.entries(store.profiles).map(([name, profile]) => ({
		current: name === choice.profileName,
		profile: name,
		base_url: shownBaseUrl(profile.baseUrl),
		scheme: profile.scheme ?? 'basic',
		username: profile.username ?? null,
		stored_in: describeStore(profile.secret),
		protected: profile.protected === true,
		chosen_by: name === choice.profileName ? (choice.chosenBy ?? null) : null,
	}));
	if (rows.length === 0) say(invocation, 'No profile is stored yet: supportctl login makes one.');
	explainChoice(invocation, store, choice);
	await printRows(invocation, rows, columns, ({ profile }) => profile);
	return ExitCode.ok;
}

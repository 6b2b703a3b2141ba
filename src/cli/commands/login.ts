/** `login`: asks for base URL, scheme and credentials, tries them, and stores a profile. */

import { resolve } from 'node:path';
import { ExitCode, InterruptedError } from '../../errors.js';
import { PromptInterrupted } from '../../io/context.js';
import { type ProfileChanged, saveProfile } from '../../profile/edit.js';
import { describeStore, secretNoun } from '../../profile/secrets.js';
import { settingSpecs } from '../../profile/settings.js';
import { defineCommand, type Invocation } from '../command.js';
import { leaveOnSignal } from '../interruption.js';
import { type Credentials, chooseScheme, signIn } from '../login/credentials.js';
import { type Found, firstBaseUrl, type Login, locate, openLogin } from '../login/login.js';
import { say, warn } from '../notices.js';
import { connectionOptions } from '../options/connection.js';
import { allBut } from '../options/option.js';
import { outputOptions } from '../options/output.js';
import { guardDefaults } from '../options/profile-defaults.js';
import { secretOptions } from '../options/secret.js';
import { warnOfVariables } from '../profile-name.js';
import { openChange } from '../profile-results.js';

export const command = defineCommand({
	summary: 'Sign in: check a base URL and credentials, and store them as a profile.',
	description:
		'The credentials are checked with POST /users/username, which changes nothing. The secret is stored in the system keyring where there is one, else in the profile file, which only you can read.',
	examples: [
		{ command: 'supportctl login https://desk.example.com/wp-json', note: 'asks for the rest' },
		{
			command:
				'pass desk | supportctl login --base-url https://desk.example.com/wp-json --username anna --password-stdin --no-input',
			note: 'asks for nothing',
		},
		{
			command:
				"supportctl login --profile ci --base-url https://desk.example.com/wp-json --username bot --secret-command 'pass show desk'",
			note: 'stores a command that prints the secret',
		},
	],
	arguments: [
		{ name: 'url', help: "The service's base URL: what comes before /support-api/v1; or --base-url", required: false },
	],
	options: [
		{ flags: '--no-input', help: 'Never ask; what is missing is an error', group: 'Secret' },
		...secretOptions,
		...connectionOptions,
		...guardDefaults,
		...allBut(outputOptions, 'quiet'),
		{ flags: '-q, --quiet', help: 'Print only errors and warnings', group: 'Output' },
	],
	run,
});

async function run(invocation: Invocation): Promise<ExitCode> {
	try {
		return await signInAndStore(invocation);
	} catch (error) {
		if (error instanceof PromptInterrupted) throw new InterruptedError('interrupted; nothing was stored');
		throw error;
	}
}

/** What is printed of a login where data is asked for. */
const LOGIN_KEYS = ['profile', 'base_url', 'scheme', 'username', 'stored_in', 'proved', 'note'];

async function signInAndStore(invocation: Invocation): Promise<ExitCode> {
	const tell = await openChange(invocation, LOGIN_KEYS);
	const login = openLogin(invocation);
	const { found, scheme, credentials, note } = await findSignIn(login);
	const changed = await store(login, { ...found, scheme }, credentials);
	warn(invocation.context, note === undefined ? changed.notices : [...changed.notices, note]);
	warnOfVariables(invocation, found.name);
	const { name, baseUrl } = found;
	const as = credentials.username === undefined ? '' : ` as ${credentials.username}`;
	const where =
		changed.secret === undefined ? '' : `, its ${secretNoun(scheme)} in the ${describeStore(changed.secret)}`;
	say(invocation, `Signed in to ${baseUrl}${as}. Profile "${name}" is stored${where}, and is the one in use.`);
	await tell({
		profile: name,
		base_url: baseUrl,
		scheme,
		username: credentials.username ?? null,
		stored_in: describeStore(changed.secret),
		proved: note === undefined,
		note: note ?? null,
	});
	return ExitCode.ok;
}

/** Everything that is asked of a person and of the service, before anything is stored. */
async function findSignIn(login: Login) {
	const unlisten = leaveOnSignal(login.invocation, 'nothing was stored');
	try {
		const found = await locate(login, await firstBaseUrl(login));
		const scheme = await chooseScheme(login, found);
		return { found, scheme, ...(await signIn(login, { ...found, scheme })) };
	} finally {
		unlisten();
	}
}

/** Stores the profile: what flags said, and what the service accepted. */
async function store(login: Login, found: Found, credentials: Credentials): Promise<ProfileChanged> {
	const { settings, sources } = found.resolved;
	const kept: Record<string, string | number | boolean> = { baseUrl: found.baseUrl, scheme: found.scheme };
	if (credentials.username !== undefined) kept.username = credentials.username;
	for (const spec of settingSpecs) {
		const value = settings[spec.name];
		if (value === undefined || sources[spec.name].from !== 'flag' || spec.name in kept) continue;
		kept[spec.name] = spec.path ? resolve(login.invocation.context.cwd, value as string) : value;
	}
	for (const name of ['protected', 'allowHttp'] as const) {
		const value = login.invocation.options[name];
		if (typeof value === 'boolean') kept[name] = value;
	}
	return saveProfile({
		folder: login.folder,
		name: found.name,
		settings: kept,
		...(credentials.secret && { secret: credentials.secret }),
		insecureStorage: login.invocation.options.insecureStorage === true,
		makeCurrent: true,
		now: () => login.invocation.context.clock.now(),
	});
}

import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readSetup, resolveConnection } from '../../src/profile/resolve.js';
import type { StoredSecret } from '../../src/profile/secrets.js';
import { type SettingName, settingSpecs } from '../../src/profile/settings.js';
import type { StoredProfile } from '../../src/profile/store.js';
import { resetRing, ring } from '../support/keyring.js';
import { temporaryFolder } from '../support/temporary.js';

vi.mock('@napi-rs/keyring', () => import('../support/keyring.js'));

afterEach(resetRing);

const desk: StoredProfile = {
	baseUrl: 'https://desk.example.com/wp-json',
	username: 'anna',
	secret: { store: 'file', value: 'stored-secret' },
};

/** A folder with a config file of these profiles, the first of which is the current one. */
function configOf(profiles: Record<string, StoredProfile>, current: string | undefined = Object.keys(profiles)[0]) {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, current, profiles }), { mode: 0o600 });
	return folder;
}

/** A file that is PEM of a kind as far as its first and last lines show. */
function pemFile(kind: string, mode: number): string {
	const path = join(temporaryFolder(), 'file.pem');
	writeFileSync(path, `-----BEGIN ${kind}-----\nMA==\n-----END ${kind}-----\n`);
	chmodSync(path, mode);
	return path;
}

const AT = { SUPPORTCTL_BASE_URL: 'https://desk.example.com/wp-json' };
const TO = 'not signed in to https://desk.example.com/wp-json';

interface Case {
	profiles?: Record<string, StoredProfile>;
	env?: Record<string, string>;
	flags?: Record<string, unknown>;
}

const envOf = (folder: string, env: NodeJS.ProcessEnv = {}) => ({ ...env, SUPPORTCTL_CONFIG_DIR: folder });

function resolve({ profiles = {}, env = {}, flags = {} }: Case) {
	return resolveConnection({ env: envOf(configOf(profiles), env) }, flags);
}

/** The same flags with the profile named: it is not the one in use by chance. */
const named = ({ flags = {} }: Case): Case => ({ flags: { profile: 'desk', ...flags } });

describe('resolveConnection', () => {
	it('uses the current profile if neither flags nor variables are given', async () => {
		const profile = { ...desk, timeout: 5, concurrency: 9, rate: 2.5, format: 'json', protected: true };
		expect(await resolve({ profiles: { desk: profile } })).toEqual({
			profileName: 'desk',
			baseUrl: 'https://desk.example.com/wp-json',
			auth: { scheme: 'basic', username: 'anna', password: 'stored-secret' },
			settings: {
				baseUrl: 'https://desk.example.com/wp-json',
				scheme: 'basic',
				username: 'anna',
				timeout: 5,
				concurrency: 9,
				rate: 2.5,
				format: 'json',
				protected: true,
				requireNote: false,
				allowHttp: false,
				productPrefix: 'support',
				shopPrefix: 'shop',
				membershipPrefix: 'shopm',
			},
			tls: {},
			proxy: {},
			allowHttp: false,
			secretSource: 'profile file',
			warnings: [],
		});
	});

	it('obeys each setting that a profile can hold', async () => {
		const [cert, key] = [pemFile('CERTIFICATE', 0o600), pemFile('PRIVATE KEY', 0o600)];
		const values: Record<SettingName, Partial<StoredProfile>> = {
			baseUrl: { baseUrl: 'https://other.example.com' },
			scheme: { scheme: 'bearer' },
			username: { username: 'berta' },
			headerName: { scheme: 'header', headerName: 'x-key' },
			timeout: { timeout: 7 },
			concurrency: { concurrency: 9 },
			rate: { rate: 2.5 },
			max: { max: 50 },
			maxDeletes: { maxDeletes: 5 },
			requireNote: { requireNote: true },
			requirePlan: { requirePlan: 20 },
			format: { format: 'yaml' },
			snapshot: { snapshot: true },
			protected: { protected: true },
			allowHttp: { allowHttp: true },
			caFile: { caFile: cert },
			cert: { cert, key },
			key: { cert, key },
			productPrefix: { productPrefix: 'acme' },
			shopPrefix: { shopPrefix: 'acme' },
			membershipPrefix: { membershipPrefix: 'acme' },
		};
		expect(Object.keys(values).sort()).toEqual(settingSpecs.map(({ name }) => name).sort());
		const plain = await resolve({ profiles: { desk } });
		for (const [name, more] of Object.entries(values)) {
			expect(await resolve({ profiles: { desk: { ...desk, ...more } } }), name).not.toEqual(plain);
		}
	});

	it('works from the environment alone', async () => {
		const env = {
			SUPPORTCTL_BASE_URL: 'https://ci.example.com/wp-json/',
			SUPPORTCTL_USERNAME: 'bot',
			SUPPORTCTL_PASSWORD: 'from env',
		};
		const connection = await resolve({ env });
		expect(connection.baseUrl).toBe('https://ci.example.com/wp-json');
		expect(connection.auth).toEqual({ scheme: 'basic', username: 'bot', password: 'from env' });
		expect(connection.secretSource).toBe('SUPPORTCTL_PASSWORD');
		expect(connection.profileName).toBeUndefined();
	});

	it('prefers flags to the environment, the environment to the profile, and the profile to the defaults', async () => {
		const profiles = { desk: { ...desk, timeout: 5, shopPrefix: 'store' } };
		const env = { SUPPORTCTL_BASE_URL: 'https://desk.example.com/env', SUPPORTCTL_USERNAME: 'anna' };
		const flags = { baseUrl: 'https://desk.example.com/flag', timeout: '7' };
		const configDir = configOf(profiles);
		const connection = await resolveConnection({ env: envOf(configDir, env) }, flags);
		expect(connection.baseUrl).toBe('https://desk.example.com/flag');
		expect(connection.settings.timeout).toBe(7);
		expect(connection.settings.shopPrefix).toBe('store');
		const { sources } = readSetup({ env: envOf(configDir, env) }, flags);
		expect(sources.baseUrl).toEqual({ from: 'flag', name: '--base-url' });
		expect(sources.username).toEqual({ from: 'environment', name: 'SUPPORTCTL_USERNAME' });
		expect(sources.shopPrefix).toEqual({ from: 'profile', name: 'desk' });
		expect(sources.membershipPrefix).toEqual({ from: 'default', name: '' });
	});

	it('chooses the profile by flag, then SUPPORTCTL_PROFILE, then the current one', async () => {
		const profiles = {
			one: { ...desk, username: 'one' },
			two: { ...desk, username: 'two' },
			three: { ...desk, username: 'three' },
		};
		const env = { SUPPORTCTL_PROFILE: 'two' };
		expect((await resolve({ profiles, env, flags: { profile: 'three' } })).profileName).toBe('three');
		expect((await resolve({ profiles, env })).profileName).toBe('two');
		expect((await resolve({ profiles })).profileName).toBe('one');
	});

	it('lists the profiles if the given one does not exist', async () => {
		await expect(resolve({ profiles: { desk }, flags: { profile: 'dsek' } })).rejects.toMatchObject({
			message: 'profile "dsek" not found',
			exitCode: 2,
			hint: 'profiles: desk; create one: supportctl login --profile NAME',
		});
		await expect(resolve({ profiles: { desk }, flags: { profile: '__proto__' } })).rejects.toMatchObject({
			exitCode: 2,
		});
	});

	it.each([
		[{ SUPPORTCTL_BASE_URL: '' }, 'not signed in: no profile and SUPPORTCTL_BASE_URL is empty'],
		[{ SUPPORTCTL_BASE_URL_FILE: '' }, 'not signed in: no profile and SUPPORTCTL_BASE_URL_FILE is empty'],
		[{ ...AT, SUPPORTCTL_USERNAME: '' }, `${TO}: SUPPORTCTL_USERNAME is empty`],
		[{ ...AT, SUPPORTCTL_USERNAME: 'ada', SUPPORTCTL_PASSWORD: '' }, `${TO}: SUPPORTCTL_PASSWORD is empty`],
		[{ ...AT, SUPPORTCTL_USERNAME: 'ada', SUPPORTCTL_PASSWORD_FILE: '' }, `${TO}: SUPPORTCTL_PASSWORD_FILE is empty`],
		[{ ...AT, SUPPORTCTL_USERNAME: 'ada' }, `${TO}: no password`],
	])('says whether a variable is empty or not set: %j', async (env, message) => {
		await expect(resolve({ env })).rejects.toMatchObject({ message, exitCode: 4 });
	});

	it('says "not signed in" with exit code 4 and the way out when there is no base URL', async () => {
		await expect(resolve({})).rejects.toMatchObject({
			message: 'not signed in: no profile and no SUPPORTCTL_BASE_URL',
			exitCode: 4,
			hint: 'supportctl login',
		});
	});

	it.each([
		[
			'another host',
			{ flags: { baseUrl: 'https://evil.example.net/wp-json' } },
			/is for https:\/\/desk\.example\.com$/,
		],
		['another port', { flags: { baseUrl: 'https://desk.example.com:8443' } }, /is for https:\/\/desk\.example\.com$/],
		['another user', { flags: { username: 'berta' } }, /is for the user anna/],
		['another scheme', { flags: { scheme: 'bearer' } }, /is for the scheme basic/],
		['another header', { flags: { profile: 'keyed', headerName: 'x-log' } }, /is for the header x-key/],
	])('never uses the stored secret for %s', async (_, given, message) => {
		const keyed = { ...desk, scheme: 'header', headerName: 'x-key' };
		await expect(resolve({ profiles: { desk, keyed }, ...named(given) })).rejects.toMatchObject({
			message: expect.stringMatching(message),
			exitCode: 4,
		});
	});

	it.each<StoredSecret>([
		{ store: 'file', value: 'stored-secret' },
		{ store: 'keyring', account: 'desk in X' },
		{ store: 'command', command: 'printf stored-secret' },
	])('never sends a secret to a base URL that was edited by hand: $store', async (secret) => {
		ring.entries.set('desk in X', 'stored-secret');
		const bound = { ...desk, secret: { ...secret, origin: 'https://desk.example.com' } };
		const edited = { ...bound, baseUrl: 'https://evil.example.net/wp-json' };
		const env = process.env as Record<string, string>;
		expect((await resolve({ profiles: { desk: bound }, env })).auth).toMatchObject({ password: 'stored-secret' });
		await expect(resolve({ profiles: { desk: edited }, env })).rejects.toMatchObject({
			message:
				'not signed in to https://evil.example.net/wp-json: the secret stored in profile "desk" is for https://desk.example.com',
			exitCode: 4,
			hint: expect.stringMatching(/^supportctl login --profile desk/),
		});
	});

	it('ignores the current profile if the base URL is of another host', async () => {
		const profiles = { live: { ...desk, protected: true, productPrefix: 'acme', timeout: 5 } };
		const env = { SUPPORTCTL_BASE_URL: 'http://127.0.0.1:1', SUPPORTCTL_USERNAME: 'bot', SUPPORTCTL_PASSWORD: 'p' };
		const connection = await resolve({ profiles, env });
		expect(connection.settings).toMatchObject({ protected: false, productPrefix: 'support', timeout: 30 });
		expect(connection.profileName).toBeUndefined();
		await expect(resolve({ profiles, env: { ...env, SUPPORTCTL_PASSWORD: '' } })).rejects.toMatchObject({
			message: expect.stringContaining('SUPPORTCTL_PASSWORD is empty (profile "live" is for a different host)'),
		});
		const chosen = await resolve({ profiles, env: { ...env, SUPPORTCTL_PROFILE: 'live' } });
		expect(chosen).toMatchObject({
			settings: { protected: true },
			profileName: 'live',
			baseUrl: 'http://127.0.0.1:1',
		});
	});

	it("sends a stored secret to no other port of this machine, which may be another person's", async () => {
		const profiles = { local: { ...desk, baseUrl: 'http://127.0.0.1:1' } };
		for (const baseUrl of ['http://127.0.0.1:2', 'http://localhost:1']) {
			const elsewhere = resolve({ profiles, flags: { baseUrl, profile: 'local' } });
			await expect(elsewhere).rejects.toMatchObject({
				exitCode: 4,
				message: expect.stringContaining('is for http://127.0.0.1:1'),
			});
		}
	});

	it('--profile overrides the connection variables, with one warning', async () => {
		const profiles = { live: { ...desk, baseUrl: 'https://live.example.com' }, desk };
		const file = join(temporaryFolder(), 'none');
		const env = {
			SUPPORTCTL_PROFILE: 'live',
			SUPPORTCTL_BASE_URL: 'https://other.example.com',
			SUPPORTCTL_USERNAME_FILE: file,
			SUPPORTCTL_PASSWORD: 'theirs',
			SUPPORTCTL_TOKEN: 'theirs too',
		};
		const connection = await resolve({ profiles, env, flags: { profile: 'desk' } });
		expect(connection).toMatchObject({
			baseUrl: desk.baseUrl,
			auth: { scheme: 'basic', username: 'anna', password: 'stored-secret' },
			warnings: [
				'--profile desk overrides SUPPORTCTL_BASE_URL, SUPPORTCTL_USERNAME_FILE, SUPPORTCTL_PASSWORD and SUPPORTCTL_TOKEN',
			],
		});
	});

	it.each([
		['a profile that a flag names and that has no secret', { profile: 'bare' }, {}],
		['a base URL beside such a profile', { profile: 'desk', baseUrl: 'https://other.example.com' }, {}],
		['the base URL of a variable beside a profile that a variable chooses', {}, { SUPPORTCTL_PASSWORD: '' }],
	])('neither the password of a variable nor a stored one goes to %s', async (_, flags, env) => {
		const profiles = { bare: { baseUrl: 'https://bare.example.com', username: 'anna' }, desk };
		const other = { SUPPORTCTL_PROFILE: 'desk', SUPPORTCTL_BASE_URL: 'https://other.example.com' };
		const request = { profiles, flags, env: { ...other, SUPPORTCTL_PASSWORD: 'mine', ...env } };
		await expect(resolve(request)).rejects.toMatchObject({ code: 'not_signed_in', exitCode: 4 });
	});

	it('names no variable where a flag names the profile, since variables are ignored then', async () => {
		const profiles = { bare: { baseUrl: 'https://bare.example.com' } };
		const hint = 'supportctl login --profile bare, or pass --username';
		await expect(resolve({ profiles, flags: { profile: 'bare' } })).rejects.toMatchObject({ hint });
		const env = { SUPPORTCTL_PROFILE: 'bare' };
		await expect(resolve({ profiles, env })).rejects.toMatchObject({ hint: `${hint}, or set SUPPORTCTL_USERNAME` });
	});

	it('takes a token in the environment as bearer, and as the header value where the profile says header', async () => {
		const env = { SUPPORTCTL_TOKEN: 'tok' };
		expect((await resolve({ profiles: { desk }, env })).auth).toEqual({ scheme: 'bearer', token: 'tok' });
		const profiles = { desk: { baseUrl: desk.baseUrl, scheme: 'header', headerName: 'X-Key' } };
		expect((await resolve({ profiles, env })).auth).toEqual({ scheme: 'header', name: 'X-Key', value: 'tok' });
	});

	it('does not guess between a password and a token', async () => {
		const env = { SUPPORTCTL_BASE_URL: 'https://a.example', SUPPORTCTL_PASSWORD: 'p', SUPPORTCTL_TOKEN: 't' };
		await expect(resolve({ env })).rejects.toMatchObject({ exitCode: 2 });
		expect((await resolve({ env, flags: { scheme: 'bearer' } })).auth).toEqual({ scheme: 'bearer', token: 't' });
	});

	it('reads *_FILE variables, less one line break at the end', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'pw'), '  "ä %: \r\n');
		const env = {
			SUPPORTCTL_BASE_URL: 'https://a.example',
			SUPPORTCTL_USERNAME: 'bot',
			SUPPORTCTL_PASSWORD_FILE: join(folder, 'pw'),
		};
		const connection = await resolve({ env });
		expect(connection.auth).toMatchObject({ password: '  "ä %: ' });
		expect(connection.secretSource).toBe('SUPPORTCTL_PASSWORD_FILE');
		await expect(resolve({ env: { ...env, SUPPORTCTL_PASSWORD: 'x' } })).rejects.toMatchObject({
			message: 'SUPPORTCTL_PASSWORD and SUPPORTCTL_PASSWORD_FILE are both set',
		});
		writeFileSync(join(folder, 'large'), 'x'.repeat(64 * 1024 + 1));
		for (const [path, why] of [
			[join(folder, 'none'), 'file not found'],
			[join(folder, 'large'), 'it is larger than 64 KiB'],
			['/dev/zero', 'it is larger than 64 KiB'],
			[folder, 'it is a directory'],
		]) {
			await expect(resolve({ env: { ...env, SUPPORTCTL_PASSWORD_FILE: path as string } })).rejects.toMatchObject({
				exitCode: 2,
				message: `SUPPORTCTL_PASSWORD_FILE: can't read ${path}: ${why}`,
			});
		}
	});

	it('counts an empty variable as not set', async () => {
		const connection = await resolve({ profiles: { desk }, env: { SUPPORTCTL_PASSWORD: '', SUPPORTCTL_PROFILE: '' } });
		expect(connection.secretSource).toBe('profile file');
	});

	it('fetches a secret from the keyring, and from a command at each use', async () => {
		ring.entries.set('desk in X', 'from the ring');
		const inRing = { desk: { ...desk, secret: { store: 'keyring', account: 'desk in X' } as const } };
		const connection = await resolve({ profiles: inRing });
		expect(connection.auth).toMatchObject({ password: 'from the ring' });
		expect(connection.secretSource).toBe('system keyring');
		ring.entries.clear();
		await expect(resolve({ profiles: inRing })).rejects.toMatchObject({ code: 'secret_gone', exitCode: 4 });
		ring.gone = true;
		await expect(resolve({ profiles: inRing })).rejects.toMatchObject({
			code: 'keyring_unavailable',
			details: ['no bus'],
			hint: 'unlock the keyring, or sign in again: supportctl login --profile desk',
		});
		const command = configOf({ desk: { ...desk, secret: { store: 'command', command: 'printf "a b\\n"' } } });
		const other = await resolveConnection({ env: envOf(command, process.env) }, {});
		expect(other.auth).toMatchObject({ password: 'a b' });
	});

	it('fetches no secret for runs that send nothing', async () => {
		const configDir = configOf({ desk: { ...desk, secret: { store: 'command', command: 'exit 1' } } });
		const connection = await resolveConnection({ env: envOf(configDir) }, {}, false);
		expect(connection.auth).toEqual({ scheme: 'none' });
	});

	it('reports at each use a config file that others can read', async () => {
		const bound = { store: 'file', value: 'x', origin: 'https://desk.example.com' } as const;
		const configDir = configOf({ desk: { ...desk, secret: bound } });
		chmodSync(join(configDir, 'config.json'), 0o644);
		const { warnings } = await resolveConnection({ env: envOf(configDir) }, {});
		expect(warnings).toEqual([expect.stringMatching(/other users can read .*config\.json \(mode 0644\).*chmod 600/)]);
		const spaced = join(configDir, 'a b');
		mkdirSync(spaced, { mode: 0o700 });
		renameSync(join(configDir, 'config.json'), join(spaced, 'config.json'));
		const quoted = expect.stringContaining(`: chmod 600 '${spaced}/config.json'`);
		expect((await resolveConnection({ env: envOf(spaced) }, {})).warnings).toEqual([quoted]);
	});

	it('names the profile and setting that a hand-edited file has wrong', async () => {
		await expect(resolve({ profiles: { desk: { ...desk, timeout: 'soon' } } })).rejects.toMatchObject({
			exitCode: 2,
			message: expect.stringMatching(
				/config\.json: profile "desk": timeout: "soon" is not a number from 0\.001 to 86400/,
			),
		});
	});

	it('takes http:// to the host of the profile that allows it, and to no other', async () => {
		const profiles = { lan: { ...desk, baseUrl: 'http://desk.lan', allowHttp: true } };
		const at = (baseUrl: string) =>
			resolve({ profiles, env: { SUPPORTCTL_PASSWORD: 'x' }, flags: { profile: 'lan', baseUrl } });
		expect((await at('http://desk.lan/x')).baseUrl).toBe('http://desk.lan/x');
		const message = expect.stringContaining('unencrypted');
		const hint = 'use https://other.lan, or sign in with --allow-http';
		await expect(at('http://other.lan')).rejects.toMatchObject({ exitCode: 2, message, hint });
	});

	it('hands over the proxies of the environment, the lower-case spelling first', async () => {
		const env = { HTTPS_PROXY: 'http://a:1', https_proxy: 'http://b:2', HTTP_PROXY: 'http://c:3', NO_PROXY: 'x' };
		expect((await resolve({ profiles: { desk }, env })).proxy).toEqual({
			httpsProxy: 'http://b:2',
			httpProxy: 'http://c:3',
			noProxy: 'x',
		});
	});
});

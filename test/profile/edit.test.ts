import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Store } from '../../src/profile/store.js';
import { profileNameFor, saveProfile, updateStore } from '../../src/profile/store.js';
import { resetRing, ring } from '../support/keyring.js';
import { temporaryFolder } from '../support/temporary.js';

vi.mock('@napi-rs/keyring', () => import('../support/keyring.js'));

afterEach(resetRing);

const origin = 'https://desk.example.com';
const settings = { baseUrl: `${origin}/wp-json`, username: 'anna' };
const stored = (folder: string): Store => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Store;

describe('saveProfile', () => {
	it('puts the secret into the keyring and only a reference into the file', async () => {
		const folder = temporaryFolder();
		const secret = { store: 'file', value: 'hunter2' } as const;
		const changed = await saveProfile({ folder, name: 'desk', settings, secret });
		const [account = ''] = ring.entries.keys();
		expect(account).toContain(`desk in ${join(folder, 'config.json')} (`);
		expect(changed).toMatchObject({ created: true, isCurrent: true, notices: [] });
		expect([...ring.entries]).toEqual([[account, 'hunter2']]);
		expect(stored(folder).profiles.desk).toEqual({ ...settings, secret: { store: 'keyring', account, origin } });
		expect(readFileSync(join(folder, 'config.json'), 'utf8')).not.toContain('hunter2');
	});

	it('falls back to the file with a plain notice where there is no keyring', async () => {
		ring.gone = true;
		const folder = temporaryFolder();
		const secret = { store: 'file', value: 'hunter2' } as const;
		const { notices } = await saveProfile({ folder, name: 'desk', settings, secret });
		expect(notices).toEqual([
			expect.stringMatching(/no system keyring; the secret is stored unencrypted in .*config\.json/),
		]);
		expect(stored(folder).profiles.desk?.secret).toEqual({ store: 'file', value: 'hunter2', origin });
	});

	it('does not use a keyring that returns a different value', async () => {
		const folder = temporaryFolder();
		ring.forgetful = true;
		const secret = { store: 'file', value: 'hunter2' } as const;
		await saveProfile({ folder, name: 'desk', settings, secret });
		expect(stored(folder).profiles.desk?.secret).toEqual({ store: 'file', value: 'hunter2', origin });
	});

	it('takes the old secret out of the keyring when the new one lives elsewhere', async () => {
		const folder = temporaryFolder();
		const first = { store: 'file', value: 'one' } as const;
		await saveProfile({ folder, name: 'desk', settings, secret: first });
		const second = { store: 'file', value: 'two' } as const;
		await saveProfile({ folder, name: 'desk', settings: {}, secret: second, insecureStorage: true });
		expect(ring.entries.size).toBe(0);
		expect(stored(folder).profiles.desk?.secret).toEqual({ store: 'file', value: 'two', origin });
		await saveProfile({ folder, name: 'desk', settings: {}, secret: { store: 'command', command: 'pass x' } });
		expect(stored(folder).profiles.desk?.secret).toEqual({ store: 'command', command: 'pass x', origin });
	});

	it.each([
		['the host', { baseUrl: 'https://www.example.com' }, {}],
		['the port', { baseUrl: 'https://desk.example.com:8443/wp-json' }, {}],
		['https', { baseUrl: 'http://desk.example.com/wp-json', allowHttp: true }, {}],
		['the user', { username: 'berta' }, {}],
		['the scheme', { scheme: 'bearer' }, {}],
		['the header', { headerName: 'x-log' }, { scheme: 'header', headerName: 'x-key' }],
	])('removes the secret when %s changes, and says so', async (_, change, more) => {
		const folder = temporaryFolder();
		const secret = { store: 'file', value: 'one' } as const;
		await saveProfile({ folder, name: 'desk', settings: { ...settings, ...more }, secret });
		const { notices } = await saveProfile({ folder, name: 'desk', settings: change });
		expect(ring.entries.size).toBe(0);
		expect(stored(folder).profiles.desk?.secret).toBeUndefined();
		expect(notices).toEqual([
			expect.stringMatching(
				/^removed the secret of .*, which was for .*; sign in again: supportctl login --profile desk$/,
			),
		]);
	});

	it('keeps the secret when only the path, or http becoming https, changes the base URL', async () => {
		const folder = temporaryFolder();
		const secret = { store: 'file', value: 'one' } as const;
		const http = { baseUrl: 'http://desk.example.com', username: 'anna', allowHttp: true };
		await saveProfile({ folder, name: 'desk', settings: http, secret, insecureStorage: true });
		await saveProfile({ folder, name: 'desk', settings: { baseUrl: 'https://desk.example.com/wp-json' } });
		expect(stored(folder).profiles.desk?.secret).toEqual({ store: 'file', value: 'one', origin });
	});

	it('makes the first profile current, and later ones only when asked', async () => {
		const folder = temporaryFolder();
		await saveProfile({ folder, name: 'one', settings });
		await saveProfile({ folder, name: 'two', settings });
		expect(stored(folder).current).toBe('one');
		await saveProfile({ folder, name: 'three', settings, makeCurrent: true });
		expect(stored(folder).current).toBe('three');
	});
});

describe('the keyring', () => {
	const secret = { store: 'file', value: 'x' } as const;

	it.each<[string, (store: Store) => void]>([
		['its profile is removed', ({ profiles }) => void delete profiles.desk],
		['its profile signs out', ({ profiles }) => void delete profiles.desk?.secret],
	])('does not keep the secret once %s', async (_, change) => {
		const folder = temporaryFolder();
		await saveProfile({ folder, name: 'desk', settings, secret });
		expect(ring.entries.size).toBe(1);
		expect((await updateStore(folder, change)).notices).toEqual([]);
		expect(ring.entries.size).toBe(0);
	});

	it('keeps the secret of a profile that is renamed, whatever takes its name', async () => {
		const folder = temporaryFolder();
		await saveProfile({ folder, name: 'desk', settings, secret });
		await updateStore(folder, ({ profiles }) => {
			profiles.old = profiles.desk ?? {};
			delete profiles.desk;
		});
		await saveProfile({ folder, name: 'desk', settings, secret: { store: 'file', value: 'y' } });
		const account = (name: string) => Object(stored(folder).profiles[name]?.secret).account as string;
		expect([account('old'), account('desk')].map((each) => ring.entries.get(each))).toEqual(['x', 'y']);
	});

	it('that is out of reach is named with the entry that may be left', async () => {
		const folder = temporaryFolder();
		await saveProfile({ folder, name: 'desk', settings, secret });
		ring.gone = true;
		const { notices } = await updateStore(folder, ({ profiles }) => void delete profiles.desk);
		expect(notices).toEqual([expect.stringMatching(/remove entry "desk in .*" of "supportctl" by hand/)]);
	});
});

describe('profileNameFor', () => {
	const store = (current: string | undefined, urls: Record<string, string>): Store => ({
		...(current !== undefined && { current }),
		profiles: Object.fromEntries(Object.entries(urls).map(([name, baseUrl]) => [name, { baseUrl }])),
	});
	it('never takes the name of a profile for another host', () => {
		const url = 'https://b.example.com/wp-json';
		expect(profileNameFor(store(undefined, {}), url)).toBe('default');
		expect(profileNameFor(store('work', { work: 'https://b.example.com' }), url)).toBe('work');
		expect(profileNameFor(store('a', { a: 'https://a.example.com', b: 'https://b.example.com/x' }), url)).toBe('b');
		expect(profileNameFor(store('a', { a: 'https://a.example.com' }), url)).toBe('b.example.com');
		expect(() =>
			profileNameFor(store('a', { a: 'https://a.example', 'b.example.com': 'https://c.example' }), url),
		).toThrow(/profile "b.example.com" already exists/);
	});
});

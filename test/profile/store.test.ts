import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkProfileName, readStore, updateStore } from '../../src/profile/store.js';
import { bundleForChild } from '../support/bundle.js';
import { temporaryFolder } from '../support/temporary.js';

const mode = (path: string) => statSync(path).mode & 0o777;

describe('updateStore', () => {
	it('makes the folder 0700 and the file 0600, whatever the umask', async () => {
		const folder = join(temporaryFolder(), 'deep', 'supportctl');
		const before = process.umask(0);
		try {
			await updateStore(folder, (store) => {
				store.profiles.desk = { baseUrl: 'https://a.example', secret: { store: 'file', value: 's' } };
			});
		} finally {
			process.umask(before);
		}
		expect(mode(folder)).toBe(0o700);
		expect(mode(join(folder, 'config.json'))).toBe(0o600);
		expect(readdirSync(folder)).toEqual(['config.json']);
	});

	it.runIf(process.platform === 'linux')(
		'says of a folder that can never be made that it can not be written',
		async () => {
			await expect(updateStore('/proc/supportctl', () => {})).rejects.toMatchObject({
				exitCode: 1,
				code: 'config_unwritable',
				message: expect.stringMatching(/^can't write \/proc\/supportctl\/config\.json \(E/),
				hint: expect.stringContaining('SUPPORTCTL_CONFIG_DIR'),
			});
		},
	);

	it.each(['', '/snap/x'])('closes a file that was open to others, inside a snap (%s) too', async (snap) => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'config.json'), '{"profiles":{}}');
		chmodSync(join(folder, 'config.json'), 0o666);
		vi.stubEnv('SNAP', snap === '' ? undefined : snap);
		onTestFinished(() => void vi.unstubAllEnvs());
		await updateStore(folder, () => {});
		expect(mode(join(folder, 'config.json'))).toBe(0o600);
	});

	it('keeps names with dots, and settings that it does not know', async () => {
		const folder = temporaryFolder();
		await updateStore(folder, (store) => {
			store.profiles['desk.example.com'] = { baseUrl: 'https://a.example', laterSetting: { deep: [1] } };
			Object.assign(store.profiles, { constructor: { username: 'x' } });
			store.current = 'desk.example.com';
		});
		await updateStore(folder, (store) => {
			store.profiles.other = {};
		});
		expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))).toEqual({
			version: 1,
			current: 'desk.example.com',
			profiles: {
				'desk.example.com': { baseUrl: 'https://a.example', laterSetting: { deep: [1] } },
				constructor: { username: 'x' },
				other: {},
			},
		});
	});

	it.each([
		['cut off', '{"profiles": {"desk": {"secret": {"store":"file","value":"hunter2', 'it is not JSON'],
		['empty', '', 'it is not JSON'],
		['an array', '[]', 'it is not a JSON object'],
		['of the wrong shape', '{"profiles": []}', '"profiles" is not an object'],
		['with a profile of the wrong shape', '{"profiles": {"ok": {}, "desk": 1}}', 'profile "desk" is not an object'],
		[
			'with a secret of the wrong shape',
			'{"profiles": {"ok": {}, "desk": {"secret": {"store": "post-it", "value": "hunter2"}}}}',
			'profile "desk" has a secret of an unknown kind',
		],
	])('refuses a damaged file (%s), says where, and leaves it as it is', (_, text, where) => {
		const folder = temporaryFolder();
		const file = join(folder, 'config.json');
		writeFileSync(file, text);
		expect(() => readStore(folder)).toThrow(`config.json is damaged: ${where}`);
		expect(readFileSync(file, 'utf8')).toBe(text);
	});

	it('leaves the file of a newer version alone, which may have what this one would lose', async () => {
		const folder = temporaryFolder();
		const text = '{"version": 2, "profiles": {"desk": {}}, "teams": ["a"]}';
		writeFileSync(join(folder, 'config.json'), text);
		await expect(updateStore(folder, () => {})).rejects.toMatchObject({
			code: 'config_newer',
			exitCode: 2,
			message: expect.stringContaining('config.json was written by a newer supportctl (format 2)'),
		});
		expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe(text);
	});

	it('never writes into a damaged file', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'config.json'), '{');
		await expect(updateStore(folder, () => {})).rejects.toThrow(/is damaged/);
		expect(readdirSync(folder)).toEqual(['config.json']);
		expect(readFileSync(join(folder, 'config.json'), 'utf8')).toBe('{');
	});

	it('quotes nothing of a damaged file, which may hold a secret', () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'config.json'), '{\n "a": hunter2 }');
		let thrown: unknown;
		try {
			readStore(folder);
		} catch (error) {
			thrown = error;
		}
		expect(String((thrown as Error).stack)).toContain('config.json is damaged: it is not JSON');
		expect(String((thrown as Error).stack)).not.toContain('hunter2');
		expect((thrown as Error).cause).toBeUndefined();
	});

	it('removes the temporary copy of a writer that was killed', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'config.json.tmp-1763711111abcdef'), 'hunter2');
		await updateStore(folder, () => {});
		expect(readdirSync(folder)).toEqual(['config.json']);
	});

	it('keeps every change when many processes write at once', async () => {
		const folder = temporaryFolder();
		const program = await bundleForChild('src/profile/store.ts');
		const script = `
			import { updateStore } from ${JSON.stringify(program)};
			const [folder, writer] = process.argv.slice(2);
			for (let round = 0; round < 5; round++) {
				await updateStore(folder, (store) => { store.profiles[writer + '-' + round] = {}; });
			}
		`;
		const entry = join(temporaryFolder(), 'write.mjs');
		writeFileSync(entry, script);
		const writers = ['a', 'b', 'c', 'd'];
		const codes = await Promise.all(
			writers.map(async (name) => (await once(spawn(process.execPath, [entry, folder, name]), 'close'))[0]),
		);
		expect(codes).toEqual(writers.map(() => 0));
		const expected = writers.flatMap((name) => [0, 1, 2, 3, 4].map((round) => `${name}-${round}`));
		expect(Object.keys(readStore(folder).store.profiles).sort()).toEqual(expected);
		expect(readdirSync(folder)).toEqual(['config.json']);
	});
});

describe('checkProfileName', () => {
	it('takes letters, digits, dots, - and _, and nothing that could be a path or an option', () => {
		for (const name of ['desk', 'desk.example.com', 'a_b-c', '127.0.0.1', 'D'])
			expect(checkProfileName(name)).toBe(name);
		for (const name of ['', '-x', '.', '..', 'a/b', 'a b', 'ä', '__proto__', 'x'.repeat(65), 'a\n']) {
			expect(() => checkProfileName(name)).toThrow(/invalid profile name/);
		}
	});
});

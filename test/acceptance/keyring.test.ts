import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

let desk: TestSandbox;
beforeAll(async () => {
	desk = await startSandbox({ seed: 20 });
});
afterAll(() => desk.stop());

interface Stored {
	current?: string;
	profiles: Record<string, { secret?: { store: string; account?: string; value?: string } }>;
}

function readConfig(folder: string): Stored {
	return JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Stored;
}

const loginWords = () => [
	'login',
	'--base-url',
	desk.baseUrl,
	'--username',
	desk.username,
	'--password-stdin',
	'--no-input',
];

describe('without a keyring', () => {
	it('the secret goes to the file, at 0600, and a notice says so; commands find it, logout deletes it', async () => {
		const config = join(temporaryFolder(), 'config');
		const env = {
			SUPPORTCTL_CONFIG_DIR: config,
			DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
			XDG_RUNTIME_DIR: '/nonexistent',
		};
		const { exitCode, stderr } = await runCli(loginWords(), { env, input: desk.password });
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(
			/^warning: no system keyring; the secret is stored unencrypted in .*config\.json \(only you can read it\)$/m,
		);
		expect(readConfig(config).profiles.default?.secret).toMatchObject({ store: 'file', value: desk.password });
		expect(statSync(join(config, 'config.json')).mode & 0o777).toBe(0o600);
		expect(statSync(config).mode & 0o777).toBe(0o700);
		expect(readdirSync(config)).toEqual(['config.json']);
		const update = ['ticket', 'update', '1', '--status', 'hold', '-q'];
		expect(await runCli(update, { env })).toMatchObject({ exitCode: 0, stderr: '' });
		expect(await runCli('logout', { env })).toMatchObject({ exitCode: 0 });
		expect(readFileSync(join(config, 'config.json'), 'utf8')).not.toContain('secret');
		expect((await runCli(update, { env })).exitCode).toBe(4);
	});

	it('a secret in one that is out of reach is an error that says so', async () => {
		const config = join(temporaryFolder(), 'config');
		mkdirSync(config, { mode: 0o700 });
		const profile = { baseUrl: desk.baseUrl, username: desk.username, secret: { store: 'keyring', account: 'x' } };
		writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'd', profiles: { d: profile } }), {
			mode: 0o600,
		});
		const env = { SUPPORTCTL_CONFIG_DIR: config, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
		const { exitCode, stderr } = await runCli('ticket update 1 --status hold', { env });
		expect(exitCode).toBe(4);
		expect(stderr).toMatch(/error: can't read the secret of profile "d" from the system keyring/);
		expect(stderr).toMatch(/supportctl login --profile d/);
		expect(existsSync(join(config, 'config.json'))).toBe(true);
	});
});

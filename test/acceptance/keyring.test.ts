import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, runCli } from '../support/cli.js';
import { hasKeyring, runWithKeyring } from '../support/keyring.js';
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

describe(hasKeyring ? 'with a real keyring (gnome-keyring)' : 'on a machine without gnome-keyring', () => {
	it(
		hasKeyring
			? 'login keeps the secret there, other commands find it, logout takes it out'
			: 'login falls back to the file, other commands find it, logout takes it out',
		async () => {
			const home = temporaryFolder();
			const config = join(home, 'config');
			const env = { HOME: home, SUPPORTCTL_CONFIG_DIR: config, SUPPORTCTL_STATE_DIR: join(home, 'state') };
			const commands = [
				{ args: loginWords(), input: `${desk.password}\n` },
				{ args: ['profile', 'show', '--json'] },
				{ args: ['ticket', 'update', '1', '--status', 'hold', '-q'] },
				{ args: ['logout'] },
				{ args: ['ticket', 'update', '1', '--status', 'hold', '-q'] },
			];
			const steps: { result: CliResult; config: string }[] = [];
			const run = async (command: (typeof commands)[number]) => {
				const result = await (hasKeyring
					? session.run(command.args, command)
					: runCli(command.args, { ...command, env }));
				steps.push({ result, config: readFileSync(join(config, 'config.json'), 'utf8') });
			};
			const session = hasKeyring ? await runWithKeyring(env) : { run: runCli, stop: async () => {} };
			try {
				for (const command of commands) await run(command);
			} finally {
				await session.stop();
			}
			expect(steps.map(({ result }) => [result.exitCode, result.exitCode === 0 ? '' : result.stderr])).toEqual([
				[0, ''],
				[0, ''],
				[0, ''],
				[0, ''],
				[4, expect.stringMatching(/not signed in/)],
			]);
			const place = hasKeyring ? 'system keyring' : 'profile file';
			expect(steps[0]?.result.stderr).toContain(`its password in the ${place}`);
			expect(steps[1]?.result.stdout).toContain(place);
			expect(steps[0]?.config.includes(desk.password)).toBe(!hasKeyring);
			expect(steps[3]?.config).not.toContain('secret');
		},
	);
});

describe('without a keyring', () => {
	it('the secret goes to the file, at 0600, and a plain notice says so', async () => {
		const config = join(temporaryFolder(), 'config');
		const env = {
			SUPPORTCTL_CONFIG_DIR: config,
			DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
			XDG_RUNTIME_DIR: '/nonexistent',
		};
		const { exitCode, stderr } = await runCli(loginWords(), { env, input: desk.password });
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(
			/^warning: no system keyring can be used \(.*\): the secret is stored in .*config\.json, unencrypted, readable only by you$/m,
		);
		expect(readConfig(config).profiles.default?.secret).toEqual({ store: 'file', value: desk.password });
		expect(statSync(join(config, 'config.json')).mode & 0o777).toBe(0o600);
		expect(statSync(config).mode & 0o777).toBe(0o700);
		expect(readdirSync(config)).toEqual(['config.json']);
	});

	it('a secret that lives in one that is out of reach is an error that says so', async () => {
		const config = join(temporaryFolder(), 'config');
		mkdirSync(config, { mode: 0o700 });
		const { writeFileSync } = await import('node:fs');
		const profile = { baseUrl: desk.baseUrl, username: desk.username, secret: { store: 'keyring', account: 'x' } };
		writeFileSync(join(config, 'config.json'), JSON.stringify({ current: 'd', profiles: { d: profile } }), {
			mode: 0o600,
		});
		const env = { SUPPORTCTL_CONFIG_DIR: config, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
		const { exitCode, stderr } = await runCli(['ticket', 'update', '1', '--status', 'hold'], { env });
		expect(exitCode).toBe(4);
		expect(stderr).toMatch(/error: the system keyring, where the secret of profile "d" lives, can't be read/);
		expect(stderr).toMatch(/supportctl login --profile d/);
		expect(existsSync(join(config, 'config.json'))).toBe(true);
	});
});

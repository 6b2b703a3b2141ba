import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CliResult, Words } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { filesThat } from '../support/secrets.js';
import { temporaryFolder } from '../support/temporary.js';
import { runWithKeyring } from './keyring-session.js';

it('login keeps the secret in gnome-keyring and nowhere else, other commands find it, logout deletes it', async () => {
	const desk = await startSandbox({ seed: 20 });
	const home = temporaryFolder();
	const config = join(home, 'config');
	const session = await runWithKeyring({
		HOME: home,
		SUPPORTCTL_CONFIG_DIR: config,
		SUPPORTCTL_STATE_DIR: join(home, 'state'),
	});
	const results: CliResult[] = [];
	const run = async (args: Words, input = ''): Promise<void> => {
		results.push(await session.run(args, { input }));
		expect(filesThat((text) => text.includes(desk.password), home)).toEqual([]);
	};
	const signIn = ['--base-url', desk.baseUrl, '--username', desk.username, '--password-stdin', '--no-input'];
	const update = ['ticket', 'update', '1', '2', '--status', 'hold', '-vv'];
	try {
		await run(['login', ...signIn, '-vv'], `${desk.password}\n`);
		await run('profile show --json');
		await run(update);
		await run('logout');
		await run(update);
	} finally {
		await session.stop();
		await desk.stop();
	}
	expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 4]);
	expect(results[0]?.stderr).toMatch(/[Pp]assword.* in the system keyring/);
	expect(results[1]?.stdout).toContain('system keyring');
	expect(results[4]?.stderr).toContain('not signed in');
	for (const { stdout, stderr } of results) expect(stdout + stderr).not.toContain(desk.password);
	expect(readFileSync(join(config, 'config.json'), 'utf8')).not.toContain('secret');
});

/** `doctor` with the built binary, as a person sees it. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { runCli, startCli } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { runInTerminal } from '../support/terminal.js';

it.each([60, 80, 200])(
	'on %d columns each check is a line or more that fits, and what to do stands below',
	async (columns) => {
		const desk = await startSandbox({ seed: 3 });
		const env = { ...desk.env, SUPPORTCTL_BASE_URL: new URL(desk.baseUrl).origin, NO_COLOR: '1' };
		const { exitCode, lines } = await runInTerminal('doctor', { columns, env });
		await desk.stop();
		expect(exitCode).toBe(1);
		// A path is left whole, so that it can be copied.
		expect(lines.filter((line) => line.length > columns && line.slice(22).includes(' '))).toEqual([]);
		const begun = lines.flatMap(
			(line) => /^(pass|warn|fail|skipped) +([a-z-]+) {2,}\S/.exec(line)?.slice(1, 3).join(' ') ?? [],
		);
		expect(begun).toEqual([
			expect.stringMatching(/^(?:pass|warn) node$/),
			'pass config',
			'pass profile',
			'pass base-url',
			'pass secret',
			'pass proxy',
			'skipped dns',
			'pass tcp',
			'skipped tls',
			'fail prefix',
			'skipped credentials',
			'skipped rights',
		]);
		expect(lines.some((line) => /^ {22}-> found the API at/.test(line))).toBe(true);
		expect(lines.at(-2)).toMatch(/^1 check failed(?:, 1 warning)?$/);
	},
);

it('results are coloured on a terminal alone', async () => {
	const desk = await startSandbox({ seed: 3 });
	expect((await runInTerminal('doctor', { env: desk.env })).raw).toContain('\x1b[32mpass');
	const piped = await runCli('doctor', { env: desk.env });
	await desk.stop();
	expect(piped.stdout + piped.stderr).not.toContain('\x1b');
	expect(piped.stdout.split('\n')).toHaveLength(13);
});

it('in a pipe each check is printed when it is made', async () => {
	const silent = createServer().listen(0, '127.0.0.1');
	await once(silent, 'listening');
	const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/wp-json`;
	const env = { SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_USERNAME: 'anna', SUPPORTCTL_PASSWORD: 'x' };
	const doctor = startCli('doctor', { env });
	await doctor.until(/^pass\tsecret\t/m);
	doctor.child.kill('SIGINT');
	expect((await doctor.ended).exitCode).toBe(130);
	silent.close();
});

it('a fresh machine gets the first step', async () => {
	const { exitCode, stdout } = await runCli('doctor');
	expect(exitCode).toBe(1);
	expect(stdout).toMatch(/^fail\tprofile\tno profile and no base URL\tsupportctl login/m);
});

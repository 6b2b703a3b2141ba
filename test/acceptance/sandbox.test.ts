/** The built binary's sandbox as a process of its own, and the other commands against it. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type RunningCli, runCli, startCli } from '../support/cli.js';
import { basic, startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

interface Desk extends RunningCli {
	baseUrl: string;
	password: string;
	pid: number;
	post(path: string, body: unknown): Promise<number>;
	read(path: string): Promise<Record<string, unknown>>;
}

/** Starts the binary's sandbox on a free port; it is gone after the test. */
async function startDesk(...args: string[]): Promise<Desk> {
	const running = startCli(['sandbox', '--port', '0', '--json', ...args]);
	onTestFinished(async () => {
		running.child.kill('SIGKILL');
		await running.ended;
	});
	let line = '';
	running.child.stdout?.on('data', (text: string) => {
		line += text;
	});
	await running.until(/^\{.*\}\n/);
	const { baseUrl, username, password, pid } = JSON.parse(line);
	const headers = { authorization: basic(username, password), 'content-type': 'application/json' };
	const url = (path: string): string => `${baseUrl}/support-api/v1${path}`;
	return {
		...running,
		baseUrl,
		password,
		pid,
		async post(path, body) {
			const response = await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });
			await response.arrayBuffer();
			return response.status;
		},
		async read(path) {
			return (await (await fetch(url(path), { headers })).json()) as Record<string, unknown>;
		},
	};
}

test.each(['SIGTERM', 'SIGINT'] as const)(
	'the sandbox ends with exit code 0 at %s, even with callers connected',
	async (signal) => {
		const desk = await startDesk();
		expect(desk.pid).toBe(desk.child.pid);
		expect(await desk.post('/tickets/14', { status: 'hold' })).toBe(200);
		desk.child.kill(signal);
		expect(await desk.ended).toMatchObject({ exitCode: 0, stderr: '' });
		await expect(fetch(desk.baseUrl)).rejects.toThrow();
	},
);

test('a sandbox that is killed loses no more than the last moments, and its state is never half written', async () => {
	const state = join(temporaryFolder(), 'desk.json');
	const first = await startDesk('--state', state, '--seed', '500');
	expect(await first.post('/tickets/14', { title: 'Written before the kill' })).toBe(200);
	await expect
		.poll(() => existsSync(state) && readFileSync(state, 'utf8').includes('Written before the kill'))
		.toBe(true);
	const busy = Array.from({ length: 200 }, (_, index) =>
		first.post(`/tickets/${index + 100}`, { title: `n ${index}` }),
	);
	await Promise.race(busy);
	first.child.kill('SIGKILL');
	await Promise.allSettled(busy);
	await first.ended;
	expect(statSync(state).mode & 0o777).toBe(0o600);
	const second = await startDesk('--state', state);
	expect(await second.read('/tickets/14?context=edit')).toMatchObject({ title: { raw: 'Written before the kill' } });
	expect(second.password).toBe(first.password);
});

test('a state file that can not be written, or is damaged, ends it with exit code 1 before it says that it is ready', async () => {
	const folder = temporaryFolder();
	const [gone, damaged] = [join(folder, 'gone', 'desk.json'), join(folder, 'desk.json')];
	writeFileSync(damaged, 'not JSON');
	const open = (state: string) => runCli(['sandbox', '--port', '0', '--state', state]);
	expect(await open(gone)).toMatchObject({
		exitCode: 1,
		stdout: '',
		stderr: `error: the state file ${gone} can't be written: there is no folder ${join(folder, 'gone')}\nhint: nothing is kept; name a file that can be written with --state\n`,
	});
	expect(await open(damaged)).toMatchObject({
		exitCode: 1,
		stdout: '',
		stderr: `error: the state file ${damaged} is damaged: it is not whole JSON\nhint: nothing was changed in it; move it away, or name another file with --state\n`,
	});
	expect(readFileSync(damaged, 'utf8')).toBe('not JSON');
});

test('many rows that wait for a desk with a limit all come through, and Node has nothing to warn about', async () => {
	const desk = await startSandbox({ rateLimit: 20 });
	onTestFinished(() => desk.stop());
	const ids = Array.from({ length: 60 }, (_, index) => String((index % 50) + 1));
	const args = ['ticket', 'update', '-', '--state', 'closed', '-j', '32', '--format', 'count'];
	const { exitCode, stdout, stderr } = await runCli(args, { input: `${ids.join('\n')}\n`, env: desk.env });
	expect([exitCode, stdout]).toEqual([0, '60\n']);
	expect(stderr).not.toContain('Warning');
	expect(desk.requests.some((each) => each.status === 429)).toBe(true);
	expect([...desk.store.tickets.values()].every((each) => each.state === 'closed')).toBe(true);
});

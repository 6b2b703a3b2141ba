/** The built binary's sandbox as a process of its own, and the other commands against it. */

import { expect, onTestFinished, test } from 'vitest';
import { type RunningCli, runCli, startCli } from '../support/cli.js';
import { basic, startSandbox } from '../support/sandbox.js';

interface Desk extends RunningCli {
	baseUrl: string;
	pid: number;
	post(path: string, body: unknown): Promise<number>;
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
		pid,
		async post(path, body) {
			const response = await fetch(url(path), { method: 'POST', headers, body: JSON.stringify(body) });
			await response.arrayBuffer();
			return response.status;
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

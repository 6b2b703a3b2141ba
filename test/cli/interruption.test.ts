/** Signals to commands without a journal, while a request without a response is under way. */

import { describe, expect, it } from 'vitest';
import { runMain } from '../../src/main.js';
import { type RunningCli, startCli } from '../support/cli.js';
import { memoryContext } from '../support/context.js';
import { json, startRecorder } from '../support/recorder.js';
import { temporaryFolder } from '../support/temporary.js';

/** A service that takes requests and responds only to the first so many. */
async function silent(responses = 0) {
	const recorder = await startRecorder((_request, _response, count) =>
		count <= responses ? json(200, [{ id: count }], { 'x-wp-totalpages': '2' }) : undefined,
	);
	return { ...recorder, arrival: recorder.reached(responses + 1) };
}

async function interrupted(running: RunningCli, signal: NodeJS.Signals, arrival: Promise<void>) {
	await arrival;
	running.child.kill(signal);
	return running.ended;
}

const write = ['api', 'POST', 'tickets/14', '-f', 'title=x'];

describe('a signal', () => {
	it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
		'%s ends a write of api with 130 and says to check it',
		async (signal) => {
			const { env, arrival, requests } = await silent();
			expect(await interrupted(startCli(write, { env }), signal, arrival)).toEqual({
				exitCode: 130,
				stdout: '',
				stderr: 'error: interrupted; check before you send it again: POST /support-api/v1/tickets/14\n',
			});
			expect(requests).toHaveLength(1);
		},
	);

	it('SIGTERM ends user check with 130 and says that nothing is known', async () => {
		const { env, arrival } = await silent();
		const check = startCli('user check ada --password-stdin', { env, input: 'hunter22\n' });
		expect(await interrupted(check, 'SIGTERM', arrival)).toEqual({
			exitCode: 130,
			stdout: '',
			stderr: 'error: interrupted; it is unknown whether the credentials of "ada" are valid\n',
		});
	});

	it('SIGINT ends login with 130, and nothing is stored', async () => {
		const { env, baseUrl, arrival } = await silent();
		const config = temporaryFolder();
		const argv = ['login', '--base-url', baseUrl, '--username', 'ada', '--password-stdin', '--insecure-storage'];
		const login = startCli(argv, { env: { SUPPORTCTL_CONFIG_DIR: config }, input: 'hunter22\n' });
		expect(await interrupted(login, 'SIGINT', arrival)).toEqual({
			exitCode: 130,
			stdout: '',
			stderr: 'error: interrupted; nothing was stored\n',
		});
		const list = await startCli('profile list --json', { env: { ...env, SUPPORTCTL_CONFIG_DIR: config } }).ended;
		expect(list.stdout).toBe('[]\n');
	});

	it.each([
		['SIGINT', 'user delete 5 --reassign 1 --yes'],
		['SIGHUP', 'ticket update 14 --assignee @me'],
		['SIGINT', 'ticket update 14 15 --assignee @me'],
		['SIGTERM', 'user delete @me --reassign 1 --yes'],
	] as const)('%s ends %s with 130 while users are looked up, and says that nothing was sent', async (signal, argv) => {
		const { env, arrival } = await silent();
		const [stdout, stderr] = ['', 'error: interrupted; nothing was sent\n'];
		expect(await interrupted(startCli(argv, { env }), signal, arrival)).toEqual({ exitCode: 130, stdout, stderr });
	});

	it('SIGHUP ends doctor with 130', async () => {
		const { env, arrival } = await silent();
		const result = await interrupted(startCli('doctor', { env }), 'SIGHUP', arrival);
		expect(result).toMatchObject({ exitCode: 130, stderr: 'error: interrupted; nothing was changed\n' });
	});
});

describe('a command that is interrupted', () => {
	it('says so in one object with --json', async () => {
		for (const argv of [
			[...write, '--json'],
			['doctor', '--json'],
		]) {
			const { env, arrival } = await silent();
			const { exitCode, stderr } = await interrupted(startCli(argv, { env }), 'SIGINT', arrival);
			expect(exitCode).toBe(130);
			expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'interrupted', exitCode: 130 } });
		}
	});

	it('ignores signals once it has its response', async () => {
		const { env } = await startRecorder();
		const context = memoryContext({ argv: write, env: { ...env, SUPPORTCTL_CONFIG_DIR: temporaryFolder() } });
		expect(await runMain(context)).toBe(0);
		for (const signal of ['SIGINT', 'SIGINT'] as const) context.signal(signal);
		expect({ stdout: context.stdout.text, stderr: context.stderr.text, abandoned: context.abandoned }).toEqual({
			stdout: '{"id":14}\n',
			stderr: '',
			abandoned: [],
		});
	});
});

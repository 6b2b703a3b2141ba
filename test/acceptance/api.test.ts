/** `api` with the built binary: in pipes between real processes, and on a terminal. */

import { expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { json, startRecorder, text } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { runInTerminal } from '../support/terminal.js';

it('the ids of every page are the input of the next command', async () => {
	const desk = await startSandbox({ seed: 230 });
	const shell =
		"supportctl api GET tickets -f assignee=0 -f state=any --paginate --query '[].id' --format ids | supportctl ticket update - --status hold --json -q | tail -c 20";
	const { exitCode, raw } = await runInTerminal([], { shell, env: desk.env });
	await desk.stop();
	expect({ exitCode, raw }).toMatchObject({ exitCode: 0 });
	expect(desk.store.tickets.size).toBe(230);
	expect([...desk.store.tickets.values()].map((ticket) => ticket.status)).toEqual(Array(230).fill('hold'));
});

it('pages are on stdout while later ones are still asked for, and a reader that goes away ends it quietly', async () => {
	const desk = await startSandbox({ seed: 400 });
	const shell =
		'supportctl api GET tickets -f assignee=0 -f state=any -f per_page=1 --paginate --format ndjson | head -n 1 | cut -c1-10';
	const { exitCode, lines } = await runInTerminal([], { shell, env: desk.env });
	await desk.stop();
	expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: ['{"id":1,"d', ''] });
	expect(desk.requests.length).toBeLessThan(400);
});

it('on a terminal JSON is indented, and text of other kinds cannot move the cursor', async () => {
	const desk = await startSandbox({ seed: 20 });
	const { lines } = await runInTerminal('api GET tickets/14/custom-fields', {
		env: { ...desk.env, NO_COLOR: '1' },
	});
	await desk.stop();
	expect(lines[0]).toBe('{');
	expect(lines[1]).toMatch(/^ {2}"[a-z_-]+": \{$/);
	const recorder = await startRecorder(
		text(200, 'one\x1b]0;owned\x07\r\x1b[2Jtwo\nthree', { 'content-type': 'text/plain' }),
	);
	const shown = await runInTerminal('api GET x', { env: recorder.env });
	expect(shown.raw).toBe('one\\x1b]0;owned\\x07\\r\\x1b[2Jtwo\r\nthree\r\n');
});

it('a delete asks on a terminal, and a bare Enter means no', async () => {
	const desk = await startSandbox({ seed: 20 });
	const question = /Send DELETE \/support-api\/v1\/tickets\/14 on 127\.0\.0\.1:\d+\?/;
	const ask = (typed: string) => runInTerminal('api DELETE tickets/14', { env: desk.env, script: [[question, typed]] });
	const no = await ask('\r');
	expect(no.exitCode).toBe(2);
	expect(no.raw).toContain('canceled; nothing was sent');
	expect(desk.requests).toEqual([]);
	expect((await ask('y\r')).exitCode).toBe(0);
	expect(desk.requests.map((each) => each.method)).toEqual(['DELETE']);
	await desk.stop();
});

it('a pipe that is full and does not block loses nothing', async () => {
	const list = Array.from({ length: 20_000 }, (_, index) => ({ id: index + 1 }));
	const recorder = await startRecorder(json(200, list));
	// Node makes the pipe on descriptor 3 non-blocking, and resets only 0 to 2 when it ends. The pipe is read late.
	const unblock = `'${process.execPath}' -e 'new (require("node:net").Socket)({ fd: 3, readable: false })' 3>&1 >/dev/null`;
	const script = `{ ${unblock}; "$@"; echo "exit $?" >&2; } | { sleep 2; cat; }`;
	const { stdout, stderr } = await runCli('api GET things --format ids', {
		env: recorder.env,
		through: ['sh', '-c', script, 'sh'],
	});
	expect(stderr).toBe('exit 0\n');
	expect(stdout).toBe(list.map(({ id }) => `${id}\n`).join(''));
});

/** A run that a person watches and stops: signals, progress, and outcomes as they come. */

import { once } from 'node:events';
import { copyFileSync, mkdirSync, renameSync, unlinkSync, watch } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Desk, startDesk } from '../support/desk.js';
import { done, idOf, json, type Responder } from '../support/recorder.js';
import { runInTerminal } from '../support/terminal.js';
import { hastyClock, type Workplace } from '../support/workplace.js';

const ok = done();

/** A service that responds for the first so many tickets and holds the other requests until `go`. */
async function holding(free: number) {
	let holds = true;
	const held: (() => void)[] = [];
	let wake = (): void => undefined;
	const { recorder, work } = await startDesk((request, response, count) => {
		if (!holds || idOf(request) <= free) return ok;
		held.push(() => ok(request, response, count));
		wake();
	});
	work.edits(100);
	return {
		recorder,
		work,
		/** Resolves when so many requests are held back. */
		async held(count: number): Promise<void> {
			while (held.length < count) await new Promise<void>((resolve) => (wake = resolve));
		},
		/** Responds to one held request. */
		next: (): void => held.shift()?.(),
		go(): void {
			holds = false;
			for (const respond of held.splice(0)) respond();
		},
	};
}

const args = ['ticket', 'update', '--input', 'edits.csv', '-j', '4', '--format', 'count'];

/** Resumes and says which rows the second half sent. */
async function resumed(work: Workplace, recorder: Desk): Promise<number[]> {
	const before = recorder.writes.length;
	expect((await work.run('run resume last -q --format count')).exitCode).toBe(0);
	return recorder.writes.slice(before).map(idOf);
}

const sorted = (numbers: number[]): number[] => numbers.sort((left, right) => left - right);
const ids = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
	it('stops sending, waits for what is in flight, closes the journal and says how to go on', async () => {
		const { recorder, work, held, go } = await holding(10);
		const run = work.spawn(args);
		await held(4);
		run.child.kill(signal);
		await run.until(/waiting for requests in flight/);
		expect(run.child.exitCode).toBeNull();
		go();
		const { exitCode, stdout, stderr } = await run.ended;
		expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '14\n' });
		expect(stderr).toMatch(/^Stopping \(90 rows unfinished\)… waiting for requests in flight/);
		const id = work.records()[0]?.id;
		expect(stderr).toContain(`interrupted\nSend the rest: supportctl run resume ${id}\n`);
		expect(stderr).toMatch(/: 100 rows in .*: 14 ok, 86 not sent\n$/);
		expect(work.records().at(-1)).toMatchObject({ type: 'end', exit: 130, interrupted: true });
		expect(recorder.writes).toHaveLength(14);
		expect(sorted(await resumed(work, recorder))).toEqual(ids(15, 100));
	});
});

describe('a journal that is not there any more', () => {
	it.each([
		['removed', (path: string) => unlinkSync(path)],
		['replaced', (path: string) => renameSync(path, `${path}.old`) ?? copyFileSync(`${path}.old`, path)],
	])('stops the run where it was %s, with an error that says so', async (_, change) => {
		const { recorder, work, held, next, go } = await holding(10);
		const run = work.spawn(args);
		await held(4);
		change(work.journals()[0] as string);
		while (run.child.exitCode === null && recorder.writes.length < 100) {
			next();
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
		go();
		const { exitCode, stderr } = await run.ended;
		expect(exitCode).not.toBe(0);
		expect(stderr).toContain('was removed or replaced during the run');
		expect(stderr).toMatch(/\d+ ok/);
		expect(recorder.writes.length).toBeLessThan(100);
	});
});

describe('a second signal', () => {
	it('leaves at once; what was in flight is sent again by a resume', async () => {
		const { recorder, work, held, go } = await holding(10);
		const run = work.spawn(args);
		await held(4);
		run.child.kill('SIGINT');
		await run.until(/waiting for requests in flight/);
		run.child.kill('SIGINT');
		const { exitCode, stderr } = await run.ended;
		expect(exitCode).toBe(130);
		expect(stderr).toMatch(/quitting now; to send the rest: supportctl run resume \S+\n/);
		expect(
			work
				.records()
				.filter(({ type }) => type !== 'before')
				.at(-1),
		).toMatchObject({ type: 'row', outcome: 'ok' });
		go();
		expect(sorted(await resumed(work, recorder))).toEqual(ids(11, 100));
	});
});

describe('a signal while a row waits for its next try', () => {
	it('ends the wait, and the row is one that a resume sends', async () => {
		let busy = true;
		const { recorder, work } = await startDesk(() =>
			busy ? json(429, { code: 'busy', message: 'Later.' }, { 'retry-after': '60' }) : ok,
		);
		const { context, ended } = work.begin('ticket update 1 2 3 --status hold -j 3 --no-snapshot');
		const putOff = (): number =>
			work.journals().length === 0 ? 0 : work.records().filter(({ type }) => type === 'attempt').length;
		while (putOff() < 3) await new Promise((resolve) => setImmediate(resolve));
		context.signal('SIGINT');
		expect((await ended).exitCode).toBe(130);
		expect(work.records().at(-1)).toMatchObject({ counts: { failed: 0, 'not-sent': 3 } });
		busy = false;
		expect(sorted(await resumed(work, recorder))).toEqual([1, 2, 3]);
	});
});

describe('a signal while rows wait for their turn', () => {
	it('ends the wait of a slow --rate', async () => {
		const { recorder, work } = await holding(3);
		const run = work.spawn('ticket update 1 2 3 --status hold --rate 0.05 -v --no-snapshot');
		await run.until(/< 200/);
		const started = performance.now();
		run.child.kill('SIGINT');
		expect((await run.ended).exitCode).toBe(130);
		expect(performance.now() - started).toBeLessThan(10_000);
		expect(recorder.writes).toHaveLength(1);
		expect(work.records().at(-1)).toMatchObject({ type: 'end', counts: { ok: 1, 'not-sent': 2 } });
	});
});

describe('a signal before the first request', () => {
	it('while standard input is read: nothing is sent, and no copy of it is left', async () => {
		const { recorder, work } = await holding(0);
		const spool = join(work.env.SUPPORTCTL_STATE_DIR as string, 'spool');
		mkdirSync(spool, { recursive: true });
		const watcher = watch(spool);
		const copied = once(watcher, 'change');
		const { child, ended } = work.spawn('ticket delete - --yes', { input: '1\n2\n', holdsInput: true });
		await copied;
		watcher.close();
		child.kill('SIGINT');
		expect(await ended).toEqual({ exitCode: 130, stdout: '', stderr: 'error: interrupted; nothing was sent\n' });
		expect([recorder.writes, work.spooled(), work.journals()]).toEqual([[], [], []]);
	});

	it('while the own account is looked up: nothing is sent, and no copy of the input is left', async () => {
		const { recorder, work, held } = await holding(0);
		const { child, ended } = work.spawn('user delete - --reassign 1 --yes', { input: '5\n6\n' });
		await held(1);
		child.kill('SIGINT');
		expect(await ended).toEqual({ exitCode: 130, stdout: '', stderr: 'error: interrupted; nothing was sent\n' });
		expect(recorder.writes.map(({ method }) => method)).not.toContain('DELETE');
		expect([work.spooled(), work.journals()]).toEqual([[], []]);
	});

	it('at the question', async () => {
		const { recorder, work } = await holding(0);
		const questions: string[] = [];
		const unasked = (): never => {
			throw new Error('an unexpected question');
		};
		let run: ReturnType<typeof work.begin> | undefined;
		let endQuestion = (_error: Error): void => undefined;
		await new Promise<void>((left) => {
			run = work.begin('ticket delete -', {
				stdin: '1\n2\n',
				prompts: {
					...{ available: true, text: unasked, secret: unasked, choice: unasked },
					// The program ends while the question is there.
					confirm(question) {
						questions.push(question);
						run?.context.signal('SIGTERM');
						left();
						return new Promise((_, reject) => {
							endQuestion = reject;
						});
					},
				},
			});
		});
		const { context, ended } = run as ReturnType<typeof work.begin>;
		const { abandoned, stdout, stderr } = context;
		expect([abandoned, stdout.text]).toEqual([[130], '']);
		expect(stderr.text).toMatch(/^Move 2 tickets to the trash on [\s\S]*\nerror: interrupted; nothing was sent\n$/);
		expect(questions).toHaveLength(1);
		expect([recorder.writes, work.spooled(), work.journals()]).toEqual([[], [], []]);
		// A process would be gone by now, with what it has open.
		endQuestion(new Error('the process is gone'));
		await ended;
	});
});

describe('in a terminal', () => {
	it('there is a bar with done, total, rate, failures and time left, which goes away; Ctrl-C drains', async () => {
		const { recorder, work, held, go } = await holding(40);
		let pressed = false;
		const { raw, exitCode, lines } = await runInTerminal(
			['ticket', 'update', '--input', `${work.folder}/edits.csv`, '-j', '4', '--rate', '100', '--yes'],
			{
				env: work.env,
				columns: 100,
				onOutput(text, terminal) {
					if (!pressed && text.includes('left')) {
						pressed = true;
						void held(4).then(() => terminal.write('\x03'));
					}
					if (text.includes('waiting for requests in flight')) go();
				},
			},
		);
		expect(exitCode).toBe(130);
		expect(raw).toMatch(/━.*─.* {2}\d+ of 100 done {2}\d+\/s {2}\d+ s left/);
		expect(raw).toMatch(/\r\x1b\[K/);
		expect(lines.at(-2)).toMatch(/^run \S+ on .*: 100 rows in .*: 44 ok, 56 not sent$/);
		expect(lines.filter((line) => /of 100 done/.test(line.split('\r').at(-1) ?? ''))).toEqual([]);
		expect(recorder.writes).toHaveLength(44);
	});
});

describe('progress', () => {
	const slow: Responder = (request, response, count) => {
		setTimeout(() => ok(request, response, count), 20);
	};

	it('is a plain line every ten seconds where there is no terminal, and none with -q', async () => {
		const { work } = await startDesk(slow);
		work.edits(60);
		const plain = await work.run(args, { clock: hastyClock(100) });
		const lines = plain.stderr.trim().split('\n');
		const seconds = Number(/ in (\d+) s: /.exec(plain.stderr)?.[1]);
		expect(lines.length).toBeGreaterThanOrEqual(3);
		expect(lines.length).toBeLessThanOrEqual(seconds / 10 + 3);
		for (const line of lines.slice(0, -2)) expect(line).toMatch(/^\d+ of 60 done(, [\d.]+\/s)?(, .* left)?$/);
		expect(lines.at(-1)).toMatch(/^run .*: 60 rows in \d+ s: 60 ok$/);
		expect(plain.stderr).not.toMatch(/[\r\x1b]/);
		expect(await work.run([...args, '-q'], { clock: hastyClock(100) })).toEqual({
			exitCode: 0,
			stdout: '60\n',
			stderr: '',
		});
	});

	it('goes on while the run waits, and says what for', async () => {
		const { work } = await startDesk((_request, _response, count) =>
			count === 5 ? json(503, { code: 'busy', message: 'Later.' }, { 'retry-after': '40' }) : ok,
		);
		work.edits(20);
		const { exitCode, stderr } = await work.run(args, { clock: hastyClock(100) });
		expect(exitCode).toBe(0);
		expect(stderr).toMatch(/of 20 done, .*waiting \d\d s for the service\n/);
	});
});

describe('outcomes', () => {
	it('stream with ndjson: a row is on stdout before the next one is sent', async () => {
		let respondToSecond = (): void => undefined;
		const { recorder, work } = await startDesk((request, response, count) => {
			if (count === 2) respondToSecond = () => ok(request, response, count);
			else ok(request, response, count);
		});
		const run = work.spawn('ticket update 1 2 --status hold -j 1 --format ndjson');
		await run.until(/"row":1,"id":1,"outcome":"ok"/);
		await recorder.wrote(2);
		respondToSecond();
		const { exitCode, stdout } = await run.ended;
		expect(exitCode).toBe(0);
		expect(
			stdout
				.trim()
				.split('\n')
				.map((line) => (JSON.parse(line) as { row: number }).row),
		).toEqual([1, 2]);
	});
});

/** Runs that are killed, or lose disk, folder, input or clock: after each, no journal has a row as done that was not sent. */

import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { credentials, expectNoCrash, startFaultyDesk } from '../support/fault.js';
import { type RawServer, type Script, startRawServer } from '../support/raw-server.js';
import { json, startRecorder } from '../support/recorder.js';
import type { JournalLine, Workplace } from '../support/workplace.js';
import { createWorkplace } from '../support/workplace.js';

const slow =
	(ms: number): Script =>
	(request) => {
		setTimeout(() => request.done(), ms);
	};

/** A workplace with a server and a list of so many tickets. */
async function begin(rows: number, script: Script): Promise<{ server: RawServer; work: Workplace; args: string[] }> {
	const server = await startFaultyDesk(script);
	const work = createWorkplace(credentials(server.baseUrl));
	work.edits(rows);
	return { server, work, args: ['ticket', 'update', '--input', 'edits.csv', '-j', '8', '-q'] };
}

/** Which rows the service was asked for, and how often. */
function sentRows(server: RawServer): Map<number, number> {
	return new Map([...server.counts].map(([path, count]) => [Number(path.split('/').at(-1)), count]));
}

function outcomesIn(records: readonly JournalLine[]): Map<number, string> {
	return new Map(
		records.filter(({ type }) => type === 'row').map(({ row, outcome }) => [row as number, outcome as string]),
	);
}

/** Whole records of a journal that a kill may have torn. */
function recordsOf(work: Workplace): JournalLine[] {
	const [path] = work.journals();
	if (path === undefined) return [];
	const lines = readFileSync(path, 'utf8').split('\n');
	return lines.slice(0, -1).map((line) => JSON.parse(line) as JournalLine);
}

/** No row is done in the journal that was not sent; returns the outcomes in the journal. */
function expectSent(work: Workplace, server: RawServer): Map<number, string> {
	const kept = outcomesIn(recordsOf(work));
	const sent = sentRows(server);
	for (const [row, outcome] of kept) if (outcome === 'ok') expect(sent.get(row), `row ${row}`).toBeGreaterThan(0);
	return kept;
}

describe('kill -9', () => {
	it('at twenty moments of a run loses no row, and each row sent twice was under way at a kill', async () => {
		const rows = 4000;
		const { server, work, args } = await begin(rows, slow(4));
		let kills = 0;
		for (let moment = 1; kills < 20; ) {
			const running = work.spawn(kills === 0 ? args : ['run', 'resume', 'last', '-q', '-j', '8']);
			await server.reached(moment);
			running.child.kill('SIGKILL');
			await running.ended;
			kills++;
			const kept = expectSent(work, server);
			const open = [...sentRows(server)].filter(([row]) => kept.get(row) !== 'ok');
			// What was sent and is not in the journal was in flight at this kill, or at an earlier one.
			expect(open.length).toBeLessThanOrEqual(8 * kills);
			moment = server.requests.length + 1 + Math.floor(Math.random() * 300);
		}
		const last = await work.spawn('run resume last -q -j 8').ended;
		expect(last.exitCode).toBe(0);
		const sent = sentRows(server);
		expect(sent.size).toBe(rows);
		const again = [...sent.values()].reduce((sum, count) => sum + count - 1, 0);
		expect(again).toBeLessThanOrEqual(8 * kills);
		expect([...expectSent(work, server).values()]).toEqual(Array.from({ length: rows }, () => 'ok'));
	});

	it('with --if-unmodified takes none of its own writes for those of others', async () => {
		const [export_, ours, theirs] = ['2026-11-01T00:00:00', '2026-11-02T00:00:00', '2026-11-03T00:00:00'];
		const rows = 200;
		const changed = 7;
		const tickets = new Map<number, object>([[changed, { id: changed, status: 'open', modified_gmt: theirs }]]);
		const writes = new Map<number, number>();
		const server = await startRawServer((request) => {
			const id = Number(/tickets\/(\d+)/.exec(request.path)?.[1]);
			const before = tickets.get(id) ?? { id, status: 'open', modified_gmt: export_ };
			const isWrite = request.method === 'POST';
			const ticket = isWrite ? { ...before, ...JSON.parse(request.body), modified_gmt: ours } : before;
			tickets.set(id, ticket);
			if (isWrite) writes.set(id, (writes.get(id) ?? 0) + 1);
			// It is saved long before the response comes.
			setTimeout(() => request.json(200, ticket), isWrite ? 20 : 1);
		});
		const work = createWorkplace(credentials(server.baseUrl));
		work.sheet('edits.csv', 'id,status,modified_gmt', rows, (row) => `${row},hold,${export_}`);
		const update = 'ticket update --input edits.csv --if-unmodified -j 8 -q';
		for (const argv of [update, 'run resume last -q -j 8', 'run resume last -q -j 8']) {
			const running = work.spawn(argv);
			await server.reached(server.requests.length + 100);
			running.child.kill('SIGKILL');
			await running.ended;
		}
		expect((await work.spawn('run resume last -q').ended).exitCode).toBe(3);
		const last = new Map(recordsOf(work).flatMap((each) => (each.type === 'row' ? [[each.row, each] as const] : [])));
		expect([...last.values()].filter(({ code }) => code === 'conflict').map(({ row }) => row)).toEqual([changed]);
		expect([...last.values()].every(({ outcome }) => outcome === 'ok' || outcome === 'skipped')).toBe(true);
		expect([last.size, writes.size, Math.max(...writes.values())]).toEqual([rows, rows - 1, 1]);
	});
});

/** Starts the program in a shell that limits or redirects it. */
const throughShell = (script: string): string[] => ['sh', '-c', script, 'sh'];

describe('a full disk', () => {
	it('under the journal stops the run; what is in it is true, and the rest goes out once there is room', async () => {
		const { server, work, args } = await begin(3000, slow(2));
		// In blocks of 512 bytes: room for some hundred records.
		const { exitCode, stderr } = await work.spawn(args, { through: throughShell('ulimit -f 60; exec "$@"') }).ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/can't write the journal .*: (?:the file has reached its size limit|the disk is full)/);
		expect(stderr).toMatch(/supportctl run resume /);
		const kept = expectSent(work, server);
		const sent = sentRows(server);
		expect(sent.size).toBeGreaterThan(50);
		expect(sent.size).toBeLessThan(3000);
		const unrecorded = [...sent.keys()].filter((row) => kept.get(row) !== 'ok').length;
		expect(unrecorded).toBeLessThanOrEqual(16);

		expect((await work.spawn('run resume last -q').ended).exitCode).toBe(0);
		expect(sentRows(server).size).toBe(3000);
		const again = [...sentRows(server).values()].reduce((sum, count) => sum + count - 1, 0);
		expect(again).toBeLessThanOrEqual(unrecorded);
	});

	it('under a journal of its own stops the run before its first request', async () => {
		const { server, work, args } = await begin(10, slow(1));
		const through = throughShell('ulimit -f 0; exec "$@"');
		const { exitCode, stderr } = await work.spawn([...args, '--journal', 'j.ndjson'], { through }).ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/the file has reached its size limit/);
		expect(server.requests).toHaveLength(0);
	});

	it('under the results is an error, not a run that looks well', async () => {
		const { server, work, args } = await begin(10, slow(1));
		const { exitCode, stderr } = await work.spawn([...args, '--format', 'ids'], {
			through: throughShell('exec "$@" > /dev/full'),
		}).ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/every row is ok; only the output failed: can't write to stdout: the disk is full/);
		// What was done is in the journal all the same.
		expect(server.requests).toHaveLength(10);
		expect(outcomesIn(recordsOf(work)).size).toBe(10);
	});

	it.each([
		[
			'ticket update 14 --status hold',
			"every row is ok; only the output failed: can't write to stdout: the disk is full",
		],
		[
			'ticket update 14 --status hold --json',
			"every row is ok; only the output failed: can't write to stdout: the disk is full",
		],
		[
			'api POST tickets/14 -f status=hold',
			"tickets/14 succeeded; only the output failed: can't write to stdout: the disk is full",
		],
		['api GET tickets/14', "error: can't write to stdout: the disk is full"],
	])('under the result of %s says what became of the request', async (line, message) => {
		const recorder = await startRecorder(json(200, { id: 14, status: 'hold' }));
		const through = throughShell('exec "$@" > /dev/full');
		const { exitCode, stderr } = await runCli(line, { env: recorder.env, through });
		expect({ exitCode, sent: recorder.requests.length }).toEqual({ exitCode: 1, sent: 1 });
		expect(stderr).toContain(message);
		expect(stderr.match(/the disk is full/g)).toHaveLength(1);
	});
});

describe('a state folder', () => {
	it.each([
		['below a file', 'file/state'],
		['that is a file', 'file'],
		['in a file system that takes nothing', '/proc/supportctl'],
	])('%s stops the run before its first request, and is named', async (_name, state) => {
		const { server, work, args } = await begin(10, slow(1));
		work.write('file', 'x');
		for (const more of [args, ['ticket', 'delete', '-', '--yes']]) {
			const { exitCode, stderr } = await work.spawn(more, { env: { SUPPORTCTL_STATE_DIR: state }, input: '1\n2\n' })
				.ended;
			expectNoCrash({ exitCode, stderr });
			expect(exitCode).toBe(1);
			expect(stderr).toMatch(/state|file|\/proc/);
		}
		expect(server.requests).toHaveLength(0);
	});

	it('that can not be had keeps a lone write from being sent, since nothing could undo it', async () => {
		const { server, work } = await begin(1, slow(1));
		work.write('file', 'x');
		const { exitCode } = await work.spawn('ticket update 1 --status hold', {
			env: { SUPPORTCTL_STATE_DIR: 'file/state' },
		}).ended;
		expect(exitCode).toBe(1);
		expect(server.requests).toHaveLength(0);
	});
});

describe('an input file', () => {
	it('that vanishes during the run does not stop it; a resume says that it is gone', async () => {
		const { server, work, args } = await begin(600, slow(10));
		const running = work.spawn(args);
		await server.reached(50);
		rmSync(join(work.folder, 'edits.csv'));
		running.child.kill('SIGINT');
		expect((await running.ended).exitCode).toBe(130);
		const before = server.requests.length;
		const { exitCode, stderr } = await work.spawn('run resume last').ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).toBe(2);
		expect(stderr).toMatch(/edits\.csv/);
		expect(server.requests).toHaveLength(before);
	});

	it('that is not there is an error before anything is sent', async () => {
		const { server, work } = await begin(1, slow(1));
		const { exitCode, stderr } = await work.spawn('ticket update --input nothing.csv --status hold').ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).toBe(2);
		expect(stderr).toMatch(/nothing\.csv/);
		expect(server.requests).toHaveLength(0);
	});

	it.each([
		['cut short', (path: string) => truncateSync(path, 5000)],
		['written over', (path: string) => writeFileSync(path, `id,status\n${'999999,read\n'.repeat(4000)}`)],
	])('that is %s while its rows are sent is noticed, and none of its new rows is sent', async (_name, change) => {
		const { server, work, args } = await begin(20_000, slow(5));
		const running = work.spawn(args);
		await server.reached(20);
		change(join(work.folder, 'edits.csv'));
		const { exitCode, stderr } = await running.ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).not.toBe(0);
		expect(stderr).toMatch(/edits\.csv.*chang/);
		expect(sentRows(server).has(999_999)).toBe(false);
		expectSent(work, server);
	});
});

describe('a clock that jumps', () => {
	it('back and forth by years breaks nothing', async () => {
		const { server, work, args } = await begin(400, (request) =>
			request.number % 50 === 0 ? request.answer(503, 'busy', { 'retry-after': '1' }) : request.done(),
		);
		const path = work.write(
			'jump.cjs',
			`const real = Date.now; let calls = 0;
			const jump = () => real() + [0, 3e10, -3e10, 9e11, -1.6e12][calls++ % 5];
			Date.now = jump;
			`,
		);
		const { exitCode, stderr } = await work.spawn(args, { env: { NODE_OPTIONS: `--require ${path}` } }).ended;
		expectNoCrash({ exitCode, stderr });
		expect(exitCode).toBe(0);
		expect(sentRows(server).size).toBe(400);
		expect(Math.max(...sentRows(server).values())).toBeLessThanOrEqual(3);
		expect([...expectSent(work, server).values()]).toEqual(Array.from({ length: 400 }, () => 'ok'));
		const listed = await work.spawn('run list --json').ended;
		expect(listed.exitCode).toBe(0);
		expect(JSON.parse(listed.stdout)).toHaveLength(1);
		expect(existsSync(path)).toBe(true);
	});
});

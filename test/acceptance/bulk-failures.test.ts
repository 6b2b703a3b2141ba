/** Runs against services that refuse, delay, drop and disappear: no row is lost, none is mislabelled, none is sent without need. */

import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { done, idOf, json, type RecordedRequest, type Responder, text } from '../support/recorder.js';
import { hastyClock, startWorkplace, type Workplace } from '../support/workplace.js';

const ok = done();
const no = (status: number, headers: Record<string, string> = {}): Responder =>
	json(status, { code: 'rest_no', message: 'Sorry.', data: { status } }, headers);
const drop: Responder = (_request, response) => {
	response.destroy();
};

interface Printed {
	id: number;
	row: number;
	outcome: string;
	status: number | null;
	code: string | null;
	attempts: number;
}

const outcomes = (stdout: string): Printed[] => jsonLines<Printed>(stdout).sort((left, right) => left.row - right.row);

/** How often each id was asked for. */
function timesSent(requests: readonly RecordedRequest[]): Map<number, number> {
	const times = new Map<number, number>();
	for (const request of requests) times.set(idOf(request), (times.get(idOf(request)) ?? 0) + 1);
	return times;
}

const UPDATE = ['ticket', 'update', '--input', 'edits.csv', '--format', 'ndjson', '-q'];

/** `Sun Nov  6 08:49:37 1994` */
function asctime(ms: number): string {
	const [, week, day, month, year, time] = /(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(ms).toUTCString()) ?? [];
	return `${week} ${month} ${day?.replace(/^0/, ' ')} ${time} ${year}`;
}

/** A run of so many rows on a clock that makes waits short. */
async function runUpdate(work: Workplace, rows: number, more: string[] = [], factor = 20) {
	work.edits(rows);
	const result = await work.run([...UPDATE, ...more], { clock: hastyClock(factor) });
	return { ...result, outcomes: outcomes(result.stdout) };
}

describe('a service that refuses everything for a while', () => {
	it.each([
		['429', {}],
		['429', { 'retry-after': '1' }],
		['503', {}],
	])('with %s and %j: every row is ok, each carried out once', async (status, headers) => {
		let until: number | undefined;
		const done: number[] = [];
		const { recorder, work } = await startDesk((request, response, count) => {
			until ??= performance.now() + 5000 / 20;
			if (performance.now() < until) return no(Number(status), headers);
			done.push(idOf(request));
			ok(request, response, count);
		});
		const result = await runUpdate(work, 100);
		expect(result.exitCode).toBe(0);
		expect(result.outcomes.map(({ outcome }) => outcome)).toEqual(Array(100).fill('ok'));
		expect(done.sort((left, right) => left - right)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
		expect(recorder.writes.length).toBeLessThan(130);
		expect(work.records().filter(({ type }) => type === 'attempt').length).toBe(recorder.writes.length - 100);
	});
});

describe('Retry-After', () => {
	const factor = 10;

	it.each([
		['seconds', () => '3'],
		['a date', () => new Date(Date.now() + 3000).toUTCString()],
	])('as %s holds up the whole run for so long', async (_name, header) => {
		let refusedAt: number | undefined;
		const arrivals: number[] = [];
		const { work } = await startDesk((request, response, count) => {
			if (refusedAt !== undefined) arrivals.push(performance.now() - refusedAt);
			if (count !== 10) return ok;
			refusedAt = performance.now();
			no(503, { 'retry-after': header() })(request, response, count);
		});
		const result = await runUpdate(work, 60, ['-j', '4'], factor);
		expect(result.exitCode).toBe(0);
		// A date has whole seconds, and what was under way arrives all the same, however late.
		expect(arrivals.filter((ms) => ms < 1900 / factor).length).toBeLessThanOrEqual(4);
		expect(arrivals.length).toBe(51);
	});

	it('beyond ten minutes ends the run, and a resume sends the row that was put off with the rest', async () => {
		let busy = true;
		const { recorder, work } = await startDesk((request) =>
			busy && idOf(request) >= 5 ? no(429, { 'retry-after': '7200' }) : ok,
		);
		const first = await runUpdate(work, 50, ['-j', '1']);
		expect(first.exitCode).toBe(3);
		expect(first.outcomes).toHaveLength(5);
		expect(first.outcomes[4]).toMatchObject({ row: 5, outcome: 'not-sent', status: 429, code: 'wait_too_long' });
		expect(first.stderr).toMatch(/the service asks to wait until \d{4}-\d\d-\d\dT/);
		busy = false;
		recorder.writes.length = 0;
		const second = await work.run('run resume last -q');
		expect(second.exitCode).toBe(0);
		expect(recorder.writes.map(idOf).sort((left, right) => left - right)).toEqual(
			Array.from({ length: 46 }, (_, index) => index + 5),
		);
	});

	it('beyond ten minutes ends the run also where it comes when a row is read back', async () => {
		let reads = 0;
		const { work } = await startWorkplace(({ method }) =>
			method === 'GET' && ++reads > 1 ? no(429, { 'retry-after': '7200' }) : ok,
		);
		// Rows are read back by the hundred.
		const { exitCode, outcomes, stderr } = await runUpdate(work, 300, ['-j', '1', '--verify', '--no-snapshot']);
		expect([exitCode, new Set(outcomes.map(({ outcome, code }) => `${outcome} ${code}`))]).toEqual([
			3,
			new Set(['unknown not_verified']),
		]);
		expect(outcomes.length).toBeLessThan(200);
		expect(stderr).toMatch(/the service asks to wait until \d{4}-\d\d-\d\dT/);
	});

	it.each([
		['seconds', () => '7200'],
		['an asctime date', () => asctime(Date.now() + 7_200_000)],
	])('beyond ten minutes as %s ends each command at its first request, and says until when', async (_name, header) => {
		const { recorder, work } = await startWorkplace(no(429, { 'retry-after': header() }));
		const rows = 'ticket update 1 2 3 4 5 6 --status hold';
		for (const command of [
			rows,
			'ticket update 1 --status hold',
			`${rows} --plan p.plan`,
			`${rows} --dry-run`,
			`${rows} --verify --if status=read`,
			'ticket update 1 2 --product sales',
			'user delete bob --reassign 1 --yes',
			'term update ticket_priority 5 --name x',
			'ticket list',
			'ticket get 1 2 3 -j 1',
		]) {
			recorder.requests.length = 0;
			const { exitCode, stderr } = await work.run(command);
			expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/asks to wait until \d{4}-\d\d-\d\dT/)]);
			expect(recorder.requests, command).toHaveLength(1);
		}
	});

	it('beyond ten minutes in the middle of a plan ends it, and no plan is written', async () => {
		let reads = 0;
		const { recorder, work } = await startWorkplace(({ method }) => {
			reads++;
			// Lists are not served.
			if (reads === 1) return no(404);
			return method === 'GET' && reads > 10 ? no(503, { 'retry-after': '7200' }) : ok;
		});
		work.edits(300);
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv --plan p.plan');
		expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/asks to wait until .*; nothing was sent/)]);
		expect(recorder.requests.length).toBeLessThan(20);
		expect(() => work.read('p.plan')).toThrow('ENOENT');
	});

	it('beyond ten minutes ends the run before the row is read back', async () => {
		const { work } = await startWorkplace(({ method }) => (method === 'GET' ? ok : no(503, { 'retry-after': '7200' })));
		const { exitCode, outcomes } = await runUpdate(work, 50, ['-j', '1', '--verify', '--no-snapshot']);
		expect([exitCode, outcomes.map(({ outcome, code }) => `${outcome} ${code}`)]).toEqual([
			3,
			['unknown wait_too_long'],
		]);
	});

	it('beyond ten minutes ends the run at its first read, before anything is written', async () => {
		const { recorder, work } = await startWorkplace(() => no(429, { 'retry-after': '7200' }));
		const { exitCode, stderr } = await work.run('ticket update 1 2 --status hold --snapshot');
		expect([exitCode, recorder.requests.length], stderr).toEqual([1, 1]);
		expect(stderr).toMatch(/the service asks to wait until \d{4}-\d\d-\d\dT.*; nothing was sent/);
	});
});

describe('connections that drop after the request was read', () => {
	it('each tenth: updates are sent again until a response comes', async () => {
		const { recorder, work } = await startDesk((_request, _response, count) => (count % 10 === 0 ? drop : ok));
		const result = await runUpdate(work, 200, ['-j', '8']);
		expect(result.exitCode).toBe(0);
		expect(result.outcomes.map(({ outcome }) => outcome)).toEqual(Array(200).fill('ok'));
		// 22 of 222 are dropped: a row that is sent again may be a tenth one, too.
		const again = result.outcomes.reduce((sum, { attempts }) => sum + attempts - 1, 0);
		expect([again, recorder.writes.length]).toEqual([22, 222]);
	});

	it('a delete that is then gone is ok; one that was gone before failed, unless --ignore-missing', async () => {
		const gone = new Set([3, 4]);
		const { recorder, work } = await startDesk((request, response, count) => {
			const id = idOf(request);
			if (gone.has(id)) {
				const code = id % 2 === 0 ? 'rest_already_trashed' : 'rest_post_invalid_id';
				return json(id % 2 === 0 ? 410 : 404, { code, message: 'Gone.', data: {} });
			}
			gone.add(id);
			(id <= 2 ? drop : ok)(request, response, count);
		});
		const args = ['ticket', 'delete', '1', '2', '3', '4', '5', '--yes', '-q', '--format', 'ndjson'];
		const first = await work.run(args, { clock: hastyClock(20) });
		expect(first.exitCode).toBe(3);
		expect(outcomes(first.stdout).map(({ outcome, status }) => [outcome, status])).toEqual([
			['ok', 404],
			['ok', 410],
			['failed', 404],
			['failed', 410],
			['ok', 200],
		]);
		expect(recorder.writes).toHaveLength(7);
		const again = await work.run([...args, '--ignore-missing']);
		expect(again.exitCode).toBe(0);
		expect(outcomes(again.stdout).every(({ outcome }) => outcome === 'ok')).toBe(true);
	});

	it('a 404 for a path that is not served is no success of a delete', async () => {
		const { work } = await startDesk(json(404, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } }));
		const args = ['ticket', 'delete', '1', '2', '--yes', '--ignore-missing', '-q', '--format', 'ndjson'];
		const result = await work.run(args);
		expect(result.exitCode).toBe(1);
		expect(outcomes(result.stdout).map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
	});

	it('always: the row is unknown, neither ok nor failed, exit code 5, and a resume sends it', async () => {
		let broken = true;
		const { work, recorder } = await startDesk((request) => (broken && idOf(request) === 3 ? drop : ok));
		const result = await runUpdate(work, 20, ['--retries', '1']);
		expect(result.exitCode).toBe(5);
		expect(result.outcomes.filter(({ outcome }) => outcome !== 'ok')).toEqual([
			expect.objectContaining({ row: 3, outcome: 'unknown', status: null, attempts: 2 }),
		]);
		broken = false;
		recorder.writes.length = 0;
		expect(await work.run('run resume last -q')).toMatchObject({ exitCode: 0 });
		expect(recorder.writes.map(idOf)).toEqual([3]);
	});
});

describe('a 401', () => {
	it('ends the run at once with exit code 4; after signing in, a resume sends the rest and nothing twice', async () => {
		let password = 's3cret pass';
		const { recorder, work } = await startDesk((request, response, count) => {
			if (count === 30) password = 'changed';
			const expected = `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`;
			(request.headers.authorization === expected ? ok : no(401))(request, response, count);
		});
		const first = await runUpdate(work, 500);
		expect(first.exitCode).toBe(4);
		expect(first.stderr).toContain('stopped: the service refused the credentials (401: Sorry.)');
		expect(first.stderr).toMatch(/check SUPPORTCTL_PASSWORD, or unset it and run: supportctl login/);
		expect(first.stderr).toMatch(/to send the rest: supportctl run resume \d{8}-\d{6}-\w{5}/);
		expect(recorder.writes.length).toBeLessThan(40);
		const served = first.outcomes.filter(({ outcome }) => outcome === 'ok').map(({ id }) => id);
		expect(served).toHaveLength(29);

		recorder.writes.length = 0;
		const still = await work.run('run resume last -q');
		expect(still.exitCode).toBe(4);
		expect(recorder.writes.length).toBeLessThan(10);

		recorder.writes.length = 0;
		const last = await work.run('run resume last -q', { env: { SUPPORTCTL_PASSWORD: 'changed' } });
		expect(last.exitCode).toBe(0);
		const again = timesSent(recorder.writes);
		expect(again.size).toBe(500 - served.length);
		expect(Math.max(...again.values())).toBe(1);
		expect(served.filter((id) => again.has(id))).toEqual([]);
	});
});

describe('rows that the service refuses', () => {
	it('fail alone with a 403, and the run goes on', async () => {
		const { recorder, work } = await startDesk((request) => (idOf(request) % 10 === 0 ? no(403) : ok));
		const result = await runUpdate(work, 50);
		expect(result.exitCode).toBe(3);
		expect(recorder.writes).toHaveLength(50);
		expect(result.outcomes.filter(({ outcome }) => outcome === 'failed').map(({ row }) => row)).toEqual([
			10, 20, 30, 40, 50,
		]);
	});

	it('end the run at the first of them with --stop-on-error', async () => {
		const { recorder, work } = await startDesk((request) => (idOf(request) === 5 ? no(400) : ok));
		const result = await runUpdate(work, 100, ['--stop-on-error', '-j', '1']);
		expect(result.exitCode).toBe(3);
		expect(recorder.writes).toHaveLength(5);
		expect(result.stderr).toContain('stopped at row 5: it failed (--stop-on-error)');
		expect(work.records().at(-1)).toMatchObject({ type: 'end', counts: { ok: 4, failed: 1, 'not-sent': 95 } });
		expect((await work.run('run list --field state')).stdout).toBe('stopped\n');
	});

	it('end the run when there are more than --max-failures', async () => {
		const { recorder, work } = await startDesk((request) => (idOf(request) % 4 === 0 ? no(400) : ok));
		const result = await runUpdate(work, 100, ['--max-failures', '2', '-j', '1']);
		expect(result.exitCode).toBe(3);
		expect(recorder.writes).toHaveLength(12);
		expect(result.stderr).toContain('stopped: 3 rows failed or are unknown (--max-failures 2)');
	});

	it('are not tried again where the service gave a reason, and once more where that is an error of its own', async () => {
		for (const [status, requests] of [
			[501, 5],
			[500, 10],
		] as const) {
			const { recorder, work } = await startDesk(no(status));
			expect((await runUpdate(work, 5, ['-j', '1'])).exitCode).toBe(1);
			expect(recorder.writes).toHaveLength(requests);
		}
	});

	it.each<[string, Responder, number, number, number]>([
		['a redirect', text(302, '', { location: 'https://elsewhere.example/' }), 1, 3, 200],
		['a login form', text(200, '<html><title>Log in</title><form><input type="password"></form></html>'), 3, 0, 220],
		['an HTML 404', text(404, '<html><title>Not found</title></html>'), 1, 3, 200],
	])(
		'stop the run where the first twenty got %s, and a resume goes on',
		async (_what, responder, first, resumed, requests) => {
			let current: Responder = responder;
			const { recorder, work } = await startDesk((...all) => current(...all));
			const result = await runUpdate(work, 200, ['-j', '1']);
			expect(result.exitCode).toBe(first);
			expect(recorder.writes).toHaveLength(20);
			expect(result.stderr).toContain('stopped: the first 20 rows failed for the same reason: the ');
			current = ok;
			expect((await work.run('run resume last -q')).exitCode).toBe(resumed);
			expect(recorder.writes).toHaveLength(requests);
		},
	);
});

describe('the exit code of a run', () => {
	const cases: [statuses: number[], exitCode: number][] = [
		[[200, 200], 0],
		[[400, 400], 1],
		[[200, 400], 3],
		[[403, 403], 4],
		[[200, 403], 3],
		[[400, 403], 1],
		[[200, 0], 5],
		[[0, 0], 5],
		[[400, 0], 3],
		[[200, 400, 0], 3],
	];

	it.each(cases)('with the responses %j (0 for none) is %i', async (statuses, exitCode) => {
		const responses: Record<number, Responder> = { 200: ok, 0: drop };
		const { work } = await startDesk((request, response, count) => {
			const status = statuses[idOf(request) - 1] as number;
			(responses[status] ?? no(status))(request, response, count);
		});
		expect((await runUpdate(work, statuses.length, ['--retries', '0'])).exitCode).toBe(exitCode);
	});
});

describe('a service that is not there', () => {
	it('ends a run within seconds, and everything is left for a resume', async () => {
		const { recorder, work } = await startDesk(ok);
		const env = { SUPPORTCTL_BASE_URL: 'http://127.0.0.1:1/wp-json' };
		work.edits(100);
		const result = await work.run(UPDATE, { env, clock: hastyClock(20) });
		expect(result.exitCode).toBe(1);
		const [error, summary] = jsonLines(result.stderr);
		expect(summary).toMatchObject({
			summary: { rows: 100, exitCode: 1, next: [expect.stringContaining('run resume')] },
		});
		expect(error).toMatchObject({
			error: {
				message: expect.stringMatching(
					/^stopped: the service could not be reached \(.*\); 100 of 100 rows did not succeed$/,
				),
				hint: expect.stringMatching(/^run "supportctl doctor"; to send the rest: supportctl run resume \S+$/),
				stopped: 'unreachable',
			},
		});
		expect(work.records().at(-1)).toMatchObject({ type: 'end', counts: { 'not-sent': 100 } });
		expect(recorder.writes).toEqual([]);
	});
});

describe('rows of one id', () => {
	it('arrive one after another in the order of the input, however slow each is', async () => {
		const underWay = new Set<number>();
		const titles = new Map<number, string[]>();
		let overlaps = 0;
		let most = 0;
		const { work } = await startDesk((request, response, count) => {
			const id = idOf(request);
			if (underWay.has(id)) overlaps++;
			underWay.add(id);
			most = Math.max(most, underWay.size);
			titles.set(id, [...(titles.get(id) ?? []), (JSON.parse(request.body) as { title: string }).title]);
			setTimeout(
				() => {
					underWay.delete(id);
					ok(request, response, count);
				},
				(count * 7) % 5,
			);
		});
		work.sheet('edits.csv', 'id,title', 300, (row) => `${(row % 7) + 1},t${row}`);
		expect((await work.run([...UPDATE, '-j', '6'])).exitCode).toBe(0);
		expect(overlaps).toBe(0);
		expect(most).toBeGreaterThan(3);
		for (const [id, seen] of titles) {
			const rows = Array.from({ length: 300 }, (_, index) => index + 1).filter((row) => (row % 7) + 1 === id);
			expect(seen).toEqual(rows.map((row) => `t${row}`));
		}
	});
});

/** What holds for the first part of a run holds for those that go on with it. */

import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/io/context.js';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { arrivals } from '../support/listen.js';
import { pathOf, type Shown, shownTo, startOf } from '../support/objects.js';
import { done, idOf, json, type RecordedRequest, type Responder } from '../support/recorder.js';
import { scriptedPrompts } from '../support/scripted-prompts.js';
import { hastyClock } from '../support/workplace.js';

const ok = done();
const no = (status: number): Responder => json(status, { code: 'rest_no', message: 'No.', data: { status } });

describe('a resume', () => {
	test('adds the tag that a lost write did not add', async () => {
		let isLost = true;
		const { recorder, work } = await startDesk((_request, response) => (isLost ? void response.destroy() : ok));
		await work.run('ticket update 1 --add-ticket-tag 6 --retries 0 -q');
		expect(recorder.writes).toHaveLength(1);
		isLost = false;
		const { exitCode, stdout, stderr } = await work.run('run resume last -q --format ndjson');
		expect(exitCode, stderr).toBe(0);
		expect(jsonLines(stdout)).toMatchObject([{ id: 1, outcome: 'ok' }]);
		expect(recorder.object('/tickets/1')).toMatchObject({ 'ticket-tag': [6] });
	});

	test('sends a row though a later one of its object was refused', async () => {
		let isDown = true;
		const { recorder, work } = await startDesk(({ body }, response) => {
			if (JSON.parse(body).status === 'pending') return no(403);
			return isDown ? void response.destroy() : ok;
		});
		work.write('edits.csv', 'id,status\n5,hold\n5,pending\n');
		await work.run('ticket update --input edits.csv --retries 0 -j 1 -q');
		isDown = false;
		const { stdout, stderr } = await work.run('run resume last -q --format ndjson');
		expect(jsonLines(stdout), stderr).toMatchObject([{ row: 1, outcome: 'ok' }]);
		expect(recorder.object('/tickets/5')).toMatchObject({ status: 'hold' });
	});

	test('of a row that was refused keeps the old values that it overwrites, not those that stood there then', async () => {
		let isRefused = true;
		const { recorder, work } = await startDesk(() => (isRefused ? no(403) : ok));
		await work.run('ticket update 1 --title ours -q');
		const [run = ''] = work.journals();
		isRefused = false;
		await work.run('ticket update 1 --title theirs -q');
		await work.run(['run', 'retry', run, '-q']);
		expect(recorder.object('/tickets/1')).toMatchObject({ title: 'ours' });
		const views = [
			['run', 'show', run, '--changes'],
			['ticket', 'history', '1'],
		];
		for (const view of views) {
			const { stdout, stderr } = await work.run([...view, '--format', 'ndjson']);
			expect(stdout, stderr).toContain('{"field":"title","old":"theirs","new":"ours"');
		}
		const { exitCode, stderr } = await work.run(['run', 'undo', run, '--yes', '-q']);
		expect(exitCode, stderr).toBe(0);
		expect(recorder.object('/tickets/1')).toMatchObject({ title: 'theirs' });
	});

	test('of a row that may have been written keeps the old values from before its first write', async () => {
		let isLost = true;
		const { recorder, work } = await startDesk((_request, response) => (isLost ? void response.destroy() : ok));
		const before = recorder.object('/tickets/1');
		await work.run('ticket update 1 --title ours --status hold --retries 0 -q');
		const [run = ''] = work.journals();
		isLost = false;
		// What the lost write saved of it.
		await work.run('ticket update 1 --title ours -q');
		expect((await work.run(['run', 'resume', run, '-q'])).exitCode).toBe(0);
		const { exitCode, stderr } = await work.run(['run', 'undo', run, '--yes', '-q']);
		expect(exitCode, stderr).toBe(0);
		const { title, status } = before ?? {};
		expect(recorder.object('/tickets/1')).toMatchObject({ title, status });
	});

	test('knows what was under way at a kill, also if the resume before it sent nothing', async () => {
		let isSilent = true;
		const ofTwo = (request: RecordedRequest): Responder | undefined => {
			// In a list of its own, too.
			return idOf(request) === 2 || /[?&]include=2&/.test(request.url) ? no(403) : undefined;
		};
		const { recorder, work } = await startDesk((request) => {
			return isSilent && idOf(request) === 2 ? undefined : (ofTwo(request) ?? ok);
		}, ofTwo);
		const { child, ended } = work.spawn('ticket update 1 2 3 --status hold -j 1 -q --no-snapshot');
		await recorder.wrote(2);
		child.kill('SIGKILL');
		await ended;
		isSilent = false;
		const nothing = await work.run('run resume last --for 0s -q');
		expect([nothing.exitCode, recorder.writes.length]).toEqual([3, 2]);
		const { stdout, stderr } = await work.run('run resume last -q -j 1 --format ndjson');
		expect(jsonLines(stdout), stderr).toMatchObject([
			{ id: 2, outcome: 'unknown' },
			{ id: 3, outcome: 'ok' },
		]);
	});

	test('knows what was under way at a kill, also if the resume before it was killed too', async () => {
		let isSilent = true;
		let respond = (): void => undefined;
		const refused = (request: RecordedRequest): Responder | undefined => {
			const isTwo = idOf(request) === 2 || /[?&]include=2&/.test(request.url);
			return isTwo && !isSilent ? no(403) : undefined;
		};
		const { recorder, work } = await startDesk((request, response, count) => {
			respond = () => void ok(request, response, count);
			return isSilent ? undefined : (refused(request) ?? ok);
		}, refused);
		const { child, ended } = work.spawn('ticket update 1 2 --status hold -j 2 -q');
		await recorder.wrote(2);
		child.kill('SIGKILL');
		await ended;
		// One at a time: it has come to the first row alone when its journal breaks off.
		const second = work.run('run resume last -j 1 -q');
		await recorder.wrote(3);
		const [journal = ''] = work.journals();
		const killed = readFileSync(journal);
		isSilent = false;
		respond();
		await second;
		writeFileSync(journal, killed);
		const { stdout, stderr } = await work.run('run resume last -q -j 1 --format ndjson');
		expect(jsonLines(stdout), stderr).toMatchObject([
			{ id: 1, outcome: 'ok' },
			{ id: 2, outcome: 'unknown' },
		]);
	});

	test('is in doubt only of the first open row of an object, which alone was under way at a kill', async () => {
		let isSilent = true;
		const noRoute = json(404, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } });
		const { recorder, work } = await startDesk(
			({ body }) => {
				if (isSilent) return undefined;
				return JSON.parse(body).status === 'pending' ? no(403) : ok;
			},
			() => noRoute,
		);
		work.write('edits.csv', 'id,status\n5,hold\n5,pending\n');
		const { child, ended } = work.spawn('ticket update --input edits.csv -q --no-snapshot');
		await recorder.wrote(1);
		child.kill('SIGKILL');
		await ended;
		isSilent = false;
		const { stdout, stderr } = await work.run('run resume last -q --format ndjson');
		expect(jsonLines(stdout), stderr).toMatchObject([
			{ row: 1, outcome: 'ok' },
			{ row: 2, outcome: 'failed' },
		]);
	});

	test('of custom fields ends also where they can not be read, with one request at a time', async () => {
		let isDown = true;
		const noRoute = json(404, { code: 'rest_no_route', message: 'No route.', data: { status: 404 } });
		const { recorder, work } = await startDesk(
			(request, response) => {
				if (!isDown) return ok;
				return idOf(request) === 1 ? void response.destroy() : no(400);
			},
			() => noRoute,
		);
		await work.run('ticket fields set 1 2 --set size=L -j 1 -q --no-snapshot --verify --retries 0');
		expect(recorder.writes.map(idOf)).toEqual([1, 2]);
		isDown = false;
		await work.run('run retry last -q -j 1');
		expect(recorder.writes.map(idOf).sort()).toEqual([1, 1, 2, 2]);
	});

	test('keeps which values may differ, what is checked, and who is gone', async () => {
		const { recorder, work } = await startDesk((request, response, count) => {
			if (request.method === 'DELETE') return no(404)(request, response, count);
			return json(200, { id: idOf(request), status: 'read', title: 'x' })(request, response, count);
		});
		work.write('edits.csv', 'id,status\n1,hold\n2,hold\n3,hold\n');
		await work.run('ticket update --input edits.csv --allow-differs=status --if title=old --first 1 -q');
		recorder.requests.length = 0;
		const { exitCode, stdout } = await work.run('run resume last -q -j 1 --format ndjson');
		expect(jsonLines(stdout).map(({ id, outcome }) => [id, outcome])).toEqual([
			[2, 'ok'],
			[3, 'ok'],
		]);
		expect(exitCode).toBe(0);
		// Each object is read right before its write; the first one also before all of them.
		expect(recorder.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'GET', 'POST']);
		await work.run('ticket delete 1 2 --yes --ignore-missing --no-snapshot --first 1 -q');
		expect((await work.run('run resume last --yes -q')).exitCode).toBe(0);
	});
});

describe('a retry that is refused', () => {
	test.each<[string, Responder]>([
		['a row that was written otherwise', json(200, { id: 1, title: 'other', status: 'hold' })],
		['a row of which the service saved a part', json(500, { code: 'rest_failed', message: 'No.' })],
	])('leaves to an undo what the first part wrote: %s', async (_, response) => {
		let isRefused = false;
		let saved: Shown = {};
		const { recorder, work } = await startDesk(
			({ body }) => {
				if (isRefused) return no(403);
				saved = JSON.parse(body) as Shown;
				return response;
			},
			(request) => {
				const shown = { ...shownTo({ ...startOf('/tickets/1'), ...saved }, 1) };
				return json(200, /[?&]include=/.test(request.url) ? [shown] : shown);
			},
		);
		await work.run('ticket update 1 --title ours --status hold --send-unchanged --retries 0 -q');
		const [run = ''] = work.journals();
		isRefused = true;
		await work.run(['run', 'retry', run, '--outcome', 'failed,differs', '-q']);
		expect(recorder.writes).toHaveLength(2);
		isRefused = false;
		const { exitCode, stderr } = await work.run(['run', 'undo', run, '--yes', '-q']);
		expect(exitCode, stderr).toBe(0);
		expect(JSON.parse(recorder.writes.at(-1)?.body ?? '{}')).toEqual({ title: 'old', status: 'queued' });
	});
});

describe('an undo', () => {
	test.each([
		[
			'ticket fields set 1 --set size=L --set unheard=x',
			"unheard not restored: it had no value before, and the API can't remove it",
			"that can't be restored",
		],
		[
			'ticket update 1 --title ours --assignee 4',
			'someone changed assignee to user7 after the run',
			'changed by someone else',
		],
	])('says beforehand what it leaves of an object: %s', async (line, why, words) => {
		const { work } = await startDesk(ok);
		await work.run(`${line} -q`);
		const [run = ''] = work.journals();
		if (line.includes('assignee')) await work.run('ticket update 1 --assignee 7 --no-snapshot -q');
		const undo = ['run', 'undo', run];
		const dry = await work.run([...undo, '-n', '--json']);
		expect([dry.exitCode, JSON.parse(dry.stdout)]).toMatchObject([0, [{ message: expect.stringContaining(why) }]]);
		expect(JSON.parse(dry.stderr)).toMatchObject({
			summary: { requests: 1, left: [{ rows: 1, what: words }], skipped: 0 },
		});
		const text = await work.run([...undo, '-n']);
		expect(text.stdout).toContain(why);
		expect(text.stderr).toContain(`restored only in part: 1 ${words}: ticket 1`);
		const planned = await work.run([...undo, '--plan', 'p.plan']);
		expect(planned.stderr).toContain(`only in part in the plan: 1 ${words}: ticket 1`);
		expect((await work.run('run show p.plan')).stdout).toContain(why);
		const asked = await work.run(undo, { prompts: scriptedPrompts([/./, false]) });
		expect(asked.stderr).toContain(why);
	});

	test('of some fields says nothing of the others, which nothing could restore', async () => {
		const { work } = await startDesk(ok);
		await work.run('ticket fields set 1 --set size=L --set unheard=x -q');
		const { exitCode, stderr } = await work.run('run undo last --fields size --yes');
		expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('unheard')]);
	});
});

test('a user whom the service neither shows nor denies is a warning before the run', async () => {
	const { work } = await startDesk(ok, ({ url }) => {
		if (!/\/users/.test(url)) return undefined;
		// Without a count.
		return url.includes('include=')
			? json(200, [
					{ id: 2, username: 'ben' },
					{ id: 3, username: 'jo' },
				])
			: no(403);
	});
	const { stderr } = await work.run('ticket update 1 2 --assignee 9');
	expect(stderr).toContain('assignee 9: no such user was found');
	const nobody = await work.run('ticket update 3 4 --assignee none');
	expect(nobody.stderr).not.toContain('no such user');
});

test('a report of a run that stopped asks the service for no more names', async () => {
	const { recorder, work } = await startDesk((request, response, count) => {
		return (count === 1 ? ok : no(401))(request, response, count);
	});
	const line = 'ticket update 1 2 3 --title ours --assignee 7 -j 1 -q --report markdown:r.md';
	expect((await work.run(line)).exitCode).toBe(4);
	expect(recorder.requests.at(-1)).toMatchObject({ method: 'POST' });
	expect(work.read('r.md')).toContain('ours');
});

test('a report of a resume does not replace its journal', async () => {
	const { recorder, work } = await startDesk(ok);
	await work.run('ticket update 1 2 --status hold --first 1 -q');
	const [path = ''] = work.journals();
	const { exitCode, stderr } = await work.run(['run', 'resume', 'last', '--report', `junit:${path}`]);
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining("it is the run's journal; nothing was sent")]);
	expect(recorder.writes).toHaveLength(1);
	expect((await work.run('run resume last -q')).exitCode).toBe(0);
});

test('the history of a term has no change of one with its ID in another taxonomy', async () => {
	const { work } = await startDesk(ok);
	await work.run('term update product 14 --name ours --undocumented -q');
	await work.run('term update ticket_priority 14 --name theirs -q');
	const { stdout, stderr } = await work.run('term history product 14 --format ndjson');
	expect(stdout, stderr).toContain('ours');
	expect(stdout).not.toContain('theirs');
});

test('standard input with a secret in its first row alone is not kept', async () => {
	const { work } = await startDesk(ok);
	const input = 'id,password,nickname\n5,hush-hush,a\n6,,b\n7,,c\n';
	await work.run('user update --input - --first 1 -j 1 -q', { stdin: input });
	expect(work.spooled()).toEqual([]);
});

test('a copy of standard input stays until the last row is sent, through every resume', async () => {
	const { recorder, work } = await startDesk(ok);
	await work.run('ticket update - --status hold --first 1 -j 1 -q', { stdin: '1\n2\n3\n' });
	expect((await work.run('run resume last --first 1 -j 1 -q')).exitCode).toBe(0);
	expect(work.spooled()).toHaveLength(1);
	expect((await work.run('run resume last -q')).exitCode).toBe(0);
	expect(recorder.writes.map(idOf)).toEqual([1, 2, 3]);
	expect(work.spooled()).toEqual([]);
});

describe('a run', () => {
	test('whose time is over while its last rows are under way did not stop early', async () => {
		let time = Date.now();
		let sleeps = 0;
		const { note, reached } = arrivals();
		const clock: Clock = {
			now: () => time,
			monotonic: () => performance.now(),
			// Each tick looks at the time.
			sleep: async () => {
				sleeps++;
				note();
				await new Promise((resolve) => setImmediate(resolve));
			},
		};
		const { work } = await startDesk((request, response, count) => {
			if (count === 1) return ok;
			time += 2 * 3_600_000;
			return void reached(sleeps + 5).then(() => ok(request, response, count));
		});
		const { exitCode, stderr } = await work.run('ticket update 1 2 --status hold --for 1h --note x', { clock });
		expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('time is up')]);
	});

	test('compares a later row of an object with what the earlier one left, whatever was read meanwhile', async () => {
		const { note, reached } = arrivals();
		const { recorder, work } = await startDesk(
			// The first write of ticket 2 is at work until a later list shows what stood there before.
			(request, response, count) =>
				idOf(request) === 2 && !request.body.includes('old')
					? void reached(2).then(() => ok(request, response, count))
					: ok,
			({ url }) => {
				const include = new URL(url, 'http://desk').searchParams.get('include');
				if (include?.split(',').includes('2') === true) note();
				return undefined;
			},
		);
		// Rows are read by the hundred: the later one of ticket 2 is in the third list.
		work.sheet('edits.csv', 'id,title', 300, (row) => (row === 250 ? '2,old' : `${row},new`));
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv -q');
		expect(exitCode, stderr).toBe(0);
		expect(recorder.object('/tickets/2')).toMatchObject({ title: 'old' });
	});

	test('reads again what it read more than a minute before the write', async () => {
		let late = 0;
		const clock: Clock = { ...hastyClock(1), monotonic: () => performance.now() + late };
		const { recorder, work } = await startDesk((...given) => {
			late += 61_000;
			return ok(...given);
		});
		const { exitCode, stderr } = await work.run('ticket update 1 2 3 --status hold -j 1 -q', { clock });
		expect(exitCode, stderr).toBe(0);
		const asked = recorder.requests.map((request) => `${request.method} ${pathOf(request)}`);
		// One list for all of them, and then each alone.
		expect(asked.slice(-4)).toEqual(['GET /tickets/2', 'POST /tickets/2', 'GET /tickets/3', 'POST /tickets/3']);
	});

	test('reads back what it wrote also if it is stopped meanwhile', async () => {
		const { recorder, work } = await startDesk((...given) => {
			const [request] = given;
			// What stops it comes once the others are written, and before they are read.
			return void recorder.wrote(3).then(() => (idOf(request) === 3 ? no(401) : ok)(...given));
		});
		const { exitCode, stdout, stderr } = await work.run(
			'ticket update 1 2 3 --status hold --verify --no-snapshot -j 3 -q --format ndjson',
		);
		const outcomes = jsonLines<{ id: number; outcome: string }>(stdout).map(({ id, outcome }) => [id, outcome]);
		expect(outcomes.sort(), stderr).toEqual([
			[1, 'ok'],
			[2, 'ok'],
			[3, 'failed'],
		]);
		expect(exitCode).toBe(4);
	});

	test.each([
		['ticket update 1 2 --status hold', 'status'],
		['ticket update 1 2 --add-ticket-tag 6', 'ticket-tag'],
		['ticket delete 1 2 --yes', 'status'],
		['reply delete 1 1 2 --yes', 'status'],
	])('reads alone what a list does not show of an object, so that it can be undone: %s', async (line, left) => {
		const { recorder, work } = await startDesk(ok, (request) => {
			const { searchParams } = new URL(request.url, 'http://desk');
			const listed = (id: string): object => {
				const { [left]: _, ...rest } = shownTo(recorder.object(`${pathOf(request)}/${id}`) ?? {}, Number(id));
				return rest;
			};
			const ids = searchParams.get('include')?.split(',');
			return ids && json(200, ids.map(listed), { 'x-wp-total': String(ids.length) });
		});
		const paths = ['1', '2'].map((id) => (line.startsWith('reply') ? `/tickets/1/replies/${id}` : `/tickets/${id}`));
		const before = paths.map((path) => recorder.object(path)?.[left]);
		const { exitCode, stderr } = await work.run(`${line} -q`);
		expect(exitCode, stderr).toBe(0);
		expect(paths.map((path) => recorder.object(path)?.[left])).not.toContainEqual(before[0]);
		const undone = await work.run('run undo last --yes -q');
		expect(undone.exitCode, undone.stderr).toBe(0);
		expect(paths.map((path) => recorder.object(path)?.[left])).toEqual(before);
	});

	test('of deletes knows that a ticket is gone which a list still shows, without its status', async () => {
		const { recorder, work } = await startDesk(ok, (request) => {
			const ids = new URL(request.url, 'http://desk').searchParams.get('include')?.split(',');
			if (ids !== undefined)
				return json(
					200,
					ids.map((id) => ({ id: Number(id), title: 'old' })),
					{ 'x-wp-total': String(ids.length) },
				);
			const gone = { code: 'rest_post_invalid_id', message: 'Invalid ID.', data: { status: 404 } };
			return pathOf(request) === '/tickets/2' ? json(404, gone) : undefined;
		});
		const { exitCode, stdout, stderr } = await work.run('ticket delete 1 2 --yes --ignore-missing -q --format ndjson');
		expect(jsonLines(stdout), stderr).toMatchObject([
			{ id: 1, outcome: 'ok' },
			{ id: 2, outcome: 'ok' },
		]);
		expect([exitCode, recorder.writes.map(idOf)]).toEqual([0, [1]]);
	});

	test('of an account that may write nothing ends with exit code 4, as a single write does', async () => {
		const { recorder, work } = await startDesk(no(403));
		work.edits(30);
		const { exitCode } = await work.run('ticket update --input edits.csv --no-snapshot -j 1 -q');
		expect([exitCode, recorder.writes.length]).toEqual([4, 20]);
		expect((await work.run('ticket update 1 --status hold --no-snapshot -q')).exitCode).toBe(4);
	});

	test('asks a service no more that asked to come back in an hour', async () => {
		const busy = json(503, { code: 'busy', message: 'Later.' }, { 'retry-after': '3600' });
		const { recorder, work } = await startDesk(
			// All four are written before the first of them is read back.
			(...given) => void recorder.wrote(4).then(() => ok(...given)),
			() => (recorder.writes.length === 0 ? undefined : busy),
		);
		await work.run('ticket update 1 2 3 4 --status hold --verify --no-snapshot -q');
		// One before the first write, and one for the first row that is read back.
		expect(recorder.requests.filter(({ method }) => method === 'GET')).toHaveLength(2);
	});
});

test('an undo, a resume and a retry wait for the run to end', async () => {
	let respond = (): void => undefined;
	const { recorder, work } = await startDesk((...given) => {
		respond = () => void (ok(...given) as Responder | undefined);
	});
	const { ended } = work.begin('ticket update 1 --status hold -q');
	await recorder.wrote(1);
	for (const line of ['run undo last --yes', 'run resume last', 'run retry last']) {
		const { exitCode, stderr } = await work.run(line);
		expect([line, exitCode, stderr]).toEqual([line, 1, expect.stringMatching(/is still running|is in use/)]);
	}
	expect(recorder.writes).toHaveLength(1);
	respond();
	expect((await ended).exitCode).toBe(0);
});

/** Journals: a run that was stopped, killed or cut off goes on, and sends no row that is done. */

import { execFileSync } from 'node:child_process';
import {
	appendFileSync,
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { jsonLines, type Words } from '../../support/cli.js';
import { startClosing } from '../../support/closing-service.js';
import { type Desk, startDesk } from '../../support/desk.js';
import { lineOf } from '../../support/journal.js';
import { startListService, ticket } from '../../support/list-service.js';
import { done, idOf, json, type RecordedRequest, type Responder, startRecorder, text } from '../../support/recorder.js';
import { scriptedPrompts } from '../../support/scripted-prompts.js';
import { createWorkplace, csv, hastyClock, startWorkplace, type Workplace } from '../../support/workplace.js';

const ok = done();
const no = (status: number): Responder => json(status, { code: 'rest_no', message: 'Sorry.', data: { status } });

const ids = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const sorted = (numbers: Iterable<number>): number[] => [...numbers].sort((left, right) => left - right);

/** A run over 60 rows of which some are done, stopped by a 401. */
async function stoppedRun() {
	const { recorder, work, open } = await startClosing(20);
	work.edits(60);
	const result = await work.run('ticket update --input edits.csv --assignee 7 -j 2 -q');
	expect(result.exitCode).toBe(4);
	const done = sorted(
		work
			.records()
			.filter(({ type, outcome }) => type === 'row' && outcome === 'ok')
			.map(({ row }) => row as number),
	);
	expect(done).toHaveLength(20);
	open();
	return { recorder, work, done, open: ids(1, 60).filter((row) => !done.includes(row)) };
}

describe('a journal', () => {
	it('begins with all that a resume needs, has a record per outcome and an end, and is private', async () => {
		const { recorder, work } = await startDesk((request) => (idOf(request) === 2 ? no(400) : ok));
		work.write('edits.csv', 'id,status\n1,hold\n2,read\n');
		const args = ['ticket', 'update', '--input', 'edits.csv', '--assignee', '7', '-j', '1', '--retries', '2', '-q'];
		expect((await work.run(args)).exitCode).toBe(3);
		const [path] = work.journals() as [string];
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
		const [header, ...rest] = work.records().filter(({ type }) => !['tick', 'before', 'called'].includes(type));
		expect(header).toEqual({
			type: 'plan',
			version: 3,
			concurrency: 1,
			who: { user: userInfo().username, host: hostname(), account: 'ada' },
			id: expect.stringMatching(/^\d{8}-\d{6}-[0-9a-z]{5}$/),
			started: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
			tool: expect.stringMatching(/^\d+\.\d+\.\d+/),
			plan: {
				endpoint: 'ticket.update',
				source: { from: 'file', path: join(work.folder, 'edits.csv'), name: 'edits.csv', format: 'csv' },
				columns: { map: {}, ignore: [], ignoreOther: false, blank: 'skip' },
				values: { ids: {}, fields: { assignee: 7 }, withheld: [], force: false, add: {}, remove: {} },
				checks: {
					...{ onlyChanged: false, verify: false, snapshot: true, ifUnmodified: false },
					...{ conditions: [], allowDiffers: false, ignoreMissing: false },
				},
				stop: { onError: false },
				skipInvalid: false,
				undocumented: false,
				service: {
					baseUrl: recorder.baseUrl,
					prefixes: { product: 'support', shop: 'shop', membership: 'shopm' },
					protected: false,
				},
			},
			input: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), rows: 2, own: 2, copied: false },
		});
		expect(rest).toEqual([
			{ type: 'row', row: 1, line: 2, id: '1', outcome: 'ok', status: 200, attempts: 1, ms: expect.any(Number) },
			{
				...{ type: 'row', row: 2, line: 3, id: '2', outcome: 'failed', status: 400, code: 'rest_no' },
				...{ message: 'Sorry.', attempts: 1, ms: expect.any(Number) },
			},
			{
				type: 'end',
				at: expect.any(String),
				counts: expect.objectContaining({ ok: 1, failed: 1, 'not-sent': 0 }),
				exit: 3,
			},
		]);
	});

	it('holds no secret, wherever it came from and whatever the service says of it', async () => {
		const marker = 'S3cretMarker';
		const { work } = await startDesk((request) =>
			json(400, {
				code: 'rest_invalid_param',
				message: `the password ${marker} is weak`,
				data: { params: { password: `${marker} was used before` }, body: request.body },
			}),
		);
		const stdin = `{"id":7,"password":"${marker}","meta":{"api_token":"${marker}x"}}\n{"id":8,"name":"x","password":"${marker}"}\n`;
		work.write('data.json', `{"meta":{"secret":"${marker}y"}}`);
		const result = await work.run('user update --input - --data @data.json', { stdin });
		expect(result.exitCode).toBe(1);
		expect(result.stdout + result.stderr).not.toContain(marker);
		expect(readFileSync(work.journals()[0] as string, 'utf8')).not.toContain(marker);
		expect(work.spooled()).toEqual([]);
	});

	it('may stand anywhere, and is found by its path, its id, a start of it, and last', async () => {
		const { work } = await startDesk(ok);
		expect((await work.run('ticket update 1 2 --status hold -q --journal ./here.ndjson')).exitCode).toBe(0);
		const id = work.records(join(work.folder, 'here.ndjson'))[0]?.id as string;
		for (const name of ['here.ndjson', join(work.folder, 'here.ndjson'), id, id.slice(0, 17), 'last']) {
			const { exitCode, stdout } = await work.run(['run', 'show', name, '--field', 'run']);
			expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${id}\n` });
		}
	});

	it('is never shared by two runs, nor written over', async () => {
		const { recorder, work } = await startDesk(ok);
		const args = ['ticket', 'update', '1', '2', '--status', 'hold', '-q', '--journal', 'one.ndjson'];
		expect((await work.run(args)).exitCode).toBe(0);
		const before = work.read('one.ndjson');
		const again = await work.run('ticket delete 1 2 --yes --journal one.ndjson');
		expect(again.exitCode).toBe(2);
		expect(again.stderr).toContain('already exists');
		expect(work.read('one.ndjson')).toBe(before);
		expect(recorder.writes).toHaveLength(2);
	});

	it('that can not be written stops the run before its first request', async () => {
		const { recorder, work } = await startDesk(ok);
		execFileSync('mkfifo', [join(work.folder, 'pipe')]);
		for (const path of ['/dev/full', 'no/such/folder/j.ndjson', '.', 'pipe']) {
			const result = await work.run(['ticket', 'update', '1', '2', '--status', 'hold', '--journal', path]);
			expect(result.exitCode).toBe(1);
			expect(result.stderr).toContain("can't write the journal");
		}
		expect(recorder.writes).toEqual([]);
	});

	it('that is a named pipe or a device is not read', async () => {
		const { work } = await startDesk(ok);
		execFileSync('mkfifo', [join(work.folder, 'pipe')]);
		for (const path of ['./pipe', '/dev/zero']) {
			for (const verb of ['show', 'resume', 'rejects']) {
				const result = await work.run(['run', verb, path]);
				expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('not a regular file')]);
			}
		}
	});

	it('whose folder can not be read is an error, not an empty list', async () => {
		const { work } = await startDesk(ok);
		mkdirSync(join(work.folder, 'state'));
		writeFileSync(join(work.folder, 'state', 'runs'), '');
		const result = await work.run('run list');
		expect([result.exitCode, result.stdout]).toEqual([1, '']);
		expect(result.stderr).toContain(`can't read the directory of journals ${join(work.folder, 'state', 'runs')}`);
	});

	it('is kept for a single write, and not for a lookup', async () => {
		const { work } = await startDesk(ok);
		await work.run('ticket update 1 --status hold');
		expect(work.records().map(({ type }) => type)).toEqual(['plan', 'before', 'row', 'end']);
		await work.run('user id ann');
		expect(work.journals()).toHaveLength(1);
	});
});

describe('run resume', () => {
	it('takes its plan from the journal, and sends them and no row that is', async () => {
		const { recorder, work, open } = await stoppedRun();
		const result = await work.run('run resume last');
		expect(result.exitCode).toBe(0);
		expect(sorted(recorder.writes.map(idOf))).toEqual(open);
		expect(new Set(recorder.writes.map(({ body }) => body))).toEqual(new Set(['{"assignee":7,"status":"hold"}']));
		expect(result.stderr).toMatch(/: 60 rows in .*: 60 ok\n$/);
		expect(
			work
				.records()
				.map(({ type }) => type)
				.filter((type) => !['row', 'tick', 'before', 'called'].includes(type)),
		).toEqual(['plan', 'end', 'resume', 'end']);
		const again = await work.run('run resume last');
		expect(again).toMatchObject({
			exitCode: 0,
			stderr: expect.stringContaining('nothing to send: the run is complete'),
		});
		expect(recorder.writes).toHaveLength(open.length);
	});

	it('recovers from a torn last line: its row is read again, and not sent, as it is done', async () => {
		const { recorder, work, done, open } = await stoppedRun();
		const [path] = work.journals() as [string];
		const lines = readFileSync(path, 'utf8').split('\n');
		const lastOk = lines.findLastIndex((line) => line.includes('"outcome":"ok"'));
		const whole = lines.slice(0, lastOk).join('\n');
		truncateSync(path, Buffer.byteLength(whole) + 1);
		appendFileSync(path, (lines[lastOk] as string).slice(0, 30));
		const row = (JSON.parse(lines[lastOk] as string) as { row: number }).row;
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(sorted(recorder.writes.map(idOf))).toEqual(open);
		expect(work.records().findLast((each) => each.row === row && each.type === 'row')).toMatchObject({ outcome: 'ok' });
		expect(done).toContain(row);
	});

	it('settles by a read what may have been applied and is refused now', async () => {
		let isAway = true;
		let shown: unknown = { id: 2, status: 'hold' };
		const refused: Responder[] = [no(403), no(400), text(403, '<html>Blocked</html>')];
		for (const refusal of refused) {
			isAway = true;
			const { recorder, work } = await startWorkplace((request) => {
				if (idOf(request) !== 2) return ok;
				if (request.method === 'GET') return json(200, shown);
				return isAway ? text(502, 'Bad gateway') : refusal;
			});
			const run = 'ticket update 1 2 3 --status hold --retries 0 -q --no-snapshot';
			for (const [status, outcome] of [
				['hold', 'ok'],
				['read', 'failed'],
			]) {
				isAway = true;
				shown = { id: 2, status };
				expect((await work.run(run)).exitCode).toBe(5);
				isAway = false;
				recorder.requests.length = 0;
				const { stdout } = await work.run('run resume last --json');
				expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ row: 2, outcome })]);
				expect(recorder.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
			}
		}
	});

	it('settles by a read that a delete which is refused now was never applied', async () => {
		let isAway = true;
		const { work } = await startWorkplace((request) => {
			if (idOf(request) !== 2) return ok;
			if (request.method === 'GET') return json(200, { id: 2, status: 'hold' });
			return isAway ? text(502, 'Bad gateway') : no(403);
		});
		expect((await work.run('ticket delete 1 2 --yes --retries 0 -q')).exitCode).toBe(5);
		isAway = false;
		const { stdout } = await work.run('run resume last --yes --json');
		expect(JSON.parse(stdout)).toEqual([
			expect.objectContaining({ row: 2, outcome: 'failed', message: expect.stringContaining('still there') }),
		]);
	});

	it('refuses an input that has changed, in any byte', async () => {
		const { recorder, work } = await stoppedRun();
		const text = work.read('edits.csv');
		for (const changed of [text.replace('60,hold', '60,read'), `${text}61,hold\n`, text.slice(0, -8)]) {
			work.write('edits.csv', changed);
			const result = await work.run('run resume last');
			expect(result.exitCode).toBe(2);
			expect(result.stderr).toContain('the input changed since run');
			expect(result.stderr).toContain('nothing was sent');
		}
		expect(recorder.writes).toEqual([]);
		work.write('edits.csv', text);
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
	});

	it('takes the same input from another place', async () => {
		const { recorder, work, open } = await stoppedRun();
		renameSync(join(work.folder, 'edits.csv'), join(work.folder, 'moved.csv'));
		const missing = await work.run('run resume last');
		expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('which was not found') });
		expect((await work.run('run resume last --input moved.csv -q')).exitCode).toBe(0);
		expect(sorted(recorder.writes.map(idOf))).toEqual(open);
	});

	it('refuses a changed input from another place', async () => {
		const { recorder, work } = await stoppedRun();
		work.write('other.csv', work.read('edits.csv').replace('60,hold', '60,read'));
		const result = await work.run('run resume last --input other.csv');
		expect(result).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('the input changed since run') });
		expect(recorder.writes).toEqual([]);
	});

	it('refuses another service and further arguments', async () => {
		const { recorder, work } = await stoppedRun();
		const other = await startRecorder(ok);
		const elsewhere = await work.run('run resume last', { env: { SUPPORTCTL_BASE_URL: other.baseUrl } });
		expect(elsewhere.exitCode).toBe(2);
		expect(elsewhere.stderr).toContain(
			`was on ${recorder.baseUrl}, but your base URL is ${other.baseUrl}; nothing was sent`,
		);
		expect((await work.run('run resume last ticket')).exitCode).toBe(2);
		expect((await work.run('run resume last --status read')).exitCode).toBe(2);
		expect([...recorder.writes, ...other.requests]).toEqual([]);
	});

	it('asks again before it deletes, and names what is left', async () => {
		const { recorder, work, open } = await startClosing(4);
		await work.run(`ticket delete ${ids(1, 10).join(' ')} --yes -j 1 -q`);
		open();
		const { stderr } = await work.run('run resume last', { prompts: scriptedPrompts([/./, false]) });
		expect(stderr).toContain('Move 6 tickets to the trash on ');
		expect(stderr.match(/^ {2}ticket \d+/gm)).toEqual(ids(5, 10).map((id) => `  ticket ${id}`));
		recorder.writes.length = 0;
		expect((await work.run('run resume last --yes -q')).exitCode).toBe(0);
		expect(sorted(recorder.writes.map(idOf))).toEqual(ids(5, 10));
	});

	it('asks again for secrets that were not kept', async () => {
		const { recorder, work, open } = await startClosing(1);
		const args = ['user', 'update', '1', '2', '3', '--password-stdin', '--locale', 'de', '-j', '1', '-q'];
		expect((await work.run(args, { stdin: 'new pass' })).exitCode).toBe(4);
		open();
		const without = await work.run('run resume last');
		expect(without.exitCode).toBe(2);
		expect(without.stderr).toContain('secret values were not saved: password');
		expect(recorder.writes).toEqual([]);
		const given = await work.run('run resume last -q --password-stdin', { stdin: 'new pass' });
		expect(given.exitCode).toBe(0);
		expect(recorder.writes.map(({ body }) => JSON.parse(body))).toEqual(
			Array(2).fill({ locale: 'de', password: 'new pass' }),
		);
	});

	it('takes a custom field that was not kept from --data @file', async () => {
		const { recorder, work, open } = await startClosing(0);
		work.write('token', 'abc');
		await work.run('ticket fields set 1 2 --set api-token=@token -q');
		expect(JSON.stringify(work.records())).not.toContain('abc');
		expect((await work.run('run resume last')).stderr).toContain('pass them again with --data @file');
		work.write('fields.json', '{"api-token":"abc"}');
		open();
		expect((await work.run('run resume last -q --data @fields.json')).exitCode).toBe(0);
		const writes = recorder.writes.filter(({ method }) => method === 'POST');
		expect(writes.map(({ body }) => JSON.parse(body))).toEqual(
			Array(2).fill({ custom_fields: { 'api-token': 'abc' } }),
		);
	});

	it("says which run it can't find", async () => {
		const { work } = await startDesk(ok);
		expect(await work.run('run resume last')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('no runs yet'),
		});
		work.write('not.ndjson', 'hello\n');
		expect((await work.run('run resume not.ndjson')).exitCode).toBe(1);
	});
});

describe('any command', () => {
	const files: Record<string, string> = {
		'odd.csv':
			'Nummer;Zustand;x;assignee;title\n1;escalated;q;;\n2;hold;q;7;\n3;hold;q;x;t\n4;read;q;8;u\n5;hold;q;8;v\n6;read;q;;w\n',
		'replies.csv': 'id,status,content\n1,read,a\n2,unread,b\n3,read,c\n4,read,\n',
		'fields.csv': 'ticket_id,colour\n1,red\n2,blue\n3,red\n4,green\n',
		'users.ndjson': '{"id":5,"reassign":2}\n{"id":6}\n{"id":7,"reassign":"3"}\n{"id":8}\n',
		'terms.tsv': 'taxonomy\tid\tforce\nproduct\t1\ttrue\nticket_priority\t2\t\nproduct\t3\ttrue\nproduct\t4\ttrue\n',
	};
	const odd = '--map Nummer=id --map Zustand=status --ignore-column x --blank clear';

	it.each([
		`ticket update --input odd.csv ${odd} --undocumented --author 9`,
		`ticket update --input odd.csv ${odd} --skip-invalid --data {"content":"c"}`,
		'ticket update 1 2 3 4 --ticket-tag 1,2 --content @text.txt',
		'ticket delete 1 2 3 4 --force --ignore-missing',
		'ticket fields set --input fields.csv --set size=xl --only-changed',
		'reply update 14 --input replies.csv',
		'reply delete 14 1 2 3 4',
		'user delete --input users.ndjson --reassign 1',
		'user password delete 7 a b c d',
		'term update ticket_priority 1 2 3 4 --meta a=b --meta c=d',
		'term delete --input terms.tsv',
		'attachment update 1 2 3 4 --alt-text x',
		'user id --input names.ids',
	])('is resumed as it was: %s', async (command) => {
		const { recorder: whole } = await startDesk(ok);
		// Users are looked up before the run.
		const isLookUp = ({ body, method }: RecordedRequest) => body.includes('"ada"') || method === 'GET';
		const { recorder: broken, open } = await startClosing(2, isLookUp);
		// A resume counts for the rows that are left.
		const isCount = ({ url }: RecordedRequest): boolean => url.includes('per_page=1&');
		const sent = (all: readonly RecordedRequest[]): string[] =>
			[
				...new Set(all.filter((each) => !isCount(each)).map(({ method, url, body }) => `${method} ${url} ${body}`)),
			].sort();
		const work = createWorkplace(whole.env);
		for (const [name, content] of Object.entries(files)) work.write(name, content);
		work.write('text.txt', 'a\nb');
		work.write('names.ids', 'anna\nbob\ncleo\ndan\n');
		const args = `${command}${command.includes('delete') ? ' --yes' : ''} -q -j 1`;
		const complete = await work.run(args);
		const first = await work.run(args, { env: broken.env });
		expect(first.exitCode).toBe(4);
		work.write('text.txt', 'changed');
		const before = [...broken.writes];
		open();
		const second = await work.run('run resume last --yes -q', { env: broken.env });
		expect(second).toMatchObject({ exitCode: complete.exitCode });
		expect(sent([...before, ...broken.writes])).toEqual(sent(whole.writes));
	});
});

describe('a shard that was stopped', () => {
	it('is resumed as that shard', async () => {
		const { recorder, work, open } = await startClosing(5);
		work.edits(60);
		await work.run('ticket update --input edits.csv --shard 2/3 -j 1 -q');
		const first = recorder.writes.slice(0, 5).map(idOf);
		open();
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		const { recorder: other } = await startDesk(ok);
		await work.run('ticket update --input edits.csv --shard 2/3 -q', { env: other.env });
		expect(sorted([...first, ...recorder.writes.map(idOf)])).toEqual(sorted(other.writes.map(idOf)));
	});
});

/** Runs the built binary and kills it when the service has had so many requests. */
async function killedRun(
	{ work, recorder }: { work: Workplace; recorder: Desk },
	args: Words,
	after: number,
	input = '',
) {
	const run = work.spawn(args, { input });
	await recorder.wrote(after);
	run.child.kill('SIGKILL');
	return run.ended;
}

describe('kill -9', () => {
	it('in a run fed from standard input leaves a private copy of it, which the resume reads and removes', async () => {
		const place = await startDesk(ok);
		const { work, recorder } = place;
		const input = csv('id,status', 800, (row) => `${row},hold`);
		await killedRun(place, 'ticket update --input - --input-format csv -q', 100, input);
		expect(work.spooled().map((path) => statSync(path).mode & 0o777)).toEqual([0o600]);
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(new Set(recorder.writes.map(idOf)).size).toBe(800);
		expect(work.spooled()).toEqual([]);
	});

	it('between a delete and its response: the resume takes its own 404 for ok, and not that of another row', async () => {
		const gone = new Set<number>([9]);
		const place = await startDesk((request) => {
			const id = idOf(request);
			if (gone.has(id)) return json(404, { code: 'rest_post_invalid_id', message: 'Gone.' });
			gone.add(id);
			return id === 5 ? undefined : ok;
		});
		await killedRun(place, `ticket delete ${ids(1, 10).join(' ')} --yes -j 1 -q`, 5);
		const result = await place.work.run('run resume last --yes -j 1 -q --format ndjson', { clock: hastyClock(100) });
		expect(result.exitCode).toBe(3);
		expect(jsonLines(result.stdout).map(({ id, outcome, status }) => [id, outcome, status])).toEqual([
			[5, 'ok', 404],
			[6, 'ok', 200],
			[7, 'ok', 200],
			[8, 'ok', 200],
			[9, 'failed', 404],
			[10, 'ok', 200],
		]);
	});

	it('between a delete and its response: the resume is ok, whatever --if asks of what is gone', async () => {
		let isGone = false;
		let kill = (): void => undefined;
		const { work } = await startWorkplace(({ method }) => {
			if (isGone) return no(404);
			if (method === 'GET') return done({ status: 'hold' });
			isGone = true;
			return kill();
		});
		const { child, ended } = work.spawn('ticket delete 1 --force --yes --if status=hold --journal one -q');
		kill = () => void child.kill('SIGKILL');
		await ended;
		const result = await work.run('run resume one --yes -q --format ndjson', { clock: hastyClock(100) });
		expect(jsonLines(result.stdout)).toMatchObject([{ outcome: 'ok', status: 404 }]);
	});

	it('after custom fields were written: an undo puts them back, though the resume found nothing left to do', async () => {
		const tickets: Record<string, Record<string, string>> = { 1: { colour: 'red' }, 2: { colour: 'blue' } };
		let kill = (): void => undefined;
		const { work } = await startWorkplace((request, response, count) => {
			const fields = tickets[/\/tickets\/(\d+)/.exec(request.url)?.[1] as string] as Record<string, string>;
			if (request.method === 'POST') Object.assign(fields, JSON.parse(request.body).custom_fields);
			const shown = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { name, value }]));
			// The first write of ticket 2 is carried out, without a response.
			if (request.method === 'POST' && fields === tickets[2] && count <= 4) kill();
			else json(200, shown)(request, response, count);
		});
		work.write('fields.csv', 'ticket_id,colour\n1,green\n2,green\n');
		const { child, ended } = work.spawn([
			...['ticket', 'fields', 'set', '--input', 'fields.csv'],
			...['--snapshot', '--only-changed', '-j', '1', '-q'],
		]);
		kill = () => void child.kill('SIGKILL');
		await ended;
		const resumed = await work.run('run resume last --format ndjson -q');
		expect(
			resumed.stdout
				.trim()
				.split('\n')
				.map((line) => JSON.parse(line).outcome),
		).toEqual(['ok']);
		expect((await work.run('run undo --yes last -q')).exitCode).toBe(0);
		expect(tickets).toEqual({ 1: { colour: 'red' }, 2: { colour: 'blue' } });
	});
});

describe('an update that was under way when its process was killed', () => {
	/** A service that carries everything out, and sends no response for ticket 2 until `respond` says which. */
	async function silentOnTwo() {
		let later: Responder | undefined;
		// In a list of its own, too.
		const isOfTwo = (request: RecordedRequest) => idOf(request) === 2 || /[?&]include=2&/.test(request.url);
		const onTwo = (request: RecordedRequest) => (isOfTwo(request) ? later : undefined);
		const place = await startDesk((request) => (idOf(request) === 2 ? later : ok), onTwo);
		await killedRun(place, 'ticket update 1 2 3 --status hold -j 1 -q --no-snapshot', 2);
		return {
			work: place.work,
			respond(how: Responder) {
				later = how;
			},
		};
	}

	it('is unknown, not failed, where the resume is refused', async () => {
		const { work, respond } = await silentOnTwo();
		const [journal = ''] = work.journals();
		const asKilled = readFileSync(journal);
		for (const status of [400, 401, 403, 409, 500]) {
			writeFileSync(journal, asKilled);
			const show = await work.run('run show last --json');
			expect(JSON.parse(show.stdout)).toMatchObject({ done: 1, in_flight: null });
			respond(no(status));
			const resumed = await work.run('run resume last -q --retries 0');
			// The run ends at a 401, with row 3 not sent.
			expect([status, resumed.exitCode]).toEqual([status, status === 401 ? 4 : 5]);
			const two = work.records().find(({ row, outcome }) => row === 2 && outcome !== undefined);
			expect(two).toMatchObject({ outcome: 'unknown', status });
		}
	});

	it('is unknown where the resume can not read its object', async () => {
		let read = json(200, { id: 2, status: 'read' });
		let kill = (): void => undefined;
		const { work } = await startWorkplace(({ method }) => (method === 'GET' ? read : kill()));
		const { child, ended } = work.spawn('ticket update 2 --status hold --snapshot -q');
		kill = () => void child.kill('SIGKILL');
		await ended;
		const [journal = ''] = work.journals();
		const asKilled = readFileSync(journal);
		for (const status of [403, 503]) {
			writeFileSync(journal, asKilled);
			read = no(status);
			expect((await work.run('run resume last -q --retries 0')).exitCode).toBe(5);
			const [record] = work.records().filter(({ type }) => type === 'row');
			expect(record).toMatchObject({ outcome: 'unknown', status, message: expect.stringContaining('may have been') });
		}
	});

	it('has failed where the read before the resume says that the object does not exist', async () => {
		let read = json(200, { id: 2, status: 'read' });
		let kill = (): void => undefined;
		const { work } = await startWorkplace(({ method }) => (method === 'GET' ? read : kill()));
		const { child, ended } = work.spawn('ticket update 2 --status hold --snapshot -q');
		kill = () => void child.kill('SIGKILL');
		await ended;
		read = no(404);
		const { exitCode, stderr } = await work.run('run resume last -q --retries 0');
		expect(exitCode, stderr).toBe(1);
		const [record] = work.records().filter(({ type }) => type === 'row');
		expect(record).toMatchObject({
			outcome: 'failed',
			status: 404,
			message: 'ticket 2 not found; nothing was written',
		});
	});

	it('has failed where the object does not exist', async () => {
		const { work, respond } = await silentOnTwo();
		respond(no(404));
		expect((await work.run('run resume last -q')).exitCode).toBe(3);
	});

	it('has failed where a field that was sent is to blame', async () => {
		const { work, respond } = await silentOnTwo();
		respond(json(400, { code: 'rest_invalid_param', message: 'No.', data: { params: { status: 'is not known' } } }));
		expect((await work.run('run resume last -q')).exitCode).toBe(3);
	});
});

it('a resume that ends early leaves rows unknown that it did not send again', async () => {
	let isBack = false;
	const { work } = await startDesk(() => (isBack ? ok : json(502, {})));
	await work.run('ticket update 1 2 3 --status hold --retries 0 -q');
	isBack = true;
	const part = await work.run('run resume last --first 1 --json');
	expect(part.exitCode).toBe(0);
	expect(JSON.parse(part.stderr).summary.counts).toMatchObject({ ok: 1, unknown: 2, 'not-sent': 0 });
	const show = await work.run('run show last --json');
	expect(JSON.parse(show.stdout)).toMatchObject({ ok: 1, unknown: 2, not_sent: 0, open: 2 });
	const rest = await work.run('run resume last --json');
	expect(JSON.parse(rest.stderr).summary.counts).toMatchObject({ ok: 3, unknown: 0, 'not-sent': 0 });
});

describe('a row that was under way when its process was killed stays in doubt', () => {
	/** Tickets 2 and 3 of four are held back until the process is killed. */
	async function killed(args: Words) {
		let holds = true;
		const answer: { to: Responder } = { to: ok };
		const place = await startDesk((request) => {
			if (holds) return idOf(request) === 1 ? ok : undefined;
			return answer.to;
		});
		await killedRun(place, args, 3);
		holds = false;
		return { ...place, answer };
	}
	const counts = ({ stderr }: { stderr: string }): unknown =>
		jsonLines<{ summary?: { counts: unknown } }>(stderr).at(-1)?.summary?.counts;
	const update = 'ticket update 1 2 3 4 --status hold -j 2 -q';

	it('where the time of a resume is over before it is reached, until a resume settles it', async () => {
		const { work } = await killed(update);
		const inTime = await work.run('run resume last --for 0s --json');
		expect(counts(inTime)).toMatchObject({ ok: 1, unknown: 2, 'not-sent': 1 });
		expect(inTime.exitCode).toBe(3);
		const show = await work.run('run show last --json');
		expect(JSON.parse(show.stdout)).toMatchObject({ ok: 1, unknown: 2, not_sent: 1, open: 3, in_flight: 2 });
		const listed = await work.run('run show last --outcome unknown --format ids');
		expect(listed.stdout).toBe('2\n3\n');
		expect((await work.run('run list')).stdout).toContain('1 ok, 2 unknown, 1 not sent');
		// Once more, and by now nothing was killed.
		expect(counts(await work.run('run resume last --for 0s --json'))).toMatchObject({ unknown: 2, 'not-sent': 1 });
		const rest = await work.run('run resume last --json');
		expect([rest.exitCode, counts(rest)]).toMatchObject([0, { ok: 4, unknown: 0, 'not-sent': 0 }]);
	});

	it('where nothing else is left, with the exit code of what is unknown', async () => {
		const { work } = await killed('ticket update 1 2 3 --status hold -j 2 -q');
		const inTime = await work.run('run resume last --for 0s --json');
		expect([inTime.exitCode, counts(inTime)]).toMatchObject([5, { ok: 1, unknown: 2, 'not-sent': 0 }]);
	});

	it.each<[string, Responder, string]>([
		['the credentials are refused', no(401), ''],
		['a row fails', no(400), '--stop-on-error'],
		['too many rows fail', no(400), '--max-failures 0'],
		['the service asks to wait for hours', json(503, {}, { 'retry-after': '7200' }), ''],
	])('where %s before it is reached', async (_, to, flags) => {
		const { work, answer } = await killed(`${update} ${flags}`.trim());
		answer.to = to;
		const stopped = await work.run('run resume last -j 1 --json --retries 0');
		expect(counts(stopped)).toMatchObject({ ok: 1, 'not-sent': 1 });
		const listed = await work.run('run show last --outcome unknown --format ndjson');
		expect(jsonLines(listed.stdout).at(-1)).toMatchObject({ id: 3, outcome: 'unknown', code: 'in_doubt' });
		answer.to = ok;
		expect(counts(await work.run('run retry last --json'))).toMatchObject({ ok: 4, unknown: 0 });
	});

	it('where it had failed before and a retry was sending it again', async () => {
		let refuses = true;
		let holds = false;
		const place = await startDesk((request) => {
			if (idOf(request) !== 2 || (!refuses && !holds)) return ok;
			return holds ? undefined : no(409);
		});
		const { work, recorder } = place;
		await work.run('ticket update 1 2 --status hold -j 1 -q');
		holds = true;
		const retry = work.spawn('run retry last -q');
		await recorder.wrote(3);
		retry.child.kill('SIGKILL');
		await retry.ended;
		refuses = false;
		holds = false;
		const inTime = await work.run('run resume last --for 0s --json');
		expect([inTime.exitCode, counts(inTime)]).toMatchObject([5, { ok: 1, unknown: 1, failed: 0 }]);
		const rest = await work.run('run resume last --json');
		expect([rest.exitCode, counts(rest)]).toMatchObject([0, { ok: 2, unknown: 0, failed: 0 }]);
	});
});

describe('two processes', () => {
	it('never work on one run at a time: the second is refused until the first is gone', async () => {
		const held: (() => void)[] = [];
		const { work, recorder } = await startDesk((...all) => {
			held.push(() => ok(...all));
		});
		const first = work.spawn(`ticket update ${ids(1, 6).join(' ')} --title b -j 2 -q`);
		await recorder.wrote(2);
		for (const command of ['resume', 'undo']) {
			const second = await work.run(['run', command, 'last']);
			expect(second.exitCode).toBe(1);
			expect(second.stderr).toContain(`process ${first.child.pid}`);
		}
		expect((await work.run('run list --fields state --format csv')).stdout).toBe('state\nrunning\n');
		first.child.kill('SIGKILL');
		await first.ended;
		expect(recorder.writes).toHaveLength(2);
		expect((await work.run('run list --fields state --format csv')).stdout).toBe('state\ncrashed\n');
		const resumed = work.begin('run resume last -q -j 6');
		await recorder.wrote(8);
		for (const respond of held.slice(2)) respond();
		expect((await resumed.ended).exitCode).toBe(0);
	});
});

describe('rows that were refused with 401', () => {
	it('are open, and not among the rejects', async () => {
		const { work } = await stoppedRun();
		expect((await work.run('run rejects last --format ids')).stdout).toBe('');
		const refused = await work.run('run rejects last --outcome failed --format count');
		expect(Number(refused.stdout)).toBeGreaterThan(0);
		const [run] = JSON.parse((await work.run('run list --json')).stdout) as [Record<string, unknown>];
		expect(run).toMatchObject({ rows: 60, ok: 20, open: 40 });
		const shown = JSON.parse((await work.run('run show last --json')).stdout) as { next: string[] };
		expect(shown.next[0]).toEqual(expect.stringMatching(/^supportctl run resume /));
	});
});

describe('a part of a sharded run', () => {
	it('has nothing open once it is done, whatever the others have', async () => {
		const { work } = await startDesk(ok);
		work.edits(40);
		await work.run('ticket update --input edits.csv --shard 1/4 -q');
		const [run] = JSON.parse((await work.run('run list --json')).stdout) as [Record<string, unknown>];
		expect(run).toMatchObject({ input_rows: 40, shard: '1/4', state: 'finished', open: 0 });
	});
});

describe('a service that saves and then drops the connection', () => {
	/** Writes are saved; the response to each is lost while `drops`, and so is the first response to the read of every third object. */
	async function unstable() {
		const objects = Array.from({ length: 4 }, (_, at) => ticket(at + 1));
		let drops = true;
		const lostReads = new Set<number>();
		const service = await startListService({
			objects,
			instead: ({ method, url, body }) => {
				const found = objects.find(({ id }) => new RegExp(`/${id}(?:\\?|$)`).test(url));
				if (!drops) return undefined;
				if (method === 'GET') {
					if (found === undefined || found.id % 3 > 0 || lostReads.has(found.id)) return undefined;
					lostReads.add(found.id);
				}
				if (method === 'POST' && found !== undefined) Object.assign(found, JSON.parse(body));
				return (_request, response) => void response.destroy();
			},
		});
		const work = createWorkplace(service.env);
		work.sheet('edits.csv', 'id,status', 4, (row) => `${row},queued`);
		return { service, work, end: () => (drops = false) };
	}
	const update = 'ticket update --input edits.csv -j 4 --retries 1 --format count'.split(' ');

	it('leaves no row unknown under --verify', async () => {
		const { service, work } = await unstable();
		const result = await work.run([...update, '--verify']);
		expect(result, result.stderr).toMatchObject({ exitCode: 0 });
		expect(service.objects.every(({ status }) => status === 'queued')).toBe(true);
	});

	it('leaves unknown rows, which run resume --verify settles by reading', async () => {
		const { service, work, end } = await unstable();
		expect((await work.run(update)).exitCode).toBe(5);
		end();
		Object.assign(service.objects[3] as object, { status: 'hold' });
		service.requests.length = 0;
		const resumed = await work.run('run resume last --verify --format count'.split(' '));
		expect(resumed, resumed.stderr).toMatchObject({ exitCode: 0 });
		const writes = service.requests.filter(({ method }) => method === 'POST');
		expect(writes.map(({ url }) => url.split('/').at(-1))).toEqual(['4']);
	});
});

describe('each request of a run', () => {
	it('carries the ID of the run, also when it is resumed', async () => {
		const { recorder, work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 -q');
		await work.run('run resume last -q');
		const { id } = work.records()[0] as unknown as { id: string };
		expect(recorder.writes.map(({ headers }) => headers['x-request-id'])).toEqual([id, id, id, id]);
	});
});

describe('the reports of a run', () => {
	it('are written again by a resume, with all rows', async () => {
		const { work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --report html:out.html --report junit:out.xml -q');
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(work.read('out.html')).toContain('<h1>4 tickets updated</h1>');
		expect(work.read('out.xml')).toContain('tests="4" failures="0" errors="0"');
	});

	it('never replace a file that is not a report of the run', async () => {
		const { work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --report markdown:out.md -q');
		work.write('out.md', 'mine\n');
		const { exitCode, stderr } = await work.run('run resume last -q');
		expect(exitCode, stderr).toBe(0);
		expect(work.read('out.md')).toBe('mine\n');
		const name = `markdown:${join(work.folder, 'out.md')}`;
		expect(stderr).toBe(
			`warning: not writing ${name}: the file isn't a report of this run; to write it: --report ${name}\n`,
		);
	});

	it('are written by a resume of a journal that the run had at a place of its own', async () => {
		const { work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --journal j.ndjson --report markdown:out.md -q');
		rmSync(join(work.folder, 'out.md'));
		expect(await work.run('run resume ./j.ndjson -q')).toMatchObject({ exitCode: 0, stderr: '' });
		expect(work.read('out.md')).toContain('4 tickets updated');
	});

	/** A stopped run whose journal comes to a state folder without it, or with another run in the place of its link. */
	async function elsewhere() {
		const { recorder, work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --journal j.ndjson --report markdown:out.md -q');
		rmSync(join(work.folder, 'out.md'));
		const away = createWorkplace(recorder.env);
		renameSync(join(work.folder, 'j.ndjson'), join(away.folder, 'j.ndjson'));
		return { away, report: join(work.folder, 'out.md') };
	}

	it('are not written by a resume of a journal from elsewhere, which could name any file', async () => {
		const { away, report } = await elsewhere();
		const { exitCode, stderr } = await away.run('run resume ./j.ndjson');
		expect([exitCode, existsSync(report)]).toEqual([0, false]);
		expect(stderr).toContain(
			`warning: not writing markdown:${report}: the journal isn't one of your state folder; to write it: --report markdown:${report}\n`,
		);
	});

	it("are not written by a resume of another user's journal in the same state folder", async () => {
		const { work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --report markdown:out.md -q');
		rmSync(join(work.folder, 'out.md'));
		const me = process.getuid?.() ?? 0;
		const getuid = vi.spyOn(process, 'getuid').mockReturnValue(me + 1);
		try {
			const { exitCode, stderr } = await work.run('run resume last -q');
			expect([exitCode, stderr]).toEqual([0, expect.stringContaining('not writing markdown:')]);
		} finally {
			getuid.mockRestore();
		}
		expect(existsSync(join(work.folder, 'out.md'))).toBe(false);
	});

	it('are written by a resume of a journal from elsewhere where they are given again', async () => {
		const { away, report } = await elsewhere();
		expect(await away.run('run resume ./j.ndjson -q --report markdown:here.md')).toMatchObject({
			exitCode: 0,
			stderr: '',
		});
		expect([existsSync(report), away.read('here.md')]).toEqual([false, expect.stringContaining('4 tickets updated')]);
	});
});

describe('a write that was applied although its response was lost', () => {
	it.each(['--only-changed', '--if status=read', '--snapshot', '--verify'])(
		'is ok on resume under %s',
		async (flag) => {
			let status = 'read';
			let isLost = true;
			const { recorder, work } = await startWorkplace(({ method, body }, response) => {
				if (method === 'GET') return json(200, { id: 1, status });
				({ status } = JSON.parse(body) as { status: string });
				return isLost ? void response.destroy() : ok;
			});
			const first = await work.run(`ticket update 1 --status hold --retries 0 --journal one -q ${flag}`);
			isLost = false;
			if (flag !== '--verify') expect(first.exitCode).toBe(5);
			recorder.requests.length = 0;
			const { exitCode } = await work.run('run resume one -q');
			expect(exitCode).toBe(0);
			expect(recorder.requests.filter(({ method }) => method === 'POST')).toEqual([]);
			expect(JSON.parse((await work.run('run show one --json')).stdout)).toMatchObject({ ok: 1, open: 0 });
		},
	);
});

describe('a run that was killed', () => {
	it('leaves rows that were never sent failed, and not unknown, if they are refused then', async () => {
		let isGone = false;
		const place = await startDesk((request) => {
			if (isGone && idOf(request) > 6) return json(403, { code: 'rest_forbidden', message: 'No.' });
			return idOf(request) === 5 && !isGone ? undefined : ok;
		});
		place.work.edits(9);
		await killedRun(place, 'ticket update --input edits.csv -j 1 -q', 5);
		isGone = true;
		const { exitCode, stdout } = await place.work.run('run resume last -q -j 1 --fields id,outcome --format csv');
		expect([exitCode, stdout]).toEqual([3, 'id,outcome\n5,ok\n6,ok\n7,failed\n8,failed\n9,failed\n']);
	});
});

describe('a journal from elsewhere', () => {
	/** A stopped run whose header is edited, with the right checksum. */
	async function edited(edit: (header: Header) => void) {
		const { recorder, work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --journal j.ndjson -q');
		const [first = '', ...rest] = work.read('j.ndjson').split('\n');
		const header = JSON.parse(first) as Header;
		edit(header);
		work.write('j.ndjson', [lineOf(header), ...rest].join('\n'));
		recorder.writes.length = 0;
		const { exitCode, stderr } = await work.run('run resume ./j.ndjson -q');
		expect(exitCode, stderr).not.toBe(0);
		expect(recorder.writes).toEqual([]);
		return stderr;
	}

	interface Header extends Record<string, unknown> {
		id: string;
		plan: { service: { prefixes: { product: string } }; values: { fields: object }; source: { path: string } };
	}

	it.each<[string, (header: Header) => void, string]>([
		[
			'a prefix that leads to another path',
			({ plan }) => (plan.service.prefixes.product = '../evil'),
			'"plan.service.prefixes.product"',
		],
		['an ID in the body', ({ plan }) => (plan.values.fields = { id: 7 }), `"id" isn't a field`],
		['a field that the API does not have', ({ plan }) => (plan.values.fields = { role: 'x' }), `"role" isn't a field`],
		['a value that is not allowed', ({ plan }) => (plan.values.fields = { status: 'hodl' }), 'status "hodl"'],
		['a device', ({ plan }) => (plan.source.path = '/dev/zero'), 'not a regular file'],
		['another file', ({ plan }) => (plan.source.path = '/etc/passwd'), 'the input changed'],
		['control characters in its ID', (header) => (header.id = '\u001b[2J'), '"id"'],
	])('with %s is refused before anything is sent', async (_, edit, says) => {
		const stderr = await edited(edit);
		expect(stderr).toContain(says);
		expect(stderr).not.toMatch(/root:|\u001b/);
	});

	it('with a flipped bit in a record sends that row again', async () => {
		const { recorder, work } = await startWorkplace(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv -j 1 --journal j.ndjson -q');
		work.write('j.ndjson', work.read('j.ndjson').replace('"type":"row","row":3,', '"type":"row","row":7,'));
		recorder.requests.length = 0;
		expect((await work.run('run resume ./j.ndjson -q')).exitCode).toBe(0);
		expect(recorder.requests.filter(({ method }) => method === 'POST').map(idOf)).toEqual([3]);
	});

	it('with a second name is refused', async () => {
		const { recorder, work } = await startDesk(ok);
		work.edits(4);
		await work.run('ticket update --input edits.csv --first 2 --journal j.ndjson -q');
		linkSync(join(work.folder, 'j.ndjson'), join(work.folder, 'k.ndjson'));
		recorder.writes.length = 0;
		const { exitCode, stderr } = await work.run('run resume ./k.ndjson -q');
		expect([exitCode, stderr]).toEqual([1, expect.stringContaining('2 hard links')]);
		expect(recorder.writes).toEqual([]);
	});
});

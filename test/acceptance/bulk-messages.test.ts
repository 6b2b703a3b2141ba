/** What a command over rows prints on stderr, and the contradictions that it refuses. */

import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { lineOf } from '../support/journal.js';
import { done, idOf, json, type Responder } from '../support/recorder.js';
import { startWorkplace } from '../support/workplace.js';

const ok = done();

describe('on stderr', () => {
	it('stand the first twenty failures, how many more there are, and where to find them', async () => {
		const no = json(400, { code: 'rest_no', message: 'Sorry.', data: { params: { status: 'not now' } } });
		const { work } = await startDesk((...all) => (all[0].url.endsWith('/27') ? ok : no)(...all));
		work.sheet('edits.csv', 'id,status', 27, (row) => `${row === 1 ? 27 : row - 1},hold`);
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv -j 1 --format count');
		expect(exitCode).toBe(3);
		const lines = stderr.trimEnd().split('\n');
		const id = work.records()[0]?.id;
		expect(lines.slice(0, 2)).toEqual([
			'error: update ticket 1 failed (HTTP 400 rest_no): Sorry.; status: not now',
			'error: update ticket 2 failed (HTTP 400 rest_no): Sorry.; status: not now',
		]);
		expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(20);
		expect(lines.slice(-6, -4)).toEqual([
			'26 rows need attention:',
			'  26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, ticket 3, …',
		]);
		expect(lines.slice(-4)).toEqual([
			`6 rows are not shown; list all 26: supportctl run show ${id} --outcome failed`,
			`Fix and resend: supportctl run rejects ${id} --format csv`,
			`Undo: supportctl run undo ${id}`,
			expect.stringMatching(/: 1 ok, 26 failed$/),
		]);
	});

	it('stand differences and warnings of rows that are ok', async () => {
		const { work } = await startDesk((request, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(`<br>Notice: x\n{"id":${idOf(request)},"status":"re\\u001bad"}`);
		});
		const { exitCode, stderr } = await work.run('ticket update 1 2 --status hold -j 1 --format count --allow-differs');
		expect(exitCode).toBe(0);
		expect(stderr.split('\n').slice(0, 2)).toEqual([
			'warning: row 1 (ticket 1): status is "re\\u001bad", not "hold"',
			expect.stringMatching(/^warning: row 1 \(ticket 1\): text before the JSON of the response: /),
		]);
		expect(stderr).toMatch(/: 2 ok\n$/);
	});

	it('stand failures beside as many rows that only differ', async () => {
		const { work } = await startDesk((request, response, count) =>
			Number(/\d+$/.exec(request.url)?.[0]) <= 25
				? done({ status: 'read' })(request, response, count)
				: json(404, { code: 'rest_post_invalid_id', message: 'Gone.' })(request, response, count),
		);
		work.edits(50);
		const { exitCode, stderr } = await work.run(
			'ticket update --input edits.csv -j 1 --format count --allow-differs'.split(' '),
		);
		expect(exitCode).toBe(3);
		const lines = stderr.split('\n');
		expect(lines.filter((line) => line.startsWith('warning: '))).toHaveLength(20);
		expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(20);
		expect(stderr).toMatch(/^5 rows are not shown; list all 25: supportctl run show \S+ --outcome failed$/m);
	});

	it('stands the next step after failures that have one', async () => {
		const { work } = await startDesk(json(403, { code: 'rest_cannot_edit', message: 'Sorry.' }));
		const { exitCode, stderr } = await work.run('ticket update 1 2 --status hold');
		expect(exitCode).toBe(4);
		expect(stderr).toContain(
			'hint: your account lacks permission to edit; ask an administrator or use a different profile',
		);
	});
});

describe('refused before anything is sent', () => {
	it.each([
		[
			'an id in --data that is not the path’s',
			['ticket', 'update', '14', '--data', '{"id":15,"title":"x"}'],
			'--data has id 15, but the path says 14',
		],
		[
			'rows and a value from standard input',
			['ticket', 'update', '-', '--content', '@-'],
			"stdin already contains the rows and can't be a value",
		],
		[
			'rows and a password from standard input',
			['user', 'update', '-', '--password-stdin'],
			"stdin already contains the rows and can't be a value",
		],
		[
			'ids and a file',
			['ticket', 'update', '14', '--input', 'edits.csv'],
			'pass rows with --input or as arguments, not both',
		],
		[
			'- beside ids',
			['ticket', 'update', '14', '-', '--title', 'x'],
			"- reads IDs from stdin and can't be combined with other IDs",
		],
		['nothing to change', ['ticket', 'update', '14'], 'nothing to change: pass a flag for a field, or --data'],
		['no ids', ['ticket', 'update', '--title', 'x'], 'missing <id>, -, or --input'],
		['a missing ticket of replies', ['reply', 'delete'], 'missing <ticket-id>'],
		[
			'a map that is none',
			['ticket', 'update', '--input', 'edits.csv', '--map', 'status'],
			'--map "status" is not COLUMN=FIELD',
		],
		[
			'a column that is not there',
			['ticket', 'update', '--input', 'edits.csv', '--map', 'statsu=title'],
			'--map statsu=title: no such column; did you mean "status"?',
		],
	])('%s', async (_name, args, message) => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'id,status\n1,hold\n');
		const result = await work.run(args, { stdin: '1\n2\n' });
		expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
		expect([recorder.writes, work.spooled()]).toEqual([[], []]);
	});

	it('an id in --data that is the path’s is no contradiction, and never travels in the body', async () => {
		const { recorder, work } = await startDesk();
		expect((await work.run('ticket update 14 --data {"id":14,"title":"x"}')).exitCode).toBe(0);
		expect(recorder.writes.map(({ body }) => body)).toEqual(['{"title":"x"}']);
	});

	it('users, where the credentials were refused', async () => {
		const { recorder, work } = await startWorkplace(json(401, { code: 'rest_forbidden', message: 'Who are you?' }));
		const result = await work.run('user delete 5 6 --reassign 2 --yes');
		expect(result.exitCode).toBe(4);
		expect(result.stderr).toContain('the service refused the credentials (401): Who are you?; nothing was sent');
		expect(recorder.requests.map(({ method }) => method)).toEqual(['GET']);
	});

	it('a journal of an endpoint that has no runs', async () => {
		const { recorder, work } = await startDesk();
		await work.run('ticket update 1 2 --status hold -q --journal run.ndjson');
		recorder.writes.length = 0;
		for (const endpoint of ['user.check', 'no.such']) {
			const [header = ''] = work.read('run.ndjson').split('\n');
			work.write('odd.ndjson', `${lineOf(JSON.parse(header.replace('ticket.update', endpoint)))}\n`);
			for (const verb of ['resume', 'undo']) {
				const { exitCode, stderr } = await work.run(['run', verb, 'odd.ndjson', '--yes']);
				expect(exitCode).not.toBe(0);
				expect(stderr).toContain('odd.ndjson: its first line has no valid "plan.endpoint"');
			}
		}
		expect(recorder.writes).toEqual([]);
	});
});

describe('an id', () => {
	it('is a number wherever JSON shows its row', async () => {
		const { work } = await startDesk(json(404, { code: 'rest_post_invalid_id', message: 'Gone.' }));
		const planned = await work.run('ticket update 14 --status hold --dry-run --json'.split(' '));
		expect(JSON.parse(planned.stdout)).toMatchObject([{ id: 14 }]);
		const failed = await work.run('ticket update 14 --status hold --json'.split(' '));
		expect(JSON.parse(failed.stdout)).toMatchObject([{ id: 14 }]);
		expect(JSON.parse(failed.stderr)).toMatchObject({ error: { id: 14 } });
	});
});

describe('on a terminal, a run of more than fifty rows', () => {
	const numbers = Array.from({ length: 60 }, (_, index) => index + 1);
	const update = ['ticket', 'update', ...numbers.map(String), '--status', 'hold'];
	const failing: Responder = (request) =>
		request.url.endsWith('/7') ? json(404, { code: 'no', message: 'Gone.' }) : ok;

	it('shows no more than twenty rows that need attention, and counts by reason', async () => {
		const { work } = await startDesk((request) =>
			/[02468]$/.test(request.url)
				? json(403, { code: 'gone', message: 'Gone.' })
				: json(400, { code: 'no', message: 'No.' }),
		);
		const { stdout, stderr } = await work.run(update, { columns: 80 });
		expect(stdout.trimEnd().split('\n')).toHaveLength(21);
		expect(stderr).toMatch(
			/60 rows need attention:\n {2}30 failed \(HTTP \d+ \w+: \w+\.\): ticket \d+, .*, …\n {2}30 failed /m,
		);
		expect(stderr).toMatch(/^40 rows are not shown; list all 60:\n {2}supportctl run show \S+ --outcome failed$/m);
	});

	it('prints stderr as JSON alone with --json, and a summary of rows that are all ok', async () => {
		const { recorder, work } = await startDesk(ok);
		const { stderr } = await work.run('ticket update 1 2 --status hold --json -v');
		const lines = jsonLines(stderr);
		expect(lines.at(-1)).toEqual({
			summary: {
				run: work.records()[0]?.id,
				host: new URL(recorder.baseUrl).host,
				rows: 2,
				ms: expect.any(Number),
				counts: expect.objectContaining({ ok: 2 }),
				exitCode: 0,
				next: [`supportctl run undo ${work.records()[0]?.id}`],
			},
		});
	});

	it('shows only the rows that need attention', async () => {
		const { work } = await startDesk(failing);
		const { stdout } = await work.run(update, { columns: 80 });
		expect(stdout.trimEnd().split('\n').slice(1)).toEqual([expect.stringMatching(/^7 .*Gone\./)]);
	});

	it.each([
		['--fields', 'id'],
		['--field', 'id'],
		['--query', '[].id'],
		['--format', 'ids'],
		['--format', 'table'],
	])('shows all with %s %s, and prints failures on stderr', async (...flags) => {
		const { work } = await startDesk(failing);
		const { stdout, stderr } = await work.run([...update, ...flags], { columns: 80 });
		const lines = stdout.trimEnd().split('\n');
		expect(lines.length).toBeGreaterThanOrEqual(59);
		expect(stderr).toContain('ticket 7 not found');
	});

	it('shows all in the format of the profile', async () => {
		const { recorder, work } = await startDesk(ok);
		const profile = ['profile', 'set', 'desk', '--base-url', recorder.baseUrl, '--scheme', 'none', '--format'];
		const shown = async (format: string) => {
			await work.run([...profile, format]);
			return (await work.run(update, { columns: 80 })).stdout;
		};
		expect(await shown('count')).toBe('60\n');
		expect((await shown('ndjson')).trimEnd().split('\n')).toHaveLength(60);
	});

	it.each([80, undefined])('shows none with --quiet at %s columns, and prints failures on stderr', async (columns) => {
		const { work } = await startDesk(failing);
		const { stdout, stderr, exitCode } = await work.run([...update, '-q'], { columns });
		expect({ stdout, stderr, exitCode }).toEqual({
			stdout: '',
			stderr: expect.stringMatching(/^.*error:.* ticket 7 not found .*Gone\.\n$/),
			exitCode: 3,
		});
		expect((await work.run('ticket update 1 --status hold -q', { columns })).stdout).toBe('');
		const { stdout: data } = await work.run([...update, '-q', '--format', 'ids'], { columns });
		expect(data.trimEnd().split('\n')).toHaveLength(59);
	});

	it('shows all that it reads', async () => {
		const { work } = await startWorkplace(json(200, { colour: { name: 'colour', value: 'red' } }));
		const { stdout } = await work.run(['ticket', 'fields', 'get', ...numbers.map(String)], { columns: 80 });
		expect(stdout.trimEnd().split('\n')).toHaveLength(61);
	});
});

describe('the format of the profile', () => {
	it('holds for user check', async () => {
		const { recorder, work } = await startDesk(done());
		const profile = ['profile', 'set', 'desk', '--base-url', recorder.baseUrl, '--scheme', 'none', '--format', 'yaml'];
		await work.run(profile);
		const { stdout } = await work.run('user check ada --password-stdin', { stdin: 'secret word\n' });
		expect(stdout).toContain('verdict: valid\n');
	});
});

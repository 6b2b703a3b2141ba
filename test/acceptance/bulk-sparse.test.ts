/** Rows that leave every field alone, as sheets with empty cells have them: skipped, shown and counted, and never sent. */

import { describe, expect, it } from 'vitest';
import { startDesk } from '../support/desk.js';
import { done, json, type Recorder, type Responder } from '../support/recorder.js';
import type { Workplace } from '../support/workplace.js';
import { startWorkplace } from '../support/workplace.js';

const ok = done();

const sent = ({ requests }: Recorder) =>
	requests
		.filter(({ method }) => method === 'POST')
		.map(({ url, body }) => `${url.replace('/wp-json/support-api/v1', '')} ${body}`);

const outcomes = (work: Workplace) =>
	work
		.records()
		.filter(({ type }) => type === 'row')
		.map(({ row, outcome }) => [row, outcome]);

describe('a row in which every field is left alone', () => {
	const SHEET = 'ticket_id,a,b\n3,x,\n4,,\n5, ,y\n';

	it('is skipped with the reason, in results and journal, while the others are sent', async () => {
		const { recorder, work } = await startDesk();
		work.write('e.csv', SHEET);
		const result = await work.run('ticket fields set --input e.csv --format ndjson -j 1');
		expect(JSON.parse(result.stderr)).toMatchObject({ summary: { counts: { ok: 2, skipped: 1 } } });
		const skipped = {
			...{ row: 2, outcome: 'skipped', code: 'nothing_to_send' },
			...{ message: 'nothing to change', attempts: 0, ms: 0 },
		};
		const lines = result.stdout.trimEnd().split('\n');
		const printed = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(printed[1]).toMatchObject({ ...skipped, ticket_id: 4, status: null });
		expect(work.records().find(({ row }) => row === 2)).toEqual({ type: 'row', line: 3, ticket_id: '4', ...skipped });
		expect(work.records().at(-1)).toMatchObject({ counts: { ok: 2, skipped: 1, invalid: 0 }, exit: 0 });
		expect(sent(recorder).filter((line) => line.includes('{'))).toEqual([
			'/tickets/3/custom-fields {"custom_fields":{"a":"x"}}',
			'/tickets/5/custom-fields {"custom_fields":{"b":"y"}}',
		]);
		const { stdout } = await work.run('run show last --outcome skipped --format ids');
		expect(stdout).toBe('4\n');
		expect((await work.run('run rejects last --format csv')).stdout).toBe('ticket_id,a,b,error\n');
	});

	it('is read neither with --only-changed, --snapshot and --verify, nor with --dry-run --diff', async () => {
		const { recorder, work } = await startWorkplace(
			json(200, { a: { name: 'A', value: 'x' }, b: { name: 'B', value: 'z' } }),
		);
		work.write('e.csv', SHEET);
		const args = ['ticket', 'fields', 'set', '--input', 'e.csv'];
		expect((await work.run([...args, '--only-changed', '--snapshot', '--verify', '-q'])).exitCode).toBe(6);
		const diff = await work.run([...args, '--dry-run', '--diff', '--format', 'count']);
		// Row 3 has its value already.
		expect([diff.exitCode, diff.stdout]).toEqual([0, '1\n']);
		expect(sent(recorder).filter((line) => line.includes('/4/'))).toEqual([]);
	});

	it('is counted by --dry-run, which shows the requests of the others', async () => {
		const { recorder, work } = await startDesk();
		work.write('e.csv', SHEET);
		const args = ['ticket', 'fields', 'set', '--input', 'e.csv', '--dry-run', '-v', '--field', 'path'];
		expect(await work.run(args)).toEqual({
			exitCode: 0,
			stdout: '/support-api/v1/tickets/3/custom-fields\n/support-api/v1/tickets/5/custom-fields\n',
			stderr: `dry run on ${new URL(recorder.baseUrl).host}: 2 requests would be sent; nothing was sent\nnot sent: 1 with nothing to send\n`,
		});
	});

	it('is one where all rows are such, as long as the header has fields', async () => {
		const { recorder, work } = await startDesk();
		work.write('e.csv', 'id,status,title\n1,,\n2,,\n');
		expect((await work.run('ticket update --input e.csv -q')).exitCode).toBe(0);
		expect(outcomes(work)).toEqual([
			[1, 'skipped'],
			[2, 'skipped'],
		]);
		expect(recorder.writes).toEqual([]);
	});

	it('is an NDJSON object without a field, beside others that have one', async () => {
		const { recorder, work } = await startDesk();
		work.write('e.ndjson', '{"id":1}\n{"id":2,"status":"hold"}\n');
		expect((await work.run('ticket update --input e.ndjson -q')).exitCode).toBe(0);
		expect(outcomes(work).sort()).toEqual([
			[1, 'skipped'],
			[2, 'ok'],
		]);
		expect(sent(recorder).filter((line) => line.includes('{'))).toEqual(['/tickets/2 {"status":"hold"}']);
	});

	it('is none with --blank clear, nor where a flag or --data gives a value', async () => {
		const { recorder, work } = await startDesk();
		work.write('e.csv', 'id,title\n1,\n');
		for (const more of [
			['--blank', 'clear'],
			['--assignee', '7'],
			['--data', '{"assignee":8}'],
		]) {
			expect((await work.run(['ticket', 'update', '--input', 'e.csv', '-q', ...more])).exitCode).toBe(0);
		}
		expect(sent(recorder)).toEqual(
			['{"title":""}', '{"assignee":7}', '{"assignee":8}'].map((body) => `/tickets/1 ${body}`),
		);
	});

	it('counts for --expect and --max, and is skipped by one shard alone', async () => {
		const { recorder, work } = await startDesk();
		work.sheet('e.csv', 'id,title', 20, (row) => `${row},${row % 2 === 0 ? 'x' : ''}`);
		const args = ['ticket', 'update', '--input', 'e.csv', '-q'];
		expect((await work.run([...args, '--max', '19'])).exitCode).toBe(2);
		const seen: unknown[] = [];
		for (const shard of ['1/3', '2/3', '3/3']) {
			const own = ['--expect', '20', '--shard', shard, '--journal', `${shard[0]}.ndjson`];
			expect((await work.run([...args, ...own])).exitCode).toBe(0);
			const records = work.records(`${work.folder}/${shard[0]}.ndjson`);
			for (const { row, outcome } of records) if (outcome === 'skipped') seen.push(row);
			const counts = records.at(-1)?.counts as Record<string, number>;
			expect(counts['not-sent']).toBe(0);
			expect(counts.ok).toBeLessThan(10);
		}
		expect(seen.sort((a, b) => Number(a) - Number(b))).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
		expect(recorder.writes).toHaveLength(10);
	});

	it('does not hide that no response comes', async () => {
		const { recorder, work } = await startDesk((_request, response) => response.destroy());
		work.sheet('e.csv', 'id,title', 80, (row) => `${row},${row % 2 === 0 ? 'x' : ''}`);
		const result = await work.run('ticket update --input e.csv --retries 0 -j 1 -q');
		expect(result.stderr).toContain('supportctl run resume');
		expect(recorder.writes).toHaveLength(11);
		expect(work.records().at(-1)?.counts).toMatchObject({ unknown: 11, skipped: 11, 'not-sent': 58 });
	});
});

describe('in a resume, a row that leaves every field alone', () => {
	it('stays skipped, though an earlier row of its id has to be sent again', async () => {
		let responder: Responder = (_request, response) => response.destroy();
		const { recorder, work } = await startDesk((...args) => responder(...args));
		work.write('e.csv', 'id,title\n7,x\n7,\n');
		const args = ['ticket', 'update', '--input', 'e.csv', '--retries', '0', '-q'];
		expect((await work.run(args)).exitCode).toBe(5);
		responder = ok;
		expect((await work.run('run resume last -q')).exitCode).toBe(0);
		expect(outcomes(work)).toEqual([
			[1, 'unknown'],
			[2, 'skipped'],
			[1, 'ok'],
		]);
		expect(recorder.writes).toHaveLength(2);
	});

	it('takes no confirmation from the rows that are left', async () => {
		let isOpen = false;
		const refused = json(401, { code: 'rest_no', message: 'Sorry.' });
		const { recorder, work } = await startDesk((request, ...rest) =>
			(isOpen || request.url.endsWith('/3') ? ok : refused)(request, ...rest),
		);
		const set = [
			'profile',
			'set',
			'live',
			'--base-url',
			recorder.baseUrl,
			'--username',
			'ada',
			'--protected',
			'--insecure-storage',
		];
		expect((await work.run([...set, '--password-stdin'], { stdin: 'pw' })).exitCode).toBe(0);
		work.write('e.csv', 'id,title\n1,\n2,\n3,x\n4,x\n5,x\n');
		const args = ['ticket', 'update', '--input', 'e.csv', '--profile', 'live', '--confirm', 'live', '-j', '1', '-q'];
		expect((await work.run(args)).exitCode).toBe(4);
		isOpen = true;
		recorder.writes.length = 0;
		const result = await work.run('run resume last -q');
		expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('pass --confirm=live')]);
		expect(recorder.writes).toEqual([]);
	});
});

it.each([
	[
		'a sheet without a column for a field',
		'e.csv',
		'id\n1\n2\n',
		'e.csv line 1: nothing to send: no column matches a field',
	],
	['objects of which none has a field', 'e.ndjson', '{"id":1}\n{"id":2}\n', 'nothing to change: pass a flag'],
	['a list of ids without a flag', 'e.ids', '1\n2\n', 'nothing to change: pass a flag for a field, or --data'],
])('an input that can say nothing is refused: %s', async (_, name, text, said) => {
	const { recorder, work } = await startDesk();
	work.write(name, text);
	for (const more of [[], ['--skip-invalid'], ['--dry-run'], ['--shard', '1/9']]) {
		const result = await work.run(['ticket', 'update', '--input', name, ...more]);
		expect([result.exitCode, result.stdout, result.stderr]).toEqual([2, '', expect.stringContaining(said)]);
	}
	expect([...recorder.writes, ...work.journals()]).toEqual([]);
});

it('a list of ids without a flag is refused also where some lines are no ids', async () => {
	const { work } = await startDesk();
	work.write('e.ids', '1\nx\n');
	const result = await work.run('ticket update --input e.ids --skip-invalid');
	expect([result.exitCode, result.stderr]).toEqual([
		2,
		expect.stringContaining('error: nothing to change: pass a flag'),
	]);
});

/** Rows from arguments, files and standard input: what reaches the service, and that nothing does where one cell is bad. */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { type Desk, startDesk } from '../support/desk.js';
import { done, startRecorder } from '../support/recorder.js';
import { createWorkplace, csv } from '../support/workplace.js';

const ok = done();

/** Method, path below the version and body of each request, in the order of the paths. */
const calls = ({ writes }: Desk): string[] =>
	writes
		.map(({ method, url, body }) => `${method} ${url.replace('/wp-json/support-api/v1', '')} ${body}`.trim())
		.sort();

describe('two passes', () => {
	it('send nothing at all where the last of 20,000 lines has a bad cell, and name its line and column', async () => {
		const { recorder, work } = await startDesk();
		const good = csv('id,status,title', 19_999, (row) => `${row},hold,"Printer, floor ${row}"`);
		work.write('edits.csv', `${good}20000,hodl,Printer\n`);
		const result = await work.run('ticket update --input edits.csv --json');
		expect(result).toMatchObject({ exitCode: 2, stdout: '' });
		expect(JSON.parse(result.stderr)).toEqual({
			error: {
				code: 'invalid_input',
				complaints: [
					{
						row: 20_000,
						line: 20_001,
						column: 'status',
						file: 'edits.csv',
						message: 'row 20000 (edits.csv line 20001): status "hodl" is unknown; did you mean "hold"?',
					},
				],
				message: '1 of 20,000 rows is invalid; nothing was sent',
				exitCode: 2,
			},
		});
		expect(recorder.requests).toEqual([]);
		expect(work.journals()).toEqual([]);
	});

	it('complain of bad cells also where the input turns out to be unreadable', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'id,status,title\n1,hodl,x\n2,hold,"never closed\n3,hold,x\n');
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv --json');
		expect(exitCode).toBe(2);
		expect(jsonLines(stderr)).toEqual([
			{
				error: expect.objectContaining({
					message: expect.stringContaining('unclosed quote'),
					line: 3,
					complaints: [expect.objectContaining({ line: 2, column: 'status', file: 'edits.csv' })],
				}),
			},
		]);
		expect((await work.run('ticket update --input edits.csv')).stderr).toMatch(/status "hodl".*\n.*unclosed quote/);
		expect(recorder.requests).toEqual([]);
	});

	it('write JSON alone to stderr with --json and --skip-invalid', async () => {
		const { work } = await startDesk();
		work.write('edits.csv', 'id,status\n1,hodl\n2,hold\n');
		const { stdout, stderr } = await work.run('ticket update --input edits.csv --skip-invalid --json');
		expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'invalid' }, { outcome: 'ok' }]);
		expect(jsonLines(stderr)).toEqual([
			{ warning: '1 of 2 rows is invalid and will be skipped' },
			{ error: expect.objectContaining({ code: 'rows_failed' }) },
			{ summary: expect.objectContaining({ exitCode: 3 }) },
		]);
	});

	it('complain once where something else keeps the run from being sent', async () => {
		const { work } = await startDesk();
		work.write('edits.csv', 'id,status\n1,hodl\n2,hold\n');
		const { stderr } = await work.run('ticket update --input edits.csv --skip-invalid --max 1');
		expect(stderr.split('hodl')).toHaveLength(2);
		expect(stderr).toContain('--max 1');
	});

	it('fail where the input changes on the way, and say so, with exit code 3 for what was sent', async () => {
		const recorder = await startRecorder((request, response, count) => {
			if (count === 1) appendFileSync(join(work.folder, 'edits.csv'), '301,more\n');
			ok(request, response, count);
		});
		const work = createWorkplace(recorder.env);
		// More than one read takes in: 300 rows are sent in time even on a busy machine.
		work.sheet('edits.csv', 'id,content', 300, (row) => `${row},${'long '.repeat(400)}`);
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv -q');
		expect(stderr).toContain('edits.csv changed while it was being read');
		expect(exitCode).toBe(3);
		expect(recorder.requests.length).toBeGreaterThan(0);
	});

	it('show one message per reason with its count and first lines, and all complaints with --json', async () => {
		const { recorder, work } = await startDesk();
		work.sheet('edits.csv', 'id,status,date', 30, (row) => `${row},hodl,x`);
		const shown = await work.run('ticket update --input edits.csv');
		expect(shown.exitCode).toBe(2);
		expect(shown.stderr.split('\n').filter((line) => line.startsWith('error: '))).toEqual([
			expect.stringMatching(/^error: row 1 \(edits.csv line 2\): status "hodl" .* \(29 more: lines 3, 4, 5, …\)$/),
			expect.stringMatching(/^error: row 1 \(edits.csv line 2\): date "x" .* \(29 more: lines 3, 4, 5, …\)$/),
		]);
		work.sheet('many.csv', 'id,status', 30, (row) => `${row},hodl${row}`);
		const many = await work.run('ticket update --input many.csv');
		expect(many.stderr.split('\n').filter((line) => line.startsWith('error: '))).toHaveLength(20);
		expect(many.stderr).toContain('… and 10 more; to print all: --json\n');
		// --skip-invalid would send nothing here.
		expect(shown.stderr).toContain('\n30 of 30 rows are invalid; nothing was sent\n');
		work.write('one.csv', 'id,status\n1,hodl\n2,hold\n');
		const some = await work.run('ticket update --input one.csv');
		expect(some.stderr).toContain('1 of 2 rows is invalid; nothing was sent; pass --skip-invalid to send the others\n');
		const all = await work.run('ticket update --input edits.csv --json');
		expect((JSON.parse(all.stderr) as { error: { complaints: unknown[] } }).error.complaints).toHaveLength(60);
		expect(recorder.requests).toEqual([]);
	});

	it('send the good rows with --skip-invalid, and report the others', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'id,status\n1,hold\n2,hodl\nx,hold\n4,read\n');
		const result = await work.run('ticket update --input edits.csv --skip-invalid --format ndjson');
		expect(result.exitCode).toBe(3);
		expect(calls(recorder)).toEqual(['POST /tickets/1 {"status":"hold"}', 'POST /tickets/4 {"status":"read"}']);
		const outcomes = jsonLines<{ row: number; outcome: string }>(result.stdout);
		expect(Object.fromEntries(outcomes.map(({ row, outcome }) => [row, outcome]))).toEqual({
			1: 'ok',
			2: 'invalid',
			3: 'invalid',
			4: 'ok',
		});
	});

	it('refuse a header with unknown columns, all at once, naming its line and the nearest', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', '\n\nid,statuss,foo\n1,hold,x\n');
		const result = await work.run('ticket update --input edits.csv');
		expect(result).toEqual({
			exitCode: 2,
			stdout: '',
			stderr: [
				'error: edits.csv line 3: unknown column "statuss"; did you mean "status"?',
				'  unknown column "foo"',
				'hint: to ignore them: --ignore-column "statuss,foo"; to send one: --map "statuss=status"',
				'',
			].join('\n'),
		});
		expect(recorder.requests).toEqual([]);
	});

	it.each([
		[
			'ref,status\n1,hold\n',
			'--ignore-column ref',
			/missing column "id"\nhint: if the column has a different name: --map COLUMN=id/,
		],
		['id,status\n1,hold\n', '--map stauts=status', /^error: edits.csv line 1: [^\n]*mean "status"\?\n$/],
		['', '--status hold', /^error: edits.csv is empty: a header line with the column names is required\n$/],
	])('give a hint only where it helps: %j %s', async (input, flags, stderr) => {
		const { work } = await startDesk();
		work.write('edits.csv', input);
		expect((await work.run(`ticket update --input edits.csv ${flags}`)).stderr).toMatch(stderr);
	});

	it('refuse bytes that are not UTF-8, naming the line', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', Buffer.from('id,title\n1,ok\n2,M\xfcller\n', 'latin1'));
		const result = await work.run('ticket update --input edits.csv');
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain('edits.csv line 3: not valid UTF-8');
		expect(recorder.requests).toEqual([]);
	});
});

describe('columns', () => {
	it('are renamed by --map, left out by --ignore-column, and the id is one of them', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'Nummer,Zustand,Bemerkung,ticket_priority\n14,hold,egal,urgent\n');
		const flags = ['--map', 'Nummer=id', '--map', 'Zustand=status', '--ignore-column', 'Bemerkung'];
		expect((await work.run(['ticket', 'update', '--input', 'edits.csv', ...flags])).exitCode).toBe(0);
		const sent = calls(recorder).filter((call) => call.startsWith('POST'));
		expect(sent).toEqual(['POST /tickets/14 {"status":"hold","ticket_priority":"urgent"}']);
	});

	it('are named by complaints as the file names them', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'id,Zustand\n14,hodl\n');
		const { exitCode, stderr } = await work.run('ticket update --input edits.csv --map Zustand=status');
		expect(exitCode).toBe(2);
		expect(stderr).toContain(
			'error: row 1 (edits.csv line 2): column "Zustand": status "hodl" is unknown; did you mean "hold"?\n',
		);
		expect(recorder.requests).toEqual([]);
	});

	it('beat flags row by row; an empty cell leaves the flag or the field alone', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'id,status,title\n1,read,a\n2,,b\n3,,\n');
		const args = ['ticket', 'update', '--input', 'edits.csv', '--status', 'hold', '--assignee', '7'];
		expect((await work.run(args)).exitCode).toBe(0);
		expect(calls(recorder)).toEqual([
			'POST /tickets/1 {"status":"read","assignee":7,"title":"a"}',
			'POST /tickets/2 {"status":"hold","assignee":7,"title":"b"}',
			'POST /tickets/3 {"status":"hold","assignee":7}',
		]);
	});

	it('empty a field where their cell is empty under --blank clear', async () => {
		const { recorder, work } = await startDesk();
		work.write('edits.csv', 'id,title,assignee\n1,,7\n2,x,\n');
		expect((await work.run('ticket update --input edits.csv --blank clear')).exitCode).toBe(0);
		expect(calls(recorder)).toEqual([
			'POST /tickets/1 {"title":"","assignee":7}',
			'POST /tickets/2 {"title":"x","assignee":""}',
		]);
	});

	it('name force and reassign per row', async () => {
		const { recorder, work } = await startDesk();
		work.write('users.csv', 'id,reassign\n8,2\n9,3\n');
		await work.run('user delete --input users.csv --yes');
		work.write('tickets.csv', 'ticket_id,force\n5,true\n6,\n');
		await work.run('ticket delete --input tickets.csv --yes');
		expect(calls(recorder).filter((call) => call.startsWith('DELETE'))).toEqual([
			'DELETE /tickets/5?force=true',
			'DELETE /tickets/6',
			'DELETE /users/8?force=true&reassign=2',
			'DELETE /users/9?force=true&reassign=3',
		]);
	});

	it('are custom fields for ticket fields set, whatever their names', async () => {
		const { recorder, work } = await startDesk();
		work.write('fields.csv', 'ticket_id,colour,__proto__,status\n14,red,x,y\n15,,,z\n');
		expect((await work.run('ticket fields set --input fields.csv')).exitCode).toBe(0);
		expect(calls(recorder).filter((call) => call.startsWith('POST'))).toEqual([
			'POST /tickets/14/custom-fields {"custom_fields":{"colour":"red","__proto__":"x","status":"y"}}',
			'POST /tickets/15/custom-fields {"custom_fields":{"status":"z"}}',
		]);
	});

	it('may name a taxonomy per row', async () => {
		const { recorder, work } = await startDesk();
		work.write('terms.csv', 'taxonomy,id,force\nproduct,1,true\nticket_priority,2,\n');
		expect((await work.run('term delete --input terms.csv --yes')).exitCode).toBe(0);
		expect(calls(recorder)).toEqual(['DELETE /product/1?force=true', 'DELETE /ticket_priority/2']);
	});
});

describe('formats', () => {
	const expected = ['POST /tickets/1 {"title":"a\\nb"}', 'POST /tickets/2 {"title":"c; d"}'];

	it.each<[name: string, content: string | Uint8Array]>([
		['edits.csv', '\uFEFFid,title\r\n1,"a\nb"\r\n2,c; d\r\n,\r\n'],
		['excel.csv', 'sep=;\r\nid;title;;\r\n1;"a\nb";;\r\n2;"c; d";;\r\n;;;\r\n'],
		['edits.tsv', 'id\ttitle\n1\t"a\nb"\n2\tc; d\n'],
		['edits.ndjson', '{"id":1,"title":"a\\nb"}\n\n{"id":"2","title":"c; d"}\n'],
		['edits.csv.gz', gzipSync('id,title\n1,"a\nb"\n2,c; d\n')],
		['edits.ndjson.gz', gzipSync('{"id":1,"title":"a\\nb"}\n{"id":2,"title":"c; d"}')],
	])('%s', async (name, content) => {
		const { recorder, work } = await startDesk();
		work.write(name, content);
		expect(await work.run(['ticket', 'update', '--input', name, '-q'])).toMatchObject({ exitCode: 0, stderr: '' });
		expect(calls(recorder)).toEqual(expected);
	});

	it.each<[what: string, stdin: string | Uint8Array, flags: string[]]>([
		['ids behind -', '1\n2\n', ['-']],
		['ids with blanks and Windows line ends', ' 1 \r\n\r\n2\r\n', ['-']],
		['ids that are detected', '1\n2\n', ['--input', '-']],
		['CSV that is detected', 'id,status\n1,hold\n2,hold\n', ['--input', '-']],
		['TSV that is named', 'id\tstatus\n1\thold\n2\thold\n', ['--input', '-', '--input-format', 'tsv']],
		['NDJSON that is detected', '{"id":1}\n{"id":2}\n', ['--input', '-']],
		['a JSON array that is detected', '[\n  {\n    "id": 1\n  },\n  {"id":2}\n]\n', ['--input', '-']],
		['a packed JSON array that is named', gzipSync('[{"id":1},{"id":2}]'), ['--input', '-', '--input-format', 'json']],
		['packed ids', gzipSync('1\n2\n'), ['--input', '-']],
		['CSV behind -, where it is named', 'id,status\n1,hold\n2,hold\n', ['-', '--input-format', 'csv']],
	])('standard input: %s', async (_what, stdin, flags) => {
		const { recorder, work } = await startDesk();
		const result = await work.run(['ticket', 'update', ...flags, '--status', 'hold', '-q'], { stdin });
		expect(result).toMatchObject({ exitCode: 0, stderr: '' });
		expect(calls(recorder)).toEqual(['POST /tickets/1 {"status":"hold"}', 'POST /tickets/2 {"status":"hold"}']);
		expect(work.spooled()).toEqual([]);
	});

	it('NDJSON keeps the types of its values', async () => {
		const { recorder, work } = await startDesk();
		work.write('users.ndjson', '{"id":7,"roles":["agent"],"support_can_be_assigned":true,"meta":{"a":{"b":[1]}}}\n');
		expect((await work.run('user update --input users.ndjson')).exitCode).toBe(0);
		expect(calls(recorder)).toEqual([
			'POST /users/7 {"roles":["agent"],"support_can_be_assigned":true,"meta":{"a":{"b":[1]}}}',
		]);
	});

	it.each([
		[
			`{"id":5,"meta":${'[{"a":'.repeat(5000)}1${'}]'.repeat(5000)}}`,
			'lists and objects are nested more than 100 deep',
		],
		['{"id":5,"time_notes":"a","time-notes":"b"}', '"time-notes" is the same field as another column or key'],
	])('an object that can be taken in two ways, or is too deep, is never sent: %.30s', async (object, message) => {
		const { recorder, work } = await startDesk();
		for (const [name, content] of [
			['edits.ndjson', `${object}\n`],
			['edits.json', `[${object}]`],
		] as const) {
			work.write(name, content);
			const result = await work.run(['ticket', 'update', '--input', name]);
			expect(result.exitCode).toBe(2);
			expect(result.stderr).toContain(`row 1 (${name} line 1): ${message}`);
		}
		expect(recorder.requests).toEqual([]);
	});

	it('standard input in an unknown format needs --input-format', async () => {
		const { recorder, work } = await startDesk();
		const result = await work.run('ticket update --input - --status hold', { stdin: '= =\n1\n' });
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain('unknown input format: standard input');
		expect(result.stderr).toContain('--input-format csv|tsv|ndjson|json|ids');
		expect(recorder.requests).toEqual([]);
		expect(work.spooled()).toEqual([]);
	});

	it('an input without rows is no error, asks nothing, and sends nothing', async () => {
		const { recorder, work } = await startDesk();
		for (const args of [
			['ticket', 'update', '-', '--status', 'hold'],
			['ticket', 'delete', '-'],
		]) {
			expect(await work.run(args, { stdin: '' })).toMatchObject({ exitCode: 0, stdout: '' });
		}
		expect(recorder.requests).toEqual([]);
	});

	it('values reach the service as they were given: formulas, escape sequences, blanks', async () => {
		const { recorder, work } = await startDesk();
		const title = ' =HYPERLINK("x")\u001b]0;x\u0007\u202e ';
		work.write('edits.csv', `id,title\n1,"${title.replaceAll('"', '""')}"\n`);
		expect((await work.run('ticket update --input edits.csv')).exitCode).toBe(0);
		expect(JSON.parse(recorder.writes[0]?.body ?? '')).toEqual({ title });
	});
});

describe('lookups and readings', () => {
	it('take many rows like the rest', async () => {
		const recorder = await startRecorder(({ method, body }, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(
				method === 'GET'
					? '{"colour":{"name":"Colour","value":"red"}}'
					: body.includes('ada')
						? '{"id":1}'
						: '{"id":2}',
			);
		});
		const work = createWorkplace(recorder.env);
		work.write('users.csv', 'Login\nada\nbob\n');
		const found = await work.run('user id --input users.csv --map Login=id --format csv -q');
		expect(found.exitCode).toBe(0);
		expect(
			found.stdout
				.trim()
				.split('\n')
				.slice(1)
				.map((line) => line.split(',').slice(0, 2))
				.sort(),
		).toEqual([
			['ada', '1'],
			['bob', '2'],
		]);
		const fields = await work.run('ticket fields get - --format csv -q', { stdin: '5\n6\n' });
		expect(fields.stdout.split('\n')[0]).toBe('id,outcome,colour,message');
		expect(fields.stdout.trim().split('\n').slice(1).sort()).toEqual(['5,ok,red,', '6,ok,red,']);
	});
});

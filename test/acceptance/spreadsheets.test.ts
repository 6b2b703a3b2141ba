/** Spreadsheets that were made for people: their headers, cells and mistakes. */

import { describe, expect, test } from 'vitest';
import { startDirectoryService } from '../support/directory-service.js';

const header = 'Ticket ID,Subject,Status,Assigned To,Priority,Tags,Department,Notes';

describe('a colleague’s spreadsheet', () => {
	test('needs one flag for the column that no field has, which the message prints', async () => {
		const service = await startDirectoryService();
		service.write('t.csv', `${header}\n14,Printer,On Hold,jdoe,,VIP,,call back\n`);
		const { exitCode, stderr } = await service.run('ticket update --input t.csv');
		expect(exitCode).toBe(2);
		expect(stderr).toContain('unknown column "Notes"');
		expect(stderr).toContain('--ignore-column "Notes"');
		expect(stderr).toContain('--map "Notes=time-notes"');
	});

	test('is sent with names as IDs, and says what its columns were taken for', async () => {
		const terms = {
			'ticket-tag': [{ id: 31, slug: 'vip', name: 'VIP' }],
			ticket_priority: [{ id: 5, slug: 'hi', name: 'High' }],
		};
		const service = await startDirectoryService({ terms });
		service.write('t.csv', `${header}\n14,Printer,In Progress,jdoe,high,VIP,,call back\n`);
		const dry = await service.run(['ticket', 'update', '--input', 't.csv', '--ignore-column', 'Notes', '--dry-run']);
		expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringContaining('Subject → title')]);
		expect(service.written()).toEqual([]);
		const { exitCode, stderr } = await service.run([
			'ticket',
			'update',
			'--input',
			't.csv',
			'--ignore-column',
			'Notes',
		]);
		const said = 'Subject → title, Assigned To → assignee, Priority → ticket_priority, Tags → ticket-tag';
		expect([exitCode, stderr]).toEqual([0, expect.stringContaining(said)]);
		expect(service.written()).toEqual([
			[
				'/tickets/14',
				{ title: 'Printer', status: 'in-progress', assignee: 7, ticket_priority: '5', 'ticket-tag': [31] },
			],
		]);
	});

	test('names the unknown user once, by the column of the file', async () => {
		const service = await startDirectoryService();
		service.sheet('t.csv', 'Ticket ID,Assigned To', 12, (row) => `${row},jdeo`);
		const { exitCode, stderr } = await service.run('ticket update --input t.csv');
		expect(exitCode).toBe(2);
		expect(stderr.match(/jdeo/g)).toHaveLength(1);
		expect(stderr).toContain('column "Assigned To": user "jdeo" not found; did you mean "jdoe"?');
		expect(stderr).toContain('11 more');
	});

	test('has one column for a field', async () => {
		const service = await startDirectoryService();
		service.write('t.csv', 'id,Subject,Title\n14,a,b\n');
		const { exitCode, stderr } = await service.run('ticket update --input t.csv');
		expect([exitCode, stderr]).toEqual([
			2,
			expect.stringContaining('columns "Subject" and "Title" are the same field'),
		]);
	});

	test.each(['14,hold\n15,hold\n', '14,,hold\n', '14,7,7\n'])('without a header is called so: %j', async (text) => {
		const service = await startDirectoryService();
		service.write('t.csv', text);
		const { exitCode, stderr } = await service.run('ticket update --input t.csv');
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('t.csv line 1: this file has no header')]);
	});

	test('without a header has an example of one', async () => {
		const service = await startDirectoryService();
		service.write('t.csv', '14,hold\n');
		expect((await service.run('ticket update --input t.csv')).stderr).toContain('such as id,status');
	});

	test.each([
		['ticket update', 'Ticket,Status', '/tickets/14'],
		['ticket update', 'Case ID,Status', '/tickets/14'],
		['reply update', 'Reply ID,Status,Ticket', '/tickets/3/replies/14'],
	])('%s --input reads %s', async (command, columns, path) => {
		const service = await startDirectoryService();
		service.write('t.csv', `${columns}\n14,read,3\n`.replace(/,3(?=\n$)/, columns.endsWith('Ticket') ? ',3' : ''));
		const { stderr } = await service.run(`${command} --input t.csv`);
		expect(stderr).toContain('columns: ');
		expect(service.written()).toEqual([[path, { status: 'read' }]]);
	});

	test('for custom fields has only its ID column matched loosely', async () => {
		const service = await startDirectoryService();
		service.write('t.csv', 'Ticket #,Subject,Agent\n14,a,b\n');
		const { stderr } = await service.run('ticket fields set --input t.csv');
		expect(stderr).toContain('columns: Ticket # → ');
		expect(service.written()).toEqual([['/tickets/14/custom-fields', { custom_fields: { Subject: 'a', Agent: 'b' } }]]);
	});
});

describe('statuses', () => {
	test.each([
		['In Progress', 'in-progress'],
		['HOLD', 'hold'],
		['Shop On Hold', 'shop-on-hold'],
	])('%s is %s', async (given, sent) => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', '--status', given]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(service.written()).toEqual([['/tickets/14', { status: sent }]]);
	});

	test.each(['Closed', 'open'])('%s is a state, which the message says', async (given) => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run(`ticket update 14 --status ${given}`);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is a state, not a status; use --state')]);
	});

	test('that only sound like one are offered', async () => {
		const service = await startDirectoryService();
		const { exitCode, stderr } = await service.run(['ticket', 'update', '14', '--status', 'On Hold']);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('did you mean "hold"?')]);
	});
});

test.each([
	['an empty term', ['--product', '']],
	['a list of terms', ['--department', 'a,b']],
	['an empty term in JSON', ['--data', '{"ticket_priority":""}']],
])('%s is refused before anything is sent', async (_what, flags) => {
	const service = await startDirectoryService();
	const { exitCode } = await service.run(['ticket', 'update', '14', ...flags]);
	expect([exitCode, service.requests]).toEqual([2, []]);
});

test('an empty cell of a term is refused with --blank clear', async () => {
	const service = await startDirectoryService();
	service.write('t.csv', 'id,product,title\n14,,x\n');
	const { exitCode, stderr } = await service.run('ticket update --input t.csv --blank clear');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining("can't be cleared")]);
});

test('a state is sent in small letters', async () => {
	const service = await startDirectoryService();
	service.write('t.csv', 'Ticket ID,State\n14,Closed\n14,OPEN\n');
	await service.run('ticket update --input t.csv -q -j 1');
	await service.run('ticket update 16 --state Closed');
	expect(service.written().map(([, body]) => body)).toEqual([
		{ state: 'closed' },
		{ state: 'open' },
		{ state: 'closed' },
	]);
});

test('users without IDs are found by their usernames with the flag that the message prints', async () => {
	const service = await startDirectoryService();
	service.write('t.csv', 'Username,Nickname\njdoe,J\n');
	const { stderr } = await service.run('user update --input t.csv');
	expect(stderr).toContain('--map "Username=id"');
	await service.run(['user', 'update', '--input', 't.csv', '--map', 'Username=id']);
	expect(service.written()).toEqual([['/users/7', { nickname: 'J' }]]);
});

test.each([
	['Name\nAda Lovelace\n', 'to send it: --map "Name=id"; if the line is a title or a comment, remove it'],
	['E-Mail\nada@example.com\n', 'to send it: --map "E-Mail=id"; if the line is a title or a comment, remove it'],
	['# leavers of July\nid\n7\n', 'if the line is a title or a comment, remove it: the header comes first'],
	['Leavers,,\nid,reassign\n7,3\n', 'if the line is a title or a comment, remove it: the header comes first'],
])('a first line without any known column says how to go on: %j', async (text, hint) => {
	const service = await startDirectoryService();
	service.write('t.csv', text);
	const { exitCode, stderr } = await service.run('user delete --input t.csv --reassign 3 --yes');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('a range in the place of IDs is refused with the line that sends it', async () => {
	const service = await startDirectoryService();
	const { exitCode, stderr } = await service.run('ticket update 14-16 --status hold');
	expect([exitCode, stderr]).toEqual([
		2,
		expect.stringContaining('hint: for a range: seq 14 16 | supportctl ticket update -'),
	]);
});

test('a file in the place of IDs is refused with the flag for it', async () => {
	const service = await startDirectoryService();
	const { exitCode, stderr } = await service.run('ticket update t.csv --status hold');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining('hint: to read rows from a file: --input t.csv')]);
});

test('a custom field that is set twice is refused', async () => {
	const service = await startDirectoryService();
	const { exitCode, stderr } = await service.run('ticket fields set 14 --set a=1 --set a=2');
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--set has "a" twice')]);
});

// A quadratic reader would take longer than any test may.
test('a header of 32,000 columns is read', async () => {
	const service = await startDirectoryService();
	const names = Array.from({ length: 32_000 }, (_, at) => `extra ${at}`);
	service.write('t.csv', `id,${names.join(',')}\n14${','.repeat(32_000)}\n`);
	expect((await service.run('ticket update --input t.csv')).exitCode).toBe(2);
	expect(service.requests).toEqual([]);
	await service.run('ticket fields set --input t.csv');
	expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

/** Nothing malformed reaches the network: ids, slugs, values and flags are refused with exit code 2 and no request. */

import { describe, expect, it, test } from 'vitest';
import { runCli, runHere, type Words } from '../support/cli.js';
import { json, startRecorder } from '../support/recorder.js';

async function refused(args: Words, input?: string): Promise<string> {
	const recorder = await startRecorder(json(200, { id: 1 }));
	const result = await runHere(args, { env: recorder.env, ...(input === undefined ? {} : { input }) });
	expect({ exitCode: result.exitCode, requests: recorder.requests, stdout: result.stdout }).toEqual({
		exitCode: 2,
		requests: [],
		stdout: '',
	});
	expect(result.stderr).not.toMatch(/\n\s+at /);
	return result.stderr;
}

describe('an id that is no positive integer never reaches the network', () => {
	const ids = [
		'0',
		'-1',
		'1e3',
		'12abc',
		'../users/1',
		'1'.repeat(30),
		'1.5',
		'+7',
		'007',
		' 7',
		'%37',
		'７',
		'',
		'9007199254740993',
	];
	test.each(ids)('%j', async (id) => {
		await refused(['ticket', 'update', '--status', 'hold', '--', id]);
		await refused(['reply', 'delete', '--yes', '--', id, '3']);
		await refused(['user', 'delete', '--reassign', id === '' ? 'x' : id.replace(/^-/, 'x'), '--yes', '5']);
		await refused('ticket update - --status hold', `5\n${id === '' ? 'x' : id === ' 7' ? '7 7' : id}\n`);
	});
});

test.each(['..', '.', 'a/b', '%2e%2e', 'a b', 'ä', '', '?x', '#'])(
	'the slug %j never reaches the network',
	async (slug) => {
		await refused(['user', 'password', 'delete', '7', '--yes', '--', slug]);
	},
);

describe('values are checked before anything is sent', () => {
	test.each([
		[['--status', 'hodl'], 'status "hodl" is not a documented ticket status; did you mean "hold"?'],
		[['--time-adjustments-type', 'plus'], 'is not positive, negative, + or -'],
		[['--date', '2026-02-30'], 'is not an ISO 8601 date'],
		[['--assignee', 'ada'], 'is not a whole number'],
		[['--data', '[1]'], '--data takes a JSON object'],
		[['--data', '{"status": "hodl"}'], 'is not a documented ticket status'],
		[['--data', '{'], 'not valid JSON'],
		[['--content', '@missing.txt'], "error: --content can't read missing.txt: there is no such file\n"],
		[['--content', '@/'], "error: --content can't read /: it is a folder\n"],
		[['--data', '@missing.json'], "error: --data can't read missing.json: there is no such file\n"],
		[[], 'nothing to change'],
		[['--statsu', 'hold'], 'unknown flag --statsu; did you mean "--status"?'],
		[['--status', 'hold', '--concurrency', '0'], '--concurrency takes a whole number of 1 or more'],
		[['--status', 'hold', '--shard', '5/4'], '--shard "5/4"'],
		[['--status', 'hold', '--report', 'pdf:x'], '--report'],
	])('ticket update 14 %j', async (flags, says) => {
		expect(await refused(['ticket', 'update', '14', ...flags])).toContain(says);
	});

	test('booleans, e-mail addresses and passwords of users', async () => {
		expect(await refused('user update 7 --support-can-be-assigned yes')).toContain('not true or false');
		expect(await refused('user update 7 --email ada')).toContain('has no @');
		expect(await refused('user update 7 --password x')).toContain('a secret never comes from a flag');
	});

	test('--undocumented lets a status of the desk’s own through', async () => {
		const recorder = await startRecorder();
		const args = ['ticket', 'update', '14', '--status', 'escalated', '--undocumented'];
		expect(await runHere(args, { env: recorder.env })).toMatchObject({ exitCode: 0 });
		expect(recorder.requests[0]?.body).toBe('{"status":"escalated"}');
	});
});

describe('deletes', () => {
	test('refuse without --yes without a terminal', async () => {
		expect(await refused('ticket delete 14')).toContain('give --yes');
	});

	test('of a product need --force, since terms can’t be trashed', async () => {
		expect(await refused('term delete product 9 --yes')).toContain("terms can't be trashed");
	});

	test('of users need --reassign', async () => {
		expect(await refused('user delete 21 --yes')).toContain('--reassign <user-id> is missing');
	});

	test('of users refuse a receiver in the same set, wherever it stands', async () => {
		expect(await refused('user delete 21 22 23 --reassign 22 --yes')).toContain('deleted in the same set');
		const rows = 'id,reassign\n21,2\n22,2\n23,21\n';
		expect(await refused('user delete --input - --input-format csv --yes', rows)).toContain(
			'row 3 reassigns to user 21',
		);
	});

	test('of users refuse the account that is signed in', async () => {
		const recorder = await startRecorder(json(200, { id: 21 }));
		const result = await runHere('user delete 20 21 --reassign 2 --yes', { env: recorder.env });
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain('user 21 is the account that is signed in (ada)');
		expect(recorder.requests.map(({ method }) => method)).not.toContain('DELETE');
	});
});

test('a missing file of --set has the message of a missing --input', async () => {
	expect(await refused('ticket fields set 14 --set note=@missing.txt')).toContain(
		"error: --set can't read missing.txt: there is no such file\n",
	);
});

describe('terms', () => {
	test('a misspelt taxonomy brings one suggestion, and no way around it', async () => {
		expect(await refused('term update ticket-priority 3 --name x')).toBe(
			'error: "ticket-priority" is not a taxonomy; did you mean "ticket_priority"?\n',
		);
	});

	test('a taxonomy that is like none brings those that have a route', async () => {
		expect(await refused('term delete colour 3 --yes')).toBe(
			'error: "colour" is not a taxonomy; the API documents a route to delete terms of product and ticket_priority\n' +
				'hint: --undocumented allows other taxonomies\n',
		);
	});

	test('a taxonomy without a documented route is refused, naming those that have one', async () => {
		expect(await refused('term update product 9 --name x')).toContain(
			'the API documents no route to update product terms, only ticket_priority',
		);
		expect(await refused('term delete department 9 --yes')).toContain('only product and ticket_priority');
	});

	test('--undocumented allows other taxonomies', async () => {
		const recorder = await startRecorder();
		const args = ['term', 'update', 'department', '9', '--name', 'x', '--undocumented'];
		expect(await runHere(args, { env: recorder.env })).toMatchObject({ exitCode: 0 });
		expect(recorder.requests[0]).toMatchObject({ method: 'POST', url: '/wp-json/support-api/v1/department/9' });
	});
});

describe('guards', () => {
	test('--expect and --max stop before the first request', async () => {
		expect(await refused('ticket update 1 2 --status hold --expect 3')).toContain('there are 2 rows');
		expect(await refused('ticket update 1 2 --status hold --max 1')).toContain('there are 2 rows');
	});

	test('one bad row among good ones stops all of them', async () => {
		const rows = 'id,status\n1,hold\n2,hodl\n3,hold\n';
		const stderr = await refused('ticket update --input - --input-format csv', rows);
		expect(stderr).toContain(
			'row 2 (standard input line 3): status "hodl" is not a documented ticket status; did you mean "hold"?',
		);
	});

	test('--skip-invalid sends the good rows and rejects the others', async () => {
		const recorder = await startRecorder();
		const result = await runHere('ticket update --input - --input-format csv --skip-invalid', {
			env: recorder.env,
			input: 'id,status\n1,hold\n2,hodl\n3,hold\n',
		});
		expect(result.exitCode).toBe(3);
		expect(recorder.requests.map(({ url }) => url).sort()).toEqual([
			'/wp-json/support-api/v1/tickets/1',
			'/wp-json/support-api/v1/tickets/3',
		]);
	});

	test('--dry-run prints method, path and body, and sends nothing', async () => {
		const recorder = await startRecorder();
		const result = await runHere('ticket update 14 15 --status hold -n', { env: recorder.env });
		expect(result).toEqual({
			exitCode: 0,
			stdout:
				'POST\t/support-api/v1/tickets/14\t{"status":"hold"}\nPOST\t/support-api/v1/tickets/15\t{"status":"hold"}\n',
			stderr: `dry run on ${new URL(recorder.baseUrl).host}: 2 requests, none sent\n`,
		});
		expect(recorder.requests).toEqual([]);
	});
});

describe('bytes that are no text', () => {
	test.each([
		['ticket update 14 --content @-', '--content '],
		['ticket update 14 --data @-', '--data '],
		['api POST tickets/14 --input -', ''],
		['user check ada --password-stdin', '--password-stdin '],
	])('are refused where they come on standard input: %s', async (line, flag) => {
		const recorder = await startRecorder(json(200, { id: 1 }));
		const input = Buffer.from('{"content":"caf\xe9"}\n', 'latin1');
		const result = await runCli(line.split(' '), { env: recorder.env, input });
		expect(result).toMatchObject({
			exitCode: 2,
			stderr: `error: ${flag}can't read standard input: it is not UTF-8 text\n`,
		});
		expect(recorder.requests).toEqual([]);
	});
});

test('a password is not taken from --data on the command line, but from a file or a pipe', async () => {
	const said = await refused('user update 7 --data {"password":"argv-marker"}');
	expect(said).toBe(
		'error: --data: password on the command line could be read by other users of the machine\nhint: give it with --data @file or --data @-\n',
	);
	const recorder = await startRecorder(json(200, { id: 7 }));
	const piped = { env: recorder.env, input: '{"password":"piped"}' };
	expect((await runHere('user update 7 --data @-', piped)).exitCode).toBe(0);
	expect(recorder.requests[0]?.body).toBe('{"password":"piped"}');
});

test('a field of --data may be spelt as its flag; with --undocumented it goes as it is', async () => {
	const recorder = await startRecorder(json(200, { id: 7 }));
	const args = ['ticket', 'update', '7', '--data', '{"ticket-priority":"high"}'];
	await runHere(args, { env: recorder.env });
	await runHere([...args, '--undocumented'], { env: recorder.env });
	expect(recorder.requests.map(({ body }) => body)).toEqual([
		'{"ticket_priority":"high"}',
		'{"ticket-priority":"high"}',
	]);
});

test('a sheet among ids is named for what it is', async () => {
	const said = await refused('ticket update - --status hold', 'id,status\n5,hold\n');
	expect(said).toContain('a sheet with columns is read by --input FILE, or --input - --input-format csv');
});

describe('--data beside flags', () => {
	test('has a map in common with them, and says nothing else twice', async () => {
		const recorder = await startRecorder(json(200, { id: 7 }));
		const run = (line: string) => runHere(line.split(' '), { env: recorder.env });
		expect((await run('user update 7 --meta a=1 --data {"meta":{"c":3},"nickname":"z"}')).exitCode).toBe(0);
		expect((await run('ticket update 7 --status hold --data {"status":"hold"}')).exitCode).toBe(0);
		expect(recorder.requests.map(({ body }) => JSON.parse(body))).toEqual([
			{ meta: { c: 3, a: '1' }, nickname: 'z' },
			{ status: 'hold' },
		]);
		expect(await refused('ticket update 7 --status hold --data {"status":"read"}')).toBe(
			'error: status is given by --data and by a flag of its own, with two values\n',
		);
	});
});

test.each([
	['ticket', 'update', '5', '--content', '@/dev/zero'],
	['ticket', 'update', '5', '--data', '@/dev/zero'],
	['api', 'POST', 'tickets/5', '--input', '/dev/zero'],
	['ticket', 'update', '5', '--status', 'hold', '--ca-file', '/dev/zero'],
])('a device without an end in place of a file is refused: %s', async (...args) => {
	expect(await refused(args)).toMatch(/it is larger than \d+ MiB/);
});

describe('a secret on the command line is refused, whatever it is called', () => {
	it.each([
		[['user', 'update', '7', '--meta', 'password=hunter2']],
		[['user', 'update', '7', '--meta', 'api_key=hunter2', '--name', 'x']],
		[['user', 'update', '7', '--data', '{"Password":"hunter2"}']],
		[['user', 'update', '7', '--data', '{"password":4815162342}']],
		[['user', 'update', '7', '--data', '{"meta":{"deep":[{"clientSecret":"hunter2"}]}}']],
		[['user', 'update', '7', '--data', '{"meta":[{"name":"auth_token","value":"hunter2"}]}', '--undocumented']],
		[['user', 'update', '7', '--data', '{"PASSWORD":"hunter2"}', '-n']],
		[['ticket', 'update', '7', '--data', '{"secret":"hunter2"}', '--undocumented']],
		[['ticket', 'fields', 'set', '7', '--set', 'password=hunter2']],
		[['ticket', 'fields', 'set', '7', '--set', 'FTP-Password=hunter2']],
		[['ticket', 'fields', 'set', '7', '--set', 'a=1', '--set', 'wifi passphrase=hunter2']],
	])('%j', async (argv) => {
		const recorder = await startRecorder();
		const { exitCode, stdout, stderr } = await runCli(argv, { env: recorder.env });
		expect({ exitCode, stdout, requests: recorder.requests }).toEqual({ exitCode: 2, stdout: '', requests: [] });
		expect(stderr).toMatch(
			/on the command line could be read by other users of the machine\nhint: give it with --.*@-/,
		);
		expect(stderr).not.toMatch(/hunter2|4815162342/);
	});

	it('from a file or standard input it is sent', async () => {
		const recorder = await startRecorder(json(200, { id: 7, custom_fields: { password: 'hunter2' } }));
		const sets = [
			{ argv: ['ticket', 'fields', 'set', '7', '--set', 'password=@-'], input: 'hunter2\n' },
			{ argv: ['user', 'update', '7', '--data', '@-'], input: '{"meta":{"api_key":"hunter2"}}' },
			{ argv: ['api', 'POST', 'users/7', '-F', 'password=@-'], input: 'hunter2\n' },
		];
		for (const { argv, input } of sets) await runCli(argv, { env: recorder.env, input });
		expect(recorder.requests.map(({ body }) => body)).toEqual([
			'{"custom_fields":{"password":"hunter2"}}',
			'{"meta":{"api_key":"hunter2"}}',
			'{"password":"hunter2"}',
		]);
	});
});

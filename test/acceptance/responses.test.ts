/** What every command makes of a response: exit code, stdout and stderr, against a real server. */

import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { binary, runHere } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { shownTo, startOf } from '../support/objects.js';
import { done, json, type Responder, startRecorder, text } from '../support/recorder.js';
import { hastyClock, startWorkplace } from '../support/workplace.js';

/** One call of each command over rows, with what its failures call the thing. */
const commands: [name: string, args: string[]][] = [
	['update ticket 14', ['ticket', 'update', '14', '--status', 'hold']],
	['delete ticket 14', ['ticket', 'delete', '14', '--yes']],
	['read ticket 14', ['ticket', 'fields', 'get', '14']],
	['set custom fields of ticket 14', ['ticket', 'fields', 'set', '14', '--set', 'a=b']],
	['update reply 3 of ticket 14', ['reply', 'update', '14', '3', '--status', 'read']],
	['delete reply 3 of ticket 14', ['reply', 'delete', '14', '3', '--yes']],
	['update user 7', ['user', 'update', '7', '--name', 'Ada']],
	['look up username "ada"', ['user', 'id', 'ada']],
	['delete application password laptop of user 7', ['user', 'password', 'delete', '7', 'laptop', '--yes']],
	['update attachment 31', ['attachment', 'update', '31', '--title', 'x']],
	['update ticket_priority term 5', ['term', 'update', 'ticket_priority', '5', '--name', 'x']],
	['delete product term 9', ['term', 'delete', 'product', '9', '--force', '--yes']],
];

interface Case {
	responder: Responder;
	exitCode: number;
	/** What stderr says after the command's name. */
	says: RegExp;
	/** How often an update is sent, where not once. */
	sent?: number;
	/** Whether a read is sent again, since the response answers nothing. */
	isOdd?: true;
}

const invalidParam = {
	code: 'rest_invalid_param',
	message: 'Invalid parameter(s): status',
	data: { status: 400, params: { status: 'status is not one of publish, draft.' } },
};

const cases: Record<string, Case> = {
	'400 with reasons': {
		responder: json(400, invalidParam),
		exitCode: 1,
		says: /failed \(HTTP 400 rest_invalid_param\): Invalid parameter\(s\): status\n\s+status: status is not one of publish, draft\./,
	},
	'400 with a list of missing parameters': {
		responder: json(400, { code: 'rest_missing_callback_param', message: 'Missing', data: { params: ['reassign'] } }),
		exitCode: 1,
		says: /failed \(HTTP 400 rest_missing_callback_param\): Missing\n\s+reassign: is missing/,
	},
	'400 with null for data': {
		responder: json(400, { code: 'odd', message: 'No', data: null }),
		exitCode: 1,
		says: /failed \(HTTP 400 odd\): No/,
	},
	'401': {
		responder: json(401, { code: 'rest_not_logged_in', message: 'You are not logged in.' }),
		exitCode: 4,
		says: /failed \(HTTP 401 rest_not_logged_in\): You are not logged in\.\n.*supportctl login/,
	},
	'403': {
		responder: json(403, { code: 'rest_forbidden', message: 'Sorry.' }),
		exitCode: 4,
		says: /failed \(HTTP 403 rest_forbidden\): Sorry\.\n.*lacks permission/,
	},
	'404': {
		responder: json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.' }),
		exitCode: 1,
		says: /not found \(HTTP 404 rest_post_invalid_id\): Invalid post ID\./,
	},
	'404 for a path that is not served': {
		responder: json(404, { code: 'rest_no_route', message: 'No route was found.' }),
		exitCode: 1,
		says: /failed \(HTTP 404 rest_no_route\): No route was found\.\n.*endpoint not found; .* base URL/,
	},
	'410': {
		responder: json(410, { code: 'rest_already_trashed', message: 'Already deleted.' }),
		exitCode: 1,
		says: /failed \(HTTP 410 rest_already_trashed\): Already deleted\./,
	},
	'500 from the service': {
		responder: json(500, { code: 'db_error', message: 'Out of rows.' }),
		exitCode: 1,
		says: /failed \(HTTP 500 db_error\)(?:, after 2 attempts: Out of rows(?:; the request may be partly applied)?|: Out of rows)/,
		sent: 2,
	},
	'an HTML page with 200': {
		responder: text(200, '<!DOCTYPE html><html><head><title>My shop</title></head><body>Welcome</body></html>'),
		exitCode: 5,
		isOdd: true,
		says: /(?:failed|outcome unknown) \(HTTP 200 html_response\)(?:, after 2 attempts)?: the response is an HTML page \("My shop"\).*\/wp-json/,
	},
	'an HTML page with 404': {
		responder: text(404, '<html><title>Not found</title></html>'),
		exitCode: 1,
		isOdd: true,
		says: /failed \(HTTP 404 html_response\)(?:, after 2 attempts)?: the response is an HTML page \("Not found"\).*\n.*\/wp-json/,
	},
	'a login form': {
		responder: text(200, '<html><title>Log in</title><form><input type="password"></form></html>'),
		exitCode: 5,
		isOdd: true,
		says: /(?:failed|outcome unknown) \(HTTP 200 login_form\)(?:, after 2 attempts)?: the response is an HTML login form \("Log in"\).*\nhint: a sign-on page/,
	},
	'an empty body': {
		responder: text(200, ''),
		exitCode: 5,
		says: /outcome unknown \(HTTP 200 empty_response\)(?:, after 5 attempts)?: the response is empty\n.*(?:the change may have been applied; to check, and to send it again if it was not: supportctl run resume \S+(?: --verify)?(?: --yes)?|the change may have been applied; check before retrying|try again)\n/,
	},
	'JSON that breaks off': {
		responder: text(200, '{"id": 14, "sta', { 'content-type': 'application/json' }),
		exitCode: 5,
		says: /outcome unknown \(HTTP 200 cut_off_json\)(?:, after 5 attempts)?: .*\{"id": 14, "sta/,
	},
	'plain text': {
		responder: text(200, 'OK then', { 'content-type': 'text/plain' }),
		exitCode: 5,
		isOdd: true,
		says: /outcome unknown \(HTTP 200 not_json\)(?:, after 2 attempts)?: the response is not JSON \(text\/plain\): OK then/,
	},
	'a redirect': {
		responder: text(301, '', { location: 'https://www.desk.example/wp-json/' }),
		exitCode: 1,
		says: /failed \(HTTP 301 redirect\): the service redirects to https:\/\/www\.desk\.example\/wp-json\//,
	},
};

/** What is read before a write: a color that the update would clear, and the names of passwords. */
const readBefore: Record<string, unknown> = {
	'update ticket_priority term 5': { id: 5, name: 'old', color: '#a00' },
	'delete application password laptop of user 7': { laptop: { slug: 'laptop', name: 'Laptop' } },
};

/** Which term a number means; its service has no such list. */
const isTermList = ({ url }: { url: string }): boolean => /\/(?:product|ticket_priority)\?/.test(url);

/** Services respond to a write of custom fields with an empty 200, which --verify settles. */
const empty = 'an empty body';
const mayBeEmpty = 'set custom fields of ticket 14';

describe.each(Object.entries(cases))('%s', (what, { responder, exitCode, says, sent = 1, isOdd }) => {
	test.each(commands.filter(([name]) => what !== empty || name !== mayBeEmpty))('%s', async (name, args) => {
		const isRead = name.startsWith('read') || name.startsWith('look up');
		const read = readBefore[name];
		const { recorder } = await startDesk(responder, (request) => {
			if (isRead) return responder;
			return read === undefined || isTermList(request) ? undefined : json(200, read);
		});
		const result = await runHere(args, { env: recorder.env, clock: hastyClock(100) });
		// A page is no read, and says nothing about a write.
		const isPage = what === 'an HTML page with 200' || what === 'a login form';
		expect(result.exitCode).toBe(isPage && isRead ? 1 : exitCode);
		expect(result.stderr).toMatch(says);
		const object = name.replace(/^(?:update|delete|read|look up|set custom fields of) /, '');
		expect(result.stderr).toMatch(new RegExp(`^error: ${what === '404' ? object : name}(?: |:)`));
		expect(result.stderr).not.toMatch(/\n\s+at /);
		const outcome = exitCode === 5 && !(isPage && isRead) ? 'unknown' : 'failed';
		expect(result.stdout.split('\t').filter((cell) => cell === outcome)).toHaveLength(1);
		const isUpdate = name.startsWith('update') || name.startsWith('set');
		const isRetried = isRead && (what === empty || what === 'JSON that breaks off');
		// Custom fields are read before.
		const own = recorder.requests.filter(({ method }) => isRead || method !== 'GET');
		const reads = isRetried ? 5 : isOdd || what === '500 from the service' ? 2 : 1;
		expect(own).toHaveLength(isRead ? reads : isUpdate ? sent : 1);
	});
});

const update = 'ticket update 14 --status hold';
const held = json(200, { id: 14, status: 'hold', title: { raw: 'x', rendered: '<b>x</b>' } });
/** Ticket 15 fails. */
const mixed: Responder = ({ url }) => (url.endsWith('/15') ? json(404, { code: 'no', message: 'no' }) : done());
const later = 'hint: try again later, or slow down with --rate\n';
const failed = `error: update ticket 14 failed (HTTP`;

test.each<[what: string, words: string, Responder, expected: { exitCode: number; stdout?: unknown; stderr?: unknown }]>(
	[
		['a success is one line', `${update} --title x`, held, { exitCode: 0, stdout: '14\tok\thold\tx\t\n', stderr: '' }],
		[
			'csv keeps the status of HTTP apart from that of a ticket',
			`${update} --format csv`,
			held,
			{ exitCode: 0, stdout: 'id,outcome,body.status,message\n14,ok,hold,\n' },
		],
		[
			'either status can be chosen',
			`${update} --format csv --fields id,status,body.status`,
			held,
			{ exitCode: 0, stdout: 'id,status,body.status\n14,200,hold\n' },
		],
		[
			'csv keeps ids of paths apart from fields of their names',
			'user update 7 --slug ada --format csv',
			json(200, { id: 7, slug: 'ada' }),
			{ exitCode: 0, stdout: 'id,outcome,body.slug,message\n7,ok,ada,\n' },
		],
		[
			'ids are those of rows that went well',
			'ticket update 14 15 16 --status hold -j 1 --format ids',
			mixed,
			{ exitCode: 3, stdout: '14\n16\n' },
		],
		[
			'a query that does not fit does not hide that a row failed',
			'ticket update 15 --status hold --query abs(@[0].outcome)',
			mixed,
			{ exitCode: 1, stdout: '' },
		],
		[
			'a query that does not fit does not hide that some rows failed',
			'ticket update 14 15 --status hold --query abs(@[0].outcome)',
			mixed,
			{ exitCode: 3, stdout: '' },
		],
		['a look-up without an id is not ok', 'user id ada', json(200, { posts: 9, level: 2 }), { exitCode: 5 }],
		[
			'an empty 503 says what its status says, and what can be done',
			`${update} --retries 0`,
			text(503, ''),
			{
				exitCode: 5,
				stderr: expect.stringMatching(
					/^error: update ticket 14: outcome unknown \(HTTP 503\): the response is empty\nhint: the change may have been applied; to check, and to send it again if it was not: supportctl run resume \S+ --verify\n$/,
				),
			},
		],
		[
			'an empty 429 says what its status says, and what can be done',
			`${update} --retries 0`,
			text(429, ''),
			{ exitCode: 1, stderr: `${failed} 429): the response is empty\n${later}` },
		],
		[
			'an empty 418 says what it is',
			update,
			text(418, ''),
			{ exitCode: 1, stderr: `${failed} 418): the response is empty\n` },
		],
		[
			'a request that has to wait for long is put off, not failed',
			update,
			text(429, '{"code":"busy","message":"Later."}', { 'retry-after': '99999' }),
			{
				exitCode: 1,
				stderr: expect.stringMatching(
					/^error: update ticket 14 was put off \(HTTP 429 wait_too_long\): Later; the service asks to wait until /,
				),
			},
		],
		[
			'--allow-differs takes no id for its value',
			'ticket update --status hold --allow-differs 14',
			json(200, { id: 14, status: 'publish' }),
			{ exitCode: 0 },
		],
	],
)('%s', async (_what, words, responder, expected) => {
	const { recorder } = await startDesk(responder);
	expect(await runHere(words, { env: recorder.env })).toMatchObject(expected);
});

test('a refused connection is not sent, exit code 1, with the next step', async () => {
	const env = { SUPPORTCTL_BASE_URL: 'http://127.0.0.1:1', SUPPORTCTL_USERNAME: 'a', SUPPORTCTL_PASSWORD: 'b' };
	const result = await runHere(`${update} --retries 1`, { env });
	expect(result).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('not-sent') });
	expect(result.stderr).toMatch(/^error: update ticket 14 was not sent, after 2 attempts: .*connection refused/);
	expect(result.stderr).toContain('supportctl doctor');
});

test('--json prints an array of outcomes, and the error as an object on stderr', async () => {
	const { recorder } = await startDesk(json(400, invalidParam));
	const result = await runHere('ticket update 14 --status hold --json', { env: recorder.env });
	expect(result.exitCode).toBe(1);
	const [outcome] = JSON.parse(result.stdout) as Record<string, unknown>[];
	expect(outcome).toMatchObject({
		row: 1,
		id: 14,
		status: 400,
		code: 'rest_invalid_param',
		attempts: 1,
		body: invalidParam,
	});
	expect(JSON.parse(result.stderr)).toMatchObject({
		error: {
			code: 'rest_invalid_param',
			exitCode: 1,
			status: 400,
			reasons: { status: expect.stringContaining('not one of') },
		},
	});
});

test('a value that the service did not take is shown, and ends with 6 unless it is allowed', async () => {
	const recorder = await startRecorder(done({ status: 'publish', assignee: '7' }));
	const args = ['ticket', 'update', '14', '--status', 'hold', '--assignee', '7'];
	const run = async (...more: string[]) => runHere([...args, ...more], { env: recorder.env });
	const plain = await run();
	expect(plain.exitCode).toBe(6);
	expect(plain.stderr).toContain('ticket 14 updated, but the service returned a different status\n');
	expect(plain.stderr).toContain('status is "publish", not "hold"\n');
	const { error } = JSON.parse((await run('--json')).stderr);
	expect(error).toMatchObject({ code: 'differs', exitCode: 6, differs: [{ field: 'status', shown: 'publish' }] });
	for (const allowed of ['--allow-differs', '--allow-differs=status', '--allow-differs=title,status']) {
		const { exitCode, stderr } = await run(allowed);
		expect([exitCode, stderr]).toEqual([0, 'warning: ticket 14: status is "publish", not "hold"\n']);
	}
	expect(await run('--allow-differs=assignee')).toMatchObject({ exitCode: 6 });
	expect(await run('--allow-differs=')).toMatchObject({ exitCode: 2 });
	const unknown = await run('--allow-differs=statsu');
	expect(unknown.exitCode).toBe(2);
	expect(unknown.stderr).toContain('did you mean "status"');
});

describe('user check', () => {
	const check = ['user', 'check', 'grace', '--password-stdin'];
	test.each([
		['valid', json(200, { id: 3 }), 0, ''],
		['invalid', json(400, { code: 'invalid_user_credentials', message: 'No.' }), 10, '"grace" are invalid'],
		['another name', json(400, { code: 'invalid_username_access', message: 'Not yours.' }), 4, 'refused your account'],
		['401', json(401, { code: 'no', message: 'No.' }), 4, 'some services respond like this if the credentials'],
		['404', json(404, { code: 'rest_no_route', message: 'No.' }), 5, 'it is unknown whether'],
		['503', json(503, { code: 'x', message: 'Busy.' }), 5, 'it is unknown whether'],
		['empty', text(200, ''), 5, 'it is unknown whether'],
	])('%s', async (_name, responder, exitCode, says) => {
		const recorder = await startRecorder(responder);
		const result = await runHere(check, { env: recorder.env, input: 'hunter2\n' });
		expect(result.exitCode).toBe(exitCode);
		expect(result.stderr).toContain(says);
		expect(recorder.requests).toHaveLength(1);
		expect(result.stdout + result.stderr).not.toContain('hunter2');
	});

	test('takes exactly one user', async () => {
		const recorder = await startRecorder();
		const result = await runHere('user check a b --password-stdin', { env: recorder.env, input: 'x\n' });
		expect({ exitCode: result.exitCode, requests: recorder.requests }).toEqual({ exitCode: 2, requests: [] });
	});
});

test('what is secret in the target of a redirect is in no stream, journal or report', async () => {
	const location = 'https://h.example/x?access_token=s3cretpw99&u=https://bob:s3cretpw99@h/';
	const { work } = await startDesk(text(302, '', { location }));
	const files = ['--journal', 'rj.ndjson', '--report', 'html:rj.html', '--report', 'junit:rj.xml'];
	for (const flags of [[], ['-vv', '--debug'], ['--json', ...files]]) {
		const { stdout, stderr, exitCode } = await work.run(['ticket', 'update', '14', '15', '--status', 'hold', ...flags]);
		expect(exitCode).toBe(1);
		expect(stdout + stderr).toContain('h.example/x?…');
		expect(stdout + stderr).not.toContain('s3cretpw99');
	}
	for (const name of ['rj.ndjson', 'rj.html', 'rj.xml']) {
		expect(work.read(name)).toContain('h.example/x?…');
		expect(work.read(name)).not.toContain('s3cretpw99');
	}
});

test('what a service shows under a secret name is redacted where it differs', async () => {
	const { recorder } = await startDesk(done({ meta: { color: 'blue', api_token: 'service-marker' } }));
	for (const ids of ['7', '7 8 -j 1']) {
		const env = { ...recorder.env, GITHUB_ACTIONS: 'true' };
		const { stdout, stderr } = await runHere(`user update ${ids} --meta color=red`, { env });
		expect(stderr).toContain('"api_token":"[redacted]"');
		expect(stdout + stderr).not.toContain('service-marker');
	}
});

describe('text that the service chose', () => {
	const evil = 'Sorry\n  ::stop-commands::x\r\u00a0::add-mask::y\n##[error]z ##vso[task.setvariable]v';
	/** A line that GitHub's or Azure's runner takes for a command, other than our own annotations. */
	const COMMAND = /(?:^|[\r\n])(?!::(?:error|warning) (?:file|title)=)\s*::|##[a-z]*\[/i;

	test.each([{}, { GITHUB_ACTIONS: 'true' }] as Record<string, string>[])(
		'commands no CI runner with %o',
		async (env) => {
			const responder: Responder = (request) =>
				json(request.url.endsWith('2') ? 403 : 200, { id: 14, code: '::c', message: evil, title: evil, '::k': evil });
			const recorder = await startRecorder(responder);
			const both = 'ticket update 1 2 --title x --journal';
			for (const args of [
				'ticket update 2 --title x',
				'api GET /tickets/1',
				'api GET /tickets/1 --format yaml',
				'api GET /tickets/1 --format table',
				'api GET /tickets/1 --field ::k',
				'api GET /tickets/2 -i -vv',
				`${both} a -vv`,
				`${both} b --json`,
			]) {
				const { stdout, stderr } = await runHere(args, { env: { ...recorder.env, ...env } });
				expect(stdout, args).not.toMatch(COMMAND);
				expect(stderr, args).not.toMatch(COMMAND);
				expect(stdout + stderr).toContain('stop-commands::x');
			}
			for (const format of ['csv', 'tsv']) {
				const { stdout } = await runHere(`api GET /tickets/1 --format ${format} --fields title`, {
					env: { ...recorder.env, ...env },
				});
				if ('GITHUB_ACTIONS' in env) expect(stdout).not.toMatch(COMMAND);
				else expect(stdout).toContain(evil);
			}
		},
	);

	test('stays exact in a file that a CI job writes', async () => {
		const { work } = await startWorkplace(json(200, { title: evil }));
		const command = `"$0" "$1" api GET /tickets/1 --format csv --fields title > out.csv`;
		const env = { ...process.env, ...work.env, GITHUB_ACTIONS: 'true' };
		execFile('sh', ['-c', command, process.execPath, binary], { cwd: work.folder, env });
		await expect.poll(() => work.read('out.csv'), { timeout: 20_000 }).toContain(evil);
	});

	test('is JSON in complaints about the input, whatever it holds', async () => {
		const { work } = await startWorkplace();
		work.write('rows.ndjson', `${JSON.stringify({ id: 1, status: evil })}\n`);
		const { stderr } = await work.run('ticket update --input rows.ndjson --json');
		expect(stderr).not.toMatch(COMMAND);
		expect(JSON.parse(stderr).error.complaints[0].message).toContain('##[error]z');
	});

	test('is text where it is HTML, in messages and reasons', async () => {
		const message =
			'<strong>Error</strong>: R&amp;D &#8211; <a href="https://x.example">no</a><br>&lt;b&gt; &copy; <id>';
		const { recorder } = await startDesk(json(400, { code: 'no', message, data: { params: { title: message } } }));
		const { stderr } = await runHere('ticket update 14 --title x', { env: recorder.env });
		expect(stderr).toContain('(HTTP 400 no): Error: R&D – no <b> &copy; <id>\n  title: Error: R&D – no <b>');
	});

	test('may be nested however deep', async () => {
		const deep = (levels: number): string => `${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`;
		const body = `{"id":14,"title":"x","meta":${deep(5_000)},"message":${deep(5_000)}}`;
		for (const status of [200, 400]) {
			const deepBody = text(status, body, { 'content-type': 'application/json' });
			const ticket = json(200, { ...shownTo(startOf('/tickets/14'), 14), meta: {} });
			let isWrite = true;
			const { recorder } = await startDesk(deepBody, () => (isWrite ? ticket : deepBody));
			for (const args of [
				'ticket update 14 --title x --data {"meta":{"a":1}} --undocumented',
				'ticket update 14 --title x -vv --format table',
				'ticket fields get 14 --json',
				'user check ada --password-stdin',
				'api GET /tickets/14',
				'api GET /tickets/14 --format yaml',
			]) {
				isWrite = args.startsWith('ticket update');
				const { stdout, stderr } = await runHere(args, { env: recorder.env, input: 'pw\n', clock: hastyClock(100) });
				expect(`${args} ${stdout}${stderr}`).not.toMatch(/call stack|a bug/i);
			}
		}
	});

	test('input that is nested too deep is refused by row and line', async () => {
		const { recorder, work } = await startWorkplace();
		const deep = `{"id":14,"meta":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;
		work.write('rows.ndjson', `{"id":1,"name":"a"}\n\n${deep}\n`);
		const { exitCode, stderr } = await work.run('user update --input rows.ndjson');
		expect([exitCode, stderr]).toEqual([
			2,
			expect.stringMatching(/row 2 \(rows\.ndjson line 3\): lists and objects are nested more than 100 deep/),
		]);
		work.write('data.json', deep);
		for (const args of [
			'user update 1 --data @data.json',
			`user update 1 --meta ${deep}`,
			'api POST /users/1 --input data.json',
		]) {
			const given = await work.run(args);
			expect([given.exitCode, given.stderr]).toEqual([2, expect.stringContaining('nested more than 100 deep')]);
		}
		expect(recorder.requests).toEqual([]);
	});
});

test('labels of messages are red and yellow', async () => {
	const recorder = await startRecorder(done({ title: 'other' }));
	const env = { ...recorder.env, FORCE_COLOR: '1' };
	const { stderr } = await runHere('ticket update 14 --title x --allow-differs', { env });
	expect(stderr).toMatch(/^\x1b\[33mwarning:\x1b\[39m /m);
	const refused = await runHere('ticket update 14 --status hodl', { env });
	expect(refused.stderr).toMatch(/^\x1b\[31merror:\x1b\[39m /m);
	expect((await runHere('ticket update 14 --status hodl --no-color', { env })).stderr).not.toContain('\x1b');
});

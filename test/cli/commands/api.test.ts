/** `api` sends what it says, once or again as the method allows, and prints what came, without secrets. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveProfile } from '../../../src/profile/store.js';
import { type CliOptions, runHere } from '../../support/cli.js';
import { json, type Responder, startRecorder, text } from '../../support/recorder.js';
import { startSandbox, type TestSandbox } from '../../support/sandbox.js';
import { temporaryFolder } from '../../support/temporary.js';

let desk: TestSandbox;
beforeAll(async () => {
	desk = await startSandbox({ seed: 230 });
});
afterAll(() => desk.stop());

const api = (argv: string[], options: CliOptions = {}) => runHere(['api', ...argv], { env: desk.env, ...options });

describe('what is sent', () => {
	async function sent(argv: string[], options: CliOptions = {}) {
		const recorder = await startRecorder(json(200, { id: 1 }));
		const result = await runHere(['api', ...argv], { ...options, env: { ...recorder.env, ...options.env } });
		expect(result).toMatchObject({ exitCode: 0 });
		return recorder.requests.map(({ method, url, body, headers }) => ({
			method,
			url,
			body,
			type: headers['content-type'],
			authorization: headers.authorization,
		}));
	}
	const signedIn = `Basic ${Buffer.from('ada:s3cret pass').toString('base64')}`;

	it('is the method, the path below the prefix and the credentials', async () => {
		expect(await sent(['get', 'tickets/14'])).toEqual([
			{ method: 'GET', url: '/wp-json/support-api/v1/tickets/14', body: '', type: undefined, authorization: signedIn },
		]);
	});

	it('has fields in the query of a GET and of a DELETE, behind a query that is there', async () => {
		const argv = ['tickets?page=2', '-f', 'status=on hold', '-F', 'author=0', '-f', 'tags[]=a&b'];
		const query = '?page=2&status=on%20hold&tags[]=a%26b&author=0';
		expect(await sent(['GET', ...argv])).toMatchObject([{ url: `/wp-json/support-api/v1/tickets${query}`, body: '' }]);
		expect(await sent(['DELETE', 'product/9', '-F', 'force=true', '--yes'])).toMatchObject([
			{ method: 'DELETE', url: '/wp-json/support-api/v1/product/9?force=true', body: '', type: undefined },
		]);
	});

	it('has fields in a JSON body otherwise, text by -f and types by -F', async () => {
		const cwd = temporaryFolder();
		writeFileSync(join(cwd, 'note.txt'), 'two\nlines\n');
		const argv = ['-f', 'title=7', '-F', 'assignee=7', '-F', 'open=true', '-F', 'x=null', '-F', 'content=@note.txt'];
		const [request] = await sent(['POST', 'tickets/14', ...argv, '-f', 'at=@note.txt'], {
			cwd,
		});
		expect(request?.type).toBe('application/json');
		expect(JSON.parse(request?.body ?? '')).toEqual({
			title: '7',
			assignee: 7,
			open: true,
			x: null,
			content: 'two\nlines\n',
			at: '@note.txt',
		});
	});

	it('sends the body of --input unchanged, from a file or stdin, and fields in the query', async () => {
		const cwd = temporaryFolder();
		const body = '{"n": 12345678901234567890,\n "id": 1.0}';
		writeFileSync(join(cwd, 'body.json'), `\uFEFF${body}`);
		expect(await sent(['POST', 'tickets/14', '--input', 'body.json', '-f', 'x=1'], { cwd })).toMatchObject([
			{ url: '/wp-json/support-api/v1/tickets/14?x=1', body, type: 'application/json' },
		]);
		expect(await sent(['PUT', 'tickets/14', '--input', '-'], { input: '[1]' })).toMatchObject([
			{ method: 'PUT', body: '[1]' },
		]);
	});

	it("is in the deployment's own words, and the answer comes back in the interface's", async () => {
		const recorder = await startRecorder(json(200, { acme_after_reply: 'stay', status: 'wc-active' }));
		const prefixes = ['--product-prefix', 'acme', '--shop-prefix', 'wc'];
		const argv = ['POST', 'support-api/v1/users/7', '-f', 'support_after_reply=stay', '-f', 'status=shop-active'];
		const { stdout } = await runHere(['api', ...argv, ...prefixes], { env: recorder.env });
		expect(recorder.requests).toMatchObject([
			{ url: '/wp-json/acme-api/v1/users/7', body: '{"acme_after_reply":"stay","status":"wc-active"}' },
		]);
		expect(JSON.parse(stdout)).toEqual({ support_after_reply: 'stay', status: 'shop-active' });
		await runHere(['api', 'POST', 'users/7', '--input', '-', ...prefixes], {
			env: recorder.env,
			input: '{"support_after_reply": "back"}',
		});
		expect(recorder.requests[1]?.body).toBe('{"acme_after_reply":"back"}');
	});
});

/** Names that PHP reads as _method or rest_route. */
const OVERRIDES = ['_method', '%20.method[', 'rest+route'];
const OVERRIDE = /would change the method or path|is not name=value/;
const ON_COMMAND_LINE = /is not accepted on the command line/;

describe('nothing is sent, exit code 2,', () => {
	it.each([
		['without a path', ['GET'], /missing <path>/],
		['without anything', [], /missing <method>/],
		['for a path alone', ['tickets'], /missing <path>\nhint: did you mean: supportctl api GET tickets/],
		[
			'for a URL alone, whose password is not repeated',
			['https://me:hunter2@x'],
			/^(?!.*hunter2)error: missing <path>\nhint: usage/,
		],
		['with a third word', ['GET', 'tickets', '14'], /unexpected argument "14": supportctl api takes two/],
		['for an unknown method', ['FETCH', 'tickets'], /unknown method "FETCH"/],
		['outside the prefix', ['GET', '../wp/v2/users'], /is not a path below/],
		['for another origin', ['GET', 'https://evil.example/wp-json/support-api/v1/x'], /is not a path below/],
		[
			'for a URL, whose password is not repeated',
			['GET', 'https://me:hunter2@x'],
			/^(?!.*hunter2).*is not a path below/,
		],
		['for a field without a value', ['POST', 'tickets/14', '-f', 'title'], /-f "title" is not name=value/],
		['for a field without a name', ['POST', 'tickets/14', '-F', '=7'], /-F "=7" is not name=value/],
		...OVERRIDES.flatMap((name): [string, string[], RegExp][] => [
			[`for ${name} in the path`, ['GET', `tickets/14?page=1&${name}=DELETE`], OVERRIDE],
			[`for ${name} in the path's query, encoded twice`, ['GET', `x?${encodeURIComponent(name)}=DELETE`], OVERRIDE],
			[`for ${name} in -f`, ['GET', 'tickets/14', '-f', `${name.replace(/\[$/, '')}=DELETE`], OVERRIDE],
			[`for ${name} with --paginate`, ['GET', `x?a=1&${name}=DELETE`, '--paginate'], OVERRIDE],
		]),
		['for a method in a field', ['POST', 'tickets/14', '-F', '_method=DELETE'], OVERRIDE],
		['for a method behind a question mark that is encoded', ['GET', 'tickets/14%3F_method=DELETE'], OVERRIDE],
		['for a method in a path', ['GET', 'tickets/14&_method=DELETE'], OVERRIDE],
		...['password=x', 'user_pass=x', 'api_key=x', 'Token=x', 'meta[clientSecret]=x'].flatMap(
			(field): [string, string[], RegExp][] => [
				[`for -f ${field}`, ['POST', 'users/7', '-f', field], ON_COMMAND_LINE],
				[`for -F ${field}`, ['POST', 'users/7', '-F', field], ON_COMMAND_LINE],
				[`for ?${field}`, ['GET', `users/7?${field}`], ON_COMMAND_LINE],
			],
		),
		['for a body that is not JSON', ['POST', 'tickets/14', '--input', '-'], /stdin is not valid JSON/],
		['for a missing file', ['POST', 'tickets/14', '--input', 'nope.json'], /can't read nope.json: file not found/],
		['for a body with GET', ['GET', 'tickets', '--input', '-'], /GET has no body/],
		['for pages of a write', ['POST', 'tickets', '--paginate'], /--paginate only works with GET/],
		['for headers of pages', ['GET', 'tickets', '--paginate', '-i'], /--include can't be used with --paginate/],
		['for two readers of stdin', ['POST', 'x', '--input', '-', '-F', 'a=@-'], /only one flag can read stdin/],
		['for a query that is none', ['GET', 'tickets', '--query', '[['], /not JMESPath/],
		['to delete without confirmation', ['DELETE', 'tickets/14'], /refusing to .* without confirmation; pass --yes/],
	])('%s', async (_when, argv, message) => {
		const recorder = await startRecorder(json(200, { id: 1 }));
		const result = await runHere(['api', ...argv], { env: recorder.env, input: 'no json' });
		expect(result).toMatchObject({ exitCode: 2, stdout: '' });
		expect(result.stderr).toMatch(message);
		expect(recorder.requests).toEqual([]);
	});

	it('for a write with a protected profile, unless it is confirmed by name; reads pass', async () => {
		const recorder = await startRecorder();
		const folder = temporaryFolder();
		await saveProfile({
			folder,
			name: 'live',
			settings: { baseUrl: recorder.baseUrl, username: 'ada', protected: true },
			secret: { store: 'file', value: 'pw' },
			insecureStorage: true,
		});
		const run = (...argv: string[]) => runHere(['api', ...argv], { env: { SUPPORTCTL_CONFIG_DIR: folder } });
		const refused = await run('POST', 'tickets/14', '-f', 'title=x');
		expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
		expect(refused.stderr).toContain('pass --confirm=live');
		expect((await run('DELETE', 'tickets/14', '--yes')).exitCode).toBe(2);
		expect(recorder.requests).toEqual([]);
		expect((await run('GET', 'tickets/14')).exitCode).toBe(0);
		expect((await run('POST', 'tickets/14', '-f', 'title=x', '--confirm', 'live')).exitCode).toBe(0);
		expect(recorder.requests.map((each) => each.method)).toEqual(['GET', 'POST']);
	});

	it('with --dry-run, which shows the request without the values of secrets', async () => {
		const recorder = await startRecorder();
		const argv = ['POST', 'users/7', '-F', 'password=@-', '-f', 'name=Ada', '-n'];
		const { stdout, stderr, exitCode } = await runHere(['api', ...argv], { env: recorder.env, input: 'hunter2\n' });
		expect(exitCode).toBe(0);
		expect(JSON.parse(stdout)).toEqual({
			method: 'POST',
			path: '/support-api/v1/users/7',
			body: { password: '[redacted]', name: 'Ada' },
		});
		expect(stderr).toContain('1 request, none sent');
		expect(recorder.requests).toEqual([]);
	});
});

describe('what is printed', () => {
	it('is the JSON, or what the output flags make of it', async () => {
		expect(JSON.parse((await api(['GET', 'users/me?context=edit'])).stdout)).toMatchObject({
			id: 1,
			username: 'admin',
		});
		expect((await api(['GET', 'users/me?context=edit', '--field', 'username'])).stdout).toBe('admin\n');
		expect((await api(['GET', 'users/me?context=edit', '--fields', 'id,username', '--format', 'csv'])).stdout).toBe(
			'id,username\n1,admin\n',
		);
		expect((await api(['GET', 'tickets?assignee=0&state=any&per_page=3', '--query', '[].id'])).stdout).toBe(
			'1\n2\n3\n',
		);
		expect((await api(['GET', 'tickets?assignee=0&state=any&per_page=3', '--format', 'ids'])).stdout).toBe('1\n2\n3\n');
		expect((await api(['GET', 'tickets?assignee=0&state=any', '--format', 'count'])).stdout).toBe('10\n');
	});

	it('never includes values named like secrets', async () => {
		const recorder = await startRecorder((request, response) => {
			const echo = {
				seen: `you sent ${request.headers.authorization} for s3cret pass`,
				user_pass: 'hash',
				note: 'kept',
			};
			json(200, echo)(request, response, 1);
		});
		const { stdout } = await runHere(['api', 'GET', 'users/7', '-i', '-vv'], { env: recorder.env });
		const body = stdout.slice(stdout.indexOf('\n\n'));
		expect(JSON.parse(body)).toEqual({
			// Data stays as it is: a password may be an ordinary word.
			seen: expect.stringContaining('for s3cret pass'),
			user_pass: '[redacted]',
			note: 'kept',
		});
	});

	it('warns once of numbers that are printed rounded', async () => {
		const body = '[{"id":12345678901234567890},{"id":-12345678901234567891}]';
		const recorder = await startRecorder(text(200, body, { 'content-type': 'application/json' }));
		const { stderr } = await runHere(['api', 'GET', 'x'], { env: recorder.env });
		expect(stderr).toBe('warning: numbers with more than 15 digits are printed rounded\n');
	});

	it('with -i begins with the status line and the headers, cookies hidden', async () => {
		const recorder = await startRecorder(json(200, { id: 14 }, { 'set-cookie': 'sid=abc', 'x-total': '3\x9b31m' }));
		const { stdout } = await runHere(['api', 'GET', 'tickets/14', '--include'], { env: recorder.env });
		expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\n/);
		expect(stdout).toContain('\nset-cookie: [redacted]\n');
		expect(stdout).toMatch(/\nx-total: 3/);
		expect(stdout).not.toContain('\x9b');
		expect(stdout).toMatch(/\n\n\{"id":14\}\n$/);
	});

	it.each([
		[['POST', 'tickets/14', '-f', 'title=x'], 'POST /support-api/v1/tickets/14'],
		[['DELETE', 'tickets/44', '--yes'], 'DELETE /support-api/v1/tickets/44'],
	])('is reported as the only failure if the write succeeded: %j', async (argv, request) => {
		const recorder = await startRecorder();
		for (const flags of [
			['--fields', 'nope'],
			['--query', 'sum(id)'],
			['--query', '{a: id}', '--format', 'ids'],
		]) {
			const result = await runHere(['api', ...argv, ...flags], { env: recorder.env });
			expect(result.exitCode).toBe(1);
			expect(result.stderr).toContain(`error: ${request} succeeded; only the output failed: `);
		}
		expect(recorder.requests).toHaveLength(3);
	});

	it('is refused for a column that a read did not bring, with 2', async () => {
		const recorder = await startRecorder();
		const argv = ['api', 'GET', 'tickets/14', '--fields', 'nope'];
		expect(await runHere(argv, { env: recorder.env })).toMatchObject({
			exitCode: 2,
			stderr: expect.stringMatching(/^error: no row has a column "nope"/),
		});
	});

	it('is a response that is not JSON, unchanged in a pipe', async () => {
		const csv = 'id,title\n1,"a\tb"\n';
		const recorder = await startRecorder(text(200, csv, { 'content-type': 'text/csv' }));
		expect(await runHere(['api', 'GET', 'tickets/export'], { env: recorder.env })).toEqual({
			exitCode: 0,
			stdout: csv,
			stderr: '',
		});
	});

	it('is empty for HEAD, except for -i', async () => {
		const recorder = await startRecorder(json(200, {}));
		expect(await runHere(['api', 'HEAD', 'tickets'], { env: recorder.env })).toEqual({
			exitCode: 0,
			stdout: '',
			stderr: '',
		});
		const { stdout } = await runHere(['api', 'HEAD', 'tickets', '-i'], { env: recorder.env });
		expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\n[\s\S]*\n\n$/);
		expect(recorder.requests).toHaveLength(2);
	});
});

describe('an error response', () => {
	const error = {
		code: 'rest_invalid_param',
		message: 'Invalid parameter(s): status',
		data: { status: 400, params: { status: 'no' } },
	};

	it.each([
		[400, 1],
		[401, 4],
		[403, 4],
		[404, 1],
		[500, 1],
	])('%d goes to stdout whole, its meaning to stderr, exit code %d', async (status, exitCode) => {
		const recorder = await startRecorder(json(status, error));
		const result = await runHere(['api', 'POST', 'tickets/14', '-f', 'status=x'], { env: recorder.env });
		expect(result.exitCode).toBe(exitCode);
		expect(JSON.parse(result.stdout)).toEqual(error);
		expect(result.stderr).toMatch(
			new RegExp(
				`^error: POST /support-api/v1/tickets/14 failed \\(HTTP ${status} rest_invalid_param\\): Invalid parameter`,
			),
		);
		expect(result.stderr).toContain('\n  status: no\n');
		expect(recorder.requests).toHaveLength(1);
	});

	it('does not blame the base URL if the service itself reports an unknown path or method', async () => {
		const answer = { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } };
		for (const argv of [
			['GET', 'nosuch'],
			['PATCH', 'tickets/14'],
		]) {
			const recorder = await startRecorder(json(404, answer));
			const { exitCode, stderr } = await runHere(['api', ...argv], { env: recorder.env });
			expect({ exitCode, stderr }).toEqual({
				exitCode: 1,
				stderr: [
					`error: ${argv[0]} /support-api/v1/${argv[1]} failed (HTTP 404 rest_no_route): No route was found.`,
					'hint: check the path and the method (supportctl api --help)',
					'',
				].join('\n'),
			});
		}
	});

	it('is an object on stderr with --json, and stays out of what another program reads', async () => {
		const recorder = await startRecorder(json(404, error));
		const asJson = await runHere(['api', 'GET', 'tickets/14', '--json'], { env: recorder.env });
		expect(JSON.parse(asJson.stdout)).toEqual(error);
		expect(JSON.parse(asJson.stderr)).toMatchObject({
			error: { code: 'rest_invalid_param', status: 404, exitCode: 1 },
		});
		for (const flags of [
			['--format', 'ids'],
			['--query', '[].id'],
			['--field', 'id'],
			['--fields', 'id'],
			['--format', 'csv'],
		]) {
			const result = await runHere(['api', 'GET', 'tickets', ...flags], { env: recorder.env });
			expect({ flags, ...result }).toMatchObject({
				exitCode: 1,
				stdout: '',
				stderr: expect.stringContaining('HTTP 404'),
			});
		}
	});

	it('in HTML is named and printed, also where it came with 200', async () => {
		const page = '<!doctype html><title>Welcome</title><p>Hi</p>';
		for (const status of [200, 404]) {
			const recorder = await startRecorder(text(status, page));
			const result = await runHere(['api', 'GET', 'tickets'], { env: recorder.env });
			expect(result).toMatchObject({ exitCode: 1, stdout: page });
			expect(result.stderr).toContain('HTML page ("Welcome")');
		}
	});

	it('is a redirect that is named and not followed', async () => {
		const recorder = await startRecorder(text(301, '', { location: 'https://evil.example/' }));
		const result = await runHere(['api', 'GET', 'tickets'], { env: recorder.env });
		expect(result).toMatchObject({ exitCode: 1, stdout: '' });
		expect(result.stderr).toContain('redirects to https://evil.example/');
		expect(recorder.requests).toHaveLength(1);
	});

	it.each([
		['empty', '', 'application/json'],
		['cut off', '{"id": 1', 'application/json'],
		['no JSON though it says so', 'hello', 'application/json'],
	])('%s with 200 leaves the outcome of a write unknown: exit code 5', async (_what, body, type) => {
		const recorder = await startRecorder(text(200, body, { 'content-type': type }));
		const result = await runHere(['api', 'POST', 'tickets/14', '-f', 'title=x'], { env: recorder.env });
		expect(result).toMatchObject({ exitCode: 5, stdout: body });
		expect(recorder.requests).toHaveLength(1);
	});

	it('204 is fine and prints nothing', async () => {
		const recorder = await startRecorder((_request, response) => void response.writeHead(204).end());
		expect(await runHere(['api', 'POST', 'tickets/14', '-f', 'a=b'], { env: recorder.env })).toEqual({
			exitCode: 0,
			stdout: '',
			stderr: '',
		});
	});
});

describe('sending again', () => {
	/** Refuses the first requests in some way, then answers. */
	const failing =
		(how: Responder, times: number): Responder =>
		(request, response, count) =>
			count <= times ? how(request, response, count) : json(200, { id: 14 })(request, response, count);
	const busy = text(503, 'busy', { 'retry-after': '0' });
	const drop: Responder = (_, response) => void response.destroy();

	it.each([
		['503', busy],
		['a lost connection', drop],
	])('a read is, after %s', async (_what, how) => {
		const recorder = await startRecorder(failing(how, 1));
		expect(await runHere(['api', 'GET', 'tickets/14'], { env: recorder.env })).toMatchObject({
			exitCode: 0,
			stdout: '{"id":14}\n',
		});
		expect(recorder.requests).toHaveLength(2);
	});

	it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a %s never is', async (method) => {
		for (const [how, exitCode] of [
			[busy, 1],
			[drop, 5],
		] as const) {
			const recorder = await startRecorder(failing(how, 1));
			const result = await runHere(['api', method, 'tickets/14', '--yes'], { env: recorder.env });
			expect(result.exitCode).toBe(exitCode);
			expect(recorder.requests).toHaveLength(1);
		}
	});

	it('--retries 0 sends a read once too', async () => {
		const recorder = await startRecorder(failing(busy, 1));
		expect((await runHere(['api', 'GET', 'tickets', '--retries', '0'], { env: recorder.env })).exitCode).toBe(1);
		expect(recorder.requests).toHaveLength(1);
	});
});

describe('--paginate', () => {
	it('joins every page of a list, and asks for large ones', async () => {
		desk.requests.length = 0;
		const { stdout, exitCode } = await api([
			'GET',
			'tickets',
			'-f',
			'assignee=0',
			'-f',
			'state=any',
			'--paginate',
			'--json',
		]);
		expect(exitCode).toBe(0);
		expect((JSON.parse(stdout) as { id: number }[]).map((each) => each.id)).toEqual(
			Array.from({ length: 230 }, (_, index) => index + 1),
		);
		expect(desk.requests.map((each) => each.path.replace(/.*\?/, ''))).toEqual([
			'assignee=0&state=any&per_page=100',
			'assignee=0&state=any&per_page=100&page=2',
			'assignee=0&state=any&per_page=100&page=3',
		]);
		desk.requests.length = 0;
		expect(
			(await api(['GET', 'tickets?assignee=0&state=any&per_page=50', '--paginate', '--format', 'count'])).stdout,
		).toBe('230\n');
		expect(desk.requests).toHaveLength(5);
	});

	it('puts the query to the whole list', async () => {
		const argv = ['GET', 'tickets?assignee=0&state=any', '--paginate', '--query'];
		expect((await api([...argv, 'length(@)'])).stdout).toBe('230\n');
		expect((await api([...argv, '[].id', '--format', 'ids'])).stdout.split('\n')).toHaveLength(231);
	});

	it('prints a lone object as one', async () => {
		expect(JSON.parse((await api(['GET', 'users/me?context=edit', '--paginate'])).stdout)).toMatchObject({
			username: 'admin',
		});
	});

	const row = (id: number) => ({ id });
	const pageOf = (url: string): number => Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
	const rowsOf = (page: number, length = 100) => Array.from({ length }, (_, index) => row(page * 1000 + index));
	async function paginate(answer: Responder, ...argv: string[]) {
		const recorder = await startRecorder(answer);
		const line = ['api', 'GET', 'x', '--paginate', '--retries', '0', '--json', ...argv];
		return { ...(await runHere(line, { env: recorder.env })), urls: recorder.requests.map(({ url }) => url) };
	}
	const at =
		(answer: (page: number) => Responder): Responder =>
		(request, response, count) =>
			answer(pageOf(request.url))(request, response, count);
	const x = '/wp-json/support-api/v1/x';

	it('counts pages by X-WP-TotalPages, and does not follow links', async () => {
		const elsewhere = await startRecorder();
		for (const link of [
			`${elsewhere.baseUrl}/support-api/v1/x?page=2`,
			'/wp/v2/x?page=2',
			'/wp-json/support-api/v1x?page=2',
		]) {
			const { exitCode, stdout, urls } = await paginate((request, response, count) => {
				const headers = { 'x-wp-totalpages': '3', link: `<${link}>; rel="next"` };
				json(200, [row(pageOf(request.url))], headers)(request, response, count);
			});
			expect({ exitCode, rows: JSON.parse(stdout) }).toEqual({ exitCode: 0, rows: [row(1), row(2), row(3)] });
			expect(urls).toEqual([`${x}?per_page=100`, `${x}?per_page=100&page=2`, `${x}?per_page=100&page=3`]);
		}
		expect(elsewhere.requests).toEqual([]);
	});

	it.each([
		['an empty page', (page: number) => json(200, rowsOf(page, page < 3 ? 100 : 0)), 200, 3],
		[
			'the error for a page past the end',
			(page: number) =>
				page < 3
					? json(200, rowsOf(page))
					: json(400, { code: 'rest_post_invalid_page_number', message: 'No.', data: { status: 400 } }),
			200,
			3,
		],
	])('ends without that header at %s', async (_what, answer, rows, requests) => {
		const result = await paginate((request, response, count) => answer(pageOf(request.url))(request, response, count));
		expect(result).toMatchObject({ exitCode: 0, stderr: '' });
		expect([(JSON.parse(result.stdout) as unknown[]).length, result.urls.length]).toEqual([rows, requests]);
	});

	it.each<[string, Responder, number, number, RegExp]>([
		['the same page', json(200, rowsOf(1, 100)), 100, 2, /the list is incomplete: got 100, but the service repeats/],
		[
			'the same page, of 300',
			json(200, rowsOf(1, 100), { 'x-wp-total': '300' }),
			100,
			2,
			/the list is incomplete: got 100, but the service counts 300/,
		],
		[
			'the same of a billion pages',
			json(200, rowsOf(1, 100), { 'x-wp-totalpages': '1000000000' }),
			100,
			2,
			/the service repeats pages: 100 objects were read/,
		],
		[
			'fewer than it counts',
			at((page) => json(200, rowsOf(page, page === 1 ? 100 : 20), { 'x-wp-total': '300' })),
			120,
			2,
			/got 120, but the service counts 300/,
		],
		[
			'an HTML page',
			at((page) => (page === 1 ? json(200, rowsOf(1)) : text(200, '<html>Hi</html>'))),
			100,
			2,
			/html_response/,
		],
		['rows that are no objects, again', json(200, ['a', 'b']), 2, 2, /never ends|incomplete/],
	])('says that a list is not complete where page 2 brings %s', async (_what, answer, rows, requests, says) => {
		const result = await paginate(answer);
		expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(says) });
		expect([(JSON.parse(result.stdout) as unknown[]).length, result.urls.length]).toEqual([rows, requests]);
	});

	it('continues after the objects received if a page is shorter than requested', async () => {
		const capped = at((page) => json(200, rowsOf(page, page < 3 ? 50 : 7)));
		const result = await paginate(capped);
		expect(result).toMatchObject({ exitCode: 0, stderr: '', urls: { length: 3 } });
		expect(JSON.parse(result.stdout)).toHaveLength(107);
	});

	it('reports a first page past the end', async () => {
		const past = json(400, { code: 'rest_post_invalid_page_number', message: 'No.', data: { status: 400 } });
		expect((await paginate(past, '-f', 'page=9')).exitCode).toBe(1);
		const recorder = await startRecorder(past);
		expect((await runHere(['api', 'GET', 'x?page=9'], { env: recorder.env })).exitCode).toBe(1);
	});

	it('begins at the page that the query names', async () => {
		const answer: Responder = (request, response, count) =>
			json(200, [row(pageOf(request.url))], { 'x-wp-totalpages': '4' })(request, response, count);
		expect(JSON.parse((await paginate(answer, '-f', 'page=3')).stdout)).toEqual([row(3), row(4)]);
	});

	const forbidden = json(403, { code: 'rest_forbidden', message: 'No.', data: { status: 403 } });
	const failsLater: Responder = (request, response, count) =>
		(count === 1 ? json(200, [row(1)], { 'x-wp-totalpages': '2' }) : forbidden)(request, response, count);

	it('reports a page that failed, with the code of the failure, after the pages before it', async () => {
		const result = await paginate(failsLater);
		expect(result.exitCode).toBe(4);
		expect(JSON.parse(result.stdout)).toEqual([row(1)]);
		expect(JSON.parse(result.stderr)).toMatchObject({
			error: { code: 'rest_forbidden', status: 403, message: expect.stringContaining('x?per_page=100&page=2') },
		});
	});

	it('reports a page that failed also where the query does not fit the pages before it', async () => {
		const recorder = await startRecorder(failsLater);
		const argv = ['api', 'GET', 'x', '--paginate', '--query', 'abs(@)'];
		const result = await runHere(argv, { env: recorder.env });
		expect(result.exitCode).toBe(4);
		expect(result.stderr).toMatch(/^warning: --query "abs.*\nerror: .*rest_forbidden/);
	});

	it('shows why a page size is refused; the query can have another', async () => {
		const answer: Responder = (request, response, count) => {
			const data = { status: 400, params: { per_page: 'at most 50' } };
			const refusal = json(400, { code: 'rest_invalid_param', message: 'Invalid parameter(s): per_page', data });
			const page = json(200, [row(1)], { 'x-wp-totalpages': '1' });
			(request.url.includes('per_page=100') ? refusal : page)(request, response, count);
		};
		const refused = await paginate(answer);
		expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('per_page: at most 50') });
		expect(await paginate(answer, '-f', 'per_page=50')).toMatchObject({ exitCode: 0, urls: [`${x}?per_page=50`] });
	});
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runHere } from '../../../support/cli.js';

interface Answer {
	status: number;
	body: string;
	type?: string;
	location?: string;
}

/** A service that gives one answer to everything, and what it was asked; ends with the test. */
async function serve(answer: Answer | 'hang up' | 'hold') {
	const requests: { method: string | undefined; path: string | undefined; body: string }[] = [];
	const server = createServer(async (request, response) => {
		let body = '';
		for await (const chunk of request) body += chunk;
		requests.push({ method: request.method, path: request.url, body });
		if (answer === 'hold') return;
		if (answer === 'hang up') request.socket.destroy();
		else {
			const { status, type = 'application/json', location } = answer;
			response
				.writeHead(status, { 'content-type': type, ...(location !== undefined && { location }) })
				.end(answer.body);
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const check = (baseUrl: string, argv: string[] = [], password = 'his password') =>
	runHere(['user', 'check', 'bob', '--password-stdin', ...argv], {
		input: `${password}\n`,
		env: {
			SUPPORTCTL_BASE_URL: baseUrl,
			SUPPORTCTL_USERNAME: 'anna',
			SUPPORTCTL_PASSWORD: 'her password',
		},
	});

const error = (status: number, code: string): Answer => ({
	status,
	body: JSON.stringify({ code, message: `in the service's words: ${code}`, data: { status } }),
});

describe('user check', () => {
	it.each<[string, Answer | 'hang up' | 'hold', number, RegExp]>([
		['valid', { status: 200, body: '{"id": 7}' }, 0, /^$/],
		['valid with the user', { status: 200, body: '{"id":7,"username":"bob","email":"b@x"}' }, 0, /^$/],
		['invalid', error(400, 'invalid_user_credentials'), 10, /the credentials of "bob" are invalid \(HTTP 400/],
		['invalid for an unknown name', error(400, 'invalid_username'), 10, /are invalid.*\n.*only usernames/s],
		['invalid for an unknown email', error(400, 'invalid_email'), 10, /the credentials of "bob" are invalid/],
		['invalid for a wrong password', error(400, 'incorrect_password'), 10, /the credentials of "bob" are invalid/],
		['invalid: false', { status: 200, body: 'false' }, 10, /are invalid \(HTTP 200/],
		[
			'unknown with a code in a 200',
			{ status: 200, body: '{"code":"incorrect_password","message":"No."}' },
			5,
			/is unknown whether/,
		],
		[
			'the caller refused, in the words of the check',
			error(401, 'invalid_user_credentials'),
			4,
			/refused your account/,
		],
		['the caller refused', error(401, 'rest_not_logged_in'), 4, /the service refused your account/],
		[
			"the caller refused for the caller's own password",
			error(401, 'incorrect_password'),
			4,
			/some services respond like this/,
		],
		['the caller refused for an unknown caller', error(401, 'invalid_username'), 4, /refused your account/],
		['the caller without the right', error(403, 'rest_forbidden'), 4, /refused your account/],
		['the caller who may only ask about itself', error(400, 'invalid_username_access'), 4, /refused your account/],
		...[
			'{"user":null}',
			'{"locked_out":true}',
			'true',
			'<br />\n<b>Notice</b>: x\n{"id": 7}',
			'{"id":7,"username":"alice"}',
			'{"id":7,"password_ok":false}',
			'{"authenticated":false}',
			'{"success":false}',
			'{"authenticated":true}',
			'{"success":false,"message":"Too many tries"}',
			'{"id":7,"authenticated":false}',
			'{"id":7,"error":"x"}',
			'{"id":7,"message":"Incorrect password"}',
			'{"id":7,"locked":true}',
			'{"id":7,"status":403}',
			'{"id":7,"data":{"valid":false}}',
			'{"id":0}',
			'{"id":"seven"}',
			'{"valid":true,"authenticated":false}',
			'7',
			'"true"',
			'[{"id":7}]',
			'The answer is true',
			'Wrong password. {"id":7}',
			'<b>Fatal error</b>: x {"id":7}',
			'',
		].map((body): [string, Answer, number, RegExp] => [
			`unknown: ${body}`,
			{ status: 200, body },
			5,
			/is unknown whether/,
		]),
		['unknown: a parameter', error(400, 'rest_invalid_param'), 5, /is unknown whether/],
		['unknown: no route', error(404, 'rest_no_route'), 5, /is unknown whether/],
		['unknown: a server error', error(500, 'incorrect_password'), 5, /is unknown whether/],
		[
			'unknown: an HTML page',
			{ status: 200, body: '<html><title>Hi</title></html>', type: 'text/html' },
			5,
			/HTML page/,
		],
		['unknown: too many', error(429, 'too_many'), 5, /is unknown whether/],
		['unknown: down', { status: 503, body: 'down', type: 'text/plain' }, 5, /is unknown whether/],
		['unknown: hung up', 'hang up', 5, /is unknown whether/],
		['unknown: no answer in time', 'hold', 5, /is unknown whether/],
		['unknown: a gateway', { status: 504, body: 'x', type: 'text/plain' }, 5, /is unknown whether/],
	])('%s is sent once', async (_, answer, exitCode, words) => {
		const { url, requests } = await serve(answer);
		const result = await check(url, ['--timeout', '1']);
		expect(result.exitCode, result.stderr).toBe(exitCode);
		expect(result.stderr).toMatch(words);
		if (typeof answer === 'object' && answer.body.includes('words')) {
			expect(result.stderr).toContain("in the service's words");
		}
		expect(requests).toEqual([
			{
				method: 'POST',
				path: '/support-api/v1/users/check',
				body: '{"username":"bob","password":"his password"}',
			},
		]);
	});

	it('refuses columns and queries that can not be used before it sends anything', async () => {
		const { url, requests } = await serve({ status: 200, body: '{"id": 7}' });
		for (const flags of [
			['--fields', 'nope'],
			['--field', 'nope'],
			['--query', 'foo['],
		]) {
			expect(await check(url, flags)).toMatchObject({ exitCode: 2, stdout: '' });
		}
		expect(requests).toEqual([]);
	});

	it.each<[string, Answer, number, string]>([
		['invalid', error(400, 'invalid_user_credentials'), 10, 'the credentials of "bob" are invalid'],
		['valid', { status: 200, body: '{"id": 7}' }, 1, 'the credentials of "bob" are valid'],
	])('shows %s also where the output fails, and is not 0', async (verdict, answer, exitCode, says) => {
		const { url, requests } = await serve(answer);
		const result = await check(url, ['--query', 'sum(username)', '--json']);
		expect(result).toMatchObject({ exitCode, stdout: '' });
		expect(JSON.parse(result.stderr).error).toMatchObject({
			message: expect.stringMatching(new RegExp(`^${says}.*; only the output failed: --query`)),
			exitCode,
			verdict,
		});
		expect(requests).toHaveLength(1);
	});

	it.each([
		'invalid',
		'verdict',
		'bob',
		'credentials',
		'invalid_user_credentials',
		'HTTP',
		'message',
		'exitCode',
		'400',
	])(
		'gives its verdict in the same words whatever the password, and never the service repeating it: %s',
		async (password) => {
			const message = `Sorry: ${password}, nor ${Buffer.from(password).toString('hex')}x`;
			const code = 'invalid_user_credentials';
			const data = { status: 400, params: { password: `not ${password}` } };
			const { url } = await serve({ status: 400, body: JSON.stringify({ code, message, data }) });
			const { stdout, stderr, exitCode } = await check(url, ['--json'], password);
			expect(exitCode).toBe(10);
			expect(JSON.parse(stdout)).toEqual({ username: 'bob', verdict: 'invalid', id: null, status: 400, code });
			const { error: said } = JSON.parse(stderr);
			expect(said).toMatchObject({ code, exitCode: 10, details: ['password: not [redacted]'], verdict: 'invalid' });
			expect(said).toMatchObject({ username: 'bob', status: 400 });
			expect(said.message).toMatch(
				/^the credentials of "bob" are invalid \(HTTP 400 invalid_user_credentials\): Sorry: \[redacted\], nor /,
			);
		},
	);

	it.each<[string, Answer, string]>([
		[
			'hunter2',
			{ status: 500, body: '<html><title>hunter2</title></html>', type: 'text/html' },
			'html_response): the response is an HTML page ("[redacted]"), not the service\'s JSON',
		],
		[
			'hunter2',
			{ status: 500, body: 'it is hunter2', type: 'text/plain' },
			'not_json): the response is not JSON (text/plain): it is [redacted]',
		],
		[
			'hunter2',
			{ status: 302, body: '', location: 'https://h.example/hunter2' },
			'redirect): the service redirects to https://h.example/[redacted]; redirects are not followed with credentials: fix the base URL',
		],
		[
			'hunter2',
			{ status: 200, body: '{"user": "hunter2"}' },
			'unexpected_shape): the response does not say whether the credentials are valid: {"user":"[redacted]"}',
		],
		['hunter22', error(500, 'no_hunter22'), `no_[redacted]): in the service's words: no_[redacted]`],
	])('hides the password %s in what the service says', async (password, answer, words) => {
		const { url } = await serve(answer);
		const { stderr } = await check(url, ['--json'], password);
		expect(JSON.parse(stderr).error.message).toBe(
			`it is unknown whether the credentials of "bob" are valid (HTTP ${answer.status} ${words}`,
		);
	});

	it('could not check where nothing listens', async () => {
		const { exitCode, stderr } = await check('http://127.0.0.1:9');
		expect(exitCode).toBe(1);
		expect(stderr).toMatch(/could not check "bob": could not connect to 127\.0\.0\.1:9: connection refused/);
	});

	it('takes exactly one user, and no list of them', async () => {
		const { url, requests } = await serve({ status: 200, body: '{"id": 7}' });
		expect(await check(url, ['eve'])).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('unexpected argument "eve"'),
		});
		expect((await check(url, ['--input', 'names.txt'])).exitCode).toBe(2);
		expect(requests).toEqual([]);
	});
});

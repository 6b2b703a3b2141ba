import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDialect, neutralDialect } from '../../src/api/dialect.js';
import { type Endpoint, endpointList, endpoints } from '../../src/api/endpoints.js';
import { decodeBody, readResponse } from '../../src/http/content.js';
import { judge as judgeResponse, type Verdict } from '../../src/http/judge.js';
import type { RawResponse } from '../../src/http/types.js';

type Body = string | Uint8Array;

function responseOf(status: number, body: Body = '', headers: Record<string, string> = {}): RawResponse {
	return { status, headers, body: Buffer.from(body as Uint8Array) };
}

async function judge(
	status: number,
	body: Body = '',
	endpoint: Endpoint = endpoints['ticket.update'],
	headers: Record<string, string> = {},
): Promise<Verdict> {
	return judgeRaw(responseOf(status, body, headers), endpoint);
}

async function judgeRaw(
	raw: RawResponse,
	endpoint: Pick<Endpoint, 'returns' | 'replay'>,
	dialect = neutralDialect,
): Promise<Verdict> {
	const response = await readResponse({ kind: 'response', response: raw, ms: 1 });
	return judgeResponse({ endpoint, ids: { id: '14' } }, response, {}, { dialect });
}

const page = '<!DOCTYPE html><html><head><title>Welcome</title></head><body>Hello</body></html>';
const login = '<html><title>Log In</title><form><input type="password" name="pwd"></form></html>';

describe('a success', () => {
	it.each([200, 201, 203, 226])('is taken from %i with a JSON object', async (status) => {
		expect(await judge(status, '{"id":14,"status":"hold"}')).toEqual({
			outcome: 'ok',
			status,
			body: { id: 14, status: 'hold' },
			history: {},
			retry: 'never',
		});
	});

	it.each([204, 205])('is taken from %i without a body', async (status) => {
		expect(await judge(status)).toEqual({ outcome: 'ok', status, history: {}, retry: 'never' });
		expect(await judge(status, '', endpoints['ticket.delete'])).toMatchObject({ outcome: 'ok' });
	});

	it('is not taken from a response without a body where something was to be read', async () => {
		for (const name of ['ticket.fields.get', 'user.id', 'user.check'] as const) {
			expect(await judge(204, '', endpoints[name])).toMatchObject({ outcome: 'unknown', code: 'empty_answer' });
		}
	});

	it.each([
		[202, /accepted for later/],
		[206, /only a part/],
	])('is not taken from %i', async (status, message) => {
		const verdict = await judge(status, '{"id":14}');
		expect(verdict).toMatchObject({ outcome: 'unknown', code: `http_${status}` });
		expect(verdict.message).toMatch(message);
	});

	it.each([
		['', 'empty_answer'],
		['  \n ', 'empty_answer'],
		['{"id":14,"sta', 'cut_off_json'],
		['{"id":14}{"id":15}', 'cut_off_json'],
		['"hal', 'cut_off_json'],
		['OK', 'not_json'],
		['\u0000\u0001', 'not_json'],
		['null', 'unexpected_shape'],
		['true', 'unexpected_shape'],
		['"done"', 'unexpected_shape'],
		['14', 'unexpected_shape'],
		['[]', 'unexpected_shape'],
		['[{"id":14}]', 'unexpected_shape'],
	])('is not taken from %j: %s, which leaves it open', async (body, code) => {
		expect(await judge(200, body)).toMatchObject({ outcome: 'unknown', code });
	});

	it('is not taken from a page, which is from another program', async () => {
		expect(await judge(200, page)).toEqual({
			outcome: 'failed',
			status: 200,
			code: 'html_answer',
			message:
				'the response is an HTML page ("Welcome"), not the service\'s JSON; is /wp-json or another part missing from the base URL?',
			history: {},
			retry: 'never',
		});
		expect(await judge(200, login)).toMatchObject({ outcome: 'failed', code: 'login_form' });
		expect(await judge(200, '<h1>Just text</h1>')).toMatchObject({ outcome: 'failed', code: 'html_answer' });
	});

	it.each([
		['{"code":"rest_forbidden","message":"No","data":{"status":403}}', 'rest_forbidden', 'No'],
		['{"code":"rest_forbidden","message":"No","data":null}', 'rest_forbidden', 'No'],
		['{"code":"rest_forbidden","message":"No"}', 'rest_forbidden', 'No'],
		['{"success":false}', 'error_in_answer', 'the response says that it failed'],
		['{"success":false,"message":"Busy"}', 'error_in_answer', 'Busy'],
		['{"error":"token expired"}', 'error_in_answer', 'token expired'],
		['{"error":{"code":17,"message":"Quota"}}', '17', 'Quota'],
		['{"error":true}', 'error_in_answer', 'the response says that it failed'],
		['{"ok":false}', 'error_in_answer', 'the response says that it failed'],
		['{"id":14,"errors":["Locked."]}', 'error_in_answer', 'Locked.'],
		['{"errors":[{"code":"locked","message":"Locked."}]}', 'locked', 'Locked.'],
		['{"errors":{"title":["is too long"]}}', 'error_in_answer', 'the response says that it failed'],
		['{"code":403,"message":"No.","data":{"status":403}}', '403', 'No.'],
		['{"code":403,"message":"No."}', '403', 'No.'],
		['{"status":500,"title":"Internal Server Error"}', 'error_in_answer', 'the response says that it failed'],
	])('is not taken from an error in its clothes: %s', async (body, code, message) => {
		expect(await judge(200, body)).toMatchObject({ outcome: 'failed', status: 200, code, message });
	});

	it.each([
		'{"errors":"You may not"}',
		'{"error":403}',
		'{"id":14,"error":"You may not"}',
		'{"success":"false"}',
		'{"success":0,"id":14}',
		'{"message":"forbidden"}',
		'{"ok":0}',
		'{"status":"error","message":"x"}',
		'{"status":"failed"}',
		'{"result":"denied"}',
		'{"status":"403 Forbidden"}',
		'{"statusCode":403,"message":"x"}',
		'{"response":{"code":"rest_forbidden","message":"No","data":{"status":403}}}',
		'{"data":{"success":false}}',
		'{"has_errors":true}',
		'{"errorMessage":"You may not"}',
		'{"error_description":"You may not"}',
		'{"type":"about:blank","title":"Forbidden","detail":"You may not."}',
		'{"denied":true}',
		'{"access_denied":1}',
	])('is not taken from a no: %s', async (body) => {
		expect(await judge(200, body)).toMatchObject({ outcome: 'failed', retry: 'never' });
	});

	it.each([
		'{"message":"Noted."}',
		'{"message":"Ticket 14 was updated"}',
		'{"ticket":null}',
		'{"success":null}',
		'{"status":"queued","message":"x"}',
	])('is not taken from what is neither yes nor no: %s', async (body) => {
		expect(await judge(200, body)).toMatchObject({ outcome: 'unknown', code: 'unexpected_shape' });
	});

	it.each([
		['{"id":14,"rejected":"yes"}', 'failed'],
		['{"id":14,"updated":false}', 'failed'],
		['{"id":14,"saved":"no"}', 'failed'],
		['{"id":14,"status":"hold","updated":false,"rejected":true}', 'ok'],
	])('of an object is read beside its id, where it shows no field that was sent: %s', async (body, outcome) => {
		const response = await readResponse({ kind: 'response', response: responseOf(200, body), ms: 1 });
		const request = { endpoint: endpoints['ticket.update'], ids: { id: '14' }, sent: { status: 'hold' } };
		expect(judgeResponse(request, response)).toMatchObject({ outcome });
	});

	it('is not taken from a 207 with a refusal inside', async () => {
		for (const body of [
			'{"responses":[{"status":200},{"status":403}]}',
			'[{"status":403}]',
			'{"results":[{"status":"HTTP/1.1 403 No"}]}',
		]) {
			expect(await judge(207, body)).toMatchObject({ outcome: 'failed' });
		}
		expect(await judge(207, '{"responses":[{"status":200,"body":{"id":14}}]}')).toMatchObject({ outcome: 'ok' });
	});

	it.each([
		'<br />\n<b>Fatal error</b>: Uncaught Error: x in y.php',
		'PHP Fatal error:  Allowed memory size of 1 bytes exhausted',
		'Parse error: syntax error in y.php',
		'<b>Fatal error</b>: x\n{"id":14,"status":"hold"}',
		'{"id":14,"status":"hold"}\n<br /><b>Fatal error</b>: x',
		'<!DOCTYPE html><html><body><p>There has been a critical error on this website.</p></body></html>',
	])('is not taken from a PHP error: %j', async (body) => {
		expect(await judge(200, body)).toMatchObject({ outcome: 'unknown', code: 'php_error' });
	});

	it('is taken from a ticket whose own words are those of an error', async () => {
		for (const body of [
			'{"id":14,"status":"failed","state":"denied"}',
			'{"id":14,"title":{"raw":"Error"},"content":{"raw":"PHP Fatal error: x"},"message":"forbidden"}',
			'{"id":"14","status":"error","deleted":false}',
			'{"status":"hold"}',
			'{"code":200,"message":"OK"}',
			'{"status":"success","message":"Ticket updated"}',
		]) {
			expect(await judge(200, body), body).toMatchObject({ outcome: 'ok' });
		}
	});

	it('is taken from an object that only resembles an error', async () => {
		for (const body of [
			'{"id":14,"error":null}',
			'{"id":14,"error":""}',
			'{"id":14,"code":"x","message":"y"}',
			'{"success":true}',
			'{"id":14,"ok":true,"errors":[],"status":"hold"}',
			'{"id":14,"errors":{},"status":200}',
			'{"id":14,"errors":null}',
			'{"id":14,"errors":0}',
			'{"id":14,"denied":false}',
		]) {
			expect(await judge(200, body)).toMatchObject({ outcome: 'ok' });
		}
		const custom = '{"code":"A-1","message":"call back","error":"E17","success":false}';
		expect(await judge(200, custom, endpoints['ticket.fields.get'])).toMatchObject({ outcome: 'ok' });
	});

	it('is not taken from a deletion that did not happen', async () => {
		for (const body of [
			'{"deleted":"false"}',
			'{"deleted":"no"}',
			'{"deleted":0}',
			'{"trashed":false}',
			'{"status":"error","x":1}',
		]) {
			expect(await judge(200, body, endpoints['ticket.delete'])).toMatchObject({ outcome: 'failed' });
		}
		for (const body of ['{"id":14,"status":"trash","deleted":false}', '{"status":"trash"}', '{"deleted":"14"}']) {
			expect(await judge(200, body, endpoints['ticket.delete'])).toMatchObject({ outcome: 'ok' });
		}
		for (const body of ['{"deleted":null}', '{"deleted":[]}']) {
			expect(await judge(200, body, endpoints['ticket.delete'])).toMatchObject({ outcome: 'unknown' });
		}
		expect(await judge(200, '{"deleted":false}', endpoints['ticket.delete'])).toMatchObject({
			outcome: 'failed',
			code: 'not_deleted',
		});
		expect(await judge(200, '{"deleted":true,"previous":{}}', endpoints['ticket.delete'])).toMatchObject({
			outcome: 'ok',
		});
	});

	it.each<[keyof typeof endpoints, string, Verdict['outcome']]>([
		['ticket.fields.set', 'null', 'ok'],
		['ticket.fields.set', 'true', 'ok'],
		['ticket.fields.set', '[]', 'ok'],
		['ticket.fields.set', '[1]', 'unknown'],
		['ticket.fields.set', 'false', 'unknown'],
		['ticket.fields.set', '"x"', 'unknown'],
		['ticket.fields.get', '[]', 'ok'],
		['ticket.fields.get', '[1]', 'unknown'],
		['ticket.fields.get', 'null', 'unknown'],
		['user.id', '{"id":7}', 'ok'],
		['user.id', '{"user":"7"}', 'ok'],
		['user.id', '7', 'ok'],
		['user.id', '"7"', 'ok'],
		['user.id', '0', 'unknown'],
		['user.id', '"seven"', 'unknown'],
		['user.id', '{}', 'unknown'],
		['user.id', '{"id":0}', 'unknown'],
		['user.check', '{"id":7}', 'ok'],
		['user.check', 'true', 'ok'],
		['user.check', '{"id":7,"username":"ada","locked":false,"meta":[]}', 'ok'],
		['user.check', 'false', 'failed'],
		['user.check', '{"success":false}', 'failed'],
		['user.check', '{"username":"ada"}', 'unknown'],
		['user.check', '{"success":true}', 'unknown'],
		['user.check', '{"id":0}', 'unknown'],
		['user.check', '{"id":false}', 'unknown'],
		['user.check', '{"id":null,"username":"ada"}', 'unknown'],
		['user.check', '{"message":"wrong credentials"}', 'failed'],
		['user.check', '{}', 'unknown'],
		['user.check', '[]', 'unknown'],
		['user.check', 'null', 'unknown'],
		['user.update', '{}', 'ok'],
	])('of %s in the shape %s is %s', async (name, body, outcome) => {
		expect((await judge(200, body, endpoints[name])).outcome).toBe(outcome);
	});

	it('that breaks off is asked for again, unless that can not help', async () => {
		const lost = { code: 'connection_lost', message: 'it was reset', permanent: false };
		const cut: RawResponse = { ...responseOf(200, '{"id":14}'), incomplete: lost };
		expect(await judgeRaw(cut, endpoints['ticket.update'])).toEqual({
			outcome: 'unknown',
			retry: 'lost',
			status: 200,
			code: 'connection_lost',
			message: 'the response broke off: it was reset',
			history: { mayBeApplied: true },
		});
		const large = { code: 'answer_too_large', message: 'too large', permanent: true };
		const capped: RawResponse = { ...responseOf(200, '{"id":14}'), incomplete: large };
		expect(await judgeRaw(capped, endpoints['ticket.update'])).toMatchObject({
			outcome: 'unknown',
			code: 'answer_too_large',
			message: 'too large',
		});
	});
});

describe('what stands around the JSON', () => {
	it.each([
		['a byte order mark', '\uFEFF{"id":14}', undefined],
		['two byte order marks', '\uFEFF\uFEFF{"id":14}', undefined],
		['blanks', '\r\n\t {"id":14} \n', undefined],
		[
			'a PHP notice',
			'<br />\n<b>Notice</b>: Undefined index {a} in <b>x.php</b><br />\n{"id":14}',
			'<br /> <b>Notice</b>: Undefined index {a} in <b>x.php</b><br />',
		],
		['plain text', 'Warning: slow query\n{"id":14}', 'Warning: slow query'],
	])('%s does not hide it', async (_what, body, before) => {
		const verdict = await judge(200, body);
		expect(verdict).toMatchObject({ outcome: 'ok', body: { id: 14 } });
		expect(verdict.warnings).toEqual(
			before === undefined ? undefined : [`text stood before the response's JSON: ${before}`],
		);
	});

	it('a notice does not hide a null or an empty list either', async () => {
		const notice = '<br />\n<b>Deprecated</b>: old<br />\n';
		for (const [body, value] of [
			['null', null],
			['[]', []],
		] as const) {
			expect(await judge(200, notice + body, endpoints['ticket.fields.set'])).toEqual({
				outcome: 'ok',
				status: 200,
				body: value,
				history: {},
				retry: 'never',
				warnings: ["text stood before the response's JSON: <br /> <b>Deprecated</b>: old<br />"],
			});
		}
	});

	it('a page with JSON inside is still a page', async () => {
		const script = `${page.replace('Hello', '<script>var a = {"id":14}</script>')}`;
		expect(await judge(200, script)).toMatchObject({ outcome: 'failed', code: 'html_answer' });
	});

	it('does not cost more than a few tries in a response full of brackets', async () => {
		expect(await judge(200, `x${'{ '.repeat(200_000)}`)).toMatchObject({ outcome: 'unknown' });
	});

	it('bytes that are no text are pointed out', async () => {
		const bytes = Buffer.concat([Buffer.from('{"id":14,"title":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
		expect(await judge(200, bytes)).toMatchObject({
			outcome: 'ok',
			body: { id: 14, title: 'caf\uFFFD' },
			warnings: ["the response is not valid UTF-8; what can't be read is shown as \uFFFD"],
		});
		expect((await judge(200, '{"id":14,"title":"caf\uFFFD"}')).warnings).toBeUndefined();
	});
});

describe('JSON that is cut off', () => {
	const whole = '{"id":14,"title":{"raw":"a [b] {c}"},"ticket-tag":[],"meta":{"x":null},"state":"open","author":{}}';

	it('is never taken for whole, wherever the cut is and whatever stands before it', async () => {
		for (const before of ['', ' ', '\uFEFF', 'Notice: x\n', '<br />\n<b>Notice</b>: {a}<br />\n']) {
			for (let length = 1; length < whole.length; length++) {
				for (const name of ['ticket.update', 'ticket.fields.set', 'ticket.fields.get', 'user.id'] as const) {
					const verdict = await judge(200, before + whole.slice(0, length), endpoints[name]);
					expect(verdict.outcome, `${before}${whole.slice(0, length)}`).not.toBe('ok');
				}
			}
			expect((await judge(200, before + whole)).outcome).toBe('ok');
		}
	});

	it('is not made whole by something else behind it', async () => {
		for (const body of ['{"id":14}{"id":15}', '{"id":14,{"id":14}', '[1,2]{"id":14}', 'x{"a":1} y {"id":14}']) {
			expect((await judge(200, body)).outcome, body).toBe('unknown');
		}
	});
});

describe('JSON that could do harm', () => {
	it('is refused where it nests too deep to be walked', async () => {
		const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
		expect(await judge(200, deep)).toMatchObject({
			outcome: 'unknown',
			code: 'unreadable_answer',
			message: "the response can't be read: it nests deeper than 200 levels",
		});
		expect(await judge(400, '['.repeat(100_000) + ']'.repeat(100_000))).toMatchObject({
			outcome: 'failed',
			code: 'unreadable_answer',
		});
		expect(await judge(200, `{"a":"${'['.repeat(1000)}\\"${'['.repeat(1000)}"}`)).toMatchObject({
			outcome: 'ok',
		});
	});

	it('takes the last of duplicate keys, as JSON.parse does', async () => {
		expect((await judge(200, '{"id":14,"id":15}')).body).toEqual({ id: 15 });
	});

	it('keeps keys of the prototype as keys, in any dialect', async () => {
		const body = '{"__proto__":{"polluted":true},"constructor":"x","toString":1,"acme_after_reply":"stay"}';
		for (const dialect of [neutralDialect, createDialect({ product: 'acme' })]) {
			const verdict = await judgeRaw(responseOf(200, body), endpoints['user.update'], dialect);
			expect(Object.keys(verdict.body as object)).toContain('__proto__');
			expect(({} as Record<string, unknown>).polluted).toBeUndefined();
			expect(Object.getPrototypeOf(verdict.body)).toBe(Object.prototype);
		}
		const params =
			'{"code":"rest_invalid_param","message":"m","data":{"params":{"__proto__":"bad","constructor":"bad"}}}';
		expect(Object.entries((await judge(400, params)).reasons ?? {})).toEqual([
			['__proto__', 'bad'],
			['constructor', 'bad'],
		]);
	});

	it('never makes judging throw, nor an ok out of what is no JSON', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.oneof(fc.constantFrom(200, 201, 202, 204, 206), fc.integer({ min: 200, max: 999 })),
				fc.oneof(
					fc.constantFrom('', ' \n'),
					fc.uint8Array({ maxLength: 300 }),
					fc.string({ unit: 'binary' }),
					fc.json(),
				),
				fc.constantFrom(...endpointList),
				fc.constantFrom('', 'gzip', 'br', 'deflate', 'zstd', 'gzip, br'),
				async (status, body, endpoint, coding) => {
					const headers: Record<string, string> = coding === '' ? {} : { 'content-encoding': coding };
					const verdict = await judge(status, body, endpoint, headers);
					if (status >= 300) expect(verdict.outcome).not.toBe('ok');
					if (verdict.outcome === 'ok' && verdict.body === undefined) {
						// A service may respond to a write of custom fields with an empty 200.
						expect([204, 205, ...(endpoint.returns === 'fields-set' ? [200] : [])]).toContain(status);
						if (coding === '') expect(Buffer.from(body).toString().trim()).toBe('');
					}
					expect(typeof verdict.message === 'string' || verdict.outcome === 'ok').toBe(true);
				},
			),
		);
	});
});

describe('a request outside the endpoint table', () => {
	const anything = { returns: 'any', replay: 'once' } as const;
	const anyPath = (body: string, status = 200) => judgeRaw(responseOf(status, body), anything);

	it.each(['null', '[]', '7', '"text"', 'true', '{"error":"a field of that name"}'])(
		'takes %s for its response',
		async (body) => {
			expect(await anyPath(body)).toMatchObject({ outcome: 'ok', body: JSON.parse(body) });
		},
	);

	it('takes no page for its response, but a refusal', async () => {
		expect(await anyPath(page)).toMatchObject({ outcome: 'failed', code: 'html_answer' });
		expect(await anyPath('{"code":"x","message":"y","data":{"status":400}}')).toMatchObject({ outcome: 'failed' });
		expect(await anyPath('[]', 404)).toMatchObject({ outcome: 'failed', code: 'http_404' });
	});
});

describe('content codings', () => {
	const json = '{"id":14}';
	it.each([
		['gzip', gzipSync(json)],
		['x-gzip', gzipSync(json)],
		['deflate', deflateSync(json)],
		['br', brotliCompressSync(json)],
		['GZIP', gzipSync(json)],
		['identity', Buffer.from(json)],
		['', Buffer.from(json)],
		['gzip, br', brotliCompressSync(gzipSync(json))],
	])('%j is undone', async (coding, body) => {
		const verdict = await judge(200, body, endpoints['ticket.update'], { 'content-encoding': coding });
		expect(verdict).toMatchObject({ outcome: 'ok', body: { id: 14 } });
	});

	it.each([
		['gzip', Buffer.from('not gzip'), 'its gzip coding is broken'],
		['gzip', gzipSync(json).subarray(0, 15), 'its gzip coding is broken'],
		['br', Buffer.from('not brotli at all'), 'its br coding is broken'],
		['deflate', Buffer.from('no'), 'its deflate coding is broken'],
		['zstd', Buffer.from('x'), 'its content coding "zstd" is not known'],
		['constructor', Buffer.from('x'), 'its content coding "constructor" is not known'],
		['gzip, gzip, gzip, gzip', Buffer.from('x'), 'it has 4 content codings, one over another'],
	])('%s that can not be undone leaves an update open', async (coding, body, why) => {
		expect(await judge(200, body, endpoints['ticket.update'], { 'content-encoding': coding })).toEqual({
			outcome: 'unknown',
			status: 200,
			code: 'unreadable_answer',
			message: `the response can't be read: ${why}`,
			history: {},
			retry: 'never',
		});
	});

	it.each([204, 404, 200])('say nothing of a response of %i that has no body', async (status) => {
		const headers = { 'content-encoding': 'gzip' };
		const packed = await judge(status, Buffer.alloc(0), endpoints['ticket.delete'], headers);
		expect(packed).toEqual(await judge(status, Buffer.alloc(0), endpoints['ticket.delete'], {}));
	});

	it('stop at the limit, however small they came', async () => {
		const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
		expect(bomb.length).toBeLessThan(60_000);
		expect(await judge(200, bomb, endpoints['ticket.update'], { 'content-encoding': 'gzip' })).toMatchObject({
			outcome: 'unknown',
			message: "the response can't be read: unpacked it is larger than 16 MiB",
		});
		const small = await decodeBody(
			{ ...responseOf(200, gzipSync('12345')), headers: { 'content-encoding': 'gzip' } },
			4,
		);
		expect(small).toEqual({ why: 'unpacked it is larger than 0 MiB' });
	});
});

describe('a refusal', () => {
	it('carries what the service said', async () => {
		const body = {
			code: 'rest_invalid_param',
			message: 'Invalid parameter(s): status',
			data: { status: 400, params: { status: 'status is not one of a, b', meta: { deep: 1 } }, details: {} },
		};
		expect(await judge(400, JSON.stringify(body))).toEqual({
			outcome: 'failed',
			status: 400,
			code: 'rest_invalid_param',
			message: 'Invalid parameter(s): status',
			reasons: { status: 'status is not one of a, b', meta: '{"deep":1}' },
			body,
			history: {},
			retry: 'never',
		});
	});

	it('names the parameters that a list says are missing', async () => {
		const body = '{"code":"rest_missing_callback_param","message":"m","data":{"params":["reassign"]}}';
		expect((await judge(400, body)).reasons).toEqual({ reassign: 'is missing' });
	});

	it("names fields by the interface's words, whatever the deployment calls them", async () => {
		const body = '{"code":"c","message":"m","data":{"params":{"acme_after_reply":"no"}}}';
		const verdict = await judgeRaw(responseOf(400, body), endpoints['user.update'], createDialect({ product: 'acme' }));
		expect(verdict.reasons).toEqual({ support_after_reply: 'no' });
	});

	it.each([
		['{}', 'http_400', 'the service responded with 400'],
		['{"error":"bad thing"}', 'http_400', 'bad thing'],
		['{"code":42,"message":""}', '42', 'the service responded with 400'],
		['{"code":"x","data":null}', 'x', 'the service responded with 400'],
		['[]', 'http_400', 'the service responded with 400'],
		['null', 'http_400', 'the service responded with 400'],
		['', 'http_400', 'the response is empty'],
		['Bad request', 'not_json', 'the response is not JSON (no content type): Bad request'],
		['{"code":"x', 'cut_off_json', 'the response is JSON that breaks off or is malformed: {"code":"x'],
	])('in the shape %j is %s', async (body, code, message) => {
		expect(await judge(400, body)).toMatchObject({ outcome: 'failed', status: 400, code, message });
	});

	it('names the content type of what is not JSON', async () => {
		expect((await judge(400, 'x', endpoints['ticket.update'], { 'content-type': 'text/plain' })).message).toBe(
			'the response is not JSON (text/plain): x',
		);
	});

	it('shows the first words only, on one line', async () => {
		const { message } = await judge(400, `${'word\n'.repeat(500)}`);
		expect(message).toMatch(/^the response is not JSON \(no content type\): word word/);
		expect((message as string).length).toBeLessThan(140);
	});

	it.each([400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 451, 499, 501, 505, 511, 600, 999])(
		'with %i is final',
		async (status) => {
			for (const body of ['{"code":"x","message":"m"}', page, '']) {
				expect((await judge(status, body)).outcome).toBe('failed');
			}
		},
	);

	it.each([500, 502, 503, 504, 507, 520, 521, 522, 523, 524, 530, 598, 599])(
		'with a bare %i may have come after the write, and is worth a retry',
		async (status) => {
			for (const body of [page, '', 'Bad Gateway', '{}', '{"code":500,"message":"m"}', '{"message":"m"}']) {
				const verdict = await judge(status, body);
				expect(verdict).toMatchObject({ outcome: 'unknown', history: { mayBeApplied: true } });
				expect(verdict.retry).toBe(status === 503 ? 'later' : 'lost');
			}
		},
	);

	it('with the own code of the service and a 5xx may have been applied in part', async () => {
		const own = '{"code":"db_down","message":"Out of rows."}';
		const partly = { outcome: 'failed', message: 'Out of rows; the request may be partly applied' };
		expect(await judge(500, own)).toMatchObject({ ...partly, retry: 'once' });
		expect(await judge(500, own, endpoints['ticket.delete'])).toMatchObject({ ...partly, retry: 'never' });
		expect(await judge(502, own)).toMatchObject({ ...partly, retry: 'lost' });
		expect(await judge(503, own)).toMatchObject({ ...partly, retry: 'later' });
		expect(await judge(500, own, endpoints['ticket.fields.get'])).toMatchObject({
			outcome: 'failed',
			message: 'Out of rows.',
			retry: 'never',
		});
		expect(await judge(501, own)).toMatchObject({ outcome: 'failed', message: 'Out of rows.', retry: 'never' });
	});

	it.each([408, 425, 429])('with %i is a request to come back', async (status) => {
		expect(await judge(status, page)).toMatchObject({ outcome: 'failed', retry: 'later', code: 'html_answer' });
	});
});

describe('a redirect', () => {
	it.each([300, 301, 302, 303, 305, 307, 308])('with %i is never followed and names its target', async (status) => {
		const location = 'https://www.desk.example/wp-login.php?redirect_to=[redacted]';
		const asSent = 'https://www.desk.example/wp-login.php?redirect_to=x';
		expect(await judge(status, login, endpoints['ticket.update'], { location: asSent })).toEqual({
			outcome: 'failed',
			status,
			code: 'redirect',
			location,
			message: `the service redirects to ${location}; redirects are not followed with credentials: fix the base URL`,
			history: {},
			retry: 'never',
		});
	});

	it.each([
		[
			'https://bob:s3cretpw99@h.example/x?access_token=s3cretpw99&u=https://bob:s3cretpw99@h/&&a&b=#s3cretpw99',
			'https://[redacted]@h.example/x?access_token=[redacted]&u=[redacted]&&[redacted]&b=[redacted]#[redacted]',
		],
		['//bob:s3cretpw99@h.example', '//[redacted]@h.example'],
		['https:\\\\bob:s3cretpw99@h.example\\x', 'https:\\\\[redacted]@h.example\\x'],
		['/@ann/x?', '/@ann/x'],
		['https://h.example/@ann', 'https://h.example/@ann'],
	])('shows where it leads, and nothing that may be secret there: %s', async (location, shown) => {
		const verdict = await judge(302, '', endpoints['ticket.update'], { location });
		expect(verdict.location).toBe(shown);
		expect(verdict.message).toContain(`redirects to ${shown};`);
	});

	it('without a target says so', async () => {
		expect(await judge(302)).toMatchObject({ code: 'http_302', message: expect.stringContaining('without a target') });
		expect(await judge(304)).toMatchObject({
			outcome: 'failed',
			code: 'http_304',
			message: expect.stringContaining('not modified'),
		});
	});

	it('is not quoted at any length', async () => {
		const location = `https://desk.example/${'a'.repeat(5000)}`;
		expect((await judge(302, '', endpoints['ticket.update'], { location })).location).toHaveLength(300);
	});
});

it.each([
	['gzip', gzipSync],
	['x-gzip', gzipSync],
	['deflate', deflateSync],
	['br', brotliCompressSync],
])('unpacking %s stops at the limit', async (coding, pack) => {
	const response = { status: 200, headers: { 'content-encoding': coding }, body: pack(Buffer.alloc(3 * 1024 * 1024)) };
	expect(await decodeBody(response, 1024 * 1024)).toEqual({ why: 'unpacked it is larger than 1 MiB' });
});

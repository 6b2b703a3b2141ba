import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDialect, neutralDialect } from '../../src/api/dialect.js';
import { type Endpoint, endpointList, endpoints } from '../../src/api/endpoints.js';
import { judgeAnswer, type Verdict } from '../../src/http/answer.js';
import type { RawAnswer } from '../../src/http/client.js';
import { decodeBody } from '../../src/http/coding.js';

type Body = string | Uint8Array;

function answer(status: number, body: Body = '', headers: Record<string, string> = {}): RawAnswer {
	return { status, headers, body: Buffer.from(body as Uint8Array) };
}

async function judge(
	status: number,
	body: Body = '',
	endpoint: Endpoint = endpoints['ticket.update'],
	headers: Record<string, string> = {},
): Promise<Verdict> {
	return judgeAnswer(answer(status, body, headers), endpoint, neutralDialect);
}

const page = '<!DOCTYPE html><html><head><title>Welcome</title></head><body>Hello</body></html>';
const login = '<html><title>Log In</title><form><input type="password" name="pwd"></form></html>';

describe('a success', () => {
	it.each([200, 201, 203, 226])('is taken from %i with a JSON object', async (status) => {
		expect(await judge(status, '{"id":14,"status":"hold"}')).toEqual({
			bearing: 'accepted',
			status,
			body: { id: 14, status: 'hold' },
			hasBody: true,
		});
	});

	it.each([204, 205])('is taken from %i without a body', async (status) => {
		expect(await judge(status)).toEqual({ bearing: 'accepted', status, hasBody: false });
		expect(await judge(status, '', endpoints['ticket.delete'])).toMatchObject({ bearing: 'accepted' });
	});

	it('is not taken from an answer without a body where something was to be read', async () => {
		for (const name of ['ticket.fields.get', 'user.id', 'user.check'] as const) {
			expect(await judge(204, '', endpoints[name])).toMatchObject({ bearing: 'unclear', code: 'empty_answer' });
		}
	});

	it.each([
		[202, /accepted for later/],
		[206, /only a part/],
	])('is not taken from %i', async (status, message) => {
		const verdict = await judge(status, '{"id":14}');
		expect(verdict).toMatchObject({ bearing: 'unclear', code: `http_${status}` });
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
		expect(await judge(200, body)).toMatchObject({ bearing: 'unclear', code });
	});

	it('is not taken from a page, which is somebody else answering', async () => {
		expect(await judge(200, page)).toEqual({
			bearing: 'said-no',
			status: 200,
			code: 'html_answer',
			message:
				'the answer is an HTML page ("Welcome"), not the service\'s JSON; is /wp-json or another part missing from the base URL?',
			hasBody: false,
		});
		expect(await judge(200, login)).toMatchObject({ bearing: 'said-no', code: 'login_form' });
		expect(await judge(200, '<h1>Just text</h1>')).toMatchObject({ bearing: 'said-no', code: 'html_answer' });
	});

	it.each([
		['{"code":"rest_forbidden","message":"No","data":{"status":403}}', 'rest_forbidden', 'No'],
		['{"code":"rest_forbidden","message":"No","data":null}', 'rest_forbidden', 'No'],
		['{"code":"rest_forbidden","message":"No"}', 'rest_forbidden', 'No'],
		['{"success":false}', 'error_in_answer', 'the answer says that it failed'],
		['{"success":false,"message":"Busy"}', 'error_in_answer', 'Busy'],
		['{"error":"token expired"}', 'error_in_answer', 'token expired'],
		['{"error":{"code":17,"message":"Quota"}}', '17', 'Quota'],
		['{"error":true}', 'error_in_answer', 'the answer says that it failed'],
		['{"ok":false}', 'error_in_answer', 'the answer says that it failed'],
		['{"id":14,"errors":["Locked."]}', 'error_in_answer', 'Locked.'],
		['{"errors":[{"code":"locked","message":"Locked."}]}', 'locked', 'Locked.'],
		['{"errors":{"title":["is too long"]}}', 'error_in_answer', 'the answer says that it failed'],
		['{"code":403,"message":"No.","data":{"status":403}}', '403', 'No.'],
		['{"code":403,"message":"No."}', '403', 'No.'],
		['{"status":500,"title":"Internal Server Error"}', 'error_in_answer', 'the answer says that it failed'],
	])('is not taken from an error in its clothes: %s', async (body, code, message) => {
		expect(await judge(200, body)).toMatchObject({ bearing: 'said-no', status: 200, code, message });
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
		]) {
			expect(await judge(200, body)).toMatchObject({ bearing: 'accepted' });
		}
		const custom = '{"code":"A-1","message":"call back","error":"E17","success":false}';
		expect(await judge(200, custom, endpoints['ticket.fields.get'])).toMatchObject({ bearing: 'accepted' });
	});

	it('is not taken from a deletion that did not happen', async () => {
		expect(await judge(200, '{"deleted":"false"}', endpoints['ticket.delete'])).toMatchObject({ bearing: 'said-no' });
		expect(await judge(200, '{"deleted":false}', endpoints['ticket.delete'])).toMatchObject({
			bearing: 'said-no',
			code: 'not_deleted',
		});
		expect(await judge(200, '{"deleted":true,"previous":{}}', endpoints['ticket.delete'])).toMatchObject({
			bearing: 'accepted',
		});
	});

	it.each<[keyof typeof endpoints, string, Verdict['bearing']]>([
		['ticket.fields.set', 'null', 'accepted'],
		['ticket.fields.set', 'true', 'accepted'],
		['ticket.fields.set', '[]', 'accepted'],
		['ticket.fields.set', '[1]', 'unclear'],
		['ticket.fields.set', 'false', 'unclear'],
		['ticket.fields.set', '"x"', 'unclear'],
		['ticket.fields.get', '[]', 'accepted'],
		['ticket.fields.get', '[1]', 'unclear'],
		['ticket.fields.get', 'null', 'unclear'],
		['user.id', '{"id":7}', 'accepted'],
		['user.id', '{"user":"7"}', 'accepted'],
		['user.id', '7', 'accepted'],
		['user.id', '"7"', 'accepted'],
		['user.id', '0', 'unclear'],
		['user.id', '"seven"', 'unclear'],
		['user.id', '{}', 'unclear'],
		['user.id', '{"id":0}', 'unclear'],
		['user.check', '{"id":7}', 'accepted'],
		['user.check', 'true', 'accepted'],
		['user.check', 'false', 'accepted'],
		['user.check', '{"success":false}', 'accepted'],
		['user.check', '{"username":"ada"}', 'accepted'],
		['user.check', '{"success":true}', 'accepted'],
		['user.check', '{"id":0}', 'unclear'],
		['user.check', '{"id":false}', 'unclear'],
		['user.check', '{"id":null,"username":"ada"}', 'unclear'],
		['user.check', '{"message":"wrong credentials"}', 'unclear'],
		['user.check', '{}', 'unclear'],
		['user.check', '[]', 'unclear'],
		['user.check', 'null', 'unclear'],
		['user.update', '{}', 'accepted'],
	])('of %s in the shape %s is %s', async (name, body, bearing) => {
		expect((await judge(200, body, endpoints[name])).bearing).toBe(bearing);
	});

	it('that breaks off is asked for again, unless that can not help', async () => {
		const lost = { code: 'connection_lost', message: 'it was reset', permanent: false };
		const cut: RawAnswer = { ...answer(200, '{"id":14}'), incomplete: lost };
		expect(await judgeAnswer(cut, endpoints['ticket.update'], neutralDialect)).toEqual({
			bearing: 'no-answer',
			status: 200,
			code: 'connection_lost',
			message: 'the answer broke off: it was reset',
			hasBody: false,
		});
		const large = { code: 'answer_too_large', message: 'too large', permanent: true };
		const capped: RawAnswer = { ...answer(200, '{"id":14}'), incomplete: large };
		expect(await judgeAnswer(capped, endpoints['ticket.update'], neutralDialect)).toMatchObject({
			bearing: 'unclear',
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
		expect(verdict).toMatchObject({ bearing: 'accepted', body: { id: 14 } });
		expect(verdict.warnings).toEqual(
			before === undefined ? undefined : [`text stood before the answer's JSON: ${before}`],
		);
	});

	it('a notice does not hide a null or an empty list either', async () => {
		const notice = '<br />\n<b>Deprecated</b>: old<br />\n';
		for (const [body, value] of [
			['null', null],
			['[]', []],
		] as const) {
			expect(await judge(200, notice + body, endpoints['ticket.fields.set'])).toEqual({
				bearing: 'accepted',
				status: 200,
				body: value,
				hasBody: true,
				warnings: ["text stood before the answer's JSON: <br /> <b>Deprecated</b>: old<br />"],
			});
		}
	});

	it('a page with JSON inside is still a page', async () => {
		const script = `${page.replace('Hello', '<script>var a = {"id":14}</script>')}`;
		expect(await judge(200, script)).toMatchObject({ bearing: 'said-no', code: 'html_answer' });
	});

	it('does not cost more than a few tries in an answer full of brackets', async () => {
		expect(await judge(200, `x${'{ '.repeat(200_000)}`)).toMatchObject({ bearing: 'unclear' });
	});

	it('bytes that are no text are pointed out', async () => {
		const bytes = Buffer.concat([Buffer.from('{"title":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
		expect(await judge(200, bytes)).toMatchObject({
			bearing: 'accepted',
			body: { title: 'caf\uFFFD' },
			warnings: ["the answer is not valid UTF-8; what can't be read is shown as \uFFFD"],
		});
		expect((await judge(200, '{"title":"caf\uFFFD"}')).warnings).toBeUndefined();
	});
});

describe('JSON that is cut off', () => {
	const whole = '{"id":14,"title":{"raw":"a [b] {c}"},"ticket-tag":[],"meta":{"x":null},"state":"open","author":{}}';

	it('is never taken for whole, wherever the cut is and whatever stands before it', async () => {
		for (const before of ['', ' ', '\uFEFF', 'Notice: x\n', '<br />\n<b>Notice</b>: {a}<br />\n']) {
			for (let length = 1; length < whole.length; length++) {
				for (const name of ['ticket.update', 'ticket.fields.set', 'ticket.fields.get', 'user.id'] as const) {
					const verdict = await judge(200, before + whole.slice(0, length), endpoints[name]);
					expect(verdict.bearing, `${before}${whole.slice(0, length)}`).not.toBe('accepted');
				}
			}
			expect((await judge(200, before + whole)).bearing).toBe('accepted');
		}
	});

	it('is not made whole by something else behind it', async () => {
		for (const body of ['{"id":14}{"id":15}', '{"id":14,{"id":14}', '[1,2]{"id":14}', 'x{"a":1} y {"id":14}']) {
			expect((await judge(200, body)).bearing, body).toBe('unclear');
		}
	});
});

describe('JSON that could do harm', () => {
	it('is refused where it nests too deep to be walked', async () => {
		const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
		expect(await judge(200, deep)).toMatchObject({
			bearing: 'unclear',
			code: 'unreadable_answer',
			message: "the answer can't be read: it nests deeper than 200 levels",
		});
		expect(await judge(500, '['.repeat(100_000))).toMatchObject({ bearing: 'said-no', code: 'unreadable_answer' });
		expect(await judge(200, `{"a":"${'['.repeat(1000)}\\"${'['.repeat(1000)}"}`)).toMatchObject({
			bearing: 'accepted',
		});
	});

	it('takes the last of duplicate keys, as JSON.parse does', async () => {
		expect((await judge(200, '{"id":14,"id":15}')).body).toEqual({ id: 15 });
	});

	it('keeps keys of the prototype as keys, in any dialect', async () => {
		const body = '{"__proto__":{"polluted":true},"constructor":"x","toString":1,"acme_after_reply":"stay"}';
		for (const dialect of [neutralDialect, createDialect({ product: 'acme' })]) {
			const verdict = await judgeAnswer(answer(200, body), endpoints['user.update'], dialect);
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
				fc.integer({ min: 200, max: 999 }),
				fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: 'binary' }), fc.json()),
				fc.constantFrom(...endpointList),
				fc.constantFrom('', 'gzip', 'br', 'deflate', 'zstd', 'gzip, br'),
				async (status, body, endpoint, coding) => {
					const headers: Record<string, string> = coding === '' ? {} : { 'content-encoding': coding };
					const verdict = await judge(status, body, endpoint, headers);
					if (status >= 300) expect(verdict.bearing).not.toBe('accepted');
					if (verdict.bearing === 'accepted' && status !== 204 && status !== 205) expect(verdict.hasBody).toBe(true);
					expect(typeof verdict.message === 'string' || verdict.bearing === 'accepted').toBe(true);
				},
			),
		);
	});
});

describe('a request outside the endpoint table', () => {
	const anyPath = (body: string, status = 200) => judgeAnswer(answer(status, body), { answer: 'any' }, neutralDialect);

	it.each(['null', '[]', '7', '"text"', 'true', '{"error":"a field of that name"}'])(
		'takes %s for its answer',
		async (body) => {
			expect(await anyPath(body)).toMatchObject({ bearing: 'accepted', body: JSON.parse(body) });
		},
	);

	it('takes no page for its answer, and a refusal for one', async () => {
		expect(await anyPath(page)).toMatchObject({ bearing: 'said-no', code: 'html_answer' });
		expect(await anyPath('{"code":"x","message":"y","data":{"status":400}}')).toMatchObject({ bearing: 'said-no' });
		expect(await anyPath('[]', 404)).toMatchObject({ bearing: 'said-no', code: 'http_404' });
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
		expect(verdict).toMatchObject({ bearing: 'accepted', body: { id: 14 } });
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
			bearing: 'unclear',
			status: 200,
			code: 'unreadable_answer',
			message: `the answer can't be read: ${why}`,
			hasBody: false,
		});
	});

	it.each([204, 404, 200])('say nothing of an answer of %i that has no body', async (status) => {
		const headers = { 'content-encoding': 'gzip' };
		const packed = await judge(status, Buffer.alloc(0), endpoints['ticket.delete'], headers);
		expect(packed).toEqual(await judge(status, Buffer.alloc(0), endpoints['ticket.delete'], {}));
	});

	it('stop at the limit, however small they came', async () => {
		const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
		expect(bomb.length).toBeLessThan(60_000);
		expect(await judge(200, bomb, endpoints['ticket.update'], { 'content-encoding': 'gzip' })).toMatchObject({
			bearing: 'unclear',
			message: "the answer can't be read: unpacked it is larger than 16 MiB",
		});
		const small = await decodeBody({ ...answer(200, gzipSync('12345')), headers: { 'content-encoding': 'gzip' } }, 4);
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
			bearing: 'said-no',
			status: 400,
			code: 'rest_invalid_param',
			message: 'Invalid parameter(s): status',
			reasons: { status: 'status is not one of a, b', meta: '{"deep":1}' },
			body,
			hasBody: true,
		});
	});

	it('names the parameters that a list says are missing', async () => {
		const body = '{"code":"rest_missing_callback_param","message":"m","data":{"params":["reassign"]}}';
		expect((await judge(400, body)).reasons).toEqual({ reassign: 'is missing' });
	});

	it("names fields by the interface's words, whatever the deployment calls them", async () => {
		const body = '{"code":"c","message":"m","data":{"params":{"acme_after_reply":"no"}}}';
		const verdict = await judgeAnswer(answer(400, body), endpoints['user.update'], createDialect({ product: 'acme' }));
		expect(verdict.reasons).toEqual({ support_after_reply: 'no' });
	});

	it.each([
		['{}', 'http_400', 'the service answered 400'],
		['{"error":"bad thing"}', 'http_400', 'bad thing'],
		['{"code":42,"message":""}', '42', 'the service answered 400'],
		['{"code":"x","data":null}', 'x', 'the service answered 400'],
		['[]', 'http_400', 'the service answered 400'],
		['null', 'http_400', 'the service answered 400'],
		['', 'http_400', 'the answer is empty'],
		['Bad request', 'not_json', 'the answer is not JSON (no content type): Bad request'],
		['{"code":"x', 'cut_off_json', 'the answer is JSON that breaks off or is malformed: {"code":"x'],
	])('in the shape %j is %s', async (body, code, message) => {
		expect(await judge(400, body)).toMatchObject({ bearing: 'said-no', status: 400, code, message });
	});

	it('names the content type of what is not JSON', async () => {
		expect((await judge(400, 'x', endpoints['ticket.update'], { 'content-type': 'text/plain' })).message).toBe(
			'the answer is not JSON (text/plain): x',
		);
	});

	it('shows the first words only, on one line', async () => {
		const { message } = await judge(400, `${'word\n'.repeat(500)}`);
		expect(message).toMatch(/^the answer is not JSON \(no content type\): word word/);
		expect((message as string).length).toBeLessThan(140);
	});

	it.each([400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 451, 499, 500, 501, 505, 507, 511, 600, 999])(
		'with %i is final',
		async (status) => {
			for (const body of ['{"code":"x","message":"m"}', page, '']) {
				expect((await judge(status, body)).bearing).toBe('said-no');
			}
		},
	);

	it.each([502, 504, 520, 521, 522, 523, 524, 598, 599])(
		'with a bare %i is a gateway that got no answer; with the service’s own code it is final',
		async (status) => {
			for (const body of [page, '', 'Bad Gateway', '{}']) {
				expect((await judge(status, body)).bearing).toBe('no-answer');
			}
			expect((await judge(status, '{"code":"db_down","message":"m"}')).bearing).toBe('said-no');
		},
	);

	it.each([408, 425, 429, 503])('with %i is a request to come back, which says when', async (status) => {
		const headers = { 'retry-after': '7', date: 'Sun, 06 Nov 1994 08:49:37 GMT' };
		expect(await judge(status, page, endpoints['ticket.update'], headers)).toMatchObject({
			bearing: 'later',
			code: 'html_answer',
			retryAfter: '7',
			date: 'Sun, 06 Nov 1994 08:49:37 GMT',
		});
		expect((await judge(status, '{"code":"busy","message":"m"}')).bearing).toBe('later');
	});

	it('takes the first of several headers of one name', async () => {
		const verdict = await judgeAnswer(
			{ status: 429, headers: { 'retry-after': ['3', '900'] }, body: Buffer.alloc(0) },
			endpoints['ticket.update'],
			neutralDialect,
		);
		expect(verdict.retryAfter).toBe('3');
	});
});

describe('a redirect', () => {
	it.each([300, 301, 302, 303, 305, 307, 308])('with %i is never followed and names its target', async (status) => {
		const location = 'https://www.desk.example/wp-login.php?redirect_to=[redacted]';
		const asSent = 'https://www.desk.example/wp-login.php?redirect_to=x';
		expect(await judge(status, login, endpoints['ticket.update'], { location: asSent })).toEqual({
			bearing: 'said-no',
			status,
			code: 'redirect',
			location,
			message: `the service redirects to ${location}; redirects are not followed with credentials: mend the base URL`,
			hasBody: false,
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
	])('tells where it leads, and nothing that may be secret there: %s', async (location, shown) => {
		const verdict = await judge(302, '', endpoints['ticket.update'], { location });
		expect(verdict.location).toBe(shown);
		expect(verdict.message).toContain(`redirects to ${shown};`);
	});

	it('without a target says so', async () => {
		expect(await judge(302)).toMatchObject({ code: 'http_302', message: expect.stringContaining('names no target') });
		expect(await judge(304)).toMatchObject({
			bearing: 'said-no',
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
	const answer = { status: 200, headers: { 'content-encoding': coding }, body: pack(Buffer.alloc(3 * 1024 * 1024)) };
	expect(await decodeBody(answer, 1024 * 1024)).toEqual({ why: 'unpacked it is larger than 1 MiB' });
});

/** Every response that no service should send, and what an update of ticket 14 has to make of it. */

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { httpResponse, type RawRequest, type Script } from './raw-server.js';

export interface ResponseFault {
	script: Script;
	outcome: 'ok' | 'failed' | 'unknown' | 'not-sent';
	exitCode: number;
	code: string | null;
	/** How often the row was sent, where one retry is allowed. */
	requests: number;
	says?: RegExp;
}

const html = (title: string): string =>
	`<!DOCTYPE html><html><head><title>${title}</title></head><body>x</body></html>`;
const login = '<html><head><title>Log In</title></head><body><form><input type="password"></form></body></html>';
const good = '{"id":14,"status":"hold"}';
const whole = (status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): Script => {
	return (request) => request.answer(status, body, headers);
};
/** Bytes, and then the end of the connection. */
const bytes = (...parts: (string | Uint8Array)[]): Script => {
	return (request) => {
		for (const part of parts) request.write(part);
		request.socket.end();
	};
};
const ok = { outcome: 'ok', exitCode: 0, code: null, requests: 1 } as const;
const failed = (code: string, more: Partial<ResponseFault> = {}) =>
	({ outcome: 'failed', exitCode: 1, code, requests: 1, ...more }) as const;
const unknown = (code: string, requests = 1) => ({ outcome: 'unknown', exitCode: 5, code, requests }) as const;

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const twoSteps = (request: RawRequest, first: string, second: string): void => {
	request.write(first);
	setImmediate(() => {
		request.write(second);
		request.socket.end();
	});
};

export const responseFaults: Record<string, ResponseFault> = {
	// Another program responds.
	'an HTML page with 200': { script: whole(200, html('Welcome')), ...unknown('html_response'), says: /Welcome/ },
	'an HTML page with 403': { script: whole(403, html('Blocked')), ...failed('html_response', { exitCode: 4 }) },
	'an HTML page with 404': { script: whole(404, html('Not found')), ...failed('html_response', { says: /wp-json/ }) },
	'an HTML page with 500': { script: whole(500, html('Oops')), ...unknown('html_response', 2) },
	'an HTML page with 503': { script: whole(503, html('Maintenance')), ...unknown('html_response', 2) },
	'a login page': { script: whole(200, login), ...unknown('login_form'), says: /login form/ },
	'a redirect to a login page': {
		script: (request) =>
			request.path.startsWith('/login')
				? request.answer(200, login)
				: request.answer(302, '', { location: '/login?to=x' }),
		...failed('redirect', { says: /\/login\?…/ }),
	},
	'plain text': { script: whole(200, 'It works!'), ...unknown('not_json') },

	// JSON, nearly.
	'a byte order mark before the JSON': { script: whole(200, `\uFEFF${good}`), ...ok },
	'text before the JSON': { script: whole(200, `Notice: odd in x.php\n${good}`), ...ok, says: /Notice: odd/ },
	'text behind the JSON': { script: whole(200, `${good}\nWarning: odd`), ...unknown('cut_off_json') },
	'JSON that breaks off': { script: whole(200, good.slice(0, 12)), ...unknown('cut_off_json') },
	'JSON that breaks off behind a notice': {
		script: whole(200, 'Notice: x\n{"id":14,"title":{"raw":"x"}'),
		...unknown('cut_off_json'),
	},
	'two JSON documents': { script: whole(200, good + good), ...unknown('cut_off_json') },
	'no body': { script: whole(200), ...unknown('empty_response') },
	null: { script: whole(200, 'null'), ...unknown('unexpected_shape') },
	true: { script: whole(200, 'true'), ...unknown('unexpected_shape') },
	'a string': { script: whole(200, '"done"'), ...unknown('unexpected_shape') },
	'a number': { script: whole(200, '14'), ...unknown('unexpected_shape') },
	'an array': { script: whole(200, `[${good}]`), ...unknown('unexpected_shape') },
	'JSON a hundred thousand levels deep': { script: whole(200, nested(100_000)), ...unknown('cut_off_json') },
	'JSON of brackets alone': { script: whole(200, '['.repeat(1_000_000)), ...unknown('cut_off_json') },
	'duplicate keys': { script: whole(200, '{"id":14,"id":14,"status":"x","status":"hold"}'), ...ok },
	'keys of the prototype': {
		script: whole(200, '{"__proto__":{"polluted":1},"constructor":{"prototype":1},"id":14}'),
		...ok,
	},
	'bytes that are no text': {
		script: whole(
			200,
			Buffer.concat([Buffer.from('{"id":14,"title":"caf'), Buffer.from([0xe9, 0xff]), Buffer.from('"}')]),
		),
		...ok,
		says: /not valid UTF-8/,
	},
	'UTF-16': { script: whole(200, Buffer.from(`\uFEFF${good}`, 'utf16le')), ...unknown('not_json') },
	'an error with the status of a success': {
		script: whole(200, '{"code":"rest_forbidden","message":"Sorry","data":{"status":403}}'),
		...failed('rest_forbidden'),
	},

	// Lengths that lie.
	'a body shorter than its length': {
		script: bytes(`HTTP/1.1 200 OK\r\ncontent-length: ${good.length + 10}\r\n\r\n${good}`),
		...unknown('connection_lost', 2),
	},
	'a body longer than its length': {
		script: bytes(`HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n${good}`),
		...unknown('cut_off_json'),
	},
	'a whole response and then more': {
		script: (request) => twoSteps(request, httpResponse(200, good).toString(), 'garbage'),
		...ok,
	},
	'no length, and the connection closed': { script: bytes(`HTTP/1.1 200 OK\r\n\r\n${good}`), ...ok },
	'no length, and cut off': { script: bytes(`HTTP/1.1 200 OK\r\n\r\n${good.slice(0, 9)}`), ...unknown('cut_off_json') },
	'chunks that end early': {
		script: bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"id"\r\n'),
		...unknown('connection_lost', 2),
	},
	'a chunk whose length is nonsense': {
		script: bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{"id"\r\n'),
		...unknown('bad_http', 2),
	},
	'two different lengths': {
		script: bytes(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 25\r\n\r\n${good}`),
		...unknown('wrong_length', 2),
	},

	// Codings.
	gzip: { script: whole(200, gzipSync(good), { 'content-encoding': 'gzip' }), ...ok },
	'gzip under its old name': { script: whole(200, gzipSync(good), { 'content-encoding': 'X-GZIP' }), ...ok },
	br: { script: whole(200, brotliCompressSync(good), { 'content-encoding': 'br' }), ...ok },
	deflate: { script: whole(200, deflateSync(good), { 'content-encoding': 'deflate' }), ...ok },
	'gzip that is none': { script: whole(200, good, { 'content-encoding': 'gzip' }), ...unknown('unreadable_response') },
	'gzip that breaks off': {
		script: whole(200, gzipSync(good).subarray(0, 20), { 'content-encoding': 'gzip' }),
		...unknown('unreadable_response'),
	},
	'an unknown coding': {
		script: whole(200, good, { 'content-encoding': 'snappy' }),
		...unknown('unreadable_response'),
	},
	'gzip without a header': { script: whole(200, gzipSync(good)), ...unknown('not_json') },
	'a gzip bomb': {
		script: whole(200, gzipSync(Buffer.alloc(200 * 1024 * 1024)), { 'content-encoding': 'gzip' }),
		...unknown('unreadable_response'),
	},

	// Statuses.
	'103 before the response': {
		script: (request) => request.write(`HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n${httpResponse(200, good)}`),
		...ok,
	},
	'103 and nothing else': {
		script: bytes('HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'),
		...unknown('connection_lost', 2),
	},
	'100 unasked': { script: bytes('HTTP/1.1 100 Continue\r\n\r\n'), ...unknown('connection_lost', 2) },
	'101': {
		script: bytes('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
		...unknown('connection_lost', 2),
	},
	'201': { script: whole(201, good), ...ok },
	'202': { script: whole(202, good), ...unknown('http_202') },
	'204': { script: whole(204, '', {}), ...ok },
	'205': { script: whole(205, '', {}), ...unknown('empty_response') },
	'206': { script: whole(206, good), ...unknown('http_206') },
	...Object.fromEntries(
		[301, 302, 307, 308].map((status) => [
			`${status}, which comes before the work`,
			{ script: whole(status, '', { location: 'https://elsewhere.example/' }), ...failed('redirect') },
		]),
	),
	...Object.fromEntries(
		[300, 303, 305].map((status) => [
			`${status}, which may come after the work`,
			{ script: whole(status, '', { location: 'https://elsewhere.example/' }), ...unknown('redirect') },
		]),
	),
	'302 to nowhere': { script: whole(302), ...failed('http_302') },
	'304': { script: bytes('HTTP/1.1 304 Not Modified\r\n\r\n'), ...unknown('http_304') },
	...Object.fromEntries(
		[400, 402, 404, 405, 406, 409, 410, 411, 412, 413, 415, 418, 422, 423, 431, 451, 501, 505, 511].map((status) => [
			String(status),
			{ script: whole(status, '{}'), ...failed(`http_${status}`) },
		]),
	),
	'401': { script: whole(401, '{}'), ...failed('http_401', { exitCode: 4 }) },
	'403': { script: whole(403, '{}'), ...failed('http_403', { exitCode: 4 }) },
	...Object.fromEntries(
		[408, 425, 429].map((status) => [
			`${status}, which is retried`,
			{ script: whole(status, '{}'), ...failed(`http_${status}`, { requests: 2 }) },
		]),
	),
	'500 with an error of the service, which is sent once more': {
		script: whole(500, '{"code":"db_insert_error","message":"Could not update","data":{"status":500}}'),
		...failed('db_insert_error', { requests: 2, says: /Could not update; the request may be partly applied/ }),
	},
	...Object.fromEntries(
		[500, 502, 503, 504, 507, 520, 522, 599].map((status) => [
			`a bare ${status}, which leaves the row open`,
			{ script: whole(status, 'Gateway'), ...unknown('not_json', 2) },
		]),
	),
	'502 with an error of the service': {
		script: whole(502, '{"code":"upstream_rule","message":"No","data":{"status":502}}'),
		...failed('upstream_rule', { requests: 2 }),
	},
	"502 with a gateway's error": {
		script: whole(502, '{"code":"upstream_rule","message":"No"}'),
		...unknown('upstream_rule', 2),
	},
	'999': { script: whole(999, 'denied'), ...unknown('not_json', 2) },
	'a status that is no number': { script: bytes('HTTP/1.1 abc\r\n\r\n'), ...unknown('bad_http', 2) },
	'a status of two digits': { script: bytes('HTTP/1.1 20 OK\r\n\r\n'), ...unknown('bad_http', 2) },
	'a status of zero': { script: bytes('HTTP/1.1 000 OK\r\ncontent-length: 0\r\n\r\n'), ...unknown('bad_http', 2) },
	'HTTP/2 unasked': {
		script: bytes('HTTP/2 200\r\ncontent-length: 2\r\n\r\n{}'),
		...unknown('bad_http', 2),
	},
	'another protocol': { script: bytes('220 mail.example ESMTP\r\n'), ...unknown('bad_http', 2) },
	'bytes at random': { script: bytes(Buffer.from([0, 255, 1, 13, 10, 13, 10, 200])), ...unknown('bad_http', 2) },
	'headers named like parts of every object': {
		script: whole(200, good, { __proto__: 'x', constructor: 'y', 'has-own-property': 'z', toString: 'w' }),
		...ok,
	},
	'a header that begins the next line': {
		script: bytes('HTTP/1.1 200 OK\r\nx: a\r\n b\r\ncontent-length: 2\r\n\r\n{}'),
		...unknown('bad_http', 2),
	},
};

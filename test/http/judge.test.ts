import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createDialect } from '../../src/api/dialect.js';
import { type EndpointName, endpoints } from '../../src/api/endpoints.js';
import { readEndpointOf, reads } from '../../src/api/reads.js';
import { createPlanner, type Request, type RowValues } from '../../src/api/request.js';
import type { Sendable } from '../../src/http/judge.js';
import { type JudgeOptions, judge, lookedUpId } from '../../src/http/judge.js';
import type { History, Outcome } from '../../src/http/outcome.js';
import type { Response } from '../../src/http/response.js';

function plan(name: EndpointName, values: RowValues): Request {
	return createPlanner(endpoints[name])(values);
}

const update = plan('ticket.update', { ids: { id: '14' }, fields: { status: 'hold' } });
const updateTwo = plan('ticket.update', { ids: { id: '14' }, fields: { status: 'hold', title: 'x' } });
const withPassword = plan('user.update', { ids: { id: '14' }, fields: { password: 'sesam' } });
const updateReply = plan('reply.update', { ids: { ticket_id: '14', id: '3' }, fields: { status: 'read' } });
const toTrash = plan('ticket.delete', { ids: { id: '14' } });
const forGood = plan('ticket.delete', { ids: { id: '14' }, force: true });
const removeBob = plan('user.delete', { ids: { id: '7', username: 'bob' }, reassign: '1' });
const dropPassword = plan('user.password.delete', { ids: { user_id: '7', slug: 'aa11' } });
const setField = plan('ticket.fields.set', { ids: { ticket_id: '14' }, fields: { color: 'red' } });
const setTicketId = plan('ticket.fields.set', { ids: { ticket_id: '14' }, fields: { ticket_id: '9' } });
const setOdd = plan('ticket.fields.set', { ids: { ticket_id: '14' }, fields: { failed: 'x', error_code: '7' } });
const lookUp = plan('user.id', { ids: { username: 'bob' }, fields: { username: 'bob' } });
const check = plan('user.check', { ids: { username: 'bob' }, fields: { username: 'bob', password: 'sesam' } });
const readFields = plan('ticket.fields.get', { ids: { id: '14' } });
const readTicket = createPlanner(readEndpointOf(endpoints['ticket.update']) ?? endpoints['user.id'])({
	ids: { id: '14' },
});
const listPasswords = createPlanner(reads.password.list)({ ids: { user_id: '7' } });

const PAGE = '<!DOCTYPE html><html><head><title>Welcome</title></head><body>x</body></html>';
const LOGIN = '<html><title>Log In</title><form><input type="password"></form></html>';
const NOTICE = '<br />\n<b>Notice</b>: Undefined index in x.php\n';
const ERROR = '{"code":"rest_forbidden","message":"No"}';

const errorOf = (status: number, code = 'rest_error'): string => {
	return JSON.stringify({ code, message: 'No', data: { status } });
};

function responseOf(status: number, body: string | Buffer = '', headers = {}): Response {
	return { status, headers, body: Buffer.from(body as string), sent: true, ms: 1 };
}

function judged(
	request: Sendable,
	status: number,
	body: string | Buffer = '',
	more: { headers?: object; history?: History; reading?: JudgeOptions } = {},
): Outcome {
	return judge(request, responseOf(status, body, more.headers), more.history, more.reading);
}

type Row = [what: string, request: Sendable, status: number, body: string, outcome: string];

describe('a 2xx response to an update', () => {
	it.each<Row>([
		['the object with the sent value', update, 200, '{"id":14,"status":"hold"}', 'ok'],
		['the ID as digits', update, 201, '{"id":"14","status":"hold"}', 'ok'],
		['the ID alone', update, 200, '{"id":14}', 'ok'],
		['the object with a different value', update, 200, '{"id":14,"status":"read"}', 'differs'],
		['the object with words of an error', update, 200, '{"id":14,"status":"hold","error":"E17","ok":false}', 'ok'],
		['no ID and every sent field', updateTwo, 200, '{"status":"hold","title":"x"}', 'ok'],
		['no ID and some sent fields', updateTwo, 200, '{"status":"hold"}', 'unknown'],
		['no ID and a different value', update, 200, '{"status":"read"}', 'unknown'],
		['no ID where a password was sent', withPassword, 200, '{"password":"sesam"}', 'unknown'],
		['a different ID', update, 200, '{"id":15,"status":"hold"}', 'unknown'],
		['an ID of 0', update, 200, '{"id":0,"status":"hold"}', 'unknown'],
		['an ID in a list', update, 200, '{"id":[14],"status":"hold"}', 'unknown'],
		['a different ticket', updateReply, 200, '{"id":3,"ticket_id":15,"status":"read"}', 'unknown'],
		['a different parent', updateReply, 200, '{"id":3,"parent":15,"status":"read"}', 'unknown'],
		['the parent in the path', updateReply, 200, '{"id":3,"parent":14,"status":"read"}', 'ok'],
		['nothing, with 204', update, 204, '', 'ok'],
		['nothing, with 200', update, 200, '', 'unknown'],
		['nothing, with 205', update, 205, '', 'unknown'],
		['the object, accepted for later', update, 202, '{"id":14,"status":"hold"}', 'unknown'],
		['a part of the object', update, 206, '{"id":14,"status":"hold"}', 'unknown'],
		['an empty object', update, 200, '{}', 'unknown'],
		['a yes', update, 200, '{"success":true}', 'unknown'],
		['a no', update, 200, '{"success":false}', 'unknown'],
		['words of denial', update, 200, '{"denied":true}', 'unknown'],
		['true', update, 200, 'true', 'unknown'],
		['null', update, 200, 'null', 'unknown'],
		['an empty list', update, 200, '[]', 'unknown'],
		['a list with the object', update, 200, '[{"id":14,"status":"hold"}]', 'unknown'],
		['a page', update, 200, PAGE, 'unknown'],
		['a login form', update, 200, LOGIN, 'unknown'],
		['text', update, 200, 'OK', 'unknown'],
		['JSON that breaks off', update, 200, '{"id":14,"status":"ho', 'unknown'],
		['JSON and a PHP error', update, 200, '{"id":14,"status":"hold"}\n<b>Fatal error</b>', 'unknown'],
		['the error object', update, 200, ERROR, 'failed'],
		['the error object with its status', update, 200, errorOf(403), 'failed'],
		['an error object whose code is a number', update, 200, '{"code":403,"message":"No"}', 'unknown'],
		['an object with a code and a message', update, 200, '{"id":14,"code":"x","message":"y"}', 'ok'],
		['a notice before the object', update, 200, `${NOTICE}{"id":14,"status":"hold"}`, 'ok'],
		['a notice with brackets before the object', update, 200, `Deprecated: [] in x\n{"id":14,"status":"hold"}`, 'ok'],
		['a notice before an object without an ID', update, 200, `${NOTICE}{"status":"hold"}`, 'unknown'],
		['a notice before the error object', update, 200, NOTICE + ERROR, 'unknown'],
	])('with %s', (_, request, status, body, outcome) => {
		expect(judged(request, status, body)).toMatchObject({ outcome, status });
	});

	it('quotes the first words of what it shows instead', () => {
		expect(judged(update, 200, '{"redirect":"/login"}').message).toContain('{"redirect":"/login"}');
		expect(judged(update, 200, '{"id":15}').message).toContain('id 15, not 14');
	});

	it('is compared field by field', () => {
		expect(judged(updateTwo, 200, '{"id":14,"status":"read","title":"x"}')).toMatchObject({
			outcome: 'differs',
			differs: [{ field: 'status', sent: 'hold', shown: 'read' }],
		});
		expect(judged(withPassword, 200, '{"id":14}')).toMatchObject({ outcome: 'ok' });
	});

	it('is read under neutral names', () => {
		const request = plan('user.update', { ids: { id: '14' }, fields: { support_after_reply: 'back' } });
		const reading = { dialect: createDialect({ product: 'acme' }) };
		const body = '{"id":14,"acme_after_reply":"stay"}';
		expect(judged(request, 200, body, { reading }).differs).toEqual([
			{ field: 'support_after_reply', sent: 'back', shown: 'stay' },
		]);
	});

	it('warns of bytes that are not text', () => {
		const body = Buffer.concat([Buffer.from('{"id":14,"x":"'), Buffer.from([0xff]), Buffer.from('"}')]);
		expect(judged(update, 200, body)).toMatchObject({ outcome: 'ok', warnings: [/not valid UTF-8/] });
	});

	it('that nests very deep is refused', () => {
		const body = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
		expect(judged(update, 200, body)).toMatchObject({ outcome: 'unknown', code: 'cut_off_json' });
	});
});

describe('a 2xx response to a delete', () => {
	it.each<Row>([
		['the object in the trash', toTrash, 200, '{"id":14,"status":"trash"}', 'ok'],
		['the object in the trash and "deleted": false', toTrash, 200, '{"id":14,"status":"trash","deleted":false}', 'ok'],
		['a status without an ID', toTrash, 200, '{"status":"trash"}', 'unknown'],
		['the object, not in the trash', toTrash, 200, '{"id":14,"status":"hold"}', 'unknown'],
		['a permanent delete instead of the trash', toTrash, 200, '{"deleted":true,"previous":{"id":14}}', 'differs'],
		['the trash instead of a permanent delete', forGood, 200, '{"id":14,"status":"trash"}', 'differs'],
		['a permanent delete', forGood, 200, '{"deleted":true,"previous":{"id":14}}', 'ok'],
		['a permanent delete and nothing of the object', forGood, 200, '{"deleted":true}', 'ok'],
		['a permanent delete of a different object', forGood, 200, '{"deleted":true,"previous":{"id":15}}', 'unknown'],
		['a refusal', forGood, 200, '{"deleted":false}', 'failed'],
		['a refusal for a different object', forGood, 200, '{"deleted":false,"previous":{"id":15}}', 'unknown'],
		['a word for yes', forGood, 200, '{"deleted":"yes"}', 'unknown'],
		['an empty object', forGood, 200, '{}', 'unknown'],
		['nothing, with 204', forGood, 204, '', 'ok'],
		['nothing, with 200', forGood, 200, '', 'unknown'],
		['the slug in the path', dropPassword, 200, '{"deleted":true,"previous":{"slug":"aa11"}}', 'ok'],
		['a different user', dropPassword, 200, '{"deleted":true,"previous":{"user_id":8}}', 'unknown'],
		['a different username', removeBob, 200, '{"deleted":true,"previous":{"id":7,"username":"alice"}}', 'unknown'],
		['the username', removeBob, 200, '{"deleted":true,"previous":{"id":7,"username":"Bob"}}', 'ok'],
		['a different slug', dropPassword, 200, '{"deleted":true,"previous":{"slug":"bb22"}}', 'unknown'],
		['the error object', forGood, 200, ERROR, 'failed'],
		['a page', forGood, 200, PAGE, 'unknown'],
	])('with %s', (_, request, status, body, outcome) => {
		expect(judged(request, status, body)).toMatchObject({ outcome, status });
	});
});

describe('a 2xx response to a write of custom fields', () => {
	it.each<Row>([
		['nothing', setField, 200, '', 'ok'],
		['nothing, with 201', setField, 201, '', 'unknown'],
		['null', setField, 200, 'null', 'ok'],
		['an empty list', setField, 200, '[]', 'ok'],
		['a login page that ends in an empty list', setField, 200, `${LOGIN}[]`, 'unknown'],
		['a notice and null', setField, 200, `${NOTICE}null`, 'unknown'],
		['true', setField, 200, 'true', 'unknown'],
		['the field', setField, 200, '{"color":{"name":"Color","value":"red"}}', 'ok'],
		['the field with a different value', setField, 200, '{"color":{"name":"Color","value":"blue"}}', 'differs'],
		['other fields', setField, 200, '{"size":{"name":"Size","value":"red"}}', 'unknown'],
		['the ticket', setField, 200, '{"id":14,"title":"x"}', 'ok'],
		['a different ticket', setField, 200, '{"id":15,"title":"x"}', 'unknown'],
		['a message', setField, 200, '{"message":"Scheduled for later"}', 'unknown'],
		['a redirect', setField, 200, '{"redirect":"/login"}', 'unknown'],
		['a field with the name of an ID', setTicketId, 200, '{"ticket_id":"9"}', 'ok'],
		['fields with names like errors', setOdd, 200, '{"failed":"x","error_code":"7"}', 'ok'],
		['nothing, for fields with names like errors', setOdd, 200, 'null', 'ok'],
		['the error object', setField, 200, ERROR, 'failed'],
	])('with %s', (_, request, status, body, outcome) => {
		expect(judged(request, status, body)).toMatchObject({ outcome, status });
	});
});

describe('a 2xx response to a lookup, a check or a read', () => {
	const list = createPlanner(reads.ticket.list)({ ids: {} });
	it.each<Row>([
		['an ID', lookUp, 200, '{"id":7}', 'ok'],
		['an ID and the name', lookUp, 200, '{"id":7,"username":"Bob"}', 'ok'],
		['an ID and a different name', lookUp, 200, '{"id":7,"username":"alice"}', 'failed'],
		['another key', lookUp, 200, '{"exists":1}', 'unknown'],
		['a bare number', lookUp, 200, '7', 'unknown'],
		['an ID of 0', lookUp, 200, '{"id":0}', 'unknown'],
		['a user', check, 200, '{"id":7}', 'ok'],
		['the user with fields', check, 200, '{"id":7,"username":"bob","email":"b@x","roles":[]}', 'ok'],
		['a different user', check, 200, '{"id":7,"username":"alice"}', 'unknown'],
		['a field that no user has', check, 200, '{"id":7,"password_ok":false}', 'unknown'],
		['a user after text', check, 200, `${NOTICE}{"id":7}`, 'unknown'],
		['true', check, 200, 'true', 'unknown'],
		['false', check, 200, 'false', 'failed'],
		['custom fields', readFields, 200, '{"a":{"name":"A","value":"1"}}', 'ok'],
		['no custom fields', readFields, 200, '[]', 'ok'],
		['custom fields named like an error', readFields, 200, '{"code":{"name":"c","value":"x"}}', 'ok'],
		['plain values', readFields, 200, '{"success":false}', 'unknown'],
		['the ticket', readTicket, 200, '{"id":14}', 'ok'],
		['a different ticket', readTicket, 200, '{"id":15}', 'failed'],
		['no ticket', readTicket, 200, '{"success":true}', 'unknown'],
		['a page', readTicket, 200, PAGE, 'failed'],
		['a list', list, 200, '[{"id":1}]', 'ok'],
		['a list after a notice', list, 200, `${NOTICE}[{"id":1}]`, 'ok'],
		['an object where a list is expected', list, 200, '{"id":1}', 'unknown'],
		...[lookUp, check, readFields, readTicket, list].map(
			(request): Row => ['nothing, with 204', request, 204, '', 'unknown'],
		),
	])('with %s', (_, request, status, body, outcome) => {
		expect(judged(request, status, body)).toMatchObject({ outcome, status });
	});

	it('with an empty or cut-off body is retried like a lost one', () => {
		for (const body of ['', '{"id":14,"sta']) {
			expect(judged(readTicket, 200, body)).toMatchObject({ outcome: 'unknown', retry: 'lost' });
			expect(judged(update, 200, body)).not.toHaveProperty('retry');
		}
	});

	it('with objects under their slugs is a list', () => {
		const body = '{"aa11":{"slug":"aa11","name":"x"}}';
		expect(judged(listPasswords, 200, body)).toMatchObject({
			outcome: 'ok',
			body: [{ slug: 'aa11', name: 'x' }],
		});
		expect(judged(listPasswords, 200, '[]')).toMatchObject({ outcome: 'ok', body: [] });
		// Nothing says that it is the empty list.
		expect(judged(listPasswords, 200, '{}')).toMatchObject({ outcome: 'unknown', code: 'unexpected_shape' });
		expect(judged(listPasswords, 200, '{"aa11":{"slug":"other"}}')).toMatchObject({ outcome: 'unknown' });
	});
});

describe('a read without a usable response', () => {
	const page = '<html><title>Blocked</title></html>';
	const problem = JSON.stringify({ type: 'about:blank', title: 'Method Not Allowed', status: 405 });

	it.each([
		['is asked again after a page', 403, page, 'odd'],
		['is asked again after a page with 404', 404, page, 'odd'],
		['is asked again after a different object', 200, '{"id":99}', 'odd'],
		['is not after a refusal in JSON with 405', 405, problem, undefined],
		['is not after a refusal in JSON with 404', 404, problem, undefined],
		['is not after the word of the service', 403, '{"code":"rest_forbidden","message":"No."}', undefined],
	])('%s', (_, status, body, retry) => {
		expect(judge(readTicket, { status, headers: {}, body: Buffer.from(body), sent: true, ms: 1 }).retry).toBe(retry);
	});
});

describe('a redirect', () => {
	const headers = { location: 'https://me:x@elsewhere.example/login?to=x#y' };

	it.each([301, 302, 307, 308])('by %i comes before the work and names its target', (status) => {
		expect(judged(update, status, '', { headers })).toMatchObject({
			outcome: 'failed',
			code: 'redirect',
			location: 'https://elsewhere.example/login?…',
			notServed: true,
		});
	});

	it.each([300, 303, 304])('by %i says nothing about a write', (status) => {
		expect(judged(update, status, '', { headers }).outcome).toBe('unknown');
		expect(judged(readTicket, status, '', { headers }).outcome).toBe('failed');
	});
});

describe('a 4xx response', () => {
	it.each([400, 401, 403, 404, 409, 410, 412, 413, 422, 451])('of %i is a refusal', (status) => {
		const outcome = judged(update, status, errorOf(status));
		expect(outcome).toMatchObject({ outcome: 'failed', code: 'rest_error', message: 'No', refused: true });
		expect(outcome).not.toHaveProperty('retry');
	});

	it.each([408, 425, 429])('of %i asks to come back later', (status) => {
		expect(judged(update, status)).toMatchObject({ outcome: 'failed', retry: 'later', busy: true });
	});

	it('with Retry-After asks to come back later', () => {
		const headers = { 'retry-after': '2' };
		expect(judged(update, 403, errorOf(403), { headers })).toMatchObject({ outcome: 'failed', retry: 'later' });
	});

	it('that is a page does not come from the service', () => {
		const outcome = judged(update, 403, PAGE);
		expect(outcome).toMatchObject({ outcome: 'failed', code: 'html_response', notServed: true });
		expect(outcome).not.toHaveProperty('refused');
		// In linear time.
		expect(judged(update, 403, '<title'.repeat(200_000))).toMatchObject({ code: 'html_response' });
	});

	it('is named in the message', () => {
		expect(judged(update, 401, errorOf(401))).toMatchObject({ signedOut: true });
		expect(judged(update, 403, errorOf(403))).toMatchObject({ forbidden: true });
		expect(judged(update, 404, errorOf(404))).toMatchObject({ gone: 'missing' });
		expect(judged(update, 404, errorOf(404, 'rest_no_route'))).toMatchObject({ notServed: true });
		expect(judged(update, 404, errorOf(404, 'rest_no_route'))).not.toHaveProperty('gone');
		expect(judged(update, 404, PAGE)).not.toHaveProperty('gone');
	});

	it('gives the reason for each field under neutral names', () => {
		const body = JSON.stringify({
			code: 'rest_invalid_param',
			message: '<b>Invalid</b> &amp; odd',
			data: { status: 400, params: { acme_after_reply: 'is not one of a, b' } },
		});
		const reading = { dialect: createDialect({ product: 'acme' }) };
		expect(judged(update, 400, body, { reading })).toMatchObject({
			message: 'Invalid & odd',
			reasons: { support_after_reply: 'is not one of a, b' },
		});
	});
});

describe('a 5xx response', () => {
	it.each([500, 507])('of %i with the code of the service may be partly applied', (status) => {
		expect(judged(update, status, ERROR)).toMatchObject({
			outcome: 'failed',
			retry: 'once',
			mayBePartly: true,
			message: 'No; the request may be partly applied',
		});
	});

	it.each([502, 504, 520, 521, 522, 523, 524, 598, 599])(
		'of %i counts as the service only if it repeats the status',
		(status) => {
			expect(judged(update, status, ERROR)).toMatchObject({ outcome: 'unknown', retry: 'lost', mayBeApplied: true });
			expect(judged(update, status, errorOf(status))).toMatchObject({ outcome: 'failed', mayBePartly: true });
		},
	);

	it('of 503 asks to come back later', () => {
		expect(judged(update, 503)).toMatchObject({ outcome: 'unknown', retry: 'later' });
		expect(judged(update, 503, errorOf(503))).toMatchObject({ outcome: 'failed', retry: 'later' });
	});

	it('without a code is unknown and retried', () => {
		for (const body of ['', PAGE, '{}', '{"code":500,"message":"x"}']) {
			expect(judged(update, 500, body)).toMatchObject({ outcome: 'unknown', retry: 'lost', mayBeApplied: true });
		}
	});

	it.each([501, 505, 511])('of %i refuses the request as it is', (status) => {
		expect(judged(update, status)).toMatchObject({ outcome: 'failed' });
		expect(judged(update, status)).not.toHaveProperty('retry');
	});
});

describe('no response', () => {
	const problem = { code: 'timeout', message: 'no response', permanent: false };
	const lost: Response = { ...responseOf(0), problem };

	it('is unknown if the request was sent, and not-sent if it was not', () => {
		expect(judge(update, lost)).toMatchObject({ outcome: 'unknown', retry: 'lost', mayBeApplied: true });
		expect(judge(update, { ...lost, sent: false })).toMatchObject({ outcome: 'not-sent', retry: 'unsent' });
		const permanent = { ...lost, problem: { ...problem, permanent: true } };
		expect(judge(update, permanent)).not.toHaveProperty('retry');
	});

	it('is what a 200 that breaks off counts as', () => {
		const cut = { ...responseOf(200, '{"id":14}'), problem };
		expect(judge(update, cut)).toMatchObject({ outcome: 'unknown', retry: 'lost', status: 200 });
	});
});

describe('an earlier attempt that may have been applied', () => {
	const history = { mayBeApplied: true };

	it('makes a refusal unknown', () => {
		for (const [status, body] of [
			[400, ERROR],
			[403, errorOf(403)],
			[404, PAGE],
			[500, ERROR],
		] as const) {
			expect(judged(update, status, body, { history })).toMatchObject({ outcome: 'unknown', mayBeApplied: true });
		}
	});

	it('leaves nothing to update after a 404 or 410 of the service', () => {
		for (const status of [404, 410]) {
			const outcome = judged(update, status, errorOf(status), { history });
			expect(outcome).toMatchObject({ outcome: 'failed', gone: status === 404 ? 'missing' : 'trashed' });
			expect(outcome).not.toHaveProperty('mayBeApplied');
		}
	});

	it('has deleted what is gone', () => {
		expect(judged(forGood, 404, errorOf(404), { history })).toMatchObject({ outcome: 'ok', gone: 'missing' });
		expect(judged(forGood, 404, errorOf(404))).toMatchObject({ outcome: 'failed', gone: 'missing' });
		expect(judged(forGood, 404, PAGE, { history })).toMatchObject({ outcome: 'unknown' });
		expect(judged(forGood, 404, errorOf(404, 'rest_no_route'), { history })).toMatchObject({ outcome: 'unknown' });
	});

	it('was refused too if a 400 blames a sent field', () => {
		const blame = (field: string): string => {
			return JSON.stringify({ code: 'rest_invalid_param', message: 'No', data: { params: { [field]: 'bad' } } });
		};
		expect(judged(update, 400, blame('status'), { history })).toMatchObject({ outcome: 'failed' });
		expect(judged(update, 400, blame('title'), { history })).toMatchObject({ outcome: 'unknown' });
	});

	it('makes a request unknown that could not be sent again', () => {
		const problem = { code: 'connect_refused', message: 'x', permanent: false };
		const unsent = { ...responseOf(0), problem, sent: false };
		expect(judge(update, unsent, history)).toMatchObject({ outcome: 'unknown' });
		expect(judge(update, unsent, { mayBePartly: true })).toMatchObject({ outcome: 'unknown' });
	});

	it('does not matter once the change is shown', () => {
		const outcome = judged(update, 200, '{"id":14,"status":"hold"}', { history });
		expect(outcome).toMatchObject({ outcome: 'ok' });
		expect(outcome).not.toHaveProperty('mayBeApplied');
	});
});

it('a missing object counts as deleted with --ignore-missing', () => {
	const reading = { ignoreMissing: true };
	expect(judged(forGood, 404, errorOf(404), { reading })).toMatchObject({ outcome: 'ok', gone: 'missing' });
	expect(judged(update, 404, errorOf(404), { reading })).toMatchObject({ outcome: 'failed' });
	expect(judged(forGood, 404, PAGE, { reading })).toMatchObject({ outcome: 'failed' });
});

describe('whatever a service responds', () => {
	const word = fc.constantFrom('id', 'status', 'deleted', 'previous', 'code', 'message', 'success', 'title', 'slug');
	const json = fc.oneof(
		fc.jsonValue(),
		fc.dictionary(word, fc.oneof(fc.constantFrom(14, 15, '14', 'hold', 'trash', true, false, null), fc.jsonValue())),
	);
	const request = fc.constantFrom(update, updateTwo, toTrash, forGood, setField, updateReply);

	it('a different ID is never ok', () => {
		fc.assert(
			fc.property(request, json, fc.integer({ min: 15 }), (asked, body, id) => {
				const shown = { ...Object(body), id, previous: undefined };
				expect(judged(asked, 200, JSON.stringify(shown)).outcome).not.toMatch(/^(?:ok|differs)$/);
			}),
		);
	});

	it('ok implies the ID, every field, a delete, 204, or an empty response of custom fields', () => {
		fc.assert(
			fc.property(request, json, fc.constantFrom(200, 201, 203, 204, 207), (asked, body, status) => {
				const { outcome } = judged(asked, status, JSON.stringify(body));
				if (outcome !== 'ok') return;
				const { id, deleted } = Object(body) as { id?: unknown; deleted?: unknown };
				const showsAll = Object.entries(asked.sent ?? { none: 1 }).every(([name, value]) => {
					return Object(body)[name] === value;
				});
				const isEmptySet = asked === setField && ['null', '[]'].includes(JSON.stringify(body));
				const isItself = String(id) === (asked.ids.id ?? asked.ids.ticket_id);
				expect(isItself || showsAll || deleted === true || isEmptySet).toBe(true);
			}),
		);
	});
});

test('a looked-up ID is a positive whole number under "id", and nothing else', () => {
	for (const body of [{ id: 0 }, { id: -1 }, { id: 1.5 }, { id: 'ada' }, { user: 7 }, [7], 7, null, undefined]) {
		expect(lookedUpId(body)).toBeUndefined();
	}
	expect([lookedUpId({ id: 7 }), lookedUpId({ id: '7' })]).toEqual(['7', '7']);
});

describe('the words of a refusal', () => {
	const refused = (body: unknown): Outcome =>
		judge(update, {
			status: 400,
			headers: {},
			body: Buffer.from(JSON.stringify(body)),
			sent: true,
			ms: 1,
		});

	const bytesOf = (text: string): number => Buffer.byteLength(text);

	it.each(['x', 'é', '€', '😀', 'x😀', 'xx😀', 'xxx😀'])(
		'are kept up to 4 KB each, and no character is cut in two: %s',
		(piece) => {
			const long = piece.repeat(1_000_000);
			const { message = '', code = '' } = refused({ code: long, message: long });
			for (const text of [message, code]) {
				expect(bytesOf(text)).toBeLessThanOrEqual(4096);
				expect(bytesOf(text)).toBeGreaterThan(4088);
				expect(long.startsWith(text.replace(/…$/, ''))).toBe(true);
			}
			const short = 'é'.repeat(2048);
			expect(refused({ code: 'x', message: short }).message).toBe(short);
			expect(refused({ code: 'x', message: `${short}é` }).message).toBe(`${'é'.repeat(2046)}…`);
		},
	);

	it.each([
		['by field', (many: [string, string][]) => Object.fromEntries(many)],
		['as a list of those that are missing', (many: [string, string][]) => many.flat()],
	])('with reasons %s take no more than those of three messages', (_, params) => {
		const many = Array.from({ length: 5000 }, (_, at): [string, string] => [`f${at}`, `why ${at}`]);
		const reasonsOf = (all: [string, string][]): Record<string, string> =>
			refused({ code: 'x', message: 'y', data: { params: params(all) } }).reasons ?? {};
		const few = many.slice(0, 40);
		expect(Object.keys(reasonsOf(few))).toHaveLength(Array.isArray(params(few)) ? 80 : 40);
		const long = many.map(([name]): [string, string] => [name, '€'.repeat(500)]);
		for (const all of [many, long]) expect(bytesOf(JSON.stringify(reasonsOf(all)))).toBeLessThan(3 * 4096);
	});

	it.each([
		[
			{ type: 'about:blank', title: 'Unprocessable', detail: 'unknown property "color"', status: 400 },
			'Unprocessable: unknown property "color"',
		],
		[{ title: 'Not Found' }, 'Not Found'],
		[{ detail: 'No.' }, 'No.'],
		[{ code: 'x', message: 'Mine.', title: 'T' }, 'Mine.'],
	])('are read from problem+json: %j', (body, message) => {
		expect(refused(body).message).toBe(message);
	});
});

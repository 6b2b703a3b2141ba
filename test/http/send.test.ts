import { describe, expect, it } from 'vitest';
import { createDialect } from '../../src/api/dialect.js';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/request.js';
import type { Client } from '../../src/http/client.js';
import type { History } from '../../src/http/outcome.js';
import type { Response, ResponseHeaders } from '../../src/http/response.js';
import type { Pace } from '../../src/http/send.js';
import { check, deliverTo, instantClock, lookUp, read, remove, setFields, update } from '../support/delivery.js';

/** What one attempt comes to: a status with a body, or a problem. */
type Step =
	| { status: number; body?: string; headers?: ResponseHeaders }
	| { lost: string; permanent?: boolean }
	| { unsent: string; permanent?: boolean };

const json = (status: number, value: unknown, headers = {}): Step => ({ status, body: JSON.stringify(value), headers });
const ok = json(200, { id: 14, status: 'hold' });
const gone = json(404, { code: 'rest_post_invalid_id', message: 'Invalid post ID.' });
const page = { status: 404, body: '<html><title>Nothing here</title></html>' };
const busy = { status: 503, body: 'busy' };

function responseOf(step: Step): Response {
	if ('status' in step) {
		const { status, body = '', headers = {} } = step;
		return { status, headers, body: Buffer.from(body), sent: true, ms: 5 };
	}
	const sent = 'lost' in step;
	const code = sent ? step.lost : step.unsent;
	const problem = { code, message: `${code} happened`, permanent: step.permanent === true };
	return { status: 0, headers: {}, body: Buffer.alloc(0), problem, sent, ms: 5 };
}

/** A client with these results, the last one over and over. */
function scripted(...steps: Step[]): Client & { sent: number } {
	const client = {
		baseUrl: 'http://desk.test',
		origin: 'http://desk.test',
		sent: 0,
		send: async () => responseOf(steps[Math.min(client.sent++, steps.length - 1)] as Step),
		learned: { service: false, nameless: false, waitUntil: 0 },
		renew: () => {},
		close: async () => {},
	};
	return client;
}

describe('an update', () => {
	it('is ok with the response in hand', async () => {
		const client = scripted(ok);
		expect(await deliverTo(client, update)).toEqual({
			outcome: 'ok',
			status: 200,
			body: { id: 14, status: 'hold' },
			attempts: 1,
			ms: 5,
			waits: [],
			retried: [],
		});
		expect(client.sent).toBe(1);
	});

	it('is sent again after a lost response, and each attempt is reported before the next', async () => {
		const delivered = await deliverTo(
			scripted({ lost: 'connection_lost' }, { status: 502 }, { unsent: 'connect_refused' }, ok),
			update,
		);
		expect(delivered).toMatchObject({ outcome: 'ok', attempts: 4, waits: [75, 300, 1200], ms: 1580 });
		expect(delivered.retried).toMatchObject([
			{ attempts: 1, retry: 'lost', mayBeApplied: true, waitMs: 75, code: 'connection_lost' },
			{ attempts: 2, retry: 'lost', mayBeApplied: true, waitMs: 300, status: 502, code: 'http_502' },
			{ attempts: 3, retry: 'unsent', mayBeApplied: true, waitMs: 1200, code: 'connect_refused' },
		]);
	});

	it('is unknown when no response ever comes, after as many attempts as allowed', async () => {
		const client = scripted({ lost: 'timeout' });
		expect(await deliverTo(client, update, { retries: 2 })).toMatchObject({
			outcome: 'unknown',
			code: 'timeout',
			message: 'timeout happened',
			attempts: 3,
		});
		expect(client.sent).toBe(3);
	});

	it('is not-sent when no connection was ever made', async () => {
		expect(await deliverTo(scripted({ unsent: 'connect_refused' }), update)).toMatchObject({
			outcome: 'not-sent',
			code: 'connect_refused',
			attempts: 5,
		});
	});

	it('is unknown when one attempt was lost and no connection was made since', async () => {
		expect(
			await deliverTo(scripted({ lost: 'timeout' }, { unsent: 'connect_refused' }), update, { retries: 1 }),
		).toMatchObject({ outcome: 'unknown', code: 'connect_refused', attempts: 2 });
	});

	it('is not tried again where trying can not help', async () => {
		expect(await deliverTo(scripted({ unsent: 'tls_expired', permanent: true }), update)).toMatchObject({
			outcome: 'not-sent',
			attempts: 1,
		});
		expect(await deliverTo(scripted({ lost: 'bad_http', permanent: true }), update)).toMatchObject({
			outcome: 'unknown',
			attempts: 1,
		});
	});

	it('is failed when the service goes on to refuse for now, and unknown if it may have been applied before', async () => {
		const many = { status: 429 };
		expect(await deliverTo(scripted(many), update, { retries: 1 })).toMatchObject({ outcome: 'failed', attempts: 2 });
		expect(await deliverTo(scripted({ lost: 'timeout' }, many), update, { retries: 1 })).toMatchObject({
			outcome: 'unknown',
			status: 429,
		});
		expect(await deliverTo(scripted(busy), update, { retries: 1 })).toMatchObject({ outcome: 'unknown', attempts: 2 });
	});

	it('is failed after a lost response only by a 400 that blames what was sent', async () => {
		const refuse = (params: unknown): Step =>
			json(400, { code: 'rest_invalid_param', message: 'no', data: { params } });
		const afterLoss = (step: Step) => deliverTo(scripted({ lost: 'timeout' }, step), update);
		expect(await afterLoss(refuse({ status: 'is not one of a, b' }))).toMatchObject({ outcome: 'failed', status: 400 });
		expect(await afterLoss(refuse({ title: 'is too long' }))).toMatchObject({ outcome: 'unknown' });
		expect(await afterLoss(refuse(null))).toMatchObject({ outcome: 'unknown' });
		expect(await afterLoss(page)).toMatchObject({ outcome: 'unknown', status: 404, code: 'html_response' });
		expect(await deliverTo(scripted(page), update)).toMatchObject({ outcome: 'failed', attempts: 1 });
		expect(
			await deliverTo(scripted(refuse({ custom_fields: 'no' })), setFields, { history: { mayBeApplied: true } }),
		).toMatchObject({
			outcome: 'failed',
		});
	});

	it.each([400, 401, 403, 405, 409, 412, 413, 422, 423, 451, 500, 501])(
		'is unknown after a lost response and then a %i: that says nothing about the attempt before',
		async (status) => {
			const no = json(status, { code: 'not_today', message: 'No.' });
			for (const steps of [
				[{ lost: 'timeout' }, no],
				[{ lost: 'timeout' }, busy, no],
				[{ lost: 'timeout' }, json(503, { code: 'busy', message: 'Later.' }), no],
				[{ status: 500 }, no],
			]) {
				expect(await deliverTo(scripted(...steps), update)).toMatchObject({ outcome: 'unknown', status });
			}
			expect(await deliverTo(scripted(no), update, { history: { mayBeApplied: true } })).toMatchObject({
				outcome: 'unknown',
				message: 'No; an earlier attempt may have been applied',
			});
			expect(await deliverTo(scripted(no), update)).toMatchObject({ outcome: 'failed', status });
			expect(await deliverTo(scripted({ lost: 'timeout' }, no), read)).toMatchObject({ outcome: 'failed' });
		},
	);

	it('is sent once more after the own error of the service, and then may be partly applied', async () => {
		const own = json(500, { code: 'db_error', message: 'Out of rows.' });
		const message = 'Out of rows; the request may be partly applied';
		expect(await deliverTo(scripted(own), update)).toMatchObject({ outcome: 'failed', attempts: 2, message });
		expect(await deliverTo(scripted(own), remove)).toMatchObject({ outcome: 'failed', attempts: 1, message });
		expect(await deliverTo(scripted(own, ok), update)).toMatchObject({ outcome: 'ok', attempts: 2 });
		expect(await deliverTo(scripted(own, gone), update)).toMatchObject({
			outcome: 'failed',
			message: 'Invalid post ID.',
		});
		expect(await deliverTo(scripted({ status: 500 }), update)).toMatchObject({ outcome: 'unknown', attempts: 5 });
	});

	it('is unknown at once when the response is there but makes no sense', async () => {
		expect(await deliverTo(scripted({ status: 200, body: '' }), update)).toMatchObject({
			outcome: 'unknown',
			code: 'empty_response',
			attempts: 1,
		});
	});

	it('carries reasons and warnings', async () => {
		const params = { code: 'c', message: 'm', data: { params: { status: 'bad' } } };
		expect(await deliverTo(scripted(json(400, params)), update)).toMatchObject({ reasons: { status: 'bad' } });
		expect(await deliverTo(scripted({ status: 200, body: 'Notice: x\n{"id":14}' }), update)).toMatchObject({
			outcome: 'ok',
			warnings: ['text before the JSON of the response: Notice: x'],
		});
	});

	it('hands the response on under neutral names', async () => {
		const dialect = createDialect({ product: 'acme' });
		const request = createPlanner(endpoints['user.update'], dialect)({ ids: { id: '7' }, fields: {} });
		expect(
			await deliverTo(scripted(json(200, { id: 7, acme_after_reply: 'stay' })), request, { dialect }),
		).toMatchObject({ body: { id: 7, support_after_reply: 'stay' } });
	});
});

describe('a deletion', () => {
	it('refused with 404 or 410 is ok only after a response was lost', async () => {
		const already = json(410, { code: 'rest_already_trashed', message: 'The post has already been deleted.' });
		for (const missing of [gone, already]) {
			expect(await deliverTo(scripted(missing), remove)).toMatchObject({ outcome: 'failed', attempts: 1 });
			expect(await deliverTo(scripted({ lost: 'timeout' }, missing), remove)).toMatchObject({
				outcome: 'ok',
				message: 'it is gone; an earlier attempt may have deleted it',
				attempts: 2,
			});
			expect(await deliverTo(scripted({ status: 504 }, missing), remove)).toMatchObject({ outcome: 'ok' });
		}
	});

	it('refused with 404 after mere refusals is not ok: it never got through', async () => {
		expect(await deliverTo(scripted({ status: 429 }, gone), remove)).toMatchObject({ outcome: 'failed' });
		expect(await deliverTo(scripted({ unsent: 'connect_refused' }, gone), remove)).toMatchObject({ outcome: 'failed' });
	});

	it('refused with 404 is ok where an earlier process may have sent it', async () => {
		expect(await deliverTo(scripted(gone), remove, { history: { mayBeApplied: true } })).toMatchObject({
			outcome: 'ok',
			attempts: 1,
		});
	});

	it('refused with 404 or 410 is ok where missing things are to be ignored', async () => {
		expect(await deliverTo(scripted(gone), remove, { ignoreMissing: true })).toMatchObject({
			outcome: 'ok',
			message: 'already deleted',
		});
	});

	it('is not taken for done by a page, a gateway, or a path that is not served', async () => {
		for (const status of [404, 410]) {
			const unserved = json(status, { code: 'rest_no_route', message: 'No route was found' });
			const gonePage = { ...page, status };
			const gateway = json(status, { message: 'no Route matched with those values' });
			const empty = { status };
			const numbered = json(status, { code: status, message: 'Not Found' });
			for (const step of [gonePage, unserved, gateway, numbered, empty]) {
				expect(await deliverTo(scripted(step), remove, { ignoreMissing: true })).toMatchObject({ outcome: 'failed' });
				expect(await deliverTo(scripted({ lost: 'timeout' }, step), remove)).toMatchObject({ outcome: 'unknown' });
			}
		}
	});

	it('alone takes 404 for done: an update does not', async () => {
		for (const request of [update, setFields, read]) {
			const delivered = await deliverTo(scripted({ lost: 'timeout' }, gone), request, { ignoreMissing: true });
			expect(delivered.outcome).toBe('failed');
		}
	});
});

describe('a credential check', () => {
	it.each<[string, Step, string]>([
		['a lost response', { lost: 'timeout' }, 'unknown'],
		['a gateway without a response', { status: 502 }, 'unknown'],
		['a refusal for now', busy, 'failed'],
		['no connection', { unsent: 'connect_refused' }, 'not-sent'],
		['an empty response', { status: 200 }, 'unknown'],
	])('is sent once, after %s too', async (_what, step, outcome) => {
		const client = scripted(step);
		expect(await deliverTo(client, check)).toMatchObject({ outcome, attempts: 1, retried: [] });
		expect(client.sent).toBe(1);
	});
});

describe('reading', () => {
	it('is repeated as often as an update', async () => {
		for (const [request, body] of [
			[read, []],
			[lookUp, { id: 7 }],
		] as const) {
			const client = scripted({ lost: 'timeout' }, json(200, body));
			expect(await deliverTo(client, request)).toMatchObject({ outcome: 'ok', attempts: 2 });
		}
	});
});

describe('a service that asks to wait', () => {
	it('is waited for as long as it says', async () => {
		const later: Step = { status: 429, headers: { 'retry-after': '60' } };
		expect(await deliverTo(scripted(later, ok), update)).toMatchObject({ outcome: 'ok', waits: [60_500] });
	});

	it('is not waited for any longer than ten minutes: the message says until when', async () => {
		const later: Step = { status: 429, body: 'slow down', headers: { 'retry-after': '31536000' } };
		const delivered = await deliverTo(scripted(later), update);
		expect(delivered).toMatchObject({ outcome: 'not-sent', code: 'wait_too_long', attempts: 1, waits: [] });
		expect(await deliverTo(scripted({ lost: 'timeout' }, later), update)).toMatchObject({ outcome: 'unknown' });
		expect(delivered.message).toBe(
			'the response is not JSON (no content type): slow down; the service asks to wait until 2027-11-21T00:00:00.000Z',
		);
	});

	it('is waited for ten minutes, and put off also by the last attempt', async () => {
		const later = (seconds: number): Step => ({ status: 429, headers: { 'retry-after': String(seconds) } });
		expect(await deliverTo(scripted(later(600), ok), update)).toMatchObject({ outcome: 'ok', attempts: 2 });
		expect(await deliverTo(scripted(later(601), ok), update)).toMatchObject({ code: 'wait_too_long' });
		const last = scripted(busy, busy, busy, busy, later(3600));
		expect(await deliverTo(last, update)).toMatchObject({ code: 'wait_too_long', attempts: 5 });
	});

	it('for longer than there will be time does not break the message', async () => {
		const later: Step = { status: 503, headers: { 'retry-after': '9'.repeat(400) } };
		const { outcome, message } = await deliverTo(scripted(later), update);
		expect(message).toMatch(/wait until 2\d{3}-/);
		// A 503 does not say that the service did nothing.
		expect(outcome).toBe('unknown');
	});
});

it('notes whether an attempt may have been applied, or a part of it', async () => {
	const open: History[] = [];
	const client = scripted(json(503, { code: 'busy', message: 'Later.' }), { status: 502 }, { status: 429 }, ok);
	await deliverTo(client, update, {
		onRetry: ({ mayBeApplied, mayBePartly }) => void open.push({ mayBeApplied, mayBePartly }),
	});
	expect(open).toEqual([
		{ mayBePartly: true },
		{ mayBeApplied: true, mayBePartly: true },
		{ mayBeApplied: true, mayBePartly: true },
	]);
});

it('knows what an earlier part of the run left open', async () => {
	const no = json(403, { code: 'no', message: 'No.' });
	const partly = { history: { mayBePartly: true } };
	expect(await deliverTo(scripted(no), update, partly)).toMatchObject({
		outcome: 'failed',
		message: 'No; the request may be partly applied',
	});
	const failing = json(500, { code: 'x', message: 'Broken.' });
	expect(await deliverTo(scripted(failing, ok), update, partly)).toMatchObject({ outcome: 'ok', attempts: 2 });
	const gone = json(404, { code: 'gone', message: 'Gone.' });
	expect(await deliverTo(scripted(gone), remove, partly)).toMatchObject({ outcome: 'ok' });
	expect(await deliverTo(scripted(gone), remove)).toMatchObject({ outcome: 'failed' });
});

describe('a stopped run', () => {
	it('sends nothing more, and says of each row what is known of it', async () => {
		const stopping = async (...steps: Step[]) => {
			const stop = new AbortController();
			const client = scripted(...steps);
			const delivered = await deliverTo(client, update, {
				stop: stop.signal,
				onRetry: () => stop.abort(),
			});
			expect(client.sent).toBe(1);
			return delivered;
		};
		expect(await stopping({ lost: 'timeout' })).toMatchObject({ outcome: 'unknown' });
		expect(await stopping({ unsent: 'connect_refused' })).toMatchObject({ outcome: 'not-sent' });
		expect(await stopping(busy)).toMatchObject({ outcome: 'unknown', status: 503, attempts: 1 });
		expect(await stopping({ status: 429 })).toMatchObject({ outcome: 'not-sent', status: 429, attempts: 1 });
	});

	it('does not begin a row', async () => {
		const client = scripted(ok);
		expect(await deliverTo(client, update, { stop: AbortSignal.abort() })).toMatchObject({
			outcome: 'not-sent',
			attempts: 0,
			ms: 0,
		});
		expect(
			await deliverTo(client, remove, { stop: AbortSignal.abort(), history: { mayBeApplied: true } }),
		).toMatchObject({
			outcome: 'unknown',
		});
		expect(client.sent).toBe(0);
	});
});

describe('what goes on around an attempt', () => {
	it('tells the brake which responses ask to slow down, and which are a fault of this request alone', async () => {
		const news: string[] = [];
		const pace: Pace = {
			ready: () => undefined,
			refused: (_at, wait) => news.push(`${client.sent} refused ${wait}`),
			answered: () => news.push(`${client.sent} answered`),
			failed: () => news.push(`${client.sent} failed`),
		};
		const steps: Step[] = [
			{ status: 429, headers: { 'retry-after': '2' } },
			{ status: 503 },
			{ status: 502, headers: { 'retry-after': '3' } },
			{ status: 504 },
			{ status: 502, body: '<html><title>Bad gateway</title></html>' },
			{ unsent: 'connect_refused' },
			{ lost: 'connection_lost' },
			json(400, { code: 'x', message: 'no' }),
		];
		const client = scripted(...steps);
		await deliverTo(client, update, { pace, retries: 9 });
		expect(news).toEqual([
			'1 refused 2000',
			'2 refused undefined',
			'3 refused 3000',
			'4 failed',
			'5 failed',
			'6 failed',
			'7 failed',
			'8 answered',
		]);
	});

	it('holds a request back until the brake is ready, and a stop meanwhile keeps it from being sent', async () => {
		const client = scripted(ok);
		const stop = new AbortController();
		let go = (): void => undefined;
		const pace: Pace = {
			ready: () =>
				new Promise((resolve) => {
					go = resolve;
				}),
			refused: () => undefined,
			answered: () => undefined,
			failed: () => undefined,
		};
		const first = deliverTo(client, update, { pace });
		await new Promise(setImmediate);
		expect(client.sent).toBe(0);
		go();
		expect(await first).toMatchObject({ outcome: 'ok' });
		const second = deliverTo(client, update, { pace, stop: stop.signal });
		stop.abort();
		go();
		expect(await second).toMatchObject({ outcome: 'not-sent', attempts: 0, ms: 0 });
		expect(client.sent).toBe(1);
	});
});

describe('a delivery', () => {
	it('measures how long it took, waits included, to a tenth of a millisecond', async () => {
		const client = scripted(busy, busy, ok);
		const clock = instantClock();
		const slow: Client = {
			...client,
			send: async (request) => {
				await clock.sleep(12.34);
				return { ...(await client.send(request)), ms: 12.34 };
			},
		};
		// Three times 12.34, and between them 375 and 750.
		expect(await deliverTo(slow, update, { clock })).toMatchObject({ attempts: 3, ms: 1162 });
	});
});

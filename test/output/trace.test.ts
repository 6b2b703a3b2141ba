import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../src/http/client.js';
import type { Response } from '../../src/http/response.js';
import { plainPalette } from '../../src/output/colour.js';
import { renderTrace as render } from '../../src/output/trace.js';

const renderTrace = (event: TraceEvent, view: Partial<Parameters<typeof render>[1]>): string =>
	render(event, { verbosity: 1, palette: plainPalette, secrets: [], ...view });

const request: TraceEvent = {
	type: 'request',
	method: 'POST',
	url: 'https://desk.example/support-api/v1/users/check?token=marker',
	headers: { authorization: 'Basic marker', 'content-type': 'application/json' },
	body: '{"username":"ann","password":"marker"}',
};

type Body = Parameters<typeof Buffer.from>[0];

function responseOf(
	more: Partial<Omit<Response, 'body'>> & { body?: Body; url?: string; requestBody?: string } = {},
): TraceEvent {
	const { url = 'https://desk.example/x', requestBody, body = SECRET, ...response } = more;
	return {
		type: 'response',
		method: 'POST',
		url,
		requestBody,
		response: { status: 400, headers: HEADERS, sent: true, ms: 12.7, ...response, body: Buffer.from(body as string) },
	};
}

const SECRET = '{"password":"marker","title":"\\u001b[31m\u202e"}';
const HEADERS = { 'set-cookie': ['a=marker'], 'x-odd': '\x1b[2J' };

describe('renderTrace', () => {
	it('is one line an event with -v', () => {
		expect(renderTrace(request, { verbosity: 1 })).toBe(
			'> POST https://desk.example/support-api/v1/users/check?token=[redacted] (username, password)\n',
		);
		expect(renderTrace(responseOf(), { verbosity: 1 })).toBe('< 400 POST https://desk.example/x, 45 bytes, 13 ms\n');
		const problem = { code: 'timeout', message: 'no response within 30 s', permanent: false };
		const lost = responseOf({ status: 0, body: '', problem, ms: 30_001 });
		expect(renderTrace(lost, { verbosity: 2 })).toBe(
			'! POST https://desk.example/x: no response within 30 s, 30001 ms\n',
		);
	});

	it('adds headers and bodies with -vv, both without secrets and escapes', () => {
		expect(renderTrace(request, { verbosity: 2 })).toBe(
			[
				'> POST https://desk.example/support-api/v1/users/check?token=[redacted]',
				'> authorization: Basic [redacted]',
				'> content-type: application/json',
				'> {"username":"ann","password":"[redacted]"}',
				'',
			].join('\n'),
		);
		expect(renderTrace(responseOf(), { verbosity: 2 })).toBe(
			[
				'< 400 POST https://desk.example/x, 45 bytes, 13 ms',
				'< set-cookie: [redacted]',
				'< x-odd: \\x1b[2J',
				'< {"password":"[redacted]","title":"\\u001b[31m\\u202e"}',
				'',
			].join('\n'),
		);
	});

	it('hides what it is given as secret, under whatever name', () => {
		const event: TraceEvent = { ...request, headers: { 'x-desk': 'marker-9' }, body: '{"note":"marker-9"}' };
		expect(renderTrace(event, { verbosity: 2, secrets: ['marker-9'] })).not.toContain('marker-9');
	});

	it('takes no word of our own for a short secret, and hides it in what the service says', () => {
		const view = { verbosity: 2, secrets: ['desk', 'json'] };
		const url = 'https://desk.example/support-api/v1/tickets/14';
		const sent = {
			...request,
			url,
			headers: { accept: 'application/json', 'x-key': 'json' },
			body: '{"title":"desk"}',
		};
		expect(renderTrace(sent, view)).toBe(
			[`> POST ${url}`, '> accept: application/json', '> x-key: [redacted]', '> {"title":"desk"}', ''].join('\n'),
		);
		const problem = { code: 'timeout', message: 'no desk', permanent: false };
		const lost = responseOf({ url, status: 0, body: '', problem, ms: 1 });
		expect(renderTrace(lost, view)).toBe(`! POST ${url}: no desk, 1 ms\n`);
		expect(renderTrace(responseOf({ url, headers: { 'x-odd': 'json' }, body: 'no desk' }), view)).toBe(
			[`< 400 POST ${url}, 7 bytes, 13 ms`, '< x-odd: [redacted]', '< no [redacted]', ''].join('\n'),
		);
	});

	it('hides secrets in a long body', () => {
		const body = JSON.stringify({ text: 'x'.repeat(4_080), password: 'marker'.repeat(100) });
		const text = renderTrace(responseOf({ headers: {}, body }), { verbosity: 2 });
		expect(text).toMatch(/x{4080}","password":"\[redacted\]"\}\n$/);
	});

	it('hides the secrets of a request in its response', () => {
		const requestBody = '{"password":4815162342,"meta":{"token":["nested-marker"]}}';
		const event = responseOf({ requestBody, body: '{"note":4815162342,"title":"own-marker nested-marker"}' });
		const text = renderTrace(event, { verbosity: 2, secrets: ['own-marker'] });
		expect(text).toContain('< {"note":[redacted],"title":"[redacted] [redacted]"}');
		expect(text).not.toContain('marker');
	});
});

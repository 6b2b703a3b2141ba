import { describe, expect, it } from 'vitest';
import {
	findService,
	judgePlace,
	judgeSignIn,
	likelyBaseUrls,
	type ProbeResponse,
	redirectedBaseUrl,
} from '../../src/profile/probe.js';

const PATH = '/support-api/v1/users/username';
const json = (status: number, code?: string): ProbeResponse => ({
	kind: 'response',
	status,
	json: true,
	...(code && { code, message: code }),
});
const html = (status: number): ProbeResponse => ({
	kind: 'response',
	status,
	json: false,
	code: 'html_answer',
	message: 'page',
});
const moved = (location: string): ProbeResponse => ({ kind: 'response', status: 301, json: false, location });
const guarded = json(401, 'rest_not_logged_in');

describe('judgeSignIn', () => {
	it.each([
		['a 200 that needs credentials proves them', guarded, json(200), { kind: 'accepted' }],
		['a 200 that needs none proves nothing', json(200), json(200), { kind: 'accepted', note: /not certain/ }],
		['a 400 past the gate proves them', guarded, json(400, 'invalid_username'), { kind: 'accepted', note: /look-up/ }],
		[
			'a 403 past the gate is an account with few rights',
			guarded,
			json(403, 'x'),
			{ kind: 'accepted', note: /may not/ },
		],
		[
			'a 401 with another code was read and refused',
			guarded,
			json(401, 'incorrect_password'),
			{ kind: 'refused', why: /read the credentials/ },
		],
		[
			'a 401 with the same code may be a stripped header',
			guarded,
			guarded,
			{ kind: 'refused', hint: /removes the header/ },
		],
		['a 403 with and without is a refusal', json(403, 'x'), json(403, 'x'), { kind: 'refused' }],
		['an HTML 403 is not a verdict on the credentials', guarded, html(403), { kind: 'unclear' }],
		['an HTML 200 is not a verdict', guarded, html(200), { kind: 'unclear' }],
		['a 503 is not a verdict', guarded, json(503), { kind: 'unclear' }],
		[
			'no response is not a verdict',
			guarded,
			{ kind: 'problem', code: 'timeout', message: 'late' },
			{ kind: 'unclear' },
		],
	] as const)('%s', (_, without, response, expected) => {
		const result = judgeSignIn(without, response as ProbeResponse);
		const { kind, ...texts } = expected;
		expect(result.kind).toBe(kind);
		const doubt = result.kind === 'accepted' ? result.doubt : undefined;
		for (const [name, pattern] of Object.entries(texts)) {
			expect(({ ...result, ...doubt } as unknown as Record<string, string>)[name]).toMatch(pattern as RegExp);
		}
		if (doubt !== undefined) expect(doubt.hint).toBeTruthy();
		if (kind === 'accepted' && !('note' in expected)) expect(result).toEqual({ kind });
	});
});

describe('judgePlace', () => {
	const base = 'https://desk.example.com';
	it.each([
		['JSON refusal', guarded, 'service'],
		['JSON success', json(200), 'service'],
		['a gate in HTML', html(401), 'service'],
		['an HTML page', html(200), 'elsewhere'],
		['an HTML 404', html(404), 'elsewhere'],
		['a JSON 404', json(404, 'rest_no_route'), 'elsewhere'],
		['a firewall', html(403), 'unreachable'],
		['a host in trouble', html(502), 'unreachable'],
		['a proxy that wants to know who asks', html(407), 'unreachable'],
		['no connection', { kind: 'problem', code: 'dns_failed', message: 'x' }, 'unreachable'],
		['a redirect', moved('/elsewhere'), 'moved'],
	] as const)('%s: %s', (_, response, kind) => {
		expect(judgePlace(response as ProbeResponse, base, PATH).kind).toBe(kind);
	});
});

describe('redirectedBaseUrl', () => {
	it.each([
		['http://desk.example.com', `https://desk.example.com${PATH}`, 'https://desk.example.com'],
		[
			'https://desk.example.com/wp-json',
			`https://www.desk.example.com/wp-json${PATH}/`,
			'https://www.desk.example.com/wp-json',
		],
		['https://desk.example.com/wp-json', 'https://www.desk.example.com/', 'https://www.desk.example.com/wp-json'],
		['https://desk.example.com', `/wp-json${PATH}`, 'https://desk.example.com/wp-json'],
		['https://desk.example.com', '/wp-login.php?redirect_to=x', undefined],
		['https://desk.example.com', `http://desk.example.com${PATH}`, undefined],
		['https://desk.example.com', 'javascript:alert(1)', undefined],
		['https://desk.example.com', 'http://', undefined],
	])('%s redirected to %s', (base, location, expected) => {
		expect(redirectedBaseUrl(base, PATH, location)).toBe(expected);
	});
});

describe('findService', () => {
	/** A made-up network: base URL → response; anything else is an HTML 404. Remembers what was sent where, and how. */
	function network(responses: Record<string, ProbeResponse>) {
		const asked: string[] = [];
		return {
			asked,
			ask: async ({ baseUrl, credentials }: { baseUrl: string; credentials: boolean }) => {
				asked.push(`${baseUrl}${credentials ? ' with credentials' : ''}`);
				return responses[baseUrl] ?? html(404);
			},
		};
	}

	it('finds /wp-json when it was left out', async () => {
		const { ask } = network({ 'https://a.example/wp-json': guarded, 'https://a.example': html(200) });
		expect(await findService('https://a.example', PATH, ask)).toMatchObject({ suggested: 'https://a.example/wp-json' });
	});

	it('finds www behind a redirect, and /wp-json behind that', async () => {
		const { ask, asked } = network({
			'http://a.example': moved(`https://a.example${PATH}`),
			'https://a.example': moved(`https://www.a.example${PATH}`),
			'https://www.a.example': guarded,
		});
		expect((await findService('http://a.example', PATH, ask)).suggested).toBe('https://www.a.example');
		expect(asked.join()).not.toContain('with credentials');
	});

	it('offers nothing that it has not seen respond', async () => {
		const { ask, asked } = network({ 'https://a.example': moved('https://evil.example/') });
		expect((await findService('https://a.example', PATH, ask)).suggested).toBeUndefined();
		expect(asked.length).toBeLessThanOrEqual(5);
	});

	it('names where a redirect points and what hides it, and takes it for no service', async () => {
		const problem = { kind: 'problem', code: 'tls_untrusted', message: 'unknown CA' } as const;
		const { ask } = network({ 'http://a.example': moved(`https://a.example${PATH}`), 'https://a.example': problem });
		const search = await findService('http://a.example', PATH, ask);
		expect(search.hidden).toEqual({ baseUrl: 'https://a.example', code: 'tls_untrusted', why: 'unknown CA' });
		expect(search.suggested).toBeUndefined();
	});

	it('does not go round in circles', async () => {
		const { ask, asked } = network({
			'https://a.example': moved(`https://b.example${PATH}`),
			'https://b.example': moved(`https://a.example${PATH}`),
		});
		expect((await findService('https://a.example', PATH, ask)).suggested).toBeUndefined();
		expect(new Set(asked).size).toBe(asked.length);
		expect(asked.length).toBeLessThanOrEqual(5);
	});
});

describe('likelyBaseUrls', () => {
	it.each([
		['https://a.example', ['https://a.example/wp-json', 'https://a.example/?rest_route=']],
		[
			'https://a.example/blog',
			['/blog/wp-json', '/wp-json', '', '/blog/?rest_route='].map((each) => `https://a.example${each}`),
		],
		['https://a.example/wp-json', ['https://a.example', 'https://a.example/?rest_route=']],
		[
			'https://a.example/wp-json/wp/v2',
			['https://a.example/wp-json', 'https://a.example', 'https://a.example/?rest_route='],
		],
		['https://a.example/?rest_route=', ['https://a.example/wp-json']],
	])('%s', (given, expected) => {
		expect(likelyBaseUrls(given)).toEqual(expected);
	});
});

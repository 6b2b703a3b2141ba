import { describe, expect, it } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import type { SupportctlError } from '../../src/errors.js';
import { judge } from '../../src/http/judge.js';
import type { Outcome } from '../../src/http/outcome.js';
import type { Response } from '../../src/http/response.js';
import type { Auth } from '../../src/net.js';
import { findService, judgePlace, likelyBaseUrls, redirectedBaseUrl, trySignIn } from '../../src/profile/probe.js';

const PATH = '/support-api/v1/users/username';
function judged(response: Partial<Response>): Outcome {
	const none = { status: 0, headers: {}, body: Buffer.alloc(0), sent: true, ms: 1 };
	return judge({ method: 'POST', path: PATH, endpoint: endpoints['user.id'] }, { ...none, ...response });
}
const json = (status: number, code?: string): Outcome => {
	const value = code === undefined ? { id: 7 } : { code, message: code };
	return judged({ status, body: Buffer.from(JSON.stringify(value)) });
};
const html = (status: number): Outcome => judged({ status, body: Buffer.from('<html><title>page</title></html>') });
const moved = (location: string): Outcome => judged({ status: 301, headers: { location } });
const guarded = json(401, 'rest_not_logged_in');
const late = judged({ problem: { code: 'timeout', message: 'late', permanent: false } });
const basic: Auth = { scheme: 'basic', username: 'ada', password: 'pw' };

it.each<[string, without: Outcome, response: Outcome, kind: string, words?: RegExp]>([
	['a 200 that needs credentials proves them', guarded, json(200), 'accepted'],
	['a 200 that needs none proves nothing', json(200), json(200), 'accepted', /not verified/],
	[
		'a 400 past the gate proves them',
		guarded,
		json(400, 'invalid_username'),
		'accepted',
		/looking up your user failed/,
	],
	['a 403 past the gate is an account with few rights', guarded, json(403, 'x'), 'accepted', /check .*permissions/],
	[
		'a 401 with a different code means wrong credentials',
		guarded,
		json(401, 'incorrect_password'),
		'refused',
		/^wrong username or password/,
	],
	['a 401 with the same code may be a stripped header', guarded, guarded, 'refused', /strips the header/],
	['a 403 with and without is a refusal', json(403, 'x'), json(403, 'x'), 'refused', /^/],
	['an HTML 403 is not a verdict on the credentials', guarded, html(403), 'unclear', /^/],
	['an HTML 200 is not a verdict', guarded, html(200), 'unclear', /^/],
	['a 503 is not a verdict', guarded, json(503), 'unclear', /^/],
	['no response is not a verdict', guarded, late, 'unclear', /late/],
])('%s', async (_, without, response, kind, words) => {
	const result = trySignIn(async () => response, 'https://d.example', { auth: basic, secretSource: '' }, without);
	if (kind === 'accepted') {
		const doubt = await result;
		if (words === undefined) expect(doubt).toBeUndefined();
		else expect(`${doubt?.note}\n${doubt?.hint}`).toMatch(words);
		return;
	}
	const error = (await result.catch((thrown: unknown) => thrown)) as SupportctlError;
	expect(error.exitCode).toBe(kind === 'refused' ? 4 : 1);
	expect(`${error.message}\n${error.hint}`).toMatch(words ?? /^$/);
});

it.each([401, 403, 200])('without credentials, %i is judged and nothing more is sent', async (status) => {
	const send = () => Promise.reject(new Error('sent'));
	const auth: Auth = { scheme: 'none' };
	const result = trySignIn(send, 'https://d.example', { auth, secretSource: 'none' }, json(status));
	if (status === 200) expect(await result).toBeUndefined();
	else await expect(result).rejects.toMatchObject({ exitCode: 4, hint: 'pass --scheme basic, bearer or header' });
});

it.each<[string, Outcome, string]>([
	['JSON refusal', guarded, 'service'],
	['JSON success', json(200), 'service'],
	['a gate in HTML', html(401), 'service'],
	['an HTML page', html(200), 'elsewhere'],
	['an HTML 404', html(404), 'elsewhere'],
	['a JSON 404', json(404, 'rest_no_route'), 'elsewhere'],
	['a firewall', html(403), 'unreachable'],
	['a host in trouble', html(502), 'unreachable'],
	['no connection', late, 'unreachable'],
	['a redirect', moved('/elsewhere'), 'moved'],
])('%s: %s', (_, response, place) => {
	expect(judgePlace(response)).toBe(place);
});

it.each([
	['http://desk.example.com', `https://desk.example.com${PATH}`, 'https://desk.example.com'],
	[
		'https://desk.example.com/wp-json',
		`https://www.desk.example.com/wp-json${PATH}/`,
		'https://www.desk.example.com/wp-json',
	],
	['https://desk.example.com/wp-json', 'https://www.desk.example.com/', 'https://www.desk.example.com'],
	['https://desk.example.com', `/wp-json${PATH}`, 'https://desk.example.com/wp-json'],
	['https://desk.example.com', '/wp-login.php?redirect_to=x', undefined],
	['https://desk.example.com', `http://desk.example.com${PATH}`, undefined],
	['https://desk.example.com', 'javascript:alert(1)', undefined],
	['https://desk.example.com', 'http://', undefined],
])('%s redirected to %s', (base, location, expected) => {
	expect(redirectedBaseUrl(base, moved(location))).toBe(expected);
});

describe('findService', () => {
	/** Looks in a made-up network: base URL → response; anything else is an HTML 404. */
	async function find(baseUrl: string, responses: Record<string, Outcome>) {
		const sent: string[] = [];
		const send = async (at: string, auth?: Auth) => {
			expect(auth).toBeUndefined();
			sent.push(at);
			return responses[at] ?? html(404);
		};
		const search = await findService(baseUrl, send);
		expect(new Set(sent).size).toBe(sent.length);
		expect(sent.length).toBeLessThanOrEqual(6);
		return search;
	}

	it.each<[string, string, Record<string, Outcome>, found: string | undefined, hint: RegExp]>([
		[
			'finds /wp-json when it was left out',
			'https://a.example',
			{ 'https://a.example/wp-json': guarded, 'https://a.example': html(200) },
			'https://a.example/wp-json',
			/^found the API at https:\/\/a\.example\/wp-json: supportctl login https:\/\/a\.example\/wp-json$/,
		],
		[
			'finds www behind a redirect',
			'http://a.example',
			{
				'http://a.example': moved(`https://a.example${PATH}`),
				'https://a.example': moved(`https://www.a.example${PATH}`),
				'https://www.a.example': guarded,
			},
			'https://www.a.example',
			/^found the API at https:\/\/www/,
		],
		[
			'finds the service of a host that sends everything to a front page',
			'https://a.example/wp-json',
			{ 'https://a.example/wp-json': moved('https://www.a.example/'), 'https://www.a.example/wp-json': guarded },
			'https://www.a.example/wp-json',
			/^found the API at https:\/\/www/,
		],
		[
			'offers nothing that it has not seen respond',
			'https://a.example',
			{ 'https://a.example': moved('https://evil.example/') },
			undefined,
			/^use the final URL/,
		],
		[
			'does not go round in circles',
			'https://a.example',
			{
				'https://a.example': moved(`https://b.example${PATH}`),
				'https://b.example': moved(`https://a.example${PATH}`),
			},
			undefined,
			/^use the final URL/,
		],
	])('%s', async (_, baseUrl, responses, found, hint) => {
		const search = await find(baseUrl, responses);
		expect(search.found).toBe(found);
		expect(search.problem?.hint).toMatch(hint);
	});
});

it.each([
	['https://a.example', ''],
	['https://a.example/', ''],
	['https://a.example/blog', '/blog'],
	['https://a.example/blog/wp-json', '/blog'],
	['https://a.example/wp-json/wp/v2', ''],
	['https://a.example/wp-login.php', ''],
	['https://a.example/?rest_route=', ''],
])('likely base URLs beside %s', (given, site) => {
	const paths = [`${site}/wp-json`, '/wp-json', site, `${site}/?rest_route=`];
	expect(likelyBaseUrls(given)).toEqual(paths.map((path) => `https://a.example${path}`));
});

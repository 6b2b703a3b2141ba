/** Finds the service and tries credentials, for `login` and `doctor`. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/plan.js';
import { FailedError, RefusedError } from '../errors.js';
import { judge } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';
import { nextStepFor } from '../http/problem.js';
import type { Response } from '../http/response.js';
import type { HttpRequest } from '../http/types.js';
import { type Auth, secretsOf } from '../net.js';
import { createOutcomeRedactor } from '../output/redact.js';
import { secretNoun } from '../profile/secrets.js';
import { shellWord } from '../profile/settings.js';
import type { Invocation } from './command.js';
import { dialectFor, openClient, type Reach } from './session.js';

/** No status: no whole response; no body: no JSON. */
export type Probed = Omit<Outcome, 'outcome' | 'attempts' | 'ms'>;

export async function exchange(invocation: Invocation, reach: Reach, request: HttpRequest): Promise<Response> {
	const client = await openClient(invocation, reach, 1);
	try {
		const response = await client.send(request);
		// Cut off.
		return response.problem === undefined ? response : { ...response, status: 0 };
	} finally {
		await client.close();
	}
}

/** Looks up a user's ID, which changes nothing. Sent without credentials first: a wrong base URL gets nothing secret, and the difference shows whether credentials count. */
export interface Probe {
	path: string;
	send(baseUrl: string, auth?: Auth): Promise<Probed>;
}

/** @param username your own if known; an unknown name works too */
export function createProbe(invocation: Invocation, reach: Omit<Reach, 'baseUrl' | 'auth'>, username?: string): Probe {
	const plan = createPlanner(endpoints['user.id'], dialectFor(reach.settings));
	const { path, body, endpoint } = plan({ ids: {}, fields: { username: username ?? 'supportctl' } });
	return {
		path,
		async send(baseUrl, auth = { scheme: 'none' }) {
			const response = await exchange(invocation, { ...reach, baseUrl, auth }, { method: 'POST', path, body });
			// Shown, never compared with data.
			return createOutcomeRedactor(secretsOf(auth))(judge({ endpoint }, response), []);
		},
	};
}

function words({ status, code, message }: Probed): string {
	if (status === undefined) return message ?? '';
	const own = message === undefined ? '' : `: ${message}`;
	return code === undefined || code === `http_${status}` ? `${status}${own}` : `${status} ${code}${own}`;
}

/** Undefined if the redirect leads elsewhere. */
export function redirectedBaseUrl(baseUrl: string, path: string, location: string): string | undefined {
	const base = new URL(baseUrl);
	if (!URL.canParse(location, baseUrl + path)) return undefined;
	const target = new URL(location, baseUrl + path);
	if (target.protocol !== 'https:' && (target.protocol !== 'http:' || base.protocol === 'https:')) return undefined;
	const targetPath = target.pathname.replace(/\/+$/, '');
	if (targetPath.endsWith(path)) {
		const to = target.origin + targetPath.slice(0, -path.length);
		return to === baseUrl ? undefined : to;
	}
	// A host that sends everything to a front page.
	return target.origin === base.origin ? undefined : target.origin + base.pathname.replace(/\/+$/, '');
}

/** By the response without credentials. */
export function judgePlace({ status, body }: Probed): 'service' | 'moved' | 'elsewhere' | 'unreachable' {
	if (status === undefined) return 'unreachable';
	if (status >= 300 && status < 400) return 'moved';
	if (status === 404 || status === 405) return 'elsewhere';
	// A gate may refuse in HTML: the service is behind it. 403 may be a firewall, 407 is a proxy.
	const isJson = body !== undefined;
	if (status >= 500 || status === 429 || (!isJson && (status === 403 || status === 407))) return 'unreachable';
	return isJson || status === 401 ? 'service' : 'elsewhere';
}

/** Likeliest first. */
export function likelyBaseUrls(baseUrl: string): string[] {
	const { origin, pathname, search } = new URL(baseUrl);
	const path = pathname.replace(/\/+$/, '');
	const site = path.replace(/\/(?:wp-json|wp-admin|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/, '');
	const candidates = [/^(.*\/wp-json)\/.+$/.exec(path)?.[1] ?? path, `${site}/wp-json`, '/wp-json', site, ''];
	const others = candidates.filter((each) => each !== path && !each.includes('/wp-json/wp-json'));
	const places = [...new Set(others)].slice(0, 3).map((each) => origin + each);
	return search === '' ? [...places, `${origin}${site}/?rest_route=`] : places;
}

const HINTS: Readonly<Record<string, string>> = {
	http_403: 'a firewall in front of the service may block this machine',
	http_407: 'put the username and password for the proxy into HTTP_PROXY',
	connection_lost: 'try again later; the host may require a client certificate (--cert and --key)',
};

const TRIES = 5;

/** Looks without credentials at the base URL, then at likely ones. @param change what a base URL is put behind: `supportctl login` */
export async function findService(baseUrl: string, { path, send }: Probe, change: string) {
	const without = await send(baseUrl);
	const place = judgePlace(without);
	if (place === 'service') return { without };
	if (place === 'unreachable') {
		const code = without.status === undefined ? (without.code ?? 'network') : `http_${without.status}`;
		const ofHost = 'check the log of the host or proxy, or try again later';
		const hint = HINTS[code] ?? nextStepFor(code) ?? (code.startsWith('http_5') ? ofHost : 'try again later');
		const message = `no usable response from ${baseUrl}: ${words(without)}`;
		return { without, problem: { code, message, hint, data: {} } };
	}
	const candidates = [baseUrl, ...likelyBaseUrls(baseUrl)];
	const tried = new Set<string>();
	const targets = new Set<string>();
	let found: string | undefined;
	/** A redirect's target that could not be seen. */
	let hidden: string | undefined;
	while (found === undefined && tried.size <= TRIES) {
		const next = candidates.find((each) => !tried.has(each));
		if (next === undefined) break;
		tried.add(next);
		const response = next === baseUrl ? without : await send(next);
		const there = judgePlace(response);
		if (there === 'service') found = next;
		else if (there === 'unreachable' && targets.has(next)) hidden ??= next;
		const to = there === 'moved' ? redirectedBaseUrl(next, path, response.location ?? '') : undefined;
		if (to === undefined) continue;
		// Tried first.
		targets.add(to);
		candidates.unshift(to);
	}
	const suggested = found ?? hidden;
	const step = found === undefined ? '' : `found the service at ${found}: `;
	const hint = suggested && `${step}${change} ${shellWord(suggested)}`;
	const data = { suggested };
	if (place === 'moved') {
		const message = `${baseUrl} redirects to ${without.location ?? 'nowhere'}; no credentials were sent`;
		const other = 'use the address that does not redirect';
		return { without, found, problem: { code: 'redirect', message, hint: hint ?? other, data } };
	}
	const isRoute = without.status === 404 || without.status === 405;
	const why = `${isRoute ? 'route not found' : 'not an API response'} (${words(without)})`;
	const message = `no help desk API at ${baseUrl}: ${why}`;
	const other = 'the address often ends in /wp-json; some deployments need --product-prefix';
	return { without, found, problem: { code: 'no_service', message, hint: hint ?? other, data } };
}

/** Compares with the response without credentials. @param source as `Connection.secretSource` @returns what is not proved @throws RefusedError, FailedError */
export async function trySignIn(
	probe: Probe,
	baseUrl: string,
	{ auth, source = '' }: { auth: Auth; source?: string | undefined },
	without: Probed,
): Promise<{ note: string; hint: string } | undefined> {
	const from = source.startsWith('SUPPORTCTL_') ? `the secret is from ${source}; ` : '';
	const fail = (code: string, why: string): never => {
		throw new FailedError(`could not check the credentials: ${why}`, { code, hint: 'try again later' });
	};
	const needsNone = without.status !== 401 && without.status !== 403;
	if (auth.scheme === 'none') {
		if (needsNone) return undefined;
		throw new RefusedError('the service requires credentials', { hint: 'choose a --scheme other than none' });
	}
	const response = await probe.send(baseUrl, auth);
	const { status, code, location, body } = response;
	if (status === undefined) return fail(code ?? 'network', words(response));
	const isSame = without.status === status && without.code === code;
	if (status === 401 || (status === 403 && isSame)) {
		const noun = secretNoun(auth.scheme);
		const isBasic = auth.scheme === 'basic';
		const wrong = isBasic ? 'wrong username or password' : `wrong ${noun}`;
		const check = isBasic
			? 'check the username, and use an application password, not your website password'
			: `check the ${noun}`;
		const orStripped = isSame ? '; or the host strips the header that carries the credentials' : '';
		throw new RefusedError(`${wrong} (${words(response)})`, { hint: from + check + orStripped });
	}
	if (status >= 300 && status < 400) fail('redirect', `redirected to ${location ?? 'nowhere'} once signed in`);
	if (body === undefined || status >= 500 || status === 429) fail(code ?? `http_${status}`, words(response));
	if (needsNone) {
		return {
			note: 'the credentials are not verified: the service responds the same without them',
			hint: 'try a command that needs them, such as: supportctl ticket fields get ID',
		};
	}
	if (status === 403) {
		return {
			note: `your account lacks permission for some requests (${words(response)})`,
			hint: 'ask an administrator of the help desk, or sign in with a different account',
		};
	}
	if (status < 400) return undefined;
	return {
		note: `the credentials were accepted, but looking up your user failed (${words(response)})`,
		hint: 'check the username: supportctl user id NAME',
	};
}

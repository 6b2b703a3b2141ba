/** Finds the service and tries credentials, for `login` and `doctor`. */

import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/plan.js';
import { FailedError, RefusedError } from '../errors.js';
import { judge } from '../http/judge.js';
import { isLost, type Outcome } from '../http/outcome.js';
import { nextStepFor } from '../http/problem.js';
import type { Sendable } from '../http/types.js';
import { type Auth, secretsOf } from '../net.js';
import { createOutcomeRedactor } from '../output/redact.js';
import { secretNoun } from '../profile/secrets.js';
import { shellWord } from '../profile/settings.js';
import type { Invocation } from './command.js';
import { dialectFor, openClient, type Reach } from './session.js';

/** Sends a request once. The outcome is for display: it has no credentials. */
export async function ask(invocation: Invocation, reach: Reach, request: Sendable): Promise<Outcome> {
	const client = await openClient(invocation, reach, 1);
	try {
		return createOutcomeRedactor(secretsOf(reach.auth))(judge(request, await client.send(request)), []);
	} finally {
		await client.close();
	}
}

/** Looks up a user's ID, which changes nothing. Sent without credentials first: a wrong base URL gets nothing secret, and the difference shows whether credentials count. */
export interface Probe {
	path: string;
	send(baseUrl: string, auth?: Auth): Promise<Outcome>;
}

export function createProbe(invocation: Invocation, reach: Omit<Reach, 'baseUrl' | 'auth'>): Probe {
	// An unknown name works too.
	const { username = 'supportctl' } = reach.settings;
	const plan = createPlanner(endpoints['user.id'], dialectFor(reach.settings));
	const request = plan({ ids: {}, fields: { username } });
	return {
		path: request.path,
		send: (baseUrl, auth = { scheme: 'none' }) => ask(invocation, { ...reach, baseUrl, auth }, request),
	};
}

function words({ status, code, message }: Outcome): string {
	if (status === undefined) return message ?? '';
	const own = message === undefined ? '' : `: ${message}`;
	return code === undefined || code === `http_${status}` ? `${status}${own}` : `${status} ${code}${own}`;
}

/** Undefined if the response is no redirect, or the redirect leads elsewhere. */
export function redirectedBaseUrl(baseUrl: string, path: string, response: Outcome): string | undefined {
	const { location = '' } = response;
	if (judgePlace(response) !== 'moved' || !URL.canParse(location, baseUrl + path)) return undefined;
	const base = new URL(baseUrl);
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

export function judgePlace(found: Outcome): 'service' | 'moved' | 'elsewhere' | 'unreachable' {
	const { location, signedOut, forbidden, notServed, gone, body } = found;
	if (isLost(found)) return 'unreachable';
	if (location !== undefined) return 'moved';
	// The service is behind a gate that refuses in HTML; a page with 403 may be a firewall's.
	if (signedOut) return 'service';
	if (forbidden) return body === undefined ? 'unreachable' : 'service';
	return body === undefined || notServed || gone !== undefined ? 'elsewhere' : 'service';
}

/** Other places to look, likeliest first. */
export function likelyBaseUrls(baseUrl: string): string[] {
	const { origin, pathname, search } = new URL(baseUrl);
	const path = pathname.replace(/\/+$/, '');
	const site = path.replace(/\/(?:wp-json|wp-admin|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/, '');
	const candidates = [/^(.*\/wp-json)\/.+$/.exec(path)?.[1] ?? path, `${site}/wp-json`, '/wp-json', site, ''];
	const others = candidates.filter((each) => each !== path && !each.includes('/wp-json/wp-json'));
	const places = [...new Set(others)].map((each) => origin + each);
	return search === '' ? [...places, `${origin}${site}/?rest_route=`] : places;
}

const HINTS: Readonly<Record<string, string>> = {
	http_403: 'a firewall in front of the service may block this machine',
	connection_lost: 'try again later; the host may require a client certificate (--cert and --key)',
};

const TRIES = 5;

/** Looks without credentials at the base URL, then at likely ones. @param change what a base URL is put behind: `supportctl login` */
export async function findService(baseUrl: string, probe: Probe, change: string) {
	const without = await probe.send(baseUrl);
	const place = judgePlace(without);
	if (place === 'service') return { without };
	if (place === 'unreachable') {
		const code = without.status === undefined ? (without.code ?? 'network') : `http_${without.status}`;
		const ofHost = 'check the log of the host or proxy, or try again later';
		const hint = HINTS[code] ?? nextStepFor(code) ?? (code.startsWith('http_5') ? ofHost : 'try again later');
		const message = `no usable response from ${baseUrl}: ${words(without)}`;
		return { without, problem: new FailedError(message, { code, hint }) };
	}
	const found = await searchService(baseUrl, without, probe);
	const hint = found && `found the service at ${found}: ${change} ${shellWord(found)}`;
	if (place === 'moved') {
		const message = `${baseUrl} redirects to ${without.location}; no credentials were sent`;
		const other = 'use the address that does not redirect';
		return { without, found, problem: new FailedError(message, { code: 'redirect', hint: hint ?? other }) };
	}
	const isRoute = without.gone !== undefined || without.body !== undefined;
	const why = `${isRoute ? 'route not found' : 'not an API response'} (${words(without)})`;
	const message = `no help desk API at ${baseUrl}: ${why}`;
	const other = 'the address often ends in /wp-json; some deployments need --product-prefix';
	return { without, found, problem: new FailedError(message, { code: 'no_service', hint: hint ?? other }) };
}

/** Where redirects lead, then likely places. */
async function searchService(baseUrl: string, without: Outcome, { path, send }: Probe): Promise<string | undefined> {
	const likely = likelyBaseUrls(baseUrl);
	const tried = new Set([baseUrl]);
	let place = baseUrl;
	let response = without;
	while (tried.size <= TRIES) {
		const target = redirectedBaseUrl(place, path, response);
		const next = [target, ...likely].find((each) => each !== undefined && !tried.has(each));
		if (next === undefined) return undefined;
		tried.add(next);
		place = next;
		response = await send(place);
		if (judgePlace(response) === 'service') return place;
	}
	return undefined;
}

/** Compares with the response without credentials. @param source as `Connection.secretSource` @returns what is not proved @throws RefusedError, FailedError */
export async function trySignIn(
	probe: Probe,
	baseUrl: string,
	{ auth, source = '' }: { auth: Auth; source?: string | undefined },
	without: Outcome,
): Promise<{ note: string; hint: string } | undefined> {
	const needsNone = !without.signedOut && !without.forbidden;
	if (auth.scheme === 'none') {
		if (needsNone) return undefined;
		throw new RefusedError('the service requires credentials', { hint: 'choose a --scheme other than none' });
	}
	const response = await probe.send(baseUrl, auth);
	const { outcome, status, code, location, signedOut, forbidden, body } = response;
	const isSame = without.status === status && without.code === code;
	if (signedOut || (forbidden && isSame)) {
		const from = source.startsWith('SUPPORTCTL_') ? `the secret is from ${source}; ` : '';
		const noun = secretNoun(auth.scheme);
		const [wrong, check] =
			auth.scheme === 'basic'
				? ['wrong username or password', 'username, and use an application password, not your website password']
				: [`wrong ${noun}`, noun];
		const orStripped = isSame ? '; or the host strips the header that carries the credentials' : '';
		throw new RefusedError(`${wrong} (${words(response)})`, { hint: `${from}check the ${check}${orStripped}` });
	}
	if (isLost(response) || location !== undefined || body === undefined) {
		throw new FailedError(`could not check the credentials: ${words(response)}`, { code, hint: 'try again later' });
	}
	if (needsNone) {
		return {
			note: 'the credentials are not verified: the service responds the same without them',
			hint: 'try a command that needs them, such as: supportctl ticket fields get ID',
		};
	}
	if (forbidden) {
		return {
			note: `your account lacks permission for some requests (${words(response)})`,
			hint: 'ask an administrator of the help desk, or sign in with a different account',
		};
	}
	if (outcome === 'ok') return undefined;
	return {
		note: `the credentials were accepted, but looking up your user failed (${words(response)})`,
		hint: 'check the username: supportctl user id NAME',
	};
}

/** Finds the service of a base URL, and tries credentials there. */

import { ExitCode, FailedError, SupportctlError } from '../errors.js';
import { isLost, type Outcome } from '../http/outcome.js';
import { nextStepFor } from '../http/problem.js';
import type { Auth } from '../net.js';
import type { SignIn } from './resolve.js';
import { parseBaseUrl, type Scheme, schemes } from './settings.js';

/**
 * Sends a request that changes nothing. First without credentials: a wrong base URL gets nothing secret, and the
 * difference shows whether credentials count.
 */
export type Probe = (baseUrl: string, auth?: Auth) => Promise<Outcome>;

function words({ status, code, message = '' }: Outcome): string {
	if (status === undefined) return message;
	const what = code === undefined || code === `http_${status}` ? `${status}` : `${status} ${code}`;
	return message === '' ? what : `${what}: ${message}`;
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

const UNUSABLE =
	'try again later, or check the log of the host or proxy; a firewall may block this machine, or the host require a client certificate (--cert and --key)';

/** Looks without credentials at the base URL, then at likely ones. */
export async function findService(
	baseUrl: string,
	probe: Probe,
): Promise<{ without: Outcome; found?: string | undefined; problem?: FailedError }> {
	const without = await probe(baseUrl);
	const place = judgePlace(without);
	if (place === 'service') return { without };
	if (place === 'unreachable') {
		const code = without.status === undefined ? (without.code ?? 'network') : `http_${without.status}`;
		const hint = nextStepFor(code) ?? UNUSABLE;
		const message = `no usable response from ${baseUrl}: ${words(without)}`;
		return { without, problem: new FailedError(message, { code, hint }) };
	}
	const found = await searchService(baseUrl, without, probe);
	const useFound = found && `found the API at ${found}: supportctl login ${found}`;
	if (place === 'moved') {
		const message = `${baseUrl} redirects to ${without.location}; no credentials were sent`;
		const hint = useFound ?? 'use the final URL';
		return { without, found, problem: new FailedError(message, { code: 'redirect', hint }) };
	}
	const isRoute = without.gone !== undefined || without.body !== undefined;
	const why = isRoute ? 'route not found' : 'not an API response';
	const hint = useFound ?? 'the address often ends in /wp-json; some deployments need --product-prefix';
	const problem = new FailedError(`no API at ${baseUrl}: ${why} (${words(without)})`, {
		code: 'no_service',
		hint,
	});
	return { without, found, problem };
}

const TRIES = 5;

/** Where redirects lead, then likely places. */
async function searchService(baseUrl: string, without: Outcome, probe: Probe): Promise<string | undefined> {
	const places = likelyBaseUrls(baseUrl);
	const tried = new Set([baseUrl]);
	let place = baseUrl;
	let response = without;
	while (tried.size <= TRIES) {
		const target = redirectedBaseUrl(place, response);
		if (target !== undefined) places.unshift(target, ...likelyBaseUrls(target));
		const next = places.find((each) => !tried.has(each));
		if (next === undefined) return undefined;
		tried.add(next);
		place = next;
		response = await probe(place);
		if (judgePlace(response) === 'service') return place;
	}
	return undefined;
}

/** Undefined if the response is no redirect, or leads to a page or to plain http. */
export function redirectedBaseUrl(baseUrl: string, { location = '' }: Outcome): string | undefined {
	if (location === '' || !URL.canParse(location, baseUrl)) return undefined;
	try {
		return parseBaseUrl(new URL(location, baseUrl).href).url;
	} catch {
		return undefined;
	}
}

/** Other places to look, likeliest first. */
export function likelyBaseUrls(baseUrl: string): string[] {
	const { origin, pathname } = new URL(baseUrl);
	const path = pathname.replace(/\/(?:wp-json|wp-admin|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/, '');
	const site = origin + path.replace(/\/+$/, '');
	return [`${site}/wp-json`, `${origin}/wp-json`, site, `${site}/?rest_route=`];
}

/** Compares with the response without credentials. @returns what is not proved @throws SupportctlError */
export async function trySignIn(
	probe: Probe,
	baseUrl: string,
	{ auth, secretSource }: SignIn,
	without: Outcome,
): Promise<{ note: string; hint: string } | undefined> {
	const needsNone = !without.signedOut && !without.forbidden;
	if (auth.scheme === 'none') {
		if (needsNone) return undefined;
		throw new SupportctlError('the service requires credentials', ExitCode.refused, {
			code: 'refused',
			hint: 'pass --scheme basic, bearer or header',
		});
	}
	const response = await probe(baseUrl, auth);
	const { outcome, status, code, location, signedOut, forbidden, body } = response;
	const isSame = without.status === status && without.code === code;
	if (signedOut || (forbidden && isSame)) throw refusal(response, auth.scheme, secretSource, isSame);
	if (isLost(response) || location !== undefined || body === undefined) {
		throw new FailedError(`could not check the credentials: ${words(response)}`, { code, hint: 'try again later' });
	}
	if (needsNone) {
		return {
			note: 'the credentials are not verified: the service responds the same without them',
			hint: 'try a command that needs them, such as: supportctl ticket fields get ID',
		};
	}
	if (outcome === 'ok') return undefined;
	return {
		note: `the credentials were accepted, but looking up your user failed (${words(response)})`,
		hint: 'check the username and the permissions of the account: supportctl user id NAME',
	};
}

function refusal(response: Outcome, scheme: Scheme, secretSource: string, isSame: boolean): SupportctlError {
	const noun = schemes[scheme].secret;
	const [wrong, check] =
		scheme === 'basic'
			? ['wrong username or password', 'use an application password, not your website password']
			: [`wrong ${noun}`, `check the ${noun}`];
	const from = secretSource.startsWith('SUPPORTCTL_') ? `the secret is from ${secretSource}; ` : '';
	const orStripped = isSame ? '; or the host strips the header that carries the credentials' : '';
	return new SupportctlError(`${wrong} (${words(response)})`, ExitCode.refused, {
		code: 'refused',
		hint: `${from}${check}${orStripped}`,
	});
}

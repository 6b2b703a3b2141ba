/** Checks of what answers at the base URL: the prefix, the credentials, the clock. */

import { judgeSignIn, type Place, type ProbeAnswer, type Search } from '../../profile/probe.js';
import { type Finding, fail, pass, skipped, warn } from './finding.js';

/** The answer to a GET of the prefix itself, without credentials: a list of routes, where the service gives one. */
export interface RootAnswer {
	status: number;
	/** Undefined where it is not JSON. */
	body: unknown;
	/** The Date header. */
	date: string | undefined;
	/** Milliseconds since 1970 when it came. */
	at: number;
	ms: number;
}

function routesOf(root: RootAnswer | undefined): number | undefined {
	if (root === undefined || root.status !== 200) return undefined;
	const { routes } = (root.body ?? {}) as { routes?: unknown };
	return typeof routes === 'object' && routes !== null ? Object.keys(routes).length : undefined;
}

export interface PrefixFacts {
	/** The prefix as it is asked for: `https://desk.example/wp-json/support-api/v1`. */
	url: string;
	root: RootAnswer | undefined;
	/** What a documented call without credentials found. */
	search: Search;
	/** A prefix that the service has instead: `acme`. */
	otherPrefix: string | undefined;
	/** A certificate of this side's own is sent along; undefined where TLS is not spoken. */
	hasCertificate: boolean | undefined;
	/** The variable that names a proxy on the way, where there is one. */
	proxyVariable: string | undefined;
	/** How a base URL is changed where these settings come from: `supportctl profile set desk --base-url`. */
	mendWith: string;
}

/** Whether the interface is served below the base URL. */
export function checkPrefix(facts: PrefixFacts): Finding {
	const { url, root, search, otherPrefix, mendWith } = facts;
	const routes = routesOf(root);
	if (routes !== undefined) return pass('prefix', `${url} lists ${routes} routes`);
	if (search.place.kind === 'service') return pass('prefix', `${url} responds`);
	const hint =
		otherPrefix !== undefined ? `the service has ${otherPrefix}-api: --product-prefix ${otherPrefix}` : undefined;
	const suggested =
		search.suggested === undefined ? undefined : `the help desk has another address: ${mendWith} ${search.suggested}`;
	const { hidden } = search;
	const behind = hidden && `${mendWith} ${hidden.baseUrl}; what is there can't be seen yet: ${hidden.why}`;
	return fail('prefix', explainPlace(url, search.place), hint ?? suggested ?? behind ?? placeHint(search.place, facts));
}

function explainPlace(url: string, place: Exclude<Place, { kind: 'service' }>): string {
	switch (place.kind) {
		case 'moved':
			return `${url} redirects to ${place.target}, which is not followed`;
		case 'elsewhere':
			return `${url} is not the API: ${place.why}`;
		default:
			return `${url} did not respond: ${place.why}`;
	}
}

function placeHint(place: Exclude<Place, { kind: 'service' }>, { hasCertificate, proxyVariable }: PrefixFacts): string {
	if (place.kind === 'moved') return 'write the base URL so that it does not redirect';
	if (place.kind === 'elsewhere') {
		return 'the base URL often ends in /wp-json; a deployment with an abbreviation of its own needs --product-prefix';
	}
	if (place.code === 'connection_lost' && hasCertificate === false) {
		return 'the host may want a client certificate, and breaks off without one: --cert and --key';
	}
	if (place.code === 'tls_client_certificate') return 'supportctl profile set NAME --cert FILE --key FILE stores one';
	if (place.code === 'http_407')
		return `put a user name and password that the proxy takes into ${proxyVariable ?? 'its URL'}`;
	if (proxyVariable !== undefined && /^(?:proxy_failed|connection_lost|http_50[234])$/.test(place.code)) {
		return `the proxy or the host has a problem: try again later, fix ${proxyVariable}, or let NO_PROXY name the host`;
	}
	if (place.code === 'http_403') return 'a firewall before the service may refuse this machine';
	return place.code.startsWith('http_')
		? 'the host has a problem: look at its log, or try again later'
		: 'try again later';
}

/** Whether the service takes the credentials. @param withCredentials undefined where none are sent */
export function checkCredentials(without: ProbeAnswer, withCredentials: ProbeAnswer | undefined, who: string): Finding {
	if (withCredentials === undefined) {
		const refused = without.kind === 'answer' && (without.status === 401 || without.status === 403);
		return refused
			? fail('credentials', 'none are sent, and the service wants some', 'supportctl login')
			: pass('credentials', 'none are sent, and the service wants none');
	}
	const verdict = judgeSignIn(without, withCredentials);
	switch (verdict.kind) {
		case 'accepted':
			return verdict.doubt === undefined
				? pass('credentials', `accepted${who}`)
				: warn('credentials', verdict.doubt.note, verdict.doubt.hint);
		case 'refused':
			return fail('credentials', verdict.why, verdict.hint);
		default:
			return fail('credentials', `could not find out whether they are right: ${verdict.why}`, 'try again later');
	}
}

/** A difference below this is the network's and the header's own, which has whole seconds. */
const UNNOTICED_MS = 3_000;
const MOST_MS = 60_000;

/** Whether this machine and the service agree on the time. */
export function checkClock(root: RootAnswer | undefined): Finding {
	const date = root?.date === undefined ? Number.NaN : Date.parse(root.date);
	if (root === undefined || Number.isNaN(date)) return skipped('clock', 'the response has no date');
	const difference = root.at - root.ms / 2 - date - 500;
	const size = Math.abs(difference);
	if (size <= UNNOTICED_MS) return pass('clock', "this machine's and the service's agree");
	const message = `this machine is ${duration(size)} ${difference > 0 ? 'ahead of' : 'behind'} the service`;
	if (size <= MOST_MS) return pass('clock', message);
	return warn('clock', message, 'set the clock that is wrong: certificates and the times in journals depend on it');
}

function duration(ms: number): string {
	const seconds = Math.round(ms / 1000);
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Whether the service is at a base URL and takes the credentials: the request that `login` and `doctor` try. */

import { createDialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { readResponse } from '../../http/content.js';
import { judge } from '../../http/judge.js';
import { nextStepFor } from '../../http/problem.js';
import type { Attempt } from '../../http/types.js';
import type { Auth } from '../../net.js';
import { type Ask, judgeSignIn, type ProbeResponse, type Search, type SignIn } from '../../profile/probe.js';
import { prefixesOf, type ResolvedConnection, readProxies } from '../../profile/resolve.js';
import type { ResolvedSettings } from '../../profile/settings.js';
import type { Invocation } from '../command.js';
import { openClient } from '../session.js';

/** How the service is reached, without saying where it is and who asks. */
export type Way = Pick<ResolvedConnection, 'timeoutMs' | 'prefixes' | 'tls' | 'proxy' | 'allowHttp'>;

/** @param tls PEM text */
export function wayOf({ context }: Invocation, { settings }: ResolvedSettings, tls: Way['tls']): Way {
	return {
		timeoutMs: settings.timeout * 1000,
		prefixes: prefixesOf(settings),
		tls,
		proxy: readProxies(context.env),
		allowHttp: settings.allowHttp,
	};
}

/**
 * The look-up of a user's id, which changes nothing (interface section 4, POST /users/username); each is sent over a
 * connection of its own.
 * @param username the caller's own name where there is one; that a name is unknown is a response too
 */
export function createAsk(
	invocation: Invocation,
	way: Way,
	auth: Auth,
	username = 'supportctl',
): { path: string; ask: Ask } {
	const plan = createPlanner(endpoints['user.id'], createDialect(way.prefixes));
	const { path, body } = plan({ ids: {}, fields: { username } });
	return {
		path,
		async ask({ baseUrl, credentials }) {
			const connection = { ...way, baseUrl, auth: credentials ? auth : ({ scheme: 'none' } as const) };
			const client = await openClient(invocation, connection, 1);
			try {
				return await toProbeResponse(await client.send({ method: 'POST', path, body }));
			} finally {
				await client.close();
			}
		},
	};
}

/** Whether the service accepts credentials. @param without the response without them */
export async function trySignIn(ask: Ask, baseUrl: string, auth: Auth, without: ProbeResponse): Promise<SignIn> {
	if (auth.scheme !== 'none') return judgeSignIn(without, await ask({ baseUrl, credentials: true }));
	const isRefused = without.kind === 'response' && (without.status === 401 || without.status === 403);
	if (!isRefused) return { kind: 'accepted' };
	return { kind: 'refused', why: 'the service requires credentials', hint: 'use another --scheme than none' };
}

async function toProbeResponse(attempt: Attempt): Promise<ProbeResponse> {
	if (attempt.kind === 'problem') return { kind: 'problem', ...attempt.problem };
	const { status, incomplete } = attempt.response;
	if (incomplete !== undefined) return { kind: 'problem', ...incomplete };
	const { body, code, message, location } = judge({ endpoint: endpoints['user.id'] }, await readResponse(attempt));
	return {
		kind: 'response',
		status,
		json: body !== undefined,
		...(code !== undefined && { code }),
		...(message !== undefined && { message }),
		...(location !== undefined && { location }),
	};
}

const HINTS: Readonly<Record<string, string>> = {
	http_403: 'a firewall in front of the service may block this machine',
	http_407: 'put the user name and password for the proxy into HTTP_PROXY',
	connection_lost:
		'try again later; a host that requires a client certificate (--cert and --key) closes the connection without one',
};

/**
 * Why the service is not at a base URL, and the next step; undefined where it is.
 * @param change what comes before a base URL to use it: `supportctl login`
 */
export function explainSearch(
	baseUrl: string,
	{ place, suggested, hidden }: Search,
	change: string,
): { code: string; message: string; hint: string; suggested: string | undefined } | undefined {
	if (place.kind === 'service') return undefined;
	if (place.kind === 'unreachable') {
		const { code } = place;
		const ofHost = 'the host or a proxy has a problem: look at its log, or try again later';
		const hint = HINTS[code] ?? nextStepFor(code) ?? (code.startsWith('http_5') ? ofHost : 'try again later');
		return { code, message: `no usable response from ${baseUrl}: ${place.why}`, hint, suggested };
	}
	const better = suggested ?? hidden?.baseUrl;
	const next =
		suggested === undefined
			? better && `${change} ${better}`
			: `the service is at ${suggested}: ${change} ${suggested}`;
	return place.kind === 'moved'
		? {
				code: 'redirect',
				message: `${baseUrl} redirects to ${place.target}; no credentials were sent`,
				hint: next ?? 'give the base URL that does not redirect',
				suggested: better,
			}
		: {
				code: 'no_service',
				message: `no service was found under ${baseUrl}: ${place.why}`,
				hint: next ?? 'the base URL often ends in /wp-json; a deployment with its own prefix needs --product-prefix',
				suggested: better,
			};
}

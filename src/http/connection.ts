/** Where requests go and who they say they are: the connection pool, TLS, proxies and the auth headers. */

import type { Dispatcher, Pool as PoolType } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Auth } from './auth.js';
import type { ConnectionOptions } from './options.js';

/** What takes requests to one origin: a pool, or a way through a proxy. */
export type Sender = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** How long one address is given before the next is tried beside it, in milliseconds. */
const ADDRESS_ATTEMPT_MS = 300;

/** What proves who is calling, as a header; the one place where credentials become one. */
export function authHeaders(auth: Auth): [name: string, value: string][] {
	switch (auth.scheme) {
		case 'basic': {
			const pair = Buffer.from(`${auth.username}:${auth.password}`, 'utf8').toString('base64');
			return [['authorization', `Basic ${pair}`]];
		}
		case 'bearer':
			return [['authorization', `Bearer ${auth.token}`]];
		case 'header':
			return [[auth.name, auth.value]];
		default:
			return [];
	}
}

/** The pool for one origin, through a proxy where the environment names one. Redirects are never followed. */
export async function createDispatcher(options: ConnectionOptions): Promise<Sender> {
	const { origin } = new URL(options.baseUrl);
	const tls = options.tls ?? {};
	const connect = {
		timeout: options.timeoutMs,
		autoSelectFamily: true,
		autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
		...(options.lookup === undefined ? {} : { lookup: options.lookup }),
		...(tls.ca === undefined ? {} : { ca: tls.ca }),
		...(tls.cert === undefined ? {} : { cert: tls.cert }),
		...(tls.key === undefined ? {} : { key: tls.key }),
	};
	const pool: PoolType.Options = {
		connections: options.connections,
		pipelining: 1,
		// Attempts have one deadline of their own; these would be further ones.
		headersTimeout: 0,
		bodyTimeout: 0,
		connect,
	};
	const { proxy } = options;
	if (proxy?.httpProxy || proxy?.httpsProxy) {
		const { createProxiedSender } = await import('./proxy.js');
		const sender = createProxiedSender(options, proxy, { ...pool, connect });
		if (sender !== undefined) return sender;
	}
	return new Pool(origin, pool);
}

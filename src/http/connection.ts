/** How requests reach the service: the pool of connections, TLS, and the check that http:// stays on this machine. */

import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import type { buildConnector as Connecting, Pool as PoolType } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Auth } from '../net.js';
import { isLoopbackAddress, mayBeLoopback } from '../net.js';
import type { ConnectionOptions } from './options.js';
import type { Sender } from './types.js';

/** How long one address is given before the next is tried beside it, in milliseconds. */
const ADDRESS_ATTEMPT_MS = 300;

/** Credentials as a header; the one place where they become one. */
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

/** Resolves a name that has to mean this machine: other addresses are left out, and without any left it fails. */
function loopbackOnly(lookup: LookupFunction): LookupFunction {
	return (host, options, callback) => {
		// Read when it is called: the function may be replaced while the program runs.
		lookup(host, { ...options, all: true }, (error, found) => {
			if (error !== null) return callback(error, []);
			const all = Array.isArray(found) ? found : [{ address: found, family: found.includes(':') ? 6 : 4 }];
			const own = all.filter(({ address }) => isLoopbackAddress(address));
			const first = own[0];
			if (first === undefined) {
				const addresses = all.map(({ address }) => address).join(', ');
				const message = `${host} is ${addresses}, which is not this machine, and http:// is not encrypted`;
				callback(Object.assign(new Error(message), { code: 'NOT_LOOPBACK' }), []);
			} else if (options.all === true) callback(null, own);
			else callback(null, first.address, first.family);
		});
	};
}

/** How a connection to the service is made, through a proxy's tunnel or not. */
function connectOptions(options: ConnectionOptions, { protocol, hostname }: URL): Connecting.BuildOptions {
	const { ca, cert, key } = options.tls ?? {};
	const checked = protocol === 'http:' && options.allowHttp !== true && mayBeLoopback(hostname);
	const lookup: LookupFunction = options.lookup ?? ((...all) => systemLookup(...all));
	return {
		timeout: options.timeoutMs,
		autoSelectFamily: true,
		autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
		...(checked ? { lookup: loopbackOnly(lookup) } : options.lookup && { lookup }),
		...(ca !== undefined && { ca }),
		...(cert !== undefined && { cert }),
		...(key !== undefined && { key }),
	};
}

/** undici's way to connect, which keeps no process waiting for a connection that nobody needs any more. */
function abortable(options: Connecting.BuildOptions, connecting: Set<Socket>): Connecting.connector {
	const connect = buildConnector(options) as (...all: Parameters<Connecting.connector>) => Socket;
	return (target, callback) => {
		const socket = connect(target, (...result) => {
			connecting.delete(socket);
			callback(...result);
		});
		connecting.add(socket);
	};
}

/** The connections to one origin, through a proxy where the environment names one. Redirects are never followed. */
export async function createDispatcher(options: ConnectionOptions): Promise<Sender> {
	const target = new URL(options.baseUrl);
	const connect = connectOptions(options, target);
	const pool: PoolType.Options = {
		connections: options.connections,
		pipelining: 1,
		// Attempts have one deadline of their own; these would be further ones.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	const { proxy } = options;
	if (proxy?.httpProxy || proxy?.httpsProxy) {
		const { createProxiedSender, proxyFor } = await import('./proxy.js');
		const url = proxyFor(options.baseUrl, proxy);
		if (url !== undefined) return createProxiedSender(url, target, pool, connect);
	}
	const connecting = new Set<Socket>();
	const direct = new Pool(target.origin, { ...pool, connect: abortable(connect, connecting) });
	return {
		dispatch: (request, handler) => direct.dispatch(request, handler),
		async destroy() {
			for (const socket of connecting) socket.destroy();
			await direct.destroy();
		},
	};
}

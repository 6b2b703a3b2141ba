/** How requests reach the service: pool, TLS, proxies, and http:// only to this machine. */

import { setMaxListeners } from 'node:events';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { unescape as decode } from 'node:querystring';
import type { Dispatcher, Pool as PoolType, ProxyAgent as ProxyAgentType } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { UsageError } from '../errors.js';
import { type Auth, isLoopbackAddress, mayBeLoopback, type ProxySettings } from '../net.js';
import { describeProblem, ProxyError } from './problem.js';
import type { ConnectionOptions } from './types.js';

/** Until the next address is tried too. */
const ADDRESS_ATTEMPT_MS = 300;

/** A pool, or a proxy's agent. */
export interface Sender {
	dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
	/** Uses new connections from now on. What is under way ends on the old ones. */
	renew(): void;
	destroy(): Promise<void>;
	/** Names a proxy that is to blame. @param isStarted whether a connection had taken the request */
	explain(error: Error, isStarted: boolean): Error;
}

/** The one place where they become a header. */
export function authHeader(auth: Auth): string[] {
	switch (auth.scheme) {
		case 'basic':
			return ['authorization', basic(auth.username, auth.password)];
		case 'bearer':
			return ['authorization', `Bearer ${auth.token}`];
		case 'header':
			return [auth.name, auth.value];
		default:
			return [];
	}
}

function basic(username: string, password: string): string {
	return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/** Redirects are never followed. */
export async function createSender(options: ConnectionOptions): Promise<Sender> {
	const target = new URL(options.baseUrl);
	const lookup: LookupFunction = options.lookup ?? ((...all) => process.getBuiltinModule('node:dns').lookup(...all));
	const isChecked = target.protocol === 'http:' && options.allowHttp !== true && mayBeLoopback(target.hostname);
	const closing = new AbortController();
	// One for each connection.
	setMaxListeners(0, closing.signal);
	const shared = { timeout: options.timeoutMs, signal: closing.signal };
	const connect = {
		...shared,
		...options.tls,
		autoSelectFamily: true,
		autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
		...(isChecked ? { lookup: loopbackOnly(lookup) } : options.lookup && { lookup }),
	};
	const pool: PoolType.Options = {
		connections: options.connections,
		pipelining: 1,
		// Attempts have one deadline.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	const proxy = options.proxy && proxyFor(options.baseUrl, options.proxy);
	const open = proxy
		? await proxyAgents(proxy, { ...pool, requestTls: connect, proxyTls: shared })
		: () => new Pool(target.origin, { ...pool, connect });
	let current = open();
	return {
		dispatch: (request, handler) => current.dispatch(request, handler),
		explain(error, isStarted) {
			const isProxys = proxy && target.protocol === 'http:' && (!isStarted || error.message === NO_LOGIN);
			return isProxys ? proxyError(proxy, error) : error;
		},
		renew() {
			void current.close();
			current = open();
		},
		async destroy() {
			const ended = current.destroy();
			// Sockets that still connect, and those from before a renewal.
			closing.abort();
			await ended;
		},
	};
}

/** Fails if no address is this machine's. */
function loopbackOnly(lookup: LookupFunction): LookupFunction {
	return (host, options, callback) => {
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

/** Names with their subdomains, addresses, ranges, `*`; with a port or without. */
export function isExempt(url: URL, noProxy = ''): boolean {
	const port = url.port || (url.protocol === 'https:' ? '443' : '80');
	const host = url.hostname.toLowerCase();
	const address = host.replace(/^\[|\]$/g, '');
	return noProxy.split(/[,\s]+/).some((entry) => {
		if (entry === '*') return true;
		const [, name = '', ofPort = port] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
		if (ofPort !== port) return false;
		const [base = '', length] = name.split('/');
		const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
		if (length !== undefined && isIP(base) !== 0 && isIP(base) === isIP(address)) {
			if (!/^\d{1,3}$/.test(length) || Number(length) > (family === 'ipv6' ? 128 : 32)) return false;
			const range = new BlockList();
			range.addSubnet(base, Number(length), family);
			return range.check(address, family);
		}
		const suffix = name.replace(/^\*?\./, '').toLowerCase();
		return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
	});
}

/** As for curl, and never for this machine: the proxy would read credentials. @throws UsageError */
export function proxyFor(baseUrl: string, settings: ProxySettings): URL | undefined {
	const url = new URL(baseUrl);
	const [variable, text] =
		url.protocol === 'https:' ? ['HTTPS_PROXY', settings.httpsProxy] : ['HTTP_PROXY', settings.httpProxy];
	if (!text || mayBeLoopback(url.hostname) || isExempt(url, settings.noProxy)) return undefined;
	const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
	const proxy = URL.canParse(full) ? new URL(full) : undefined;
	if (proxy?.protocol === 'http:' || proxy?.protocol === 'https:') return proxy;
	const why =
		proxy === undefined
			? `${variable} is not a URL`
			: `${variable} is a ${proxy.protocol}// proxy; only http:// and https:// are supported`;
	const hint = `set ${variable} to a URL such as http://proxy.example:3128, or add ${url.hostname} to NO_PROXY`;
	throw new UsageError(why, { code: 'invalid_proxy', hint });
}

/** A percent sign may stand for itself. */
function proxyAuthorization({ username, password }: URL): string | undefined {
	return username === '' ? undefined : basic(decode(username), decode(password));
}

/** undici's word for a proxy's 407 without a tunnel. */
const NO_LOGIN = 'Proxy Authentication Required (407)';

/** The proxy refused to pass the request on, or could not be used. */
function proxyError(proxy: URL, reason: Error | number): ProxyError {
	if (typeof reason !== 'number' && reason.message !== NO_LOGIN) {
		const why = describeProblem(reason).message;
		return new ProxyError(`the proxy ${proxy.host} could not be used: ${why}`, false, reason);
	}
	const status = typeof reason === 'number' ? reason : 407;
	const why =
		proxy.username === '' ? 'requires a username and password' : 'refused the username and password in its URL';
	const what = status === 407 ? `${why} (407)` : `responded with ${status}`;
	return new ProxyError(`the proxy ${proxy.host} ${what}`, status >= 400 && status < 500);
}

/** Makes what goes wrong with a tunnel an error of the proxy. */
function namingProxy(proxy: URL): Dispatcher.DispatcherComposeInterceptor {
	return (dispatch) => (request, handler) =>
		dispatch(request, {
			onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
			onRequestUpgrade(controller, status, headers, socket) {
				if (status === 200) return handler.onRequestUpgrade?.(controller, status, headers, socket);
				socket.on('error', () => undefined).destroy();
				handler.onResponseError?.(controller, proxyError(proxy, status));
			},
			onResponseError: (controller, error) => handler.onResponseError?.(controller, proxyError(proxy, error)),
		});
}

/** Opens agents that send through a proxy: https in a tunnel, http as whole URLs. */
async function proxyAgents(proxy: URL, options: Partial<ProxyAgentType.Options>): Promise<() => Dispatcher> {
	// The whole package: only with it pools can open tunnels.
	const { Pool, ProxyAgent } = await import('undici');
	const { requestTls: _requestTls, proxyTls: _proxyTls, ...pool } = options;
	const headersTimeout = options.proxyTls?.timeout ?? 0;
	const token = proxyAuthorization(proxy);
	// In a list the agent would keep only the last header of a name.
	const byName: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (request, handler) => {
		const list = request.headers as string[];
		const headers: Record<string, string[]> = {};
		for (let index = 0; index < list.length; index += 2) {
			const [name = '', value = ''] = list.slice(index, index + 2);
			headers[name] = [...(headers[name] ?? []), value];
		}
		return dispatch({ ...request, headers }, handler);
	};
	const open = (): Dispatcher =>
		new ProxyAgent({
			...options,
			uri: proxy.origin,
			...(token !== undefined && { token }),
			proxyTunnel: false,
			factory: (origin, own) => new Pool(origin, { ...own, ...pool }),
			clientFactory: (origin, own) => new Pool(origin, { ...own, headersTimeout }).compose(namingProxy(proxy)),
		});
	return () => open().compose(byName);
}

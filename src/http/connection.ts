/** How requests reach the service: pool, TLS, proxies, and http:// only to this machine. */

import type { LookupAddress } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { unescape as decode } from 'node:querystring';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { UsageError } from '../errors.js';
import { type Auth, isLoopbackAddress, mayBeLoopback, type ProxySettings, type TlsFiles } from '../net.js';
import { describeProblem, type TransportProblem } from './problem.js';

export interface ConnectionOptions {
	/** Before `/support-api/v1`, without a slash at the end. */
	baseUrl: string;
	/** Of one attempt, to the end of its response. */
	timeoutMs: number;
	connections: number;
	/** `http://localhost` may be a different machine. */
	allowHttp?: boolean | undefined;
	tls?: TlsFiles;
	proxy?: ProxySettings | undefined;
	/** By default the system's. */
	lookup?: LookupFunction | undefined;
}

export function authHeader(auth: Auth): Record<string, string> {
	switch (auth.scheme) {
		case 'basic':
			return { authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` };
		case 'bearer':
			return { authorization: `Bearer ${auth.token}` };
		case 'header':
			return { [auth.name]: auth.value };
		case 'none':
			return {};
	}
}

/** A pool, or a proxy's agent. Redirects are never followed. */
export async function createSender(options: ConnectionOptions) {
	const { allowHttp, connections, timeoutMs, tls } = options;
	const target = new URL(options.baseUrl);
	const closing = new AbortController();
	// One listener for each connection; Node would warn of a leak.
	setMaxListeners(0, closing.signal);
	// Also where NODE_TLS_REJECT_UNAUTHORIZED is 0, which some set for other programs: credentials are sent.
	const shared = { timeout: timeoutMs, signal: closing.signal, rejectUnauthorized: true };
	const isChecked = target.protocol === 'http:' && allowHttp !== true && mayBeLoopback(target.hostname);
	const lookup = isChecked ? loopbackOnly(options.lookup) : options.lookup;
	const connect = { ...shared, ...tls, ...(lookup && { lookup }) };
	const proxy = options.proxy && proxyFor(options.baseUrl, options.proxy);
	// The whole package, which takes longer to load, has the proxies.
	const agent = proxy && (await import('undici')).ProxyAgent;
	const open = (): Dispatcher => {
		if (agent === undefined || proxy === undefined) return new Pool(target.origin, { connections, connect });
		const { username, password } = proxy;
		const auth = { scheme: 'basic', username: decode(username), password: decode(password) } as const;
		const token = username === '' ? undefined : authHeader(auth).authorization;
		return new agent({
			uri: proxy.origin,
			...(token !== undefined && { token }),
			// http:// goes as whole URLs: many proxies refuse tunnels to port 80.
			proxyTunnel: false,
			connections,
			requestTls: connect,
			proxyTls: shared,
		});
	};
	let current = open();
	let single: Dispatcher | undefined;
	return {
		/** @param alone on a connection that carries nothing else: no earlier response can be late there */
		dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, alone: boolean): void {
			if (!alone) return void current.dispatch(request, handler);
			single ??= open();
			single.dispatch({ ...request, reset: true }, handler);
		},
		describe(error: Error, isStarted: boolean): TransportProblem {
			return proxy === undefined ? describeProblem(error) : describeBehind(proxy, error, isStarted);
		},
		renew(): void {
			void current.close();
			current = open();
		},
		async destroy(): Promise<void> {
			const ended = Promise.all([current.destroy(), single?.destroy()]);
			// Sockets that still connect, and those from before a renewal.
			closing.abort();
			await ended;
		},
	};
}

/** `localhost` may be given another address: http:// is only for this machine. */
function loopbackOnly(given: LookupFunction | undefined): LookupFunction {
	const lookup: LookupFunction = given ?? ((...all) => process.getBuiltinModule('node:dns').lookup(...all));
	return (host, options, callback) => {
		lookup(host, { ...options, all: true }, (error, found) => {
			if (error !== null) return callback(error, []);
			const all = found as LookupAddress[];
			const own = all.filter(({ address }) => isLoopbackAddress(address));
			if (own.length > 0) return callback(null, own);
			const addresses = all.map(({ address }) => address).join(', ');
			const message = `${host} is ${addresses}, which is not this machine, and http:// is not encrypted`;
			callback(Object.assign(new Error(message), { code: 'NOT_LOOPBACK' }), []);
		});
	};
}

/** By `*`, addresses, ranges such as 10.0.0.0/8, and names with their subdomains, which may have a port. */
export function isExempt({ protocol, hostname, port }: URL, noProxy = ''): boolean {
	const address = hostname.replace(/^\[|\]$/g, '');
	const ownPort = port || (protocol === 'https:' ? '443' : '80');
	return noProxy
		.toLowerCase()
		.split(/[,\s]+/)
		.some((entry) => {
			if (['*', hostname, address].includes(entry) || isInRange(address, entry)) return true;
			const [, name = '', itsPort = ownPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
			return name !== '' && itsPort === ownPort && `.${hostname}`.endsWith(`.${name}`);
		});
}

function isInRange(address: string, range: string): boolean {
	const [, network = '', bits = ''] = /^(.+)\/(\d+)$/.exec(range) ?? [];
	const version = isIP(address);
	const family = version === 6 ? 'ipv6' : 'ipv4';
	if (version === 0 || isIP(network) !== version || Number(bits) > (version === 6 ? 128 : 32)) return false;
	const list = new BlockList();
	list.addSubnet(network, Number(bits), family);
	return list.check(address, family);
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
	throw new UsageError(`${variable} is not the URL of an http:// or https:// proxy`, {
		code: 'invalid_proxy',
		hint: `set ${variable} to a URL such as http://proxy.example:3128, or add ${url.hostname} to NO_PROXY`,
	});
}

/** undici's messages. */
const REFUSED_BY_PROXY = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** A client behind a proxy connects to nothing else; TLS is spoken with the service. */
function describeBehind(proxy: URL, error: Error, isStarted: boolean): TransportProblem {
	const problem = describeProblem(error);
	const refusal = REFUSED_BY_PROXY.exec(error.message)?.[1];
	const status = Number(refusal);
	if (refusal === undefined && (isStarted || problem.code.startsWith('tls_'))) return problem;
	let what = refusal === undefined ? `could not be used: ${problem.message}` : `responded with ${status}`;
	if (status === 407) {
		const isGiven = proxy.username !== '';
		what = `${isGiven ? 'refused the username and password in its URL' : 'requires a username and password'} (407)`;
	}
	const message = `the proxy ${proxy.host} ${what}`;
	return { code: 'proxy_failed', message, permanent: status >= 400 && status < 500 };
}

/** How requests reach the service: pool, TLS, proxies, and http:// only to this machine. */

import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { unescape as decode } from 'node:querystring';
import type { buildConnector as Connecting, Dispatcher, Pool as PoolType } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
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
	destroy(): Promise<void>;
	/** For the proxy's own responses. */
	refusal?(status: number): Error | undefined;
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
	const { ca, cert, key } = options.tls ?? {};
	const lookup: LookupFunction = options.lookup ?? ((...all) => process.getBuiltinModule('node:dns').lookup(...all));
	const isChecked = target.protocol === 'http:' && options.allowHttp !== true && mayBeLoopback(target.hostname);
	const connect: Connecting.BuildOptions = {
		timeout: options.timeoutMs,
		autoSelectFamily: true,
		autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
		...(isChecked ? { lookup: loopbackOnly(lookup) } : options.lookup && { lookup }),
		...(ca !== undefined && { ca }),
		...(cert !== undefined && { cert }),
		...(key !== undefined && { key }),
	};
	const pool: PoolType.Options = {
		connections: options.connections,
		pipelining: 1,
		// Attempts have one deadline.
		headersTimeout: 0,
		bodyTimeout: 0,
	};
	const proxy = options.proxy && proxyFor(options.baseUrl, options.proxy);
	if (proxy !== undefined) return createProxySender(proxy, target, pool, connect);
	// A connecting socket would keep the process alive.
	const connecting = new Set<Socket>();
	const connector = buildConnector(connect) as (...all: Parameters<Connecting.connector>) => Socket;
	const direct = new Pool(target.origin, {
		...pool,
		connect(where, callback) {
			const socket = connector(where, (...result) => {
				connecting.delete(socket);
				callback(...result);
			});
			connecting.add(socket);
		},
	});
	return {
		dispatch: (request, handler) => direct.dispatch(request, handler),
		async destroy() {
			for (const socket of connecting) socket.destroy();
			await direct.destroy();
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
			: `${variable} names a ${proxy.protocol}// proxy; only http:// and https:// are supported`;
	const hint = `set ${variable} to a URL such as http://proxy.example:3128, or add ${url.hostname} to NO_PROXY`;
	throw new UsageError(why, { code: 'invalid_proxy', hint });
}

/** A percent sign may stand for itself. */
function proxyAuthorization({ username, password }: URL): string | undefined {
	return username === '' ? undefined : basic(decode(username), decode(password));
}

function refused(proxy: URL, status: number): ProxyError {
	const why = proxy.username === '' ? 'wants a username and password' : 'refused the username and password in its URL';
	const what = status === 407 ? `${why} (407)` : `responded with ${status}`;
	return new ProxyError(`the proxy ${proxy.host} ${what}`, status >= 400 && status < 500);
}

function failed(proxy: URL, error: Error): ProxyError {
	return new ProxyError(`the proxy ${proxy.host} could not be used: ${describeProblem(error).message}`, false, error);
}

/** undici's own `connect` is not on a Pool that is loaded alone. */
function createTunnelPool(proxy: URL, options: PoolType.Options): PoolType {
	const pool = new Pool(proxy.origin, options);
	const connect = async (request: Parameters<PoolType['connect']>[0]): Promise<Dispatcher.ConnectData> => {
		const opened = await requestTunnel.call(pool, request).catch((error) => {
			throw failed(proxy, error);
		});
		if (opened.statusCode === 200) return opened;
		opened.socket.on('error', () => undefined).destroy();
		throw refused(proxy, opened.statusCode);
	};
	return Object.assign(pool, { connect });
}

/** For a look at the certificate behind the proxy. */
export async function openTunnel(proxy: URL, authority: string, timeoutMs: number): Promise<Socket> {
	const pool = createTunnelPool(proxy, { headersTimeout: timeoutMs, connect: { timeout: timeoutMs } });
	const authorization = proxyAuthorization(proxy);
	const headers = { host: authority, ...(authorization && { 'proxy-authorization': authorization }) };
	const { socket } = await pool.connect({ path: authority, headers });
	return socket as Socket;
}

async function createProxySender(
	proxy: URL,
	target: URL,
	pool: PoolType.Options,
	requestTls: Connecting.BuildOptions,
): Promise<Sender> {
	const { timeout = 0 } = requestTls;
	const authorization = proxyAuthorization(proxy);
	if (target.protocol === 'http:') {
		// The proxy gets the whole URL; undici's ProxyAgent loses a 407 here.
		const connector = buildConnector({ timeout });
		const onward = new Pool(proxy.origin, {
			...pool,
			connect: (where, callback) =>
				connector(where, (...[error, socket]) =>
					error === null ? callback(null, socket) : callback(failed(proxy, error), null),
				),
		});
		const own = ['host', target.host, ...(authorization === undefined ? [] : ['proxy-authorization', authorization])];
		return {
			dispatch(request, handler) {
				const path = target.origin + request.path;
				const headers = [...(request.headers as string[]), ...own];
				onward.dispatch({ ...request, origin: proxy.origin, path, headers }, handler);
			},
			destroy: () => onward.destroy(),
			refusal: (status) => (status === 407 ? refused(proxy, status) : undefined),
		};
	}
	// TLS is inside a tunnel.
	const { default: ProxyAgent } = await import('undici/lib/dispatcher/proxy-agent.js');
	const agent = new ProxyAgent({
		...pool,
		uri: proxy.origin,
		...(authorization !== undefined && { token: authorization }),
		requestTls,
		proxyTls: { timeout },
		clientFactory: (_origin, options) =>
			createTunnelPool(proxy, { ...options, headersTimeout: timeout, bodyTimeout: 0 }),
	});
	return {
		dispatch(request, handler) {
			const list = request.headers as string[];
			// In a list the agent keeps only the last header of a name.
			const headers: Record<string, string[]> = {};
			list.forEach((name, index) => {
				if (index % 2 === 0) headers[name] = [...(headers[name] ?? []), list[index + 1] as string];
			});
			agent.dispatch({ ...request, origin: target.origin, headers }, handler);
		},
		destroy: () => agent.destroy(),
	};
}

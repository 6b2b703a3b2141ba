/** Requests through a forward proxy, undici's ProxyAgent and its tunnels for https, the whole URL for http. Loaded only where one is set. */

import { BlockList, isIP, type Socket } from 'node:net';
import type { buildConnector as Connecting, Dispatcher, Pool as PoolType } from 'undici';
import requestTunnel from 'undici/lib/api/api-connect.js';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { UsageError } from '../errors.js';
import type { ProxySettings } from '../net.js';
import { mayBeLoopback } from '../net.js';
import { ProxyError } from './problem.js';
import type { Sender } from './types.js';

function matchesEntry(entry: string, host: string, port: string): boolean {
	const [, name = '', ofPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) as RegExpExecArray;
	if (ofPort !== undefined && ofPort !== port) return false;
	const bare = host.replace(/^\[|\]$/g, '');
	const [base = '', length] = name.split('/');
	if (length !== undefined && isIP(base) !== 0 && isIP(base) === isIP(bare) && /^\d{1,3}$/.test(length)) {
		if (Number(length) > (isIP(base) === 6 ? 128 : 32)) return false;
		const family = isIP(base) === 6 ? 'ipv6' : 'ipv4';
		const list = new BlockList();
		list.addSubnet(base, Number(length), family);
		return list.check(bare, family);
	}
	const suffix = name.replace(/^\*?\./, '').toLowerCase();
	return suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`));
}

/** Whether NO_PROXY takes a host out: names with their subdomains, addresses, address ranges, each with a port or not, or `*`. */
export function isExempt(url: URL, noProxy: string | undefined): boolean {
	const port = url.port || (url.protocol === 'https:' ? '443' : '80');
	const host = url.hostname.toLowerCase();
	return (noProxy ?? '')
		.split(/[,\s]+/)
		.filter((entry) => entry !== '')
		.some((entry) => entry === '*' || matchesEntry(entry, host, port));
}

/**
 * The proxy for a service: HTTPS_PROXY for https, HTTP_PROXY for http, as for curl. This machine is never asked for through
 * one: over http:// the proxy would read the credentials. @throws UsageError
 */
export function proxyFor(baseUrl: string, settings: ProxySettings): URL | undefined {
	const url = new URL(baseUrl);
	const [variable, text] =
		url.protocol === 'https:' ? ['HTTPS_PROXY', settings.httpsProxy] : ['HTTP_PROXY', settings.httpProxy];
	if (!text || mayBeLoopback(url.hostname) || isExempt(url, settings.noProxy)) return undefined;
	const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
	const hint = `set ${variable} to a URL such as http://proxy.example:3128, or add ${url.hostname} to NO_PROXY`;
	if (!URL.canParse(full)) throw new UsageError(`${variable} is not a URL`, { code: 'invalid_proxy', hint });
	const proxy = new URL(full);
	if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
		throw new UsageError(`${variable} names a ${proxy.protocol}// proxy; only http:// and https:// are supported`, {
			code: 'invalid_proxy',
			hint,
		});
	}
	return proxy;
}

/** Percent signs that stand for themselves are left alone. */
function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

/** The proxy's own credentials as a header; none where its URL has no user name. */
function proxyAuthorization(proxy: URL): string | undefined {
	if (proxy.username === '') return undefined;
	const pair = `${decode(proxy.username)}:${decode(proxy.password)}`;
	return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** A response that is the proxy's own: it did not pass the request on. */
function refusal(proxy: URL, authority: string, variable: string, status: number): ProxyError {
	const refused = (what: string, remedy: string, permanent = status >= 400 && status < 500): ProxyError =>
		new ProxyError(`the proxy ${proxy.host} ${what}`, permanent, remedy);
	if (status === 407 && proxy.username !== '') {
		return refused(
			'refused the user name and password in its URL (407)',
			`correct them in ${variable}; in a URL, signs such as @ and : are written %40 and %3A`,
		);
	}
	if (status === 407) {
		return refused(
			'wants a user name and password (407)',
			`put them before the host in ${variable}, as NAME:PASSWORD@ between ${proxy.protocol}// and ${proxy.host}`,
		);
	}
	return refused(
		`responded with ${status}`,
		status >= 500
			? `check the base URL's host and port, and whether the proxy can reach ${authority}`
			: `let the proxy allow connections to ${authority}, or add the host to NO_PROXY`,
	);
}

/** The proxy did not respond, or not as a proxy. */
function failure(proxy: URL, variable: string, error: NodeJS.ErrnoException): ProxyError {
	const { code, message, name } = error;
	const what = (): string => {
		if (code === 'ECONNREFUSED') return 'could not be reached: connection refused';
		if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return 'closed the connection';
		if (code === 'UND_ERR_HEADERS_TIMEOUT') return 'did not respond in time';
		if (name === 'HTTPParserError') return 'does not respond as a proxy does';
		return `could not be reached: ${code ?? message}`;
	};
	const remedy = `check that ${variable} names a proxy, and that it runs; or add the host to NO_PROXY`;
	return new ProxyError(`the proxy ${proxy.host} ${what()}`, false, remedy, error);
}

/**
 * The connections to the proxy over which tunnels are opened; what goes wrong there is a ProxyError. The package's own
 * `connect` is not on a Pool that is imported by itself.
 */
class TunnelPool extends Pool {
	constructor(
		private readonly proxy: URL,
		private readonly variable: string,
		options: PoolType.Options,
	) {
		super(proxy.origin, options);
	}

	override async connect(options: Parameters<PoolType['connect']>[0]): Promise<Dispatcher.ConnectData> {
		const opened = await requestTunnel.call(this, options).catch((error: NodeJS.ErrnoException) => {
			throw failure(this.proxy, this.variable, error);
		});
		if (opened.statusCode === 200) return opened;
		opened.socket.on('error', () => undefined).destroy();
		throw refusal(this.proxy, options.path, this.variable, opened.statusCode);
	}
}

/** Opens a tunnel to `authority` (host:port), for a look at the certificate behind the proxy. */
export async function openTunnel(proxy: URL, authority: string, timeoutMs: number): Promise<Socket> {
	const pool = new TunnelPool(proxy, 'HTTPS_PROXY', { headersTimeout: timeoutMs, connect: { timeout: timeoutMs } });
	const authorization = proxyAuthorization(proxy);
	const headers = { host: authority, ...(authorization && { 'proxy-authorization': authorization }) };
	const { socket } = await pool.connect({ path: authority, headers });
	return socket as Socket;
}

/** Names and values in turn as an object; a name that comes twice has a list. */
function headerObject(list: readonly string[]): Record<string, string | string[]> {
	const headers: Record<string, string | string[]> = {};
	for (let index = 0; index + 1 < list.length; index += 2) {
		const name = list[index] as string;
		const value = list[index + 1] as string;
		const before = headers[name];
		headers[name] = before === undefined ? value : [before, value].flat();
	}
	return headers;
}

/** Requests for an http service: the proxy gets the whole URL. */
function plainSender(proxy: URL, target: URL, pool: PoolType.Options, timeout: number): Sender {
	const connect = buildConnector({ timeout });
	const onward = new Pool(proxy.origin, {
		...pool,
		connect: (where, callback) =>
			connect(where, (...[error, socket]) =>
				error === null ? callback(null, socket) : callback(failure(proxy, 'HTTP_PROXY', error), null),
			),
	});
	const authorization = proxyAuthorization(proxy);
	const more = ['host', target.host, ...(authorization === undefined ? [] : ['proxy-authorization', authorization])];
	return {
		dispatch: (options, handler) =>
			onward.dispatch(
				{
					...options,
					origin: proxy.origin,
					path: target.origin + options.path,
					headers: [...(options.headers as string[]), ...more],
				},
				handler,
			),
		destroy: () => onward.destroy(),
		refusal: (status) => (status === 407 ? refusal(proxy, target.host, 'HTTP_PROXY', status) : undefined),
	};
}

/** Requests for an https service: TLS is spoken with the service itself, inside a tunnel. */
function tunnelSender(proxy: URL, target: URL, pool: PoolType.Options, requestTls: Connecting.BuildOptions): Sender {
	const authorization = proxyAuthorization(proxy);
	const timeout = requestTls.timeout ?? 0;
	const agent = new ProxyAgent({
		...pool,
		uri: proxy.origin,
		...(authorization !== undefined && { token: authorization }),
		requestTls,
		proxyTls: { timeout },
		clientFactory: (_origin, options) =>
			new TunnelPool(proxy, 'HTTPS_PROXY', { ...options, headersTimeout: timeout, bodyTimeout: 0 }),
	});
	return {
		dispatch(options, handler) {
			try {
				const headers = headerObject(options.headers as string[]);
				return agent.dispatch({ ...options, origin: target.origin, headers }, handler);
			} catch (error) {
				// The agent throws for headers that it does not allow.
				handler.onResponseError?.(undefined as never, error as Error);
				return true;
			}
		},
		destroy: () => agent.destroy(),
	};
}

/** Sends to a service through a proxy. */
export function createProxiedSender(
	proxy: URL,
	target: URL,
	pool: PoolType.Options,
	connect: Connecting.BuildOptions,
): Sender {
	return target.protocol === 'http:'
		? plainSender(proxy, target, pool, connect.timeout ?? 0)
		: tunnelSender(proxy, target, pool, connect);
}

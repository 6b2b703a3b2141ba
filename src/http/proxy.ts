/** Ways through a forward proxy: a tunnel for https, the request's whole URL for http. Loaded only where one is set. */

import { request as httpRequest, type RequestOptions } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { buildConnector as Connecting, Pool as PoolType } from 'undici';
import buildConnector from 'undici/lib/core/connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { UsageError } from '../errors.js';
import type { ProxySettings } from './auth.js';
import type { Sender } from './connection.js';
import type { ConnectionOptions } from './options.js';
import { ProxyError } from './problem.js';

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

/** The proxy for a service: HTTPS_PROXY for https, HTTP_PROXY for http, as curl and most others have it. @throws UsageError */
export function proxyFor(baseUrl: string, settings: ProxySettings): URL | undefined {
	const url = new URL(baseUrl);
	const [variable, text] =
		url.protocol === 'https:' ? ['HTTPS_PROXY', settings.httpsProxy] : ['HTTP_PROXY', settings.httpProxy];
	if (!text || isExempt(url, settings.noProxy)) return undefined;
	const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
	const hint = `let ${variable} name one as http://proxy.example:3128, or let NO_PROXY name ${url.hostname}`;
	if (!URL.canParse(full)) throw new UsageError(`${variable} is not a URL`, { code: 'invalid_proxy', hint });
	const proxy = new URL(full);
	if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
		throw new UsageError(`${variable} names a ${proxy.protocol}// proxy; only http:// and https:// ones are known`, {
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

/** What the proxy wants from its own users; undefined where its URL has no user name. */
function proxyAuthorization(proxy: URL): string | undefined {
	if (proxy.username === '') return undefined;
	const pair = `${decode(proxy.username)}:${decode(proxy.password)}`;
	return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Why a proxy opens no tunnel, from its answer. */
function refusal(proxy: URL, authority: string, status: number): ProxyError {
	const explain = (): [what: string, remedy: string] => {
		if (status === 407 && proxy.username !== '') {
			return [
				'refused the user name and password in its URL (407)',
				'mend them in HTTPS_PROXY; in a URL, signs such as @ and : are written %40 and %3A',
			];
		}
		if (status === 407) {
			return [
				'wants a user name and password (407)',
				`put them before the host in HTTPS_PROXY, as NAME:PASSWORD@ between ${proxy.protocol}// and ${proxy.host}`,
			];
		}
		return [
			`answered ${status}`,
			status >= 500
				? `check the base URL's host and port, and whether the proxy can reach ${authority}`
				: `let the proxy pass connections to ${authority} on, or let NO_PROXY name the host`,
		];
	};
	const [what, remedy] = explain();
	return new ProxyError(`the proxy ${proxy.host} ${what}`, status >= 400 && status < 500, remedy);
}

/** Why there was no answer of a proxy to understand. */
function explainFailure({ code, message }: NodeJS.ErrnoException): string {
	if (code === 'ECONNRESET' || code === 'EPIPE') return `broke off the connection (${code})`;
	if (code?.startsWith('HPE_')) return `does not answer as a proxy does (${code})`;
	return `can't be reached: ${code === 'ECONNREFUSED' ? 'nothing listens there' : (code ?? message)}`;
}

/** Opens a tunnel to `authority` (host:port) and hands over the socket. */
export async function openTunnel(proxy: URL, authority: string, timeoutMs: number): Promise<Socket> {
	const request = proxy.protocol === 'https:' ? (await import('node:https')).request : httpRequest;
	const authorization = proxyAuthorization(proxy);
	const options: RequestOptions = {
		host: proxy.hostname.replace(/^\[|\]$/g, ''),
		port: proxy.port,
		method: 'CONNECT',
		path: authority,
		headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
		agent: false,
		timeout: timeoutMs,
	};
	return new Promise((resolve, reject) => {
		const connecting = request(options);
		connecting.on('connect', (response, socket, head) => {
			const status = response.statusCode as number;
			if (status >= 200 && status < 300) {
				(socket as Socket).setTimeout(0);
				if (head.length > 0) socket.unshift(head);
				resolve(socket as Socket);
				return;
			}
			socket.destroy();
			reject(refusal(proxy, authority, status));
		});
		connecting.on('timeout', () => connecting.destroy(new Error('no answer in time')));
		connecting.on('error', (error: NodeJS.ErrnoException) => {
			const remedy = 'check that HTTPS_PROXY names a proxy, and that it runs; or let NO_PROXY name the host';
			reject(new ProxyError(`the proxy ${proxy.host} ${explainFailure(error)}`, false, remedy, error));
		});
		connecting.end();
	});
}

/** Connects through a tunnel; TLS is then spoken with the service itself, inside it. */
function tunnelConnector(
	proxy: URL,
	target: URL,
	tls: Connecting.BuildOptions,
	timeoutMs: number,
): Connecting.connector {
	const secure = buildConnector(tls);
	const authority = `${target.hostname}:${target.port || 443}`;
	return (options, callback) => {
		openTunnel(proxy, authority, timeoutMs).then(
			(socket) => secure({ ...options, httpSocket: socket }, callback),
			(error: Error) => callback(error, null),
		);
	};
}

/** A pool to the proxy, which is handed whole URLs. */
function plainSender(proxy: URL, target: URL, pool: PoolType.Options): Sender {
	const onward = new Pool(proxy.origin, pool);
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
	};
}

/** The way to a service through its proxy, or undefined where it has none. */
export function createProxiedSender(
	{ baseUrl, timeoutMs }: ConnectionOptions,
	settings: ProxySettings,
	pool: PoolType.Options & { connect: Connecting.BuildOptions },
): Sender | undefined {
	const proxy = proxyFor(baseUrl, settings);
	if (proxy === undefined) return undefined;
	const target = new URL(baseUrl);
	if (target.protocol === 'http:') return plainSender(proxy, target, { ...pool, connect: { timeout: timeoutMs } });
	return new Pool(target.origin, { ...pool, connect: tunnelConnector(proxy, target, pool.connect, timeoutMs) });
}

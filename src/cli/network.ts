/** Sockets and certificates without the client, for `doctor`. */

import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describeProblem } from '../http/problem.js';
import type { Reach } from './session.js';

export function portOf(url: URL): number {
	return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** URLs put brackets around IPv6 addresses. */
export function bareHost(url: URL): string {
	return url.hostname.replace(/^\[|\]$/g, '');
}

function within<T extends Socket>(socket: T, event: string, timeoutMs: number): Promise<T> {
	return new Promise<T>((resolve, reject) => {
		socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
		socket.once(event, () => resolve(socket));
		socket.once('error', reject);
		socket.once('close', () => reject(new Error('the server closed the connection')));
	}).finally(() => socket.setTimeout(0));
}

/** @returns the address */
export async function connect(url: URL, timeoutMs: number): Promise<string> {
	const socket = connectSocket({ host: bareHost(url), port: portOf(url) });
	try {
		return (await within(socket, 'connect', timeoutMs)).remoteAddress ?? bareHost(url);
	} finally {
		socket.destroy();
	}
}

/** @param authority the service's host and port */
async function openTunnel(proxy: URL, authority: string, timeoutMs: number): Promise<Socket> {
	// Completion loads this file, but not the HTTP client.
	const { proxyAuthorization, proxyError } = await import('../http/connection.js');
	const token = proxyAuthorization(proxy);
	const headers = { host: authority, ...(token !== undefined && { 'proxy-authorization': token }) };
	const request = proxy.protocol === 'https:' ? requestHttps : requestHttp;
	return new Promise((resolve, reject) => {
		const asked = request(proxy.origin, { method: 'CONNECT', path: authority, headers, timeout: timeoutMs });
		asked.once('connect', ({ statusCode = 0 }, socket) => {
			if (statusCode === 200) return resolve(socket as Socket);
			socket.destroy();
			reject(proxyError(proxy, statusCode));
		});
		asked.once('timeout', () => asked.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
		asked.once('error', (error) => reject(proxyError(proxy, error)));
		asked.end();
	});
}

export type Certificate = Awaited<ReturnType<typeof readCertificate>>;

/** Sends nothing over the connection. */
export async function readCertificate(url: URL, proxy: URL | undefined, tls: Reach['tls'], timeoutMs: number) {
	const host = bareHost(url);
	const raw =
		proxy === undefined
			? await within(connectSocket({ host, port: portOf(url) }), 'connect', timeoutMs)
			: await openTunnel(proxy, `${url.hostname}:${portOf(url)}`, timeoutMs);
	try {
		// Untrusted certificates are read too, to say why.
		const target = { socket: raw, host, ...(isIP(host) === 0 && { servername: host }) };
		const socket = await within(
			connectTls({ ...target, ...tls, rejectUnauthorized: false }),
			'secureConnect',
			timeoutMs,
		);
		const refusal = socket.authorizationError as unknown as string | { code?: string } | null;
		const code = typeof refusal === 'string' ? refusal : refusal?.code;
		const why = new Error(`the host's certificate is not trusted (${code})`);
		const { subject, subjectaltname, issuer, valid_to } = socket.getPeerCertificate();
		return {
			protocol: socket.getProtocol() ?? 'TLS',
			/** Why it is not trusted. */
			problem: refusal ? describeProblem(Object.assign(why, { code })) : undefined,
			subject: [subject?.CN].flat()[0] ?? subjectaltname ?? host,
			issuer: [issuer?.O ?? issuer?.CN].flat()[0] ?? 'an unnamed issuer',
			/** Milliseconds since 1970. */
			validTo: Date.parse(valid_to),
		};
	} finally {
		raw.destroy();
	}
}

/** Sockets and certificates without the client, for `doctor`. */

import { once } from 'node:events';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describeProblem } from '../http/problem.js';
import type { TlsFiles } from '../net.js';

export function portOf(url: URL): number {
	return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

/** URLs put brackets around IPv6 addresses. */
export function bareHost(url: URL): string {
	return url.hostname.replace(/^\[|\]$/g, '');
}

/** The caller destroys the socket. */
export async function connect(url: URL, timeoutMs: number): Promise<Socket> {
	const socket = connectSocket({ host: bareHost(url), port: portOf(url) });
	await within(socket, 'connect', timeoutMs);
	return socket;
}

async function within(socket: Socket, event: string, timeoutMs: number): Promise<void> {
	socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
	await once(socket, event);
	socket.setTimeout(0);
}

export type Certificate = Awaited<ReturnType<typeof readCertificate>>;

/** Also an untrusted one, with the problem. Sends nothing over the connection. */
export async function readCertificate(url: URL, tls: TlsFiles, timeoutMs: number) {
	const host = bareHost(url);
	const raw = await connect(url, timeoutMs);
	try {
		const servername = isIP(host) === 0 ? host : undefined;
		const socket = connectTls({ ...tls, socket: raw, host, servername, rejectUnauthorized: false });
		await within(socket, 'secureConnect', timeoutMs);
		const { subject, subjectaltname, issuer, valid_to } = socket.getPeerCertificate();
		return {
			protocol: socket.getProtocol() ?? 'TLS',
			problem: socket.authorized ? undefined : describeProblem(refusalOf(socket)),
			subject: [subject?.CN].flat()[0] ?? subjectaltname ?? host,
			issuer: [issuer?.O ?? issuer?.CN].flat()[0] ?? 'an unnamed issuer',
			/** Milliseconds since 1970. */
			validTo: Date.parse(valid_to),
		};
	} finally {
		raw.destroy();
	}
}

/** Node sets a code where its types have an error. */
function refusalOf({ authorizationError }: TLSSocket): Error {
	const code = authorizationError instanceof Error ? authorizationError.message : String(authorizationError);
	return Object.assign(new Error(`the host's certificate is not trusted (${code})`), { code });
}

/** The network as it is: names, connections and certificates by Node's own modules. */

import { lookup } from 'node:dns/promises';
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { describeProblem } from '../../http/problem.js';
import type { Clock } from '../../io/context.js';
import { bareHost, type Handshake, type HandshakeTarget, type Probes, portOf } from './network.js';

function within<T extends Socket>(socket: T, event: string, timeoutMs: number): Promise<T> {
	return new Promise((resolve, reject) => {
		const settle = (act: () => void): void => {
			clearTimeout(timer);
			act();
		};
		const timer = setTimeout(() => {
			socket.destroy();
			reject(new Error(`no response within ${timeoutMs / 1000} s`));
		}, timeoutMs);
		socket.once(event, () => settle(() => resolve(socket)));
		socket.once('error', (error) => settle(() => reject(new Error(describeProblem(error).message, { cause: error }))));
		socket.once('close', () => settle(() => reject(new Error('the connection was closed by the other side'))));
	});
}

async function openSocket({ url, proxy }: HandshakeTarget, timeoutMs: number): Promise<Socket> {
	if (proxy !== undefined) {
		const { openTunnel } = await import('../../http/proxy.js');
		return openTunnel(proxy, `${url.hostname}:${portOf(url)}`, timeoutMs);
	}
	return within(connectSocket({ host: bareHost(url), port: portOf(url) }), 'connect', timeoutMs);
}

const text = (name: string | string[] | undefined): string | undefined => (Array.isArray(name) ? name[0] : name);

/** What is wrong with the certificate: whom it is from, when it ends, or what it is for. */
function problemOf(socket: TLSSocket): string | undefined {
	const refusal = socket.authorizationError as unknown as string | { code?: string } | null;
	if (!refusal) return undefined;
	const code = typeof refusal === 'string' ? refusal : refusal.code;
	return describeProblem(Object.assign(new Error(`the host's certificate is not trusted (${code})`), { code })).message;
}

function readHandshake(socket: TLSSocket, host: string): Handshake {
	const certificate = socket.getPeerCertificate();
	return {
		protocol: socket.getProtocol() ?? 'TLS',
		problem: problemOf(socket),
		subject: text(certificate.subject?.CN) ?? certificate.subjectaltname ?? host,
		issuer: text(certificate.issuer?.O) ?? text(certificate.issuer?.CN) ?? 'an unnamed issuer',
		validTo: Date.parse(certificate.valid_to),
	};
}

export function createProbes(clock: Clock, timeoutMs: number): Probes {
	return {
		async resolve(host) {
			try {
				return [...new Set((await lookup(host, { all: true })).map(({ address }) => address))];
			} catch (error) {
				throw new Error(describeProblem(error).message, { cause: error });
			}
		},
		async connect(host, port) {
			const socket = await within(connectSocket({ host, port }), 'connect', timeoutMs);
			const address = socket.remoteAddress ?? host;
			socket.destroy();
			return address;
		},
		async handshake(target) {
			const host = bareHost(target.url);
			const { ca, cert, key } = target.tls;
			const raw = await openSocket(target, timeoutMs);
			try {
				// Looked at even where it is not trusted, so that it can be said why; nothing is sent over it.
				const socket = connectTls({
					socket: raw,
					// Whom the certificate has to be for; the connection is there already.
					host,
					rejectUnauthorized: false,
					ca,
					cert,
					key,
					...(isIP(host) === 0 && { servername: host }),
				});
				return readHandshake(await within(socket, 'secureConnect', timeoutMs), host);
			} finally {
				raw.destroy();
			}
		},
		now: () => clock.now(),
		monotonic: () => clock.monotonic(),
	};
}

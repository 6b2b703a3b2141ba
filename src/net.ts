/** What settings and requests share: credentials, proxies, and which addresses are this machine. */

import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** @param address without brackets; false for a name */
export function isLoopbackAddress(address: string): boolean {
	const family = isIP(address);
	return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** A name proves nothing: who sends credentials over http:// checks the address of the connection too. */
export function mayBeLoopback(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host.replace(/^\[|\]$/g, ''));
}

/** In the clear; they leave the program only as a header. */
export type Auth =
	| { scheme: 'basic'; username: string; password: string }
	| { scheme: 'bearer'; token: string }
	| { scheme: 'header'; name: string; value: string }
	| { scheme: 'none' };

export function usernameOf(auth: Auth): string | undefined {
	return 'username' in auth ? auth.username : undefined;
}

/** All that must not be seen: also the pair, which a header has in one piece. */
export function secretsOf(auth: Auth): string[] {
	switch (auth.scheme) {
		case 'basic':
			return [auth.password, `${auth.username}:${auth.password}`];
		case 'bearer':
			return [auth.token];
		case 'header':
			return [auth.value];
		case 'none':
			return [];
	}
}

/** Texts in PEM. */
export interface TlsFiles {
	ca?: string | undefined;
	cert?: string | undefined;
	key?: string | undefined;
}

export interface ProxySettings {
	httpProxy?: string | undefined;
	httpsProxy?: string | undefined;
	noProxy?: string | undefined;
}

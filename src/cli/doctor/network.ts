/** Checks of the way to the service, step by step: base URL, proxy, name, connection, certificate. What touches the network is passed in. */

import { ProxyError } from '../../http/problem.js';
import { mayBeLoopback } from '../../net.js';
import { type Finding, fail, pass, skipped, warn } from './finding.js';

/** What of the network the checks need; a step that fails throws an error with a readable message. */
export interface Probes {
	/** The addresses of a name. */
	resolve(host: string): Promise<string[]>;
	/** The address that answered. */
	connect(host: string, port: number): Promise<string>;
	/** Speaks TLS without judging the certificate, and sends nothing. */
	handshake(target: HandshakeTarget): Promise<Handshake>;
	/** Milliseconds since 1970. */
	now(): number;
	/** Milliseconds on a clock that never jumps. */
	monotonic(): number;
}

export interface HandshakeTarget {
	url: URL;
	/** Through a tunnel, where there is a proxy. */
	proxy: URL | undefined;
	/** PEM. */
	tls: { ca?: string; cert?: string; key?: string };
}

export interface Handshake {
	/** `TLSv1.3`. */
	protocol: string;
	/** Why it is not trusted, as a sentence; undefined where it is. */
	problem: string | undefined;
	/** What the certificate is for. */
	subject: string;
	issuer: string;
	/** Milliseconds since 1970. */
	validTo: number;
}

/** Fewer days than this left is a warning: renewals that work renew earlier. */
const DAYS_TO_WARN = 14;

const DAY_MS = 86_400_000;

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A base URL that can be used; what is to be said of it all the same. */
export function checkBaseUrl({ url, warnings }: { url: string; warnings: readonly string[] }): Finding {
	const [warning] = warnings;
	if (warning !== undefined)
		return warn('base-url', warning, 'store it without: supportctl profile set NAME --base-url URL');
	const { protocol, hostname } = new URL(url);
	const isPlain = protocol === 'http:' && !mayBeLoopback(hostname);
	return isPlain
		? warn('base-url', `${url} sends credentials unencrypted`, 'use https:// where the service has it')
		: pass('base-url', url);
}

/** The port that a URL means. */
export function portOf(url: URL): number {
	return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** A host without the brackets that URLs put around IPv6 addresses. */
export function bareHost(url: URL): string {
	return url.hostname.replace(/^\[|\]$/g, '');
}

async function timed<T>(probes: Probes, act: () => Promise<T>): Promise<{ value: T; ms: number }> {
	const started = probes.monotonic();
	const value = await act();
	return { value, ms: Math.round(probes.monotonic() - started) };
}

export interface ProxyFacts {
	/** Undefined where none is used for this service. */
	proxy: URL | undefined;
	/** The variable that names one. */
	variable: string;
	/** A proxy is set, and NO_PROXY takes this host out. */
	isExempt: boolean;
}

export async function checkProxy({ proxy, variable, isExempt }: ProxyFacts, probes: Probes): Promise<Finding> {
	if (proxy === undefined) {
		return pass(
			'proxy',
			isExempt
				? `none: ${variable} is not for this host (this machine, or in NO_PROXY)`
				: 'none is set for this service',
		);
	}
	// Its user info may hold a password.
	const shown = `${proxy.protocol}//${proxy.host}, from ${variable}`;
	try {
		const { ms } = await timed(probes, () => probes.connect(bareHost(proxy), portOf(proxy)));
		return pass('proxy', `${shown}, reached in ${ms} ms`);
	} catch (error) {
		return fail(
			'proxy',
			`${shown}, can't be reached: ${reason(error)}`,
			`correct ${variable}, or add the service's host to NO_PROXY`,
		);
	}
}

export async function checkDns(url: URL, proxy: URL | undefined, isAddress: boolean, probes: Probes): Promise<Finding> {
	const host = bareHost(url);
	if (proxy !== undefined) return skipped('dns', 'the proxy resolves the name');
	if (isAddress) return skipped('dns', `${host} is an address`);
	try {
		const { value, ms } = await timed(probes, () => probes.resolve(host));
		return pass('dns', `${host} is ${value.join(', ')} (${ms} ms)`);
	} catch (error) {
		return fail(
			'dns',
			`${host}: ${reason(error)}`,
			"check the host's name in the base URL, and whether this machine is on the right network",
		);
	}
}

export async function checkTcp(url: URL, proxy: URL | undefined, probes: Probes): Promise<Finding> {
	if (proxy !== undefined) return skipped('tcp', 'the proxy connects');
	const where = `${bareHost(url)} port ${portOf(url)}`;
	try {
		const { value, ms } = await timed(probes, () => probes.connect(bareHost(url), portOf(url)));
		return pass('tcp', `connected to ${value} port ${portOf(url)} in ${ms} ms`);
	} catch (error) {
		return fail(
			'tcp',
			`${where}: ${reason(error)}`,
			'check the port in the base URL, that the service runs, and firewalls on the way',
		);
	}
}

export async function checkTls(target: HandshakeTarget, probes: Probes): Promise<Finding> {
	const { url } = target;
	if (url.protocol !== 'https:') return skipped('tls', 'the base URL is http://');
	let found: Handshake;
	try {
		found = await probes.handshake(target);
	} catch (error) {
		const message = `no TLS connection: ${reason(error)}`;
		if (error instanceof ProxyError) return fail('tls', message, error.remedy);
		const served = 'check that https is served on this port, and what --ca-file, --cert and --key name';
		return fail('tls', message, target.proxy === undefined ? served : `${served}; the proxy may have broken it off`);
	}
	const { protocol, subject, issuer, validTo, problem } = found;
	const until = new Date(validTo).toISOString().slice(0, 10);
	const days = Math.floor((validTo - probes.now()) / DAY_MS);
	const certificate = `certificate for ${subject} from ${issuer}`;
	if (problem !== undefined) {
		const end = days < 0 ? `, it ended on ${until}` : '';
		return fail('tls', `${problem} (${certificate}${end})`, tlsRemedy(problem));
	}
	const left = `${days} ${days === 1 ? 'day' : 'days'} left (until ${until})`;
	const message = `${protocol}, ${certificate}, ${left}`;
	return days <= DAYS_TO_WARN ? warn('tls', message, 'have it renewed before it ends') : pass('tls', message);
}

function tlsRemedy(problem: string): string {
	if (/expired/.test(problem))
		return "have the host's certificate renewed; if its date is right, set this machine's clock";
	if (/another name/.test(problem)) return "write the base URL with the certificate's name";
	if (/CA|self-signed/.test(problem)) return '--ca-file names the CA, and profile set --ca-file keeps it';
	return "check this machine's clock and the host's certificate";
}

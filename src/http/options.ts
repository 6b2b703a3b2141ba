/** What a client is made of: where the service is, who calls, how the connection is made, and the limits. Loads nothing. */

import type { LookupFunction } from 'node:net';
import type { Auth, ProxySettings } from '../net.js';

/** The largest response that is read, in bytes. */
export const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** How often a request is retried. */
export const DEFAULT_RETRIES = 4;

/** How many requests are under way at a time. */
export const DEFAULT_CONCURRENCY = 4;

export interface ConnectionOptions {
	/** Without a trailing slash; what comes before `/support-api/v1`. */
	baseUrl: string;
	auth: Auth;
	/** Milliseconds that one attempt may take from being sent to the end of its response. */
	timeoutMs: number;
	/** Milliseconds, from the first request on, after which a client that never had a connection makes no more attempts. */
	connectWithinMs?: number | undefined;
	/** The most connections at a time. */
	connections: number;
	/** Allows `http://localhost` to be another machine; other hosts are checked with the base URL. */
	allowHttp?: boolean | undefined;
	/** PEM text. */
	tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };
	proxy?: ProxySettings | undefined;
	userAgent: string;
	/** The largest response that is read, in bytes. */
	maxResponseBytes?: number;
	/** Called once for a request that takes longer than a second, with what it waits for. */
	onWait?: ((what: string) => void) | undefined;
	/** Resolves host names; the system's way by default. */
	lookup?: LookupFunction | undefined;
	trace?: Trace | undefined;
	/** Finds and removes secrets in responses; `mayHold` is called for every body and header and must be quick. */
	hide?: { mayHold(text: string | Uint8Array): boolean; clean(text: string): string } | undefined;
	/** Milliseconds on a clock that never jumps; the platform's own by default. */
	monotonic?: (() => number) | undefined;
}

/** What happened on the wire, attempt by attempt, for `-v` and `-vv`; redaction is the listener's. */
export type Trace = (event: TraceEvent) => void;

export type TraceEvent =
	| { type: 'request'; method: string; url: string; headers: readonly string[]; body: string | undefined }
	| {
			type: 'answer';
			method: string;
			url: string;
			status: number;
			headers: Readonly<Record<string, string | string[] | undefined>>;
			body: string;
			/** The body of the request. */
			requestBody?: string | undefined;
			/** Bytes of the body before it was decoded. */
			bytes: number;
			ms: number;
	  }
	| { type: 'problem'; method: string; url: string; message: string; sent: boolean; ms: number };

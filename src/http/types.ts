/** What travels between the parts of this room and its callers, and what a client is made of. Loads nothing. */

import type { LookupFunction } from 'node:net';
import type { Method } from '../api/endpoints.js';
import type { Auth, ProxySettings, TlsFiles } from '../net.js';
import type { Response } from './response.js';

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
	tls?: TlsFiles;
	proxy?: ProxySettings | undefined;
	userAgent: string;
	/** Names and values in turn, on every request. */
	headers?: readonly string[] | undefined;
	/** The largest response that is read, in bytes. */
	maxResponseBytes?: number;
	/** Called once for a request that takes longer than a second, with what it waits for. */
	onWait?: ((what: string) => void) | undefined;
	/** Resolves host names; the system's way by default. */
	lookup?: LookupFunction | undefined;
	trace?: Trace | undefined;
	/** Milliseconds on a clock that never jumps. */
	monotonic(): number;
}

export interface HttpRequest {
	method: Method | (string & {});
	/** Below the base URL. */
	path: string;
	body?: string | undefined;
	/** Names and values in turn, beside those that every request has. */
	headers?: readonly string[];
}

export interface Client {
	readonly baseUrl: string;
	readonly origin: string;
	/** Sends it once; never throws for what the service or the network does. */
	send(request: HttpRequest): Promise<Response>;
	/** Ends every connection; requests under way come back as lost. */
	close(): Promise<void>;
}

/** What happened on the wire, attempt by attempt, for `-v` and `-vv`; redaction is the listener's. */
export type Trace = (event: TraceEvent) => void;

export type TraceEvent =
	| { type: 'request'; method: string; url: string; headers: readonly string[]; body: string | undefined }
	| {
			type: 'response';
			method: string;
			url: string;
			/** The body of the request. */
			requestBody: string | undefined;
			response: Response;
	  };

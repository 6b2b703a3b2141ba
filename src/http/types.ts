/** What a client is made of, and what travels to and from it. */

import type { LookupFunction } from 'node:net';
import type { Endpoint, Method } from '../api/endpoints.js';
import type { Request } from '../api/plan.js';
import type { Auth, ProxySettings, TlsFiles } from '../net.js';
import type { Response } from './response.js';

export const DEFAULT_RETRIES = 4;

export const DEFAULT_CONCURRENCY = 4;
export const MOST_AT_A_TIME = 64;

export interface ConnectionOptions {
	/** Before `/support-api/v1`, without a slash at the end. */
	baseUrl: string;
	auth: Auth;
	/** Of one attempt, to the end of its response. */
	timeoutMs: number;
	/** A client that never connected gives up after so many milliseconds. */
	connectWithinMs?: number | undefined;
	connections: number;
	/** `http://localhost` may be a different machine. */
	allowHttp?: boolean | undefined;
	tls?: TlsFiles;
	proxy?: ProxySettings | undefined;
	userAgent: string;
	/** Names and values in turn. */
	headers?: string[] | undefined;
	/** Called once, after a second. */
	onWait?: ((what: string) => void) | undefined;
	/** By default the system's. */
	lookup?: LookupFunction | undefined;
	/** For `-v`; the listener redacts. */
	trace?: ((event: TraceEvent) => void) | undefined;
	monotonic(): number;
}

export interface HttpRequest {
	method: Method | (string & {});
	path: string;
	body?: string | undefined;
}

/** A planned request, or one of `api`, which has no row in the endpoint table. */
export interface Sendable extends HttpRequest, Partial<Pick<Request, 'ids' | 'sent' | 'permanent'>> {
	readonly endpoint: Pick<Endpoint, 'returns' | 'replay'> & Partial<Endpoint>;
}

export interface Client {
	readonly baseUrl: string;
	readonly origin: string;
	/** Once; never throws for the service or the network. */
	send(request: HttpRequest): Promise<Response>;
	/** Leaves the connections made so far: one of them brought a response to something else. */
	renew(): void;
	/** Requests under way come back as lost. */
	close(): Promise<void>;
}

export type TraceEvent = { method: string; url: string } & (
	| { type: 'request'; headers: readonly string[]; body: string | undefined }
	| { type: 'response'; requestBody: string | undefined; response: Response }
);

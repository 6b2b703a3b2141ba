/** What a client is made of: where the service is, who calls, and how the way there is secured. */

import type { LookupFunction } from 'node:net';
import type { Auth, ProxySettings } from './auth.js';
import type { Trace } from './trace.js';

export interface ConnectionOptions {
	/** Without a trailing slash; what comes before `/support-api/v1`. */
	baseUrl: string;
	auth: Auth;
	/** Milliseconds that one attempt may take from being sent to the end of its answer. */
	timeoutMs: number;
	/** The most connections at a time. */
	connections: number;
	/** PEM text. */
	tls?: { ca?: string | undefined; cert?: string | undefined; key?: string | undefined };
	proxy?: ProxySettings | undefined;
	userAgent: string;
	/** The largest answer that is read, in bytes. */
	maxAnswerBytes?: number;
	/** Resolves host names; the system's way by default. */
	lookup?: LookupFunction | undefined;
	trace?: Trace | undefined;
	/** Finds and blacks out secrets in answers; `mayHold` is asked of every body and header and must be quick. */
	hide?: { mayHold(text: string | Uint8Array): boolean; clean(text: string): string } | undefined;
	/** Milliseconds on a clock that never jumps; the platform's own unless told otherwise. */
	monotonic?: (() => number) | undefined;
}

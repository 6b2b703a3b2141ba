/** What travels between the parts of this room: requests, responses, and who sends them. */

import type { Dispatcher } from 'undici';
import type { Method } from '../api/endpoints.js';
import type { TransportProblem } from './problem.js';

export interface HttpRequest {
	method: Method | (string & {});
	/** Below the base URL. */
	path: string;
	body?: string | undefined;
	/** Names and values in turn, beside those that every request has. */
	headers?: readonly string[];
}

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface RawResponse {
	status: number;
	headers: ResponseHeaders;
	/** As received; content codings are still on. */
	body: Buffer;
	/** Why the body ended early, where it did. */
	incomplete?: TransportProblem;
}

/** What one attempt came to. `sent` is false only where the service can't have seen the request. */
export type Attempt =
	| { kind: 'answer'; answer: RawResponse; ms: number }
	| { kind: 'problem'; problem: TransportProblem; sent: boolean; ms: number };

export interface Client {
	readonly baseUrl: string;
	readonly origin: string;
	send(request: HttpRequest): Promise<Attempt>;
	/** Ends every connection; requests under way come back as lost. */
	close(): Promise<void>;
}

/** What takes requests to one origin: a pool, or a proxy's agent. */
export interface Sender extends Pick<Dispatcher, 'dispatch' | 'destroy'> {
	/** An error for a response that is the proxy's own and not the service's. */
	refusal?(status: number): Error | undefined;
}

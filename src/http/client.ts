/** Sends one request once. */

import type { Dispatcher } from 'undici';
import type { Auth } from '../net.js';
import { authHeader, type ConnectionOptions, createSender } from './connection.js';
import type { TransportProblem } from './problem.js';
import { decoded, MAX_RESPONSE_BYTES, type Response, type ResponseHeaders } from './response.js';

export interface ClientOptions extends ConnectionOptions {
	auth: Auth;
	/** A client that never connected gives up after so many milliseconds. */
	connectWithinMs?: number | undefined;
	userAgent: string;
	/** Names and values in turn. */
	headers?: string[] | undefined;
	/** The listener redacts. */
	trace?: ((event: TraceEvent) => void) | undefined;
	monotonic(): number;
}

export type TraceEvent = { method: string; url: string } & (
	| { type: 'request'; headers: readonly string[]; body: string | undefined }
	| { type: 'response'; requestBody: string | undefined; response: Response }
);

export interface HttpRequest {
	method: string;
	path: string;
	body?: string | undefined;
}

export interface Client {
	/** Once; never throws for the service or the network. */
	send(request: HttpRequest): Promise<Response>;
	/** Leaves the connections made so far: one of them brought a response to something else. */
	renew(): void;
	/** Requests under way come back as lost. */
	close(): Promise<void>;
}

const timedOut = new Error('timed out');
const tooLarge = new Error('too large');

class Exchange implements Dispatcher.DispatchHandler {
	status = 0;
	headers: ResponseHeaders = {};
	/** Whether a connection has taken the request. */
	isStarted = false;
	readonly chunks: Buffer[] = [];
	private bytes = 0;
	private controller: Dispatcher.DispatchController | undefined;
	private isOver = false;

	constructor(private readonly ended: (exchange: Exchange, error?: Error) => void) {}

	/** undici drops what it has not sent yet once it gets to it. */
	giveUp(): void {
		if (this.controller === undefined) this.end(timedOut);
		else this.controller.abort(timedOut);
	}

	private end(error?: Error): void {
		if (this.isOver) return;
		this.isOver = true;
		this.ended(this, error);
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		if (this.isOver) controller.abort(timedOut);
		else {
			this.controller = controller;
			this.isStarted = true;
		}
	}

	onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
		// 103, for example.
		if (status < 200) return;
		this.status = status;
		this.headers = headers;
		if (Number(headers['content-length']) > MAX_RESPONSE_BYTES) controller.abort(tooLarge);
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		this.bytes += chunk.length;
		if (this.bytes > MAX_RESPONSE_BYTES) controller.abort(tooLarge);
		else this.chunks.push(chunk);
	}

	onResponseEnd(): void {
		this.end();
	}

	onResponseError(_controller: unknown, error: Error): void {
		this.end(error);
	}
}

/** Sites without pretty URLs take the path as a parameter. */
function wirePath({ pathname, search }: URL, path: string): string {
	if (search === '') return pathname.replace(/\/+$/, '') + path;
	const [route = '', ...query] = path.split('?');
	return [`${pathname}${search}${route.replaceAll('+', '%2B')}`, ...query].join('&');
}

export async function createClient(options: ClientOptions): Promise<Client> {
	const { baseUrl, timeoutMs, connectWithinMs = Number.POSITIVE_INFINITY, trace, monotonic } = options;
	const sender = await createSender(options);
	const base = new URL(baseUrl);
	const { origin, host } = base;
	const { userAgent, headers = [], auth } = options;
	const common = ['accept', 'application/json', 'user-agent', userAgent, ...headers, ...authHeader(auth)];
	const withBody = [...common, 'content-type', 'application/json'];
	let isConnected = false;
	let firstAt: number | undefined;

	function problemOf({ status, isStarted }: Exchange, error: Error, ms: number): TransportProblem {
		if (error === tooLarge) {
			const message = `the response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`;
			return { code: 'response_too_large', message, permanent: true };
		}
		if (error !== timedOut) return sender.describe(error, isStarted);
		if (!isStarted) {
			const message = `no connection within ${Math.round(ms / 10) / 100} s`;
			return { code: 'connect_timeout', message, permanent: false };
		}
		const what = status !== 0 ? 'the end of the response did not arrive' : 'no response';
		return { code: 'timeout', message: `${what} within ${timeoutMs / 1000} s`, permanent: false };
	}

	function responseOf(exchange: Exchange, ms: number, error: Error | undefined): Response {
		const { status, headers, chunks, isStarted } = exchange;
		const [first] = chunks;
		const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
		if (error === undefined) return { status, headers, body, sent: true, ms };
		const problem = problemOf(exchange, error, ms);
		// A proxy's refusal never reached the service.
		const sent = isStarted && problem.code !== 'proxy_failed';
		if (!sent) {
			problem.message = `could not connect to ${host}: ${problem.message}`;
			// The next attempt could end too late.
			if (!isConnected && monotonic() - (firstAt ?? 0) >= connectWithinMs / 3) problem.permanent = true;
		}
		return { status, headers, body, problem, sent, ms };
	}

	function send(request: HttpRequest): Promise<Response> {
		const { method, body } = request;
		const headers = body === undefined ? common : withBody;
		const path = wirePath(base, request.path);
		const url = origin + path;
		trace?.({ type: 'request', method, url, headers, body });
		return new Promise((resolve) => {
			const startedAt = monotonic();
			firstAt ??= startedAt;
			let timer: NodeJS.Timeout;
			const exchange = new Exchange((ended, error) => {
				clearTimeout(timer);
				const response = decoded(responseOf(ended, monotonic() - startedAt, error));
				isConnected ||= response.sent;
				trace?.({ type: 'response', method, url, requestBody: body, response });
				resolve(response);
			});
			const patience = isConnected ? timeoutMs : Math.min(timeoutMs, connectWithinMs);
			timer = setTimeout(() => {
				if (!exchange.isStarted || patience === timeoutMs) exchange.giveUp();
				else timer = setTimeout(() => exchange.giveUp(), timeoutMs - patience);
			}, patience);
			try {
				sender.dispatch(
					{
						origin,
						method: method as Dispatcher.HttpMethod,
						path,
						headers,
						body: body ?? null,
						// A request has one deadline.
						headersTimeout: 0,
						bodyTimeout: 0,
					},
					exchange,
				);
			} catch (error) {
				// It refuses some headers.
				exchange.onResponseError(undefined, error as Error);
			}
		});
	}

	return { send, renew: sender.renew, close: sender.destroy };
}

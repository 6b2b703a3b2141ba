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
	headers?: Readonly<Record<string, string>>;
	/** For -v; the listener redacts. */
	trace?: ((event: TraceEvent) => void) | undefined;
	/** Called a second after a request that has no response by then. */
	onWait?: ((what: string) => void) | undefined;
	monotonic(): number;
}

export type TraceEvent = { method: string; url: string } & (
	| { type: 'request'; headers: ResponseHeaders; body: string | undefined }
	| { type: 'response'; requestBody: string | undefined; response: Response }
);

export interface HttpRequest {
	method: string;
	path: string;
	body?: string | undefined;
	/** On a connection of its own: what a response says that names no object counts only there. */
	alone?: boolean | undefined;
}

/** What responses have shown so far. */
export interface Learned {
	/** That this is the service: one odd response says nothing about its routes. */
	service: boolean;
	/** That it confirms writes without naming their object: a late second one could be taken for another's. */
	nameless: boolean;
	/** Until when it asked to be left alone, if that is longer than anybody waits; milliseconds since 1970. */
	waitUntil: number;
}

export interface Client {
	readonly learned: Learned;
	/** Once; never throws for the service or the network. */
	send(request: HttpRequest): Promise<Response>;
	/** Leaves the connections made so far: one of them brought a response to something else. */
	renew(): void;
	/** Requests under way come back as lost. */
	close(): Promise<void>;
}

/** Then people are told what a request waits for. */
const WAIT_NOTICE_MS = 1000;

const timedOut = new Error('timed out');
const tooLarge = new Error('too large');

/** One request, and what undici calls for it. */
class Exchange implements Dispatcher.DispatchHandler {
	status = 0;
	headers: ResponseHeaders = {};
	readonly chunks: Buffer[] = [];
	readonly timers: NodeJS.Timeout[] = [];
	isStarted = false;
	#controller: Dispatcher.DispatchController | undefined;
	#bytes = 0;
	#isOver = false;

	constructor(
		readonly startedAt: number,
		private readonly ended: (error?: Error) => void,
	) {}

	/** undici drops what it has not sent yet once it gets to it. */
	giveUp(): void {
		if (this.#controller === undefined) this.#end(timedOut);
		else this.#controller.abort(timedOut);
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		if (this.#isOver) controller.abort(timedOut);
		else {
			this.#controller = controller;
			this.isStarted = true;
		}
	}

	onResponseStart(_controller: unknown, status: number, headers: ResponseHeaders): void {
		// Informational responses, such as 103, come before the one that counts.
		if (status < 200) return;
		this.status = status;
		this.headers = headers;
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		this.#bytes += chunk.length;
		if (this.#bytes > MAX_RESPONSE_BYTES) controller.abort(tooLarge);
		else this.chunks.push(chunk);
	}

	onResponseEnd(): void {
		this.#end();
	}

	onResponseError(_controller: unknown, error: Error): void {
		this.#end(error);
	}

	#end(error?: Error): void {
		if (this.#isOver) return;
		this.#isOver = true;
		for (const timer of this.timers) clearTimeout(timer);
		this.ended(error);
	}
}

/** Sites without pretty URLs take the path as a parameter. */
function wirePath(prefix: string, path: string): string {
	if (!prefix.includes('?')) return prefix + path;
	const [route = '', ...query] = path.split('?');
	return [prefix + route.replaceAll('+', '%2B'), ...query].join('&');
}

function limitProblem(
	{ status, isStarted }: Exchange,
	error: Error,
	ms: number,
	timeoutMs: number,
): TransportProblem | undefined {
	if (error === tooLarge) {
		const message = `the response is larger than ${MAX_RESPONSE_BYTES / 1024 / 1024} MiB`;
		return { code: 'response_too_large', message, permanent: true };
	}
	if (error !== timedOut) return undefined;
	if (!isStarted) {
		const message = `no connection within ${Math.round(ms / 10) / 100} s`;
		return { code: 'connect_timeout', message, permanent: false };
	}
	const what = status === 0 ? 'no response' : 'the end of the response did not arrive';
	return { code: 'timeout', message: `${what} within ${timeoutMs / 1000} s`, permanent: false };
}

export async function createClient(options: ClientOptions): Promise<Client> {
	const { timeoutMs, connectWithinMs, trace, onWait, monotonic, userAgent, auth } = options;
	const { origin, host, protocol, pathname, search } = new URL(options.baseUrl);
	// At its end, Node 20 waits until undici's WebAssembly parser is optimized, unless the budget is larger: 116 ms for a
	// request instead of 195. Once a flag is set, Node's own modules load slowly, so undici and node:tls come first.
	if (process.version.startsWith('v20.')) {
		if (protocol === 'https:') process.getBuiltinModule('node:tls');
		process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=180000000');
	}
	const sender = await createSender(options);
	const prefix = search === '' ? pathname.replace(/\/+$/, '') : pathname + search;
	const common = { accept: 'application/json', 'user-agent': userAgent, ...options.headers, ...authHeader(auth) };
	const withBody = { ...common, 'content-type': 'application/json' };
	let isConnected = false;
	let firstAt: number | undefined;

	function startTimers(exchange: Exchange): void {
		const { timers } = exchange;
		timers.push(setTimeout(() => exchange.giveUp(), timeoutMs));
		if (connectWithinMs !== undefined && !isConnected) {
			timers.push(setTimeout(() => exchange.isStarted || exchange.giveUp(), connectWithinMs));
		}
		if (onWait === undefined) return;
		const show = (): void => onWait(exchange.isStarted ? `for ${host} to respond` : `to connect to ${host}`);
		timers.push(setTimeout(show, WAIT_NOTICE_MS));
	}

	function responseOf(exchange: Exchange, error: Error | undefined): Response {
		const { status, headers, chunks, isStarted, startedAt } = exchange;
		const [first] = chunks;
		const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
		const ms = monotonic() - startedAt;
		if (error === undefined) return decoded({ status, headers, body, sent: true, ms });
		const problem = limitProblem(exchange, error, ms, timeoutMs) ?? sender.describe(error, isStarted);
		// A proxy's refusal never reached the service.
		const sent = isStarted && problem.code !== 'proxy_failed';
		if (!sent) {
			problem.message = `could not connect to ${host}: ${problem.message}`;
			// The next attempt could end too late.
			const isLate = connectWithinMs !== undefined && monotonic() - (firstAt ?? 0) >= connectWithinMs / 3;
			if (!isConnected && isLate) problem.permanent = true;
		}
		return { status, headers, body, problem, sent, ms };
	}

	function send({ method, path: route, body, alone = false }: HttpRequest): Promise<Response> {
		const startedAt = monotonic();
		firstAt ??= startedAt;
		const headers = body === undefined ? common : withBody;
		const path = wirePath(prefix, route);
		trace?.({ type: 'request', method, url: origin + path, headers, body });
		return new Promise((resolve) => {
			const exchange = new Exchange(startedAt, (error) => {
				const response = responseOf(exchange, error);
				isConnected ||= response.sent;
				trace?.({ type: 'response', method, url: origin + path, requestBody: body, response });
				resolve(response);
			});
			startTimers(exchange);
			const request: Dispatcher.DispatchOptions = {
				origin,
				method: method as Dispatcher.HttpMethod,
				path,
				headers,
				body: body ?? null,
				// A request has one deadline.
				headersTimeout: 0,
				bodyTimeout: 0,
			};
			try {
				sender.dispatch(request, exchange, alone);
			} catch (error) {
				// undici throws for headers that it refuses.
				exchange.onResponseError(undefined, error as Error);
			}
		});
	}

	const learned: Learned = { service: false, nameless: false, waitUntil: 0 };
	return { learned, send, renew: sender.renew, close: sender.destroy };
}

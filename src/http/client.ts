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
}

export interface Client {
	/** Once; never throws for the service or the network. */
	send(request: HttpRequest): Promise<Response>;
	/** Leaves the connections made so far: one of them brought a response to something else. */
	renew(): void;
	/** Requests under way come back as lost. */
	close(): Promise<void>;
}

const WAIT_NOTICE_MS = 1000;

const timedOut = new Error('timed out');
const tooLarge = new Error('too large');

type Exchange = ReturnType<typeof createExchange>;

/** What undici calls for one request. */
function createExchange(ended: (error?: Error) => void) {
	let controller: Dispatcher.DispatchController | undefined;
	let bytes = 0;
	let isOver = false;

	function end(error?: Error): void {
		if (isOver) return;
		isOver = true;
		ended(error);
	}

	return {
		status: 0,
		headers: {} as ResponseHeaders,
		chunks: [] as Buffer[],
		isStarted: false,
		/** undici drops what it has not sent yet once it gets to it. */
		giveUp(): void {
			if (controller === undefined) end(timedOut);
			else controller.abort(timedOut);
		},
		onRequestStart(given: Dispatcher.DispatchController): void {
			if (isOver) given.abort(timedOut);
			else {
				controller = given;
				this.isStarted = true;
			}
		},
		onResponseStart(_controller: unknown, status: number, headers: ResponseHeaders): void {
			if (status < 200) return;
			this.status = status;
			this.headers = headers;
		},
		onResponseData(given: Dispatcher.DispatchController, chunk: Buffer): void {
			bytes += chunk.length;
			if (bytes > MAX_RESPONSE_BYTES) given.abort(tooLarge);
			else this.chunks.push(chunk);
		},
		onResponseEnd(): void {
			end();
		},
		onResponseError(_controller: unknown, error: Error): void {
			end(error);
		},
	};
}

/** Sites without pretty URLs take the path as a parameter. */
function wirePath({ pathname, search }: URL, path: string): string {
	if (search === '') return pathname.replace(/\/+$/, '') + path;
	const [route = '', ...query] = path.split('?');
	return [`${pathname}${search}${route.replaceAll('+', '%2B')}`, ...query].join('&');
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

/**
 * At its end, Node 20 waits until undici's WebAssembly parser is optimized, unless the budget is larger: 116 ms for a
 * request instead of 195. Once a flag is set, Node's own modules load slowly, so undici and node:tls come first.
 */
function endSoon(baseUrl: string): void {
	if (!process.version.startsWith('v20.')) return;
	if (baseUrl.startsWith('https:')) process.getBuiltinModule('node:tls');
	process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=180000000');
}

export async function createClient(options: ClientOptions): Promise<Client> {
	endSoon(options.baseUrl);
	const { timeoutMs, connectWithinMs, trace, onWait, monotonic, userAgent, auth } = options;
	const sender = await createSender(options);
	const base = new URL(options.baseUrl);
	const { origin, host } = base;
	const common = { accept: 'application/json', 'user-agent': userAgent, ...options.headers, ...authHeader(auth) };
	const withBody = { ...common, 'content-type': 'application/json' };
	let isConnected = false;
	let firstAt: number | undefined;

	function responseOf(exchange: Exchange, ms: number, error: Error | undefined): Response {
		const { status, headers, chunks, isStarted } = exchange;
		const [first] = chunks;
		const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
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

	function send(request: HttpRequest): Promise<Response> {
		const { method, body } = request;
		const headers = body === undefined ? common : withBody;
		const path = wirePath(base, request.path);
		const url = origin + path;
		trace?.({ type: 'request', method, url, headers, body });
		return new Promise((resolve) => {
			const startedAt = monotonic();
			firstAt ??= startedAt;
			const exchange: Exchange = createExchange((error) => {
				for (const timer of timers) clearTimeout(timer);
				const response = responseOf(exchange, monotonic() - startedAt, error);
				isConnected ||= response.sent;
				trace?.({ type: 'response', method, url, requestBody: body, response });
				resolve(response);
			});
			const timers = [setTimeout(exchange.giveUp, timeoutMs)];
			if (connectWithinMs !== undefined && !isConnected) {
				timers.push(setTimeout(() => exchange.isStarted || exchange.giveUp(), connectWithinMs));
			}
			if (onWait !== undefined) {
				const show = (): void => onWait(exchange.isStarted ? `for ${host} to respond` : `to connect to ${host}`);
				timers.push(setTimeout(show, WAIT_NOTICE_MS));
			}
			// A request has one deadline.
			const deadlines = { headersTimeout: 0, bodyTimeout: 0 };
			const options = { origin, method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null };
			try {
				sender.dispatch({ ...options, ...deadlines }, exchange);
			} catch (error) {
				exchange.onResponseError(undefined, error as Error);
			}
		});
	}

	return { send, renew: sender.renew, close: sender.destroy };
}

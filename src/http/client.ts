/** Sends one request once. */

import type { Dispatcher } from 'undici';
import { authHeader, createSender } from './connection.js';
import { describeProblem, type TransportProblem } from './problem.js';
import { decodeBody, MAX_RESPONSE_BYTES, type Response, type ResponseHeaders } from './response.js';
import type { Client, ConnectionOptions, HttpRequest } from './types.js';

const NO_BODY = Buffer.alloc(0);

const WAIT_NOTICE_MS = 1000;

const CLOSED: Response = {
	status: 0,
	headers: {},
	body: NO_BODY,
	problem: { code: 'closed', message: 'the client was closed', permanent: true },
	sent: false,
	ms: 0,
};

/** Their messages need no "could not connect". */
const NOT_OF_CONNECTING = new Set(['proxy_failed', 'bad_request', 'not_loopback']);

interface Limits {
	maxBytes: number;
	timeoutMs: number;
	monotonic(): number;
	/** Includes the port. */
	host: string;
	explain(error: Error, isStarted: boolean): Error;
}

class Timeout extends Error {}
class TooLarge extends Error {}

/** undici calls the `on…` functions. */
class Exchange implements Dispatcher.DispatchHandler {
	readonly started: number;
	place = 0;
	notice: NodeJS.Timeout | undefined;
	private controller: Dispatcher.DispatchController | undefined;
	private status = 0;
	private headers: ResponseHeaders = {};
	private body: Buffer = NO_BODY;
	private more: Buffer[] | undefined;
	private bytes = 0;
	/** It was given up before it was written, and must not be written later. */
	private overdue: Error | undefined;

	constructor(
		readonly request: HttpRequest,
		private readonly limits: Limits,
		private readonly settle: (exchange: Exchange, response: Response) => void,
		readonly resolve: (response: Response) => void,
	) {
		this.started = limits.monotonic();
	}

	get isStarted(): boolean {
		return this.controller !== undefined;
	}

	/** undici may hold an unsent request for long: it is dropped. */
	abort(): void {
		const reason = new Timeout();
		if (this.controller !== undefined) {
			this.controller.abort(reason);
			return;
		}
		this.overdue = reason;
		const ms = this.limits.monotonic() - this.started;
		const waited = Math.round(ms / 10) / 100;
		const message = `could not connect to ${this.limits.host}: no connection within ${waited} s`;
		this.settle(this, this.response({ code: 'connect_timeout', message, permanent: false }, false));
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		if (this.overdue === undefined) this.controller = controller;
		else controller.abort(this.overdue);
	}

	onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
		// 103, for example.
		if (status < 200) return;
		this.status = status;
		this.headers = headers;
		if (Number(headers['content-length']) > this.limits.maxBytes) controller.abort(new TooLarge());
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		this.bytes += chunk.length;
		if (this.bytes > this.limits.maxBytes) {
			// The beginning shows what it is.
			this.more = undefined;
			controller.abort(new TooLarge());
		} else if (this.body === NO_BODY) {
			this.body = chunk;
		} else {
			this.more ??= [this.body];
			this.more.push(chunk);
		}
	}

	onResponseEnd(): void {
		this.settle(this, this.response());
	}

	onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
		if (this.overdue !== undefined) return;
		const problem = this.problem(error);
		if (this.status !== 0) {
			this.settle(this, this.response(problem));
			return;
		}
		// A proxy's refusal never reached the service.
		const sent = this.controller !== undefined && problem.code !== 'proxy_failed';
		if (!sent && !NOT_OF_CONNECTING.has(problem.code)) {
			problem.message = `could not connect to ${this.limits.host}: ${problem.message}`;
		}
		this.settle(this, this.response(problem, sent));
	}

	private response(problem?: TransportProblem, sent = true): Response {
		const { status, headers } = this;
		const body = this.more === undefined ? this.body : Buffer.concat(this.more);
		const ms = this.limits.monotonic() - this.started;
		if (problem === undefined) return { status, headers, body, sent, ms };
		return { status, headers, body, problem, sent, ms };
	}

	private problem(error: Error): TransportProblem {
		const { timeoutMs, maxBytes } = this.limits;
		if (error instanceof Timeout) {
			const what = this.status !== 0 ? 'the end of the response did not arrive' : 'no response';
			return { code: 'timeout', message: `${what} within ${timeoutMs / 1000} s`, permanent: false };
		}
		if (error instanceof TooLarge) {
			const message = `the response is larger than ${Math.round(maxBytes / 1024 / 1024)} MiB`;
			return { code: 'response_too_large', message, permanent: true };
		}
		return describeProblem(this.limits.explain(error, this.isStarted));
	}
}

/** Sites without pretty URLs take the path as a parameter. */
function wirePathsOf(baseUrl: string): (path: string) => string {
	const { pathname, search } = new URL(baseUrl);
	if (search === '') {
		const prefix = pathname.replace(/\/+$/, '');
		return (path) => prefix + path;
	}
	return (path) => {
		const [route = '', ...query] = path.split('?');
		return [`${pathname}${search}${route.replaceAll('+', '%2B')}`, ...query].join('&');
	};
}

export async function createClient(options: ConnectionOptions): Promise<Client> {
	const { timeoutMs, connectWithinMs, trace, onWait, monotonic } = options;
	const sender = await createSender(options);
	const { origin, host } = new URL(options.baseUrl);
	const wirePath = wirePathsOf(options.baseUrl);
	const { userAgent, headers = [] } = options;
	const common = ['accept', 'application/json', 'user-agent', userAgent, ...headers, ...authHeader(options.auth)];
	const withBody = [...common, 'content-type', 'application/json'];
	const maxBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES;
	const limits: Limits = { maxBytes, timeoutMs, monotonic, host, explain: sender.explain };
	let isClosed = false;

	// Not a Set: V8's sets keep what was taken out of them alive between collections,
	// which for a million rows is most of the memory.
	const waiting: Exchange[] = [];
	let timer: NodeJS.Timeout | undefined;
	// When a client without a connection began.
	let firstAt: number | undefined;
	let isConnected = connectWithinMs === undefined;

	function dueAt(exchange: Exchange): number {
		const due = exchange.started + timeoutMs;
		return isConnected || exchange.isStarted ? due : Math.min(due, (firstAt ?? 0) + (connectWithinMs ?? timeoutMs));
	}

	function arm(ms: number): void {
		timer = setTimeout(sweep, Math.max(1, Math.ceil(ms)));
	}

	/** One timer for all. */
	function sweep(): void {
		const now = monotonic();
		timer = undefined;
		for (const exchange of waiting.filter((each) => dueAt(each) <= now)) exchange.abort();
		if (waiting.length > 0) arm(Math.min(...waiting.map(dueAt)) - now);
	}

	function settle(exchange: Exchange, response: Response): void {
		if (waiting[exchange.place] !== exchange) return;
		const last = waiting.pop() as Exchange;
		if (last !== exchange) {
			waiting[exchange.place] = last;
			last.place = exchange.place;
		}
		if (exchange.notice !== undefined) clearTimeout(exchange.notice);
		if (!isConnected) {
			if (response.sent) isConnected = true;
			// The next attempt could end too late.
			else if (response.problem && monotonic() - (firstAt ?? 0) >= (connectWithinMs ?? 0) / 3) {
				response.problem.permanent = true;
			}
		}
		if (response.headers['content-encoding'] === undefined) finish(exchange, response);
		else void decodeBody(response).then((decoded) => finish(exchange, decoded));
	}

	function finish({ request, resolve }: Exchange, response: Response): void {
		const { method, path, body: requestBody } = request;
		trace?.({ type: 'response', method, url: origin + wirePath(path), requestBody, response });
		resolve(response);
	}

	function send(request: HttpRequest): Promise<Response> {
		if (isClosed) return Promise.resolve(CLOSED);
		const { method, body } = request;
		const base = body === undefined ? common : withBody;
		const headers = request.headers === undefined ? base : [...base, ...request.headers];
		const path = wirePath(request.path);
		trace?.({ type: 'request', method, url: origin + path, headers, body });
		return new Promise((resolve) => {
			const exchange = new Exchange(request, limits, settle, resolve);
			exchange.place = waiting.push(exchange) - 1;
			firstAt ??= exchange.started;
			if (timer === undefined) arm(dueAt(exchange) - exchange.started);
			if (onWait !== undefined) {
				const show = (): void => onWait(exchange.isStarted ? `for ${host} to respond` : `to connect to ${host}`);
				exchange.notice = setTimeout(show, WAIT_NOTICE_MS);
			}
			try {
				sender.dispatch(
					{
						origin,
						method: method as Dispatcher.HttpMethod,
						path,
						headers: headers as string[],
						body: body ?? null,
					},
					exchange,
				);
			} catch (error) {
				// It refuses some headers.
				exchange.onResponseError(undefined, error as Error);
			}
		});
	}

	return {
		baseUrl: options.baseUrl,
		origin,
		send,
		renew: sender.renew,
		async close() {
			isClosed = true;
			clearTimeout(timer);
			timer = undefined;
			await sender.destroy();
		},
	};
}

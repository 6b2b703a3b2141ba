/** Sends one request once and says what came of it; retries, meaning and journalling are others' work. */

import type { Dispatcher } from 'undici';
import { authHeaders, createDispatcher } from './connection.js';
import type { ConnectionOptions } from './options.js';
import { MAX_RESPONSE_BYTES } from './options.js';
import { describeProblem, type TransportProblem } from './problem.js';
import { createScrubber } from './scrub.js';
import type { Attempt, Client, HttpRequest, RawResponse, ResponseHeaders } from './types.js';

const NO_BODY = Buffer.alloc(0);

/** What a request comes to that is made of a client after its end. */
const CLOSED: Attempt = {
	kind: 'problem',
	problem: { code: 'closed', message: 'the client was closed', permanent: true },
	sent: false,
	ms: 0,
};

/** Problems of an unsent request that name what failed by themselves. */
const NOT_OF_CONNECTING = new Set(['proxy_failed', 'bad_request', 'not_loopback']);

function seconds(ms: number): string {
	return `${ms / 1000} s`;
}

class AttemptTimeout extends Error {
	readonly code = 'ATTEMPT_TIMEOUT';
}

class ResponseTooLarge extends Error {
	readonly code = 'ANSWER_TOO_LARGE';
}

/** What every exchange of a client has to keep to. */
interface Limits {
	maxBytes: number;
	timeoutMs: number;
	monotonic(): number;
	/** Host and port, for messages. */
	host: string;
	refusal?(status: number): Error | undefined;
}

/** One request on its way; undici calls the `on…` functions. */
class Exchange implements Dispatcher.DispatchHandler {
	readonly started: number;
	/** Where it stands among those that wait. */
	place = 0;
	private controller: Dispatcher.DispatchController | undefined;
	private status = 0;
	private headers: ResponseHeaders = {};
	private body: Buffer = NO_BODY;
	private more: Buffer[] | undefined;
	private bytes = 0;
	/** Set once the attempt was settled before anything was written: it must never be written later. */
	private overdue: Error | undefined;

	constructor(
		private readonly limits: Limits,
		private readonly settle: (exchange: Exchange, attempt: Attempt) => void,
	) {
		this.started = limits.monotonic();
	}

	/** Gives up waiting. Where no connection came about, undici may hold the request for long: it is then dropped unwritten. */
	abort(reason: Error): void {
		if (this.controller !== undefined) {
			this.controller.abort(reason);
			return;
		}
		this.overdue = reason;
		const ms = this.limits.monotonic() - this.started;
		const message = `could not connect to ${this.limits.host}: no connection within ${seconds(Math.round(ms / 10) * 10)}`;
		const problem = { code: 'connect_timeout', message, permanent: false };
		this.settle(this, { kind: 'problem', problem, sent: false, ms });
	}

	/** Whether a connection has taken the request. */
	get isStarted(): boolean {
		return this.controller !== undefined;
	}

	onRequestStart(controller: Dispatcher.DispatchController): void {
		if (this.overdue !== undefined) {
			controller.abort(this.overdue);
			return;
		}
		this.controller = controller;
	}

	onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
		const refusal = this.limits.refusal?.(status);
		if (refusal !== undefined) {
			controller.abort(refusal);
			return;
		}
		this.status = status;
		this.headers = headers;
		if (Number(headers['content-length']) > this.limits.maxBytes) controller.abort(new ResponseTooLarge());
	}

	onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
		this.bytes += chunk.length;
		if (this.bytes > this.limits.maxBytes) {
			// Its beginning is enough to say what it is.
			this.more = undefined;
			controller.abort(new ResponseTooLarge());
		} else if (this.body === NO_BODY) {
			this.body = chunk;
		} else {
			this.more ??= [this.body];
			this.more.push(chunk);
		}
	}

	onResponseEnd(): void {
		this.settle(this, { kind: 'answer', answer: this.answer(), ms: this.limits.monotonic() - this.started });
	}

	onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
		if (this.overdue !== undefined) return;
		const ms = this.limits.monotonic() - this.started;
		const problem = this.problem(error);
		if (this.status >= 200) {
			this.settle(this, { kind: 'answer', answer: { ...this.answer(), incomplete: problem }, ms });
			return;
		}
		// A proxy's own refusal comes as a response, but the service never saw the request.
		const sent = this.controller !== undefined && problem.code !== 'proxy_failed';
		if (!sent && !NOT_OF_CONNECTING.has(problem.code)) {
			problem.message = `could not connect to ${this.limits.host}: ${problem.message}`;
		}
		this.settle(this, { kind: 'problem', problem, sent, ms });
	}

	private answer(): RawResponse {
		const body = this.more === undefined ? this.body : Buffer.concat(this.more);
		return { status: this.status, headers: this.headers, body };
	}

	private problem(error: Error): TransportProblem {
		if (error instanceof AttemptTimeout) {
			const what = this.status >= 200 ? 'its end did not come' : 'no response';
			return { code: 'timeout', message: `${what} within ${seconds(this.limits.timeoutMs)}`, permanent: false };
		}
		if (error instanceof ResponseTooLarge) {
			const message = `the response is larger than ${Math.round(this.limits.maxBytes / 1024 / 1024)} MiB and was not read further`;
			return { code: 'answer_too_large', message, permanent: true };
		}
		return describeProblem(error);
	}
}

/**
 * Aborts exchanges that take too long. A list in any order and not a Set: V8's sets keep what was taken out of them
 * alive from one collection to the next, which for a million rows is most of the memory.
 */
class Deadlines {
	private readonly waiting: Exchange[] = [];
	private timer: NodeJS.Timeout | undefined;

	constructor(private readonly limits: Limits) {}

	add(exchange: Exchange): void {
		exchange.place = this.waiting.push(exchange) - 1;
		if (this.timer === undefined) this.arm(this.limits.timeoutMs);
	}

	delete(exchange: Exchange): void {
		if (this.waiting[exchange.place] !== exchange) return;
		const last = this.waiting.pop() as Exchange;
		if (last === exchange) return;
		this.waiting[exchange.place] = last;
		last.place = exchange.place;
	}

	stop(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
	}

	private arm(ms: number): void {
		this.timer = setTimeout(() => this.sweep(), Math.max(1, Math.ceil(ms)));
	}

	private sweep(): void {
		const limit = this.limits.monotonic() - this.limits.timeoutMs;
		this.timer = undefined;
		const [late, others] = [
			this.waiting.filter((each) => each.started <= limit),
			this.waiting.filter((each) => each.started > limit),
		];
		for (const exchange of late) {
			this.delete(exchange);
			exchange.abort(new AttemptTimeout());
		}
		if (others.length > 0) this.arm(Math.min(...others.map((each) => each.started)) - limit);
	}
}

/** After how long a person is shown what a request waits for, in milliseconds. */
const WAIT_NOTICE_MS = 1000;

/** Limits how long a client tries to connect at all, for a command with few requests; says what one waits for. */
class Patience {
	private firstAt: number | undefined;
	private isConnected = false;

	constructor(
		private readonly limits: Limits,
		private readonly options: Pick<ConnectionOptions, 'connectWithinMs' | 'onWait'>,
	) {}

	/** Watches a request; call the returned function at its end. */
	watch(exchange: Exchange): (attempt: Attempt) => void {
		const { connectWithinMs, onWait } = this.options;
		this.firstAt ??= exchange.started;
		const timers: NodeJS.Timeout[] = [];
		if (connectWithinMs !== undefined && !this.isConnected) {
			const left = this.firstAt + connectWithinMs - exchange.started;
			timers.push(setTimeout(() => !exchange.isStarted && exchange.abort(new AttemptTimeout()), Math.max(1, left)));
		}
		if (onWait !== undefined) {
			const { host } = this.limits;
			const show = (): void => onWait(exchange.isStarted ? `for ${host} to respond` : `to connect to ${host}`);
			timers.push(setTimeout(show, WAIT_NOTICE_MS));
		}
		return (attempt) => {
			for (const timer of timers) clearTimeout(timer);
			if (attempt.kind === 'answer' || attempt.sent) this.isConnected = true;
			// The wait before a retry doubles, so that after a third of the time the next one could end too late.
			else if (connectWithinMs !== undefined && !this.isConnected && this.elapsed() >= connectWithinMs / 3) {
				attempt.problem.permanent = true;
			}
		};
	}

	private elapsed(): number {
		return this.limits.monotonic() - (this.firstAt ?? 0);
	}
}

/** Opens a client for one base URL; connections are made as requests need them. */
export async function createClient(options: ConnectionOptions): Promise<Client> {
	const dispatcher = await createDispatcher(options);
	const url = new URL(options.baseUrl);
	const { origin } = url;
	const basePath = url.pathname.replace(/\/+$/, '');
	const common = ['accept', 'application/json', 'user-agent', options.userAgent, ...authHeaders(options.auth).flat()];
	const withBody = [...common, 'content-type', 'application/json'];
	const limits: Limits = {
		maxBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
		timeoutMs: options.timeoutMs,
		monotonic: options.monotonic ?? (() => performance.now()),
		host: url.host,
		...(dispatcher.refusal && { refusal: dispatcher.refusal }),
	};
	const deadlines = new Deadlines(limits);
	const needsPatience = options.connectWithinMs !== undefined || options.onWait !== undefined;
	const patience = needsPatience ? new Patience(limits, options) : undefined;
	const { trace } = options;
	const scrub = options.hide === undefined ? undefined : createScrubber(options.hide);

	let closed = false;

	function send(request: HttpRequest): Promise<Attempt> {
		if (closed) return Promise.resolve(CLOSED);
		const base = request.body === undefined ? common : withBody;
		const headers = request.headers === undefined ? base : [...base, ...request.headers];
		const target = trace === undefined ? '' : `${origin}${basePath}${request.path}`;
		trace?.({ type: 'request', method: request.method, url: target, headers, body: request.body });
		return new Promise((resolve) => {
			const exchange = new Exchange(limits, (settled, received) => {
				deadlines.delete(settled);
				unwatch?.(received);
				const settle = (attempt: Attempt): void => {
					if (trace !== undefined) traceAttempt(request, target, attempt);
					resolve(attempt);
				};
				const attempt = scrub === undefined ? received : scrub(received);
				if (attempt instanceof Promise) void attempt.then(settle);
				else settle(attempt);
			});
			deadlines.add(exchange);
			const unwatch = patience?.watch(exchange);
			dispatcher.dispatch(
				{
					origin,
					method: request.method as Dispatcher.HttpMethod,
					path: basePath + request.path,
					headers: headers as string[],
					body: request.body ?? null,
				},
				exchange,
			);
		});
	}

	function traceAttempt({ method, body: requestBody }: HttpRequest, target: string, attempt: Attempt): void {
		if (attempt.kind === 'problem') {
			const { problem, sent, ms } = attempt;
			trace?.({ type: 'problem', method, url: target, message: problem.message, sent, ms });
			return;
		}
		const { status, headers, body } = attempt.answer;
		trace?.({
			type: 'answer',
			method,
			url: target,
			status,
			headers,
			body: body.toString('utf8'),
			requestBody,
			bytes: body.length,
			ms: attempt.ms,
		});
	}

	return {
		baseUrl: options.baseUrl,
		origin,
		send,
		async close() {
			closed = true;
			deadlines.stop();
			await dispatcher.destroy();
		},
	};
}

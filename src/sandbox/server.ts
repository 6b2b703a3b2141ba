/** HTTP around the desk: reads requests, finds who calls and what they ask, and writes answers; whatever comes, it goes on serving. */

import { isUtf8 } from 'node:buffer';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isObject } from '../api/values.js';
import type { SignIn } from './access.js';
import { type Answer, noRoute, pages, ServiceError } from './answers.js';
import { type Desk, ok } from './call.js';
import type { Fault, Faults } from './faults.js';
import type { Router } from './routes.js';

/** One answered or dropped request, for a log. Nothing of headers or bodies. */
export interface RequestEntry {
	/** Milliseconds since 1970. */
	time: number;
	method: string;
	path: string;
	/** 0 where the connection was dropped. */
	status: number;
	ms: number;
}

export interface ServerOptions {
	desk: Desk;
	router: Router;
	signIn: SignIn;
	faults: Faults;
	/** What comes before the interface's own path: `/wp-json`. */
	basePath: string;
	clock: { now(): number; monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
	onRequest?: ((entry: RequestEntry) => void) | undefined;
}

/** Larger bodies are refused, as a proxy in front would. */
export const MAX_BODY = 8 * 1024 * 1024;

const MAX_PASSED = 8 * MAX_BODY;

/** Connections are kept for callers that take their time between requests. */
const KEEP_ALIVE_MS = 10 * 60 * 1000;

const NO_BODY: Readonly<Record<string, unknown>> = {};
const NO_QUERY = new URLSearchParams();
const JSON_TYPE = 'application/json; charset=UTF-8';
const HOST = /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/;

function invalidJson(reason: string): ServiceError {
	return new ServiceError(400, 'rest_invalid_json', 'Invalid JSON body passed.', {
		json_error_code: 4,
		json_error_message: reason,
	});
}

/** The parameters of a JSON body; other types of body are no parameters, and neither is JSON that is no object. */
function parseBody(type: string | undefined, bytes: Buffer): Readonly<Record<string, unknown>> {
	if (bytes.length === 0 || (type !== undefined && !type.includes('json'))) return NO_BODY;
	if (!isUtf8(bytes)) throw invalidJson('Malformed UTF-8 characters, possibly incorrectly encoded');
	let value: unknown;
	try {
		value = JSON.parse(bytes.toString('utf8'));
	} catch {
		throw invalidJson('Syntax error');
	}
	return isObject(value) ? value : NO_BODY;
}

/**
 * Reads a body of at most MAX_BODY bytes; undefined where it is larger. The rest of a larger one is let pass, because
 * a caller that is hung up on while it sends never sees the answer; one that never ends is hung up on all the same.
 */
function readBody(request: IncomingMessage, done: (bytes: Buffer | undefined) => void): void {
	let chunks: Buffer[] = [];
	let length = 0;
	request.on('data', (chunk: Buffer) => {
		length += chunk.length;
		if (length <= MAX_BODY) chunks.push(chunk);
		else chunks = [];
		if (length > MAX_PASSED) request.socket.destroy();
	});
	request.on('end', () => {
		if (length > MAX_BODY) done(undefined);
		else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
	});
}

export function createDeskServer(options: ServerOptions): Server {
	const { desk, router, signIn, faults, basePath, clock, onRequest } = options;

	/** What the service says to a request below its root. */
	function serve(request: IncomingMessage, path: string, query: string, bytes: Buffer): Answer {
		try {
			const caller = signIn.callerOf(request.headers.authorization);
			const found = router.find(request.method ?? '', path);
			if (found === undefined) throw noRoute();
			return found.route.meaning({
				caller,
				route: path,
				path: found.path,
				query: query === '' ? NO_QUERY : new URLSearchParams(query),
				body: parseBody(request.headers['content-type'], bytes),
				origin: originOf(request),
			});
		} catch (error) {
			if (error instanceof ServiceError) return error.answer();
			return new ServiceError(500, 'internal_server_error', `The sandbox failed: ${String(error)}`).answer();
		}
	}

	/** The site's own answers, where the address is not the interface's. */
	function outside(path: string): Answer {
		if (path === '/') return pages.home;
		if (path === basePath || path === `${basePath}/`) {
			return ok({ name: 'Example Help Desk', namespaces: [desk.root.slice(basePath.length + 1)] });
		}
		return basePath !== '' && path.startsWith(`${basePath}/`) ? noRoute().answer() : pages.notFound;
	}

	function answerTo(request: IncomingMessage, bytes: Buffer): Answer {
		const url = request.url ?? '/';
		const mark = url.indexOf('?');
		const path = mark === -1 ? url : url.slice(0, mark);
		const { root } = desk;
		if (path.startsWith(root) && (path.length === root.length || path[root.length] === '/')) {
			return serve(request, path.slice(root.length), mark === -1 ? '' : url.slice(mark + 1), bytes);
		}
		return outside(path);
	}

	function send(response: ServerResponse, answer: Answer): void {
		const text = answer.html ?? JSON.stringify(answer.body);
		response.writeHead(answer.status, {
			'Content-Type': answer.html === undefined ? JSON_TYPE : 'text/html; charset=UTF-8',
			'Content-Length': Buffer.byteLength(text),
			// Once it stops listening, no connection is kept waiting for more.
			...(server.listening ? answer.headers : { ...answer.headers, Connection: 'close' }),
		});
		response.end(text);
	}

	/** Answers, or does what the fault says. */
	function finish(request: IncomingMessage, response: ServerResponse, bytes: Buffer, fault: Fault | undefined): number {
		const sent = (answer: Answer): number => {
			send(response, answer);
			return answer.status;
		};
		switch (fault) {
			case undefined:
				return sent(answerTo(request, bytes));
			case 'drop-before':
				request.socket.destroy();
				return 0;
			case 'drop-after':
				answerTo(request, bytes);
				request.socket.destroy();
				return 0;
			default:
				return sent(fault.answer);
		}
	}

	async function late(handle: () => void): Promise<void> {
		await clock.sleep(faults.latencyMs);
		handle();
	}

	const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
		const started = onRequest === undefined ? 0 : clock.monotonic();
		const log = (status: number): void =>
			onRequest?.({
				time: clock.now(),
				method: request.method ?? '',
				path: request.url ?? '',
				status,
				ms: Math.round((clock.monotonic() - started) * 10) / 10,
			});
		request.on('error', () => {});
		readBody(request, (bytes) => {
			if (bytes === undefined) {
				send(response, pages.tooLarge);
				log(pages.tooLarge.status);
				return;
			}
			const handle = (): void => log(finish(request, response, bytes, faults.none ? undefined : faults.next()));
			if (faults.latencyMs > 0) void late(handle);
			else handle();
		});
	});
	server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
		if (!socket.writable || error.code === 'ECONNRESET') {
			socket.destroy();
			return;
		}
		const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
		socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
	});
	return server;
}

/** How the caller addressed the sandbox, so that links stay on the caller's origin. */
function originOf(request: IncomingMessage): string {
	const host = request.headers.host ?? '';
	return `http://${HOST.test(host) ? host : `127.0.0.1:${request.socket.localPort ?? 0}`}`;
}

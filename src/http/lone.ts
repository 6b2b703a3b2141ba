/** One connection over Node's own HTTP client, which is there in a third of the time that undici takes: for lone requests. */

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Dispatcher } from 'undici';
import { emptyRecord } from '../api/record.js';
import type { AnswerHeaders } from './client.js';
import type { Sender } from './connection.js';

/** An error with a code that `describeProblem` knows, so that both ways of sending have one name for each trouble. */
function coded(code: string, message: string, cause?: unknown): Error {
	return Object.assign(new Error(message, { cause }), { code });
}

/** Node's codes for what undici has codes of its own for. */
const SAME_TROUBLE: Readonly<Record<string, string>> = {
	HPE_HEADER_OVERFLOW: 'UND_ERR_HEADERS_OVERFLOW',
	HPE_UNEXPECTED_CONTENT_LENGTH: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
	HPE_INVALID_TRANSFER_ENCODING: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
};

/** What undici calls these; Node has one code for a connection that was reset and for one that was closed. */
function asUndici(error: NodeJS.ErrnoException): Error {
	if (error.message === 'socket hang up' || error.message === 'aborted') {
		return coded('UND_ERR_SOCKET', 'other side closed', error);
	}
	const code = SAME_TROUBLE[error.code ?? ''];
	return code === undefined ? error : coded(code, error.message, error);
}

/** Names and values in turn as an object; a header that comes twice is a list. */
function headerObject(list: readonly string[]): Record<string, string | string[]> {
	const headers = emptyRecord<string | string[]>();
	for (let index = 0; index + 1 < list.length; index += 2) {
		const name = list[index] as string;
		const value = list[index + 1] as string;
		const before = headers[name];
		headers[name] = before === undefined ? value : [before, value].flat();
	}
	return headers;
}

/** What came, with names in small letters. */
function headersOf({ rawHeaders }: IncomingMessage): AnswerHeaders {
	return headerObject(rawHeaders.map((each, index) => (index % 2 === 0 ? each.toLowerCase() : each)));
}

/** What goes out. Node gives a body its length only with some methods. */
function requestHeaders(list: readonly string[], body: string | undefined): Record<string, string | string[]> {
	const headers = headerObject(list);
	if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
	return headers;
}

/** Sends a request once it is connected, and hands what happens over to its handler, which hears of one end and of nothing after it. */
function follow(request: ClientRequest, body: string | undefined, handler: Dispatcher.DispatchHandler): void {
	let ended = false;
	let received: IncomingMessage | undefined;
	const fail = (error: Error): void => {
		if (ended) return;
		ended = true;
		request.destroy();
		handler.onResponseError?.(controller, error);
	};
	// What comes behind a whole answer does not take it back.
	const lose = (error: NodeJS.ErrnoException): void => {
		if (received?.complete !== true) fail(asUndici(error));
	};
	const controller = { abort: fail } as Dispatcher.DispatchController;

	request.on('error', lose);
	request.on('socket', (socket) => {
		// Nothing is written before: a request that was given up meanwhile never is.
		const begin = (): void => {
			handler.onRequestStart?.(controller, undefined);
			if (!ended) request.end(body);
		};
		if (request.reusedSocket) begin();
		else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', begin);
	});
	request.on('continue', () => fail(coded('UND_ERR_SOCKET', 'bad response')));
	request.on('upgrade', () => fail(coded('UND_ERR_SOCKET', 'bad upgrade')));
	request.on('response', (answer) => {
		const status = answer.statusCode ?? 0;
		if (status < 100) return fail(coded('ERR_ASSERTION', `status ${status}`));
		received = answer;
		answer.on('error', lose);
		answer.on('data', (chunk: Buffer) => {
			if (!ended) handler.onResponseData?.(controller, chunk);
		});
		answer.on('end', () => {
			if (ended) return;
			ended = true;
			handler.onResponseEnd?.(controller, {});
		});
		handler.onResponseStart?.(controller, status, headersOf(answer), answer.statusMessage);
	});
}

/** A connection that was idle for longer, in milliseconds, is not used again: the service may be about to close it. */
const MAX_IDLE_MS = 4000;

/** What takes requests to one origin, one at a time. */
export async function createLoneSender(origin: string, connect: RequestOptions): Promise<Sender> {
	const { protocol, hostname, port } = new URL(origin);
	const { Agent, request } = protocol === 'https:' ? await import('node:https') : await import('node:http');
	const agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: MAX_IDLE_MS });
	const underWay = new Set<ClientRequest>();
	const target = { ...connect, agent, host: hostname.replace(/^\[|\]$/g, ''), port };

	return {
		dispatch({ method, path, headers, body: content }, handler) {
			const body = (content as string | null) ?? undefined;
			let sending: ClientRequest;
			try {
				sending = request({ ...target, method, path, headers: requestHeaders(headers as string[], body) });
			} catch (error) {
				handler.onResponseError?.(undefined as never, coded('UND_ERR_INVALID_ARG', (error as Error).message, error));
				return true;
			}
			underWay.add(sending);
			sending.once('close', () => underWay.delete(sending));
			follow(sending, body, handler);
			return true;
		},
		async destroy() {
			for (const each of underWay) each.destroy(coded('UND_ERR_SOCKET', 'other side closed'));
			agent.destroy();
		},
	};
}

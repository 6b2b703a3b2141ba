/** A server that writes down every request and responds as the test says. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { arrivals, listen } from './listen.js';
import { pathOf, shownTo, startOf } from './objects.js';

export interface RecordedRequest {
	method: string;
	/** With the query. */
	url: string;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Recorder {
	baseUrl: string;
	requests: RecordedRequest[];
	/** What the binary needs to reach it, as user `ada` with password `s3cret pass`. */
	env: Record<string, string>;
	/** Resolves once so many requests have come. */
	reached(requests: number): Promise<void>;
}

/** Responds to a request, the `count`th of all; a responder that it returns responds in its place. */
export type Responder = (request: RecordedRequest, response: ServerResponse, count: number) => unknown;

/** Responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Responder {
	return (_request, response) => {
		response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
		response.end(JSON.stringify(body));
	};
}

/** Responds with text of any type. */
export function text(status: number, body: string, headers: Record<string, string> = {}): Responder {
	return (_request, response) => {
		response.writeHead(status, { 'content-type': 'text/html; charset=UTF-8', ...headers });
		response.end(body);
	};
}

/** The id of the ticket or user that a request is for; NaN where there is none. */
export function idOf({ url }: RecordedRequest): number {
	return Number(/\/(?:tickets|users)\/(\d+)/.exec(url)?.[1]);
}

/** Custom fields that exist where a test doesn't say which. */
export const CUSTOM_FIELDS = ['colour', 'color', 'size', 'severity', 'note', 'order', 'a', 'b'];

/** What a service says that offers no lists, and no single users: its own word that there is no such route. */
export function withoutLists({ method, url }: Pick<RecordedRequest, 'method' | 'url'>): Responder | undefined {
	const path = url.split('?')[0] ?? '';
	const isList = !/\/\d+$|\/custom-fields$|\/me$/.test(path);
	if (method !== 'GET' || !(isList || path.includes('/users/'))) return undefined;
	return json(404, { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } });
}

/** Does what the request asks for: responds with the object that its path names. @param more what the object shows */
export function done(more: Record<string, unknown> = {}): Responder {
	const tickets = new Map<string, Map<string, unknown>>();
	return (request, response, count) => {
		const { method, url, body: sent } = request;
		const [path = '', query = ''] = url.split('?');
		const id = Number(/\/(\d+)$/.exec(path)?.[1] ?? 1);
		const shows = (body: unknown): unknown => json(200, body)(request, response, count);
		const refusal = withoutLists(request);
		if (refusal !== undefined) return refusal(request, response, count);
		if (path.endsWith('/custom-fields')) {
			const saved = tickets.get(path) ?? new Map<string, unknown>(CUSTOM_FIELDS.map((name) => [name, '']));
			tickets.set(path, saved);
			if (method !== 'GET') {
				for (const [name, value] of Object.entries(JSON.parse(sent).custom_fields)) saved.set(name, value);
				return shows(null);
			}
			return shows(Object.fromEntries([...saved].map(([name, value]) => [name, { name, value }])));
		}
		if (method === 'GET' && /\/\d+$/.test(path)) return shows(shownTo({ ...startOf(pathOf(request)), ...more }, id));
		if (method !== 'DELETE') return shows({ ...more, id });
		const isPermanent = query.includes('force=true') || /passwords|ticket_priority/.test(path);
		return shows(isPermanent ? { deleted: true, previous: more } : { status: 'trash', ...more, id });
	};
}

/** Starts a recorder that ends with the test. */
export async function startRecorder(responder: Responder = done()): Promise<Recorder> {
	const requests: RecordedRequest[] = [];
	const { note, reached } = arrivals();
	const server = createServer((message, response) => {
		const chunks: Buffer[] = [];
		message.on('data', (chunk: Buffer) => chunks.push(chunk));
		message.on('end', () => {
			const { method = '', url = '', headers } = message;
			const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
			requests.push(request);
			note();
			let next: unknown = responder;
			while (typeof next === 'function') next = next(request, response, requests.length);
		});
	});
	const baseUrl = `http://127.0.0.1:${await listen(server)}/wp-json`;
	return {
		baseUrl,
		requests,
		reached,
		env: { SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_USERNAME: 'ada', SUPPORTCTL_PASSWORD: 's3cret pass' },
	};
}

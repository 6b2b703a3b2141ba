/** A server that speaks TCP by hand, so that a test can respond with any bytes or none, and counts the requests. */

import { createServer, type Socket } from 'node:net';
import { arrivals, listen } from './listen.js';
import { pathOf, type Shown, shownTo, startOf } from './objects.js';

/** One request as it came in, and the means to respond to it. */
export interface RawRequest {
	/** 1-based: which connection, which request on it, and which of all. */
	readonly connection: number;
	readonly onConnection: number;
	readonly number: number;
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	readonly socket: Socket;
	/** How many requests for this path came so far, this one included. */
	readonly tries: number;
	/** Writes bytes as they are. */
	write(bytes: string | Uint8Array): void;
	/** A whole response with its Content-Length. */
	answer(status: number, body?: string | Uint8Array, headers?: Record<string, string>): void;
	/** A JSON response. */
	json(status: number, value: unknown, headers?: Record<string, string>): void;
	/** Does what it asks for: shows the object that its path names, as reads do from then on. */
	done(headers?: Record<string, string>): void;
	/** Ends the connection as a program that crashes does. */
	reset(): void;
}

/** What happens to each request; by default nothing. */
export type Script = (request: RawRequest) => void | Promise<void>;

export interface RawServerOptions {
	host?: string;
	/** Before any byte is read. */
	onConnection?: (socket: Socket, connection: number) => void;
	/** 0 stands for any that is free. */
	port?: number;
	/** Whether the server itself answers reads of objects, so that the script gets the other requests alone. */
	showsObjects?: boolean;
}

export interface RawServer {
	readonly port: number;
	readonly baseUrl: string;
	readonly requests: readonly RawRequest[];
	/** Those that the server answered itself; they are in neither `requests` nor `counts`. */
	readonly reads: readonly string[];
	readonly connections: number;
	/** How many requests each path had. */
	readonly counts: ReadonlyMap<string, number>;
	/** Resolves once so many requests have come. */
	reached(requests: number): Promise<void>;
}

/** A response as bytes, with the length that it has. */
export function httpResponse(
	status: number | string,
	body: string | Uint8Array = '',
	headers: Record<string, string> = {},
): Buffer {
	const bytes = Buffer.from(body as Uint8Array);
	const all: Record<string, string> = { 'content-length': String(bytes.length), ...headers };
	const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
	const line = typeof status === 'number' ? `${status} Whatever` : status;
	return Buffer.concat([Buffer.from(`HTTP/1.1 ${line}\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}

/** Starts it on a free port; it ends with the test. */
export async function startRawServer(script: Script, options: RawServerOptions = {}): Promise<RawServer> {
	const { host = '127.0.0.1', showsObjects = false } = options;
	const reads: string[] = [];
	const written = new Map<string, Shown>();
	const { note, reached } = arrivals();
	const requests: RawRequest[] = [];
	const counts = new Map<string, number>();
	let connections = 0;

	function take(socket: Socket, connection: number): void {
		let bytes: Buffer = Buffer.alloc(0);
		let onConnection = 0;
		socket.on('data', (chunk) => {
			bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
			for (;;) {
				const end = bytes.indexOf('\r\n\r\n');
				if (end < 0) return;
				const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
				const headers: Record<string, string> = {};
				for (const line of lines) {
					const name = line.slice(0, line.indexOf(':')).toLowerCase();
					const value = line.slice(line.indexOf(':') + 1).trim();
					headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
				}
				const length = Number(headers['content-length'] ?? 0);
				if (bytes.length < end + 4 + length) return;
				const body = bytes.toString('utf8', end + 4, end + 4 + length);
				bytes = bytes.subarray(end + 4 + length);
				const [method = '', path = ''] = first.split(' ');
				begin(socket, { connection, onConnection: ++onConnection, method, path, headers, body });
			}
		});
	}

	/** What a desk shows, on which every ID exists; undefined where no object is asked for. */
	function shownBy(url: string): unknown {
		const path = pathOf({ url });
		const show = (each: string) => shownTo({ ...startOf(each), ...written.get(each) }, Number(each.split('/').at(-1)));
		const include = new URLSearchParams(url.split('?')[1]).get('include');
		if (include !== null) return include.split(',').map((id) => show(`${path}/${id}`));
		return /\/\d+$/.test(path) ? show(path) : undefined;
	}

	function begin(
		socket: Socket,
		facts: Pick<RawRequest, 'connection' | 'onConnection' | 'method' | 'path' | 'headers' | 'body'>,
	): void {
		const write = (bytes: string | Uint8Array): void => {
			if (!socket.destroyed) socket.write(bytes);
		};
		const json: RawRequest['json'] = (status, value, headers) =>
			write(httpResponse(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers }));
		const object = showsObjects && facts.method === 'GET' ? shownBy(facts.path) : undefined;
		if (object !== undefined) {
			reads.push(facts.path);
			json(200, object);
			return;
		}
		const tries = (counts.get(facts.path) ?? 0) + 1;
		counts.set(facts.path, tries);
		const request: RawRequest = {
			...facts,
			number: requests.length + 1,
			socket,
			tries,
			write,
			answer: (status, body, headers) => write(httpResponse(status, body, headers)),
			json,
			done(headers) {
				if (facts.method === 'POST') written.set(pathOf({ url: facts.path }), JSON.parse(facts.body) as Shown);
				json(200, { id: Number(/\d+$/.exec(facts.path)?.[0]), status: 'hold' }, headers);
			},
			reset: () => socket.resetAndDestroy(),
		};
		requests.push(request);
		note();
		void script(request);
	}

	const server = createServer({ noDelay: true }, (socket) => {
		socket.on('error', () => {});
		const connection = ++connections;
		options.onConnection?.(socket, connection);
		if (!socket.destroyed) take(socket, connection);
	});
	const port = await listen(server, { host, port: options.port });
	return {
		port,
		baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
		requests,
		reads,
		get connections() {
			return connections;
		},
		counts,
		reached,
	};
}

/** A forward proxy over net and http: absolute-form requests and CONNECT tunnels, with a record of both. */

import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { listen } from './listen.js';

export interface ForwardProxy {
	url: string;
	/** `CONNECT host:port` and `GET http://…`, in order. */
	seen: string[];
	/** Headers of the requests and tunnels, as the proxy got them. */
	headers: IncomingMessage['headers'][];
}

/** Starts a proxy that takes every host for this machine and ends with the test; with `credentials` it refuses whoever does not bring them. */
export async function startForwardProxy(options: { credentials?: string } = {}): Promise<ForwardProxy> {
	const seen: string[] = [];
	const headers: IncomingMessage['headers'][] = [];
	const expected = options.credentials && `Basic ${Buffer.from(options.credentials).toString('base64')}`;
	const refused = (request: IncomingMessage): boolean =>
		expected !== undefined && request.headers['proxy-authorization'] !== expected;

	const server = createServer((request, response) => {
		seen.push(`${request.method} ${request.url}`);
		headers.push(request.headers);
		if (refused(request)) {
			response.writeHead(407).end();
			return;
		}
		const { 'proxy-authorization': _own, 'proxy-connection': _hop, ...rest } = request.headers;
		const { port, pathname, search } = new URL(request.url as string);
		const target = { host: '127.0.0.1', port, path: pathname + search };
		const onward = httpRequest({ ...target, method: request.method ?? 'GET', headers: rest }, (onwardResponse) => {
			response.writeHead(onwardResponse.statusCode ?? 502, onwardResponse.headers);
			onwardResponse.pipe(response);
		});
		onward.on('error', () => response.writeHead(502).end());
		request.pipe(onward);
	});
	server.on('connect', (request, socket, head) => {
		seen.push(`CONNECT ${request.url}`);
		headers.push(request.headers);
		if (refused(request)) {
			socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
			return;
		}
		const [, port] = (request.url as string).split(':');
		const onward = connect(Number(port), '127.0.0.1', () => {
			socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
			onward.write(head);
			onward.pipe(socket);
			socket.pipe(onward);
		});
		socket.on('close', () => onward.destroy());
		onward.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
		socket.on('error', () => onward.destroy());
	});
	return { url: `http://127.0.0.1:${await listen(server)}`, seen, headers };
}

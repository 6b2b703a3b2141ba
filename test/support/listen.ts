/** Servers of a test on free ports: they and their connections are gone when the test ends. */

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { whenTestEnds } from './test-end.js';

/** Starts to listen; returns the port. */
export async function listen(server: Server, { host = '127.0.0.1', port = 0 } = {}): Promise<number> {
	const sockets = new Set<Socket>();
	server.on('connection', (socket: Socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
	});
	await once(server.listen(port, host), 'listening');
	whenTestEnds(() => {
		for (const socket of sockets) socket.destroy();
		return new Promise<void>((resolve) => server.close(() => resolve()));
	});
	return (server.address() as AddressInfo).port;
}

/** Counts what arrives, and lets a test wait for a number of it. */
export function arrivals(): { note(): void; reached(count: number): Promise<void> } {
	let total = 0;
	let waiting: { count: number; resolve(): void }[] = [];
	return {
		note() {
			total++;
			for (const { count, resolve } of waiting) if (count <= total) resolve();
			waiting = waiting.filter(({ count }) => count > total);
		},
		reached: (count) =>
			new Promise((resolve) => {
				if (total >= count) resolve();
				else waiting.push({ count, resolve });
			}),
	};
}

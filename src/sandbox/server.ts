/** The sandbox's HTTP server on loopback. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDialect, type Prefixes } from '../api/dialect.js';
import { FailedError } from '../errors.js';
import { createFaults, type FaultOptions } from './responses.js';
import { createHandler } from './routes.js';
import { ADMIN_ID, ADMIN_NAME, createSeed } from './samples.js';
import { createStore, type Store } from './store.js';
import { createChance, hashPassword, makePassword, passwordSlug, stamp } from './text.js';

export interface SandboxOptions extends FaultOptions {
	port: number;
	clock: { now(): number; monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
	/** 0 ≤ x < 1. */
	random(): number;
	seed?: number | undefined;
	prefixes?: Partial<Prefixes> | undefined;
	documentedOnly?: boolean | undefined;
	lenient?: boolean | undefined;
	/** Status 0 is a dropped connection. */
	onRequest?: ((entry: { method: string; path: string; status: number }) => void) | undefined;
}

const DEFAULT_SEED = 50;
const GRACE_MS = 2000;
const KEEP_ALIVE_MS = 10 * 60 * 1000;
/** How long a change of passwords takes between reading and writing. */
const PAUSE_MS = 10;

/** @throws FailedError if the port is taken */
export async function openSandbox(options: SandboxOptions) {
	const { clock, seed = DEFAULT_SEED } = options;
	const store = createStore(createSeed(seed));
	const now = (): string => stamp(clock.now());
	const dialect = createDialect(options.prefixes);
	const service = {
		store,
		dialect,
		now,
		isLenient: options.lenient === true,
		pause: () => clock.sleep(PAUSE_MS),
	};
	const handle = createHandler(service, options.documentedOnly === true);
	const nextFault = createFaults(options, createChance(1).next, clock.monotonic);
	const password = addPassword(store, options.random, now());

	async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
		const bytes = Buffer.concat(chunks);
		if (options.latencyMs) await clock.sleep(options.latencyMs);
		const drawn = nextFault();
		// A read saves nothing that could fail halfway.
		const fault = drawn?.work === 'part' && request.method === 'GET' ? undefined : drawn;
		const done = fault?.work === 'none' ? undefined : await handle(request, bytes, fault?.work === 'part');
		const sent = fault === undefined ? done : fault.response;
		options.onRequest?.({ method: request.method ?? '', path: request.url ?? '', status: sent?.status ?? 0 });
		if (sent === undefined) {
			request.socket.destroy();
			return;
		}
		const { status, body, html, headers } = sent;
		const text = html ?? (body === undefined ? '' : JSON.stringify(body));
		response.writeHead(status, {
			'Content-Type': html === undefined ? 'application/json; charset=UTF-8' : 'text/html; charset=UTF-8',
			'Content-Length': Buffer.byteLength(text),
			...headers,
			...(server.listening ? {} : { Connection: 'close' }),
		});
		response.end(text);
	}

	const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
		// The caller went away.
		receive(request, response).catch(() => request.socket.destroy());
	});
	await once(server.listen(options.port, '127.0.0.1'), 'listening').catch((cause: NodeJS.ErrnoException) => {
		const taken = cause.code === 'EADDRINUSE';
		throw new FailedError(
			taken ? `port ${options.port} is already in use` : `can't listen on port ${options.port}: ${cause.message}`,
			{
				code: taken ? 'port_taken' : 'listen_failed',
				hint: 'choose a different port with --port; 0 picks a free one',
				cause,
			},
		);
	});
	const { port } = server.address() as AddressInfo;
	return {
		...{ baseUrl: `http://127.0.0.1:${port}/wp-json`, username: ADMIN_NAME, password, port, store },
		/** Lets requests in flight end. */
		async close(): Promise<void> {
			const ended = new AbortController();
			const closed = once(server.close(), 'close').then(() => ended.abort());
			server.closeIdleConnections();
			await clock.sleep(GRACE_MS, ended.signal);
			server.closeAllConnections();
			await closed;
		},
	};
}

function addPassword(store: Store, random: () => number, now: string): string {
	const password = makePassword(random);
	const hash = hashPassword(password);
	const created = { slug: passwordSlug(hash), name: 'Sandbox', hash, created: now, last_used: null };
	store.users.get(ADMIN_ID)?.passwords.push(created);
	return password;
}

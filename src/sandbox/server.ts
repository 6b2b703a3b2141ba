/** The sandbox's HTTP server on loopback. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDialect, type Prefixes } from '../api/dialect.js';
import { FailedError } from '../errors.js';
import { Bodies } from './bodies.js';
import { createChance, makePassword, stamp } from './generate.js';
import { createFaults, type FaultOptions, page, problem, type SandboxResponse } from './responses.js';
import type { Role } from './rights.js';
import { createHandler } from './routes.js';
import { createPassword, createStore } from './samples.js';

export interface SandboxOptions extends FaultOptions {
	/** 0 takes a free one. */
	port: number;
	clock: { now(): number; monotonic(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
	/** 0 ≤ x < 1. */
	random(): number;
	/** How many tickets; 50 unless given. */
	seed?: number | undefined;
	prefixes?: Partial<Prefixes> | undefined;
	/** Without the reads that the interface does not show. */
	documentedOnly?: boolean | undefined;
	/** Accepts any username in lookups, any slug of a term, no term and no assignee, which live services refuse or misread. */
	lenient?: boolean | undefined;
	/** The documented endpoints alone; unknown properties are refused, and what is refused has the form of RFC 9457. */
	strict?: boolean | undefined;
	/** Whose account is used: the first one with this role. */
	role?: Role | undefined;
	/** Status 0 is a dropped connection. */
	onRequest?: ((entry: { method: string; path: string; status: number }) => void) | undefined;
}

/** Callers take their time between requests. */
const KEEP_ALIVE_MS = 10 * 60 * 1000;

/** @throws FailedError if the port is taken */
export async function openSandbox(options: SandboxOptions) {
	const { clock, seed = 50, role = 'administrator' } = options;
	const store = createStore(seed);
	const now = (): string => stamp(clock.now());
	const service = {
		store,
		dialect: createDialect(options.prefixes),
		now,
		isLenient: options.lenient === true,
	};
	const isStrict = options.strict === true;
	const handle = createHandler(service, { documentedOnly: isStrict || options.documentedOnly === true, isStrict });
	const nextFault = createFaults(options, createChance(1).next, clock.monotonic);
	const password = makePassword(options.random);
	const account = [...store.users.values()].find(({ roles }) => roles.includes(role));
	if (account === undefined) throw new Error(`no sample user has the role ${role}`);
	account.passwords.push(createPassword('Sandbox', password, now()));

	function respond(request: IncomingMessage, body: string): SandboxResponse | undefined {
		const drawn = nextFault();
		// A read saves nothing that could fail halfway.
		const fault = drawn?.work === 'part' && request.method === 'GET' ? undefined : drawn;
		const done = fault?.work === 'none' ? undefined : handle(request, body, fault?.work === 'part');
		return fault === undefined ? done : fault.response;
	}

	const tooLarge = isStrict
		? problem(413, 'Content Too Large', 'the body is too large')
		: page(413, '413 Request Entity Too Large');

	async function receive(request: IncomingMessage, response: ServerResponse, body: string | undefined): Promise<void> {
		const { method = '', url = '' } = request;
		if (options.latencyMs) await clock.sleep(options.latencyMs);
		const sent = body === undefined ? tooLarge : respond(request, body);
		options.onRequest?.({ method, path: url, status: sent?.status ?? 0 });
		if (sent === undefined) {
			request.socket.destroy();
			return;
		}
		response.writeHead(sent.status, { 'Content-Type': `${typeOf(sent)}; charset=UTF-8`, ...sent.headers });
		const shown = sent.problem ?? sent.body;
		response.end(sent.html ?? (shown === undefined ? '' : JSON.stringify(shown)));
	}

	const bodies = new Bodies();
	const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
		const receiving = bodies.with(request, (body) => receive(request, response, body));
		// The caller went away.
		receiving.catch(() => request.socket.destroy());
	});
	const port = await listen(server, options.port);
	return {
		baseUrl: `http://127.0.0.1:${port}/wp-json`,
		username: account.username,
		password,
		port,
		store,
		/** Requests under way still get a response. */
		async close(): Promise<void> {
			const closed = once(server.close(), 'close');
			server.closeAllConnections();
			await closed;
		},
	};
}

function typeOf({ html, problem }: SandboxResponse): string {
	if (html !== undefined) return 'text/html';
	return problem === undefined ? 'application/json' : 'application/problem+json';
}

async function listen(server: Server, port: number): Promise<number> {
	try {
		await once(server.listen(port, '127.0.0.1'), 'listening');
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		const isTaken = code === 'EADDRINUSE';
		throw new FailedError(isTaken ? `port ${port} is already in use` : `can't listen on port ${port}: ${message}`, {
			code: isTaken ? 'port_taken' : 'listen_failed',
			hint: 'choose a different port with --port; 0 picks a free one',
			cause: error,
		});
	}
	return (server.address() as AddressInfo).port;
}

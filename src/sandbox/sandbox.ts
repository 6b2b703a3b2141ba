/** A help desk on loopback: seed, store, routes, faults and state file, wired to a server. */

import type { AddressInfo } from 'node:net';
import { createDialect, type Prefixes } from '../api/dialect.js';
import { FailedError, UsageError } from '../errors.js';
import { createSignIn } from './access.js';
import type { Desk } from './call.js';
import { createChance } from './chance.js';
import { createFaults } from './faults.js';
import { createRouter } from './routes.js';
import { hashSecret, makeApplicationPassword, withoutBlanks } from './secrets.js';
import { ADMIN_ID, ADMIN_NAME, createSeed, stamp } from './seed.js';
import { createDeskServer, type RequestEntry } from './server.js';
import { createStateFile, makeState, readState, type StateFile } from './state-file.js';
import { createStore, type Store } from './store.js';

/** The time that the sandbox lives in. */
export interface SandboxClock {
	now(): number;
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SandboxOptions {
	clock: SandboxClock;
	/** 0 ≤ x < 1; what the password is made of. */
	random(): number;
	/** How many tickets; 50 unless given, or as many as the state file has. */
	seed?: number | undefined;
	latencyMs?: number | undefined;
	/** Share of requests that fail, 0 to 1. */
	failRate?: number | undefined;
	/** What the failures are drawn from: the same number, the same failures. */
	faultSeed?: number | undefined;
	/** Requests a second before 429. */
	rateLimit?: number | undefined;
	stateFile?: string | undefined;
	prefixes?: Partial<Prefixes> | undefined;
	/** `/wp-json` unless given. */
	basePath?: string | undefined;
	onRequest?: ((entry: RequestEntry) => void) | undefined;
	/** Told when the state can't be written for now. */
	onWarning?: ((message: string) => void) | undefined;
}

/** Where it listens, and with what to sign in. */
export interface Listening {
	baseUrl: string;
	username: string;
	password: string;
	port: number;
}

export interface Sandbox {
	/** Opens the port on 127.0.0.1; 0 takes a free one. Throws FailedError where it is taken, or the state can't be written. */
	listen(port: number): Promise<Listening>;
	/** Lets requests in flight end, closes every connection and writes the state. */
	close(): Promise<void>;
	readonly store: Store;
	/** The sandbox's own application password. */
	readonly password: string;
}

export const DEFAULT_SEED = 50;

/** How long requests in flight may take once the sandbox is asked to stop. */
const GRACE_MS = 2000;

/** The slug of the application password that the sandbox tells its user. */
const OWN_PASSWORD = 'sandbox';

/** Makes a sandbox that does not listen yet. Throws FailedError for a state file that can't be used. */
export function createSandbox(options: SandboxOptions): Sandbox {
	const { clock, stateFile: path } = options;
	const state = path === undefined ? undefined : readState(path);
	if (state !== undefined && options.seed !== undefined && options.seed !== state.seed) {
		throw new UsageError(`the state file ${path} holds a desk of ${state.seed} tickets, not of ${options.seed}`, {
			hint: 'Leave --seed out, or name another file with --state.',
		});
	}
	const seed = state?.seed ?? options.seed ?? DEFAULT_SEED;
	let file: StateFile | undefined;
	const store = createStore(createSeed(seed), () => file?.changed());
	if (state !== undefined) store.restore(state.changes);

	const signIn = createSignIn(store);
	const dialect = createDialect(options.prefixes);
	const basePath = options.basePath ?? '/wp-json';
	const desk: Desk = {
		store,
		dialect,
		root: `${basePath}/${dialect.root}/v1`,
		now: () => stamp(clock.now()),
		signInsChanged: signIn.forget,
	};
	const faults = createFaults(
		{ latencyMs: options.latencyMs ?? 0, failRate: options.failRate ?? 0, rateLimit: options.rateLimit },
		createChance(options.faultSeed ?? 1).next,
		clock.monotonic,
	);
	const server = createDeskServer({
		desk,
		router: createRouter(desk),
		signIn,
		faults,
		basePath,
		clock,
		onRequest: options.onRequest,
	});

	const password = ownPassword(store, state?.password, options.random, desk.now());

	/** Only once it listens: a second sandbox on the same file must not write over the first one's. */
	async function keepState(path: string): Promise<void> {
		const opened = createStateFile(path, {
			take: () => makeState(seed, password, store.changes()),
			warn: options.onWarning ?? (() => {}),
			sleep: clock.sleep,
			monotonic: clock.monotonic,
		});
		await opened.open();
		file = opened;
	}

	return {
		store,
		password,

		async listen(port) {
			await new Promise<void>((resolve, reject) => {
				server.once('error', (cause: NodeJS.ErrnoException) => {
					const taken = cause.code === 'EADDRINUSE';
					const why = taken ? 'it is taken' : cause.message;
					reject(
						new FailedError(`the sandbox can't listen on port ${port}: ${why}`, {
							code: taken ? 'port_taken' : 'listen_failed',
							hint: 'Choose another port with --port, or 0 for a free one.',
							cause,
						}),
					);
				});
				server.listen(port, '127.0.0.1', resolve);
			});
			try {
				if (path !== undefined) await keepState(path);
			} catch (error) {
				server.close();
				throw error;
			}
			const chosen = (server.address() as AddressInfo).port;
			return { baseUrl: `http://127.0.0.1:${chosen}${basePath}`, username: ADMIN_NAME, password, port: chosen };
		},

		async close() {
			const ended = new AbortController();
			const closed = new Promise<void>((resolve) => {
				server.close(() => {
					ended.abort();
					resolve();
				});
			});
			server.closeIdleConnections();
			await clock.sleep(GRACE_MS, ended.signal);
			server.closeAllConnections();
			await closed;
			await file?.close();
		},
	};
}

/** The password that was told before, if it still opens the desk; else a new one. */
function ownPassword(store: Store, told: string | undefined, random: () => number, now: string): string {
	const admin = store.users.get(ADMIN_ID);
	if (admin === undefined) {
		throw new FailedError('the desk in the state file has no administrator left', {
			hint: 'Start with another file: nobody could sign in to this one.',
		});
	}
	const works = told !== undefined && admin.passwords.some((each) => each.hash === hashSecret(withoutBlanks(told)));
	if (works) return told;
	const password = makeApplicationPassword(random);
	admin.passwords = admin.passwords.filter((each) => each.slug !== OWN_PASSWORD);
	admin.passwords.push({
		slug: OWN_PASSWORD,
		name: 'Sandbox',
		hash: hashSecret(withoutBlanks(password)),
		created: now,
		last_used: null,
	});
	store.users.put(admin);
	return password;
}

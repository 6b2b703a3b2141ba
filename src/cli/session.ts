/** Reaching the service: settings, a client, and single requests. */

import { createDialect, type Dialect } from '../api/dialect.js';
import { endpoints } from '../api/endpoints.js';
import { createPlanner } from '../api/request.js';
import type { Client, TraceEvent } from '../http/client.js';
import { judge, type Sendable } from '../http/judge.js';
import type { Outcome } from '../http/outcome.js';
import type { SendOptions } from '../http/send.js';
import type { Context } from '../io/context.js';
import { secretsOf } from '../net.js';
import { openPalette, plainPalette } from '../output/colour.js';
import { createOutcomeRedactor, createTextRedactor } from '../output/redact.js';
import { asksForJson } from '../output/sanitise.js';
import type { Probe } from '../profile/probe.js';
import { type Connection, readSetup, resolveConnection } from '../profile/resolve.js';
import { DEFAULT_RETRIES, type Settings, stateFolder } from '../profile/settings.js';
import { version } from '../version.js';
import type { Invocation } from './command.js';
import { notify, say, warn } from './notices.js';

/** Somebody waits for a single request; a run waits for a service to come back. */
const CONNECT_WITHIN_MS = 3000;

export type Session = Awaited<ReturnType<typeof openSession>>;

/** @throws SupportctlError if not signed in */
export async function openSession(invocation: Invocation, credentials = true) {
	const { context, options } = invocation;
	const { clock, random } = context;
	// The setting is a number.
	const concurrency = options.concurrency === 'auto' ? undefined : options.concurrency;
	const connection = await resolveConnection(context, { ...options, concurrency }, credentials);
	warn(context, connection.warnings);
	const dialect = dialectFor(connection.settings);
	const onRetry = ({ status, code }: Outcome, waitMs: number): void => {
		if (waitMs <= 1000 || !context.stderr.isTTY) return;
		const why = status === undefined ? (code ?? 'no response') : `HTTP ${status}`;
		say(invocation, `waiting ${Math.round(waitMs / 1000)} s before a retry (${why}) …`);
	};
	const retries = typeof options.retries === 'number' ? options.retries : DEFAULT_RETRIES;
	const sending: SendOptions = { retries, clock, random, dialect, onRetry };
	return {
		connection,
		dialect,
		// No message shows them.
		secrets: secretsOf(connection.auth),
		service: {
			baseUrl: connection.baseUrl,
			prefixes: dialect.prefixes,
			profile: connection.profileName,
			protected: connection.settings.protected,
		},
		host: new URL(connection.baseUrl).host,
		stateDir: stateFolder(context),
		sending,
		openClient: (connections: number, run?: RunFacts) => openClient(invocation, connection, connections, run),
		signIn: credentials ? undefined : () => openSession(invocation),
	};
}

/** The deployment's own words. */
export function dialectFor({ productPrefix, shopPrefix, membershipPrefix }: Settings): Dialect {
	return createDialect({ product: productPrefix, shop: shopPrefix, membership: membershipPrefix });
}

/** The next step after a 401. */
export function signInAgain({ profileName: name, secretSource }: Connection): string {
	if (secretSource.startsWith('SUPPORTCTL_')) return `check ${secretSource}, or unset it and run: supportctl login`;
	if (name === undefined) return 'sign in again: supportctl login';
	return `the credentials of profile "${name}" may have expired; sign in again: supportctl login --profile ${name}`;
}

/** Works without a base URL and a secret. */
export function dialectOf({ context, options }: Pick<Invocation, 'context' | 'options'>): Dialect {
	return dialectFor(readSetup(context, options).settings);
}

export type Reach = Pick<Connection, 'baseUrl' | 'auth' | 'settings' | 'tls' | 'proxy' | 'allowHttp'>;

/** Whose ID requests carry; `isAlone` if somebody waits for its only row. */
interface RunFacts {
	id: string;
	isAlone: boolean;
}

/** From here on, credentials are removed from stderr. */
export async function openClient(
	invocation: Invocation,
	reach: Reach,
	connections: number,
	run?: RunFacts,
): Promise<Client> {
	const { context, options } = invocation;
	const isAwaited = run?.isAlone !== false;
	const secrets = secretsOf(reach.auth);
	context.hide(createTextRedactor(secrets));
	const { createClient } = await import('../http/client.js');
	return createClient({
		...reach,
		connections,
		trace: options.verbose === undefined ? undefined : await openTrace(context, options.verbose, secrets),
		timeoutMs: reach.settings.timeout * 1000,
		connectWithinMs: isAwaited ? CONNECT_WITHIN_MS : undefined,
		onWait: isAwaited && context.stderr.isTTY ? (what) => say(invocation, `waiting ${what} …`) : undefined,
		userAgent: `supportctl/${version}`,
		headers: run === undefined ? {} : { 'x-request-id': run.id },
		monotonic: context.clock.monotonic,
	});
}

export async function sendOnce(invocation: Invocation, reach: Reach, request: Sendable): Promise<Outcome> {
	const client = await openClient(invocation, reach, 1);
	try {
		return judge(request, await client.send(request), {}, { dialect: dialectFor(reach.settings) });
	} finally {
		await client.close();
	}
}

/** Looks up a user's ID. The outcomes are for display: they have no credentials. */
export function createProbe(invocation: Invocation, reach: Omit<Reach, 'baseUrl' | 'auth'>): Probe {
	// An unknown name works too.
	const { username = 'supportctl' } = reach.settings;
	const request = createPlanner(endpoints['user.id'], dialectFor(reach.settings))({ ids: {}, fields: { username } });
	return async (baseUrl, auth = { scheme: 'none' }) => {
		const outcome = await sendOnce(invocation, { ...reach, baseUrl, auth }, request);
		return createOutcomeRedactor(secretsOf(auth))(outcome, request);
	};
}

async function openTrace(context: Context, verbosity: number, secrets: readonly string[]) {
	const { renderTrace } = await import('../output/trace.js');
	const isJson = asksForJson(context.argv);
	const palette = isJson ? plainPalette : await openPalette(context, context.stderr);
	return (event: TraceEvent): void => {
		const text = renderTrace(event, { verbosity, palette, secrets });
		if (!isJson) context.stderr.write(text);
		else for (const line of text.trim().split('\n')) notify(context, 'message', line);
	};
}

/** What a command needs to talk to the service: resolved settings, their warnings shown, and a client that is made when it is used. */

import { createDialect, type Dialect } from '../api/dialect.js';
import type { Client } from '../http/client.js';
import type { TraceEvent } from '../http/trace.js';
import { stateFolder } from '../profile/folders.js';
import { type ResolvedConnection, resolveConnection } from '../profile/resolve.js';
import { version } from '../version.js';
import type { Invocation, OptionValues } from './command.js';

export interface Session {
	readonly connection: ResolvedConnection;
	readonly dialect: Dialect;
	/** `desk.example`, for questions and summaries. */
	readonly host: string;
	/** Where runs and spooled input are kept. */
	readonly stateDir: string;
	/** Opens the client with this many connections at the most. */
	openClient(connections: number): Promise<Client>;
}

export interface SessionNeeds {
	/** False where nothing is sent, so that no secret is fetched. */
	credentials?: boolean;
	/** Option names that mean something else in this command, such as `username` in `user update`. */
	without?: readonly string[];
}

function withoutKeys(options: OptionValues, names: readonly string[]): OptionValues {
	return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}

/** Resolves settings and shows their warnings. @throws RefusedError where nobody is signed in */
export async function openSession(invocation: Invocation, needs: SessionNeeds = {}): Promise<Session> {
	const { context, options } = invocation;
	const connection = await resolveConnection({
		env: context.env,
		flags: withoutKeys(options, needs.without ?? []),
		cwd: context.cwd,
		credentials: needs.credentials ?? true,
	});
	if (connection.warnings.length > 0) {
		const { sanitise } = await import('../output/sanitise.js');
		for (const warning of connection.warnings) context.stderr.write(`warning: ${sanitise(warning)}\n`);
	}
	const dialect = createDialect(connection.prefixes);
	return {
		connection,
		dialect,
		host: new URL(connection.baseUrl).host,
		stateDir: stateFolder({ env: context.env, cwd: context.cwd }),
		async openClient(connections) {
			const [{ createClient }, trace] = await Promise.all([import('../http/client.js'), traceTo(invocation)]);
			return createClient({
				baseUrl: connection.baseUrl,
				auth: connection.auth,
				timeoutMs: connection.timeoutMs,
				connections,
				tls: connection.tls,
				proxy: connection.proxy,
				userAgent: `supportctl/${version}`,
				trace,
			});
		},
	};
}

/** A listener that logs to stderr as `-v` and `-vv` ask. */
async function traceTo(invocation: Invocation): Promise<((event: TraceEvent) => void) | undefined> {
	const { context, options } = invocation;
	const verbosity = (options.verbose as number | undefined) ?? 0;
	if (verbosity === 0) return undefined;
	const [{ renderTrace }, { stderrPalette }] = await Promise.all([
		import('../output/trace.js'),
		import('./results.js'),
	]);
	const palette = await stderrPalette(invocation);
	return (event) => context.stderr.write(renderTrace(event, { verbosity, palette }));
}

/** What a command needs to talk to the service: resolved settings, their warnings shown, and a client that is made when it is used. */

import { createDialect, type Dialect } from '../api/dialect.js';
import type { Client, ConnectionOptions, TraceEvent } from '../http/types.js';
import type { Auth } from '../net.js';
import { createSecretFinder, isDistinct, REDACTED } from '../output/redact.js';
import { stateFolder } from '../profile/environment.js';
import { prefixesOf, type ResolvedConnection, readSituation, resolveConnection } from '../profile/resolve.js';
import { version } from '../version.js';
import type { Invocation } from './command.js';
import { waitNotice, warn } from './notices.js';
import type { OptionValues } from './options/option.js';
import { stderrPalette } from './palette.js';

/** A run waits for a service that can't be reached for the moment; a command with few requests gives up soon. */
export type ClientUse = 'run' | 'few requests';

/** How long a command with few requests tries to connect, in milliseconds. */
const CONNECT_WITHIN_MS = 3000;

export interface Session {
	readonly connection: ResolvedConnection;
	readonly dialect: Dialect;
	/** `desk.example`, for questions and summaries. */
	readonly host: string;
	/** Where runs and spooled input are kept. */
	readonly stateDir: string;
	/** Opens the client with this many connections at the most. */
	openClient(connections: number, use?: ClientUse): Promise<Client>;
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
	if (connection.warnings.length > 0) warn(context, connection.warnings);
	const dialect = createDialect(connection.prefixes);
	return {
		connection,
		dialect,
		host: new URL(connection.baseUrl).host,
		stateDir: stateFolder({ env: context.env, cwd: context.cwd }),
		openClient: (connections, use) => openClient(invocation, connection, connections, use),
	};
}

/** The deployment's words, without resolving the rest: no base URL or secret is needed. */
export function dialectOf({ context, options }: Invocation, without: readonly string[] = []): Dialect {
	const flags = withoutKeys(options, without);
	return createDialect(prefixesOf(readSituation({ env: context.env, flags, cwd: context.cwd }).settings));
}

/** Opens a client that logs as the invocation asks, and in whose answers the caller's credentials do not come back. */
export async function openClient(
	invocation: Invocation,
	connection: Pick<ResolvedConnection, 'baseUrl' | 'auth' | 'timeoutMs' | 'tls' | 'proxy'> & { allowHttp?: boolean },
	connections: number,
	use: ClientUse = 'few requests',
): Promise<Client> {
	const { baseUrl, auth, timeoutMs, tls, proxy, allowHttp } = connection;
	delayWasmOptimisation();
	const [{ createClient }, trace] = await Promise.all([import('../http/client.js'), traceTo(invocation, auth)]);
	const hide = hideCredentials(auth);
	const userAgent = `supportctl/${version}`;
	const { monotonic } = invocation.context.clock;
	const way = { baseUrl, auth, timeoutMs, tls, proxy, allowHttp };
	const onWait = invocation.context.stderr.isTTY === true ? waitNotice(invocation) : undefined;
	const limits = use === 'run' ? {} : { connectWithinMs: CONNECT_WITHIN_MS, onWait };
	return createClient({ ...way, ...limits, connections, userAgent, trace, hide, monotonic });
}

/** What must not be seen anywhere. */
function secretsOf(auth: Auth): string[] {
	switch (auth.scheme) {
		case 'basic':
			return [auth.password, `${auth.username}:${auth.password}`];
		case 'bearer':
			return [auth.token];
		case 'header':
			return [auth.value];
		default:
			return [];
	}
}

/**
 * undici's HTTP parser is WebAssembly. Node 20's V8 optimises it after the first response, and the process waits for that
 * at its end: 195 ms for one request against 116 with a larger budget, which a run has used up after some hundred
 * responses. Later versions of Node are slower with it. Set before undici is loaded, and here because a flag is the whole
 * process's: the library leaves it alone.
 */
function delayWasmOptimisation(): void {
	if (!process.version.startsWith('v20.')) return;
	process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=180000000');
}

function hideCredentials(auth: Auth): ConnectionOptions['hide'] {
	const secrets = secretsOf(auth).filter(isDistinct);
	const finder = createSecretFinder(secrets);
	return finder && { mayHold: finder.mayHold, clean: (text) => finder.replace(text, REDACTED) };
}

/** A listener that logs to stderr as `-v` and `-vv` ask. */
async function traceTo(invocation: Invocation, auth: Auth): Promise<((event: TraceEvent) => void) | undefined> {
	const { context, options } = invocation;
	const verbosity = options.verbose ?? 0;
	if (verbosity === 0) return undefined;
	const { createTrace } = await import('../output/trace.js');
	const palette = await stderrPalette(invocation);
	return createTrace((text) => context.stderr.write(text), { verbosity, palette, secrets: secretsOf(auth) });
}

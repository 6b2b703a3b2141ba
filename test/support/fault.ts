/** Runs the built binary against a misbehaving server and reads what it made of it. */

import { expect } from 'vitest';
import { type CliOptions, type CliResult, jsonLines, runCli, type Words } from './cli.js';
import { type RawServer, type RawServerOptions, type Script, startRawServer } from './raw-server.js';

/** One outcome as `--json` prints it. */
export interface PrintedOutcome {
	row: number;
	id?: number;
	outcome: string;
	status: number | null;
	code: string | null;
	message: string | null;
	attempts: number;
	ms: number;
	warnings?: string[];
	body: unknown;
}

export interface FaultResult extends CliResult {
	/** Empty where nothing was printed. */
	outcomes: PrintedOutcome[];
	server: RawServer;
}

/** Who the test's server is asked by. */
export function credentials(baseUrl: string): Record<string, string> {
	return { SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_USERNAME: 'ada', SUPPORTCTL_PASSWORD: 'secret' };
}

/** What a crash looks like: a stack, or Node's own words. */
const CRASH =
	/\n\s+at .+:\d+:\d+|node:internal|Unhandled|UnhandledPromiseRejection|\bis not a function|Cannot read prop/;

/** Fails for a crash, however it ended. */
export function expectNoCrash(result: Pick<CliResult, 'stderr' | 'exitCode'>): void {
	expect(result.stderr).not.toMatch(CRASH);
	expect(result.exitCode).not.toBeNull();
}

/** An update of one ticket, with at most two attempts. */
export const oneUpdate = ['ticket', 'update', '14', '--status', 'hold', '--retries', '1', '--json'];
/** The deletion of one ticket. */
export const oneDelete = ['ticket', 'delete', '14', '--yes', '--retries', '1', '--json'];
/** A credential check. */
export const oneCheck = ['user', 'check', 'ada', '--password-stdin', '--json'];

/** A server whose reads work, and whose other requests get the script. */
export function startFaultyDesk(script: Script, options: RawServerOptions = {}): Promise<RawServer> {
	return startRawServer(script, { ...options, showsObjects: true });
}

/** Starts one with the script, runs the command against it, and holds it to never crashing. */
export async function runAgainst(
	script: Script,
	args: Words = oneUpdate,
	options: CliOptions = {},
): Promise<FaultResult> {
	const server = await startFaultyDesk(script);
	return runWith(server, args, options);
}

/** The same against a server that is there already. */
export async function runWith(
	server: RawServer,
	args: Words = oneUpdate,
	options: CliOptions = {},
): Promise<FaultResult> {
	const result = await runCli(args, { ...options, env: { ...credentials(server.baseUrl), ...options.env } });
	expectNoCrash(result);
	return { ...result, outcomes: outcomesOf(result.stdout), server };
}

export function outcomesOf(stdout: string): PrintedOutcome[] {
	const text = stdout.trim();
	if (text.startsWith('[')) return JSON.parse(text) as PrintedOutcome[];
	if (!text.startsWith('{')) return [];
	return jsonLines<PrintedOutcome>(text);
}

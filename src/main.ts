/** Wires everything; the one place where an error becomes a message and an exit code. */

import { type Context, createProcessContext, type ProcessLike } from './io/context.js';
import type { Palette } from './output/colour.js';
import { version } from './version.js';

/** Runs the program for a process and gives its exit code. */
export async function main(target: ProcessLike): Promise<number> {
	// inquirer reads the variable only.
	if (target.argv.includes('--no-color')) target.env.NO_COLOR = '1';
	return runMain(createProcessContext(target, { stdout: 1, stderr: 2 }));
}

/** Runs the program in any context. Never throws. */
export async function runMain(given: Context): Promise<number> {
	const context = withoutCredentials(given);
	const { argv, stdout, stderr } = context;
	let exitCode = 0;
	try {
		// The version is printed without loading the program.
		if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
			stdout.write(`${version}\n`);
		} else {
			const { runProgram } = await import('./cli/program.js');
			exitCode = await runProgram(await guarded(context));
		}
	} catch (error) {
		exitCode = await report(error, context);
	}
	await stdout.flush();
	// Results that could not be written are not a success; a command that failed has printed its own error.
	if (stdout.failure !== undefined && exitCode === 0) {
		const { lostOutput } = await import('./errors.js');
		exitCode = await report(lostOutput(stdout.failure), context);
	}
	await stderr.flush();
	return exitCode;
}

/** The context with a stderr that shows none of the caller's credentials. */
function withoutCredentials(context: Context): Context {
	const { stderr, hidden } = context;
	const clean = (text: string): string => hidden.clean?.(text) ?? text;
	const write = (text: string): void => stderr.write(clean(text));
	const command = (line: string): void => stderr.command?.(clean(line));
	return { ...context, stderr: Object.assign(Object.create(stderr), { write, command }) };
}

/** Variables that CI runners set which read commands from a step's output. */
const RUNNERS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

/** The context with outputs that can't command a CI runner; on a terminal, labels of messages have their colours. */
async function guarded(context: Context): Promise<Context> {
	const { argv, env, stdout } = context;
	const { asksForJson, guardOutput } = await import('./output/sanitise.js');
	const palette = await stderrPalette(context);
	const paint = (label: string): string => (label === 'error:' ? palette.bad(label) : palette.doubtful(label));
	const stderr = guardOutput(context.stderr, paint);
	// Among JSON objects there are no commands to the runner.
	if (asksForJson(argv)) stderr.command = () => undefined;
	// A file gets the data exactly; what goes to the runner's log must not command it.
	const isRunner = RUNNERS.some((name) => !['', 'false'].includes(env[name]?.toLowerCase() ?? ''));
	return { ...context, stderr, stdout: isRunner && stdout.isFile !== true ? guardOutput(stdout) : stdout };
}

async function stderrPalette(context: Context): Promise<Palette> {
	const { openPalette } = await import('./output/colour.js');
	return openPalette(context, context.stderr.isTTY, context.argv.includes('--no-color'));
}

/** Shows an error on stderr: lines for a person, or one JSON object where the results are JSON. */
async function report(error: unknown, context: Context): Promise<number> {
	const [{ exitCodeOf, renderError }, { asksForJson }] = await Promise.all([
		import('./output/errors.js'),
		import('./output/sanitise.js'),
	]);
	const [json, debug] = [asksForJson(context.argv), context.argv.includes('--debug')];
	context.stderr.write(renderError(error, { json, debug, palette: await stderrPalette(context) }));
	return exitCodeOf(error);
}

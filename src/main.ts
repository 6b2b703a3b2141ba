/** Wires everything; the one place where an error becomes a message and an exit code. */

import type { Context } from './io/context.js';
import { createProcessContext, type ProcessLike } from './io/process.js';
import { version } from './version.js';

/** Runs the program for a process and gives its exit code. */
export async function main(target: ProcessLike): Promise<number> {
	return runMain(createProcessContext(target, { stdout: 1, stderr: 2 }));
}

/** Runs the program in any context. Never throws. */
export async function runMain(context: Context): Promise<number> {
	let exitCode: number;
	try {
		exitCode = await run(context);
	} catch (error) {
		exitCode = await report(error, context);
	}
	await context.stdout.flush();
	const { failure } = context.stdout;
	if (failure !== undefined) exitCode = await reportLostOutput(failure, context, exitCode);
	await context.stderr.flush();
	return exitCode;
}

async function run(context: Context): Promise<number> {
	const { argv } = context;
	// The version is printed without loading the program.
	if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
		context.stdout.write(`${version}\n`);
		return 0;
	}
	const { runProgram } = await import('./cli/program.js');
	return runProgram(await guarded(context));
}

/** The context with outputs that can't command a CI runner; on a terminal, labels of messages have their colours. */
async function guarded(context: Context): Promise<Context> {
	const { asksForJson, guardOutput } = await import('./output/sanitise.js');
	const guard = asksForJson(context.argv) ? { json: true } : { paint: await labelPainter(context) };
	const stderr = guardOutput(context.stderr, guard);
	// A file gets the data exactly; what goes to the runner's log must not command it.
	const isLog = RUNNERS.some((name) => isOn(context.env[name])) && context.stdout.isFile !== true;
	return { ...context, stderr, stdout: isLog ? guardOutput(context.stdout) : context.stdout };
}

/** Variables that CI runners set which read commands from a step's output. */
const RUNNERS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

function isOn(value: string | undefined): boolean {
	return value !== undefined && value !== '' && value.toLowerCase() !== 'false';
}

/** Red for `error:`, yellow for `warning:`; undefined where there is no colour. */
async function labelPainter({ argv, env, stderr }: Context): Promise<((label: string) => string) | undefined> {
	const { loadPalette, wantsColour } = await import('./output/colour.js');
	const flag = argv.includes('--no-color') ? false : undefined;
	if (!wantsColour({ flag, env, isTTY: stderr.isTTY })) return undefined;
	const palette = await loadPalette(true);
	return (label) => (label === 'error:' ? palette.bad(label) : palette.doubtful(label));
}

/** Results that could not be written are not a success. A command that sent something has said so itself. */
async function reportLostOutput(failure: NodeJS.ErrnoException, context: Context, exitCode: number): Promise<number> {
	if (exitCode !== 0) return exitCode;
	const { lostOutput } = await import('./errors.js');
	return report(lostOutput(failure), context);
}

/** Shows an error on stderr: lines for a person, or one JSON object where the results are JSON. */
async function report(error: unknown, context: Context): Promise<number> {
	const [
		{ exitCodeOf, renderError },
		{ asksForJson },
		{ loadPalette, wantsColour },
		{ PromptInterrupted },
		{ InterruptedError },
	] = await Promise.all([
		import('./output/errors.js'),
		import('./output/sanitise.js'),
		import('./output/colour.js'),
		import('./io/context.js'),
		import('./errors.js'),
	]);
	const shown = error instanceof PromptInterrupted ? new InterruptedError('interrupted; nothing was sent') : error;
	const { argv, env, stderr } = context;
	const flag = argv.includes('--no-color') ? false : undefined;
	const palette = await loadPalette(wantsColour({ flag, env, isTTY: stderr.isTTY }));
	stderr.write(renderError(shown, { json: asksForJson(argv), debug: argv.includes('--debug'), palette }));
	return exitCodeOf(shown);
}

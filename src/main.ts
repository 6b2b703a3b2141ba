/** Wires everything; the one place where an error becomes a message and an exit code. */

import { type Context, createProcessContext, type ProcessLike } from './io/context.js';
import type { Palette } from './output/colour.js';
import { version } from './version.js';

export async function main(target: ProcessLike): Promise<number> {
	// inquirer reads the variable only.
	if (target.argv.includes('--no-color')) target.env.NO_COLOR = '1';
	return runMain(createProcessContext(target, { stdout: 1, stderr: 2 }));
}

/** Never throws. */
export async function runMain(given: Context): Promise<number> {
	const context = withoutCredentials(given);
	const { argv, stdout, stderr } = context;
	let exitCode = 0;
	try {
		// Without loading the program.
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
	// Lost results are no success.
	if (stdout.failure !== undefined && exitCode === 0) {
		const { lostOutput } = await import('./errors.js');
		exitCode = await report(lostOutput(stdout.failure), context);
	}
	await stderr.flush();
	return exitCode;
}

function withoutCredentials(context: Context): Context {
	const { stderr, hidden } = context;
	const clean = (text: string): string => hidden.clean?.(text) ?? text;
	const write = (text: string): void => stderr.write(clean(text));
	const command = (line: string): void => stderr.command?.(clean(line));
	return { ...context, stderr: Object.assign(Object.create(stderr), { write, command }) };
}

/** They read commands from a step's output. */
const RUNNERS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

/** No output commands a CI runner; labels have colors. */
async function guarded(context: Context): Promise<Context> {
	const { argv, env, stdout } = context;
	const { asksForJson, guardOutput } = await import('./output/sanitise.js');
	const palette = await stderrPalette(context);
	const paint = (label: string): string => (label === 'error:' ? palette.bad(label) : palette.doubtful(label));
	const stderr = guardOutput(context.stderr, paint);
	// JSON has no commands for the runner.
	if (asksForJson(argv)) stderr.command = () => undefined;
	// A file gets the data exactly; the runner's log is guarded.
	const isRunner = RUNNERS.some((name) => !['', 'false'].includes(env[name]?.toLowerCase() ?? ''));
	return { ...context, stderr, stdout: isRunner && stdout.isFile !== true ? guardOutput(stdout) : stdout };
}

async function stderrPalette(context: Context): Promise<Palette> {
	const { openPalette } = await import('./output/colour.js');
	return openPalette(context, context.stderr.isTTY, context.argv.includes('--no-color'));
}

async function report(error: unknown, context: Context): Promise<number> {
	const [{ exitCodeOf, renderError }, { asksForJson }] = await Promise.all([
		import('./output/errors.js'),
		import('./output/sanitise.js'),
	]);
	const [json, debug] = [asksForJson(context.argv), context.argv.includes('--debug')];
	context.stderr.write(renderError(error, { json, debug, palette: await stderrPalette(context) }));
	return exitCodeOf(error);
}

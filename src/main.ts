/** Wires everything; the one place where an error becomes a message and an exit code. */

import { type Context, createProcessContext, type ProcessLike } from './io/context.js';
import { version } from './version.js';

export async function main(target: ProcessLike): Promise<number> {
	// inquirer knows the variable, not the flag.
	if (target.argv.includes('--no-color')) target.env.NO_COLOR = '1';
	return runMain(createProcessContext(target, { stdout: 1, stderr: 2 }));
}

/** Never throws. */
export async function runMain(context: Context): Promise<number> {
	const { argv, stdout, stderr } = context;
	let clean = (text: string): string => text;
	const hide: Context['hide'] = (edit) => {
		clean = edit;
	};
	const cleaned = (text: string): string => clean(text);
	let exitCode = 0;
	try {
		// Without loading the program.
		if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
			stdout.write(`${version}\n`);
		} else {
			const { runProgram } = await import('./cli/program.js');
			exitCode = (await runProgram({ ...(await guarded(context, cleaned)), hide })) ?? 0;
		}
	} catch (error) {
		exitCode = await report(error, context, cleaned);
	}
	await stdout.flush();
	// Results that were lost are no success.
	if (stdout.failure !== undefined && exitCode === 0) {
		const { lostOutput } = await import('./errors.js');
		exitCode = await report(lostOutput(stdout.failure), context, cleaned);
	}
	await stderr.flush();
	return exitCode;
}

type Clean = (text: string) => string;

/** CI runners, which read commands from a step's output. */
const RUNNERS = ['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION'];

/** So that no output can command a CI runner. */
async function guarded(context: Context, clean: Clean): Promise<Context> {
	const { env, stdout } = context;
	const [{ guardOutput }, { openPalette }] = await Promise.all([
		import('./output/sanitise.js'),
		import('./output/colour.js'),
	]);
	const palette = await openPalette(context, context.stderr);
	const paint = (label: string): string => (label === 'error:' ? palette.bad(label) : palette.doubtful(label));
	const fold = await folding(context);
	const stderr = guardOutput(context.stderr, (text) => fold(clean(text.replace(/^(?:error|warning):/gm, paint))));
	// A file gets the data exactly.
	const isRunner = RUNNERS.some((name) => !['', 'false'].includes(env[name]?.toLowerCase() ?? ''));
	return { ...context, stderr, stdout: isRunner && stdout.isFile !== true ? guardOutput(stdout) : stdout };
}

/** In a pipe, and as JSON, a message is one line. */
async function folding({ argv, stderr }: Context): Promise<(text: string) => string> {
	const { isTTY, columns } = stderr;
	if (isTTY !== true || columns === undefined) return (text) => text;
	const [{ foldLines }, { asksForJson }] = await Promise.all([
		import('./output/fold.js'),
		import('./output/sanitise.js'),
	]);
	return asksForJson(argv) ? (text) => text : (text) => foldLines(text, columns);
}

async function report(error: unknown, context: Context, clean: Clean): Promise<number> {
	const { argv, stderr } = context;
	const [{ exitCodeOfError, renderError }, { asksForJson }, { openPalette }] = await Promise.all([
		import('./output/errors.js'),
		import('./output/sanitise.js'),
		import('./output/colour.js'),
	]);
	const palette = await openPalette(context, stderr);
	const view = { json: asksForJson(argv), debug: argv.includes('--debug'), palette };
	const fold = await folding(context);
	stderr.write(fold(clean(renderError(error, view))));
	return exitCodeOfError(error);
}

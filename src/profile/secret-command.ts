/** A command of the person's own that prints the secret, run at each use; nothing that it prints is ever shown. */

import { spawn } from 'node:child_process';
import { RefusedError } from '../errors.js';
import { withoutLastLineBreak } from './environment.js';
import type { Environment } from './folders.js';

/** Long enough for a person to type a passphrase. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024;

/** The command gets the environment, but not the secrets that are in it for us. */
function environmentFor(env: Environment): NodeJS.ProcessEnv {
	const { SUPPORTCTL_PASSWORD: _password, SUPPORTCTL_TOKEN: _token, ...rest } = env;
	return rest as NodeJS.ProcessEnv;
}

interface Ending {
	output: Buffer;
	/** Why it failed, in words that hold none of its output. */
	failure?: string;
}

function run(command: string, env: Environment, timeoutMs: number): Promise<Ending> {
	return new Promise((resolve) => {
		// Its error stream is dropped because it may hold the secret; questions go to the terminal itself.
		const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'ignore'], env: environmentFor(env) });
		const chunks: Buffer[] = [];
		let bytes = 0;
		const end = (failure?: string): void => {
			clearTimeout(timer);
			child.stdout.destroy();
			child.kill();
			child.unref();
			resolve({ output: Buffer.concat(chunks), ...(failure === undefined ? {} : { failure }) });
		};
		const timer = setTimeout(() => end(`took longer than ${timeoutMs / 1000} s`), timeoutMs);
		child.stdout.on('data', (chunk: Buffer) => {
			bytes += chunk.length;
			if (bytes > MAX_BYTES) end(`printed more than ${MAX_BYTES / 1024} KiB`);
			else chunks.push(chunk);
		});
		child.on('error', (error: NodeJS.ErrnoException) => end(`could not be started (${error.code ?? 'unknown error'})`));
		child.on('close', (code, signal) => {
			if (signal !== null) end(`was ended by ${signal}`);
			else end(code === 0 ? undefined : `failed with exit code ${code}`);
		});
	});
}

/**
 * Runs the command with the shell and returns what it printed, less the last line break. Throws RefusedError that
 * names the failure and the profile, but neither the command's output nor, since it may hold a secret, its text.
 */
export async function runSecretCommand(
	command: string,
	options: { env: Environment; owner: string; timeoutMs?: number },
): Promise<string> {
	const { output, failure } = await run(command, options.env, options.timeoutMs ?? TIMEOUT_MS);
	const refuse = (why: string, hint: string): never => {
		throw new RefusedError(`the secret command of ${options.owner} ${why}`, { code: 'secret_command_failed', hint });
	};
	if (failure !== undefined) refuse(failure, 'run it by hand to see why; its output is never shown here');
	let text: string;
	try {
		text = withoutLastLineBreak(new TextDecoder('utf-8', { fatal: true }).decode(output));
	} catch {
		return refuse('printed something that is not UTF-8 text', 'run it by hand to see');
	}
	if (text === '') refuse('printed nothing', 'it must print the secret on one line');
	if (/[\r\n]/.test(text)) {
		const lines = text.split(/\r?\n/).length;
		refuse(`printed ${lines} lines`, 'it must print the secret on one line; add `| head -n 1` to take the first');
	}
	return text;
}

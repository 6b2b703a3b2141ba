/** Runs the built program as a process of its own, in an environment that has nothing of this machine's settings. */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Path of the program that people start. */
export const binary = fileURLToPath(new URL('../../bin/supportctl.js', import.meta.url));

export interface BinaryOptions {
	/** Added to PATH and HOME alone. */
	env?: Record<string, string | undefined>;
	stdin?: string | Uint8Array;
	cwd?: string;
	/** Called as soon as the process is there. */
	onStart?: (child: ChildProcess) => void;
}

export interface BinaryResult {
	/** Undefined where a signal ended it. */
	exitCode: number | undefined;
	signal: NodeJS.Signals | undefined;
	stdout: string;
	stderr: string;
}

/** The environment of a run: none of the caller's but what programs need to be found. */
export function cleanEnvironment(env: BinaryOptions['env'] = {}): NodeJS.ProcessEnv {
	return { PATH: process.env.PATH, HOME: '/nonexistent', ...env };
}

/** Runs `supportctl` with these words to its end. */
export function runBinary(argv: readonly string[], options: BinaryOptions = {}): Promise<BinaryResult> {
	return new Promise((resolve, reject) => {
		const child = spawn(process.execPath, [binary, ...argv], {
			cwd: options.cwd,
			env: cleanEnvironment(options.env),
			stdio: 'pipe',
		});
		const stdout: Buffer[] = [];
		const stderr: Buffer[] = [];
		child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
		child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
		child.stdin.on('error', () => {});
		child.stdin.end(options.stdin ?? '');
		child.on('error', reject);
		child.on('close', (code, signal) =>
			resolve({
				exitCode: code ?? undefined,
				signal: signal ?? undefined,
				stdout: Buffer.concat(stdout).toString('utf8'),
				stderr: Buffer.concat(stderr).toString('utf8'),
			}),
		);
		options.onStart?.(child);
	});
}

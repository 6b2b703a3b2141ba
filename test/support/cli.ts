/** Runs the built binary as a user would: a child process with its own folders and nothing of this machine's settings. */

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../src/io/context.js';
import { runMain } from '../../src/main.js';
import { memoryContext } from './context.js';
import { noteCommand } from './ran.js';
import { temporaryFolder } from './temporary.js';

export const binary = fileURLToPath(new URL('../../bin/supportctl.js', import.meta.url));

export interface CliResult {
	exitCode: number | null;
	stdout: string;
	stderr: string;
}

export interface CliOptions {
	env?: Record<string, string>;
	/** What stands on standard input; nothing by default. */
	input?: string | Buffer;
	/** Leaves standard input open behind `input`. */
	holdsInput?: boolean;
	cwd?: string;
	/** For `runHere`: a clock on which waits are short. */
	clock?: Clock;
	/** A command that starts the program, such as one that takes privileges away. */
	through?: readonly string[];
}

/** The words of a command line: a list, or a text with a space between two words. */
export type Words = string | readonly string[];

export const wordsOf = (words: Words): readonly string[] => (typeof words === 'string' ? words.split(' ') : words);

export interface RunningCli {
	child: ChildProcess;
	/** Resolves when the process has ended and both streams are read. */
	ended: Promise<CliResult>;
	/** Resolves once stderr or stdout so far matches. */
	until(pattern: RegExp): Promise<void>;
}

/** Variables that no test may inherit. */
function cleanEnvironment(): Record<string, string> {
	const kept: Record<string, string> = {};
	for (const [name, value] of Object.entries(process.env)) {
		if (
			value === undefined ||
			/^(?:SUPPORTCTL_|GITHUB_|CI$|NO_COLOR|FORCE_COLOR|https?_proxy|no_proxy|VITEST)/i.test(name)
		)
			continue;
		kept[name] = value;
	}
	return kept;
}

/** A configuration and a state folder of a test's own, as environment variables. */
export function isolatedEnvironment(): Record<string, string> {
	const folder = temporaryFolder();
	return { SUPPORTCTL_CONFIG_DIR: `${folder}/config`, SUPPORTCTL_STATE_DIR: `${folder}/state` };
}

/** Starts the binary; its streams are pipes. */
export function startCli(args: Words, options: CliOptions = {}): RunningCli {
	const [program, ...words] = [...(options.through ?? []), process.execPath, binary, ...wordsOf(args)] as [
		string,
		...string[],
	];
	const child = spawn(program, words, {
		env: { ...cleanEnvironment(), ...isolatedEnvironment(), ...options.env },
		cwd: options.cwd ?? temporaryFolder(),
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let stdout = '';
	let stderr = '';
	const watchers = new Set<() => void>();
	const notify = (): void => {
		for (const watcher of watchers) watcher();
	};
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
		notify();
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		stderr += text;
		notify();
	});
	// A command that ends before it has read its input closes the pipe.
	child.stdin.on('error', () => undefined);
	child.stdin.write(options.input ?? '');
	if (options.holdsInput !== true) child.stdin.end();
	const ended = new Promise<CliResult>((resolve, reject) => {
		child.on('error', reject);
		child.on('close', (exitCode) => {
			noteCommand(words.slice(words.indexOf(binary) + 1), { exitCode, stderr });
			resolve({ exitCode, stdout, stderr });
			notify();
		});
	});
	return {
		child,
		ended,
		until: (pattern) =>
			new Promise((resolve, reject) => {
				const look = (): void => {
					if (pattern.test(stdout) || pattern.test(stderr)) {
						watchers.delete(look);
						resolve();
					} else if (child.exitCode !== null) {
						watchers.delete(look);
						reject(new Error(`the command ended without ${pattern}: ${stdout}\n${stderr}`));
					}
				};
				watchers.add(look);
				look();
			}),
	};
}

/** Runs the binary to its end. */
export function runCli(args: Words, options: CliOptions = {}): Promise<CliResult> {
	return startCli(args, options).ended;
}

/** Runs the same program in the test's own process: real sockets and files, but no process to start; for large tables of cases. */
export async function runHere(args: Words, options: CliOptions = {}): Promise<CliResult> {
	const context = memoryContext({
		argv: wordsOf(args),
		env: { ...isolatedEnvironment(), ...options.env },
		stdin: options.input ?? '',
		cwd: options.cwd ?? temporaryFolder(),
		...(options.clock !== undefined && { clock: options.clock }),
	});
	const exitCode = await runMain(context);
	noteCommand(context.argv, { exitCode, stderr: context.stderr.text });
	return { exitCode, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** The objects of NDJSON. */
export function jsonLines<T = Record<string, unknown>>(text: string): T[] {
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as T);
}

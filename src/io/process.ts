/** The real streams, clock and signals of a Node process, as the program's context. */

import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Clock, Context, Input, Output } from './context.js';

/** The part of `process` that the program is given by its binary. */
export type ProcessLike = Pick<
	NodeJS.Process,
	'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'on' | 'off' | 'exit'
>;

/** How writing fails once a pipe's other end or a terminal has gone. */
const GONE = new Set<string | undefined>(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

/**
 * Wraps a writable stream; a reader that went away closes it quietly. What is no terminal is written to by its
 * descriptor, as the stream would do it: opening the stream alone is a twentieth of what a lone request takes.
 */
function createOutput(open: () => NodeJS.WriteStream, fd: number | undefined): Output {
	let stream: NodeJS.WriteStream | undefined;
	let direct: boolean | undefined;
	let closed = false;
	let failure: NodeJS.ErrnoException | undefined;
	const close = (error: unknown): void => {
		closed = true;
		if (!GONE.has((error as NodeJS.ErrnoException).code)) failure ??= error as NodeJS.ErrnoException;
	};
	const get = (): NodeJS.WriteStream => {
		stream ??= open().on('error', close);
		return stream;
	};
	/** Whether the descriptor is open and no terminal; only a character device other than /dev/null can be one. */
	const isDirect = (): boolean => {
		if (direct !== undefined) return direct;
		try {
			const stats = fd === undefined ? undefined : fstatSync(fd);
			const isNull = stats?.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
			// To ask whether it is a terminal loads node:tty, which takes 3 ms.
			direct =
				stats !== undefined &&
				(!stats.isCharacterDevice() || isNull || !process.getBuiltinModule('node:tty').isatty(fd as number));
		} catch {
			direct = false;
		}
		return direct;
	};
	return {
		write(text) {
			if (closed || text === '') return;
			if (!isDirect()) return void get().write(text);
			let bytes = Buffer.from(text, 'utf8');
			try {
				while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd as number, bytes));
			} catch (error) {
				// A pipe that was made non-blocking is full: the stream waits for it.
				direct = (error as NodeJS.ErrnoException).code !== 'EAGAIN';
				if (direct) close(error);
				else get().write(bytes);
			}
		},
		get isTTY() {
			return !isDirect() && get().isTTY === true;
		},
		get isFile() {
			try {
				return fd !== undefined && fstatSync(fd).isFile();
			} catch {
				return false;
			}
		},
		get columns() {
			// A terminal that does not know its width says 0.
			return (this.isTTY && get().columns) || undefined;
		},
		get rows() {
			return (this.isTTY && get().rows) || undefined;
		},
		get closed() {
			return closed;
		},
		get failure() {
			return failure;
		},
		flush() {
			if (stream === undefined || closed || stream.writableLength === 0) return Promise.resolve();
			const waiting = stream;
			// Called in turn with the writes before it, and also when the stream breaks.
			return new Promise((resolve) => {
				waiting.write('', () => resolve());
			});
		},
	};
}

export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	sleep: (ms, signal) =>
		new Promise((resolve) => {
			if (signal?.aborted) {
				resolve();
				return;
			}
			const done = (): void => {
				clearTimeout(timer);
				signal?.removeEventListener('abort', done);
				resolve();
			};
			const timer = setTimeout(done, ms);
			signal?.addEventListener('abort', done);
		}),
};

/** The most that is read of standard input as one text, in bytes. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Where a process's output goes. */
export interface Descriptors {
	stdout?: number;
	stderr?: number;
}

/** The context of a real run; streams are opened when they are first used, and not at all where a descriptor will do. */
export function createProcessContext(target: ProcessLike, descriptors: Descriptors = {}): Context {
	const stdin: Input = {
		get isTTY() {
			return target.stdin.isTTY === true;
		},
		bytes: () => target.stdin,
		async text() {
			const chunks: Uint8Array[] = [];
			let length = 0;
			for await (const chunk of target.stdin) {
				chunks.push(chunk as Uint8Array);
				length += (chunk as Uint8Array).length;
				if (length > MAX_TEXT_BYTES) throw Object.assign(new Error(), { code: 'ERR_INPUT_TOO_LARGE' });
			}
			return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
		},
	};
	const stderr = createOutput(() => target.stderr as NodeJS.WriteStream, descriptors.stderr);
	return {
		argv: target.argv.slice(2),
		env: target.env,
		stdin,
		stdout: createOutput(() => target.stdout as NodeJS.WriteStream, descriptors.stdout),
		stderr,
		prompts: {
			get available() {
				return stdin.isTTY && stderr.isTTY;
			},
			text: (message, { initial, check = () => true } = {}) =>
				ask({ type: 'input', message, default: initial, validate: check }),
			secret: (message) => ask({ type: 'password', message, mask: false, toggleMask: false }),
			choice: (message, choices, initial) =>
				ask({
					type: 'select',
					message,
					default: initial,
					choices: choices.map(({ value, label }) => ({ value, name: label })),
				}),
			confirm: (message) => ask({ type: 'confirm', message, default: false }),
		},
		clock: systemClock,
		signals: {
			listen(callback) {
				for (const name of SIGNALS) target.on(name, callback);
				return () => {
					for (const name of SIGNALS) target.off(name, callback);
				};
			},
		},
		random: Math.random,
		cwd: target.cwd(),
		abandon: (exitCode) => target.exit(exitCode),
	};
}

/** Asks on stderr, so that stdout stays clean for results. @throws PromptInterrupted for Ctrl-C, Ctrl-D and a closed terminal */
async function ask<T>(question: Record<string, unknown>): Promise<T> {
	const [{ default: inquirer }, { PromptInterrupted }] = await Promise.all([
		import('inquirer'),
		import('./context.js'),
	]);
	const { stdin, stderr } = process;
	// For Ctrl-D, or a terminal that goes away, inquirer would wait for ever.
	const stop = new AbortController();
	const end = (): void => stop.abort();
	const onKey = (_text: string | undefined, key: { ctrl?: boolean; name?: string } | undefined): void => {
		if (key?.ctrl === true && key.name === 'd') end();
	};
	stdin.on('keypress', onKey).once('end', end);
	try {
		const prompt = inquirer.createPromptModule({ output: stderr, signal: stop.signal });
		const given = await prompt([{ ...question, name: 'value' }] as never);
		return (given as { value: T }).value;
	} catch (error) {
		if (error instanceof Error && /^(ExitPromptError|AbortPromptError|CancelPromptError)$/.test(error.name)) {
			throw new PromptInterrupted();
		}
		throw error;
	} finally {
		stdin.off('keypress', onKey).off('end', end);
	}
}

/** The real streams, clock and signals of a Node process, as the program's context. */

import { fstatSync, writeSync } from 'node:fs';
import type { Clock, Context, Input, Output, Prompts, Signals } from './context.js';

/** The part of `process` that the program is given by its binary. */
export type ProcessLike = Pick<
	NodeJS.Process,
	'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'on' | 'off' | 'exit'
>;

/** Whether a descriptor is open and no terminal; only a character device can be one. */
function isNoTerminal(fd: number): boolean {
	try {
		return !fstatSync(fd).isCharacterDevice() || !process.getBuiltinModule('node:tty').isatty(fd);
	} catch {
		return false;
	}
}

/** How writing fails where nobody reads any more: a pipe's other end or a terminal has gone. */
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
		if (stream === undefined) {
			stream = open();
			stream.on('error', close);
		}
		return stream;
	};
	const isDirect = (): boolean => {
		direct ??= fd !== undefined && isNoTerminal(fd);
		return direct;
	};
	const writeDirectly = (text: string): void => {
		let bytes = Buffer.from(text, 'utf8');
		try {
			while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd as number, bytes));
		} catch (error) {
			// A pipe that somebody made non-blocking is full: the stream waits for it.
			direct = (error as NodeJS.ErrnoException).code !== 'EAGAIN';
			if (direct) close(error);
			else get().write(bytes);
		}
	};
	return {
		write(text) {
			if (closed || text === '') return;
			if (isDirect()) writeDirectly(text);
			else get().write(text);
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

/** The most that is read of standard input as one text, in bytes. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

function createInput(open: () => NodeJS.ReadStream): Input {
	return {
		get isTTY() {
			return open().isTTY === true;
		},
		bytes: () => open(),
		async text() {
			const chunks: Uint8Array[] = [];
			let length = 0;
			for await (const chunk of open()) {
				chunks.push(chunk as Uint8Array);
				length += (chunk as Uint8Array).length;
				if (length > MAX_TEXT_BYTES) throw Object.assign(new Error(), { code: 'ERR_INPUT_TOO_LARGE' });
			}
			return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
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

function createSignals(target: ProcessLike): Signals {
	const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	return {
		listen(callback) {
			for (const name of names) target.on(name, callback);
			return () => {
				for (const name of names) target.off(name, callback);
			};
		},
	};
}

/** Prompts whose library is loaded only when a question is asked. */
function createPrompts(stdin: Input, stderr: Output): Prompts {
	const load = async (): Promise<Prompts> => (await import('./prompts.js')).createTerminalPrompts();
	return {
		get available() {
			return stdin.isTTY && stderr.isTTY;
		},
		text: async (...args) => (await load()).text(...args),
		secret: async (...args) => (await load()).secret(...args),
		choice: async (...args) => (await load()).choice(...args),
		confirm: async (...args) => (await load()).confirm(...args),
	};
}

/** Where a process's output goes. */
export interface Descriptors {
	stdout?: number;
	stderr?: number;
}

/** The context of a real run; streams are opened when they are first used, and not at all where a descriptor will do. */
export function createProcessContext(target: ProcessLike, descriptors: Descriptors = {}): Context {
	const stdin = createInput(() => target.stdin as NodeJS.ReadStream);
	const stderr = createOutput(() => target.stderr as NodeJS.WriteStream, descriptors.stderr);
	return {
		argv: target.argv.slice(2),
		env: target.env,
		stdin,
		stdout: createOutput(() => target.stdout as NodeJS.WriteStream, descriptors.stdout),
		stderr,
		prompts: createPrompts(stdin, stderr),
		clock: systemClock,
		signals: createSignals(target),
		random: Math.random,
		cwd: target.cwd(),
		abandon: (exitCode) => target.exit(exitCode),
	};
}

/** What the program touches of the outside world, passed in for tests. */

import { fstatSync, statSync, writeSync } from 'node:fs';
import { decodedText } from '../text.js';

export interface Output {
	write(text: string): void;
	/** Writes a command to the CI runner, which `write` would disarm. */
	command?(line: string): void;
	/** A regular file. */
	readonly isFile?: boolean;
	readonly isTTY: boolean;
	/** Undefined if it is no terminal. */
	readonly columns: number | undefined;
	/** Height in lines; undefined without a terminal. */
	readonly rows?: number | undefined;
	/** Resolves once everything that was written is taken. */
	flush(): Promise<void>;
	/** Whether the reader has gone; later writes are dropped. */
	readonly closed: boolean;
	/** Why text was lost: a full disk, for instance. */
	readonly failure?: NodeJS.ErrnoException | undefined;
}

export interface Input {
	readonly isTTY: boolean;
	/** Can be iterated once. */
	bytes(): AsyncIterable<Uint8Array>;
	/** UTF-8 without a byte order mark. @throws TypeError for other bytes */
	text(): Promise<string>;
}

/** Ctrl-C throws an error with the code `interrupted`. */
export interface Prompts {
	/** Whether there is someone to ask. */
	readonly available: boolean;
	text(
		question: string,
		options?: { initial?: string | undefined; check?: (text: string) => true | string },
	): Promise<string>;
	/** Asks again after an empty one. */
	secret(question: string): Promise<string>;
	/** @param initial what Enter means */
	confirm(question: string, initial?: boolean): Promise<boolean>;
}

export interface Clock {
	now(): number;
	monotonic(): number;
	/** Resolves after `ms`, 24 days at most, or when the signal aborts. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Signals {
	/** @param onScreen for a program that takes Ctrl-C as a key: nobody gets it @returns what ends it */
	listen(callback: (signal: NodeJS.Signals) => void, onScreen?: boolean): () => void;
}

export interface Context {
	readonly argv: readonly string[];
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly stdin: Input;
	readonly stdout: Output;
	readonly stderr: Output;
	readonly prompts: Prompts;
	readonly clock: Clock;
	readonly signals: Signals;
	/** Removes the caller's credentials from stderr, once they are known. */
	hide(clean: (text: string) => string): void;
	random(): number;
	readonly cwd: string;
	/** Ends the process without cleaning up: for a second Ctrl-C only. */
	abandon(exitCode: number): void;
}

/** The part of `process` that bin hands over. */
export type ProcessLike = Pick<
	NodeJS.Process,
	'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'on' | 'off' | 'exit'
>;

/** Errors of a pipe or a terminal that has gone. */
const GONE = new Set<string | undefined>(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

/** Writes files and pipes by their descriptor: opening the stream is a twentieth of what a lone request takes. */
function createOutput(open: () => NodeJS.WriteStream, fd: number | undefined): Output {
	let stream: NodeJS.WriteStream | undefined;
	let direct: boolean | undefined;
	function close(error: NodeJS.ErrnoException): void {
		output.closed = true;
		if (!GONE.has(error.code)) output.failure ??= error;
	}
	function get(): NodeJS.WriteStream {
		stream ??= open().on('error', close);
		return stream;
	}
	function isDirect(): boolean {
		if (direct !== undefined || fd === undefined) return direct === true;
		try {
			const stats = fstatSync(fd);
			const isNull = stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
			// node:tty takes 3 ms to load, and only a character device can be a terminal.
			direct = !stats.isCharacterDevice() || isNull || !process.getBuiltinModule('node:tty').isatty(fd);
		} catch {
			direct = false;
		}
		return direct;
	}
	const output: Output & { closed: boolean; failure: NodeJS.ErrnoException | undefined } = {
		closed: false,
		failure: undefined,
		write(text) {
			if (output.closed || text === '') return;
			if (!isDirect()) return void get().write(text);
			let bytes = Buffer.from(text, 'utf8');
			try {
				while (bytes.length > 0) bytes = bytes.subarray(writeSync(fd as number, bytes));
			} catch (error) {
				// A non-blocking pipe is full: the stream waits for it.
				direct = (error as NodeJS.ErrnoException).code !== 'EAGAIN';
				if (direct) close(error as NodeJS.ErrnoException);
				else get().write(bytes);
			}
		},
		get isTTY() {
			return !isDirect() && get().isTTY === true;
		},
		get isFile() {
			return isDirect() && fstatSync(fd as number).isFile();
		},
		get columns() {
			// An unknown width is 0.
			return (this.isTTY && get().columns) || undefined;
		},
		get rows() {
			return (this.isTTY && get().rows) || undefined;
		},
		flush() {
			const waiting = stream;
			if (waiting === undefined || output.closed || waiting.writableLength === 0) return Promise.resolve();
			// Its callback comes after the writes before it, also if the stream breaks.
			return new Promise((resolve) => {
				waiting.write('', () => resolve());
			});
		},
	};
	return output;
}

export const systemClock: Clock = {
	now: () => Date.now(),
	// Loading `performance` takes a millisecond.
	monotonic() {
		const [seconds, nanoseconds] = process.hrtime();
		return seconds * 1000 + nanoseconds / 1e6;
	},
	sleep: (ms, signal) =>
		new Promise((resolve) => {
			const done = (): void => {
				clearTimeout(timer);
				signal?.removeEventListener('abort', done);
				resolve();
			};
			// Node ends a longer one at once.
			const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1));
			if (signal?.aborted) done();
			else signal?.addEventListener('abort', done);
		}),
};

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Streams are opened when they are first used: opening stdin would take its bytes from a child. */
export function createProcessContext(
	target: ProcessLike,
	descriptors: { stdout?: number; stderr?: number } = {},
): Context {
	const stdin: Input = {
		get isTTY() {
			return target.stdin.isTTY === true;
		},
		// Opened when it is read.
		bytes: () => ({ [Symbol.asyncIterator]: () => target.stdin[Symbol.asyncIterator]() }),
		async text() {
			const { buffer } = await import('node:stream/consumers');
			return decodedText(await buffer(target.stdin));
		},
	};
	const stderr = createOutput(() => target.stderr as NodeJS.WriteStream, descriptors.stderr);
	const onScreen = new Set<(name: NodeJS.Signals) => void>();
	return {
		argv: target.argv.slice(2),
		env: target.env,
		stdin,
		stdout: createOutput(() => target.stdout as NodeJS.WriteStream, descriptors.stdout),
		stderr,
		prompts: {
			get available() {
				// Opening stdin takes 2 % of what a lone request takes: a job, whose stderr is a file or a pipe, is not asked.
				return stderr.isTTY && stdin.isTTY;
			},
			text: (message, { initial, check = () => true } = {}) =>
				ask({ type: 'input', message, default: initial, validate: check }),
			secret: (message) => ask({ type: 'password', message, mask: false, toggleMask: false, validate: isNotEmpty }),
			confirm: (message, initial = false) => ask({ type: 'confirm', message, default: initial }),
		},
		clock: systemClock,
		signals: {
			listen(callback, isOnScreen) {
				const pass = (name: NodeJS.Signals): void => {
					if (name !== 'SIGINT' || onScreen.size === 0) callback(name);
				};
				if (isOnScreen) onScreen.add(pass);
				for (const name of SIGNALS) target.on(name, pass);
				return () => {
					onScreen.delete(pass);
					for (const name of SIGNALS) target.off(name, pass);
				};
			},
		},
		// main writes what stderr shows.
		hide() {},
		random: Math.random,
		cwd: target.cwd(),
		abandon: (exitCode) => target.exit(exitCode),
	};
}

const isNotEmpty = (text: string): true | string => text !== '' || 'it is empty';

/** On stderr, since stdout is for results. @throws SupportctlError `interrupted` */
async function ask<T>(question: Record<string, unknown>): Promise<T> {
	const { default: inquirer } = await import('inquirer');
	const { stdin, stderr } = process;
	// For Ctrl-D or a closed terminal inquirer would wait for ever.
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
		if (!(error instanceof Error && /^(?:Exit|Abort|Cancel)PromptError$/.test(error.name))) throw error;
		throw (await import('../errors.js')).interrupted('canceled; nothing was changed');
	} finally {
		stdin.off('keypress', onKey).off('end', end);
	}
}

/** What the program may touch of the outside world, passed in so that tests can pass another; and that of a real process. */

import { fstatSync, statSync, writeSync } from 'node:fs';

/** A stream that text goes to. */
export interface Output {
	write(text: string): void;
	/** Writes a line that is a command to the CI runner, which `write` may change so that it is none. */
	command?(line: string): void;
	/** Whether the text goes to a regular file. */
	readonly isFile?: boolean;
	readonly isTTY: boolean;
	/** Width in columns; undefined where there is no terminal. */
	readonly columns: number | undefined;
	/** Height in lines; undefined where there is no terminal. */
	readonly rows?: number | undefined;
	/** Resolves when everything written has been taken by the other side. */
	flush(): Promise<void>;
	/** True once the reader has gone (a closed pipe); later writes are dropped. */
	readonly closed: boolean;
	/** Why text was lost, where that was not for want of a reader: a full disk, for instance. */
	readonly failure?: NodeJS.ErrnoException | undefined;
}

/** Standard input. */
export interface Input {
	readonly isTTY: boolean;
	/** The raw bytes, read lazily; may be iterated once. */
	bytes(): AsyncIterable<Uint8Array>;
	/** Everything, as UTF-8 text without a byte order mark. Rejects with a TypeError for bytes that are no such text. */
	text(): Promise<string>;
}

/** Questions to a person at a terminal. Every one throws InterruptedError on Ctrl-C. */
export interface Prompts {
	/** True where a person can be asked: a terminal on stdin and stderr. */
	readonly available: boolean;
	text(
		question: string,
		options?: { initial?: string | undefined; check?: (text: string) => true | string },
	): Promise<string>;
	secret(question: string): Promise<string>;
	choice<Value extends string>(
		question: string,
		choices: readonly { value: Value; label: string }[],
		initial?: Value,
	): Promise<Value>;
	/** @param initial what Enter alone means: by default no */
	confirm(question: string, initial?: boolean): Promise<boolean>;
}

export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Milliseconds on a clock that never jumps. */
	monotonic(): number;
	/** Resolves after `ms` or 24 days, whichever is earlier, or at once when the signal aborts. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Signals that ask the program to stop. */
export interface Signals {
	/** Calls back for each SIGINT, SIGTERM and SIGHUP until the returned function is called. */
	listen(callback: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void): () => void;
	/** Keeps SIGINT from all who listen until the returned function is called: Ctrl-C is for a program on the screen. */
	holdInterrupts(): () => void;
}

export interface Context {
	/** Arguments after the program's name. */
	readonly argv: readonly string[];
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly stdin: Input;
	readonly stdout: Output;
	readonly stderr: Output;
	readonly prompts: Prompts;
	readonly clock: Clock;
	readonly signals: Signals;
	/** Removes the caller's credentials from stderr, once they are known. */
	readonly hidden: { clean?: (text: string) => string };
	/** 0 ≤ x < 1. */
	random(): number;
	/** The folder that relative paths start from. */
	readonly cwd: string;
	/** Ends the process at once, for the second Ctrl-C only. */
	abandon(exitCode: number): void;
}

/** The part of `process` that the program is given by its binary. */
export type ProcessLike = Pick<
	NodeJS.Process,
	'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'on' | 'off' | 'exit'
>;

/** Whether a descriptor is open and no terminal; only a character device other than /dev/null can be one. */
function isFileOrPipe(fd: number): boolean {
	try {
		const stats = fstatSync(fd);
		if (!stats.isCharacterDevice() || stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev)
			return true;
		// To ask whether it is a terminal loads node:tty, which takes 3 ms.
		return !process.getBuiltinModule('node:tty').isatty(fd);
	} catch {
		return false;
	}
}

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
	const close = (error: NodeJS.ErrnoException): void => {
		closed = true;
		if (!GONE.has(error.code)) failure ??= error;
	};
	const get = (): NodeJS.WriteStream => {
		stream ??= open().on('error', close);
		return stream;
	};
	const isDirect = (): boolean => {
		direct ??= fd !== undefined && isFileOrPipe(fd);
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
			const waiting = stream;
			if (waiting === undefined || closed || waiting.writableLength === 0) return Promise.resolve();
			// Called in turn with the writes before it, and also when the stream breaks.
			return new Promise((resolve) => {
				waiting.write('', () => resolve());
			});
		},
	};
}

/** Node ends a longer timer at once. Whoever sleeps looks at the clock again. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	now: () => Date.now(),
	// Not `performance`, whose module takes a millisecond to load.
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
			const timer = setTimeout(done, Math.min(ms, LONGEST_TIMER_MS));
			if (signal?.aborted) done();
			else signal?.addEventListener('abort', done);
		}),
};

/** The most that is read of standard input as one text, in bytes. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The context of a real run; streams are opened when they are first used, and not at all where a descriptor will do.
 * @param descriptors where the process's output goes
 */
export function createProcessContext(
	target: ProcessLike,
	descriptors: { stdout?: number; stderr?: number } = {},
): Context {
	const stdin: Input = {
		get isTTY() {
			return target.stdin.isTTY === true;
		},
		bytes: () => target.stdin,
		async text() {
			const chunks: Buffer[] = [];
			let length = 0;
			for await (const chunk of target.stdin as AsyncIterable<Buffer>) {
				chunks.push(chunk);
				length += chunk.length;
				if (length > MAX_TEXT_BYTES) throw Object.assign(new Error(), { code: 'ERR_INPUT_TOO_LARGE' });
			}
			return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
		},
	};
	const stderr = createOutput(() => target.stderr as NodeJS.WriteStream, descriptors.stderr);
	const holds = new Set<symbol>();
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
			choice: (message, choices, initial) => {
				const named = choices.map(({ value, label }) => ({ value, name: label }));
				return ask({ type: 'select', message, default: initial, choices: named });
			},
			confirm: (message, initial = false) => ask({ type: 'confirm', message, default: initial }),
		},
		clock: systemClock,
		signals: {
			listen(callback) {
				const pass = (name: (typeof SIGNALS)[number]): void => {
					if (name !== 'SIGINT' || holds.size === 0) callback(name);
				};
				for (const name of SIGNALS) target.on(name, pass);
				return () => {
					for (const name of SIGNALS) target.off(name, pass);
				};
			},
			holdInterrupts() {
				const hold = Symbol();
				holds.add(hold);
				return () => void holds.delete(hold);
			},
		},
		hidden: {},
		random: Math.random,
		cwd: target.cwd(),
		abandon: (exitCode) => target.exit(exitCode),
	};
}

/** Asks on stderr, so that stdout stays clean for results. @throws InterruptedError for Ctrl-C, Ctrl-D and a closed terminal */
async function ask<T>(question: Record<string, unknown>): Promise<T> {
	const { default: inquirer } = await import('inquirer');
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
		if (!(error instanceof Error && /^(?:Exit|Abort|Cancel)PromptError$/.test(error.name))) throw error;
		throw new (await import('../errors.js')).InterruptedError('canceled; nothing was sent');
	} finally {
		stdin.off('keypress', onKey).off('end', end);
	}
}

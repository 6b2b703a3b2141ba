/** The real streams, clock and signals of a Node process, as the program's context. */

import type { Clock, Context, Input, Output, Prompts, Signals } from './context.js';

/** The part of `process` that the program is given by its binary. */
export type ProcessLike = Pick<
	NodeJS.Process,
	'argv' | 'env' | 'stdin' | 'stdout' | 'stderr' | 'cwd' | 'on' | 'off' | 'exit'
>;

/** Wraps a writable stream; a reader that went away closes it quietly. */
function createOutput(open: () => NodeJS.WriteStream): Output {
	let stream: NodeJS.WriteStream | undefined;
	let closed = false;
	const get = (): NodeJS.WriteStream => {
		if (stream === undefined) {
			stream = open();
			stream.on('error', () => {
				closed = true;
			});
		}
		return stream;
	};
	return {
		write(text) {
			if (!closed && text !== '') get().write(text);
		},
		get isTTY() {
			return get().isTTY === true;
		},
		get columns() {
			return get().isTTY ? get().columns : undefined;
		},
		get closed() {
			return closed;
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

function createInput(open: () => NodeJS.ReadStream): Input {
	return {
		get isTTY() {
			return open().isTTY === true;
		},
		bytes: () => open(),
		async text() {
			const chunks: Uint8Array[] = [];
			for await (const chunk of open()) chunks.push(chunk as Uint8Array);
			return new TextDecoder('utf-8').decode(Buffer.concat(chunks));
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

/** The context of a real run; streams are opened when they are first used. */
export function createProcessContext(target: ProcessLike): Context {
	const stdin = createInput(() => target.stdin as NodeJS.ReadStream);
	const stderr = createOutput(() => target.stderr as NodeJS.WriteStream);
	return {
		argv: target.argv.slice(2),
		env: target.env,
		stdin,
		stdout: createOutput(() => target.stdout as NodeJS.WriteStream),
		stderr,
		prompts: createPrompts(stdin, stderr),
		clock: systemClock,
		signals: createSignals(target),
		random: Math.random,
		cwd: target.cwd(),
		abandon: (exitCode) => target.exit(exitCode),
	};
}

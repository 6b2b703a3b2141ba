/** A context in memory: what a command writes is kept as text, and a test plays the terminal, the person and the signals. */

import { type Clock, type Context, type Input, type Output, type Prompts, systemClock } from '../../src/io/context.js';
import { decodedText } from '../../src/text.js';

export interface MemoryOutput extends Output {
	readonly text: string;
	/** Resolves once the text written so far matches. */
	until(pattern: RegExp): Promise<RegExpExecArray>;
}

type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface MemoryContext extends Context {
	readonly stdout: MemoryOutput;
	readonly stderr: MemoryOutput;
	/** Sends a signal to whoever listens. */
	signal(name: SignalName): void;
	/** Exit codes that `abandon` was called with. */
	readonly abandoned: number[];
}

export interface MemoryOptions {
	argv?: readonly string[];
	env?: Record<string, string | undefined>;
	/** What stands on standard input. */
	stdin?: string | Uint8Array;
	/** Width of a terminal on both outputs; no terminal without it. */
	columns?: number;
	prompts?: Prompts;
	clock?: Clock;
	random?: () => number;
	cwd?: string;
}

function memoryOutput(columns: number | undefined): MemoryOutput {
	let text = '';
	let waiting: (() => void)[] = [];
	return {
		write(more) {
			text += more;
			const awake = waiting;
			waiting = [];
			for (const wake of awake) wake();
		},
		get text() {
			return text;
		},
		async until(pattern) {
			for (;;) {
				const match = pattern.exec(text);
				if (match !== null) return match;
				await new Promise<void>((resolve) => waiting.push(resolve));
			}
		},
		isTTY: columns !== undefined,
		columns,
		flush: () => Promise.resolve(),
		closed: false,
	};
}

function memoryInput(content: string | Uint8Array, isTTY: boolean): Input {
	const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
	return {
		isTTY,
		async *bytes() {
			if (bytes.length > 0) yield bytes;
		},
		text: () => Promise.resolve(decodedText(bytes)),
	};
}

const unasked = (): never => {
	throw new Error('the test did not expect a question');
};

const noPrompts: Prompts = {
	available: false,
	text: unasked,
	secret: unasked,
	confirm: unasked,
};

export function memoryContext(options: MemoryOptions = {}): MemoryContext {
	const listeners = new Set<(signal: SignalName) => void>();
	const abandoned: number[] = [];
	return {
		argv: options.argv ?? [],
		env: options.env ?? {},
		stdin: memoryInput(options.stdin ?? '', options.columns !== undefined && options.stdin === undefined),
		stdout: memoryOutput(options.columns),
		stderr: memoryOutput(options.columns),
		prompts: options.prompts ?? noPrompts,
		clock: options.clock ?? systemClock,
		hide() {},
		random: options.random ?? Math.random,
		cwd: options.cwd ?? process.cwd(),
		signals: {
			listen(callback, isOnScreen = false) {
				const pass = (name: SignalName): void => {
					if (name !== 'SIGINT' || !isOnScreen) callback(name);
				};
				listeners.add(pass);
				return () => listeners.delete(pass);
			},
		},
		abandon: (exitCode) => abandoned.push(exitCode),
		signal(name) {
			for (const listener of [...listeners]) listener(name);
		},
		abandoned,
	};
}

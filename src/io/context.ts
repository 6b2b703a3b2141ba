/** What the program may touch of the outside world, passed in so that tests can pass another. */

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

/** A person pressed Ctrl-C, or closed the terminal, at a question. */
export class PromptInterrupted extends Error {
	constructor() {
		super('interrupted at the question');
		this.name = 'PromptInterrupted';
	}
}

/** Questions to a person at a terminal. Every one throws PromptInterrupted on Ctrl-C. */
export interface Prompts {
	/** True where a person can be asked: a terminal on stdin and stderr. */
	readonly available: boolean;
	text(question: string, options?: { initial?: string; check?: (answer: string) => true | string }): Promise<string>;
	secret(question: string): Promise<string>;
	choice(question: string, choices: readonly { value: string; label: string }[], initial?: string): Promise<string>;
	/** The default answer is no. */
	confirm(question: string): Promise<boolean>;
}

export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Milliseconds on a clock that never jumps. */
	monotonic(): number;
	/** Resolves after `ms`, or at once when the signal aborts. */
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Signals that ask the program to stop. */
export interface Signals {
	/** Calls back for each SIGINT, SIGTERM and SIGHUP until the returned function is called. */
	listen(callback: (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => void): () => void;
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
	/** 0 ≤ x < 1. */
	random(): number;
	/** The folder that relative paths start from. */
	readonly cwd: string;
	/** Ends the process at once, for the second Ctrl-C only. */
	abandon(exitCode: number): void;
}

/** Runs the program in a real pseudo-terminal and keeps all that it writes there. */

import type { ReadStream } from 'node:tty';
import { type IPty, spawn } from '@lydell/node-pty';
import { binary } from './cli.js';
import { temporaryFolder } from './temporary.js';

export interface TerminalOptions {
	columns?: number;
	/** Besides PATH, HOME, TERM, and no pager. */
	env?: Record<string, string>;
	/** A shell command instead, in which `supportctl` is the program. */
	shell?: string;
	/** Called with all output so far, to answer questions. */
	onOutput?: (text: string, terminal: IPty) => void;
}

export interface TerminalRun {
	exitCode: number;
	/** As written, escape sequences included. */
	raw: string;
	/** Lines without escape sequences. */
	lines: string[];
}

/**
 * node-pty closes a terminal 200 ms after its program's end, read or not; a busy machine reads later. Once it is read to
 * its end it closes by itself.
 */
function keepUnread(terminal: IPty): void {
	const socket = (terminal as unknown as { _socket: ReadStream })._socket;
	const destroy = socket.destroy.bind(socket);
	socket.destroy = (error) => {
		if (error !== undefined || socket.readableEnded) return destroy(error);
		setTimeout(destroy, 10_000).unref();
		return socket;
	};
}

/** Runs the built program with these words; its home is a folder of its own. */
export function runInTerminal(
	argv: readonly string[],
	{ columns = 80, env = {}, shell, onOutput }: TerminalOptions = {},
): Promise<TerminalRun> {
	const home = temporaryFolder();
	const program = `supportctl() { '${process.execPath}' '${binary}' "$@"; }`;
	const [file, args] =
		shell === undefined ? [process.execPath, [binary, ...argv]] : ['sh', ['-c', `${program}; ${shell}`]];
	return new Promise((resolve) => {
		const terminal = spawn(file, args, {
			cols: columns,
			rows: 40,
			cwd: home,
			env: {
				PATH: process.env.PATH as string,
				HOME: home,
				TERM: 'xterm-256color',
				LANG: 'C.UTF-8',
				PAGER: 'cat',
				...env,
			},
		});
		keepUnread(terminal);
		let raw = '';
		terminal.onData((text) => {
			raw += text;
			onOutput?.(raw, terminal);
		});
		terminal.onExit(({ exitCode }) => {
			const lines = raw.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').split(/\r?\n/);
			resolve({ exitCode, raw, lines });
		});
	});
}

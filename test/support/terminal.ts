/** Runs the program in a real pseudo-terminal and keeps all that it writes there. */

import { closeSync, constants, openSync } from 'node:fs';
import type { ReadStream } from 'node:tty';
import { type IPty, spawn } from '@lydell/node-pty';
import { binary, type Words, wordsOf } from './cli.js';
import { temporaryFolder } from './temporary.js';

export interface TerminalOptions {
	columns?: number;
	/** Besides PATH, HOME, TERM, and no pager. */
	env?: Record<string, string>;
	/** A shell command instead, in which `supportctl` is the program. */
	shell?: string;
	/** What is typed, each once its pattern shows behind the one before. */
	script?: readonly (readonly [shows: RegExp, typed: string])[];
	/** Called with all output so far. */
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
 * Node takes a terminal for ended when its last program has ended, though more than 4 KB are unread: so it is held open
 * here until a turn of the event loop brings nothing more. node-pty asks for its end 200 ms after the program's.
 */
function keepUnread(terminal: IPty): void {
	const { _socket: socket, _pty: path } = terminal as unknown as { _socket: ReadStream; _pty: string };
	const held = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
	const destroy = socket.destroy.bind(socket);
	let pieces = 0;
	terminal.onData(() => pieces++);
	socket.destroy = (error) => {
		socket.destroy = destroy;
		const endAfter = (before: number): void => {
			if (pieces > before) return void setTimeout(endAfter, 20, pieces);
			closeSync(held);
			destroy(error);
		};
		setTimeout(endAfter, 20, pieces);
		return socket;
	};
}

/** Runs the built program with these words; its home is a folder of its own. */
export function runInTerminal(
	argv: Words,
	{ columns = 80, env = {}, shell, script = [], onOutput }: TerminalOptions = {},
): Promise<TerminalRun> {
	const home = temporaryFolder();
	const program = `supportctl() { '${process.execPath}' '${binary}' "$@"; }`;
	const [file, args] =
		shell === undefined ? [process.execPath, [binary, ...wordsOf(argv)]] : ['sh', ['-c', `${program}; ${shell}`]];
	const left = [...script];
	let from = 0;
	return new Promise((resolve, reject) => {
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
			for (let [next] = left; next !== undefined; [next] = left) {
				const found = next[0].exec(raw.slice(from));
				if (found === null) return;
				from += found.index + found[0].length;
				left.shift();
				terminal.write(next[1]);
			}
		});
		terminal.onExit(({ exitCode }) => {
			const lines = raw.replace(/\x1b\[[0-9;]*[A-Za-z]/g, '').split(/\r?\n/);
			if (left[0] === undefined) resolve({ exitCode, raw, lines });
			else reject(new Error(`${left[0][0]} never showed in:\n${raw}`));
		});
	});
}

/** Runs the program in a real pseudo-terminal and keeps all that it writes there. */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type IPty, spawn } from '@lydell/node-pty';
import { bundleForChild } from './bundle.js';

export interface TerminalOptions {
	columns?: number;
	/** Besides PATH, HOME and TERM. */
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

/** Bundles the program once for a test; the returned function runs it. */
export async function openTerminal(): Promise<
	(argv: readonly string[], options?: TerminalOptions) => Promise<TerminalRun>
> {
	const main = await bundleForChild('src/main.ts');
	const bin = fileURLToPath(new URL('bin.mjs', main));
	writeFileSync(bin, `import { main } from ${JSON.stringify(main)};\nprocess.exitCode = await main(process);\n`);
	return (argv, { columns = 80, env = {}, shell, onOutput } = {}) =>
		new Promise((resolve) => {
			const home = fileURLToPath(new URL('.', main));
			const program = `supportctl() { '${process.execPath}' '${bin}' "$@"; }`;
			const [file, args] =
				shell === undefined ? [process.execPath, [bin, ...argv]] : ['sh', ['-c', `${program}; ${shell}`]];
			const terminal = spawn(file, args, {
				cols: columns,
				rows: 40,
				cwd: home,
				env: { PATH: process.env.PATH as string, HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
			});
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

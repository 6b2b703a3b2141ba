/** Runs child processes to their end and tells how long each took and how much memory it had at its peak. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const usageHook = fileURLToPath(new URL('usage.cjs', import.meta.url));

/**
 * @typedef {object} Ran
 * @property {number} ms From the start of the process to its end.
 * @property {number} peakMB The largest resident set of a Node process that was asked for it; 0 for others.
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs a command. Throws where it does not end with 0.
 * @param {readonly string[]} command
 * @param {{ env?: Record<string, string>, input?: string, watchMemory?: boolean }} [options]
 * @returns {Promise<Ran>}
 */
export function run([file, ...args], { env = {}, input, watchMemory = false } = {}) {
	return new Promise((resolve, reject) => {
		const started = performance.now();
		const child = spawn(file, watchMemory ? ['--require', usageHook, ...args] : args, {
			env: { ...process.env, ...env },
			stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
		});
		const texts = ['', '', '', ''];
		for (const index of [1, 2, 3]) {
			child.stdio[index].setEncoding('utf8').on('data', (text) => {
				// A run prints a line for each row: its end is enough.
				texts[index] = (texts[index] + text).slice(-100_000);
			});
		}
		let ms = 0;
		child.on('error', reject);
		child.on('exit', () => {
			ms = performance.now() - started;
		});
		child.on('close', (code, signal) => {
			const [, stdout, stderr, usage] = texts;
			if (code !== 0) {
				reject(
					new Error(`${file} ${args.join(' ').slice(0, 200)} ended with ${code ?? signal}:\n${stderr.slice(-2000)}`),
				);
			} else {
				resolve({ ms, peakMB: (Number(usage) * 1024) / 1e6, stdout, stderr });
			}
		});
		if (input !== undefined) child.stdin.end(input);
	});
}

/** Whether a program is on the path. @param {string} name */
export async function isInstalled(name) {
	try {
		await run(['sh', '-c', `command -v ${name}`]);
		return true;
	} catch {
		return false;
	}
}

/** The path of a package's program. @param {string} name @param {string} file */
export function packageProgram(name, file) {
	return createRequire(import.meta.url)
		.resolve(`${name}/package.json`)
		.replace(/package\.json$/, file);
}

/** Runs child processes to their end and measures how long each took, its CPU time and its peak memory. */

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const usageHook = fileURLToPath(new URL('usage.cjs', import.meta.url));

/**
 * Runs a command. Throws where it ends with another code than those expected. `peakMB` and `cpuMs` are measured of Node
 * processes with `watch`; `output` is the file that takes stdout.
 * @param {readonly string[]} command
 * @param {{ env?: Record<string, string>, input?: string, output?: string, watch?: boolean, codes?: number[] }} [options]
 * @returns {Promise<{ ms: number, peakMB: number, cpuMs: number, stdout: string }>}
 */
export function run([file, ...args], { env = {}, input, output, watch = false, codes = [0] } = {}) {
	return new Promise((resolve, reject) => {
		const target = output === undefined ? 'pipe' : openSync(output, 'w');
		const started = performance.now();
		const child = spawn(file, watch ? ['--require', usageHook, ...args] : args, {
			env: { ...process.env, ...env },
			stdio: [input === undefined ? 'ignore' : 'pipe', target, 'pipe', 'pipe'],
		});
		if (output !== undefined) closeSync(target);
		const texts = ['', '', '', ''];
		for (const index of [1, 2, 3]) {
			child.stdio[index]?.setEncoding('utf8').on('data', (text) => {
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
			if (codes.includes(code)) resolve({ ms, stdout, ...JSON.parse(usage || '{}') });
			else {
				const command = `${file} ${args.join(' ').slice(0, 200)}`;
				reject(new Error(`${command} ended with ${code ?? signal}:\n${stderr.slice(-2000)}`));
			}
		});
		if (input !== undefined) child.stdin.end(input);
	});
}

/** Whether a program is on the path. @param {string} name */
export async function isInstalled(name) {
	return (await run(['sh', '-c', `command -v ${name}`], { codes: [0, 1, 127] })).stdout !== '';
}

/** The path of a package's program. @param {string} name @param {string} file */
export function packageProgram(name, file) {
	return createRequire(import.meta.url)
		.resolve(`${name}/package.json`)
		.replace(/package\.json$/, file);
}

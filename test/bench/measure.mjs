/** Runs commands as whole processes: how long, how much memory, and medians over rounds in which all of them take turns. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** How often a process's peak is looked at, in milliseconds. */
const LOOK_MS = 20;

function peakKiB(pid) {
	try {
		return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
	} catch {
		return 0;
	}
}

/** @returns seconds from start to end, and the peak of resident memory in MB (0 where the system does not tell). */
export function run([command, ...args], { env, watchMemory = false } = {}) {
	return new Promise((resolve, reject) => {
		const started = process.hrtime.bigint();
		const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
		let peak = 0;
		let errors = '';
		let output = '';
		const timer = watchMemory ? setInterval(() => (peak = Math.max(peak, peakKiB(child.pid))), LOOK_MS) : undefined;
		child.stdout.on('data', (data) => {
			if (output.length < 100_000) output += data;
		});
		child.stderr.on('data', (data) => {
			if (errors.length < 10_000) errors += data;
		});
		child.on('error', reject);
		child.on('close', (code) => {
			clearInterval(timer);
			const seconds = Number(process.hrtime.bigint() - started) / 1e9;
			if (code === 0) resolve({ seconds, megabytes: (peak * 1024) / 1e6, output });
			else reject(new Error(`${command} ${args.join(' ')} ended with ${code}: ${errors.slice(0, 500)}`));
		});
	});
}

export function median(values) {
	const sorted = [...values].sort((left, right) => left - right);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Each contender once a round, in turns, after a round that does not count. @returns the medians by name */
export async function inTurns(contenders, rounds) {
	const results = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
	for (let round = -1; round < rounds; round++) {
		for (const [name, measure] of Object.entries(contenders)) {
			const value = await measure();
			if (round >= 0) results[name].push(value);
		}
	}
	return Object.fromEntries(Object.entries(results).map(([name, values]) => [name, median(values)]));
}

/** A clock that a test moves: sleepers wake in order, and time passes only while nothing else can happen. */

import type { Clock } from '../../src/io/context.js';

interface Sleeper {
	at: number;
	wake(): void;
}

export class VirtualClock implements Clock {
	private time = 0;
	private sleepers: Sleeper[] = [];

	/** @param epoch What `now` says at the beginning, in milliseconds since 1970. */
	constructor(private readonly epoch = Date.UTC(2026, 10, 21)) {}

	/** How many sleep at this moment: each would keep a real process from ending. */
	get sleeping(): number {
		return this.sleepers.length;
	}

	now(): number {
		return this.epoch + this.time;
	}

	monotonic(): number {
		return this.time;
	}

	sleep(ms: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted) return Promise.resolve();
		return new Promise((resolve) => {
			const wake = (): void => {
				signal?.removeEventListener('abort', wake);
				this.sleepers = this.sleepers.filter((each) => each !== sleeper);
				resolve();
			};
			const sleeper: Sleeper = { at: this.time + Math.max(0, ms), wake };
			signal?.addEventListener('abort', wake);
			const index = this.sleepers.findIndex((each) => each.at > sleeper.at);
			this.sleepers.splice(index < 0 ? this.sleepers.length : index, 0, sleeper);
		});
	}

	/** Lets time pass until the work is done, or for so many milliseconds at the most; returns whether it is done. */
	async run(work: Promise<unknown>, limitMs = Number.POSITIVE_INFINITY): Promise<boolean> {
		let done = false;
		const end = this.time + limitMs;
		const finished = work.finally(() => {
			done = true;
		});
		finished.catch(() => undefined);
		for (;;) {
			await settled();
			if (done) {
				await work;
				return true;
			}
			const next = this.sleepers[0];
			if (next === undefined) throw new Error('everything waits and nobody sleeps');
			if (next.at > end) {
				this.time = end;
				return false;
			}
			this.time = next.at;
			next.wake();
		}
	}
}

/** Resolves when every promise that can go on has done so. */
function settled(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

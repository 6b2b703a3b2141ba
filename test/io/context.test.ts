import { getEventListeners } from 'node:events';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createProcessContext, type ProcessLike, systemClock } from '../../src/io/context.js';

/** A process whose stdout takes one piece at a time, when the test says so. */
function slowProcess() {
	const taken: string[] = [];
	let release: ((error?: Error) => void) | undefined;
	const stdout = new Writable({
		decodeStrings: false,
		write(text: string, _encoding, done) {
			taken.push(text);
			release = done;
		},
	});
	const context = createProcessContext({
		argv: ['node', 'supportctl'],
		env: {},
		stdout,
		cwd: () => '/',
	} as never as ProcessLike);
	return { context, taken, stdout, take: (error?: Error) => release?.(error) };
}

it('a job without a terminal is asked nothing, and its stdin is not opened to find that out', () => {
	const stderr = new Writable();
	const target = {
		argv: [],
		env: {},
		stderr,
		get stdin(): never {
			throw new Error('stdin was opened');
		},
		cwd: () => '/',
	};
	expect(createProcessContext(target as never as ProcessLike).prompts.available).toBe(false);
	Object.assign(stderr, { isTTY: true });
	expect(() => createProcessContext(target as never as ProcessLike).prompts.available).toThrow('stdin was opened');
});

describe('stdout', () => {
	it('flush waits until the other side has taken all, and leaves no listener behind', async () => {
		const { context, taken, stdout, take } = slowProcess();
		context.stdout.write('warm-up');
		take();
		const before = stdout.eventNames().map((name) => [name, stdout.listenerCount(name)]);
		for (let piece = 0; piece < 50; piece++) {
			context.stdout.write(`piece ${piece}`);
			let flushed = false;
			const flush = context.stdout.flush().then(() => {
				flushed = true;
			});
			await Promise.resolve();
			expect(flushed).toBe(false);
			take();
			take();
			await flush;
		}
		expect(taken.filter((text) => text !== '')).toHaveLength(51);
		expect(stdout.eventNames().map((name) => [name, stdout.listenerCount(name)])).toEqual(before);
	});

	it.each([
		[100, 100],
		[0, undefined],
	])('of a terminal that says it is %i columns wide is %j wide', (columns, expected) => {
		const { context, stdout } = slowProcess();
		Object.assign(stdout, { isTTY: true, columns });
		expect(context.stdout.columns).toBe(expected);
	});

	it('flush ends, and later writes are dropped, when the reader has gone', async () => {
		const { context, taken, take } = slowProcess();
		context.stdout.write('one');
		const flush = context.stdout.flush();
		take(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
		await flush;
		await new Promise((resolve) => setImmediate(resolve));
		expect(context.stdout.closed).toBe(true);
		context.stdout.write('two');
		await context.stdout.flush();
		expect(taken).toEqual(['one']);
	});
});

it('a sleep of more than 24 days is not over at once', async () => {
	const stop = new AbortController();
	const slept = systemClock.sleep(2 ** 31, stop.signal).then(() => 'slept');
	const awake = new Promise((resolve) => setTimeout(resolve, 50, 'awake'));
	expect(await Promise.race([slept, awake])).toBe('awake');
	stop.abort();
	expect(await slept).toBe('slept');
});

it('a sleep that is over listens to its signal no longer', async () => {
	const { signal } = new AbortController();
	await systemClock.sleep(1, signal);
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createProgress, duration } from '../../src/output/progress.js';

function setUp(
	isTTY: boolean,
	columns: number | undefined = 80,
	over: { quiet?: boolean; total?: number; redraws?: boolean } = {},
) {
	const written: string[] = [];
	let now = 1_000;
	const progress = createProgress({
		stderr: { isTTY, columns, write: (text) => void written.push(text) },
		clock: { monotonic: () => now },
		total: 40_000,
		...over,
	});
	return {
		written,
		progress,
		at(seconds: number, done: number, failed = 0, unknown = 0) {
			now = 1_000 + seconds * 1000;
			progress.update({ done, failed, unknown });
		},
	};
}

const visible = (text: string): string => text.replace('\r', '').replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');

describe('progress on a terminal', () => {
	it('is one line with bar, done, total, rate, failures and time left', () => {
		const run = setUp(true);
		run.at(0, 0);
		run.at(10, 10_000, 3, 1);
		const line = visible(run.written.at(-1) as string);
		expect(line).toMatch(/^━+─+ {2}10000 of 40000 done {2}1000\/s {2}3 failed {2}1 unknown {2}30 s left$/);
		expect(run.written.every((text) => text.startsWith('\r') && text.endsWith('\x1b[K') && !text.includes('\n'))).toBe(
			true,
		);
	});

	it('is drawn at most ten times a second', () => {
		const run = setUp(true);
		for (let millisecond = 0; millisecond < 1000; millisecond++) run.at(millisecond / 1000, millisecond);
		expect(run.written.length).toBeLessThanOrEqual(10);
	});

	it.each([20, 40, 60, 80, 200])('fits into %i columns', (columns) => {
		const run = setUp(true, columns);
		run.at(0, 0);
		run.at(5, 12_345, 100, 20);
		const line = visible(run.written.at(-1) as string);
		expect(stringWidth(line)).toBeLessThan(columns);
		if (columns >= 40) expect(line).toContain('12345 of 40000 done');
	});

	it('is taken away at the end, and before other lines', () => {
		const run = setUp(true);
		run.at(0, 1);
		run.progress.clear();
		run.progress.clear();
		run.progress.done();
		expect(run.written.slice(1)).toEqual(['\r\x1b[K']);
	});

	it('shows the rate of the last seconds, not of the whole run', () => {
		const run = setUp(true, 200);
		run.at(0, 0);
		for (let second = 1; second <= 60; second++) run.at(second, second * 100);
		for (let second = 61; second <= 80; second++) run.at(second, 6_000 + (second - 60) * 10);
		expect(visible(run.written.at(-1) as string)).toContain(' 10/s ');
	});
});

describe('progress elsewhere', () => {
	it('is a plain line every ten seconds', () => {
		const run = setUp(false, undefined);
		for (let second = 0; second <= 25; second++) run.at(second, second * 100, 1);
		expect(run.written).toEqual([
			'1000 of 40000 done, 100/s, 1 failed, 6 min 30 s left\n',
			'2000 of 40000 done, 100/s, 1 failed, 6 min 20 s left\n',
		]);
		run.progress.done();
		expect(run.written).toHaveLength(3);
	});

	it('is the same on a terminal that can draw nothing anew', () => {
		const run = setUp(true, 80, { redraws: false });
		for (let second = 0; second <= 15; second++) run.at(second, second * 100);
		run.progress.clear();
		expect(run.written).toEqual(['1000 of 40000 done, 100/s, 0 failed, 6 min 30 s left\n']);
	});

	it('says nothing of a short run, nor with quiet', () => {
		const short = setUp(false, undefined);
		short.at(3, 40_000);
		short.progress.done();
		const quiet = setUp(true, 80, { quiet: true });
		quiet.at(30, 5);
		quiet.progress.done();
		expect([short.written, quiet.written]).toEqual([[], []]);
	});
});

describe('duration', () => {
	it.each([
		[0.2, '1 s'],
		[59, '59 s'],
		[200, '3 min 20 s'],
		[7_500, '2 h 05 min'],
	])('%d s is %s', (seconds, text) => {
		expect(duration(seconds)).toBe(text);
	});
});

it('the rate of a resumed run is its own', () => {
	let now = 1000;
	const written: string[] = [];
	const progress = createProgress({
		stderr: { isTTY: false, columns: 80, write: (text) => void written.push(text) },
		clock: { monotonic: () => now },
		total: 40_000,
		start: 30_000,
	});
	now += 10_000;
	progress.update({ done: 31_000, failed: 0, unknown: 0 });
	expect(written).toEqual(['31000 of 40000 done, 100/s, 0 failed, 1 min 30 s left\n']);
});

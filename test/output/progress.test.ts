import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type Palette, plainPalette } from '../../src/output/colour.js';
import { createProgress } from '../../src/output/progress.js';

function setUp(
	isTTY: boolean,
	columns?: number,
	{ TERM = 'xterm', start = 0, palette = plainPalette }: { TERM?: string; start?: number; palette?: Palette } = {},
) {
	const written: string[] = [];
	let now = 1_000;
	const stderr = { isTTY, columns, write: (text: string) => void written.push(text) };
	const context = { stderr, env: { TERM }, clock: { monotonic: () => now } } as never;
	const progress = createProgress(context, { total: 40_000, start, palette });
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
		expect(line).toMatch(/^━+─+ {2}10,000 of 40,000 done {2}1,000\/s {2}3 failed {2}1 unknown {2}30 s left$/);
		expect(run.written.every((text) => text.startsWith('\r') && text.endsWith('\x1b[K') && !text.includes('\n'))).toBe(
			true,
		);
	});

	it('shows neither rate nor time left in the first second, in which a resume reads its journal', () => {
		const run = setUp(true, 80, { start: 500 });
		run.at(0.2, 600);
		expect(visible(run.written.at(-1) as string)).toMatch(/600 of 40,000 done$/);
		run.at(1, 600);
		expect(visible(run.written.at(-1) as string)).toContain('100/s');
	});

	it('turns red once rows fail', () => {
		const palette = {
			...plainPalette,
			good: (text: string) => `<green>${text}`,
			bad: (text: string) => `<red>${text}`,
		};
		const run = setUp(true, 80, { palette });
		run.at(0, 10_000);
		run.at(10, 20_000, 3);
		expect(run.written.map((text) => /<\w+>/.exec(text)?.[0])).toEqual(['<green>', '<red>']);
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
		expect(stringWidth(`${line}^C`)).toBeLessThan(columns);
		if (columns >= 40) expect(line).toContain('12,345 of 40,000 done');
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
		const run = setUp(false);
		for (let second = 0; second <= 25; second++) run.at(second, second * 100, 1);
		expect(run.written).toEqual([
			'1,000 of 40,000 done, 100/s, 1 failed, 6 min 30 s left\n',
			'2,000 of 40,000 done, 100/s, 1 failed, 6 min 20 s left\n',
		]);
		run.progress.done();
		expect(run.written).toHaveLength(3);
	});

	it('is the same on a terminal that can draw nothing anew', () => {
		const run = setUp(true, 80, { TERM: 'dumb' });
		for (let second = 0; second <= 15; second++) run.at(second, second * 100);
		run.progress.clear();
		expect(run.written).toEqual(['1,000 of 40,000 done, 100/s, 6 min 30 s left\n']);
	});

	it('prints nothing for a short run', () => {
		const run = setUp(false);
		run.at(3, 40_000);
		run.progress.done();
		expect(run.written).toEqual([]);
	});

	it('shows the rate of a resumed run as its own', () => {
		const run = setUp(false, 80, { start: 30_000 });
		run.at(10, 31_000);
		expect(run.written).toEqual(['31,000 of 40,000 done, 100/s, 1 min 30 s left\n']);
	});

	it.each([
		[39_998, 1000, '1 s'],
		[34_100, 1000, '59 s'],
		[20_000, 1000, '3 min 20 s'],
		[32_500, 10, '2 h 5 min'],
	])('names the time that is left after %i rows, of which %i took ten seconds', (done, own, left) => {
		const run = setUp(false, 80, { start: done - own });
		run.at(10, done);
		expect(run.written[0]).toContain(`, ${left} left`);
	});
});

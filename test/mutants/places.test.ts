/** The planted bugs can be planted; running them takes minutes, but a change that moves a place is noticed here. */

import { expect, test } from 'vitest';
import { lostPlaces } from './places.mjs';

test('each planted bug has its place in its file exactly once, and tests that exist', () => {
	expect(lostPlaces()).toEqual([]);
});

test('a planted bug without a place, with several, or without its tests is reported', () => {
	const bug = { file: 'tsconfig.json', was: '"strict"', becomes: '', loss: 'loss', tests: ['test/text.test.ts'] };
	expect(
		lostPlaces([
			bug,
			{ ...bug, was: 'strictest' },
			{ ...bug, was: 'true' },
			{ ...bug, tests: ['test/gone.test.ts'] },
			{ ...bug, tests: [] },
		]),
	).toEqual([
		'tsconfig.json: loss\n  not there: strictest',
		expect.stringMatching(/^tsconfig\.json: loss\n {2}there \d+ times: true$/),
		'tsconfig.json: loss\n  no such test: test/gone.test.ts',
		'tsconfig.json: loss\n  no such test: ',
	]);
});

import { describe, expect, it } from 'vitest';
import { outcomes } from '../../src/http/outcomes.js';
import { openPalette } from '../../src/output/colour.js';

describe('openPalette', () => {
	it.each([
		['a terminal', {}, true, false, true],
		['a pipe', {}, false, false, false],
		['NO_COLOR', { NO_COLOR: '1' }, true, false, false],
		['an empty NO_COLOR, which says nothing', { NO_COLOR: '' }, true, false, true],
		['FORCE_COLOR in a pipe', { FORCE_COLOR: '1' }, false, false, true],
		['an empty FORCE_COLOR in a pipe', { FORCE_COLOR: '' }, false, false, true],
		['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false, false],
		['NO_COLOR against FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false, false],
		['a dumb terminal', { TERM: 'dumb' }, true, false, false],
		['a dumb terminal that is forced', { TERM: 'dumb', FORCE_COLOR: '1' }, true, false, true],
		['CI', { CI: 'true' }, true, false, false],
		['CI=false', { CI: 'false' }, true, false, true],
		['--no-color against FORCE_COLOR', { FORCE_COLOR: '1' }, true, true, false],
	])('%s decides', async (_what, env, isTTY, noColor, expected) => {
		const palette = await openPalette({ env, argv: noColor ? ['--no-color'] : [] }, { isTTY });
		expect(palette.good('x') !== 'x').toBe(expected);
	});
});

describe('palette', () => {
	it('paints only where it is wanted', async () => {
		const [off, on] = [
			await openPalette({ env: {}, argv: [] }, { isTTY: false }),
			await openPalette({ env: {}, argv: [] }, { isTTY: true }),
		];
		expect(off.bad('x')).toBe('x');
		expect(on.bad('x')).toBe('\x1b[31mx\x1b[39m');
		expect((['ok', 'failed', 'unknown'] as const).map((name) => on[outcomes[name].style]('x'))).toEqual([
			'\x1b[32mx\x1b[39m',
			'\x1b[31mx\x1b[39m',
			'\x1b[33mx\x1b[39m',
		]);
	});
});

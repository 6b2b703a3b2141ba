import { describe, expect, it } from 'vitest';
import { loadPalette, outcomeStyle, wantsColour } from '../../src/output/colour.js';

describe('wantsColour', () => {
	it.each([
		['a terminal', {}, true, undefined, true],
		['a pipe', {}, false, undefined, false],
		['NO_COLOR', { NO_COLOR: '1' }, true, undefined, false],
		['an empty NO_COLOR, which says nothing', { NO_COLOR: '' }, true, undefined, true],
		['FORCE_COLOR in a pipe', { FORCE_COLOR: '1' }, false, undefined, true],
		['an empty FORCE_COLOR in a pipe', { FORCE_COLOR: '' }, false, undefined, true],
		['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, undefined, false],
		['NO_COLOR against FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, undefined, false],
		['a dumb terminal', { TERM: 'dumb' }, true, undefined, false],
		['a dumb terminal that is forced', { TERM: 'dumb', FORCE_COLOR: '1' }, true, undefined, true],
		['CI', { CI: 'true' }, true, undefined, false],
		['CI=false', { CI: 'false' }, true, undefined, true],
		['--no-color against FORCE_COLOR', { FORCE_COLOR: '1' }, true, false, false],
		['--color against NO_COLOR', { NO_COLOR: '1' }, false, true, true],
	])('%s decides', (_what, env, isTTY, flag, expected) => {
		expect(wantsColour({ env, isTTY, flag })).toBe(expected);
	});
});

describe('palette', () => {
	it('paints only where it is wanted', async () => {
		const [off, on] = [await loadPalette(false), await loadPalette(true)];
		expect(off.bad('x')).toBe('x');
		expect(on.bad('x')).toBe('\x1b[31mx\x1b[39m');
		expect(['ok', 'failed', 'unknown'].map((name) => outcomeStyle(on, name)('x'))).toEqual([
			'\x1b[32mx\x1b[39m',
			'\x1b[31mx\x1b[39m',
			'\x1b[33mx\x1b[39m',
		]);
	});
});

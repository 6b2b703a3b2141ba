import { expect, it } from 'vitest';
import { SeenIds } from '../../src/bulk/lists/pages.js';

it('knows each id once, as a number and as text, and takes objects without an id for new', () => {
	const seen = new SeenIds();
	const added = (ids: readonly unknown[]): boolean[] => ids.map((id) => seen.add(id));
	expect(added([0, 31, 32, 4095, 4096, 2 ** 40])).toEqual([true, true, true, true, true, true]);
	expect(added([0, 31, 32, 4095, 4096, 2 ** 40, 33])).toEqual([false, false, false, false, false, false, true]);
	expect(added(['a', 'b', 'a', ''])).toEqual([true, true, false, true]);
	expect(added([undefined, undefined, null, -1, 1.5])).toEqual([true, true, true, true, true]);
});

/** Which objects `--ids` and `--except` choose. */

import { describe, expect, test } from 'vitest';
import { Chosen, type Part } from '../../src/bulk/part.js';

const ada = { id: '7', username: 'Ada' };
const bob = { id: '8', username: 'bob' };

function chosenBy(part: Part | undefined): string[] {
	const chosen = new Chosen(part);
	return [ada, bob].filter((ids) => chosen.has(ids)).map(({ id }) => id);
}

describe('a part', () => {
	test.each<[string, Part | undefined, string[]]>([
		['that is not given is all', undefined, ['7', '8']],
		['has users by ID', { ids: ['8'] }, ['8']],
		['has users by name, whatever their capitals', { ids: ['aDA'] }, ['7']],
		['leaves out users by name', { except: ['BOB'] }, ['7']],
		['leaves out what it has', { ids: ['7', '8'], except: ['ada'] }, ['8']],
	])('%s', (_, part, ids) => {
		expect(chosenBy(part)).toEqual(ids);
	});

	test('has terms, replies and passwords by their own ID or slug, and not by their owner', () => {
		const chosen = new Chosen({ ids: ['3', 'abc'] });
		expect(chosen.has({ taxonomy: 'product', id: '3' })).toBe(true);
		expect(chosen.has({ ticket_id: '3', id: '4' })).toBe(false);
		expect(chosen.has({ user_id: '3', slug: 'abc' })).toBe(true);
		expect(chosen.has({ ticket_id: '3' })).toBe(true);
	});

	test('names what no object was, up to five of them', () => {
		const chosen = new Chosen({ ids: ['7', 'eve'], except: ['Bob'] });
		expect(() => chosen.checkSeen('the plan')).toThrow("7, eve, bob aren't in the plan; nothing was sent");
		chosen.has(ada);
		chosen.has(bob);
		expect(() => chosen.checkSeen('the plan')).toThrow("eve isn't in the plan; nothing was sent");
		const many = new Chosen({ ids: ['1', '2', '3', '4', '5', '6'] });
		expect(() => many.checkSeen('run x')).toThrow("1, 2, 3, 4, 5, … aren't in run x");
		expect(() => new Chosen({}).checkSeen('run x')).not.toThrow();
	});
});

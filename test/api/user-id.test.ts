import { expect, it } from 'vitest';
import { userIdIn } from '../../src/api/values.js';

it.each<[unknown, string | undefined]>([
	[7, '7'],
	['7', '7'],
	[{ id: 7, name: 'ada' }, '7'],
	[{ ID: '7', name: 'ada' }, '7'],
	[{ user_id: 7, posts: 3 }, '7'],
	[{ id: 0, user_id: 7 }, '7'],
	[{ user: '7' }, '7'],
	[{ posts: 3, level: 4 }, undefined],
	[{ id: 'ada' }, undefined],
	[{ name: 'ada' }, undefined],
	[{}, undefined],
	[[7], undefined],
	[0, undefined],
	[1.5, undefined],
	['x', undefined],
	[null, undefined],
])('the id in %j is %j', (body, id) => {
	expect(userIdIn(body)).toBe(id);
});

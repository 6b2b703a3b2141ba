/** A journal may come from elsewhere: its first line is checked like a command line. */

import { describe, expect, test } from 'vitest';
import { type EndpointName, endpointList, isEndpointName } from '../../../src/api/endpoints.js';
import { headerProblem } from '../../../src/bulk/journal/header.js';
import type { RunPlan } from '../../../src/bulk/plan.js';
import { longName } from '../../../src/cli/options/option.js';
import { optionsOf } from '../../../src/cli/runs/options.js';
import { headerOf, planOf } from '../../support/journal.js';

const { values } = planOf();
const term = { endpoint: 'term.update', values: { ...values, ids: { taxonomy: 'ticket_priority' } } } as const;

test.each<[string, Partial<RunPlan>]>([
	['as it is written', {}],
	['of a taxonomy', term],
	['with values', { values: { ...values, fields: { status: 'hold' }, add: { 'ticket-tag': [3] } } }],
	['with names that nobody documents', { undocumented: true, values: { ...values, fields: { own: 1 } } }],
	['of a shard', { shard: { index: 2, count: 2 } }],
])('a header %s is good', (_, more) => {
	expect(headerProblem(headerOf(3, more))).toBeUndefined();
});

test.each<[string, Partial<RunPlan>, string]>([
	['another taxonomy', { ...term, values: { ...values, ids: { taxonomy: 'users' } } }, '"users" isn\'t a taxonomy'],
	[
		'an ID that leads elsewhere',
		{ values: { ...values, ids: { ticket_id: '../users' } } },
		'"../users" isn\'t a ticket_id',
	],
	['an ID that is above', { values: { ...values, ids: { ticket_id: '..' } } }, '".." isn\'t a ticket_id'],
	['an ID in the body', { undocumented: true, values: { ...values, fields: { ID: 7 } } }, '"ID" isn\'t a field'],
	['an unknown field', { values: { ...values, fields: { role: 'x' } } }, '"role" isn\'t a field'],
	['an unknown list', { values: { ...values, add: { role: ['x'] } } }, '"role" isn\'t a field'],
	['an unknown secret', { values: { ...values, withheld: ['role'] } }, '"role" isn\'t a field'],
	['a value that is not allowed', { values: { ...values, fields: { status: 'hodl' } } }, 'status "hodl"'],
	['a shard that is not there', { shard: { index: 3, count: 2 } }, 'shard 3 of 2 does not exist'],
])('a header with %s is refused', (_, more, says) => {
	expect(headerProblem(headerOf(3, more))).toContain(says);
});

describe('what its command takes no flag for is refused in a header of', () => {
	const { checks, columns } = planOf();
	const checked = (more: Partial<RunPlan['checks']>): Partial<RunPlan> => ({ checks: { ...checks, ...more } });
	const valued = (more: Partial<RunPlan['values']>): Partial<RunPlan> => ({ values: { ...values, ...more } });
	const KEYS: readonly [flag: string, plan: Partial<RunPlan>][] = [
		['verify', checked({ verify: true })],
		['snapshot', checked({ snapshot: true })],
		['only-changed', checked({ onlyChanged: true })],
		['send-unchanged', checked({ sendUnchanged: true })],
		['if', checked({ conditions: [{ field: 'status', value: 'hold' }] })],
		['if-unmodified', checked({ ifUnmodified: true })],
		['allow-differs', checked({ allowDiffers: true })],
		['allow-differs', checked({ allowDiffers: ['status'] })],
		['ignore-missing', checked({ ignoreMissing: true })],
		['move-tickets', checked({ moveTickets: true })],
		['undocumented', { undocumented: true }],
		['blank', { columns: { ...columns, blank: 'clear' } }],
		['force', valued({ force: true })],
		['reassign', valued({ reassign: '3' })],
		['add-ticket-tag', valued({ add: { 'ticket-tag': [3] } })],
		['remove-ticket-tag', valued({ remove: { 'ticket-tag': [3] } })],
		['add-roles', valued({ add: { roles: ['agent'] } })],
		['add-title', valued({ add: { title: ['x'] } })],
		['title', valued({ fields: { title: 'x' } })],
		['nickname', valued({ fields: { nickname: 'x' } })],
		['nickname', { ...valued({ fields: { nickname: 'x' } }), undocumented: true }],
		['password-stdin', valued({ withheld: ['password'] })],
	];
	const LOCATIONS: readonly (readonly [id: string, endpoints: readonly string[]])[] = [
		['taxonomy', ['term.update', 'term.delete']],
		['ticket_id', ['reply.update', 'reply.delete']],
		['user_id', ['user.password.delete']],
		['id', []],
		['slug', []],
		['username', []],
	];
	const writes = endpointList.filter(({ reads, name }) => !reads && name !== 'user.check');
	const nameOf = (name: string): EndpointName => {
		if (isEndpointName(name)) return name;
		throw new Error(name);
	};

	test.each(writes.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (name, endpoint) => {
		const flags = optionsOf(endpoint).map(longName);
		const isGood = (more: Partial<RunPlan>): boolean =>
			headerProblem(headerOf(3, { endpoint: nameOf(name), ...more })) === undefined;
		for (const [flag, more] of KEYS) {
			const isField = endpoint.body === 'custom_fields' && flag in { title: 1, nickname: 1, 'password-stdin': 1 };
			const isUndocumented = more.undocumented === true && flag !== 'undocumented';
			const isFree = isUndocumented && endpoint.updates;
			expect([flag, isGood(more)]).toEqual([flag, isField || isFree || flags.includes(flag)]);
		}
		for (const [id, owned] of LOCATIONS) {
			const value = id === 'taxonomy' ? 'ticket_priority' : '7';
			expect([id, isGood(valued({ ids: { [id]: value } }))]).toEqual([id, owned.includes(name)]);
		}
		const source = { from: 'snapshots', journal: '/j', run: '20261121-074512-k3f9x', overwrite: false } as const;
		expect(isGood({ source })).toBe(endpoint.updates);
	});
});

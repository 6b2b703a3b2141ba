/** What many changes come to. */

import { describe, expect, test } from 'vitest';
import { type EndpointName, endpoints } from '../../src/api/endpoints.js';
import { changeOf, type NameOf } from '../../src/bulk/change.js';
import { Totals } from '../../src/bulk/totals.js';

const nameOf: NameOf = ({ name }, value) => {
	const names: Record<string, Record<string, string>> = {
		ticket_priority: { 22: 'Low', 23: 'High' },
		assignee: { 3: 'sofia.bauer' },
		reassign: { 3: 'sofia.bauer', 4: 'jose.kaya' },
		'ticket-tag': { 1: 'VIP', 2: 'Bug' },
	};
	return names[name]?.[String(value)];
};

function totalsOf(
	name: EndpointName,
	rows: readonly Readonly<Record<string, unknown>>[],
	{ before = {}, ...more }: { before?: Readonly<Record<string, unknown>>; reassign?: string; permanent?: boolean } = {},
): Totals {
	const totals = new Totals();
	for (const [at, sent] of rows.entries()) {
		const written = { endpoint: endpoints[name], ids: { id: `${at + 1}` }, permanent: false, sent, ...more };
		totals.add(changeOf(written, { values: before, absent: [] }, { nameOf }));
	}
	return totals;
}

const times = (count: number, row: (at: number) => Record<string, unknown>) =>
	Array.from({ length: count }, (_, at) => row(at));

describe('totals', () => {
	test('say how often each value occurs, the most frequent field first', () => {
		const rows = times(300, (at) => ({
			title: `T ${at}`,
			...(at < 216 && { ticket_priority: at < 119 ? '22' : '23' }),
			...(at < 7 && { assignee: at === 0 ? 0 : 3 }),
		}));
		const totals = totalsOf('ticket.update', rows);
		expect(totals.long()).toBe(
			'300 titles (all different) · 216 priorities: 119 Low, 97 High · 7 assignees: 6 sofia.bauer, 1 (nobody)',
		);
		expect(totals.would('ticket')).toBe('300 tickets would change: 300 titles, 216 priorities, 7 assignees');
	});

	test('name one value alone, the number of many, and what comes and goes of lists', () => {
		const rows = times(30, (at) => ({ status: 'hold', title: `T ${at % 10}`, 'ticket-tag': [1] }));
		expect(totalsOf('ticket.update', rows, { before: { 'ticket-tag': [2] } }).long()).toBe(
			'30 statuses: hold · 30 titles (10 different) · 30 tags: 30 +VIP, 30 −Bug',
		);
	});

	test('list few items of many, and tell no more than 10,000 values apart', () => {
		expect(
			totalsOf('ticket.update', [{ 'ticket-tag': [5, 6, 7, 8, 9] }], { before: { 'ticket-tag': [] } }).long(),
		).toBe('1 tag: 1 +5, 1 +6, 1 +7, 1 +8, …');
		const rows = times(10_002, (at) => ({ title: `T ${Math.max(1, at)}` }));
		expect(totalsOf('ticket.update', rows).long()).toBe('10,002 titles (more than 10,000 different)');
	});

	test.each([
		['roles', 1, '1 role'],
		['roles', 3, '3 roles'],
		['status', 2, '2 statuses'],
		['time-calculated', 148, '148 time-calculated values'],
		['time-adjustments-type', 1, '1 time-adjustments-type value'],
		['date_gmt', 2, '2 date_gmt values'],
		['secondary-assignee', 2, '2 secondary assignees'],
		['customer-reply-count', 2, '2 customer reply counts'],
		['ticket_channel', 1, '1 channel'],
	])('have a plural for nouns, and count the values of anything else: %s', (field, rows, said) => {
		expect(
			totalsOf(
				'ticket.update',
				times(rows, () => ({ [field]: '1' })),
			).short(),
		).toBe(said);
	});

	test('count values of custom fields, whatever these are called', () => {
		const totals = totalsOf('ticket.fields.set', [{ refund_requested: 'yes', severity: 'high' }]);
		expect(totals.long()).toBe('1 refund_requested value: yes · 1 severity value: high');
	});

	test('tell long values apart by all of them, whatever was there before', () => {
		const text = 'The same long text for every ticket, with a different end: ';
		const ends = totalsOf('ticket.update', [{ content: `${text}A` }, { content: `${text}B` }]);
		expect(ends.long()).toBe('2 content values (all different)');
		const several = totalsOf(
			'ticket.update',
			[text, text, `${text}B`].map((content) => ({ content })),
		);
		expect(several.long()).toBe('3 content values (2 different)');
		const same = new Totals();
		for (const old of [text, `The ${text}`, 'x']) {
			const written = {
				endpoint: endpoints['ticket.update'],
				ids: { id: '1' },
				permanent: false,
				sent: { content: text },
			};
			same.add(changeOf(written, { values: { content: old }, absent: [] }));
		}
		expect(same.long()).toMatch(/^3 content values: "The same long text .*… \(\d+ more characters\)$/);
	});

	test('say where deleted objects go, and do not take a title for that', () => {
		const deleted = totalsOf('user.delete', [{}, {}], { permanent: true, reassign: '3' });
		expect(deleted.would('user')).toBe('2 users would be deleted: 2 permanently deleted; posts go to sofia.bauer');
		expect(totalsOf('ticket.delete', [{}]).would('ticket')).toBe('1 ticket would be deleted: 1 to the trash');
		expect(totalsOf('ticket.update', [{ title: 'title' }]).would('ticket')).toBe('1 ticket would change: 1 title');
	});
});

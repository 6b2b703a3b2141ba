import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/request.js';
import {
	type Before,
	changeOf,
	changeOfRecord,
	changeText,
	changeView,
	doneText,
	leftChange,
	type Naming,
} from '../../src/bulk/change.js';
import { planOf } from '../support/journal.js';

const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	user: { 2: 'sofia.bauer', 3: 'jose.kaya' },
	term: { 22: 'Low', 23: 'High' },
	terms: { 4: 'Bug', 5: 'VIP', 6: 'Paper jam' },
};

const nameOf: Naming['nameOf'] = ({ kind }, value) => NAMES[kind]?.[String(value)];

function described(
	name: keyof typeof endpoints,
	{ label, reassign, force, id = '14', ...fields }: Record<string, unknown>,
	before?: Readonly<Record<string, unknown>>,
	absent: Before['absent'] = [],
): string {
	const endpoint = endpoints[name];
	const receiver = reassign as string | undefined;
	const request = createPlanner(endpoint)({
		ids: { id: String(id) },
		force: force === true,
		reassign: receiver,
		fields,
	});
	const known = before && { values: before, absent };
	return changeText(
		changeOf({ ...request, reassign: receiver }, known, { label: label as string | undefined, nameOf }),
	);
}

describe('the line that describes a change', () => {
	test('shows users and terms by name, the object with its title, and the items that come and go', () => {
		const line = described(
			'ticket.update',
			{ label: 'Printer on fire', assignee: 3, ticket_priority: '23', 'ticket-tag': [6, 5] },
			{ assignee: 2, ticket_priority: '22', 'ticket-tag': [6, 4] },
		);
		expect(line).toBe(
			'ticket 14 "Printer on fire": assignee sofia.bauer → jose.kaya; ticket_priority Low → High; ticket-tag +VIP −Bug',
		);
	});

	test('tells a field that the service does not show from one that is empty, and from one that was not read', () => {
		expect(described('ticket.update', { title: 'A', content: 'B' }, { title: '' })).toBe(
			'ticket 14: title (empty) → A; content (not shown) → B',
		);
		expect(described('ticket.update', { title: '' })).toBe('ticket 14: title (not read) → (empty)');
		expect(described('ticket.update', { title: '(empty)' }, { title: 'A' })).toBe('ticket 14: title A → "(empty)"');
	});

	test('says where a deleted object goes, and who gets the posts', () => {
		expect(described('ticket.delete', { label: 'Printer' })).toBe('ticket 14 "Printer": to the trash');
		expect(described('ticket.delete', { force: true })).toBe('ticket 14: permanently deleted');
		expect(described('user.delete', { id: '7', label: 'amir.rossi', reassign: '3' })).toBe(
			'user 7 "amir.rossi": permanently deleted; posts go to jose.kaya',
		);
		expect(described('user.delete', { id: '7', reassign: '9' })).toContain('posts go to user 9');
	});

	test.each([
		['ticket.delete', {}, {}, 'to the trash'],
		['ticket.delete', { force: true }, {}, 'permanently deleted'],
		['ticket.delete', {}, { force: true }, 'permanently deleted'],
		['user.delete', { reassign: '3' }, {}, 'permanently deleted; posts go to jose.kaya'],
		['user.delete', { reassign: '3' }, { reassign: '2' }, 'permanently deleted; posts go to sofia.bauer'],
	] as const)(
		'says of a %s in a journal, under flags %j and with %j in its row, "%s"',
		(endpoint, flags, row, done) => {
			const { values } = planOf();
			const plan = planOf({ endpoint, values: { ...values, ...flags } });
			expect(doneText(changeOfRecord({ ids: { id: '14' }, ...row }, plan, { nameOf }))).toBe(done);
		},
	);

	test('shows hidden characters, but not those inside emoji', () => {
		expect(described('ticket.update', { title: 'Pay A\u200b' }, { title: 'Pay A' })).toBe(
			'ticket 14: title "Pay A" → "Pay A\\u200b"',
		);
		expect(described('ticket.update', { title: 'ok 👩‍🔧' }, { title: 'ok' })).toContain('"ok 👩‍🔧"');
	});

	test.each([
		['e\u0301', '\u00e9', '"e\\u0301" → "\\xe9"'],
		['Pay\u00a0A', 'Pay A', '"Pay\\xa0A" → "Pay A"'],
		['1', '1\ufe0f', '"1" → "1\\ufe0f"'],
		['A', 'A ', 'A → "A "'],
		['Pay', 'P\u0430y', '"Pay" → "P\\u0430y"'],
		['a  b', 'a b', '"a \\x20b" → "a b"'],
	])('tells values apart that look the same: %j and %j', (old, next, shown) => {
		expect(described('ticket.update', { title: next }, { title: old })).toBe(`ticket 14: title ${shown}`);
	});

	test('shows the changed part of a long text, and how much is not shown', () => {
		const text = 'The quick brown fox jumps over the lazy dog. '.repeat(10);
		expect(
			described('ticket.update', { content: text.replace('lazy', 'sleepy') }, { content: text }).length,
		).toBeLessThan(200);
		const line = described('ticket.update', { content: `${text}x${text}` }, { content: `${text}y${text}` });
		expect(line).toBe(
			'ticket 14: content …jumps over the lazy dog. yThe quick brown fox jumps… → …jumps over the lazy dog. xThe quick brown fox jumps…',
		);
		expect(described('ticket.update', { content: 'a '.repeat(1000) })).toMatch(/… \(1,602 more characters\)$/);
	});

	test('shows each changed part of a long text, however far apart', () => {
		const text = Array.from({ length: 200 }, (_, at) => `word${at}`).join(' ');
		const next = text.replace('word20 ', 'FIRST ').replace('word100 word101 ', '').replace('word180', 'word180 LAST');
		expect(described('ticket.update', { content: next }, { content: text })).toBe(
			[
				'ticket 14: content',
				'…word16 word17 word18 word19 word20 word21 word22 word23 word24…word96 word97 word98 word99 word100 word101 word102 word103 word104 word105…word177 word178 word179 word180 word181 word182 word183…',
				'→',
				'…word16 word17 word18 word19 FIRST word21 word22 word23 word24…word96 word97 word98 word99 word102 word103 word104 word105…word177 word178 word179 word180 LAST word181 word182 word183…',
			].join(' '),
		);
	});

	test('finds changes in long texts in little time, and never cuts a character in half', () => {
		const text = '👩‍🔧 '.repeat(20_000);
		const line = described('ticket.update', { content: `${text}x${text}` }, { content: `${text}y ${text}z` });
		expect(line).not.toMatch(/\p{Cs}/u);
		expect(line).toMatch(/^ticket 14: content …/);
	});

	test('cuts no word of a long text, and leaves out no few letters', () => {
		const text = 'Hello, this is about the Lumen Lamp of my order A-38786. Please let me know how long it will take.';
		const next = text.replace('Lumen Lamp', 'Harbor CRM').replace('how long', 'until when');
		expect(described('ticket.update', { content: next }, { content: text })).toBe(
			`ticket 14: content "${text}" → "${next}"`,
		);
		const long = 'word '.repeat(20);
		const [before, after] = [`${long}${text}${long}`, `${long}${next}${long}`];
		expect(described('ticket.update', { content: after }, { content: before })).toMatch(
			/ content …Hello, this .* → …Hello, this .*take\.word word word…$/,
		);
	});

	test('can not be forged by a value', () => {
		expect(described('ticket.update', { title: 'A"; assignee 2 → 3' }, { title: 'A' })).toBe(
			'ticket 14: title A → "A\\"; assignee 2 → 3"',
		);
	});

	test('shows no secret', () => {
		const request = createPlanner(endpoints['user.update'])({ ids: { id: '7' }, fields: { password: 'hunter2' } });
		const redact = () => ({ password: '[redacted]' });
		expect(changeText(changeOf(request, undefined, { redact }))).toBe('user 7: password (not read) → "[redacted]"');
	});
});

describe('a row that is not sent', () => {
	const written = { endpoint: endpoints['ticket.update'], ids: { id: '14' }, permanent: false, sent: {} };
	test.each([
		['ticket 14: no change', { outcome: 'skipped', code: 'unchanged', message: 'no change' }],
		['ticket 14: unchanged', { outcome: 'skipped', code: 'unchanged' }],
		['ticket 14: not-sent', { outcome: 'not-sent' }],
		['ticket 14 not found', { outcome: 'failed', code: 'gone', message: 'ticket 14 not found' }],
	] as const)('says why, and names its object once: %s', (text, left) => {
		expect(changeText(leftChange(written, { code: undefined, message: undefined, ...left }))).toBe(text);
	});
});

test('a list that had no value gains its items, and a value of any shape is shown', () => {
	expect(described('ticket.update', { 'ticket-tag': [5] }, { 'ticket-tag': null })).toBe('ticket 14: ticket-tag +VIP');
	expect(described('ticket.update', { own: ['a b', 'c'] }, { own: [] })).toBe('ticket 14: own (empty) → "a b", c');
	expect(described('ticket.update', { own: [{ a: 1 }] }, { own: true })).toBe('ticket 14: own true → [{"a":1}]');
});

test('programs get IDs beside names, and why an old value is not known', () => {
	const request = createPlanner(endpoints['ticket.update'])({
		ids: { id: '14' },
		fields: { title: null, assignee: 3 },
	});
	const before = { values: { assignee: 2 }, absent: [] };
	expect(changeView(changeOf(request, before, { nameOf })).changes).toEqual([
		{ field: 'title', old: null, new: null, old_name: null, new_name: null, old_unknown: 'not_shown' },
		{ field: 'assignee', old: 2, new: 3, old_name: 'sofia.bauer', new_name: 'jose.kaya' },
	]);
});

test('no character is cut in half where the changed part of a long text begins or ends', () => {
	const text = '🙂'.repeat(60);
	const line = described('ticket.update', { title: `${text}a${text}` }, { title: `${text}b${text}` });
	expect(line).toMatch(/a/);
	expect(line).not.toMatch(/\p{Surrogate}/u);
});

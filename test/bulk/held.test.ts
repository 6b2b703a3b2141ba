/** What an object contains, as far as a read shows it. */

import { describe, expect, test } from 'vitest';
import type { TermIndex } from '../../src/api/compare.js';
import { endpoints } from '../../src/api/endpoints.js';
import { heldAfter, heldIn, heldOf, isUnchanged, valuesOf, withTerms } from '../../src/bulk/held.js';
import { unsent } from '../../src/http/outcome.js';

const update = endpoints['ticket.update'];

/** A whole taxonomy with one readable slug, and perhaps one that nothing shows. */
function termsOf(hasHidden: boolean): TermIndex {
	const ofSlug = (slug: string) => (slug === 'vip' ? '31' : undefined);
	return () => ({ isListed: true, hasHidden, ofSlug, exported: ofSlug, exportedId: String, mayShowAs: () => false });
}

describe('a term of an object', () => {
	test.each<[string, unknown, boolean, object]>([
		['is the ID of its slug', 'vip', false, { is: 'shown', value: '31' }],
		['is an ID that is shown as one', 31, false, { is: 'shown', value: 31 }],
		['is none where no slug is hidden', '', false, { is: 'shown', value: '' }],
		['is not known where a slug is hidden', '', true, { is: 'unknown' }],
		['is not known where the slug is damaged', 'uni--2', false, { is: 'unknown' }],
	])('%s', (_, product, hasHidden, known) => {
		expect(heldOf(update, { id: 14, product }, termsOf(hasHidden))?.field('product')).toMatchObject(known);
	});

	test.each([
		['vip', true],
		['uni--2', false],
		['24-7', false],
		['', false],
	])('can be written back by its slug %j, without a list of terms: %s', (slug, leads) => {
		expect(heldOf(update, { product: slug })?.leadsBack('product')).toBe(leads);
		expect(heldOf(update, { 'ticket-tag': ['fast', slug] })?.leadsBack('ticket-tag')).toBe(leads);
	});

	test('keeps its list from being known if it is not', () => {
		const held = heldOf(update, { id: 14, 'ticket-tag': ['vip', 'uni--2'] }, termsOf(false));
		expect(held?.field('ticket-tag')).toMatchObject({ is: 'unknown' });
		expect(heldOf(update, { 'ticket-tag': ['vip', 32] }, termsOf(false))?.field('ticket-tag')).toEqual({
			is: 'shown',
			value: ['31', 32],
		});
	});

	test('is asked for where its slug does not tell, and leaves the other fields as they were', async () => {
		const held = heldOf(update, { id: 14, status: 'hold', product: '', department: '' }, termsOf(true));
		if (held === undefined) throw new Error('no object');
		const asked: string[] = [];
		const whole = await withTerms(held, ['status', 'product', 'department'], '14', async (taxonomy, id) => {
			asked.push(`${taxonomy} of ${id}`);
			const why = unsent('failed', 'no', 'No.');
			return taxonomy === 'product' ? { is: 'shown', value: '33' } : { is: 'unknown', why };
		});
		expect(asked).toEqual(['product of 14', 'department of 14']);
		expect(whole.field('product')).toEqual({ is: 'shown', value: '33' });
		expect(whole.field('status')).toEqual({ is: 'shown', value: 'hold' });
		expect(whole.field('department').is).toBe('unknown');
		expect([whole.compare('product', '33'), whole.compare('product', '34')]).toEqual(['same', 'other']);
		expect([whole.compare('status', 'hold'), whole.compare('status', 'read')]).toEqual(['same', 'other']);
	});
});

describe('what is kept or planned', () => {
	const kept = heldIn(update, { product: '33', status: 'hold' });

	test('has terms by ID, whatever they look like, and can not be compared where it has no value', () => {
		expect([kept.compare('product', 33), kept.compare('product', '34')]).toEqual(['same', 'other']);
		expect(kept.compare('status', 'hold')).toBe('same');
		expect(kept.compare('title', 'x')).toBe('not comparable');
		expect(kept.field('title').is).toBe('unknown');
		expect([kept.leadsBack('product'), kept.writtenAs('status'), kept.names]).toEqual([
			true,
			'status',
			['product', 'status'],
		]);
	});

	test('stands in place of what was there before a write, and of nothing else', () => {
		const before = heldOf(update, { status: 'read', title: { raw: 'old' } });
		if (before === undefined) throw new Error('no object');
		const after = heldAfter(before, kept);
		expect([after.field('status'), after.field('title')]).toEqual([
			{ is: 'shown', value: 'hold' },
			{ is: 'shown', value: 'old' },
		]);
		expect([after.compare('status', 'hold'), after.compare('title', 'old'), after.leadsBack('title')]).toEqual([
			'same',
			'same',
			true,
		]);
		expect(isUnchanged(update, 'title', 'old ', after)).toBe(false);
	});
});

test('custom fields that a service does not list are absent, and anything else is no list of them', () => {
	const set = endpoints['ticket.fields.set'];
	const held = heldOf(set, { size: { name: 'Size', value: 'L' } });
	expect(held?.field('color').is).toBe('absent');
	expect(held && valuesOf(held, ['size', 'color'])).toEqual({ values: { size: 'L' }, absent: ['color'] });
	expect(heldOf(set, { size: 'L' })).toBeUndefined();
	expect(heldOf(update, {})).toBeUndefined();
});

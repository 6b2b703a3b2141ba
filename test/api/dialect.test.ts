import { describe, expect, it } from 'vitest';
import { bodyIn, createDialect, neutralDialect } from '../../src/api/dialect.js';
import { ticketStatusGroups } from '../../src/api/statuses.js';

const own = createDialect({ product: 'acme', shop: 'wc', membership: 'wcm' });

describe('a deployment with abbreviations of its own', () => {
	it('has them in the path, in three user fields and in two groups of statuses, and nowhere else', () => {
		expect(own.root).toBe('acme-api');
		expect(own.neutral).toBe(false);
		expect(['support_can_be_assigned', 'support_smart_tickets_order', 'support_after_reply'].map(own.toOwn)).toEqual([
			'acme_can_be_assigned',
			'acme_smart_tickets_order',
			'acme_after_reply',
		]);
		expect(own.toOwn('support_other')).toBe('support_other');
		expect(own.toOwn('status')).toBe('status');
		expect(own.toOwn('shop-on-hold')).toBe('wc-on-hold');
		expect(own.toOwn('shopm-free_trial')).toBe('wcm-free_trial');
		expect(ticketStatusGroups.general.map(own.toOwn)).toEqual(ticketStatusGroups.general);
		expect(own.toOwn('shop-unheard-of')).toBe('shop-unheard-of');
	});

	it('comes back to the neutral words, each from its own', () => {
		for (const status of Object.values(ticketStatusGroups).flat()) {
			expect(own.toNeutral(own.toOwn(status))).toBe(status);
		}
		expect(own.toNeutral('acme_after_reply')).toBe('support_after_reply');
		expect(own.toNeutral('wc-active')).toBe('shop-active');
	});
});

describe('a deployment with the neutral words', () => {
	it('changes nothing', () => {
		expect(neutralDialect).toMatchObject({ neutral: true, root: 'support-api' });
		expect(createDialect({ product: 'support', shop: '', membership: 'shopm' }).neutral).toBe(true);
		const body = { status: 'shop-active' };
		expect(bodyIn(neutralDialect, body)).toBe(body);
	});
});

describe("a response's body", () => {
	it('gets the neutral names of fields and statuses back, also in lists and in what was deleted', () => {
		expect(
			bodyIn(own, [
				{ id: 1, acme_after_reply: 'stay', status: 'wc-active', title: { raw: 'wc-active' } },
				{ deleted: true, previous: { status: 'wcm-paused', acme_can_be_assigned: true } },
			]),
		).toEqual([
			{ id: 1, support_after_reply: 'stay', status: 'shop-active', title: { raw: 'wc-active' } },
			{ deleted: true, previous: { status: 'shopm-paused', support_can_be_assigned: true } },
		]);
	});

	it.each([null, 'text', 4, true, undefined])('that is %j stays so', (body) => {
		expect(bodyIn(own, body)).toBe(body);
	});

	it('keeps a status that is no text, and keys with names of the language', () => {
		const body = JSON.parse('{"status": 200, "__proto__": {"a": 1}, "constructor": "x"}') as object;
		expect(JSON.stringify(bodyIn(own, body))).toBe(JSON.stringify(body));
	});
});

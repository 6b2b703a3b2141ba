import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDialect } from '../../src/api/dialect.js';
import { endpoints } from '../../src/api/endpoints.js';
import { createPlanner } from '../../src/api/request.js';
import { emptyRecord } from '../../src/api/values.js';

describe('a planned request', () => {
	it('has all that is sent and all that names it', () => {
		const plan = createPlanner(endpoints['ticket.update']);
		expect(plan({ ids: { id: '14' }, fields: { status: 'hold', 'ticket-tag': [1] } })).toEqual({
			endpoint: endpoints['ticket.update'],
			method: 'POST',
			path: '/support-api/v1/tickets/14',
			key: '/support-api/v1/tickets/14',
			permanent: false,
			ids: { id: '14' },
			body: '{"status":"hold","ticket-tag":[1]}',
			sent: { status: 'hold', 'ticket-tag': [1] },
		});
	});

	it('has no body where the endpoint has none, whatever the row says', () => {
		const planned = createPlanner(endpoints['ticket.delete'])({ ids: { id: '14' }, fields: { status: 'hold' } });
		expect(planned).toMatchObject({ method: 'DELETE', path: '/support-api/v1/tickets/14' });
		expect([planned.body, planned.sent]).toEqual([undefined, undefined]);
	});

	it('has an empty object for a body where nothing is set', () => {
		expect(createPlanner(endpoints['ticket.update'])({ ids: { id: '14' } }).body).toBe('{}');
	});

	it('wraps custom fields', () => {
		const fields = Object.assign(emptyRecord<unknown>(), { __proto__: undefined, colour: 'red' });
		const planned = createPlanner(endpoints['ticket.fields.set'])({ ids: { ticket_id: '14' }, fields });
		expect(planned.path).toBe('/support-api/v1/tickets/14/custom-fields');
		expect(planned.body).toBe('{"custom_fields":{"colour":"red"}}');
		expect(planned.sent).toBe(fields);
	});

	it('puts every id of a path in its place', () => {
		const plan = createPlanner(endpoints['reply.update']);
		expect(plan({ ids: { id: '3', ticket_id: '14' }, fields: {} }).path).toBe('/support-api/v1/tickets/14/replies/3');
		const password = createPlanner(endpoints['user.password.delete']);
		expect(password({ ids: { user_id: '7', slug: 'ci-key' } }).path).toBe('/support-api/v1/users/7/passwords/ci-key');
	});

	it('stays below its path whatever stands in a slug', () => {
		const plan = createPlanner(endpoints['user.password.delete']);
		const unit = fc.oneof(fc.constantFrom(...'/?#%.\\ +&=;:@'), fc.string({ unit: 'grapheme', maxLength: 2 }));
		const slugs = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(''));
		fc.assert(
			fc.property(slugs, (slug) => {
				fc.pre(!/^\.{0,2}$/.test(slug));
				const { path } = plan({ ids: { user_id: '7', slug } });
				const url = new URL(path, 'http://desk.example');
				expect(url.pathname.split('/').slice(0, -1).join('/')).toBe('/support-api/v1/users/7/passwords');
				expect([url.search, url.hash]).toEqual(['', '']);
			}),
		);
	});
});

describe('force and reassign', () => {
	it.each([
		['ticket.delete', {}, ''],
		['ticket.delete', { force: false }, ''],
		['ticket.delete', { force: true }, '?force=true'],
		['ticket.delete', { force: true, reassign: '2' }, '?force=true'],
		['user.delete', { reassign: '2' }, '?force=true&reassign=2'],
		['user.delete', { force: false, reassign: '2' }, '?force=true&reassign=2'],
		['user.delete', {}, '?force=true'],
		['ticket.update', { force: true, reassign: '2' }, ''],
	] as const)('%s with %j has the query %j', (name, row, query) => {
		expect(createPlanner(endpoints[name])({ ids: { id: '9' }, ...row }).path.replace(/^[^?]*/, '')).toBe(query);
	});
});

describe('the key', () => {
	it('is the same for all that is done to one thing, force or not', () => {
		const plan = createPlanner(endpoints['ticket.delete']);
		expect(plan({ ids: { id: '9' }, force: true }).key).toBe(plan({ ids: { id: '9' } }).key);
		expect(plan({ ids: { id: '9' } }).key).not.toBe(plan({ ids: { id: '10' } }).key);
	});

	it('keeps usernames apart that share a path', () => {
		const plan = createPlanner(endpoints['user.id']);
		const [ada, bob] = ['ada', 'bob'].map((username) => plan({ ids: { username }, fields: { username } }));
		expect(ada?.path).toBe(bob?.path);
		expect(ada?.key).not.toBe(bob?.key);
	});

	it('keeps taxonomies apart', () => {
		const [one, other] = ['product', 'ticket_priority'].map((taxonomy) =>
			createPlanner(endpoints['term.delete'])({ ids: { taxonomy, id: '9' } }),
		);
		expect(one?.key).not.toBe(other?.key);
	});
});

describe("a deployment's own words", () => {
	const dialect = createDialect({ product: 'acme', shop: 'wc', membership: 'wcm' });

	it('are in path and body, and not in what is compared with the response', () => {
		const planned = createPlanner(
			endpoints['user.update'],
			dialect,
		)({
			ids: { id: '7' },
			fields: { support_after_reply: 'stay', name: 'shop-active' },
		});
		expect(planned.path).toBe('/acme-api/v1/users/7');
		expect(planned.body).toBe('{"acme_after_reply":"stay","name":"shop-active"}');
		expect(planned.sent).toEqual({ support_after_reply: 'stay', name: 'shop-active' });
	});

	it('are in statuses that are texts', () => {
		const plan = createPlanner(endpoints['ticket.update'], dialect);
		expect(plan({ ids: { id: '7' }, fields: { status: 'shopm-paused' } }).body).toBe('{"status":"wcm-paused"}');
		expect(plan({ ids: { id: '7' }, fields: { status: null } }).body).toBe('{"status":null}');
	});

	it('leave custom fields alone', () => {
		const plan = createPlanner(endpoints['ticket.fields.set'], dialect);
		const fields = { support_after_reply: 'x', status: 'shop-active' };
		expect(plan({ ids: { ticket_id: '7' }, fields }).body).toBe(JSON.stringify({ custom_fields: fields }));
	});
});

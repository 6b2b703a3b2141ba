/** The sample data is the same for the same number, complete, and quick to make. */

import { expect, test } from 'vitest';
import { ticketStatuses } from '../../src/api/statuses.js';
import { createStore } from '../../src/sandbox/samples.js';

/** The records as lists. */
function createSeed(size: number) {
	const { tickets, replies, attachments, users, terms } = createStore(size);
	return {
		tickets: [...tickets.values()],
		replies: [...replies.values()],
		attachments: [...attachments.values()],
		users: [...users.values()],
		terms: [...terms.values()],
	};
}

const termFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

test('the same number makes the same data', () => {
	expect(createSeed(120)).toEqual(createSeed(120));
});

test.each([0, 1, 2, 50, 300])('the data of %i tickets refers only to what is in it', (size) => {
	const data = createSeed(size);
	const users = new Set(data.users.map((each) => each.id));
	const terms = new Map(data.terms.map((each) => [each.id, each]));
	const posts = [...data.tickets, ...data.attachments, ...data.replies].map((each) => each.id);
	expect(data.tickets.map((each) => each.id)).toEqual(Array.from({ length: size }, (_, index) => index + 1));
	expect(new Set(posts).size).toBe(posts.length);
	expect(new Set(data.users.map((each) => each.username)).size).toBe(data.users.length);
	expect(new Set(data.users.map((each) => each.email)).size).toBe(data.users.length);
	expect(new Set(data.tickets.map((each) => each.slug)).size).toBe(size);
	for (const ticket of data.tickets) {
		expect(users).toContain(ticket.author);
		if (ticket.assignee !== 0) expect(users).toContain(ticket.assignee);
		for (const taxonomy of termFields) expect(terms.get(ticket[taxonomy])?.taxonomy).toBe(taxonomy);
		for (const tag of ticket['ticket-tag']) expect(terms.get(tag)?.taxonomy).toBe('ticket-tag');
		expect(ticketStatuses).toContain(ticket.status);
		expect(ticket.date <= ticket.modified).toBe(true);
		expect(data.replies.filter((each) => each.parent === ticket.id)).toHaveLength(ticket['total-reply-count']);
		expect(ticket['customer-reply-count'] + ticket['agent-reply-count']).toBe(ticket['total-reply-count']);
	}
	for (const reply of data.replies) {
		expect(users).toContain(reply.author);
		expect(reply.content).not.toBe('');
	}
	for (const attachment of data.attachments) {
		expect(attachment.post).toBeGreaterThanOrEqual(1);
		expect(attachment.post).toBeLessThanOrEqual(size);
		expect(users).toContain(attachment.author);
	}
	expect(data.users[0]).toMatchObject({ id: 1, username: 'admin', roles: ['administrator'] });
});

test('no placeholder is left in a text', () => {
	const { tickets } = createSeed(300);
	expect(tickets.filter((each) => /%[po]/.test(each.title + each.content))).toEqual([]);
});

test('thirty thousand tickets have no more than 6,000 users', () => {
	const store = createStore(30_000);
	expect(store.tickets.size).toBe(30_000);
	expect(store.repliesOf(29_998).every((each) => each.parent === 29_998)).toBe(true);
	expect(store.users.size).toBeLessThan(6000);
});

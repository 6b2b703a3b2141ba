/** The sample data: N tickets with what belongs to them, the same for the same N. */

import { createChance, passwordSlug, slugify, stamp, withoutSpaces } from './generate.js';
import samples from './samples.json' with { type: 'json' };

/** Whose credentials the sandbox prints. */
export const ADMIN_ID = 1;
export const ADMIN_NAME = 'admin';

export const { customFields } = samples;

/** The newest ticket is a little older. */
const END = Date.UTC(2026, 2, 2, 8, 0, 0);
const DAY = 24 * 3600 * 1000;
const SPAN = 180 * DAY;
const REPLY_EVERY = 1.5 * 3600 * 1000;

/** Users are numbered from the administrator to agents and then customers. */
interface Size {
	readonly tickets: number;
	readonly agents: number;
	readonly customers: number;
}

function orderOf(ticketId: number): string {
	return `A-${10000 + ((ticketId * 7919) % 89999)}`;
}

export function firstCustomValues(ticketId: number): Record<string, string> {
	return {
		order_number: orderOf(ticketId),
		website: `https://shop.example/orders/${orderOf(ticketId)}`,
		severity: ticketId % 3 === 0 ? 'major' : 'minor',
		serial_number: `SN${10_000_000 + ticketId}`,
		warranty_until: stamp(END + (ticketId % 700) * DAY).slice(0, 10),
	};
}

const plainTerms = Object.entries(samples.terms).flatMap(([taxonomy, names]) =>
	names.map((name) => ({ taxonomy, name, slug: slugify(name) })),
);

/** The last ones are safe by ID only: not Latin, an emoji, digits of a different ID, a name that two have. */
function createTerms() {
	return [...plainTerms, ...samples.oddTerms].map((term, index) => {
		const isColored = term.taxonomy === 'ticket_priority';
		const color = isColored ? samples.colors[index % samples.colors.length] : undefined;
		return { id: index + 1, ...term, description: '', parent: 0, color };
	});
}

function nameOf(id: number, index: number) {
	if (id === ADMIN_ID) return { first: 'Desk', last: 'Administrator', username: ADMIN_NAME, nickname: ADMIN_NAME };
	const { firstNames, lastNames } = samples;
	const first = firstNames[index % firstNames.length] as string;
	const last = lastNames[index % lastNames.length] as string;
	const plain = `${slugify(first)}.${slugify(last)}`;
	return { first, last, username: index < firstNames.length ? plain : `${plain}${id}`, nickname: first };
}

function createUser(id: number, { agents }: Size) {
	const index = id - ADMIN_ID - 1;
	const isCustomer = index >= agents;
	const { first, last, username, nickname } = nameOf(id, index);
	const staffRole = ['administrator', 'manager'][id - ADMIN_ID] ?? 'agent';
	const registered = stamp(END - SPAN - (id % 700) * DAY);
	const devices = isCustomer ? [] : ['Laptop', 'CI runner'];
	return {
		id,
		username,
		name: `${first} ${last}`,
		first_name: first,
		last_name: last,
		email: `${username}@desk.example`,
		url: '',
		description: '',
		locale: samples.locales[id % samples.locales.length] as string,
		nickname,
		slug: username.replaceAll('.', '-'),
		roles: [isCustomer ? 'customer' : staffRole],
		registered_date: `${registered}+00:00`,
		support_can_be_assigned: index >= 0 && !isCustomer,
		support_smart_tickets_order: false,
		support_after_reply: 'stay',
		password: `desk-${username}`,
		passwords: devices.map((name) => createPassword(name, `${username} ${name}`, registered)),
	};
}

export function createPassword(name: string, password: string, created: string) {
	return { slug: passwordSlug(password), name, password: withoutSpaces(password), created, last_used: null };
}

function termId(slug: string): number {
	return plainTerms.findIndex((each) => each.slug === slug) + 1;
}

function idsIn(taxonomy: string): number[] {
	return plainTerms.flatMap((each, index) => (each.taxonomy === taxonomy ? [index + 1] : []));
}

/** A term's ID is 0 if there is none. */
function createTicket(id: number, { tickets, agents, customers }: Size) {
	const chance = createChance(1, id);
	const topic = chance.pick(samples.topics);
	// Only authors may write custom fields, so the administrator is one.
	const author = id % 4 === 2 ? ADMIN_ID : ADMIN_ID + 1 + agents + chance.below(customers);
	const agent = chance.below(agents);
	const replies = chance.below(topic.mostReplies + 1);
	const date = END - SPAN + Math.floor(((id - 0.9 + chance.next() * 0.8) / tickets) * SPAN);
	const product = termId(chance.pick(topic.products));
	const fill = (text: string): string =>
		text.replaceAll('%p', plainTerms[product - 1]?.name ?? '').replaceAll('%o', orderOf(id));
	const title = fill(topic.title);
	const state = chance.next() < 0.35 ? 'closed' : 'open';
	const byAgent = Math.ceil(replies / 2);
	const ticket = {
		id,
		date: stamp(date),
		modified: stamp(date + replies * REPLY_EVERY),
		slug: `${slugify(title)}-${id}`,
		status: chance.pick(samples.statuses),
		title,
		content: fill(samples.content),
		'ticket-tag': topic.tags.map(termId),
		product,
		department: termId(topic.department),
		ticket_priority: chance.pick(idsIn('ticket_priority')),
		ticket_channel: author === ADMIN_ID ? termId('phone') : chance.pick(idsIn('ticket_channel')),
		state,
		author,
		assignee: chance.next() < 0.1 && replies === 0 ? 0 : ADMIN_ID + 1 + agent,
		'secondary-assignee': 0,
		'tertiary-assignee': 0,
		'customer-reply-count': replies - byAgent,
		'agent-reply-count': byAgent,
		'total-reply-count': replies,
		'time-calculated': replies * 10,
		'time-adjustments': 0,
		'time-adjustments-type': '+',
		'time-notes': '',
	};
	if (id % 12 === 11) setOddTerms(ticket);
	return ticket;
}

function setOddTerms(ticket: Ticket): void {
	const plain = plainTerms.length;
	ticket.department = plain + 1;
	ticket.product = ticket.id % 24 === 11 ? plain + 2 : plain + 3;
	ticket.ticket_priority = plain + 4;
	ticket.ticket_channel = plain + 5;
	ticket['ticket-tag'].push(plain + 6);
}

function createReplies(ticket: Ticket, firstId: number) {
	const count = ticket['total-reply-count'];
	return samples.replies.slice(0, count).map((content, index) => {
		const id = firstId + index;
		const isByAgent = index % 2 === 0;
		const date = stamp(Date.parse(`${ticket.date}Z`) + (index + 1) * REPLY_EVERY);
		return {
			id,
			parent: ticket.id,
			date,
			modified: date,
			slug: `reply-${id}`,
			status: isByAgent || index < count - 1 ? 'read' : 'unread',
			content,
			author: isByAgent ? ticket.assignee : ticket.author,
		};
	});
}

function createAttachment(index: number, tickets: ReadonlyMap<number, Ticket>) {
	const post = tickets.get(index * 5) as Ticket;
	const title = samples.files[index % samples.files.length] as string;
	const id = tickets.size + index;
	return {
		id,
		date: post.date,
		modified: post.date,
		slug: `${slugify(title)}-${id}`,
		status: 'inherit',
		title,
		author: post.author,
		comment_status: 'closed',
		ping_status: 'closed',
		template: '',
		alt_text: '',
		caption: '',
		description: '',
		post: post.id,
	};
}

/** The records by ID. Tests may read and write them directly. */
export function createStore(tickets: number) {
	const size = {
		tickets,
		agents: Math.min(40, 4 + Math.floor(tickets / 500)),
		customers: Math.min(5000, Math.max(8, Math.floor(tickets / 4))),
	};
	const store = {
		tickets: new Map<number, Ticket>(),
		replies: new Map<number, Reply>(),
		attachments: new Map<number, Attachment>(),
		users: new Map<number, User>(),
		terms: new Map(createTerms().map((term) => [term.id, term])),
		customValues: new Map<number, Record<string, string>>(),
		repliesOf: (ticketId: number) => [...store.replies.values()].filter(({ parent }) => parent === ticketId),
	};
	for (let id = 1; id <= ADMIN_ID + size.agents + size.customers; id++) store.users.set(id, createUser(id, size));
	for (let id = 1; id <= tickets; id++) store.tickets.set(id, createTicket(id, size));
	for (let index = 1; index <= Math.floor(tickets / 5); index++) {
		const attachment = createAttachment(index, store.tickets);
		store.attachments.set(attachment.id, attachment);
	}
	// Tickets, attachments and replies share one sequence of IDs.
	let next = tickets + store.attachments.size + 1;
	for (const ticket of store.tickets.values()) {
		for (const reply of createReplies(ticket, next)) store.replies.set(reply.id, reply);
		next += ticket['total-reply-count'];
	}
	return store;
}

export type Records = ReturnType<typeof createStore>;
export type Ticket = ReturnType<typeof createTicket>;
export type Reply = ReturnType<typeof createReplies>[number];
export type Attachment = ReturnType<typeof createAttachment>;
export type User = ReturnType<typeof createUser>;
export type Term = ReturnType<typeof createTerms>[number];
export type Post = Pick<Ticket, 'id' | 'author' | 'date' | 'modified' | 'slug' | 'status'>;

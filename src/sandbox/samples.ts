/** The sample data: N tickets with what belongs to them, the same for the same N. */

import type { taxonomies } from '../api/fields.js';
import { createChance, hashSecret, passwordSlug, slugify, stamp } from './text.js';

export const ADMIN_ID = 1;
export const ADMIN_NAME = 'admin';

export const roles = ['administrator', 'supervisor', 'agent', 'customer'] as const;

export const locales = ['', 'en_US', 'en_GB', 'de_DE', 'fr_FR', 'es_ES', 'nl_NL', 'pl_PL', 'ja'] as const;

/** Name, label, type of the HTML control. */
export const customFields = [
	['order_number', 'Order number', 'text'],
	['website', 'Website', 'url'],
	['severity', 'Severity', 'text'],
	['serial_number', 'Serial number', 'text'],
	['warranty_until', 'Warranty until', 'date'],
	['refund_requested', 'Refund requested', 'text'],
	['internal_note', 'Internal note', 'text'],
] as const;

const termNames: Readonly<Record<(typeof taxonomies)[number], readonly string[]>> = {
	'ticket-tag': 'Refund,Shipping,Login,Bug,Feature request,Invoice,Warranty,VIP,How to,Data loss'.split(','),
	product: ['Aurora Router', 'Nimbus Backup', 'Harbor CRM', 'Lumen Lamp', 'Tideline Watch', 'Pocket Reader'],
	department: ['Technical support', 'Billing', 'Returns', 'Sales'],
	ticket_priority: ['Low', 'Normal', 'High', 'Urgent'],
	ticket_channel: ['Email', 'Web form', 'Phone', 'Chat'],
};
/** Terms that are safe by ID only: not Latin, an emoji, digits of a different ID, a duplicate name. */
const oddTerms = [
	{ taxonomy: 'department', name: '支持', slug: slugify('支持') },
	{ taxonomy: 'product', name: 'Uni 🎉', slug: `${slugify('Uni 🎉')}-2` },
	{ taxonomy: 'product', name: 'Model 12', slug: '12' },
	{ taxonomy: 'ticket_priority', name: 'Срочно', slug: slugify('Срочно') },
	{ taxonomy: 'ticket_channel', name: 'Chat', slug: 'chat-2' },
	{ taxonomy: 'ticket-tag', name: '退款', slug: slugify('退款') },
];
const colors = ['#9e9e9e', '#2196f3', '#ff9800', '#f44336', '#9c27b0'];
const devices = ['aurora-router', 'lumen-lamp', 'tideline-watch', 'pocket-reader'];
const software = ['nimbus-backup', 'harbor-crm'];

/** `%p` is a product, `%o` the order: title, products, tags, department, most replies. */
const topics: readonly [string, readonly string[], readonly string[], string, number][] = [
	['Cannot sign in to %p', software, ['login'], 'technical-support', 2],
	['Order %o has not arrived', devices, ['shipping'], 'returns', 3],
	['Refund for order %o', devices, ['refund', 'invoice'], 'billing', 1],
	['%p loses its settings after an update', devices, ['bug', 'data-loss'], 'technical-support', 3],
	['Invoice with our VAT number, order %o', [...software, ...devices], ['invoice'], 'billing', 1],
	['Does %p work with older phones?', ['lumen-lamp', 'tideline-watch'], ['how-to'], 'sales', 2],
	['Warranty: display of %p is cracked', ['tideline-watch', 'pocket-reader'], ['warranty'], 'returns', 3],
	['Idea: dark mode for %p', [...software, 'pocket-reader'], ['feature-request'], 'technical-support', 1],
	['Charged twice for %p', [...software, ...devices], ['refund', 'vip'], 'billing', 2],
	['How do I move %p to another account?', [...software, ...devices], ['how-to'], 'technical-support', 1],
];
const content =
	'Hello, this is about the %p of my order %o. Please let me know what can be done, and how long it will take.';
const replyTexts = [
	'We are looking into it. Have you tried it again today?',
	'Yes, with the same result.',
	'It is fixed.',
];

const firstNames = 'Emeka Sofia José Amir Nadia Erik Tariq Jun Anna Noah Fatima Thea Katya Beatriz Oksana Felix'.split(
	' ',
);
const lastNames =
	'Park Bauer Kaya Rossi Chen Larsen Silva Eriksen Mbeki Tanaka García Murphy Weber Hughes Okafor'.split(' ');
const statuses = ['queued', 'queued', 'processing', 'processing', 'hold', 'in-progress', 'pending'];
const files = [
	{ title: 'Screenshot of the error', name: 'screenshot' },
	{ title: 'Invoice', name: 'invoice' },
];

const END = Date.UTC(2026, 2, 2, 8, 0, 0);
const DAY = 24 * 3600 * 1000;
const SPAN = 180 * DAY;

/** Until it is changed; the command's help says so. */
export function firstPassword(username: string): string {
	return `desk-${username}`;
}

const orderOf = (ticketId: number): string => `A-${10000 + ((ticketId * 7919) % 89999)}`;

export function firstCustomValues(ticketId: number): Record<string, string> {
	const chance = createChance(4, ticketId);
	return {
		order_number: orderOf(ticketId),
		website: chance.next() < 0.3 ? `https://shop.example/orders/${orderOf(ticketId)}` : '',
		severity: chance.pick(['minor', 'minor', 'major', 'critical']),
		serial_number: `SN${String(chance.below(1e8)).padStart(8, '0')}`,
		warranty_until: stamp(END + chance.below(700) * DAY).slice(0, 10),
		refund_requested: '',
		internal_note: '',
	};
}

function createTerms() {
	const plain = Object.entries(termNames).flatMap(([taxonomy, names]) =>
		names.map((name) => ({ taxonomy, name, slug: slugify(name) })),
	);
	return [...plain, ...oddTerms].map((term, index) => {
		const color = term.taxonomy === 'ticket_priority' ? colors[index % colors.length] : undefined;
		return { id: index + 1, ...term, description: '', parent: 0, color };
	});
}

/** @param agents users 2 to `agents + 1`; the others are customers */
function createUser(id: number, agents: number) {
	const chance = createChance(2, id);
	const admin = id === ADMIN_ID;
	const agent = !admin && id <= ADMIN_ID + agents;
	const index = id - 2;
	const first = admin ? 'Desk' : (firstNames[index % firstNames.length] as string);
	const last = admin ? 'Administrator' : (lastNames[index % lastNames.length] as string);
	const plain = `${slugify(first)}.${slugify(last)}`;
	const username = admin ? ADMIN_NAME : index < firstNames.length ? plain : `${plain}${id}`;
	const registered = END - SPAN - chance.below(700) * DAY;
	return {
		id,
		username,
		name: `${first} ${last}`,
		first_name: first,
		last_name: last,
		email: `${username}@${admin || agent ? 'desk' : chance.pick(['mail', 'post', 'shop'])}.example`,
		url: chance.next() < 0.2 ? `https://${slugify(last)}.example/` : '',
		description: '',
		locale: agent || admin ? 'en_GB' : chance.pick(locales),
		nickname: admin ? ADMIN_NAME : first,
		slug: username.replaceAll('.', '-'),
		roles: [admin ? 'administrator' : !agent ? 'customer' : id === ADMIN_ID + 1 ? 'supervisor' : 'agent'],
		registered_date: `${stamp(registered)}+00:00`,
		support_can_be_assigned: agent,
		support_smart_tickets_order: agent && chance.next() < 0.5,
		support_after_reply: 'stay',
		/** Undefined until it is changed. */
		hash: undefined as string | undefined,
		preferences: undefined as unknown,
		passwords: (admin || agent ? ['Laptop', 'CI runner'] : []).map((name) => {
			const hash = hashSecret(`${username} ${name} ${registered}`);
			return { slug: passwordSlug(hash), name, hash, created: stamp(registered), last_used: null as string | null };
		}),
	};
}

export function createSeed(size: number) {
	const agents = Math.min(40, 4 + Math.floor(size / 500));
	const customers = Math.min(5000, Math.max(8, Math.floor(size / 4)));
	const attachments = Math.floor(size / 5);
	const terms = createTerms();
	const termId = (slug: string): number => terms.find((each) => each.slug === slug)?.id ?? 0;
	const idsOf = (taxonomy: string): number[] =>
		terms.slice(0, -oddTerms.length).flatMap((each) => (each.taxonomy === taxonomy ? [each.id] : []));
	const [priorities = [], channels = []] = ['ticket_priority', 'ticket_channel'].map(idsOf);
	const oddIds = terms.slice(-oddTerms.length).map((each) => each.id);
	const topicTerms = topics.map(([, products, tags]) => [products.map(termId), tags.map(termId)] as const);

	/** 0 is no term. */
	function createTicket(id: number) {
		const chance = createChance(1, id);
		const at = chance.below(topics.length);
		const [title, , , department, mostReplies] = topics[at] as (typeof topics)[number];
		const [products, tags] = topicTerms[at] as (typeof topicTerms)[number];
		// Only authors may write custom fields, so the administrator is one.
		const author = id % 4 === 2 ? ADMIN_ID : ADMIN_ID + 1 + agents + chance.below(customers);
		const agent = chance.below(agents);
		const replies = chance.below(mostReplies + 1);
		const date = END - SPAN + Math.floor(((id - 0.9 + chance.next() * 0.8) / size) * SPAN);
		const product = chance.pick(products);
		const order = orderOf(id);
		const fill = (text: string): string =>
			text.replaceAll('%p', terms[product - 1]?.name ?? '').replaceAll('%o', order);
		const closed = chance.next() < 0.35;
		const byAgent = Math.ceil(replies / 2);
		const ticket = {
			id,
			date: stamp(date),
			modified: stamp(date + replies * 5_400_000),
			slug: `${slugify(fill(title))}-${id}`,
			status: chance.pick(statuses),
			title: fill(title),
			content: fill(content),
			'ticket-tag': [...tags],
			product,
			department: termId(department),
			ticket_priority: chance.pick(priorities),
			ticket_channel: author === ADMIN_ID ? termId('phone') : chance.pick(channels),
			state: closed ? 'closed' : 'open',
			author,
			assignee: chance.next() < 0.1 && replies === 0 ? 0 : ADMIN_ID + 1 + agent,
			'secondary-assignee': chance.next() < 0.15 ? ADMIN_ID + 1 + ((agent + 2) % agents) : 0,
			'tertiary-assignee': 0,
			'customer-reply-count': replies - byAgent,
			'agent-reply-count': byAgent,
			'total-reply-count': replies,
			'time-calculated': replies * 10 + chance.below(4) * 5,
			'time-adjustments': 0,
			'time-adjustments-type': '+',
			'time-notes': '',
		};
		// One in twelve has odd terms.
		if (id % 12 === 11) {
			const [department = 0, emoji, digits, priority = 0, channel = 0, tag = 0] = oddIds;
			Object.assign(ticket, { department, product: id % 24 === 11 ? emoji : digits });
			Object.assign(ticket, { ticket_priority: priority, ticket_channel: channel });
			ticket['ticket-tag'].push(tag);
		}
		const sent = replyTexts.slice(0, replies).map((text, index) => {
			const at = stamp(date + (index + 1) * 5_400_000);
			return {
				...{ ticket: id, date: at, modified: at, content: text },
				status: index % 2 === 0 || index < replies - 1 ? 'read' : 'unread',
				author: index % 2 === 0 ? ADMIN_ID + 1 + agent : author,
			};
		});
		return { ticket, replies: sent };
	}

	const made = Array.from({ length: size }, (_, index) => createTicket(index + 1));
	const tickets = made.map(({ ticket }) => ticket);

	function createAttachment(index: number) {
		const chance = createChance(3, index);
		const post = tickets[Math.min(size, index * 5 - chance.below(5)) - 1] as (typeof tickets)[number];
		const { title, name } = chance.pick(files);
		const id = size + index;
		return {
			id,
			date: post.date,
			modified: post.date,
			slug: `${name}-${id}`,
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

	return {
		terms,
		users: Array.from({ length: 1 + agents + customers }, (_, index) => createUser(index + 1, agents)),
		tickets,
		// Tickets, attachments and replies share one sequence of ids.
		replies: made
			.flatMap(({ replies }) => replies)
			.map((reply, index) => {
				const id = size + attachments + index + 1;
				return { ...reply, id, slug: `reply-${id}` };
			}),
		attachments: Array.from({ length: attachments }, (_, index) => createAttachment(index + 1)),
		/** Once they were set. */
		customValues: [] as { id: number; values: Record<string, string> }[],
	};
}

export type Seed = ReturnType<typeof createSeed>;
export type TicketRecord = Seed['tickets'][number];
export type UserRecord = Seed['users'][number];
export type Post = Pick<TicketRecord, 'id' | 'author' | 'date' | 'modified' | 'slug' | 'status'>;

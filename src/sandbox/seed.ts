/** The records of the sandbox, and the sample data: N tickets with what belongs to them, the same for the same N. */

import { taxonomies } from '../api/fields.js';
import { createChance, hashSecret, passwordSlug, slugify, stamp } from './text.js';
import { attachmentWords, firstNames, lastNames, locales, termWords, topics } from './words.js';

/** What tickets, replies and attachments have in common; keys are the interface's field names wherever it has one (section 2). */
export interface Post {
	id: number;
	date: string;
	modified: string;
	slug: string;
	/** For a ticket a neutral name of section 3, or `trash`. */
	status: string;
	author: number;
}

/** Terms are kept by id, so that a renamed one shows at once; 0 stands for none. */
export interface TicketRecord extends Post {
	title: string;
	content: string;
	'ticket-tag': number[];
	product: number;
	department: number;
	ticket_priority: number;
	ticket_channel: number;
	state: string;
	assignee: number;
	'secondary-assignee': number;
	'tertiary-assignee': number;
	'customer-reply-count': number;
	'agent-reply-count': number;
	'total-reply-count': number;
	'time-calculated': number;
	'time-adjustments': number;
	'time-adjustments-type': string;
	'time-notes': string;
}

export interface ReplyRecord extends Post {
	ticket: number;
	content: string;
}

export interface AttachmentRecord extends Post {
	title: string;
	comment_status: string;
	ping_status: string;
	template: string;
	alt_text: string;
	caption: string;
	description: string;
	post: number;
	file: string;
	mime_type: string;
}

export interface PasswordRecord {
	slug: string;
	name: string;
	hash: string;
	created: string;
	last_used: string | null;
}

export interface UserRecord {
	id: number;
	username: string;
	name: string;
	first_name: string;
	last_name: string;
	email: string;
	url: string;
	description: string;
	locale: string;
	nickname: string;
	slug: string;
	roles: string[];
	registered_date: string;
	support_can_be_assigned: boolean;
	support_smart_tickets_order: boolean;
	support_after_reply: string;
	/** Hash of the account's password; absent while it is the first one (see `firstPassword`). */
	hash?: string;
	/** Application passwords: what callers sign in with. */
	passwords: PasswordRecord[];
}

export interface TermRecord {
	id: number;
	taxonomy: string;
	name: string;
	slug: string;
	description: string;
	parent: number;
	/** Only priorities have one. */
	color?: string;
}

/** The values of a ticket's custom fields, under the ticket's id. */
export interface CustomValues {
	id: number;
	values: Record<string, string>;
}

/** Changes with the words and rules below, so that a state file made for other sample data is refused. */
export const SEED_VERSION = 2;

/** The administrator, whom the sandbox's own credentials belong to. */
export const ADMIN_ID = 1;
export const ADMIN_NAME = 'admin';

/** The newest ticket is from just before this moment. */
const END = Date.UTC(2026, 2, 2, 8, 0, 0);
const SPAN = 180 * 24 * 3600 * 1000;

/** What sets the draws for different resources apart. */
const Salt = { ticket: 1, user: 2, attachment: 3, custom: 4 } as const;

/** The account password that a sample user has until it is changed; the help of the command says so. */
export function firstPassword(username: string): string {
	return `desk-${username}`;
}

const STATUSES = ['queued', 'queued', 'processing', 'processing', 'hold', 'in-progress', 'pending'];

/** What a sandbox begins with. */
export type Seed = ReturnType<typeof createSeed>;

/** @param size how many tickets */
export function createSeed(size: number) {
	const agents = Math.min(40, 4 + Math.floor(size / 500));
	const customers = Math.min(5000, Math.max(8, Math.floor(size / 4)));
	const firstCustomer = ADMIN_ID + agents + 1;
	const attachmentCount = Math.floor(size / 5);
	const termIds = new Map<string, number>();
	const termRecords: TermRecord[] = [];
	for (const taxonomy of taxonomies) {
		for (const words of termWords[taxonomy] ?? []) {
			const id = termRecords.length + 1;
			termIds.set(`${taxonomy}/${words.slug}`, id);
			termRecords.push({ id, taxonomy, parent: 0, ...words });
		}
	}
	const termIdsOf = (taxonomy: string): number[] =>
		termRecords.filter((each) => each.taxonomy === taxonomy).map((each) => each.id);
	const priorities = termIdsOf('ticket_priority');
	const channels = termIdsOf('ticket_channel');
	const phone = termIds.get('ticket_channel/phone') as number;
	const topicTerms = topics.map((topic) => ({
		products: topic.products.map((slug) => termIds.get(`product/${slug}`) as number),
		tags: topic.tags.map((slug) => termIds.get(`ticket-tag/${slug}`) as number),
		department: termIds.get(`department/${topic.department}`) as number,
	}));

	const agentAt = (index: number): number => ADMIN_ID + 1 + (index % agents);
	const customerAt = (index: number): number => firstCustomer + (index % customers);
	const orderOf = (id: number): string => `A-${10000 + ((id * 7919) % 89999)}`;

	/** What a ticket, its replies and its attachments have in common; drawn again for each. */
	function plot(id: number) {
		const chance = createChance(Salt.ticket, id);
		const topic = chance.below(topics.length);
		const most = topics[topic]?.replies.length ?? 0;
		const byPhone = id % 4 === 2;
		return {
			chance,
			topic,
			author: byPhone ? ADMIN_ID : customerAt(chance.below(customers)),
			agent: agentAt(chance.below(agents)),
			byPhone,
			replies: chance.below(most + 1),
			date: END - SPAN + Math.floor(((id - 0.9 + chance.next() * 0.8) / size) * SPAN),
		};
	}

	function ticket(id: number): TicketRecord {
		const { chance, topic, author, agent, byPhone, replies, date } = plot(id);
		const words = topics[topic] as (typeof topics)[number];
		const terms = topicTerms[topic] as (typeof topicTerms)[number];
		const product = chance.pick(terms.products);
		const productName = termRecords[product - 1]?.name ?? '';
		const order = orderOf(id);
		const fill = (text: string): string => text.replaceAll('%p', productName).replaceAll('%o', order);
		const title = fill(words.subject);
		const closed = chance.next() < 0.35;
		const byAgent = Math.ceil(replies / 2);
		return {
			id,
			date: stamp(date),
			modified: stamp(date + replies * 5_400_000),
			slug: `${slugify(title)}-${id}`,
			status: chance.pick(STATUSES),
			title,
			content: fill(words.content),
			'ticket-tag': [...terms.tags],
			product,
			department: terms.department,
			ticket_priority: chance.pick(priorities),
			ticket_channel: byPhone ? phone : chance.pick(channels),
			state: closed ? 'closed' : 'open',
			author,
			assignee: chance.next() < 0.1 && replies === 0 ? 0 : agent,
			'secondary-assignee': chance.next() < 0.15 ? agentAt(agent) : 0,
			'tertiary-assignee': 0,
			'customer-reply-count': replies - byAgent,
			'agent-reply-count': byAgent,
			'total-reply-count': replies,
			'time-calculated': replies * 10 + chance.below(4) * 5,
			'time-adjustments': 0,
			'time-adjustments-type': '+',
			'time-notes': '',
		};
	}

	function user(id: number): UserRecord {
		const chance = createChance(Salt.user, id);
		const admin = id === ADMIN_ID;
		const agent = !admin && id < firstCustomer;
		// Every pair of names comes once before any comes again.
		const first = firstNames[(id * 29) % firstNames.length] as string;
		const last = lastNames[(id * 17 + Math.floor(id / firstNames.length)) % lastNames.length] as string;
		const plain = `${slugify(first)}.${slugify(last)}`;
		const username = admin ? ADMIN_NAME : id <= firstNames.length ? plain : `${plain}${id}`;
		const registered = END - SPAN - chance.below(700) * 86_400_000;
		const name = admin ? 'Desk Administrator' : `${first} ${last}`;
		const host = admin || agent ? 'desk.example' : chance.pick(['mail.example', 'post.example', 'shop.example']);
		return {
			id,
			username,
			name,
			first_name: admin ? 'Desk' : first,
			last_name: admin ? 'Administrator' : last,
			email: `${username}@${host}`,
			url: chance.next() < 0.2 ? `https://${slugify(last)}.example/` : '',
			description: agent ? 'Answers tickets.' : '',
			locale: agent || admin ? 'en_GB' : chance.pick(locales),
			nickname: admin ? 'admin' : first,
			slug: username.replaceAll('.', '-'),
			roles: [admin ? 'administrator' : agent ? (id === ADMIN_ID + 1 ? 'supervisor' : 'agent') : 'customer'],
			registered_date: `${stamp(registered)}+00:00`,
			support_can_be_assigned: agent,
			support_smart_tickets_order: agent && chance.next() < 0.5,
			support_after_reply: agent ? chance.pick(['stay', 'back', 'ask']) : 'stay',
			passwords: agent || admin ? samplePasswords(username, registered) : [],
		};
	}

	function attachment(index: number): AttachmentRecord {
		const id = size + index;
		const chance = createChance(Salt.attachment, index);
		const post = Math.min(size, index * 5 - chance.below(5));
		const { date, author } = plot(post);
		const words = chance.pick(attachmentWords);
		const file = `${words.file}-${id}.${words.extension}`;
		return {
			id,
			date: stamp(date + 60_000),
			modified: stamp(date + 60_000),
			slug: `${words.file}-${id}`,
			status: 'inherit',
			title: words.title,
			author,
			comment_status: 'closed',
			ping_status: 'closed',
			template: '',
			alt_text: words.mime.startsWith('image/') ? words.title : '',
			caption: '',
			description: '',
			post,
			file,
			mime_type: words.mime,
		};
	}

	return {
		size,
		users: () => Array.from({ length: 1 + agents + customers }, (_, index) => user(index + 1)),
		terms: () => termRecords.map((each) => ({ ...each })),
		tickets: () => Array.from({ length: size }, (_, index) => ticket(index + 1)),
		attachments: () => Array.from({ length: attachmentCount }, (_, index) => attachment(index + 1)),
		replies(): ReplyRecord[] {
			// Replies, tickets and attachments share one sequence of ids.
			let id = size + attachmentCount;
			return Array.from({ length: size }, (_, index) => index + 1).flatMap((ticketId) => {
				const { topic, author, agent, replies, date } = plot(ticketId);
				return Array.from({ length: replies }, (_, index) => {
					id++;
					const at = stamp(date + (index + 1) * 5_400_000);
					const byAgent = index % 2 === 0;
					return {
						id,
						ticket: ticketId,
						date: at,
						modified: at,
						slug: `reply-${id}`,
						status: byAgent || index < replies - 1 ? 'read' : 'unread',
						content: topics[topic]?.replies[index] ?? '',
						author: byAgent ? agent : author,
					};
				});
			});
		},
		/** The values that a ticket's custom fields have at first. */
		customValues(ticketId: number): Record<string, string> {
			const chance = createChance(Salt.custom, ticketId);
			const refund = (topics[plot(ticketId).topic]?.tags ?? []).includes('refund');
			return {
				order_number: orderOf(ticketId),
				website: chance.next() < 0.3 ? `https://shop.example/orders/${orderOf(ticketId)}` : '',
				severity: chance.pick(['minor', 'minor', 'major', 'critical']),
				serial_number: `SN${String(chance.below(1e8)).padStart(8, '0')}`,
				warranty_until: stamp(END + chance.below(700) * 86_400_000).slice(0, 10),
				refund_requested: refund ? '1' : '',
				internal_note: '',
			};
		},
	};
}

/** Application passwords that sign nobody in: they are there to be listed and deleted. */
function samplePasswords(username: string, registered: number): UserRecord['passwords'] {
	return ['Laptop', 'CI runner'].map((name, index) => {
		const hash = hashSecret(`${username} ${name} ${registered}`);
		const created = stamp(registered + (index + 1) * 86_400_000);
		return { slug: passwordSlug(hash), name, hash, created, last_used: null };
	});
}

/** What the sandbox holds: its records, and what was changed since the start, which is all that a state file has to keep. */

import type { taxonomies } from '../api/fields.js';

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

/** What a sandbox begins with. */
export interface Seed {
	readonly size: number;
	users(): UserRecord[];
	terms(): TermRecord[];
	tickets(): TicketRecord[];
	attachments(): AttachmentRecord[];
	replies(): ReplyRecord[];
	/** The values that a ticket's custom fields have at first. */
	customValues(ticketId: number): Record<string, string>;
}

/** What differs from the seed: rows that were changed or added, and ids of rows that are gone. */
export interface TableChanges<T> {
	rows: T[];
	gone: number[];
}

/** The rows of one resource, by id. */
export class Table<T extends { id: number }> {
	readonly #rows = new Map<number, T>();
	readonly #touched = new Set<number>();
	readonly #gone = new Set<number>();
	readonly #changed: () => void;

	constructor(seeded: readonly T[], changed: () => void) {
		for (const row of seeded) this.#rows.set(row.id, row);
		this.#changed = changed;
	}

	get size(): number {
		return this.#rows.size;
	}

	get(id: number): T | undefined {
		return this.#rows.get(id);
	}

	values(): IterableIterator<T> {
		return this.#rows.values();
	}

	/** Keeps a row that was changed in place, or a new one. */
	put(row: T): void {
		this.#rows.set(row.id, row);
		this.#touched.add(row.id);
		this.#changed();
	}

	remove(id: number): void {
		this.#rows.delete(id);
		this.#touched.delete(id);
		this.#gone.add(id);
		this.#changed();
	}

	changes(): TableChanges<T> {
		return { rows: [...this.#touched].map((id) => this.#rows.get(id) as T), gone: [...this.#gone] };
	}

	restore({ rows, gone }: TableChanges<T>): void {
		for (const row of rows) this.put(row);
		for (const id of gone) this.remove(id);
	}
}

export const tableNames = ['tickets', 'replies', 'attachments', 'users', 'terms', 'customValues'] as const;

/** What a state file keeps. */
export type Changes = Record<(typeof tableNames)[number], TableChanges<never>>;

/** The records. Tests may read and write them directly; `put` what was changed. */
export interface Store {
	/** Grows with every change. */
	readonly version: number;
	readonly tickets: Table<TicketRecord>;
	readonly replies: Table<ReplyRecord>;
	readonly attachments: Table<AttachmentRecord>;
	readonly users: Table<UserRecord>;
	readonly terms: Table<TermRecord>;
	/** The replies of a ticket, in the order of their ids. */
	repliesOf(ticketId: number): ReplyRecord[];
	moveReply(reply: ReplyRecord, ticketId: number): void;
	removeReply(reply: ReplyRecord): void;
	/** Deletes a ticket for good, with its replies; its attachments stay, without a ticket. */
	removeTicket(ticket: TicketRecord): void;
	/** Deletes a user; posts go to the receiver, while assignees of tickets keep the deleted id. */
	removeUser(user: UserRecord, receiver: number): void;
	/** Deletes a term and takes it off every ticket; its children go to its parent. */
	removeTerm(term: TermRecord): void;
	customValuesOf(ticketId: number): Readonly<Record<string, string>>;
	setCustomValues(ticketId: number, values: Record<string, string>): void;
	/** How many tickets have the term. */
	termCount(term: TermRecord): number;
	changes(): Changes;
	restore(changes: Changes): void;
}

/** Ticket fields that hold one term id. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

/** The ids of a ticket's terms in a taxonomy. */
export function termsOf(ticket: TicketRecord, taxonomy: string): readonly number[] {
	const value = ticket[taxonomy as (typeof taxonomies)[number]];
	return typeof value === 'number' ? [value] : value;
}

/** @param changed called after every change */
export function createStore(seed: Seed, changed: () => void = () => {}): Store {
	let version = 0;
	const count = (): void => {
		version++;
		changed();
	};
	const tables = {
		tickets: new Table(seed.tickets(), count),
		replies: new Table(seed.replies(), count),
		attachments: new Table(seed.attachments(), count),
		users: new Table(seed.users(), count),
		terms: new Table(seed.terms(), count),
		customValues: new Table<CustomValues>([], count),
	};
	const { tickets, replies, attachments, users, terms, customValues } = tables;

	let groups: Map<number, ReplyRecord[]> | undefined;
	function repliesByTicket(): Map<number, ReplyRecord[]> {
		if (groups !== undefined) return groups;
		groups = new Map();
		for (const reply of [...replies.values()].sort((left, right) => left.id - right.id)) {
			const group = groups.get(reply.ticket);
			if (group === undefined) groups.set(reply.ticket, [reply]);
			else group.push(reply);
		}
		return groups;
	}

	return {
		...tables,
		get version() {
			return version;
		},
		repliesOf: (ticketId) => [...(repliesByTicket().get(ticketId) ?? [])],
		moveReply(reply, ticketId) {
			if (reply.ticket !== ticketId) groups = undefined;
			reply.ticket = ticketId;
			replies.put(reply);
		},
		removeReply(reply) {
			groups = undefined;
			replies.remove(reply.id);
		},
		removeTicket(ticket) {
			for (const attachment of attachments.values()) {
				if (attachment.post !== ticket.id) continue;
				attachment.post = 0;
				attachments.put(attachment);
			}
			const group = repliesByTicket();
			for (const reply of group.get(ticket.id) ?? []) replies.remove(reply.id);
			group.delete(ticket.id);
			customValues.remove(ticket.id);
			tickets.remove(ticket.id);
		},
		removeUser(user, receiver) {
			for (const table of [tickets, replies, attachments] as unknown as Table<Post>[]) {
				for (const post of table.values()) {
					if (post.author !== user.id) continue;
					post.author = receiver;
					table.put(post);
				}
			}
			users.remove(user.id);
		},
		removeTerm(term) {
			for (const ticket of tickets.values()) {
				if (!termsOf(ticket, term.taxonomy).includes(term.id)) continue;
				if (term.taxonomy === 'ticket-tag') {
					ticket['ticket-tag'] = ticket['ticket-tag'].filter((id) => id !== term.id);
				} else {
					ticket[term.taxonomy as (typeof ticketTermFields)[number]] = 0;
				}
				tickets.put(ticket);
			}
			for (const child of terms.values()) {
				if (child.parent !== term.id) continue;
				child.parent = term.parent;
				terms.put(child);
			}
			terms.remove(term.id);
		},
		customValuesOf: (ticketId) => customValues.get(ticketId)?.values ?? seed.customValues(ticketId),
		setCustomValues: (ticketId, values) => customValues.put({ id: ticketId, values }),
		termCount(term) {
			let found = 0;
			for (const ticket of tickets.values()) if (termsOf(ticket, term.taxonomy).includes(term.id)) found++;
			return found;
		},
		changes: () => Object.fromEntries(tableNames.map((name) => [name, tables[name].changes()])) as Changes,
		restore(changes) {
			for (const name of tableNames) tables[name].restore(changes[name]);
			groups = undefined;
		},
	};
}

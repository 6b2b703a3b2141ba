/** What the sandbox holds: its records, and what was changed since the start, which is all that a state file has to keep. */

import type { taxonomies } from '../api/fields.js';
import type {
	AttachmentRecord,
	CustomValues,
	Post,
	ReplyRecord,
	Seed,
	TermRecord,
	TicketRecord,
	UserRecord,
} from './seed.js';

/** What differs from the seed: rows that were changed or added, and ids of rows that are gone. */
export interface TableChanges<T> {
	rows: T[];
	gone: number[];
}

/** The rows of one resource, by id. */
export class Table<T extends { id: number; slug?: string }> {
	readonly #rows = new Map<number, T>();
	readonly #touched = new Set<number>();
	readonly #gone = new Set<number>();
	#slugs: Map<string, number> | undefined;
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

	/** The wanted slug, or the first of `wanted-2`, `wanted-3` … that no other row has. */
	freeSlug(row: T, wanted: string): string {
		this.#slugs ??= new Map([...this.values()].map((each) => [each.slug ?? '', each.id]));
		let slug = wanted;
		// Rows may have been deleted or renamed since they came into the index.
		for (let next = 2; this.#rows.get(this.#slugs.get(slug) ?? row.id)?.slug === slug && slug !== row.slug; next++) {
			slug = `${wanted}-${next}`;
		}
		return slug;
	}

	/** Keeps a row that was changed in place, or a new one. */
	put(row: T): void {
		this.#rows.set(row.id, row);
		this.#slugs?.set(row.slug ?? '', row.id);
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

/** Ticket fields that hold one term id. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

/** The ids of a ticket's terms in a taxonomy. */
export function termsOf(ticket: TicketRecord, taxonomy: string): readonly number[] {
	const value = ticket[taxonomy as (typeof taxonomies)[number]];
	return typeof value === 'number' ? [value] : value;
}

export const tableNames = ['tickets', 'replies', 'attachments', 'users', 'terms', 'customValues'] as const;

/** What a state file keeps. */
export type Changes = Record<(typeof tableNames)[number], TableChanges<never>>;

/** The records. Tests may read and write them directly; `put` what was changed. */
export class Store {
	/** Grows with every change. */
	version = 0;
	readonly tickets: Table<TicketRecord>;
	readonly replies: Table<ReplyRecord>;
	readonly attachments: Table<AttachmentRecord>;
	readonly users: Table<UserRecord>;
	readonly terms: Table<TermRecord>;
	readonly customValues: Table<CustomValues>;
	readonly #seed: Seed;
	#repliesByTicket: Map<number, ReplyRecord[]> | undefined;

	/** @param changed called after every change */
	constructor(seed: Seed, changed: () => void = () => {}) {
		const count = (): void => {
			this.version++;
			changed();
		};
		this.#seed = seed;
		this.tickets = new Table(seed.tickets(), count);
		this.replies = new Table(seed.replies(), count);
		this.attachments = new Table(seed.attachments(), count);
		this.users = new Table(seed.users(), count);
		this.terms = new Table(seed.terms(), count);
		this.customValues = new Table([], count);
	}

	#groups(): Map<number, ReplyRecord[]> {
		if (this.#repliesByTicket !== undefined) return this.#repliesByTicket;
		const groups = new Map<number, ReplyRecord[]>();
		for (const reply of this.replies.values()) {
			const group = groups.get(reply.ticket);
			if (group === undefined) groups.set(reply.ticket, [reply]);
			else group.push(reply);
		}
		this.#repliesByTicket = groups;
		return groups;
	}

	repliesOf(ticketId: number): ReplyRecord[] {
		return [...(this.#groups().get(ticketId) ?? [])];
	}

	moveReply(reply: ReplyRecord, ticketId: number): void {
		if (reply.ticket !== ticketId) this.#repliesByTicket = undefined;
		reply.ticket = ticketId;
		this.replies.put(reply);
	}

	removeReply(reply: ReplyRecord): void {
		this.#repliesByTicket = undefined;
		this.replies.remove(reply.id);
	}

	/** Deletes a ticket for good, with its replies; its attachments stay, without a ticket. */
	removeTicket(ticket: TicketRecord): void {
		for (const attachment of this.attachments.values()) {
			if (attachment.post !== ticket.id) continue;
			attachment.post = 0;
			this.attachments.put(attachment);
		}
		for (const reply of this.repliesOf(ticket.id)) this.replies.remove(reply.id);
		this.#groups().delete(ticket.id);
		this.customValues.remove(ticket.id);
		this.tickets.remove(ticket.id);
	}

	/** Deletes a user; posts go to the receiver, while assignees of tickets keep the deleted id. */
	removeUser(user: UserRecord, receiver: number): void {
		for (const table of [this.tickets, this.replies, this.attachments] as unknown as Table<Post>[]) {
			for (const post of table.values()) {
				if (post.author !== user.id) continue;
				post.author = receiver;
				table.put(post);
			}
		}
		this.users.remove(user.id);
	}

	/** Deletes a term and takes it off every ticket; its children go to its parent. */
	removeTerm(term: TermRecord): void {
		for (const ticket of this.tickets.values()) {
			if (!termsOf(ticket, term.taxonomy).includes(term.id)) continue;
			if (term.taxonomy === 'ticket-tag') {
				ticket['ticket-tag'] = ticket['ticket-tag'].filter((id) => id !== term.id);
			} else {
				ticket[term.taxonomy as (typeof ticketTermFields)[number]] = 0;
			}
			this.tickets.put(ticket);
		}
		for (const child of this.terms.values()) {
			if (child.parent !== term.id) continue;
			child.parent = term.parent;
			this.terms.put(child);
		}
		this.terms.remove(term.id);
	}

	customValuesOf(ticketId: number): Readonly<Record<string, string>> {
		return this.customValues.get(ticketId)?.values ?? this.#seed.customValues(ticketId);
	}

	/** How many tickets have the term. */
	termCount(term: TermRecord): number {
		let found = 0;
		for (const ticket of this.tickets.values()) if (termsOf(ticket, term.taxonomy).includes(term.id)) found++;
		return found;
	}

	changes(): Changes {
		return Object.fromEntries(tableNames.map((name) => [name, this[name].changes()])) as Changes;
	}

	restore(changes: Changes): void {
		for (const name of tableNames) this[name].restore(changes[name]);
		this.#repliesByTicket = undefined;
	}
}

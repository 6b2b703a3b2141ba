/** What the sandbox holds: the seeded desk plus every change made since, which is all that a state file has to keep. */

import type { AttachmentRecord, ReplyRecord, TermRecord, TicketRecord, UserRecord } from './records.js';
import type { Seed } from './seed.js';

/** The rows of one resource, by id, with a note of those that are no longer as they were seeded. */
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

	restore(changes: TableChanges<T>): void {
		for (const row of changes.rows) {
			this.#rows.set(row.id, row);
			this.#touched.add(row.id);
		}
		for (const id of changes.gone) {
			this.#rows.delete(id);
			this.#gone.add(id);
		}
	}
}

export interface TableChanges<T> {
	rows: T[];
	gone: number[];
}

/** Everything that differs from the seed, fit for JSON. */
export interface Changes {
	tickets: TableChanges<TicketRecord>;
	users: TableChanges<UserRecord>;
	terms: TableChanges<TermRecord>;
	attachments: TableChanges<AttachmentRecord>;
	/** Replies are made when they are asked for; here are those that were changed since. */
	replies: TableChanges<ReplyRecord>;
	/** [from, to]: who received the posts of a deleted user, in the order of the deletions. */
	reassigned: [number, number][];
	customValues: [number, Record<string, string>][];
}

/** The desk. Tests may read and write it directly; `put` what was changed. */
export interface Store {
	readonly seed: Seed;
	/** Grows with every change. */
	readonly version: number;
	readonly tickets: Table<TicketRecord>;
	readonly users: Table<UserRecord>;
	readonly terms: Table<TermRecord>;
	readonly attachments: Table<AttachmentRecord>;
	/** The replies of a ticket, in the order in which they were written. */
	repliesOf(ticketId: number): ReplyRecord[];
	putReply(reply: ReplyRecord): void;
	removeReply(reply: ReplyRecord): void;
	/** Deletes a ticket for good, with its replies; its attachments stay, on their own. */
	removeTicket(ticket: TicketRecord): void;
	/** Deletes a user; posts and assignments go to the receiver. */
	removeUser(user: UserRecord, receiver: number): void;
	/** Deletes a term and takes it off every ticket. */
	removeTerm(term: TermRecord): void;
	customValuesOf(ticketId: number): Readonly<Record<string, string>>;
	setCustomValues(ticketId: number, values: Readonly<Record<string, string>>): void;
	/** How many tickets have the term. */
	termCount(term: TermRecord): number;
	userByName(username: string): UserRecord | undefined;
	changes(): Changes;
	restore(changes: Changes): void;
}

/** Ticket fields that hold one term id. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;
const assigneeFields = ['assignee', 'secondary-assignee', 'tertiary-assignee'] as const;

/** @param changed called after every change */
export function createStore(seed: Seed, changed: () => void = () => {}): Store {
	let version = 0;
	const bump = (): void => {
		version++;
		changed();
	};
	const tickets = new Table(seed.tickets(), bump);
	const users = new Table(seed.users(), bump);
	const terms = new Table(seed.terms(), bump);
	const attachments = new Table(seed.attachments(), bump);
	const replies = new Table<ReplyRecord>([], bump);
	const goneReplies = new Set<number>();
	const reassigned: [number, number][] = [];
	const customValues = new Map<number, Record<string, string>>();
	const names = new Map<string, number>();
	for (const user of users.values()) names.set(user.username, user.id);
	let counts: { version: number; byTerm: Map<number, number> } | undefined;

	function authorNow(author: number): number {
		for (const [from, to] of reassigned) if (author === from) author = to;
		return author;
	}

	function repliesOf(ticketId: number): ReplyRecord[] {
		if (tickets.get(ticketId) === undefined) return [];
		const result: ReplyRecord[] = [];
		for (const seeded of seed.replies(ticketId)) {
			if (goneReplies.has(seeded.id)) continue;
			const kept = replies.get(seeded.id);
			if (kept === undefined) seeded.author = authorNow(seeded.author);
			result.push(kept ?? seeded);
		}
		return result;
	}

	function countTerms(): Map<number, number> {
		const byTerm = new Map<number, number>();
		const add = (id: number): void => {
			byTerm.set(id, (byTerm.get(id) ?? 0) + 1);
		};
		for (const ticket of tickets.values()) {
			for (const id of ticket['ticket-tag']) add(id);
			for (const field of ticketTermFields) add(ticket[field]);
		}
		return byTerm;
	}

	return {
		seed,
		get version() {
			return version;
		},
		tickets,
		users,
		terms,
		attachments,
		repliesOf,
		putReply: (reply) => replies.put(reply),
		removeReply(reply) {
			goneReplies.add(reply.id);
			replies.remove(reply.id);
		},
		removeTicket(ticket) {
			for (const attachment of attachments.values()) {
				if (attachment.post !== ticket.id) continue;
				attachment.post = 0;
				attachments.put(attachment);
			}
			customValues.delete(ticket.id);
			tickets.remove(ticket.id);
		},
		removeUser(user, receiver) {
			for (const ticket of tickets.values()) {
				let moved = false;
				for (const field of ['author', ...assigneeFields] as const) {
					if (ticket[field] !== user.id) continue;
					ticket[field] = receiver;
					moved = true;
				}
				if (moved) tickets.put(ticket);
			}
			for (const table of [attachments, replies] as const) {
				for (const post of table.values()) {
					if (post.author !== user.id) continue;
					post.author = receiver;
					(table as Table<typeof post>).put(post);
				}
			}
			reassigned.push([user.id, receiver]);
			names.delete(user.username);
			users.remove(user.id);
		},
		removeTerm(term) {
			for (const ticket of tickets.values()) {
				let had = ticket['ticket-tag'].includes(term.id);
				if (had) ticket['ticket-tag'] = ticket['ticket-tag'].filter((id) => id !== term.id);
				for (const field of ticketTermFields) {
					if (ticket[field] !== term.id) continue;
					ticket[field] = 0;
					had = true;
				}
				if (had) tickets.put(ticket);
			}
			for (const child of terms.values()) {
				if (child.parent !== term.id) continue;
				child.parent = term.parent;
				terms.put(child);
			}
			terms.remove(term.id);
		},
		customValuesOf: (ticketId) => customValues.get(ticketId) ?? seed.customValues(ticketId),
		setCustomValues(ticketId, values) {
			customValues.set(ticketId, { ...values });
			bump();
		},
		termCount(term) {
			if (counts?.version !== version) counts = { version, byTerm: countTerms() };
			return counts.byTerm.get(term.id) ?? 0;
		},
		userByName(username) {
			const id = names.get(username);
			return id === undefined ? undefined : users.get(id);
		},
		changes: () => ({
			tickets: tickets.changes(),
			users: users.changes(),
			terms: terms.changes(),
			attachments: attachments.changes(),
			replies: { rows: replies.changes().rows, gone: [...goneReplies] },
			reassigned: [...reassigned],
			customValues: [...customValues],
		}),
		restore(changes) {
			tickets.restore(changes.tickets);
			users.restore(changes.users);
			terms.restore(changes.terms);
			attachments.restore(changes.attachments);
			replies.restore(changes.replies);
			for (const id of changes.replies.gone) goneReplies.add(id);
			reassigned.push(...changes.reassigned);
			for (const [id, values] of changes.customValues) customValues.set(id, values);
			names.clear();
			for (const user of users.values()) names.set(user.username, user.id);
			version++;
		},
	};
}

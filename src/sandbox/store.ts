/** What the sandbox holds: records by ID. */

import type { Seed } from './samples.js';

/** Ticket fields that hold the ID of one term; 0 is none. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

/** The rows of one kind; `put` what was changed, so that lists are made anew. */
export class Table<T extends { id: number }> extends Map<number, T> {
	changes = 0;

	constructor(rows: readonly T[]) {
		super(rows.map((row) => [row.id, row]));
	}

	put(row: T): void {
		this.set(row.id, row);
		this.changes++;
	}

	remove(id: number): void {
		this.delete(id);
		this.changes++;
	}
}

/** The records. Tests may read and write them directly. */
export interface Store extends Readonly<{ [Name in keyof Seed]: Table<Seed[Name][number]> }> {
	repliesOf(ticketId: number): Seed['replies'];
	/** Grows with every change. */
	changes(): number;
}

export function createStore(seed: Seed): Store {
	const tables = {
		tickets: new Table(seed.tickets),
		replies: new Table(seed.replies),
		attachments: new Table(seed.attachments),
		users: new Table(seed.users),
		terms: new Table(seed.terms),
		customValues: new Table(seed.customValues),
	};
	return {
		...tables,
		repliesOf: (id) => [...tables.replies.values()].filter(({ ticket }) => ticket === id),
		changes: () => Object.values(tables).reduce((sum, table) => sum + table.changes, 0),
	};
}

/** What the sandbox holds: records by ID. */

import type { Seed } from './samples.js';

/** Ticket fields that hold the ID of one term; 0 is none. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

/** The records. Tests may read and write them directly. */
export interface Store extends Readonly<{ [Name in keyof Seed]: Map<number, Seed[Name][number]> }> {
	repliesOf(ticketId: number): Seed['replies'];
}

export function createStore(seed: Seed): Store {
	const byId = <T extends { id: number }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));
	const replies = byId(seed.replies);
	return {
		tickets: byId(seed.tickets),
		replies,
		attachments: byId(seed.attachments),
		users: byId(seed.users),
		terms: byId(seed.terms),
		customValues: byId(seed.customValues),
		repliesOf: (id) => [...replies.values()].filter(({ ticket }) => ticket === id),
	};
}

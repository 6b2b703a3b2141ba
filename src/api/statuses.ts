/** The named statuses of a ticket, by group (interface section 3). */

export const ticketStatusGroups = {
	general: [
		'publish',
		'future',
		'draft',
		'pending',
		'private',
		'in-progress',
		'failed',
		'queued',
		'processing',
		'hold',
		'read',
		'unread',
	],
	shop: [
		'shop-active',
		'shop-switched',
		'shop-expired',
		'shop-pending-cancel',
		'shop-pending',
		'shop-processing',
		'shop-on-hold',
		'shop-completed',
		'shop-cancelled',
		'shop-refunded',
		'shop-failed',
	],
	membership: [
		'shopm-active',
		'shopm-free_trial',
		'shopm-delayed',
		'shopm-complimentary',
		'shopm-pending',
		'shopm-paused',
		'shopm-expired',
		'shopm-cancelled',
	],
} as const;

type Groups = typeof ticketStatusGroups;

/** One of section 3. */
export type TicketStatus = Groups[keyof Groups][number];

export const ticketStatuses: readonly string[] = Object.values(ticketStatusGroups).flat();

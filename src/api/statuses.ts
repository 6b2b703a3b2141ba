/** The statuses of tickets (interface section 3), and what people write in their place. */

import { didYouMean } from './suggest.js';

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

export const ticketStatuses: readonly string[] = Object.values(ticketStatusGroups).flat();

const statusKey = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '');
const statuses: ReadonlyMap<string, string> = new Map(ticketStatuses.map((status) => [statusKey(status), status]));

/** The documented status that a text means, whatever its case, spaces and dashes. */
export const findStatus = (text: string): string | undefined => statuses.get(statusKey(text));

/** `On Hold` is likely to mean `hold`. */
export function likelyStatus(text: string): string {
	const word = text
		.toLowerCase()
		.split(/[\s_-]+/)
		.find((each) => ticketStatuses.includes(each));
	return word === undefined ? didYouMean(text, ticketStatuses) : `; did you mean "${word}"?`;
}

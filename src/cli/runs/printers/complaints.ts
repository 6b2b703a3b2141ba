/** Rows that can't be sent, one message for each reason. */

import { plural } from '../../../api/names.js';
import { type Complaint, formatComplaint } from '../../../bulk/input/rows.js';

const MOST_REASONS = 1000;
const MOST_COMPLAINTS = 10_000;

export interface Reason {
	first: Complaint;
	count: number;
	/** Lines of the input, or rows. */
	places: number[];
}

export function createComplaints() {
	const reasons = new Map<string, Reason>();
	const all: Complaint[] = [];
	let count = 0;
	return {
		add(complaint: Complaint): void {
			count++;
			if (all.length < MOST_COMPLAINTS) all.push(complaint);
			const key = `${complaint.column} ${complaint.message}`;
			const reason = reasons.get(key);
			if (reason === undefined) {
				if (reasons.size < MOST_REASONS) reasons.set(key, { first: complaint, count: 1, places: [] });
				return;
			}
			reason.count++;
			if (reason.places.length < NAMED) reason.places.push(complaint.line ?? complaint.row);
		},
		count: (): number => count,
		all: (): readonly Complaint[] => all,
		reasons: (): Reason[] => [...reasons.values()],
	};
}

/** Of one reason. */
const NAMED = 3;

/** `row 3 (edits.csv line 4): status "hodl" …; 311 more: lines 5, 9, …` */
export function formatReason({ first, count, places }: Reason, inputName: string): string {
	const message = formatComplaint(first, inputName);
	const more = count - 1;
	if (more === 0) return message;
	const kind = first.line === undefined ? 'row' : 'line';
	const named = `${plural(kind, more)} ${places.join(', ')}${more > places.length ? ', …' : ''}`;
	return `${message} (${more} more: ${named})`;
}

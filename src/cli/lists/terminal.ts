/** Objects as a person reads them on a terminal: relative times, short headers, the width for titles. */

import { readMoment } from '../../api/values.js';
import type { Column, Row } from '../../output/columns.js';
import { relativeTime } from '../../output/time.js';
import type { Reading } from './reading.js';

/** Times in GMT, without a zone. */
const TIMES: ReadonlySet<string> = new Set(['modified_gmt', 'date_gmt', 'registered_date', 'created', 'last_used']);

/** What the width of a terminal is for. */
const IMPORTANT: ReadonlySet<string> = new Set(['title', 'content', 'name']);

const LABELS: Readonly<Record<string, string>> = {
	ticket_priority: 'priority',
	modified_gmt: 'modified',
	date_gmt: 'date',
	registered_date: 'registered',
};

export function createTerminalRows({ invocation }: Reading) {
	const { clock } = invocation.context;

	return {
		column(path: string): Column {
			return { path, label: LABELS[path] ?? path, important: IMPORTANT.has(path) };
		},
		row(row: Row): Row {
			const now = clock.now();
			return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shownValue(name, value, now)]));
		},
	};
}

function shownValue(name: string, value: unknown, now: number): unknown {
	if (!TIMES.has(name) || typeof value !== 'string') return value;
	const moment = readMoment(value);
	return moment === undefined ? value : relativeTime(moment.ms, now);
}

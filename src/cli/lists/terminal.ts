/** Objects as a person reads them on a terminal: relative times, short headers, the width for titles. */

import { readMoment } from '../../api/values.js';
import type { Column, Row } from '../../output/columns.js';
import { relativeTime } from '../../output/time.js';
import type { Reading } from './reading.js';

/** Times in GMT, without a zone. */
const TIMES: ReadonlySet<string> = new Set(['modified_gmt', 'date_gmt', 'registered_date', 'created', 'last_used']);

/** What the width of a terminal is for. */
const IMPORTANT: ReadonlySet<string> = new Set(['title', 'content', 'name']);

/** Left out of a narrow terminal, where titles would have no room. */
const WIDE_ONLY: ReadonlySet<string> = new Set(['state', 'ticket_priority']);
const NARROW = 72;

const LABELS: Readonly<Record<string, string>> = {
	ticket_priority: 'priority',
	modified_gmt: 'modified',
	date_gmt: 'date',
	registered_date: 'registered',
};

export function createTerminalRows({ invocation }: Reading) {
	const { clock, stdout } = invocation.context;
	const isNarrow = (stdout.columns ?? 80) < NARROW;

	return {
		columns: (names: readonly string[]): Column[] =>
			names
				.filter((name) => !isNarrow || !WIDE_ONLY.has(name))
				.map((path) => ({ path, label: LABELS[path] ?? path, important: IMPORTANT.has(path) })),

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

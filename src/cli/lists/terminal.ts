/** Objects for people: names for IDs, relative times, room for titles. */

import type { Field } from '../../api/fields.js';
import type { Read } from '../../api/reads.js';
import { readMoment } from '../../api/values.js';
import type { Column } from '../../output/columns.js';
import { relativeTime } from '../../text.js';
import type { Reading } from './reading.js';

/** GMT, without a zone. */
const TIMES: ReadonlySet<string> = new Set(['modified_gmt', 'date_gmt', 'registered_date', 'created', 'last_used']);

const IMPORTANT: ReadonlySet<string> = new Set(['title', 'content', 'name']);

/** Below this width titles get the room of some columns. */
const NARROW = 72;
const WIDE_ONLY: ReadonlySet<string> = new Set(['state', 'ticket_priority']);

const LABELS: Readonly<Record<string, string>> = {
	ticket_priority: 'priority',
	modified_gmt: 'modified',
	date_gmt: 'date',
	registered_date: 'registered',
};

/** Fields of which names are shown instead of IDs and slugs. */
export function namedFields({ update, shown }: Read, single: boolean): Field[] {
	const fields = (update?.fields ?? []).filter(({ name }) => single || shown.includes(name));
	return fields.filter(({ kind }) => kind === 'user' || kind === 'term' || kind === 'terms');
}

/** @param single values stand beside their names */
export function terminalColumns(
	{ invocation, directories }: Reading,
	names: readonly string[],
	named: readonly Field[],
	single: boolean,
): Column[] {
	const { clock, stdout } = invocation.context;
	const isNarrow = !single && (stdout.columns ?? 80) < NARROW;

	function withValue(text: string | undefined, value: unknown): string {
		if (text === undefined || text === String(value)) return String(value ?? '');
		return single ? `${text} (${value})` : text;
	}

	function shownValue(name: string, field: Field | undefined, value: unknown): unknown {
		if (field === undefined) {
			const moment = TIMES.has(name) && typeof value === 'string' ? readMoment(value) : undefined;
			return moment === undefined ? value : withValue(relativeTime(moment.ms, clock.now()), value);
		}
		if (field.kind === 'user' && value === 0) return single ? value : '';
		const texts = [value].flat().map((each) => withValue(directories.nameOf(field, each), each));
		return texts.includes('') ? value : texts.join(', ');
	}

	return names
		.filter((name) => !isNarrow || !WIDE_ONLY.has(name))
		.map((path) => {
			const field = named.find(({ name }) => name === path);
			return {
				path,
				label: single ? path : (LABELS[path] ?? path),
				get: (row) => shownValue(path, field, row[path]),
				important: IMPORTANT.has(path),
				// A time that is cut off says nothing.
				whole: TIMES.has(path),
				// People copy usernames.
				...(field?.kind === 'user' && { least: 10 }),
			};
		});
}

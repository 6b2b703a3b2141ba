/** Objects for people: names for IDs, relative times, room for titles. */

import type { Field } from '../../api/fields.js';
import { PAGE_SIZE } from '../../api/reads.js';
import { isId, readMoment } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { isNothing } from '../../bulk/run/held.js';
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

/** @param single values stand beside their names */
export function createTerminalColumns({ read, invocation, directories }: Reading, single: boolean) {
	const { clock, stdout } = invocation.context;
	const fields = (read.update?.fields ?? []).filter(({ name }) => single || read.shown.includes(name));
	const users = fields.filter(({ kind }) => kind === 'user');
	const terms = fields.filter(({ kind }) => kind === 'term' || kind === 'terms');
	let hasUsers = true;

	async function learnUsers(objects: readonly ListedObject[]): Promise<void> {
		const shown = objects.flatMap((object) => users.map(({ name }) => object[name]));
		const ids = [...new Set(shown.filter(isId).map(String))].filter((id) => directories.users.name(id) === undefined);
		for (let at = 0; hasUsers && at < ids.length; at += PAGE_SIZE) {
			hasUsers = (await directories.users.missing(ids.slice(at, at + PAGE_SIZE))) !== undefined;
		}
	}

	function nameOf({ name, kind }: Field, value: unknown): string | undefined {
		if (kind === 'user') return directories.users.name(String(value));
		const known = directories.terms(name);
		return known.name(known.idOf(String(value)) ?? '');
	}

	function withValue(text: string | undefined, value: unknown): string {
		if (text === undefined || text === String(value)) return String(value ?? '');
		return single ? `${text} (${value})` : text;
	}

	function shownValue(name: string, value: unknown): unknown {
		const field = [...users, ...terms].find((each) => each.name === name);
		if (field?.kind === 'user' && value === 0) return single ? value : '';
		if (field !== undefined) {
			const names = [value].flat().map((each) => withValue(nameOf(field, each), each));
			return names.includes('') ? value : names.join(', ');
		}
		const moment = TIMES.has(name) && typeof value === 'string' ? readMoment(value) : undefined;
		return moment === undefined ? value : withValue(relativeTime(moment.ms, clock.now()), value);
	}

	return {
		columns(names: readonly string[]): Column[] {
			const isNarrow = !single && (stdout.columns ?? 80) < NARROW;
			return names
				.filter((name) => !isNarrow || !WIDE_ONLY.has(name))
				.map((path) => ({
					path,
					label: single ? path : (LABELS[path] ?? path),
					get: (row) => shownValue(path, row[path]),
					important: IMPORTANT.has(path),
					// A time that is cut off says nothing.
					whole: TIMES.has(path),
					// People copy usernames.
					...(users.some(({ name }) => name === path) && { least: 10 }),
				}));
		},
		async learn(objects: readonly ListedObject[]): Promise<void> {
			const shown = terms.filter(({ name }) => objects.some((each) => !isNothing(each[name])));
			await Promise.allSettled([learnUsers(objects), ...shown.map(({ name }) => directories.terms(name).list())]);
		},
	};
}

/** What many changes come to, in one line: `300 titles (all different) · 216 priorities: 119 Low, 97 High`. */

import { createHash } from 'node:crypto';
import { counted, plural } from '../api/names.js';
import { formatCount } from '../text.js';
import { type Action, actions, type Change, cut, doneText, itemsOf, newText } from './change.js';

interface Total {
	/** The name of a field; undefined for what happens to whole objects. */
	readonly field: string | undefined;
	rows: number;
	/** Of lists, whose items come and go. */
	readonly areItems: boolean;
	/** New values, and how often each occurs; undefined once there are too many. */
	values: Map<string, { readonly text: string; readonly isCut: boolean; rows: number }> | undefined;
}

/** More values are not told apart. */
const MOST_VALUES = 10_000;
/** So many values are listed. */
const LISTED = 4;
const LONGEST_VALUE = 40;

export class Totals {
	rows = 0;
	readonly actions = new Set<Action>();
	readonly #totals = new Map<string, Total>();

	add(change: Change): void {
		const { setsFields } = actions[change.action];
		const isChange = !setsFields || change.fields.some(({ stays }) => stays !== true);
		if (change.left !== undefined || !isChange) return;
		this.rows++;
		this.actions.add(change.action);
		if (!setsFields) this.#count(undefined, [doneText(change)]);
		for (const field of change.fields) {
			if (field.stays === true) continue;
			const items = itemsOf(field);
			this.#count(field.field, items.length > 0 ? items : [newText(field)], items.length > 0);
		}
	}

	#count(field: string | undefined, texts: readonly string[], areItems = false): void {
		const key = field ?? '';
		const total = this.#totals.get(key) ?? { field, rows: 0, areItems, values: new Map() };
		this.#totals.set(key, total);
		total.rows++;
		for (const text of texts) {
			const known = total.values?.get(keyOf(text));
			const isCut = field !== undefined && text.length > LONGEST_VALUE;
			if (known !== undefined) known.rows++;
			else total.values?.set(keyOf(text), { text: isCut ? cut(text, LONGEST_VALUE) : text, isCut, rows: 1 });
		}
		if ((total.values?.size ?? 0) > MOST_VALUES) total.values = undefined;
	}

	/** `300 tickets would change: 300 titles, 235 assignees` */
	would(noun: string): string {
		const isDelete = [...this.#totals.values()].every(({ field }) => field === undefined);
		return `${counted(this.rows, noun)} would ${isDelete ? 'be deleted' : 'change'}: ${this.short()}`;
	}

	/** `300 titles, 235 assignees` */
	short(): string {
		return this.#sorted().map(shortText).join(', ');
	}

	/** `300 titles (all different) · 216 priorities: 119 Low, 97 High` */
	long(): string {
		return this.parts().join(' · ');
	}

	parts(): string[] {
		return this.#sorted().map(longText);
	}

	#sorted(): Total[] {
		return [...this.#totals.values()].sort((left, right) => right.rows - left.rows);
	}
}

/** Long texts would fill the memory. */
function keyOf(text: string): string {
	return text.length <= LONGEST_VALUE ? text : createHash('sha256').update(text).digest('base64');
}

function shortText(total: Total): string {
	const { field, rows } = total;
	return field === undefined ? byValue(total).join(', ') : `${formatCount(rows)} ${fieldCount(field, rows)}`;
}

function longText(total: Total): string {
	const { field, rows, values, areItems } = total;
	const start = shortText(total);
	if (field === undefined) return start;
	if (values === undefined) return `${start} (more than ${formatCount(MOST_VALUES)} different)`;
	if (!areItems && values.size > 1) {
		if (values.size === rows) return `${start} (all different)`;
		const areShort = [...values.values()].every(({ isCut }) => !isCut);
		if (values.size > LISTED || !areShort) return `${start} (${formatCount(values.size)} different)`;
	}
	const [only] = values.values();
	return `${start}: ${values.size === 1 && !areItems ? only?.text : byValue(total).join(', ')}`;
}

/** The most frequent ones. */
function byValue({ rows, values }: Total): string[] {
	if (values === undefined) return [`${formatCount(rows)} of more than ${formatCount(MOST_VALUES)} kinds`];
	const all = [...values.values()].sort((left, right) => right.rows - left.rows);
	const listed = all.slice(0, LISTED).map((each) => `${formatCount(each.rows)} ${each.text}`);
	return all.length > LISTED ? [...listed, '…'] : listed;
}

/** `216 priorities`; a field whose last word is no noun counts its values: `148 time-calculated values`. */
function fieldCount(field: string, rows: number): string {
	const words = field.replace(/^ticket[_-]/, '').split(/[_-]+/);
	const last = words.pop() ?? '';
	// `roles` is a plural already, `status` is not.
	const noun = [last, last.replace(/s$/, '')].find((each) => NOUNS.has(each));
	const label = noun === undefined ? `${field} value` : [...words, noun].join(' ');
	return plural(label, rows);
}

/** Custom fields may be anything, so that only these have a plural. */
const NOUNS: ReadonlySet<string> = new Set([
	'assignee',
	'author',
	'caption',
	'channel',
	'color',
	'count',
	'date',
	'department',
	'description',
	'email',
	'locale',
	'name',
	'nickname',
	'parent',
	'password',
	'post',
	'priority',
	'product',
	'role',
	'slug',
	'state',
	'status',
	'tag',
	'template',
	'text',
	'title',
	'username',
]);

/** What many changes come to, in one line: `300 titles (all different) · 216 priorities: 119 Low, 97 High`. */

import { plural } from '../api/names.js';
import { type Change, doneText, type FieldChange, itemsOf, sidesOf } from './change.js';

interface Total {
	readonly label: string;
	rows: number;
	/** Of lists, whose items come and go. */
	readonly areItems: boolean;
	/** How often each new value occurs; undefined once there are too many. */
	values: Map<string, number> | undefined;
}

/** More values are not told apart. */
const MOST_VALUES = 10_000;
/** So many values are listed. */
const LISTED = 4;
const LONGEST_VALUE = 40;

export class Totals {
	rows = 0;
	readonly #totals = new Map<string, Total>();

	add(change: Change): void {
		const isChange = change.action !== 'update' || change.fields.some(({ stays }) => stays !== true);
		if (change.left !== undefined || !isChange) return;
		this.rows++;
		if (change.action !== 'update') this.#count(change.action, doneText(change), [doneText(change)]);
		for (const field of change.fields) {
			if (field.stays === true) continue;
			const items = itemsOf(field);
			const values = items.length > 0 ? items : [newText(field)];
			this.#count(field.field, labelOf(field.field), values, items.length > 0);
		}
	}

	#count(key: string, label: string, values: readonly string[], areItems = false): void {
		const total = this.#totals.get(key) ?? { label, rows: 0, areItems, values: new Map() };
		this.#totals.set(key, total);
		total.rows++;
		for (const value of values) total.values?.set(value, (total.values.get(value) ?? 0) + 1);
		if ((total.values?.size ?? 0) > MOST_VALUES) total.values = undefined;
	}

	/** `300 tickets would change: 300 titles, 235 assignees` */
	would(noun: string): string {
		const isDelete = [...this.#totals.values()].every((total) => isDeleted(total));
		return `${count(this.rows)} ${plural(noun, this.rows)} would ${isDelete ? 'be deleted' : 'change'}: ${this.short()}`;
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

function newText(field: FieldChange): string {
	return sidesOf(field, { most: LONGEST_VALUE }).new;
}

const count = (rows: number): string => rows.toLocaleString('en');

function isDeleted({ label, values }: Total): boolean {
	return values?.has(label) === true;
}

function shortText(total: Total): string {
	const { label, rows } = total;
	return isDeleted(total) ? byValue(total).join(', ') : `${count(rows)} ${plural(label, rows)}`;
}

function longText(total: Total): string {
	if (isDeleted(total)) return shortText(total);
	const { rows, values, areItems } = total;
	const start = shortText(total);
	if (values === undefined) return `${start} (more than ${count(MOST_VALUES)} different)`;
	if (areItems) return `${start}: ${byValue(total).join(', ')}`;
	if (values.size === 1) return `${start}: ${[...values.keys()][0]}`;
	if (values.size === rows) return `${start} (all different)`;
	if (values.size > LISTED) return `${start} (${count(values.size)} different)`;
	return `${start}: ${byValue(total).join(', ')}`;
}

function byValue({ values = new Map() }: Total): string[] {
	const all = [...values].sort(([, left], [, right]) => right - left);
	const listed = all.slice(0, LISTED).map(([value, rows]) => `${count(rows)} ${value}`);
	return all.length > LISTED ? [...listed, '…'] : listed;
}

/** `ticket_priority` → `priority`, `alt_text` → `alt text` */
function labelOf(field: string): string {
	return field
		.replace(/^(ticket|support)[_-]/, '')
		.replace(/[_-]+/g, ' ')
		.trim();
}

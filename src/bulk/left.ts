/** Rows that are not sent, and why: counted, and named where a person has to know them. */

import { endpoints } from '../api/endpoints.js';
import { counted, nameRow } from '../api/names.js';
import type { Outcome, RowOutcome } from '../http/outcome.js';
import { outcomes, reasonFor } from '../http/outcomes.js';
import { formatCount } from '../text.js';
import { type Counts, changedRows } from './journal/counts.js';
import type { RunHeader } from './plan.js';

type LeftRow = Pick<RowOutcome, 'ids' | 'outcome' | 'code' | 'message'> & { readonly row?: number };

export function isListed({ outcome, code }: Pick<Outcome, 'outcome' | 'code'>): boolean {
	return reasonFor(outcome, code)?.listed ?? true;
}

interface Group {
	readonly words: string;
	readonly isListed: boolean;
	rows: number;
	readonly named: string[];
}

const NAMED = 5;

/** Behind their count, where no reason says more. */
const WORDS = { invalid: 'invalid', skipped: 'skipped', unread: "that can't be read" };

function wordsOf({ outcome, code }: Pick<Outcome, 'outcome' | 'code'>): string {
	return reasonFor(outcome, code)?.words ?? WORDS[outcomes[outcome].unplanned];
}

/** Of a plan. */
export function unplanned(rows: number, noun: string): string {
	return `${counted(rows, noun)} can't be planned`;
}

/** One rule for all that keeps somebody else's change: conflicts, drift, and what an undo leaves. */
export function changedNotes(counts: Counts, { id, plan }: Pick<RunHeader, 'id' | 'plan'>): string[] {
	const changed = changedRows(counts);
	if (changed === 0) return [];
	const what = `${counted(changed, endpoints[plan.endpoint].noun)} ${changed === 1 ? 'was' : 'were'}`;
	return [`${what} changed by someone else: supportctl run show ${id.replaceAll(',', ' ')} --outcome skipped`];
}

export class LeftRows {
	readonly #groups = new Map<string, Group>();

	/** @param of how many, for rows that were only counted */
	add(row: LeftRow, noun: string, of = 1): void {
		const words = wordsOf(row);
		const group = this.#groups.get(words) ?? { words, isListed: isListed(row), rows: 0, named: [] };
		this.#groups.set(words, group);
		group.rows += of;
		if (group.isListed && group.named.length < NAMED) group.named.push(nameOf(row, noun));
	}

	get rows(): number {
		return [...this.#groups.values()].reduce((sum, { rows }) => sum + rows, 0);
	}

	/** Whose objects have their values already. */
	get unchanged(): number {
		return [...this.#groups.values()].reduce((sum, each) => sum + (each.isListed ? 0 : each.rows), 0);
	}

	/** "No changes" may be said only where it is all there is to say. */
	get areAllUnchanged(): boolean {
		return this.rows > 0 && this.rows === this.unchanged;
	}

	/** `3 unchanged`, `1 not found: nadia.chenn; did you mean nadia.chen?` */
	texts(): string[] {
		return [...this.#groups.values()].map(({ words, rows, named }) => {
			if (named.length === 0) return `${formatCount(rows)} ${words}`;
			return `${formatCount(rows)} ${words}: ${named.join(', ')}${rows > named.length ? ', …' : ''}`;
		});
	}

	view(): { rows: number; what: string; named: readonly string[] }[] {
		return [...this.#groups.values()].map(({ words, rows, named }) => ({ rows, what: words, named }));
	}
}

function nameOf({ row, ids, code, message = '' }: LeftRow, noun: string): string {
	if (Object.keys(ids).length === 0 && row !== undefined) return `row ${row}`;
	const { username, slug } = ids;
	const name = username ?? slug;
	if (code !== 'not_found' || name === undefined) return nameRow(ids, noun);
	const [, near] = /did you mean "([^"]+)"\?/.exec(message) ?? [];
	return near === undefined ? name : `${name}; did you mean ${near}?`;
}

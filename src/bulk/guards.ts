/** What may stop a run before its first request: confirmations, and rules over the whole set. */

import type { Request } from '../api/plan.js';
import { UsageError } from '../errors.js';

/** Numbers in a typed array that grows: 8 bytes each. */
class NumberList {
	private numbers = new Float64Array(1024);
	count = 0;

	add(value: number): void {
		if (this.count === this.numbers.length) {
			const larger = new Float64Array(this.numbers.length * 2);
			larger.set(this.numbers);
			this.numbers = larger;
		}
		this.numbers[this.count++] = value;
	}

	get values(): Float64Array {
		return this.numbers.subarray(0, this.count);
	}
}

/** Collects who is deleted and who receives, in at most 24 bytes a row, to find a receiver that is itself deleted. */
export class ReassignGuard {
	private readonly ids = new NumberList();
	private isSorted = true;
	/** Each receiver that is not the one of the row before, and the first row that names it. */
	private readonly receivers = new NumberList();
	private readonly rows = new NumberList();
	private last: string | undefined;

	/** Notes a row of `user delete`. */
	add(row: number, request: Request, reassign: string | undefined): void {
		this.ids.add(Number(request.ids.id));
		this.isSorted = false;
		if (reassign === undefined || reassign === this.last) return;
		this.last = reassign;
		this.receivers.add(Number(reassign));
		this.rows.add(row);
	}

	/** Whether a user is in the delete set. */
	deletes(id: string | number): boolean {
		const wanted = Number(id);
		let from = 0;
		let to = this.ids.count;
		const ids = this.sorted();
		while (from < to) {
			const middle = (from + to) >>> 1;
			if ((ids[middle] as number) < wanted) from = middle + 1;
			else to = middle;
		}
		return from < this.ids.count && ids[from] === wanted;
	}

	/** The first receivers, at most `limit` of them. */
	firstReceivers(limit: number): number[] {
		return [...new Set(this.receivers.values.subarray(0, limit))];
	}

	/** Every row may name a receiver of its own, so the ids are sorted once to be searched quickly. */
	private sorted(): Float64Array {
		if (!this.isSorted) this.ids.values.sort();
		this.isSorted = true;
		return this.ids.values;
	}

	/** @throws UsageError where a row reassigns to a user that the same set deletes. */
	check(): void {
		const rows = this.rows.values;
		for (const [index, receiver] of this.receivers.values.entries()) {
			if (!this.deletes(receiver)) continue;
			const row = rows[index] as number;
			throw new UsageError(
				`row ${row} reassigns to user ${receiver}, who is deleted in the same set; nothing was sent`,
				{ code: 'reassign_to_deleted', hint: '--reassign takes a user who stays' },
			);
		}
	}
}

export interface WriteGuardFacts {
	/** What is about to happen: "delete 12 tickets". */
	action: string;
	/** Whether a person is asked, as before each delete. */
	asks: boolean;
	host: string;
	profile: string | undefined;
	/** Whether the profile is marked protected. */
	protected: boolean;
	yes: boolean;
	/** The value of `--confirm`. */
	confirm: string | undefined;
}

/** What is needed before a write may start. @throws UsageError where it can't be had. */
export function needsQuestion(facts: WriteGuardFacts, canAsk: boolean): string | undefined {
	const where = `on ${facts.host}${facts.profile === undefined ? '' : ` (profile ${facts.profile})`}`;
	if (facts.protected) {
		const name = facts.profile ?? '';
		if (facts.confirm !== name) {
			throw new UsageError(`profile ${name} is protected: ${facts.action} ${where} needs --confirm=${name}`, {
				code: 'protected_profile',
				...(facts.confirm === undefined ? {} : { details: [`--confirm=${facts.confirm} names another profile`] }),
			});
		}
	} else if (facts.confirm !== undefined && facts.confirm !== facts.profile) {
		throw new UsageError(`--confirm=${facts.confirm}, but the profile is ${facts.profile ?? 'none'}`, {
			code: 'protected_profile',
		});
	}
	if (!facts.asks || facts.yes) return undefined;
	if (!canAsk) {
		throw new UsageError(`to ${facts.action} ${where} without a terminal to ask on, give --yes; nothing was sent`, {
			code: 'needs_yes',
		});
	}
	return `${facts.action.charAt(0).toUpperCase()}${facts.action.slice(1)} ${where}?`;
}

/** The first pass of a run: checks every row before anything is sent, in constant memory. */

import { endpointList } from '../../api/endpoints.js';
import { kinds, namesUsers } from '../../api/kinds.js';
import { counted } from '../../api/names.js';
import { PAGE_SIZE } from '../../api/reads.js';
import { UsageError } from '../../errors.js';
import { formatCount } from '../../text.js';
import type { Complaint } from '../input/rows.js';
import { type Fields, listedFields, type RunPlan } from '../plan.js';
import { KeySet } from './key-set.js';
import { isInvalid, isOwn, type PlannedRow, type RunRow } from './rows.js';

/** How many rows are searched for the fields that they set: a file may have a million rows, and its columns are the same in all. */
const FIELDS_FROM_ROWS = 200;
const NAMED = 10;

const allFields = endpointList.flatMap(({ fields }) => fields);

const namingUsers: ReadonlySet<string> = new Set(allFields.filter(namesUsers).map(({ name }) => name));

const shownBySlug: ReadonlySet<string> = new Set(
	allFields.filter(({ kind }) => kinds[kind].names?.shownBySlug).map(({ name }) => name),
);

interface Hooks {
	complain?(complaint: Complaint): void;
	holdsSecret?(sent: Fields): boolean;
	isDone?(row: RunRow): boolean;
	/** Whether objects of several rows are noted. */
	notesRepeated?: boolean;
}

export class Survey {
	rows = 0;
	last = 0;
	/** Rows to be sent, those with nothing to send, and those that are skipped. */
	selected = 0;
	empty = 0;
	skipped = 0;
	/** Of those that are skipped: left out on purpose, or of an object that an earlier row deletes. */
	leftOut = 0;
	permanent = 0;
	invalid = 0;
	readonly first: RunRow[] = [];
	/** The first rows whose objects may leave others behind. */
	readonly leaving: RunRow[] = [];
	/** Numbers: a slice of an input's text would keep all of it. */
	readonly deleted = new Set<number>();
	readonly receivers = new Map<number, number>();
	readonly fields: Set<string>;
	/** IDs of users that rows name, with the field that does. */
	readonly users = new Map<string, string>();
	hasSecrets = false;
	/** Keys of objects that several rows have, and of a few others. */
	readonly repeated = new Set<string>();
	readonly #keys: KeySet | undefined;
	readonly #mostLeaving: number;

	constructor(
		private readonly plan: RunPlan,
		private readonly hooks: Hooks = {},
	) {
		this.fields = new Set(listedFields(plan));
		this.#keys = hooks.notesRepeated ? new KeySet() : undefined;
		// What is only told is told of some; what is moved is moved for all.
		this.#mostLeaving = plan.checks.moveTickets ? Number.POSITIVE_INFINITY : PAGE_SIZE;
	}

	/** The first ones. */
	get receiverIds(): string[] {
		return [...this.receivers.keys()].slice(0, NAMED).map(String);
	}

	/** Rows that limits are for. */
	get wanted(): number {
		return this.rows - this.leftOut;
	}

	get own(): number {
		const { shard } = this.plan;
		return this.selected + this.skipped + (shard === undefined || shard.index === 1 ? this.invalid : 0);
	}

	/** `4 of 515 rows are invalid` */
	invalidText(): string {
		return `${formatCount(this.invalid)} of ${counted(this.rows, 'row')} ${this.invalid === 1 ? 'is' : 'are'} invalid`;
	}

	add(planned: PlannedRow): void {
		this.rows++;
		this.last = planned.row;
		const isOurs = isOwn(planned, this.plan.shard);
		if (!isInvalid(planned)) this.#addRow(planned, isOurs);
		else if (planned.isGone !== true) {
			this.invalid++;
			for (const complaint of planned.complaints) this.hooks.complain?.(complaint);
		} else if (isOurs) this.skipped++;
	}

	#addRow(planned: RunRow, isOurs: boolean): void {
		const { row, request, reassign, skip } = planned;
		if (reassign !== undefined) {
			this.deleted.add(Number(request.ids.id));
			const receiver = Number(reassign);
			if (!this.receivers.has(receiver)) this.receivers.set(receiver, row);
		}
		if (skip !== undefined) this.empty++;
		if (skip?.code === 'left_out' || skip?.code === 'named_again') this.leftOut++;
		if (!isOurs) return;
		if (skip !== undefined) {
			this.skipped++;
			return;
		}
		if (this.hooks.isDone?.(planned) !== true) {
			if (this.#keys?.add(request.key)) this.repeated.add(request.key);
			this.selected++;
			if (request.permanent) this.permanent++;
			if (this.first.length < NAMED) this.first.push(planned);
			if (request.endpoint.leaves !== undefined && this.leaving.length < this.#mostLeaving) this.leaving.push(planned);
		}
		if (request.sent !== undefined) this.#addFields(request.sent);
	}

	#addFields(sent: Fields): void {
		const isEarly = this.selected <= FIELDS_FROM_ROWS;
		for (const name in sent) {
			// A taxonomy is listed before the first row, also for a term that only the last one sets.
			if (isEarly || shownBySlug.has(name)) this.fields.add(name);
			if (!namingUsers.has(name) || this.users.size >= PAGE_SIZE) continue;
			const id = String(sent[name]);
			if (id !== '0') this.users.set(id, name);
		}
		this.hasSecrets ||= this.hooks.holdsSecret?.(sent) === true;
	}
}

/** What the caller insists on. */
export interface Demands {
	expect?: number;
	max?: number;
	/** Old values of every row. */
	snapshot?: boolean;
}

/** @throws UsageError */
export function checkCount(rows: number, { expect, max }: Demands): void {
	const there = `there ${rows === 1 ? 'is' : 'are'} ${counted(rows, 'row')}`;
	if (expect !== undefined && rows !== expect) {
		throw new UsageError(`--expect ${expect}, but ${there}; nothing was sent`, { code: 'expect' });
	}
	if (max !== undefined && rows > max) {
		throw new UsageError(`--max ${max}, but ${there}; nothing was sent`, { code: 'max' });
	}
}

export function checkSet(survey: Survey, demands: Demands): void {
	const { deleted, receivers, permanent } = survey;
	const { snapshot } = demands;
	checkCount(survey.wanted, demands);
	if (snapshot === true && permanent > 0) {
		throw new UsageError("a permanent delete can't be undone: remove --snapshot or --force; nothing was sent", {
			code: 'contradiction',
		});
	}
	for (const [receiver, row] of receivers) {
		if (!deleted.has(receiver)) continue;
		const message = `row ${row} reassigns to user ${receiver}, who is also being deleted; nothing was sent`;
		throw new UsageError(message, { code: 'reassign_to_deleted', hint: 'reassign to a user you are not deleting' });
	}
}

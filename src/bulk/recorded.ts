/** What the rows of a run changed, as its journal tells. */

import { closeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { endpointList, endpoints } from '../api/endpoints.js';
import { kinds } from '../api/kinds.js';
import { isId } from '../api/values.js';
import { openRegularFile } from '../folder.js';
import { WAS_GONE } from '../http/judge.js';
import { isDone, mayBeWritten, type OutcomeName } from '../http/outcomes.js';
import { Called, type Named } from './called.js';
import { type Change, changeOfRecord, type NameOf, receiverField } from './change.js';
import { ByRow } from './journal/by-row.js';
import { lineReader, recordAt, scanJournal } from './journal/read.js';
import type { BeforeRecord, JournalRecord, RowRecord } from './journal/records.js';
import type { RunHeader, RunPlan } from './plan.js';

export interface RecordedChange {
	readonly row: number;
	/** `unknown` without a record: the run was killed. */
	readonly outcome: OutcomeName;
	readonly record?: RowRecord | undefined;
	readonly change: Change;
	/** Whether a write was sent, or may have been. */
	readonly isTried: boolean;
	/** Fields that were written, though the outcome says otherwise. */
	readonly applied?: readonly string[] | undefined;
	/** What the journal doesn't tell, and why. */
	readonly gap?: string | undefined;
}

/** What journals call users and terms, and where they don't, a service that is asked. */
export class JournalNames {
	readonly #called = new Called();
	readonly #missing = new Map<string, { readonly field: Named; readonly values: Set<unknown> }>();
	#ask: NameOf = () => undefined;

	add(record: JournalRecord): void {
		if ((record.type === 'name' && 'id' in record) || record.type === 'called') this.#called.add(record);
		if (record.type !== 'row' && record.type !== 'before') return;
		const { id, username } = record.ids;
		if (id !== undefined && username !== undefined) this.#called.add({ of: 'users', id, name: username });
	}

	/** Old and new values that are shown, and who receives what was left. */
	need({ plan }: RunHeader, { before, record }: Pick<Recorded, 'before' | 'record'>): void {
		const { values = {}, sent = {} }: Partial<BeforeRecord> = before ?? {};
		for (const field of namedIn(plan)) {
			for (const given of [values[field.name], sent[field.name]]) this.#needOne(field, given);
		}
		this.#needOne(receiverField, record?.reassign ?? plan.values.reassign);
	}

	/** @param given an ID or a list of them */
	#needOne(field: Named, given: unknown): void {
		const all: unknown[] = Array.isArray(given) ? given : [given];
		for (const value of all) {
			if (isId(value) && this.#called.nameOf(field, value) === undefined) this.#note(field, value);
		}
	}

	#note(field: Named, value: unknown): void {
		const { values } = this.#missing.get(field.name) ?? { values: new Set<unknown>() };
		if (values.size < MOST_ASKED) this.#missing.set(field.name, { field, values: values.add(value) });
	}

	/** @param header of any of the runs: only its service counts */
	async ask(header: RunHeader, lookUp: LookUp): Promise<void> {
		const missing = [...this.#missing.values()];
		if (missing.length === 0) return;
		const fields = missing.map(({ field }) => field);
		const objects = missing.flatMap(({ field, values }) => [...values].map((value) => ({ [field.name]: value })));
		this.#ask = (await lookUp(header, fields, objects)) ?? this.#ask;
	}

	readonly nameOf: NameOf = (field, value) => this.#called.nameOf(field, value) ?? this.#ask(field, value);
}

const named: ReadonlyMap<string, readonly Named[]> = new Map(
	endpointList.map(({ name, fields }) => [name, fields.filter(({ kind }) => kinds[kind].names !== undefined)]),
);

function namedIn({ endpoint }: RunPlan): readonly Named[] {
	return named.get(endpoint) ?? [];
}

/** A few requests, whatever the length of a run. */
const MOST_ASKED = 500;

/** Undefined where the service can't be asked: then IDs are shown. */
export type LookUp = (
	header: RunHeader,
	fields: readonly Named[],
	objects: readonly Readonly<Record<string, unknown>>[],
) => Promise<NameOf | undefined>;

/** What a journal has of a row. */
export interface Recorded {
	readonly row: number;
	readonly before?: BeforeRecord | undefined;
	readonly record?: RowRecord | undefined;
	/** Whether any attempt may have written the object, whatever became of the last one. */
	readonly mayBeWritten: boolean;
}

/** @param recorded with a record or old values */
export function recordedChange(
	{ plan }: RunHeader,
	{ row, before, record, mayBeWritten: mayBe }: Recorded,
	names: JournalNames,
): RecordedChange {
	const ids = record?.ids ?? before?.ids ?? {};
	const naming = { nameOf: names.nameOf };
	const outcome = record?.outcome ?? 'unknown';
	const isWritten = wasTried(outcome, before !== undefined || !plan.checks.snapshot);
	const isTried = (isWritten || (before !== undefined && mayBe)) && !wasGone(record);
	if (before !== undefined) {
		const all = withoutUnchanged(changeOfRecord({ ...before, ids }, plan, naming));
		const { applied } = record ?? {};
		if (applied === undefined || !isDone({ outcome })) return { row, outcome, record, change: all, isTried, applied };
		// Another row set the others later.
		const own = new Set(applied);
		const change = { ...all, fields: all.fields.filter(({ field }) => own.has(field)) };
		return { row, outcome, record, change, isTried };
	}
	const isDelete = endpoints[plan.endpoint].deletes;
	// What a flag gave each row is known all the same.
	const known = isDelete ? {} : { sent: plan.values.fields, untold: plan.values.withheld };
	const { force, reassign, label } = record ?? {};
	const change = changeOfRecord({ ids, force, reassign, label, ...known }, plan, naming);
	const why = plan.checks.snapshot ? 'the journal has no old values of this row' : 'no old values were saved';
	return { row, outcome, record, change, isTried, gap: isDelete ? undefined : why };
}

/** Of several attempts: what the first one found, what the last one sent, and all that any of them may have written. */
export function joinOldValues(earlier: BeforeRecord | undefined, later: BeforeRecord): BeforeRecord {
	if (earlier === undefined || later.anew === true) return later;
	const both = (name: 'absent' | 'untold' | 'withheld') => [
		...new Set([...(earlier[name] ?? []), ...(later[name] ?? [])]),
	];
	return {
		...earlier,
		values: { ...later.values, ...earlier.values },
		sent: { ...earlier.sent, ...later.sent },
		absent: both('absent'),
		untold: both('untold'),
		withheld: both('withheld'),
	};
}

/** Before this run: an earlier attempt of its own may have deleted it. */
export function wasGone({ outcome, message }: Partial<RowRecord> = {}): boolean {
	return outcome === 'ok' && message === WAS_GONE;
}

function wasTried(outcome: OutcomeName, hasBegun: boolean): boolean {
	if (outcome === 'failed') return hasBegun;
	return mayBeWritten({ outcome });
}

/** Some updates would clear a field that they leave out. */
function withoutUnchanged(change: Change): Change {
	const fields = change.fields.filter(
		({ from, to }) => from.is !== 'shown' || !isDeepStrictEqual(from.value.value, to.value),
	);
	return { ...change, fields };
}

/** Those of one journal, in any order: 16 bytes a row. */
export interface Changes {
	/** In order. */
	rows(): number[];
	/** @param record of the row, if it was read already */
	of(row: number, record?: RowRecord): RecordedChange;
	close(): void;
}

/** @throws FailedError */
export async function openChanges(path: string, lookUp: LookUp): Promise<Changes> {
	const befores = new ByRow(Float64Array);
	/** Of rows that were tried again. */
	const moreBefores = new Map<number, number[]>();
	const records = new ByRow(Float64Array);
	const names = new JournalNames();
	const { header, states } = await scanJournal(path, (record, place, scan) => {
		names.add(record);
		if (record.type === 'before') names.need(scan.header, { before: record });
		if (record.type === 'row') {
			records.set(record.row, place);
			if (endpoints[scan.header.plan.endpoint].deletes) names.need(scan.header, { record });
		}
		if (record.type !== 'before') return;
		if (record.anew === true || befores.get(record.row) === 0) {
			befores.set(record.row, place);
			moreBefores.delete(record.row);
		} else moreBefores.set(record.row, [...(moreBefores.get(record.row) ?? []), place]);
	});
	await names.ask(header, lookUp);
	const fd = openRegularFile(path);
	const lineAt = lineReader(fd);
	const at = (place: number) => (place === 0 ? undefined : recordAt(lineAt, place));
	const beforeOf = (row: number): BeforeRecord | undefined => {
		let before: BeforeRecord | undefined;
		for (const place of [befores.get(row), ...(moreBefores.get(row) ?? [])]) {
			const record = at(place);
			if (record?.type === 'before') before = joinOldValues(before, record);
		}
		return before;
	};
	return {
		rows: () => rowsIn(records, befores),
		of(row, known) {
			// In the order of the file, which is read in chunks.
			const before = beforeOf(row);
			const record = known === undefined ? at(records.get(row)) : { type: 'row' as const, ...known };
			const recorded: Recorded = {
				row,
				before,
				mayBeWritten: states.mayBeWritten(row),
				record: record?.type === 'row' ? record : undefined,
			};
			return recordedChange(header, recorded, names);
		},
		close: () => closeSync(fd),
	};
}

/** All of a run, in the order of rows. @throws FailedError */
export async function changesOf(
	path: string,
	isWanted: (change: RecordedChange) => boolean,
	lookUp: LookUp,
): Promise<Iterable<RecordedChange>> {
	const changes = await openChanges(path, lookUp);
	return (function* () {
		try {
			for (const row of changes.rows()) {
				const found = changes.of(row);
				if (isWanted(found)) yield found;
			}
		} finally {
			changes.close();
		}
	})();
}

function rowsIn(...places: readonly ByRow[]): number[] {
	const rows = new Set(places.flatMap((each) => [...each.entries()].map(([row]) => row)));
	return [...rows].sort((left, right) => left - right);
}

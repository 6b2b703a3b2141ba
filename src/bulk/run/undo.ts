/** The old values that a run's journal keeps, as rows of another run that writes them back. */

import { createHash } from 'node:crypto';
import { customFieldText } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { chooseEndpoint } from '../../api/plan.js';
import { emptyRecord, isObject } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { RowNumbers, scanJournal } from '../journal/read.js';
import { type Json, type OldValues, rowRecordOf } from '../journal/records.js';
import type { RowSource, RunHeader, RunPlan } from './plan.js';
import { mayBeWritten } from './read-back.js';
import { type PlannedRows, plannerOf, type RowContext, type RunRow } from './rows.js';

/** The plan that undoes a run. It keeps old values itself, so that it can be undone too. @throws UsageError */
export function undoPlan({ id, plan }: RunHeader, journal: string, overwrite: boolean): RunPlan {
	if (!plan.checks.snapshot) {
		throw new UsageError(`run ${id} kept no old values`, {
			code: 'nothing_to_undo',
			hint: 'only a run with --snapshot can be undone',
		});
	}
	return {
		...plan,
		// What is in the trash is restored by its status.
		endpoint: plan.endpoint.endsWith('.delete') ? plan.endpoint.replace(/\.delete$/, '.update') : plan.endpoint,
		source: { from: 'snapshots', journal, run: id, overwrite },
		values: { ids: plan.values.ids, fields: {}, withheld: [], force: false, add: {}, remove: {} },
		checks: {
			onlyChanged: true,
			verify: true,
			snapshot: true,
			ifUnmodified: false,
			conditions: [],
			allowDiffers: false,
			ignoreMissing: false,
		},
		shard: undefined,
		skipInvalid: false,
	};
}

interface FieldChange {
	/** Before the run's first write. */
	old: unknown;
	/** What the run wrote last, as the service showed it. */
	written: unknown;
}

/** One object that the run wrote. */
interface Change {
	row: number;
	ids: Record<string, string>;
	fields: Record<string, FieldChange>;
	/** Why a field keeps its value, by field. */
	remarks: Record<string, string>;
}

/** Opens the rows. Memory grows with the number of objects and fields. @throws UsageError where nothing was written */
export async function openOldValues(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'snapshots' }>,
	{ dialect }: Pick<RowContext, 'dialect'>,
): Promise<PlannedRows> {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const changes = await readChanges(source.journal, endpoint);
	if (changes.length === 0) {
		throw new UsageError(`run ${source.run} wrote nothing that can be restored`, { code: 'nothing_to_undo' });
	}
	const request = plannerOf(plan, dialect);
	const rows = changes.map(({ ids, fields, remarks }, index): RunRow => {
		const names = Object.keys(fields);
		const pick = (part: 'old' | 'written') => recordOf(names, (name) => fields[name]?.[part]);
		return {
			row: index + 1,
			request: request({ ids, fields: pick('old') }),
			...(source.overwrite ? {} : { expected: pick('written') }),
			...(Object.keys(remarks).length === 0 ? {} : { remarks: Object.values(remarks) }),
		};
	});
	return {
		source,
		input: undefined,
		ignored: [],
		sha256: () => createHash('sha256').update(JSON.stringify(changes)).digest('hex'),
		async *read() {
			yield rows;
		},
		keep: async () => undefined,
		dispose: async () => undefined,
	};
}

function recordOf(names: readonly string[], value: (name: string) => unknown): Record<string, unknown> {
	const record = emptyRecord<unknown>();
	for (const name of names) record[name] = value(name);
	return record;
}

const ABSENT = "it had no value before, and the API can't remove it";
const WITHHELD = 'its old value was not kept, because it is secret';
const NOT_TEXT = "its old value was a list or an object, which can't be sent";

/** What a record of old values has, as it is read again. */
interface BeforeRecord extends OldValues {
	row: number;
	ids: Record<string, string>;
	absent: string[];
	withheld: string[];
}

function beforeRecordOf({
	row,
	ids,
	values,
	sent,
	absent = [],
	withheld = [],
}: Readonly<Json>): BeforeRecord | undefined {
	const isWhole = [ids, values, sent].every(isObject) && [absent, withheld].every(Array.isArray);
	return isWhole ? ({ row, ids, values, sent, absent, withheld } as BeforeRecord) : undefined;
}

/** Each written object once, with the oldest value of each field and the last one that the run wrote. */
async function readChanges(path: string, { body }: Pick<Endpoint, 'body'>): Promise<Change[]> {
	const { records, wasWritten, shown } = await readOldValues(path);
	const changes = new Map<string, Change>();
	for (const { row, ids, values, sent, absent, withheld } of records) {
		if (!wasWritten(row)) continue;
		const key = JSON.stringify(ids);
		const change = changes.get(key) ?? { row, ids, fields: emptyRecord<FieldChange>(), remarks: emptyRecord<string>() };
		changes.set(key, change);
		const keep = (name: string, why: string): void => {
			if (!Object.hasOwn(change.fields, name)) change.remarks[name] ??= `${name} stays: ${why}`;
		};
		for (const name of absent) keep(name, ABSENT);
		for (const name of withheld) keep(name, WITHHELD);
		for (const name of Object.keys(values)) {
			const earlier = change.fields[name];
			const canBeSent = body !== 'custom_fields' || customFieldText(values[name]) !== undefined;
			if (earlier === undefined && !canBeSent) keep(name, NOT_TEXT);
			if (Object.hasOwn(change.remarks, name)) continue;
			const written = shown.get(`${row} ${name}`) ?? sent[name];
			change.fields[name] = { old: earlier === undefined ? values[name] : earlier.old, written };
		}
	}
	return [...changes.values()];
}

interface KeptValues {
	records: BeforeRecord[];
	/** Whether a row may have been written after its old values were read, at any time of the run and its resumes. */
	wasWritten(row: number): boolean;
	/** Values that the service showed in place of what was sent, by row and field. */
	shown: ReadonlyMap<string, unknown>;
}

async function readOldValues(path: string): Promise<KeptValues> {
	const records: BeforeRecord[] = [];
	const shown = new Map<string, unknown>();
	const written = new RowNumbers(Uint8Array);
	/** Rows whose old values are kept and whose outcome is not known yet. */
	const open = new Set<number>();
	// A process that ended without their outcome may have written them.
	const leaveOpen = (): void => {
		for (const row of open) written.set(row, 1);
		open.clear();
	};
	const { states } = await scanJournal(path, (json) => {
		if (json.type === 'resume') leaveOpen();
		if (json.type === 'before') {
			open.add(json.row as number);
			const record = beforeRecordOf(json);
			if (record !== undefined) records.push(record);
		}
		const record = rowRecordOf(json);
		if (record === undefined) return;
		open.delete(record.row);
		if (mayBeWritten(record)) written.set(record.row, 1);
		for (const each of record.differs ?? []) shown.set(`${record.row} ${each.field}`, each.shown);
	});
	leaveOpen();
	return { records, shown, wasWritten: (row) => states.maybeSent(row) || written.get(row) === 1 };
}

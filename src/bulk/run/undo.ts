/** Old values of a run as rows that write them back, if the object still has the run's values. */

import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { customFieldText } from '../../api/applied.js';
import type { Endpoint } from '../../api/endpoints.js';
import { chooseEndpoint } from '../../api/plan.js';
import { emptyRecord, isObject, isProblem, parseId, parseSlug } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { openRegularFile } from '../../folder.js';
import { isIdName } from '../journal/header.js';
import { lineReader, scanJournal } from '../journal/read.js';
import { type Json, parseRecord, rowRecordOf } from '../journal/records.js';
import { hashKey, type RowSource, type RunHeader, type RunPlan } from './plan.js';
import { type PlannedRows, plannerOf, type RowContext, type RunRow } from './rows.js';

/** It keeps old values itself. @throws UsageError */
export function undoPlan({ id, plan }: RunHeader, journal: string, overwrite: boolean): RunPlan {
	if (!plan.checks.snapshot) {
		throw new UsageError(`run ${id} did not save old values`, {
			code: 'nothing_to_undo',
			hint: 'runs of two or more rows save them by default; for a single object pass --snapshot',
		});
	}
	return {
		...plan,
		// A status restores from the trash.
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

interface Change {
	readonly ids: Readonly<Record<string, string>>;
	/** Before the first write, and every value that the run may have written or was shown. */
	readonly fields: Record<string, { old: unknown; written: unknown[] }>;
	/** Why fields keep their value. */
	readonly remarks: Record<string, string>;
}

const CHANGED = { code: 'changed_since', hint: 'pass --overwrite to restore it' };

const BATCH = 100;

/** @throws UsageError if nothing was written */
export async function openOldValues(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'snapshots' }>,
	{ dialect }: Pick<RowContext, 'dialect'>,
): Promise<PlannedRows> {
	const objects = await findObjects(source.journal);
	const request = plannerOf(plan, dialect);
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const toRow = ({ ids, fields, remarks }: Change, row: number): RunRow => {
		const names = Object.keys(fields);
		const old = recordOf(names, (name) => fields[name]?.old);
		const values = recordOf(names, (name) => fields[name]?.written ?? []);
		const why = Object.values(remarks);
		return {
			row,
			request: request({ ids, fields: old }),
			...(source.overwrite ? {} : { expected: { values, byField: true, ...CHANGED } }),
			...(why.length === 0 ? {} : { remarks: why }),
			...(names.length === 0 ? { skip: { code: 'not_restorable', message: why.join('; ') } } : {}),
		};
	};
	let digest = '';
	return {
		source,
		input: undefined,
		ignored: [],
		matched: [],
		sha256: () => digest,
		async *read() {
			const hash = createHash('sha256');
			let row = 0;
			let batch: RunRow[] = [];
			for (const change of readChanges(objects, endpoint, plan)) {
				hash.update(JSON.stringify(change));
				batch.push(toRow(change, ++row));
				if (batch.length < BATCH) continue;
				yield batch;
				batch = [];
			}
			if (row === 0) {
				throw new UsageError(`run ${source.run} wrote nothing that can be restored`, { code: 'nothing_to_undo' });
			}
			if (batch.length > 0) yield batch;
			digest = hash.digest('hex');
		},
		keep: async () => undefined,
		dispose: async () => undefined,
	};
}

function recordOf<T>(names: readonly string[], value: (name: string) => T): Record<string, T> {
	const record = emptyRecord<T>();
	for (const name of names) record[name] = value(name);
	return record;
}

/** Places in the journal, by object. */
interface Objects {
	readonly path: string;
	readonly places: readonly number[];
	readonly order: Uint32Array;
	readonly first: Uint32Array;
	/** At any time of the run. */
	mayBeWritten(row: number): boolean;
}

function keyOf(ids: Readonly<Json>): string {
	return JSON.stringify(Object.entries(ids).filter(([name]) => name !== 'username'));
}

/** 24 bytes each: values stay in the file. */
async function findObjects(path: string): Promise<Objects> {
	const places: number[] = [];
	const hashes: number[] = [];
	const { states, wasKilled } = await scanJournal(path, (record, place) => {
		const ids = record.type === 'before' ? record.ids : rowRecordOf(record)?.ids;
		if (!isObject(ids) || (record.type === 'row' && record.differs === undefined)) return;
		places.push(place);
		hashes.push(hashKey(keyOf(ids)));
	});
	const order = Uint32Array.from(places.keys());
	const first = Uint32Array.from(places.keys());
	const hash = (index: number): number => hashes[index] as number;
	order.sort((left, right) => hash(left) - hash(right) || left - right);
	for (let at = 1; at < order.length; at++) {
		const [before, index] = [order[at - 1] as number, order[at] as number];
		if (hash(before) === hash(index)) first[index] = first[before] as number;
	}
	order.sort((left, right) => (first[left] as number) - (first[right] as number) || left - right);
	return {
		path,
		places,
		order,
		first,
		// It may have been under way in a killed process.
		mayBeWritten: (row) => states.mayBeWritten(row) || (wasKilled && !states.isDone(row) && !states.isRecorded(row)),
	};
}

/** Once each, in the order of the run. */
function* readChanges(objects: Objects, endpoint: Endpoint, plan: RunPlan): Generator<Change> {
	const { path, places, order, first } = objects;
	const fd = openRegularFile(path);
	try {
		const lineAt = lineReader(fd);
		let changes = new Map<string, Change>();
		for (const [at, index] of order.entries()) {
			const record = parseRecord(lineAt(places[index] as number)?.text ?? '');
			if (typeof record !== 'string') addRecord(changes, record, endpoint, plan, objects);
			const next = order[at + 1];
			if (next !== undefined && first[next] === first[index]) continue;
			yield* changes.values();
			changes = new Map();
		}
	} finally {
		closeSync(fd);
	}
}

const ABSENT = "it had no value before, and the API can't remove it";
const WITHHELD = 'its old value was not saved, because it is secret';
const NOT_TEXT = "its old value was a list or an object, which can't be sent";
const EMPTY_TERM = "it was empty, and the API can't empty it";
const COMPUTED = 'the service computes it';

function addRecord(
	changes: Map<string, Change>,
	record: Json,
	endpoint: Endpoint,
	plan: RunPlan,
	{ mayBeWritten }: Objects,
): void {
	if (record.type === 'row') {
		const outcome = rowRecordOf(record);
		const change = changes.get(keyOf(outcome?.ids ?? {}));
		for (const { field, shown } of outcome?.differs ?? []) change?.fields[field]?.written.push(shown);
		return;
	}
	const before = beforeOf(record, endpoint);
	if (before === undefined || !mayBeWritten(before.row)) return;
	const { ids, values, sent, absent, withheld } = before;
	const key = keyOf(ids);
	const change = changes.get(key) ?? { ids, fields: emptyRecord(), remarks: emptyRecord() };
	changes.set(key, change);
	const keep = (name: string, why: string): void => {
		if (!Object.hasOwn(change.fields, name)) change.remarks[name] ??= `${name} not restored: ${why}`;
	};
	for (const name of absent) keep(name, ABSENT);
	for (const name of withheld) keep(name, WITHHELD);
	for (const name of Object.keys(values)) {
		const old = values[name];
		const why = obstacle(endpoint, name, old);
		if (why !== undefined) keep(name, why);
		if (!mayBeSent(endpoint, name, plan) || Object.hasOwn(change.remarks, name)) continue;
		change.fields[name] ??= { old, written: [] };
		change.fields[name].written.push(sent[name]);
	}
}

/** Why an old value can't be restored. */
function obstacle({ body, fields }: Endpoint, name: string, old: unknown): string | undefined {
	if (body === 'custom_fields') return customFieldText(old) === undefined ? NOT_TEXT : undefined;
	const field = fields.find((each) => each.name === name);
	if (field?.computed === true) return COMPUTED;
	const isEmpty = old === '' || old === null || old === 0 || old === '0' || (Array.isArray(old) && old.length === 0);
	return field?.kind === 'term' && isEmpty ? EMPTY_TERM : undefined;
}

/** A foreign journal could name the ID, which services prefer to the path's. */
export function mayBeSent({ body, fields, cleared = [] }: Endpoint, name: string, { undocumented }: RunPlan): boolean {
	if (body === 'custom_fields') return true;
	if (isIdName(name)) return false;
	return undocumented || fields.some((each) => each.name === name) || cleared.includes(name);
}

/** Whether IDs lead to nothing but an object of the endpoint. */
export function areIds(
	ids: Readonly<Json>,
	{ parameters }: Pick<Endpoint, 'parameters'>,
): ids is Record<string, string> {
	const isPath = parameters.every(({ name, kind }) => {
		const text = String(ids[name]);
		return !isProblem(kind === 'id' ? parseId(text) : parseSlug(text));
	});
	const isText = Object.values(ids).every((each) => typeof each === 'string');
	return isPath && isText && (ids.taxonomy === undefined || !isProblem(parseSlug(String(ids.taxonomy))));
}

/** Its IDs become a path. */
function beforeOf(record: Readonly<Json>, endpoint: Endpoint) {
	const { row, ids, values, sent, absent = [], withheld = [] } = record;
	if (!isObject(ids) || !isObject(values) || !isObject(sent)) return undefined;
	if (!Array.isArray(absent) || !Array.isArray(withheld)) return undefined;
	if (!areIds(ids, endpoint)) return undefined;
	return { row: row as number, ids, values, sent, absent, withheld };
}

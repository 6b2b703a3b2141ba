/** Old values of a run as rows that write them back, if the object still has the run's values. */

import { createHash } from 'node:crypto';
import { closeSync } from 'node:fs';
import { hostname } from 'node:os';
import { customFieldText } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { bodyKinds, type Endpoint, endpoints, isEndpointName } from '../../api/endpoints.js';
import { kinds, namesUsers } from '../../api/kinds.js';
import { PAGE_SIZE } from '../../api/reads.js';
import { createPlanner, type Planner } from '../../api/request.js';
import { didYouMean } from '../../api/suggest.js';
import { emptyRecord, isId, quote } from '../../api/values.js';
import { FailedError, UsageError } from '../../errors.js';
import { openRegularFile } from '../../folder.js';
import { goneBy } from '../../http/judge.js';
import { mayBeWritten } from '../../http/outcomes.js';
import { lockHolder } from '../../lock.js';
import { isNothing } from '../held.js';
import { areIds, mayBeSent } from '../journal/header.js';
import type { JournalScan } from '../journal/history.js';
import { lineReader, recordAt, scanJournal } from '../journal/read.js';
import type { BeforeRecord, JournalRecord, RowRecord } from '../journal/records.js';
import { Chosen, LEFT_OUT } from '../part.js';
import {
	commandOf,
	hashKey,
	type Ids,
	objectKey,
	type RunHeader,
	type RunPlan,
	undoObstacle,
	withoutInput,
} from '../plan.js';
import type { RowSource } from '../sources.js';
import { leavesTexts } from './left-behind.js';
import { inBatches, type PlannedRows, type RunRow } from './rows.js';

/** @throws UsageError, or FailedError while the run goes on */
export async function undoPlan(
	{ id, plan }: RunHeader,
	journal: string,
	more: Pick<OldValuesSource, 'overwrite' | 'part' | 'fields'>,
): Promise<RunPlan> {
	const holder = lockHolder(`${journal}.lock`);
	if (holder !== undefined) {
		const { pid, host } = holder;
		const where = host === hostname() ? '' : ` on ${host}`;
		const by = pid === undefined ? 'is still running' : `is still running in process ${pid}${where}`;
		throw new FailedError(`run ${id} ${by}`, {
			code: 'locked',
			hint: 'wait for it to end, or stop it with Ctrl-C',
		});
	}
	const obstacle = undoObstacle(plan);
	if (obstacle !== undefined) {
		const { leaves, counts } = await scanJournal(journal);
		throw new UsageError(`run ${id} (${commandOf(plan)}) can't be undone: ${obstacle}`, {
			code: 'nothing_to_undo',
			hint: leavesTexts(leaves, counts.ok).join('; ') || 'older runs: supportctl run list',
		});
	}
	const { restoredBy = '' } = endpoints[plan.endpoint];
	return {
		...withoutInput(plan),
		endpoint: isEndpointName(restoredBy) ? restoredBy : plan.endpoint,
		source: { from: 'snapshots', journal, run: id, ...more },
		checks: {
			onlyChanged: true,
			verify: true,
			snapshot: true,
			ifUnmodified: false,
			conditions: [],
			allowDiffers: false,
			ignoreMissing: false,
		},
	};
}

type OldValuesSource = Extract<RowSource, { from: 'snapshots' }>;

/** What a run wrote in one object, and what was there before. */
interface Written {
	ids: Ids;
	/** Before the first write. */
	old: Record<string, unknown>;
	/** Every value that the run may have written or was shown. */
	written: Record<string, unknown[]>;
	/** Fields that stay as they are, and why. */
	kept: Record<string, { readonly why: string; readonly old?: unknown }>;
	lost?: number;
}

/** Which of these users are gone; undefined where the service can't be asked. */
type Missing = (ids: readonly string[]) => Promise<readonly string[] | undefined>;

export async function openOldValues(
	plan: RunPlan,
	source: OldValuesSource,
	dialect: Dialect,
	missing: Missing,
): Promise<PlannedRows> {
	const { journal, run, part, fields } = source;
	const places = new Map<number, number[]>();
	const scan = await scanJournal(journal, (record, place, soFar) => {
		if (record.type !== 'before' && record.type !== 'row') return;
		const isNeeded = record.type === 'before' || record.differs !== undefined || isLost(record, soFar);
		if (!isNeeded) return;
		const hash = hashKey(objectKey(record.ids));
		const known = places.get(hash) ?? [];
		known.push(place);
		places.set(hash, known);
	});
	const userFields = fieldsOfUsers(plan);
	const gone = await goneUsers(readWritten(journal, places.values(), scan, plan), userFields, missing);
	const request = createPlanner(endpoints[plan.endpoint], dialect);
	let digest = '';
	function* rows(): Generator<RunRow> {
		const hash = createHash('sha256');
		const chosen = new Chosen(part);
		const names = new Set<string>();
		let row = 0;
		for (const change of readWritten(journal, places.values(), scan, plan)) {
			hash.update(JSON.stringify(change));
			for (const name of Object.keys({ ...change.old, ...change.kept })) names.add(name);
			yield rowOf(withoutGone(change, userFields, gone), ++row, source, chosen.has(change.ids), request);
		}
		chosen.checkSeen(`run ${run}`);
		checkFields(fields, names, run);
		if (row === 0) {
			throw new UsageError(`run ${run} wrote nothing that can be restored`, { code: 'nothing_to_undo' });
		}
		digest = hash.digest('hex');
	}
	return { source, sha256: () => digest, read: () => inBatches(rows()) };
}

function fieldsOfUsers({ endpoint }: RunPlan): string[] {
	return endpoints[endpoint].fields.filter(namesUsers).map(({ name }) => name);
}

async function goneUsers(
	changes: Iterable<Written>,
	userFields: readonly string[],
	missing: Missing,
): Promise<ReadonlySet<string>> {
	const gone = new Set<string>();
	if (userFields.length === 0) return gone;
	const ids = new Set<string>();
	for (const { old } of changes) {
		for (const name of userFields) if (isId(old[name])) ids.add(String(old[name]));
	}
	const all = [...ids];
	for (let at = 0; at < all.length; at += PAGE_SIZE) {
		const found = await missing(all.slice(at, at + PAGE_SIZE));
		for (const id of found ?? []) gone.add(id);
	}
	return gone;
}

/** Services refuse to set a user who was deleted since, and may have saved other fields by then. */
function withoutGone(change: Written, userFields: readonly string[], gone: ReadonlySet<string>): Written {
	const names = userFields.filter((name) => gone.has(String(change.old[name])));
	if (names.length === 0) return change;
	const old = Object.fromEntries(Object.entries(change.old).filter(([name]) => !names.includes(name)));
	const kept = { ...change.kept };
	for (const name of names) {
		const user = change.old[name];
		kept[name] = { why: `user ${user} was deleted, and services can't set a deleted user`, old: user };
	}
	return { ...change, old, kept };
}

/** @throws UsageError for a field that no row has: nothing would be put back */
function checkFields(fields: readonly string[] = [], names: ReadonlySet<string>, run: string): void {
	const unknown = fields.find((name) => !names.has(name));
	if (unknown === undefined) return;
	throw new UsageError(`run ${run} did not change ${quote(unknown)}${didYouMean(unknown, [...names])}`, {
		code: 'not_in_part',
		hint: `it changed ${[...names].join(', ')}`,
	});
}

function rowOf(
	change: Written,
	row: number,
	{ overwrite, fields }: OldValuesSource,
	isChosen: boolean,
	request: Planner,
): RunRow {
	const { ids, lost } = change;
	const old = partOf(change.old, fields);
	// Of what is put back; the other fields stay as they are, whoever wrote them.
	const written = partOf(change.written, Object.keys(old));
	const kept = partOf(change.kept, fields);
	if (!isChosen || (fields !== undefined && Object.keys({ ...old, ...kept }).length === 0)) {
		return { row, request: request({ ids, fields: {} }), skip: LEFT_OUT };
	}
	const remarks = Object.entries(kept).map(([name, { why }]) => `${name} not restored: ${why}`);
	const why = lost === undefined ? remarks : [`the journal has no old values of row ${lost}`];
	const isLeft = lost !== undefined || Object.keys(old).length === 0;
	const message = why.join('; ');
	return {
		row,
		request: request({ ids, fields: old }),
		expected: overwrite ? undefined : written,
		remarks: isLeft ? [message] : undefined,
		kept: isLeft ? undefined : kept,
		skip: isLeft ? { code: 'not_restorable', message } : undefined,
	};
}

function partOf<T>(
	values: Readonly<Record<string, T>>,
	names: readonly string[] | undefined,
): Readonly<Record<string, T>> {
	if (names === undefined) return values;
	const wanted = new Set(names);
	return Object.fromEntries(Object.entries(values).filter(([name]) => wanted.has(name)));
}

function isLost({ row, outcome, status }: RowRecord, { states, corrupt }: JournalScan): boolean {
	const wasGone = goneBy(status) !== undefined;
	if (wasGone || states.hasOldValues(row)) return false;
	if (outcome === 'failed') return corrupt.length > 0 && states.mayBeWritten(row);
	return mayBeWritten({ outcome });
}

/** @param places of records by a hash of their object, in the order of the run; read object by object, for values take room */
function* readWritten(
	journal: string,
	places: Iterable<readonly number[]>,
	scan: JournalScan,
	plan: RunPlan,
): Generator<Written> {
	const fd = openRegularFile(journal);
	try {
		const lineAt = lineReader(fd);
		for (const ofObjects of places) {
			const objects = new WrittenObjects(scan, plan);
			const records = ofObjects.map((place) => recordAt(lineAt, place));
			for (const record of withoutReplaced(records)) objects.add(record);
			yield* objects.byKey.values();
		}
	} finally {
		closeSync(fd);
	}
}

/** Without old values of rows that wrote nothing before they read them anew. */
function withoutReplaced(records: readonly JournalRecord[]): JournalRecord[] {
	const anew = new Set<number>();
	const kept = records.toReversed().filter((record) => {
		if (record.type !== 'before') return true;
		const isReplaced = anew.has(record.row);
		if (record.anew === true) anew.add(record.row);
		return !isReplaced;
	});
	return kept.reverse();
}

class WrittenObjects {
	readonly byKey = new Map<string, Written>();
	readonly #endpoint: Endpoint;

	constructor(
		private readonly scan: JournalScan,
		private readonly plan: RunPlan,
	) {
		this.#endpoint = endpoints[plan.endpoint];
	}

	add(record: JournalRecord): void {
		if (record.type === 'before') this.#addOldValues(record);
		if (record.type !== 'row') return;
		const { ids, row, differs = [] } = record;
		if (isLost(record, this.scan) && areIds(ids, this.#endpoint, this.plan)) this.#writtenIn(ids).lost ??= row;
		// A value that the service showed after a write may be of this run.
		for (const { field, shown } of differs) this.byKey.get(objectKey(ids))?.written[field]?.push(shown);
	}

	#writtenIn(ids: Ids): Written {
		const key = objectKey(ids);
		const change = this.byKey.get(key) ?? { ids, old: emptyRecord(), written: emptyRecord(), kept: emptyRecord() };
		this.byKey.set(key, change);
		return change;
	}

	#addOldValues({ row, ids, values, sent, absent = [], withheld = [], untold = [] }: BeforeRecord): void {
		if (!areIds(ids, this.#endpoint, this.plan) || !this.#mayBeWritten(row)) return;
		const { old, written, kept } = this.#writtenIn(ids);
		const keep = (name: string, why: string, more: { old?: unknown } = {}): void => {
			if (!Object.hasOwn(old, name)) kept[name] ??= { why, ...more };
		};
		for (const name of absent) {
			// It may still have none: services ignore names that they don't know.
			keep(name, "it had no value before, and the API can't remove it", { old: null });
		}
		for (const name of withheld) keep(name, 'its old value was not saved, because it is secret');
		for (const name of untold) keep(name, 'the service did not show its old value');
		for (const [name, value] of Object.entries(values)) {
			const why = obstacle(this.#endpoint, name, value);
			if (why !== undefined) keep(name, why, { old: value });
			if (!mayBeSent(this.#endpoint, name, this.plan) || Object.hasOwn(kept, name)) continue;
			if (!Object.hasOwn(old, name)) old[name] = value;
			written[name] ??= [];
			written[name].push(sent[name]);
		}
	}

	#mayBeWritten(row: number): boolean {
		const { states, wasKilled } = this.scan;
		// It may have been under way in a killed process.
		return states.mayBeWritten(row) || (wasKilled && !states.isDone(row) && !states.isRecorded(row));
	}
}

/** Why an old value can't be restored. */
function obstacle({ body, fields, noun }: Endpoint, name: string, old: unknown): string | undefined {
	if (bodyKinds[body].areTexts) {
		return customFieldText(old) === undefined
			? "its old value was a list or an object, which can't be sent"
			: undefined;
	}
	const field = fields.find((each) => each.name === name);
	if (field?.computed === 'always') return 'the service computes it';
	// An update takes it out of the trash, and only a delete puts it back.
	if (name === 'status' && old === 'trash')
		return `it was in the trash; to move it there again: supportctl ${noun} delete`;
	return field !== undefined && !kinds[field.kind].clears && isNothing(old)
		? "it was empty, and the API can't empty it"
		: undefined;
}

/** IDs become a path, and a journal or a plan may come from elsewhere. */

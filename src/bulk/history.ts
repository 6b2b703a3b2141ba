/** What this tool did to an object, from the journals of a state folder: one pass over the files, and only lines that name it are parsed. */

import { realpathSync } from 'node:fs';
import { endpoints } from '../api/endpoints.js';
import { fileProblem } from '../errors.js';
import { findRecords } from './journal/find.js';
import { journalPath, runIds, runsFolder, type SkippedRun, summariseRun } from './journal/folder.js';
import { RowStates } from './journal/history.js';
import type { BeforeRecord, JournalRecord, LeavesRecord, RowRecord } from './journal/records.js';
import type { RunHeader } from './plan.js';
import {
	JournalNames,
	joinOldValues,
	type LookUp,
	type Recorded,
	type RecordedChange,
	recordedChange,
} from './recorded.js';

export interface ObjectName {
	readonly noun: string;
	readonly id: string;
	readonly taxonomy?: string | undefined;
	/** Only on this service; undefined for all. */
	readonly baseUrl?: string | undefined;
}

export interface HistoryEntry extends RecordedChange {
	readonly header: RunHeader;
}

export interface ObjectHistory {
	/** Newest first. */
	readonly entries: readonly HistoryEntry[];
	/** What deletes of it left behind or moved. */
	readonly leaves: readonly LeavesRecord[];
	readonly folder: string;
	readonly runs: number;
	/** The ID of the oldest run. */
	readonly oldest?: string | undefined;
	/** Runs on other services that have an object of this ID. */
	readonly elsewhere: number;
	readonly skipped: readonly SkippedRun[];
	/** Journals with damaged lines, which may be about the object. */
	readonly damaged: readonly { readonly id: string; readonly lines: number }[];
}

export async function historyOf(stateDir: string, object: ObjectName, lookUp: LookUp): Promise<ObjectHistory> {
	const rows: { header: RunHeader; recorded: Recorded }[] = [];
	const names = new JournalNames();
	const skipped: SkippedRun[] = [];
	const damaged: { id: string; lines: number }[] = [];
	const leaves: LeavesRecord[] = [];
	let elsewhere = 0;
	const ids = [...runIds(stateDir)].reverse();
	for (const id of ids) {
		const link = journalPath(stateDir, id);
		try {
			const found = findRecords(realpathSync(link), [object.id]);
			if (found.damaged > 0) damaged.push({ id, lines: found.damaged });
			const own = rowsIn(found, object, names);
			const isHere = object.baseUrl === undefined || found.header.plan.service.baseUrl === object.baseUrl;
			if (isHere) {
				for (const recorded of own) rows.push({ header: found.header, recorded });
				leaves.push(...leavesIn(found, object));
			}
			if (!isHere && own.length > 0) elsewhere++;
		} catch (error) {
			const { state, problem = fileProblem(error) } = await summariseRun(link, id);
			skipped.push({ id, path: link, state, problem });
		}
	}
	for (const { header, recorded } of rows) names.need(header, recorded);
	const [newest] = rows;
	if (newest !== undefined) await names.ask(newest.header, lookUp);
	const entries = rows
		.map(({ header, recorded }) => ({ header, ...recordedChange(header, recorded, names) }))
		.filter(({ isTried }) => isTried);
	return {
		entries,
		leaves,
		folder: runsFolder(stateDir),
		runs: ids.length,
		oldest: ids.at(-1),
		elsewhere,
		skipped,
		damaged,
	};
}

/** The last row first. */
function rowsIn(
	{ header, records }: ReturnType<typeof findRecords>,
	object: ObjectName,
	names: JournalNames,
): Recorded[] {
	if (!isOfNoun(header, object.noun)) return [];
	const rows = new Map<number, { row: number; before?: BeforeRecord; record?: RowRecord }>();
	const states = new RowStates();
	for (const record of records) {
		names.add(record);
		states.take(record);
		if ((record.type !== 'row' && record.type !== 'before') || !isOf(record.ids, object)) continue;
		const known = rows.get(record.row) ?? { row: record.row };
		if (record.type === 'row') known.record = record;
		else known.before = joinOldValues(known.before, record);
		rows.set(record.row, known);
	}
	return [...rows.values()].reverse().map((each) => ({ ...each, mayBeWritten: states.mayBeWritten(each.row) }));
}

function leavesIn({ header, records }: ReturnType<typeof findRecords>, object: ObjectName): LeavesRecord[] {
	if (!isOfNoun(header, object.noun)) return [];
	return records.flatMap((record) => (record.type === 'leaves' && isOf(record.ids, object) ? [record] : []));
}

function isOfNoun({ plan }: RunHeader, noun: string): boolean {
	return plan.endpoint.startsWith(`${noun}.`) && !endpoints[plan.endpoint].reads;
}

function isOf(ids: Readonly<Record<string, string>>, { noun, id, taxonomy }: ObjectName): boolean {
	return (ids.id ?? ids[`${noun}_id`]) === id && (taxonomy === undefined || ids.taxonomy === taxonomy);
}

/**
 * Looks a name up in the journals, so that this works offline. The newest one counts.
 * @param of `users`, or a taxonomy
 */
export function idIn(stateDir: string, of: string, name: string): string | undefined {
	for (const id of [...runIds(stateDir)].reverse()) {
		for (const record of recordsOf(journalPath(stateDir, id), name)) {
			const found = idNamed(record, of, name);
			if (found !== undefined) return found;
		}
	}
	return undefined;
}

function idNamed(record: JournalRecord, of: string, name: string): string | undefined {
	switch (record.type) {
		case 'name':
			return isOneOf(record.of, of) && record.name === name && 'id' in record ? record.id : undefined;
		case 'called':
			return record.of === of && record.name === name ? record.id : undefined;
		case 'row':
		case 'before': {
			const { ids, label } = record;
			const isNamed = of === 'users' ? ids.username === name : ids.taxonomy === of && label === name;
			return isNamed ? ids.id : undefined;
		}
		default:
			return undefined;
	}
}

/** Lookups of terms are kept as `product terms`. */
function isOneOf(kept: string, of: string): boolean {
	return kept === of || kept === `${of} terms`;
}

function recordsOf(path: string, text: string): ReturnType<typeof findRecords>['records'] {
	try {
		return findRecords(path, [text]).records;
	} catch {
		return [];
	}
}

/** The records of rows' outcomes, one after the other: all that a journal says of rows beside their states. */

import type { OutcomeName } from '../http/outcome.js';
import { type Json, journalLines, parseRecord } from './journal-lines.js';
import { isCount, isRowRecord, isText, rowRecordOf } from './read-records.js';
import { isIdName, type RowRecord, type TickRecord } from './records.js';
import { RowNumbers } from './row-numbers.js';
import type { JournalScan } from './scan.js';

/** Records with a row's outcome, many at a time, as JSON. */
async function* rowJson(path: string): AsyncGenerator<Json[]> {
	for await (const { texts } of journalLines(path)) {
		const records: Json[] = [];
		for (const text of texts) {
			const json = parseRecord(text);
			if (typeof json !== 'string' && isRowRecord(json)) records.push(json);
		}
		yield records;
	}
}

/** Each row's last record, in the order of the file. Rows of a resumed run may have several; two passes find the last. */
export async function* finalRecords(path: string): AsyncGenerator<RowRecord[]> {
	const left = new RowNumbers(Uint16Array);
	const step = (row: number, by: number): number => {
		const value = left.get(row) + by;
		left.set(row, value);
		return value;
	};
	for await (const records of rowJson(path)) for (const { row } of records) step(row as number, 1);
	for await (const records of rowJson(path)) {
		const last = records.filter(({ row }) => step(row as number, -1) === 0);
		yield last.map((record) => rowRecordOf(record) as RowRecord);
	}
}

/** What happened over time, as far as the journal says. */
export async function tickRecords(path: string): Promise<TickRecord[]> {
	const ticks: TickRecord[] = [];
	for await (const { texts } of journalLines(path)) {
		for (const text of texts) {
			if (text?.startsWith('{"type":"tick"') !== true) continue;
			const tick = parseRecord(text);
			if (typeof tick !== 'string' && TICK_KEYS.every((key) => isCount(tick[key]))) {
				ticks.push(tick as unknown as TickRecord);
			}
		}
	}
	return ticks;
}

const TICK_KEYS = ['at', 'ms', 'rows', 'retries', 'refused'] as const satisfies (keyof TickRecord)[];

/** The names of the path ids in a run's records, in their order; of invalid rows not all may be known. */
export async function recordedIdNames(path: string): Promise<string[]> {
	let most: string[] = [];
	for await (const records of rowJson(path)) {
		for (const record of records) {
			const names = Object.keys(record).filter((name) => isIdName(name) && isText(record[name]));
			if (record.outcome !== 'invalid') return names;
			if (names.length > most.length) most = names;
		}
	}
	return most;
}

/** The first records whose outcome is still the row's last one, at most `limit`; one pass that ends early. */
export async function firstRecords(
	path: string,
	{ states }: Pick<JournalScan, 'states'>,
	isWanted: (outcome: OutcomeName) => boolean,
	limit: number,
): Promise<RowRecord[]> {
	const found = new Map<number, RowRecord>();
	for await (const records of rowJson(path)) {
		for (const json of records) {
			const outcome = states.outcomeOf(json.row as number);
			if (outcome === undefined || json.outcome !== outcome || !isWanted(outcome)) continue;
			const record = rowRecordOf(json) as RowRecord;
			found.set(record.row, record);
			if (found.size === limit) return [...found.values()];
		}
	}
	return [...found.values()];
}

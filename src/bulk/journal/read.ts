/** Reads a journal in constant memory: rows and their last records. */

import { closeSync, fstatSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openRegularFile } from '../../folder.js';
import type { OutcomeName } from '../../http/outcome.js';
import { ByRow } from './by-row.js';
import { JournalScan } from './history.js';
import { type JournalRecord, notAJournal, type RowRecord, readHeader, recordIn, unreadableJournal } from './records.js';

/** Larger chunks cost more memory. */
const CHUNK_BYTES = 64 * 1024;
const LF = 10;

/** Reads lines by their place in bytes; neighbours come from one read. Undefined behind the last whole line. */
export function lineReader(fd: number): (place: number) => { text: string; end: number } | undefined {
	let window = Buffer.alloc(CHUNK_BYTES);
	let start = -1;
	let length = 0;
	return (place) => {
		for (;;) {
			const from = place - start;
			const at = from < 0 || from >= length ? -1 : window.indexOf(LF, from);
			if (at >= 0 && at < length) return { text: window.toString('utf8', from, at), end: start + at + 1 };
			if (from === 0 && length < window.length) return undefined;
			if (from === 0) window = Buffer.alloc(2 * window.length);
			start = place;
			length = readSync(fd, window, 0, window.length, start);
		}
	};
}

/** Between them, signals and timers can run. */
const LINES_AT_ONCE = 10_000;

/** @param watch gets good records and their offsets @throws FailedError */
export async function scanJournal(
	path: string,
	watch?: (record: JournalRecord, place: number, scan: JournalScan) => void,
): Promise<JournalScan> {
	let fd: number | undefined;
	try {
		fd = openRegularFile(path);
		const lineAt = lineReader(fd);
		const first = lineAt(0);
		if (first === undefined) throw notAJournal(path, 'its first line is incomplete, so nothing was sent');
		const scan = new JournalScan(readHeader(first.text, path));
		scan.validBytes = first.end;
		for (let line = 2; ; line++) {
			const place = scan.validBytes;
			const found = lineAt(place);
			if (found === undefined) break;
			scan.validBytes = found.end;
			const record = recordIn(found.text);
			const reason = typeof record === 'string' ? record : scan.take(record);
			if (reason !== undefined) scan.damage(line, reason);
			else if (typeof record !== 'string') watch?.(record, place, scan);
			if (line % LINES_AT_ONCE === 0) await nextTurn();
		}
		scan.finish();
		scan.tornBytes = Math.max(0, fstatSync(fd).size - scan.validBytes);
		return scan;
	} catch (error) {
		throw unreadableJournal(path, error);
	} finally {
		if (fd !== undefined) closeSync(fd);
	}
}

export interface Tick {
	readonly ms: number;
	readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>;
	/** Milliseconds of work from the start of the run, without pauses before resumes. */
	readonly end: number;
}

export type RecordFile = Awaited<ReturnType<typeof openRecords>>;

/** The record at a place that a scan found to be good. */
export function recordAt(lineAt: ReturnType<typeof lineReader>, place: number): JournalRecord {
	const record = recordIn(lineAt(place)?.text ?? '');
	return typeof record === 'string' ? { type: 'other' } : record;
}

/** Records in any order: eight bytes a row. @throws FailedError */
export async function openRecords(path: string) {
	const places = new ByRow(Float64Array);
	const ticks: Tick[] = [];
	let outcomes: Record<string, number> = {};
	const scan = await scanJournal(path, (record, place) => {
		if (record.type === 'tick') {
			const end = (ticks.at(-1)?.end ?? 0) + record.ms;
			ticks.push({ ms: record.ms, outcomes, end });
			outcomes = {};
		} else if (record.type === 'row') {
			outcomes[record.outcome] = (outcomes[record.outcome] ?? 0) + 1;
			places.set(record.row, place);
		}
	});
	const fd = openRegularFile(path);
	const lineAt = lineReader(fd);
	const recordOf = (row: number): RowRecord | undefined => {
		const place = places.get(row);
		const record = place === 0 ? undefined : recordAt(lineAt, place);
		return record?.type === 'row' ? record : undefined;
	};
	function* records(isWanted?: (outcome: OutcomeName, state: number) => boolean): Generator<RowRecord> {
		for (const [row] of places.entries()) {
			const outcome = scan.states.outcomeOf(row);
			const record =
				outcome === undefined || isWanted?.(outcome, scan.states.get(row)) === false ? undefined : recordOf(row);
			if (record !== undefined) yield record;
		}
	}
	return { scan, ticks, recordOf, records, close: () => closeSync(fd) };
}

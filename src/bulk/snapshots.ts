/** What a run overwrote, read from its journal: the values that were there before it, one row a ticket and field. */

import { customFieldText } from '../api/custom-fields.js';
import { journalLines, parseRecord } from './journal-lines.js';
import { rowRecordOf } from './read-records.js';
import type { RowRecord } from './records.js';
import { RowNumbers } from './row-numbers.js';
import { scanJournal } from './scan.js';

/** Old values of one ticket, of the types that they had. */
export interface OldValues {
	ticket: string;
	fields: [name: string, value: unknown][];
}

/** Why a field's old value can't be put back. */
export type Unrestorable = 'secret' | 'absent' | 'not-text';

/** How many tickets have a field that can't be put back, by the reason. */
export type Unrestored = Map<Unrestorable, Map<string, number>>;

interface Snapshot {
	row: number;
	ticket: string;
	values: Record<string, unknown>;
	withheld: string[];
	absent: string[];
}

function isNames(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** A snapshot's record; undefined for any other line, whatever it is. */
function readSnapshot(text: string | undefined): Snapshot | undefined {
	if (text === undefined || !text.startsWith('{"type":"before"')) return undefined;
	try {
		const record = JSON.parse(text) as Record<string, unknown>;
		const { row, ids, values, withheld = [], absent = [] } = record;
		const ticket = (ids as Record<string, unknown> | undefined)?.ticket_id;
		if (typeof ticket !== 'string' || typeof values !== 'object' || values === null) return undefined;
		if (typeof row !== 'number' || !isNames(withheld) || !isNames(absent)) return undefined;
		return { row, ticket, values: values as Record<string, unknown>, withheld, absent };
	} catch {
		return undefined;
	}
}

/** Whether the request of a row that came to this may have been carried out: a fault of the service's own leaves that open. */
function mayBeWritten({ outcome, status }: RowRecord): boolean {
	if (outcome === 'failed') return status !== undefined && status >= 500;
	return outcome === 'ok' || outcome === 'differs' || outcome === 'unknown';
}

/** Whether a row that has a snapshot may have been written after it, at any time of the run and its resumes. */
async function writtenRows(path: string): Promise<(row: number) => boolean> {
	const { states } = await scanJournal(path);
	const written = new RowNumbers(Uint8Array);
	/** Rows whose old values are kept, and of which nothing more is known yet. */
	const open = new Set<number>();
	/** Whoever worked on them is gone, and may have written them before: what a resume finds says nothing of that. */
	const abandon = (): void => {
		for (const row of open) written.set(row, 1);
		open.clear();
	};
	for await (const { texts } of journalLines(path)) {
		for (const text of texts) {
			const json = parseRecord(text);
			if (typeof json === 'string') continue;
			if (json.type === 'before') open.add(json.row as number);
			if (json.type === 'resume') abandon();
			const record = rowRecordOf(json);
			if (record === undefined) continue;
			open.delete(record.row);
			if (mayBeWritten(record)) written.set(record.row, 1);
		}
	}
	abandon();
	return (row) => states.maybeSent(row) || written.get(row) === 1;
}

/**
 * The oldest snapshot of each ticket's fields, in the journal's order: what was there before the run, however often the
 * run wrote it or was resumed. Rows that were surely not written have nothing to put back. Memory grows with the number
 * of tickets and fields.
 * @param unrestored Gathers what can't be put back.
 */
export async function* oldValues(path: string, unrestored: Unrestored): AsyncGenerator<OldValues> {
	const seen = new Set<string>();
	const isNew = (ticket: string, name: string): boolean => {
		const key = `${ticket} ${name}`;
		return seen.has(key) ? false : seen.add(key) !== undefined;
	};
	const note = (reason: Unrestorable, name: string): void => {
		const names = unrestored.get(reason) ?? new Map<string, number>();
		unrestored.set(reason, names.set(name, (names.get(name) ?? 0) + 1));
	};
	const wasWritten = await writtenRows(path);
	for await (const { texts } of journalLines(path)) {
		for (const text of texts) {
			const snapshot = readSnapshot(text);
			if (snapshot === undefined || !wasWritten(snapshot.row)) continue;
			const { ticket, values, withheld, absent } = snapshot;
			for (const name of withheld) if (isNew(ticket, name)) note('secret', name);
			for (const name of absent) if (isNew(ticket, name)) note('absent', name);
			const fields: [string, unknown][] = [];
			for (const [name, value] of Object.entries(values)) {
				if (!isNew(ticket, name)) continue;
				if (customFieldText(value) === undefined) note('not-text', name);
				else fields.push([name, value]);
			}
			if (fields.length > 0) yield { ticket, fields };
		}
	}
}

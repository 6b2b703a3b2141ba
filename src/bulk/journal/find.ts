/** Finds what a journal says about an object, without parsing its other lines. */

import { closeSync, fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { openRegularFile } from '../../folder.js';
import type { RunHeader } from '../plan.js';
import { type JournalRecord, readHeader, recordIn, SEAL_LENGTH } from './records.js';

export interface Findings {
	readonly header: RunHeader;
	/** Those that name one of the IDs, attempts of any row, and what names stand for, in the order of the run. */
	readonly records: readonly JournalRecord[];
	/** Lines with a wrong checksum: nobody knows which objects they were about. */
	readonly damaged: number;
}

const CHUNK_BYTES = 1024 * 1024;
const LF = 10;

/** @param ids values of path IDs, or names @throws FailedError unless it is a journal */
export function findRecords(path: string, ids: readonly string[]): Findings {
	const always = ['{"type":"name"', '{"type":"called"', '{"type":"attempt"'];
	const needles = [...ids.map((id) => `:${JSON.stringify(id)}`), ...always].map((text) => Buffer.from(text));
	const records: JournalRecord[] = [];
	let header: RunHeader | undefined;
	let damaged = 0;
	for (const lines of wholeLines(path)) {
		let start = 0;
		if (header === undefined) {
			start = lines.indexOf(LF) + 1;
			header = readHeader(lines.toString('utf8', 0, start - 1), path);
		}
		damaged += countDamaged(lines, start);
		for (const line of linesWith(lines, start, needles)) {
			const record = recordIn(line);
			if (typeof record !== 'string') records.push(record);
		}
	}
	return { header: header ?? readHeader('', path), records, damaged };
}

/** A torn last line was never acted on. */
function* wholeLines(path: string): Generator<Buffer> {
	const fd = openRegularFile(path);
	try {
		let rest = Buffer.alloc(0);
		for (let left = fstatSync(fd).size; left > 0; ) {
			const chunk = Buffer.allocUnsafe(rest.length + Math.min(left, CHUNK_BYTES));
			rest.copy(chunk);
			const length = readSync(fd, chunk, rest.length, chunk.length - rest.length, null);
			if (length === 0) return;
			left -= length;
			const all = chunk.subarray(0, rest.length + length);
			const end = all.lastIndexOf(LF) + 1;
			if (end > 0) yield all.subarray(0, end);
			rest = all.subarray(end);
		}
	} finally {
		closeSync(fd);
	}
}

function countDamaged(lines: Buffer, from: number): number {
	let damaged = 0;
	for (let start = from; start < lines.length; ) {
		const end = lines.indexOf(LF, start);
		const seal = end - SEAL_LENGTH;
		const own = lines.toString('latin1', seal + ',"crc":"'.length, end - '"}'.length);
		if (seal < start || Number.parseInt(own, 16) !== crc32(lines.subarray(start, seal))) damaged++;
		start = end + 1;
	}
	return damaged;
}

function* linesWith(lines: Buffer, from: number, needles: readonly Buffer[]): Generator<string> {
	const ends = new Set<number>();
	for (const needle of needles) {
		for (let at = lines.indexOf(needle, from); at >= 0; ) {
			ends.add(lines.indexOf(LF, at));
			at = lines.indexOf(needle, lines.indexOf(LF, at));
		}
	}
	for (const end of [...ends].sort((left, right) => left - right)) {
		yield lines.toString('utf8', lines.lastIndexOf(LF, end - 1) + 1, end);
	}
}

/** Whether a record is about the object, or about something of its ticket. */
export function isAbout(record: JournalRecord, id: string): boolean {
	if (record.type !== 'row' && record.type !== 'before') return false;
	return Object.entries(record.ids).some(([name, value]) => name !== 'taxonomy' && value === id);
}

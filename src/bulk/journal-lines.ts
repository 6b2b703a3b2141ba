/** The lines of a journal, read in constant memory, and the JSON in them. */

import { open } from 'node:fs/promises';
import { isObject } from '../api/values.js';

const CHUNK_BYTES = 64 * 1024;
/** Beyond any record that we write; a longer line is damage. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LF = 10;

/** Whole lines, many at a time; an over-long one as undefined. */
export interface Lines {
	/** 1-based number of the first. */
	first: number;
	texts: (string | undefined)[];
	/** Where the last of them ends in the file. */
	end: number;
	/** The bytes of them all. */
	bytes: Buffer;
}

/** Reads whole lines; whatever stands behind the last line's end is left out. */
export async function* journalLines(path: string, maxLineBytes = MAX_LINE_BYTES): AsyncGenerator<Lines> {
	const handle = await open(path, 'r');
	try {
		const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
		let carry: Buffer[] = [];
		let carried = 0;
		let tooLong = false;
		let first = 1;
		let position = 0;
		for (;;) {
			const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
			if (bytesRead === 0) return;
			const chunk = buffer.subarray(0, bytesRead);
			const cut = chunk.lastIndexOf(LF) + 1;
			if (cut > 0) {
				const bytes = Buffer.concat([...carry, chunk.subarray(0, cut)]);
				const texts: (string | undefined)[] = bytes.toString('utf8').split('\n');
				texts.pop();
				if (tooLong) texts[0] = undefined;
				yield { first, texts, end: position + cut, bytes };
				first += texts.length;
				carry = [];
				carried = 0;
				tooLong = false;
			}
			if (carried + bytesRead - cut > maxLineBytes) {
				carry = [];
				carried = 0;
				tooLong = true;
			}
			if (!tooLong && cut < bytesRead) {
				carry.push(Buffer.from(chunk.subarray(cut)));
				carried += bytesRead - cut;
			}
			position += bytesRead;
		}
	} finally {
		await handle.close();
	}
}

export type Json = Record<string, unknown>;

export function parseRecord(text: string | undefined): Json | string {
	if (text === undefined) return 'the line is too long';
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : 'no JSON object';
	} catch {
		return 'no JSON';
	}
}

/** Bulk input as checked text, in constant memory; and what is said of input that can't be read. */

import { UsageError } from '../../errors.js';
import { type Encoding, markedEncoding } from '../../text.js';

/** A longer record is a file that isn't what it says: reading on would fill the memory. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

export const LINE_END = /\r\n|\n|\r/g;

export function countLineEnds(text: string): number {
	let count = 0;
	// Without an array of matches for each row.
	while (LINE_END.test(text)) count++;
	return count;
}

/** From that line on nothing can be read, so nothing is sent. */
export function inputError(name: string, line: number, message: string, hint?: string): UsageError {
	return new UsageError(`${name} line ${line}: ${message}`, {
		code: 'invalid_input',
		hint,
		data: { file: name, line },
	});
}

export function recordTooLong(name: string, line: number): UsageError {
	const hint = 'check for an unclosed quote, or a file without line breaks';
	return inputError(name, line, `this record is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MiB`, hint);
}

/** Asks for the encoding where zeros suggest one, or for text that can be read. */
const HINTS = {
	zeros: 'if it is UTF-16 without a byte order mark: --encoding utf-16le (or utf-16be)',
	bytes: 'save it as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")',
};

/**
 * In whole characters and line ends, without a byte order mark, which takes precedence over `given`.
 * @throws UsageError with the line
 */
export async function* checkedText(
	chunks: AsyncIterable<Buffer>,
	name: string,
	given: Encoding = 'utf-8',
): AsyncGenerator<string> {
	let encoding = given;
	let decoder = new TextDecoder(encoding, { fatal: true });
	let line = 1;
	let held = '';
	let last: Buffer | undefined;

	/** With the line of `bad`: a chunk may begin inside a character. */
	function refuse(chunk: Buffer | undefined, bad: string, what: string, hint: string): UsageError {
		const lenient = new TextDecoder(encoding);
		lenient.decode(last, { stream: true });
		const text = held + lenient.decode(chunk);
		const before = text.slice(0, Math.max(0, text.indexOf(bad)));
		return inputError(name, line + countLineEnds(before), what, hint);
	}

	const refuseZeros = (chunk: Buffer | undefined): UsageError =>
		refuse(chunk, '\0', 'contains a NUL byte: the file is UTF-16 or not text', HINTS.zeros);

	/** Without a chunk, what is left of an unfinished character. */
	function decode(chunk?: Buffer): string {
		// Before the rest of UTF-16 is called damaged UTF-8.
		if (encoding === 'utf-8' && chunk?.includes(0) === true) throw refuseZeros(chunk);
		try {
			return decoder.decode(chunk, { stream: chunk !== undefined });
		} catch {
			throw refuse(chunk, '\uFFFD', `not valid ${encoding.toUpperCase()}`, HINTS.bytes);
		}
	}

	for await (const chunk of chunks) {
		const marked = last === undefined ? markedEncoding(chunk) : undefined;
		if (marked !== undefined && marked !== encoding) {
			encoding = marked;
			decoder = new TextDecoder(encoding, { fatal: true });
		}
		const text = held + decode(chunk);
		if (encoding !== 'utf-8' && text.includes('\0')) throw refuseZeros(chunk);
		last = chunk;
		held = text.endsWith('\r') ? '\r' : '';
		const whole = text.slice(0, text.length - held.length);
		line += countLineEnds(whole);
		if (whole !== '') yield whole;
	}
	held += decode();
	if (held !== '') yield held;
}

export async function headOf(text: AsyncIterable<string>): Promise<string> {
	for await (const piece of text) return piece;
	return '';
}

/** Bulk input as checked text, in constant memory; and what is said of input that can't be read. */

import { UsageError } from '../../errors.js';

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

/** In whole characters and line ends, without a byte order mark. @throws UsageError with the line */
export async function* checkedText(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
	const decoder = new TextDecoder('utf-8', { fatal: true });
	let line = 1;

	function refuse(chunk: Buffer | undefined, bad: string, what: string): UsageError {
		const text = new TextDecoder().decode(chunk);
		const before = text.slice(0, Math.max(0, text.indexOf(bad)));
		const hint = 'save it as UTF-8 (in Excel: "CSV UTF-8 (Comma delimited)")';
		return inputError(name, line + countLineEnds(before), what, hint);
	}

	/** Without a chunk, what is left of an unfinished character. */
	function decode(chunk?: Buffer): string {
		if (chunk?.includes(0) === true) {
			throw refuse(chunk, '\0', 'contains a NUL byte: the file is UTF-16 or not text');
		}
		try {
			return decoder.decode(chunk, { stream: chunk !== undefined });
		} catch {
			throw refuse(chunk, '\uFFFD', 'not valid UTF-8');
		}
	}

	let held = '';
	for await (const chunk of chunks) {
		const text = held + decode(chunk);
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

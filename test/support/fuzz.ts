/** Property tests that print their seed before they run, so that any failure can be repeated. */

import fc from 'fast-check';
import { expect } from 'vitest';
import { textOf } from './any-text.js';
import type { CliResult } from './cli.js';

/** `FAULTS_SEED=n` repeats a run. */
export const seed = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 0x7fff_ffff));

/** Holds a property over so many cases, and prints the seed. */
export async function holds<T extends [unknown, ...unknown[]]>(
	name: string,
	runs: number,
	...args: [...arbitraries: { [Key in keyof T]: fc.Arbitrary<T[Key]> }, check: (...values: T) => Promise<void>]
): Promise<void> {
	console.info(`${name}: ${runs} cases, FAULTS_SEED=${seed}`);
	const property = (fc.asyncProperty as unknown as (...all: unknown[]) => fc.IAsyncProperty<T>)(...args);
	await fc.assert(property, { seed, numRuns: runs, interruptAfterTimeLimit: 60_000 });
}

/** The names of errors that the program throws on purpose have a code of ours; a bug shows as one of these. */
const BUG =
	/\b(?:TypeError|RangeError|ReferenceError|SyntaxError|AssertionError|ERR_[A-Z]|is not a function|is not iterable|Cannot (?:read|set|convert)|undefined|\[object Object\]|Maximum call stack|Invalid (?:array|string|Date) |Unexpected token|in JSON at)/;

/** Any command ends with a known exit code and a message, whatever its input. */
export function expectSane(result: CliResult, what: unknown): void {
	const { exitCode, stdout, stderr } = result;
	const shown = JSON.stringify({ stderr, what }).slice(0, 4000);
	expect([0, 1, 2, 3, 4, 5, 6, 10, 130], shown).toContain(exitCode);
	expect(/\n\s+at .+:\d+:\d+/.test(stderr), shown).toBe(false);
	expect(BUG.exec(stderr)?.[0], shown).toBeUndefined();
	// A failure says why, on one of the two streams: `doctor -q` prints its findings on stdout.
	if (exitCode !== 0) expect(`${stdout}${stderr}`, shown).not.toBe('');
}

/** Characters that have broken programs. */
export const nasty: fc.Arbitrary<string> = fc.constantFrom(
	...`" ' , ; \\ =cmd() +1 @x - -- .. / %2e __proto__ constructor { } [ null NaN 1e999 😀 é $(x) \``.split(' '),
	...['\t', '\n', '\r\n', '\r', ' ', '\u001b[31m', '\u202e', '\u0007', '\uFEFF', '\ud800'],
);

/** Texts of any characters. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
	fc.string({ maxLength: 12 }),
	textOf(8),
	fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join('')),
);

/** A text with some bytes changed, cut out, doubled or put in. */
export function mutated(texts: fc.Arbitrary<string | Uint8Array>): fc.Arbitrary<Buffer> {
	const change = fc.record({
		at: fc.nat(),
		kind: fc.constantFrom('flip', 'cut', 'double', 'insert', 'truncate'),
		byte: fc.nat(255),
		length: fc.integer({ min: 1, max: 20 }),
		text: anyText,
	});
	return fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) => {
		let bytes = Buffer.from(text as Uint8Array);
		for (const { at, kind, byte, length, text: piece } of changes) {
			const place = bytes.length === 0 ? 0 : at % bytes.length;
			const [before, rest] = [bytes.subarray(0, place), bytes.subarray(place)];
			if (kind === 'flip') bytes = Buffer.concat([before, Buffer.from([byte]), rest.subarray(1)]);
			else if (kind === 'cut') bytes = Buffer.concat([before, rest.subarray(length)]);
			else if (kind === 'double') bytes = Buffer.concat([before, rest.subarray(0, length), rest]);
			else if (kind === 'insert') bytes = Buffer.concat([before, Buffer.from(piece), rest]);
			else bytes = Buffer.from(before);
		}
		return bytes;
	});
}

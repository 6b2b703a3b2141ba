import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkedText } from '../../../src/bulk/input/checked-text.js';
import { readCsv } from '../../../src/bulk/input/csv.js';
import type { RawRow } from '../../../src/bulk/input/input.js';
import { SupportctlError } from '../../../src/errors.js';
import { formatCsvRecord } from '../../../src/text.js';
import { rowsOf } from '../../support/input.js';

const cellsOf = (rows: readonly RawRow[]) => rows.map((row) => row.cells);
const linesOf = (rows: readonly RawRow[]) => rows.map((row) => row.line);

/** Reads bytes that arrive in pieces of the given sizes, over and over. */
async function readPieces(bytes: Buffer, sizes: number[], delimiter = ',') {
	async function* chunks(): AsyncGenerator<Buffer> {
		for (let at = 0, turn = 0; at < bytes.length; turn++) {
			const size = sizes[turn % sizes.length] as number;
			yield bytes.subarray(at, at + size);
			at += size;
		}
	}
	const rows: RawRow[] = [];
	for await (const batch of readCsv(checkedText(chunks(), 'edits.csv'), 'edits.csv', delimiter)) rows.push(...batch);
	return { columns: rows[0]?.cells, rows: rows.slice(1) };
}

describe('CSV input', () => {
	it('gives cells in the order of the header, with row and line', async () => {
		expect(await rowsOf('edits.csv', 'id,status\n14,hold\n15,read\n')).toEqual({
			columns: ['id', 'status'],
			rows: [
				{ row: 1, line: 2, cells: ['14', 'hold'] },
				{ row: 2, line: 3, cells: ['15', 'read'] },
			],
		});
	});

	it.each([
		['a byte order mark', '\uFEFFid,title\r\n1,a\r\n'],
		['CRLF', 'id,title\r\n1,a\r\n'],
		['old Mac line ends', 'id,title\r1,a\r'],
		['no line end at the end', 'id,title\n1,a'],
		['semicolons', 'id;title\n1;a\n'],
		['tabs under a .csv name', 'id\ttitle\n1\ta\n'],
		['a line of blanks above a header with semicolons', ' \t \r\n\nid;title\n1;a\n'],
		['a line that names the separator', 'sep=;\r\nid;title\r\n1;a\r\n'],
		['blanks around header names', ' id , title \n1,a\n'],
		['blank lines before, between and behind', '\n\r\nid,title\n\n1,a\n\n\n'],
		['rows of empty cells behind', 'id,title\n1,a\n,\n,,,\n  ,\n'],
		['empty cells to the right', 'id,title,,\n1,a,,\n'],
		['quoted cells', '"id","title"\n"1","a"\n'],
	])("reads Excel's habits: %s", async (_, text) => {
		const { columns, rows } = await rowsOf('edits.csv', text);
		expect(columns).toEqual(['id', 'title']);
		expect(cellsOf(rows)).toEqual([['1', 'a']]);
	});

	it('keeps line numbers through quoted newlines of every kind and blank lines', async () => {
		const text = 'id,content\r\n1,"a\r\nb\nc\rd"\r\n\r\n2,x\r\n3,"y\r\n\r\nz"\r\n4,w\r\n';
		const { rows } = await rowsOf('edits.csv', text);
		expect(linesOf(rows)).toEqual([2, 7, 8, 11]);
		expect(cellsOf(rows)[0]).toEqual(['1', 'a\r\nb\nc\rd']);
	});

	it('does not take a separator inside a quoted header name for the separator', async () => {
		expect((await rowsOf('edits.csv', '"a;b;c",id\nx,1\n')).columns).toEqual(['a;b;c', 'id']);
	});

	it('keeps ragged rows as they are, for the columns to complain about', async () => {
		const { rows } = await rowsOf('edits.csv', 'id,title\n1\n2,b,c\n');
		expect(cellsOf(rows)).toEqual([['1'], ['2', 'b', 'c']]);
	});

	it.each([
		['a quote never closed', 'id,t\n1,a\n2,"b\n3,c\n4,d\n', 'edits.csv line 3: unclosed quote in this record'],
		[
			'a quote never closed in the second cell of a long record',
			'id,a,b\n1,"x\ny","z\n\n\n',
			'edits.csv line 2: unclosed quote in this record',
		],
		[
			'a quote behind blanks',
			'id,t,u\n1, "a, b",c\n',
			'edits.csv line 2: stray quote in this record; write the cell as "…""…"',
		],
		[
			'text behind a closing quote',
			'id,t\n1,"hold\n2,"read"\n',
			'edits.csv line 2: stray quote in this record; write the cell as "…""…"',
		],
		['a NUL byte', 'id,t\n1,a\n2,\u0000\n', 'edits.csv line 3: contains a NUL byte: the file is UTF-16 or not text'],
	])('says where the trouble is: %s', async (_, text, message) => {
		await expect(rowsOf('edits.csv', text)).rejects.toMatchObject({ exitCode: 2, message });
	});

	it.each([',', ';', '\t'])('reads a quote inside a cell as text, between "%s"', async (delimiter) => {
		const cells = [`37°36'37.8"N`, '5" pipe', '"quoted ""x"" cell"', 'end"'];
		const { rows } = await rowsOf(
			'edits.csv',
			`a${delimiter}b${delimiter}c${delimiter}d\n${cells.join(delimiter)}\r\n`,
		);
		expect(cellsOf(rows)).toEqual([[`37°36'37.8"N`, '5" pipe', 'quoted "x" cell', 'end"']]);
	});

	it('names the line of bytes that are not UTF-8', async () => {
		const bytes = Buffer.from('id,title\n1,caf\u00e9\n2,b\n', 'latin1');
		await expect(rowsOf('edits.csv', bytes)).rejects.toThrow('edits.csv line 2: not valid UTF-8');
		await expect(rowsOf('edits.csv', Buffer.from('id\n1\n\xe9', 'latin1'))).rejects.toThrow('edits.csv line 3');
	});

	it('names the line of a damaged byte in a later chunk, which may begin inside a character', async () => {
		const good = Buffer.from(`id,t\n${'1,\u00e9\u00e9\u00e9\u00e9\n'.repeat(2000)}`);
		const bytes = Buffer.concat([good, Buffer.from('2,caf\xe9\n', 'latin1')]);
		await expect(rowsOf('edits.csv', bytes)).rejects.toThrow('edits.csv line 2002: not valid UTF-8');
	});

	it.each(['utf-16le', 'utf-16be'] as const)('reads %s by its mark, else by --encoding', async (encoding) => {
		const bytesOf = (text: string): Buffer => {
			const bytes = Buffer.from(text, 'utf16le');
			return encoding === 'utf-16le' ? bytes : bytes.swap16();
		};
		const text = 'id\ttitle\r\n1\tcaf\u00e9 \u4f60\u{1f600}\r\n';
		const rows = [{ row: 1, line: 2, cells: ['1', 'caf\u00e9 \u4f60\u{1f600}'] }];
		for (const name of ['edits.csv', 'edits.txt']) {
			expect(await rowsOf(name, bytesOf(`\uFEFF${text}`))).toEqual({ columns: ['id', 'title'], rows });
			expect(await rowsOf(name, bytesOf(`\uFEFF${text}`), { encoding: 'utf-8' })).toMatchObject({ rows });
			expect(await rowsOf(name, bytesOf(text), { encoding })).toMatchObject({ rows });
			await expect(rowsOf(name, bytesOf(text))).rejects.toMatchObject({
				message: `${name} line 1: contains a NUL byte: the file is UTF-16 or not text`,
				hint: 'if it is UTF-16 without a byte order mark: --encoding utf-16le (or utf-16be)',
			});
		}
		const packed = gzipSync(bytesOf(`\uFEFFid\ttitle\n${'1\t\u00e9\n'.repeat(9000)}`));
		expect((await rowsOf('edits.csv.gz', packed)).rows).toHaveLength(9000);
		const damaged = bytesOf('\uFEFFid\ttitle\n1\ta\n2\t\ud83d\n');
		const message = `edits.csv line 3: not valid ${encoding.toUpperCase()}`;
		await expect(rowsOf('edits.csv', damaged)).rejects.toThrow(message);
	});

	it('says that an empty file has no header', async () => {
		await expect(rowsOf('edits.csv', '\n\n')).rejects.toThrow('edits.csv is empty: a header');
	});

	it('stops at a record larger than the cap, whether quoted or not', async () => {
		const tooLong = 'edits.csv line 3: this record is longer than 8 MiB';
		const lines = `${'x'.repeat(63)}\n`.repeat(9 << 14);
		for (const cell of ['x'.repeat(9 << 20), `"${lines}`, `"${lines}"`]) {
			await expect(rowsOf('edits.csv', `id,t\n1,a\n2,${cell}\n3,b\n`)).rejects.toThrow(tooLong);
		}
	});

	it('takes time in proportion to a quoted cell, however large', async () => {
		const cell = 'a line, with a comma\n'.repeat(300_000);
		const started = process.cpuUsage();
		const { rows } = await rowsOf('edits.csv', `id,t\n1,"${cell}"\n2,b\n`);
		// Of the processor, since other tests run at the same time; in microseconds.
		expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
		expect(rows[0]?.cells?.[1]).toBe(cell);
		expect(rows[1]).toEqual({ row: 2, line: 300_003, cells: ['2', 'b'] });
	});

	it('gives back whatever cells were written, with any separator, line end, mark and pieces', async () => {
		const cell = fc.oneof(
			fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\u0000', '')),
			fc.stringMatching(/^[\n\r",;\t aé€😀=+-]{0,6}$/u),
		);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.tuple(cell, cell, cell), { maxLength: 30 }),
				fc.constantFrom(',', ';', '\t'),
				fc.constantFrom('\n', '\r\n', '\r'),
				fc.boolean(),
				fc.boolean(),
				fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
				async (table, delimiter, lineEnd, mark, endsWithLine, sizes) => {
					const filled = table.map(([a, b, c], index) => [`${index + 1}`, a, b, c]);
					const written = [['id', 'a', 'b', 'c'], ...filled].map((cells) =>
						formatCsvRecord(cells, delimiter).slice(0, -1),
					);
					const text = written.join(lineEnd);
					const bytes = Buffer.from(`${mark ? '\uFEFF' : ''}${text}${endsWithLine ? lineEnd : ''}`);
					const { columns, rows } = await readPieces(bytes, sizes, delimiter);
					expect(columns).toEqual(['id', 'a', 'b', 'c']);
					expect(cellsOf(rows)).toEqual(filled.map((cells) => cells));
					const starts = filled.map((_, index) => {
						const before = written.slice(0, index + 1).join(lineEnd) + lineEnd;
						return before.split(/\r\n|\n|\r/).length;
					});
					expect(linesOf(rows)).toEqual(starts);
				},
			),
			{ numRuns: 300 },
		);
	});

	it('reads the same rows on the same lines however the bytes are cut', async () => {
		const alphabet = fc.constantFrom('a', '1', ',', '\n', '\r\n', '"x"', '"a\nb"', '"q""q"', '"\r\n"', ' ', 'é');
		await fc.assert(
			fc.asyncProperty(
				fc.array(alphabet, { maxLength: 60 }),
				fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
				async (parts, sizes) => {
					const bytes = Buffer.from(`id,b\n${parts.join('')}`);
					const outcome = (pieces: number[]) =>
						readPieces(bytes, pieces).then(
							({ rows }) => rows,
							(error: unknown) => {
								expect(error).toBeInstanceOf(SupportctlError);
								return (error as Error).message;
							},
						);
					expect(await outcome(sizes)).toEqual(await outcome([bytes.length]));
				},
			),
			{ numRuns: 500 },
		);
	});

	it('fails only with errors for people, whatever the bytes', async () => {
		let read = 0;
		let refused = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.oneof(
					fc.uint8Array({ maxLength: 200 }),
					fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r', ';', 'a', '\uFEFF', '\u0000', '=') }),
				),
				fc.constantFrom('csv', 'tsv', 'ndjson', 'ids', undefined),
				async (bytes, format) => {
					try {
						await rowsOf('edits.txt.unknown', bytes as Uint8Array, { format: format as never });
						read++;
					} catch (error) {
						expect(error).toBeInstanceOf(SupportctlError);
						refused++;
					}
				},
			),
			{ numRuns: 300 },
		);
		expect(Math.min(read, refused)).toBeGreaterThan(5);
	});
});

it('a record that is written keeps the blanks at the edges of its cells', () => {
	expect(formatCsvRecord([' a', 'b ', '\t'])).toBe('" a","b ","\t"\n');
});

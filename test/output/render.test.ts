import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Column, RenderOptions } from '../../src/output/columns.js';
import { formatNames } from '../../src/output/formats.js';
import { testRenderer } from '../support/renderer.js';

const rows = [
	{
		id: 14,
		outcome: 'ok',
		body: { status: 'hold', title: { raw: 'A, "quoted"\ttitle', rendered: 'x' }, tags: [1, 2] },
	},
	{ id: 15, outcome: 'failed', body: null, message: '=1+1' },
	{
		id: 16,
		outcome: 'ok',
		body: { status: 'yes', title: { raw: 'two\nlines \x1b[31m\u202e\x9b 日本' }, password: 'marker' },
	},
];

const columns: Column[] = [
	{ path: 'id' },
	{ path: 'outcome' },
	{ path: 'body.status' },
	{ path: 'body.title' },
	{ path: 'message', optional: true },
];

async function print(options: Partial<RenderOptions> = {}, given: readonly unknown[] = rows): Promise<string> {
	let text = '';
	const renderer = await testRenderer({ isTTY: false, columns, ...options }, (piece) => {
		text += piece;
	});
	for (const row of given) await renderer.row(row);
	await renderer.end();
	return text;
}

const redacted = rows.map((row) => JSON.parse(JSON.stringify(row).replace('"marker"', '"[redacted]"')));

const cells = [
	['14', 'ok', 'hold', 'A, "quoted"\ttitle', ''],
	['15', 'failed', '', '', '=1+1'],
	['16', 'ok', 'yes', 'two\nlines \x1b[31m\u202e\x9b 日本', ''],
];
const header = ['id', 'outcome', 'status', 'title', 'message'];

describe('formats, read back by a standard reader', () => {
	it('json is one array of whole rows, in a pipe and on a terminal', async () => {
		expect(JSON.parse(await print({ format: 'json' }))).toEqual(redacted);
		const shown = await print({ format: 'json', isTTY: true });
		expect(JSON.parse(shown)).toEqual(redacted);
		expect(shown).toMatch(/^\[\n {2}\{\n {4}"id": 14,\n/);
		expect(JSON.parse(await print({ format: 'json' }, []))).toEqual([]);
	});

	it('ndjson is a row a line', async () => {
		const lines = (await print({ format: 'ndjson' })).trimEnd().split('\n');
		expect(lines.map((line) => JSON.parse(line))).toEqual(redacted);
	});

	it('csv keeps every character, formulas too', async () => {
		expect(parseCsv(await print({ format: 'csv' }))).toEqual([header, ...cells]);
	});

	it('tsv is what spreadsheets write', async () => {
		expect(parseCsv(await print({ format: 'tsv' }), { delimiter: '\t' })).toEqual([header, ...cells]);
	});

	it('yaml is one sequence, with no character that could not be shown', async () => {
		const text = await print({ format: 'yaml' });
		expect(parseYaml(text)).toEqual(redacted);
		expect(parseYaml(text, { version: '1.1' })).toEqual(redacted);
		expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
		expect(parseYaml(await print({ format: 'yaml' }, []))).toEqual([]);
	});

	it('ids and count are bare lines', async () => {
		expect(await print({ format: 'ids' })).toBe('14\n15\n16\n');
		expect(await print({ format: 'count' })).toBe('3\n');
		expect(await print({ format: 'count' }, [])).toBe('0\n');
	});

	it('one object is an object in json, yaml and ndjson', async () => {
		const [row] = rows;
		for (const format of ['json', 'ndjson'] as const) {
			expect(JSON.parse(await print({ format, single: true }, [row]))).toEqual(row);
		}
		expect(parseYaml(await print({ format: 'yaml', single: true }, [row]))).toEqual(row);
	});

	it('no format lets a secret or, but for csv and tsv, an escape sequence out; on a terminal none does', async () => {
		for (const format of [undefined, ...formatNames]) {
			for (const isTTY of [true, false]) {
				const text = await print({ format, isTTY, columns: [...columns, { path: 'body' }, { path: 'body.password' }] });
				expect(text, `${format} ${isTTY}`).not.toContain('marker');
				if (isTTY || (format !== 'csv' && format !== 'tsv')) {
					expect(text, `${format} ${isTTY}`).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
				}
			}
		}
	});
});

describe('a pipe without --format', () => {
	it('gets the table columns apart by tabs, nothing cut, no header, one line a row', async () => {
		const long = 'x'.repeat(5000);
		expect(await print({}, [...rows, { id: 17, outcome: 'ok', body: { title: long } }])).toBe(
			[
				'14\tok\thold\tA, "quoted"\\ttitle\t',
				'15\tfailed\t\t\t=1+1',
				'16\tok\tyes\ttwo\\nlines \\x1b[31m\\u202e\\x9b 日本\t',
				`17\tok\t\t${long}\t`,
				'',
			].join('\n'),
		);
	});

	it('gets key and value for one object', async () => {
		expect(await print({ single: true, columns: undefined }, [{ id: 3, name: 'a\nb', tags: [1, 2] }])).toBe(
			'id\t3\nname\ta\\nb\ntags\t1,2\n',
		);
	});
});

describe('--fields, --field and --query', () => {
	it('--fields picks columns by path, in the order given, under labels of their own', async () => {
		const fields = 'body.status=State, id';
		expect(await print({ format: 'csv', fields })).toBe('State,id\nhold,14\n,15\nyes,16\n');
		expect(JSON.parse(await print({ format: 'json', fields }))[0]).toEqual({ State: 'hold', id: 14 });
		expect(JSON.parse((await print({ format: 'ndjson', fields })).split('\n')[1] as string)).toEqual({
			State: null,
			id: 15,
		});
		expect(await print({ fields: ['id', 'body.tags.1'] })).toBe('14\t2\n15\t\n16\t\n');
	});

	it('a key with dots in its name is found before the path is taken apart', async () => {
		expect(await print({ fields: 'a.b' }, [{ 'a.b': 1, a: { b: 2 } }, { a: { b: 3 } }])).toBe('1\n3\n');
	});

	it('keys of the prototype are not columns', async () => {
		expect(await print({ fields: 'constructor,__proto__,id' }, [{ id: 1 }])).toBe('\t\t1\n');
	});

	it('--field prints one bare value a line, line breaks shown', async () => {
		expect(await print({ field: 'body.title' })).toBe(
			'A, "quoted"\\ttitle\n\ntwo\\nlines \\x1b[31m\\u202e\\x9b 日本\n',
		);
	});

	it('says at the end which columns no row had', async () => {
		const renderer = await testRenderer({ isTTY: false, fields: 'id,body.status,stauts' }, () => {});
		for (const row of rows) renderer.row(row);
		expect(await renderer.end()).toEqual({
			rows: 3,
			dropped: [],
			missing: ['stauts'],
			seen: ['id', 'outcome', 'body'],
		});
	});

	it('fields that name nothing are a usage error before anything is printed', async () => {
		await expect(print({ fields: ' , ' })).rejects.toMatchObject({ exitCode: 2, code: 'invalid_fields' });
	});

	it.each([
		['[].id', undefined, '14\n15\n16\n'],
		['[].id', 'ids', '14\n15\n16\n'],
		['[].id', 'json', '[\n14,\n15,\n16\n]\n'],
		["[?outcome=='failed']", 'ids', '15\n'],
		["[?outcome=='nothing']", 'ids', ''],
		["[?outcome=='nothing']", 'json', '[]\n'],
		['length(@)', undefined, '3\n'],
		['length(@)', 'json', '3\n'],
		['[0].outcome', undefined, 'ok\n'],
		['[].[id, outcome]', undefined, '14\tok\n15\tfailed\n16\tok\n'],
		['[].{n: id, o: outcome}', 'csv', 'n,o\n14,ok\n15,failed\n16,ok\n'],
		['[].{"body.x": id}', 'csv', 'body.x\n14\n15\n16\n'],
		['[].{n: id}', 'count', '3\n'],
		['[5]', 'ids', ''],
		['[5]', 'json', 'null\n'],
		['[].body.password', 'json', '[\n"[redacted]"\n]\n'],
	] as const)('--query %s as %s', async (query, format, expected) => {
		expect(await print({ query, format })).toBe(expected);
	});

	it('columns of a query that finds nothing are empty', async () => {
		expect(await print({ query: '[5]', format: 'json', fields: 'a.b=x' })).toBe('{"x":null}\n');
	});

	it('a query sees one object as it is', async () => {
		expect(await print({ query: 'body.status', single: true }, [rows[0]])).toBe('hold\n');
	});

	it('a query that is not JMESPath is a usage error when the renderer is made', async () => {
		await expect(testRenderer({ isTTY: false, query: '[].' }, () => {})).rejects.toMatchObject({
			exitCode: 2,
			code: 'invalid_query',
			message: expect.stringMatching(/^--query "\[\]\." is not JMESPath: /),
		});
	});

	it('a query with an unknown function is a usage error, wherever the function stands', async () => {
		for (const query of ['bogus(@)', '[].{a: length(bogus(id))}', 'map(&bogus(@), @)']) {
			await expect(testRenderer({ isTTY: false, query }, () => {})).rejects.toMatchObject({
				exitCode: 2,
				message: `--query ${JSON.stringify(query)}: unknown JMESPath function bogus()`,
			});
		}
		await testRenderer({ isTTY: false, query: "sort_by([?contains(id, 'x')], &id)" }, () => {});
	});

	it('a query that does not fit the result fails, since the requests are done by then', async () => {
		await expect(print({ query: 'abs(@)' })).rejects.toMatchObject({ exitCode: 1, code: 'query_failed' });
	});

	it('ids without an id are an error that names the row', async () => {
		await expect(print({ format: 'ids' }, [{ id: 1 }, { x: 1 }])).rejects.toThrow('result 2 has no ID to print');
	});
});

describe('streaming', () => {
	it('says which columns came too late for the header', async () => {
		let text = '';
		const renderer = await testRenderer({ isTTY: false, format: 'csv' }, (piece) => {
			text += piece;
		});
		for (let id = 0; id < 300; id++) renderer.row(id === 250 ? { id, late: 1 } : { id });
		expect((await renderer.end()).dropped).toEqual(['late']);
		expect(parseCsv(text)).toHaveLength(301);
	});

	it('writes a hundred rows at once, asks to wait only then, and keeps nothing', async () => {
		const pieces: string[] = [];
		let waits = 0;
		const renderer = await testRenderer({ isTTY: false, format: 'ndjson' }, async (piece) => {
			pieces.push(piece);
		});
		for (let id = 1; id <= 20_000; id++) {
			const wait = renderer.row({ id, text: 'some text' });
			if (wait === undefined) continue;
			waits++;
			await wait;
		}
		await renderer.end();
		expect(waits).toBe(200);
		expect(new Set(pieces.map((piece) => piece.split('\n').length - 1))).toEqual(new Set([100]));
	});

	it('shows a row soon even if no other follows, in ndjson and in a table', async () => {
		for (const [format, isTTY] of [
			['ndjson', false],
			['table', true],
		] as const) {
			const first = await new Promise<string>((resolve, reject) => {
				testRenderer({ isTTY, format, columns }, resolve).then((renderer) => renderer.row(rows[0]), reject);
			});
			expect(first).toContain('14');
		}
	});
});

it('csv quotes a lone carriage return, and a lone cell that is empty', async () => {
	const csv = (...given: unknown[]) => print({ format: 'csv', columns: undefined }, given);
	expect(await csv({ a: 'x\ry' }, { a: 'x\r\ny' })).toBe('a\n"x\ry"\n"x\r\ny"\n');
	expect(await csv({ a: '' }, { a: 'b' })).toBe('a\n""\nb\n');
});

it('ids leave out a row that failed without one, and complain of one that did not', async () => {
	expect(await print({ format: 'ids' }, [{ outcome: 'failed', id: null }])).toBe('');
	await expect(print({ format: 'ids' }, [{ outcome: 'ok', id: null }])).rejects.toThrow('has no ID to print');
});

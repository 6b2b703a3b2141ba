import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	statSync,
	truncateSync,
	unlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkedText } from '../../../src/bulk/input/checked-text.js';
import { openArguments } from '../../../src/bulk/input/input.js';
import { readJsonArray } from '../../../src/bulk/input/json.js';
import { formatOf, openInput } from '../../../src/bulk/input/source.js';
import { interrupted } from '../../../src/errors.js';
import { openText, readAll, rowsOf, streamOf } from '../../support/input.js';
import { temporaryFolder } from '../../support/temporary.js';

const many = (count: number) =>
	`id,title\n${Array.from({ length: count }, (_, index) => `${index + 1},row ${index + 1}\n`).join('')}`;

async function failureOf(promise: Promise<unknown>): Promise<{ name: string; message: string; code?: string }> {
	return await promise.then(
		() => expect.fail('it did not fail'),
		(error) => error,
	);
}

describe('openInput with a file', () => {
	it('reads the same rows twice and knows the hash after the first time', async () => {
		const text = many(40_000);
		const source = await openText('edits.csv', text);
		expect(source).toMatchObject({ sha256: undefined, columns: ['id', 'title'], spooled: false });
		const first = await readAll(source);
		expect(source.sha256).toBe(createHash('sha256').update(text).digest('hex'));
		expect(first).toEqual(
			Array.from({ length: 40_000 }, (_, index) => {
				const row = index + 1;
				return { row, line: row + 1, cells: [String(row), `row ${row}`] };
			}),
		);
		expect(await readAll(source)).toEqual(first);
		await source.dispose();
	});

	it('goes on with a file that was renamed or removed meanwhile', async () => {
		const folder = temporaryFolder();
		const path = join(folder, 'edits.csv');
		for (const change of [() => renameSync(path, `${path}.old`), () => unlinkSync(path)]) {
			writeFileSync(path, many(3));
			const source = await openInput({ path, stdin: streamOf(''), stateDir: folder });
			const first = await readAll(source);
			change();
			expect(await readAll(source)).toEqual(first);
			await source.dispose();
		}
	});

	it.each<[string, string, string, (path: string) => void]>([
		['grew', 'edits.csv', many(3), (path) => appendFileSync(path, '4,more\n')],
		// Lines of 16 bytes: wherever a reader's buffer ends, a line does too.
		['lost its end', 'edits.ids', '100000000000000\n'.repeat(65_536), (path) => truncateSync(path, 512 * 1024)],
	])('refuses a file that %s between the passes', async (_, name, text, change) => {
		const source = await openText(name, text);
		await readAll(source);
		change(source.path as string);
		expect(await failureOf(readAll(source))).toMatchObject({
			exitCode: 2,
			code: 'input_changed',
			message: `${name} changed while it was being read`,
		});
		await source.dispose();
	});

	it('takes a file that was only touched for unchanged', async () => {
		const source = await openText('edits.csv', many(3));
		const first = await readAll(source);
		utimesSync(source.path as string, 1, 1);
		expect(await readAll(source)).toEqual(first);
		await source.dispose();
	});

	it('yields no row of a file whose bytes changed, even where size and time are as before', async () => {
		const source = await openText('edits.csv', many(40_000));
		const path = source.path as string;
		const { atime, mtime } = statSync(path);
		await readAll(source);
		writeFileSync(path, readFileSync(path, 'utf8').replace('row 1\n', 'ROW 1\n'));
		utimesSync(path, atime, mtime);
		const seen: unknown[] = [];
		const failure = await failureOf(
			(async () => {
				for await (const batch of source.read()) seen.push(...batch);
			})(),
		);
		expect(failure.code).toBe('input_changed');
		expect(seen).toEqual([]);
		await source.dispose();
	});

	it.each([
		['edits.csv.gz', gzipSync('id\n1\n2\n')],
		['packed.csv', gzipSync('id\n1\n2\n')],
		['two-members.csv.gz', Buffer.concat([gzipSync('id\n1\n'), gzipSync('2\n')])],
	])('unpacks %s and hashes the bytes on disk', async (name, bytes) => {
		const source = await openText(name, bytes);
		expect((await readAll(source)).map((row) => row.cells)).toEqual([['1'], ['2']]);
		expect((await readAll(source)).length).toBe(2);
		expect(source.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
		await source.dispose();
	});

	it('says so of a packed file that is cut off or damaged', async () => {
		const packed = gzipSync(many(5000), { level: 0 });
		expect((await failureOf(rowsOf('a.csv.gz', packed.subarray(0, 20_000)))).message).toBe(
			"a.csv.gz can't be unpacked: it ends too early",
		);
		const damaged = Buffer.from(packed);
		damaged.fill(0xff, 30_000, 30_100);
		expect((await failureOf(rowsOf('a.csv.gz', damaged))).message).toMatch(/can't be unpacked|not valid UTF-8/);
	});

	it('refuses bytes that are not UTF-8, however they might be read, and names their line', async () => {
		const latin1 = Buffer.from('id,title\n1,a\n2,M\u00fcller\n', 'latin1');
		expect((await failureOf(rowsOf('edits.csv', latin1))).message).toBe('edits.csv line 3: not valid UTF-8');
	});

	it('says what is wrong with a path', async () => {
		const folder = temporaryFolder();
		mkdirSync(join(folder, 'sub.csv'));
		const open = (name: string) =>
			failureOf(openInput({ path: join(folder, name), name, stdin: streamOf(''), stateDir: folder }));
		expect(await open('none.csv')).toMatchObject({
			exitCode: 2,
			message: "can't read none.csv: file not found",
		});
		expect((await open('sub.csv')).message).toBe("can't read sub.csv: it is a directory");
	});

	it('reads a pipe, which it keeps a private copy of', async () => {
		const folder = temporaryFolder();
		const child = spawn('sh', [
			'-c',
			`mkfifo "${folder}/pipe.csv" && echo made && printf 'id\\n1\\n' > "${folder}/pipe.csv"`,
		]);
		await new Promise((resolve) => child.stdout.once('data', resolve));
		const source = await openInput({ path: join(folder, 'pipe.csv'), stdin: streamOf(''), stateDir: folder });
		expect(source.spooled).toBe(true);
		expect((await readAll(source)).length).toBe(1);
		expect((await readAll(source)).length).toBe(1);
		await source.dispose();
		expect(readdirSync(join(folder, 'spool'))).toEqual([]);
	});

	it('leaves no copy of a pipe that can not be used', async () => {
		const folder = temporaryFolder();
		const child = spawn('sh', ['-c', `mkfifo "${folder}/pipe" && echo made && printf '' > "${folder}/pipe"`]);
		await new Promise((resolve) => child.stdout.once('data', resolve));
		const failed = await failureOf(openInput({ path: join(folder, 'pipe'), stdin: streamOf(''), stateDir: folder }));
		expect(failed).toMatchObject({ exitCode: 2 });
		expect(readdirSync(join(folder, 'spool'))).toEqual([]);
	});
});

describe('openInput with standard input', () => {
	const open = (bytes: string | Uint8Array, stateDir: string, format?: 'csv' | 'ids') =>
		openInput({ path: '-', stdin: streamOf(bytes), stateDir, ...(format === undefined ? {} : { format }) });

	it('keeps a private copy, reads it twice, and removes it', async () => {
		const stateDir = join(temporaryFolder(), 'state');
		const source = await open('id,title\n1,a\n', stateDir);
		await source.keep();
		const copy = source.path as string;
		expect(statSync(copy).mode & 0o777).toBe(0o600);
		expect(statSync(join(stateDir, 'spool')).mode & 0o777).toBe(0o700);
		expect(await readAll(source)).toEqual(await readAll(source));
		expect(source).toMatchObject({ name: 'standard input', format: 'csv', spooled: true });
		await source.dispose();
		expect(existsSync(copy)).toBe(false);
	});

	it('keeps the copy for a resume that asks for it, and the resume removes it', async () => {
		const stateDir = temporaryFolder();
		const source = await open('7\n8\n', stateDir);
		await readAll(source);
		await source.keep();
		await source.dispose({ keep: true });
		const again = await openInput({
			path: source.path as string,
			format: 'ids',
			stdin: streamOf(''),
			stateDir,
		});
		expect((await readAll(again)).map((row) => row.id)).toEqual(['7', '8']);
		expect(again.sha256).toBe(source.sha256);
		await again.dispose();
		expect(readdirSync(join(stateDir, 'spool'))).toEqual([]);
	});

	it('keeps the copy where a resume can not use it', async () => {
		const stateDir = temporaryFolder();
		const source = await open('7\n8\n', stateDir);
		await source.keep();
		await source.dispose({ keep: true });
		const path = source.path as string;
		writeFileSync(path, '');
		const failed = await failureOf(openInput({ path, stdin: streamOf(''), stateDir }));
		expect([failed.message, existsSync(path)]).toEqual([expect.stringContaining('is empty'), true]);
	});

	it('takes lines that begin with # for comments, also if they are indented', async () => {
		const source = await open('# all\n7\n  # not these\n8\n', temporaryFolder(), 'ids');
		expect((await readAll(source)).map(({ id }) => id)).toEqual(['7', '8']);
		await source.dispose();
	});

	it('leaves no copy behind when the input can not be used', async () => {
		const stateDir = temporaryFolder();
		expect((await failureOf(open('hello world\n', stateDir))).message).toBe('unknown input format: standard input');
		expect((await failureOf(open('', stateDir))).message).toBe('standard input is empty');
		expect(readdirSync(join(stateDir, 'spool'))).toEqual([]);
	});

	it('knows packed input by its first bytes', async () => {
		const source = await open(gzipSync('{"id":1}\n'), temporaryFolder());
		expect(source.format).toBe('ndjson');
		expect((await readAll(source))[0]?.object).toEqual({ id: 1 });
		await source.dispose();
	});

	it('removes copies of its own after 30 days', async () => {
		const stateDir = temporaryFolder();
		mkdirSync(join(stateDir, 'spool'));
		const recent = `input-${randomUUID()}`;
		for (const [name, days] of [
			[`input-${randomUUID()}`, 31],
			[recent, 29],
			['input-of-mine', 31],
			['notes.csv', 31],
		] as const) {
			writeFileSync(join(stateDir, 'spool', name), 'x');
			const time = new Date(Date.now() - days * 86_400_000);
			utimesSync(join(stateDir, 'spool', name), time, time);
		}
		await (await open('1\n', stateDir)).dispose();
		const left = [recent, 'input-of-mine', 'notes.csv'].toSorted();
		expect(readdirSync(join(stateDir, 'spool')).toSorted()).toEqual(left);
	});

	it('keeps a file of yours in the folder of copies', async () => {
		const stateDir = temporaryFolder();
		const path = join(stateDir, 'spool', 'mine.csv');
		mkdirSync(join(stateDir, 'spool'));
		writeFileSync(path, 'id,title\n1,x\n');
		const source = await openInput({ path, stateDir, stdin: streamOf('') });
		await source.dispose();
		expect(existsSync(path)).toBe(true);
	});

	it('passes on what the stream itself complains about, and keeps nothing of it', async () => {
		const stateDir = temporaryFolder();
		async function* withdrawn(): AsyncGenerator<Uint8Array> {
			yield Buffer.from('1\n');
			throw interrupted('interrupted');
		}
		expect(await failureOf(openInput({ path: '-', stdin: withdrawn(), stateDir }))).toMatchObject({
			exitCode: 130,
		});
		async function* broken(): AsyncGenerator<Uint8Array> {
			yield Buffer.from('1\n');
			throw new Error('read EIO');
		}
		expect(await failureOf(openInput({ path: '-', stdin: broken(), stateDir }))).toMatchObject({
			code: 'spool_failed',
			message: `can't keep a copy of standard input in ${join(stateDir, 'spool')}: read EIO`,
		});
		expect(readdirSync(join(stateDir, 'spool'))).toEqual([]);
	});

	it('has no name while it is read, unless it is kept', async () => {
		const stateDir = temporaryFolder();
		async function* watched(): AsyncGenerator<Uint8Array> {
			yield Buffer.from('1\n');
			expect(readdirSync(join(stateDir, 'spool'))).toEqual([]);
			yield Buffer.from('2\n');
		}
		const source = await openInput({ path: '-', stdin: watched(), stateDir });
		expect(readdirSync(join(stateDir, 'spool'))).toEqual([]);
		expect((await readAll(source)).map((each) => each.id)).toEqual(['1', '2']);
		await source.dispose();
	});

	it('says where it can not keep its copy', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'spool'), 'in the way');
		expect((await failureOf(open('1\n', folder))).message).toContain("can't keep a copy of standard input in");
	});
});

it('ids from the command line are rows without lines', async () => {
	const source = openArguments(['14', 'x']);
	const ids = [
		{ row: 1, line: undefined, id: '14' },
		{ row: 2, line: undefined, id: 'x' },
	];
	expect([source.format, await readAll(source), await readAll(openArguments([]))]).toEqual(['ids', ids, []]);
});

describe('formats', () => {
	it.each([
		['a.csv', '14', 'csv'],
		['a.b.TSV', '', 'tsv'],
		['a.csv.gz', '', 'csv'],
		['a.jsonl', '', 'ndjson'],
		['a.ndjson.gz', '', 'ndjson'],
		['a.ids', 'id,status\n', 'ids'],
		['ids.txt', '14\n15\n', 'ids'],
		['ids.txt.gz', 'ada\nbob\n', 'ids'],
		['ids.txt', 'id,status\n14,hold\n', 'csv'],
		['sheet.txt', '\u00dcberschrift\tStatus\n', 'tsv'],
		['', '\u00dcberschrift;Status\n', 'csv'],
		['a.constructor', '', undefined],
		['a.gz', '', undefined],
		['csv', '', undefined],
		['', 'id,status\n1,x', 'csv'],
		['', '\uFEFFid;status\n1;x', 'csv'],
		['', '"id","x"\n', 'csv'],
		['', 'sep=;\nid;x\n', 'csv'],
		['', 'id\tstatus\n', 'tsv'],
		['', 'id\n1\n', 'csv'],
		['', '\n\n {"id":1}\n', 'ndjson'],
		['', '14\n15\n', 'ids'],
		['', 'anna\nbert\n', undefined],
		['', '[1,2]', 'json'],
		['', '<html>,', undefined],
		['', '', undefined],
	])('of the file %j that begins %j is %s', (name, head, format) => {
		expect(formatOf(name, head)).toBe(format);
	});

	it('reads NDJSON with its types, and names what is no object without repeating it', async () => {
		const text =
			'{"id":1,"tags":[1,"a"],"x":null}\r\n\n{"id":\n[1]\n"secret"\n{"__proto__":{"a":1}}\nnull\n{"a": b}\n{"a": 1 2}\n[1,\n';
		const { rows } = await rowsOf('a.ndjson', text);
		expect(rows.slice(0, 4)).toEqual([
			{ row: 1, line: 1, object: { id: 1, tags: [1, 'a'], x: null } },
			{ row: 2, line: 3, problem: 'invalid JSON: it ends too early' },
			{ row: 3, line: 4, problem: 'expected a JSON object, not an array' },
			{ row: 4, line: 5, problem: 'expected a JSON object, not a string' },
		]);
		expect(Object.keys(rows[4]?.object ?? {})).toEqual(['__proto__']);
		expect(rows.slice(5).map((each) => each.problem)).toEqual([
			'expected a JSON object, not null',
			'invalid JSON',
			'invalid JSON at column 9',
			'invalid JSON: it ends too early',
		]);
	});

	it('reads ids, leaving out blanks and blank lines', async () => {
		const { rows } = await rowsOf('a.ids', '\uFEFF14\r\n\r\n  15 \n16');
		expect(rows).toEqual([
			{ row: 1, line: 1, id: '14' },
			{ row: 2, line: 3, id: '15' },
			{ row: 3, line: 4, id: '16' },
		]);
	});
});

it('a packed file of several chunks is the same in both passes', async () => {
	const rows = Array.from({ length: 30_000 }, (_, index) => `${index + 1},${randomBytes(12).toString('hex')}`);
	const source = await openText('a.csv.gz', gzipSync(`id,title\n${rows.join('\n')}\n`));
	for (let pass = 0; pass < 2; pass++) {
		expect((await readAll(source)).map(({ cells }) => cells?.join(','))).toEqual(rows);
	}
	await source.dispose();
});

it('rows that were added between the passes are not handed out', async () => {
	// As long as a chunk, so that nothing but the added rows stands behind what was read before.
	const text = Array.from({ length: 8192 }, (_, index) => `${index + 1_000_000}\n`).join('');
	expect(text).toHaveLength(65_536);
	const source = await openText('a.ids', text);
	const first = (await readAll(source)).length;
	writeFileSync(source.path as string, `${text}7\n8\n`);
	let seen = 0;
	const again = async (): Promise<void> => {
		for await (const batch of source.read()) seen += batch.length;
	};
	await expect(again()).rejects.toMatchObject({ code: 'input_changed' });
	expect(seen).toBeLessThanOrEqual(first);
	await source.dispose();
});

describe('JSON objects', () => {
	it.each([
		[`{"id":5,"meta":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'lists and objects are nested more than 100 deep'],
		[`{"id":5,"meta":${'{"a":'.repeat(200_000)}`, 'invalid JSON: it ends too early'],
		[`{"id":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_001)}`, 'lists and objects are nested more than 100 deep'],
	])('that can not be read are invalid rows: %.60s', async (text, problem) => {
		expect((await rowsOf('a.ndjson', `{"id":1}\n${text}\n{"id":2}\n`)).rows).toEqual([
			{ row: 1, line: 1, object: { id: 1 } },
			{ row: 2, line: 2, problem },
			{ row: 3, line: 3, object: { id: 2 } },
		]);
	});

	it('are read from an array as --json writes it, in any pieces, packed too', async () => {
		const objects = Array.from({ length: 500 }, (_, id) => ({
			id,
			title: `]},[{"\\\n é ${id}`,
			meta: { list: [[], {}] },
		}));
		for (const text of [JSON.stringify(objects), `\uFEFF\n ${JSON.stringify(objects, null, 2)}\n\n`]) {
			for (const bytes of [Buffer.from(text), gzipSync(text)]) {
				const { rows } = await rowsOf('a.json', bytes);
				expect(rows.map(({ object }) => object)).toEqual(objects);
				expect(rows[0]?.line).toBe(text.startsWith('\uFEFF') ? 3 : 1);
			}
		}
		expect((await rowsOf('a.json', ' [ ] ')).rows).toEqual([]);
	});

	it('are found in an array in any pieces of text', async () => {
		const text = Buffer.from('[{"a":"\\\\"}, 1 ,[2,{"b":[]}],"],"\n,{"é":"\\""}]');
		for (let size = 1; size < text.length; size++) {
			const pieces = (async function* () {
				for (let at = 0; at < text.length; at += size) yield text.subarray(at, at + size);
			})();
			const rows: unknown[] = [];
			for await (const batch of readJsonArray(checkedText(pieces, 'a.json'), 'a.json')) rows.push(...batch);
			expect(rows).toEqual([
				{ row: 1, line: 1, object: { a: '\\' } },
				{ row: 2, line: 1, problem: 'expected a JSON object, not a number' },
				{ row: 3, line: 1, problem: 'expected a JSON object, not an array' },
				{ row: 4, line: 1, problem: 'expected a JSON object, not a string' },
				{ row: 5, line: 2, object: { é: '"' } },
			]);
		}
	});

	it.each([
		['[{"id":1}', 'a.json line 1: the JSON array ends too early'],
		['[{"id":1},\n]', 'a.json line 2: empty array element'],
		['[,{"id":1}]', 'a.json line 1: empty array element'],
		['[{"id":1}]\n[]', 'a.json line 2: text after the JSON array'],
		['{"id":1}', 'a.json line 1: expected a JSON array of objects'],
		['', 'a.json line 1: the JSON array ends too early'],
		[`[\n\n {"id":\n"${'x'.repeat(9 << 20)}"}]`, 'a.json line 3: this record is longer than 8 MiB'],
	])('in an array that is damaged are not read: %.20s', async (text, message) => {
		await expect(rowsOf('a.json', text, { format: 'json' })).rejects.toMatchObject({ message });
	});
});

it.each([
	['edits.xlsx', '504b0304140006'],
	['edits.csv', 'd0cf11e0a1b11ae1'],
])('a spreadsheet is refused whatever its name is: %s', async (name, hex) => {
	await expect(rowsOf(name, Buffer.from(hex, 'hex'))).rejects.toMatchObject({
		message: `${name} is a spreadsheet or an archive, not text`,
		hint: expect.stringContaining('save it as CSV'),
	});
});

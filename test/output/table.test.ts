import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { openPalette } from '../../src/output/colour.js';
import type { Column, RenderOptions } from '../../src/output/columns.js';
import { fitWidths, truncate } from '../../src/output/table.js';
import { testRenderer } from '../support/renderer.js';

async function table(rows: readonly unknown[], options: Partial<RenderOptions> = {}): Promise<string> {
	let text = '';
	const renderer = await testRenderer({ isTTY: true, width: 80, format: 'table', ...options }, (piece) => {
		text += piece;
	});
	for (const row of rows) renderer.row(row);
	await renderer.end();
	return text;
}

const tickets = [
	{
		id: 14,
		status: 'hold',
		title: 'The printer on the second floor is on fire again and no one knows why',
		agent: 'Ann',
	},
	{ id: 15, status: 'in-progress', title: 'Short', agent: 'Bartholomew the Elder of Somewhere Far Away' },
	{
		id: 20000,
		status: 'hold',
		title: '日本語のチケットの題名はとても長いのでここで切られます',
		agent: '👨‍👩‍👧 e\u0301',
	},
];

describe('a table on a terminal', () => {
	it('shrinks the widest columns first and cuts with an ellipsis', async () => {
		expect(await table(tickets)).toBe(
			[
				'ID     STATUS       TITLE                          AGENT',
				'14     hold         The printer on the second fl…  Ann',
				'15     in-progress  Short                          Bartholomew the Elder of Som…',
				'20000  hold         日本語のチケットの題名はとて…  👨‍👩‍👧 e\u0301',
				'',
			].join('\n'),
		);
	});

	it.each([60, 80, 120, 200])('has no line wider than %i columns', async (width) => {
		const lines = (await table(tickets, { width })).split('\n');
		expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
	});

	it('goes on in the next line in a column that wraps, and breaks no word that fits', async () => {
		const columns: Column[] = [{ path: 'id' }, { path: 'title' }, { path: 'new', important: true, wraps: true }];
		const rows = [
			{ id: 1, title: '日本語のチケットの題名はとても長い', new: 'a value of ten words, 日本語 and é among them' },
			{ id: 2, title: 'b', new: `${'x'.repeat(30)} end` },
		];
		expect(await table(rows, { columns, width: 32 })).toBe(
			[
				'ID  TITLE          NEW',
				'1   日本語のチケ…  a value of',
				'                   ten words,',
				'                   日本語 and é',
				'                   among them',
				`2   b              ${'x'.repeat(13)}`,
				`                   ${'x'.repeat(13)}`,
				'                   xxxx end',
				'',
			].join('\n'),
		);
	});

	it('cuts nothing in a pipe, whatever the width', async () => {
		const text = await table(tickets, { isTTY: false, width: 20 });
		for (const ticket of tickets) expect(text).toContain(ticket.title);
		expect(text).not.toContain('…');
		expect(text.split('\n')[0]).toMatch(/^ID +STATUS +TITLE +AGENT$/);
	});

	it('turns to a block of lines for each row rather than dropping columns', async () => {
		const row = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`column${index}`, `a value ${index}`]));
		const text = await table([row, row], { width: 60 });
		for (let index = 0; index < 12; index++)
			expect(text).toMatch(new RegExp(`^column${index} +a value ${index}$`, 'm'));
		expect(text.split('\n\n')).toHaveLength(3);
	});

	it('cuts cells, never names of columns; where those do not fit, empty columns go, and then there are blocks', async () => {
		const row = { protected: 'no', username: 'anna', note: 'a rather long note about this and that' };
		expect(await table([row], { width: 30 })).toBe('PROTECTED  USERNAME  NOTE\nno         anna      a rather…\n');
		const blocks = 'protected  no\nusername   anna\nnote       a rather long note about this and that\n\n';
		expect(await table([row], { width: 24 })).toBe(blocks);
		const rows = [{ id: 1, internal_note: '', name: 'Ann' }];
		expect(await table(rows, { width: 20 })).toBe('ID  NAME\n1   Ann\n');
		const late = [...Array.from({ length: 100 }, () => rows[0]), { id: 2, internal_note: 'x', name: 'B' }];
		expect((await table(late, { width: 20 })).slice(-41)).toBe(
			'\nid             2\ninternal_note  x\nname           B\n\n'.slice(-41),
		);
	});

	it('cuts an important cell last, and none below what says something', async () => {
		const row = { outcome: 'failed', assignee: 5, command: 'ticket fields set', message: 'x'.repeat(60) };
		const columns: Column[] = [
			{ path: 'outcome' },
			{ path: 'assignee' },
			{ path: 'command', least: 12 },
			{ path: 'message', important: true },
		];
		expect(await table([row], { columns, width: 46 })).toBe(
			`OUTCOME  ASSIGNEE  COMMAND       MESSAGE\nfailed   5         ticket fiel…  ${'x'.repeat(11)}…\n`,
		);
		expect(await table([row], { columns, width: 36 })).toMatch(/^outcome {3}failed\n/);
	});

	it('leaves out optional columns in which all rows have what goes without saying; programs get them', async () => {
		const columns: Column[] = [{ path: 'id' }, { path: 'scheme', optional: true, usual: 'basic' }];
		const usual = { id: 1, scheme: 'basic' };
		expect(await table([usual], { columns })).toBe('ID\n1\n');
		expect(await table([usual, { id: 2, scheme: 'none' }], { columns })).toBe('ID  SCHEME\n1   basic\n2   none\n');
		expect(await table([usual], { columns, width: 1 })).toBe('id  1\n\n');
		expect(await table([usual], { columns, format: 'csv' })).toBe('id,scheme\n1,basic\n');
		expect(await table([usual], { columns, fields: 'scheme' })).toBe('SCHEME\nbasic\n');
	});

	it('never cuts a whole column, not even in a row that comes late', async () => {
		const columns: Column[] = [{ path: 'path', whole: true }, { path: 'body' }];
		const early = Array.from({ length: 200 }, () => ({ path: '/tickets/1', body: 'what is sent to it' }));
		const late = { path: '/tickets/1000000000', body: 'more' };
		const text = await table([...early, late, late], { columns, width: 24 });
		expect(text.split('\n').slice(0, 2)).toEqual(['PATH        BODY', '/tickets/1  what is sen…']);
		expect(text.slice(text.lastIndexOf('…\n') + 2)).toBe(`\n${'path  /tickets/1000000000\nbody  more\n\n'.repeat(2)}`);
	});

	it('shows optional columns only where a row has something in them, from the screen of that row on', async () => {
		const columns: Column[] = [{ path: 'id' }, { path: 'message', optional: true }];
		expect(await table([{ id: 1 }, { id: 2 }], { columns })).toBe('ID\n1\n2\n');
		expect(await table([{ id: 1 }, { id: 2, message: 'no' }], { columns })).toBe('ID  MESSAGE\n1\n2   no\n');
		const late = [...Array.from({ length: 250 }, (_, index) => ({ id: index })), { id: 999, message: 'late' }];
		const lines = (await table(late, { columns })).split('\n');
		expect(lines.slice(199, 204)).toEqual(['198', '199', '', 'ID   MESSAGE', '200']);
		expect(lines.slice(-2)).toEqual(['999  late', '']);
	});

	it('widens for rows after the first ones instead of cutting what there is room for', async () => {
		const rows = [
			...Array.from({ length: 200 }, (_, id) => ({ id, name: 'x' })),
			{ id: 1_000_000, name: 'a longer name' },
		];
		expect(await table(rows)).toContain('\n1000000  a longer name\n');
	});

	it('finds columns that only the rows know', async () => {
		const more = (row: Readonly<Record<string, unknown>>): Column[] =>
			Object.keys(row.fields as object).map((name) => ({
				path: `field.${name}`,
				label: name,
				get: (each) => (each.fields as Record<string, unknown>)[name],
			}));
		const rows = [
			{ id: 1, fields: { Order: '7' } },
			{ id: 2, fields: { Colour: 'red', Order: '8' } },
		];
		expect(await table(rows, { columns: [{ path: 'id' }], more })).toBe('ID  ORDER  COLOUR\n1   7\n2   8      red\n');
		expect(await table(rows, { columns: [{ path: 'id' }], more, format: 'csv', isTTY: false })).toBe(
			'id,Order,Colour\n1,7,\n2,8,red\n',
		);
	});

	it('keeps columns aligned behind emoji of any age, scripts with marks, and colours', async () => {
		const names = ['🧑‍💻', '🫡 ok', '🥲', 'ก็ดี', 'हिन्दी', '葛󠄀', 'می‌خواهم', '日本', '\ue000\ue000', 'plain', '❤️‍🔥', ''];
		const palette = await openPalette({ env: {}, argv: [] }, { isTTY: true });
		const columns: Column[] = [{ path: 'a' }, { path: 'name', style: () => 'good' }, { path: 'end' }];
		for (const width of [80, 20]) {
			const rows = names.map((name) => ({ a: name, name: `${name} ${name}`, end: '|' }));
			const lines = (await table(rows, { columns, palette, width })).trimEnd().split('\n');
			expect(lines).toHaveLength(names.length + 1);
			const ends = lines.slice(1).map((line) => stringWidth(line.slice(0, line.lastIndexOf('|'))));
			expect(new Set(ends).size).toBe(1);
			if (width < 80) continue;
			for (const [index, name] of names.entries()) expect(lines[index + 1]).toContain(`${name} ${name}`.trim());
		}
	});

	it('paints headers and cells without upsetting their widths', async () => {
		const palette = await openPalette({ env: {}, argv: [] }, { isTTY: true });
		const columns: Column[] = [{ path: 'outcome', style: () => 'good' }, { path: 'id' }];
		expect(await table([{ outcome: 'ok', id: 1 }], { palette, columns })).toBe(
			'\x1b[2mOUTCOME\x1b[22m  \x1b[2mID\x1b[22m\n\x1b[32mok\x1b[39m       1\n',
		);
	});

	it('shows one object as key and value, lines of a value below each other', async () => {
		expect(await table([{ id: 3, content: 'one\ntwo\x1b[2J', empty: null }], { single: true })).toBe(
			'id       3\ncontent  one\n         two\\x1b[2J\nempty\n',
		);
	});

	it('breaks texts of one object between words on a terminal; a single word stays whole, and all in a pipe', async () => {
		const row = {
			id: 3,
			content: 'It does not turn on since the update',
			path: '/var/lib/supportctl/runs/20261128.ndjson',
		};
		const options = { single: true, width: 32 };
		expect(await table([row], options)).toBe(
			[
				'id       3',
				'content  It does not turn on',
				'         since the update',
				'path     /var/lib/supportctl/runs/20261128.ndjson\n',
			].join('\n'),
		);
		expect(await table([row], { ...options, isTTY: false })).toContain('It does not turn on since the update\n');
	});

	it('leaves JSON in one line, so that it can be copied', async () => {
		const body = { title: 'It does not turn on since the update' };
		expect(await table([{ id: 3, body }], { single: true, width: 32 })).toBe(
			`id    3\nbody  ${JSON.stringify(body)}\n`,
		);
	});

	it('prints nothing for no rows', async () => {
		expect(await table([])).toBe('');
	});
});

describe('truncate', () => {
	it('never exceeds the width and never cuts a character in half (property)', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, width) => {
				const cut = truncate(text, width);
				expect(stringWidth(cut)).toBeLessThanOrEqual(Math.max(width, 0));
				expect(cut).not.toMatch(/[\ud800-\udfff]/u);
				if (stringWidth(text) <= width) expect(cut).toBe(text);
			}),
		);
	});
});

describe('fitWidths', () => {
	it('fits whenever the minimums do, and leaves alone what is narrow (property)', () => {
		const widths = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 12 });
		fc.assert(
			fc.property(widths, fc.integer({ min: 1, max: 250 }), (natural, available) => {
				const least = natural.map(() => 8);
				const fitted = fitWidths(natural, least, available);
				const sum = (list: readonly number[]): number => list.reduce((total, each) => total + each, 0);
				if (sum(natural.map((each) => Math.min(each, 8))) > available) {
					expect(fitted).toBeUndefined();
					return;
				}
				expect(sum(fitted as number[])).toBeLessThanOrEqual(available);
				// Less is left over than one column for each that was shrunk.
				const shrunk = natural.filter((each, index) => (fitted as number[])[index] !== each).length;
				expect(available - sum(fitted as number[])).toBeLessThan(shrunk === 0 ? Number.POSITIVE_INFINITY : shrunk);
				natural.forEach((each, index) => {
					expect(fitted?.[index]).toBeGreaterThanOrEqual(Math.min(each, 8));
					expect(fitted?.[index]).toBeLessThanOrEqual(each);
				});
			}),
		);
	});
});

it.each([80, 20])('names of columns that the service chose command no terminal, %i wide', async (width) => {
	const text = await table([{ id: 1, 'a\x1b[2J\u202eb': 'c'.repeat(30) }], { width });
	expect(text).not.toMatch(/[\x1b\u202e]/);
	expect(text.toLowerCase()).toContain('a\\x1b[2j\\u202eb');
});

it('a table in a pipe clips nothing', async () => {
	const long = 'x'.repeat(5000);
	expect(await table([{ id: 1, long }], { isTTY: false })).toContain(long);
});

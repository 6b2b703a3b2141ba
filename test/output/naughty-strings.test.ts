/** Every text of the Big List of Naughty Strings through every output, read back by readers of others. */

import strings from 'big-list-of-naughty-strings/blns.json' with { type: 'json' };
import { parse as parseCsv } from 'csv-parse/sync';
import { HtmlValidate } from 'html-validate';
import { load as loadYaml } from 'js-yaml';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { delimiterOf, readCsv } from '../../src/bulk/input/csv.js';
import { html } from '../../src/bulk/reports/html.js';
import { pageOfPlan } from '../../src/bulk/reports/page.js';
import type { RenderOptions } from '../../src/output/columns.js';
import type { Format } from '../../src/output/formats.js';
import { outcomeOf } from '../support/journal.js';
import { testRenderer } from '../support/renderer.js';
import { planFacts, reportOf, runOf } from '../support/report.js';
import { elementsOf, readXml } from '../support/xml.js';

/** The list, and characters that it lacks: beyond U+FFFF, no characters at all, and line ends of Unicode. */
const naughty = [...strings, '\ufffe', '\uffff', 'a\u{1fffe}b', '\u{10ffff}', '😀', '\u{e0001}', '\u0085', '\u2028x'];
const rows = naughty.map((text, at) => ({ id: at + 1, text }));

async function print(format: Format, options: Partial<RenderOptions> = {}): Promise<string> {
	let text = '';
	const columns = [{ path: 'id' }, { path: 'text' }];
	const renderer = await testRenderer({ isTTY: false, format, columns, ...options }, (piece) => {
		text += piece;
	});
	for (const row of rows) await renderer.row(row);
	await renderer.end();
	return text;
}

async function ownCsv(text: string, format: 'csv' | 'tsv'): Promise<string[][]> {
	async function* chunks() {
		yield text;
	}
	const found: string[][] = [];
	for await (const batch of readCsv(chunks(), 'naughty', delimiterOf(text, format))) {
		for (const { cells = [] } of batch) found.push([...cells]);
	}
	return found;
}

const asCells = [['id', 'text'], ...rows.map(({ id, text }) => [String(id), text])];

describe('naughty strings', () => {
	it.each([['csv', ','] as const, ['tsv', '\t'] as const])(
		'in %s are read back as they are',
		async (format, delimiter) => {
			const text = await print(format);
			expect(parseCsv(text, { delimiter })).toEqual(asCells);
			expect(await ownCsv(text, format)).toEqual(asCells);
		},
	);

	it('in JSON and NDJSON are read back as they are', async () => {
		expect(JSON.parse(await print('json'))).toEqual(rows);
		const lines = (await print('ndjson')).trimEnd().split('\n');
		expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
	});

	it('in YAML are read back as they are by two readers', async () => {
		const text = await print('yaml');
		expect(loadYaml(text)).toEqual(rows);
		expect(parseYaml(text)).toEqual(rows);
	});

	it('in YAML are written with the characters and escapes that PyYAML reads', async () => {
		const text = await print('yaml');
		// What its reader calls printable; it refuses a whole document for any other character.
		expect(text).toMatch(/^[\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
		// It does not join the halves of a pair.
		expect(text).not.toMatch(/\\ud[89ab][0-9a-f]{2}\\ud[c-f]/i);
	});

	it('in a table keep to one line a row, and command no terminal', async () => {
		const text = await print('table', { isTTY: true, width: 80 });
		const lines = text.trimEnd().split('\n');
		expect(lines).toHaveLength(rows.length + 1);
		expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
		expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
	});

	const failedRun = () =>
		runOf(
			naughty.map((message, at) =>
				outcomeOf(at + 1, { outcome: 'failed', status: 400, code: message, message, reasons: { [message]: message } }),
			),
		);

	it('in reports break neither HTML, nor a table in markdown, nor XML', async () => {
		const run = await failedRun();
		const validator = new HtmlValidate({ extends: ['html-validate:recommended'] });
		const plan = planFacts(naughty.map((text) => ({ old: { [text]: text }, new: { [text]: text }, label: text })));
		for (const page of [await reportOf('html', run), [...html(pageOfPlan(plan))].join('')]) {
			const { results } = await validator.validateString(page);
			expect(results.flatMap(({ messages }) => messages)).toEqual([]);
		}
		expect(elementsOf(readXml(await reportOf('junit', run)), 'failure')).toHaveLength(naughty.length);
		const table = (await reportOf('markdown', run)).split('\n').filter((line) => /^\| \d+ \| \d+ \|/.test(line));
		expect(table).toHaveLength(50);
		for (const line of table) expect(line.replace(/\\./g, '').split('|')).toHaveLength(7);
	});
});

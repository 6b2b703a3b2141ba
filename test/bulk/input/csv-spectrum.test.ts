/** The suite csv-spectrum: files that readers of CSV often get wrong, and what they hold. */

import { promisify } from 'node:util';
import csvSpectrum from 'csv-spectrum';
import { describe, expect, it } from 'vitest';
import { delimiterOf, readCsv } from '../../../src/bulk/input/csv.js';

const files = await promisify(csvSpectrum)();

async function read(name: string, bytes: Buffer): Promise<Record<string, string | undefined>[]> {
	async function* chunks() {
		yield bytes.toString();
	}
	const rows: string[][] = [];
	for await (const batch of readCsv(chunks(), name, delimiterOf(bytes.toString(), 'csv'))) {
		for (const { cells = [] } of batch) rows.push([...cells]);
	}
	const [header = [], ...others] = rows;
	return others.map((cells) => Object.fromEntries(header.map((column, at) => [column, cells[at]])));
}

describe('csv-spectrum', () => {
	it.each(files.map((file) => [file.name, file] as const))(
		'%s is read as its JSON says',
		async (name, { csv, json }) => {
			const rows = [JSON.parse(json.toString())].flat();
			// In the suite itself this cell differs.
			const known = name === 'location_coordinates' ? { 'Contact Phone Number': '2095257564' } : {};
			expect(await read(name, csv)).toEqual(rows.map((row) => ({ ...row, ...known })));
		},
	);
});

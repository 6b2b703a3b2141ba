/** One object as the result of a command that otherwise only says what it did: printed where a format was asked for. */

import type { Column } from '../output/columns.js';
import type { Invocation } from './command.js';
import { stdoutPalette } from './palette.js';
import { openResults, type ResultShape } from './results.js';

/**
 * Prints `row` on stdout if the command line asks for data; commands that change something say so on stderr.
 * @param id What `--format ids` prints.
 */
export async function printIfAsked(
	invocation: Invocation,
	row: Readonly<Record<string, unknown>>,
	id: unknown = row.profile,
): Promise<void> {
	const { json, format, field, fields, query } = invocation.options;
	if (json !== true && [format, field, fields, query].every((each) => each === undefined)) return;
	const results = await openResults(invocation, {
		single: true,
		keys: Object.keys(row),
		idOf: () => id,
		palette: await stdoutPalette(invocation),
	});
	await results.row(row);
	await results.end();
}

/** Prints rows on stdout; the columns are all that they have. @throws UsageError for another one */
export async function printRows(
	invocation: Invocation,
	rows: readonly Readonly<Record<string, unknown>>[],
	columns: readonly Column[],
	idOf: ResultShape['idOf'],
): Promise<void> {
	const results = await openResults(invocation, {
		columns,
		keys: columns.map(({ path }) => path),
		idOf,
		palette: await stdoutPalette(invocation),
	});
	for (const row of rows) await results.row(row);
	await results.end();
}

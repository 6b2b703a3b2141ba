/** One object as the result of a command that otherwise only says what it did: printed where a format was asked for. */

import { ExitCode } from '../errors.js';
import type { Column } from '../output/columns.js';
import type { Invocation } from './command.js';
import { stdoutPalette } from './palette.js';
import { openResults, type ResultShape } from './results.js';
import { createSentResults, onlyOutputFailed } from './sent-results.js';

type ResultRow = Readonly<Record<string, unknown>>;

/** Whether the command line asks for data; commands that change something say so on stderr else. */
function isAsked({ options }: Invocation): boolean {
	const { json, format, field, fields, query } = options;
	return json === true || [format, field, fields, query].some((each) => each !== undefined);
}

async function openResult(invocation: Invocation, keys: readonly string[], idOf: ResultShape['idOf']) {
	return openResults(invocation, { single: true, keys, idOf, palette: await stdoutPalette(invocation) });
}

/**
 * Prints `row` on stdout if the command line asks for data.
 * @param id What `--format ids` prints.
 */
export async function printIfAsked(invocation: Invocation, row: ResultRow, id: unknown): Promise<void> {
	if (!isAsked(invocation)) return;
	const results = await openResult(invocation, Object.keys(row), () => id);
	await results.row(row);
	await results.end();
}

/**
 * Opens what will be told of a change to a profile, before the change is made.
 * @returns prints it, if the command line asks for data
 * @throws UsageError for a column or a query that can't be used
 */
export async function openChange(
	invocation: Invocation,
	keys: readonly string[],
): Promise<(row: ResultRow) => Promise<void>> {
	if (!isAsked(invocation)) return async () => undefined;
	const results = createSentResults(await openResult(invocation, keys, ({ profile }) => profile));
	return async (row) => {
		await results.row(row);
		const trouble = await results.end();
		if (trouble !== undefined) throw onlyOutputFailed(trouble, 'the change was made', ExitCode.ok);
	};
}

/** Prints rows on stdout; the columns are all that they have. @throws UsageError for another one */
export async function printRows(
	invocation: Invocation,
	rows: readonly ResultRow[],
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

/** `run rejects`: the failed rows in the input's own columns plus `error`, ready to be mended and fed in again. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ownId } from '../../../api/path-ids.js';
import { outcomeNames } from '../../../bulk/counts.js';
import { asWrittenColumn, reasonColumn } from '../../../bulk/input/added-columns.js';
import { type InputSource, openInput, type RawRow } from '../../../bulk/input/source.js';
import type { RowRecord, RunHeader } from '../../../bulk/records.js';
import { errorText, gatherRejects, isMisshapen, type RejectLayout, rejectedRow } from '../../../bulk/rejects.js';
import { finalRecords } from '../../../bulk/row-records.js';
import { readRunHeader, summariseRun } from '../../../bulk/runs.js';
import { type JournalScan, scanJournal } from '../../../bulk/scan.js';
import { ExitCode, UsageError } from '../../../errors.js';
import type { OutcomeName } from '../../../http/outcome.js';
import type { Column, Row } from '../../../output/columns.js';
import { isSecretName } from '../../../output/redact.js';
import { defineCommand, type Invocation } from '../../command.js';
import type { OptionValues } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { stdoutPalette } from '../../palette.js';
import { openResults, type ResultShape } from '../../results.js';
import { columnsOfRun } from '../../rows/column-map.js';
import { runArgument } from '../../run-argument.js';
import { checkInputThere, namedRun, runsPlace, type UnreachedRows, unreachedNote, unreachedRows } from '../../runs.js';

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The run's input once more, from where it was or is now; undefined where it was standard input, of which no copy is kept. */
async function openAgain(header: RunHeader, invocation: Invocation): Promise<InputSource | undefined> {
	const { ids, path, format, spooled } = header.input;
	const { context, options } = invocation;
	const common = { stateDir: runsPlace(invocation), cwd: context.cwd, format };
	const given = options.input as string | undefined;
	if (ids !== undefined) return await openInput({ ...common, stdin: nothing(), ids });
	if (given !== undefined) {
		const stdin = { [Symbol.asyncIterator]: () => context.stdin.bytes()[Symbol.asyncIterator]() };
		return await openInput({ ...common, stdin, path: given });
	}
	if (path === undefined || (spooled === true && !existsSync(path))) return undefined;
	checkInputThere(header);
	return await openInput({ ...common, stdin: nothing(), path });
}

/** Whether the input is a file of somebody's, and no copy that was made of standard input or a pipe just now. */
function isNamed({ path }: InputSource, header: RunHeader, { context, options }: Invocation): boolean {
	const given = options.input as string | undefined;
	return path === header.input.path || (given !== undefined && path === resolve(context.cwd, given));
}

function outcomesOf(options: OptionValues): readonly OutcomeName[] | undefined {
	return options.outcome as OutcomeName[] | undefined;
}

type Wanted = (record: RowRecord) => boolean;

/** Without `--outcome`, the rows that only a person can mend: those that were refused with 401 are sent by a resume. */
function wantedBy(outcomes: readonly OutcomeName[] | undefined): Wanted {
	if (outcomes !== undefined) return ({ outcome }) => outcomes.includes(outcome);
	return ({ outcome, status }) => {
		return outcome === 'differs' || outcome === 'invalid' || (outcome === 'failed' && status !== 401);
	};
}

/** The record of a row that is to be printed; undefined for any other row. */
type RecordOf = (raw: RawRow) => RowRecord | undefined;

/**
 * Reads the input to its end.
 * @returns whether any row has a wrong number of cells
 * @throws UsageError where it is not what the run had
 */
async function checkUnchanged(source: InputSource, header: RunHeader): Promise<boolean> {
	let isAnyMisshapen = false;
	for await (const batch of source.read()) {
		isAnyMisshapen ||= batch.some((raw) => isMisshapen(raw, source.columns));
	}
	if (source.sha256 === header.input.sha256) return isAnyMisshapen;
	const isOwn = source.path === header.input.path;
	const [name, why] = isOwn ? [header.input.name, ': it has changed since'] : [source.name, ''];
	throw new UsageError(`${name} is not what run ${header.id} read${why}`, {
		code: 'input_changed',
		hint: `supportctl run show ${header.id} --outcome failed lists the rows without it`,
	});
}

/** The id that a record has for its row, also one that no endpoint has any more. */
const idOf = ({ ids }: RowRecord): unknown => ownId(ids, Object.keys(ids));

async function countMisshapen(source: InputSource, recordOf: RecordOf): Promise<number> {
	let count = 0;
	for await (const batch of source.read()) {
		for (const raw of batch) if (isMisshapen(raw, source.columns) && recordOf(raw) !== undefined) count++;
	}
	return count;
}

/** The names of the first row's path ids. */
async function firstIdNames(source: InputSource, recordOf: RecordOf): Promise<readonly string[]> {
	for await (const batch of source.read()) {
		for (const raw of batch) {
			const names = Object.keys(recordOf(raw)?.ids ?? {});
			if (names.length > 0) return names;
		}
	}
	return [];
}

function misshapenNote(count: number, column: string): string {
	const rows = count === 1 ? '1 row has' : `${count} rows have`;
	return `note: ${rows} a wrong number of cells; ${column} shows what was written: mend the row, then empty that cell\n`;
}

/** A row to print, and the id that names it, whatever the input calls its columns. */
interface PrintedReject {
	row: Row;
	id: unknown;
}

async function* rejectedRows(
	source: InputSource,
	recordOf: RecordOf,
	layout: RejectLayout,
): AsyncGenerator<PrintedReject> {
	for await (const batch of source.read()) {
		for (const raw of batch) {
			const record = recordOf(raw);
			if (record === undefined) continue;
			yield { row: rejectedRow(raw, record, layout), id: idOf(record) };
		}
	}
}

/** What the journal alone can give: the ids and the reason. */
async function* rowsFromJournal(
	path: string,
	isWanted: Wanted,
	{ reason }: RejectLayout,
): AsyncGenerator<PrintedReject> {
	for await (const batch of finalRecords(path)) {
		for (const record of batch) {
			if (!isWanted(record)) continue;
			yield { row: { ...record.ids, [reason]: errorText(record) }, id: idOf(record) };
		}
	}
}

/** A name with a dot in it is one key, and its own label. */
const ownColumn = (name: string): Column => ({ path: name, label: name });

type Columns = Pick<ResultShape, 'columns' | 'more'>;

/** The columns that are printed, the reason last; NDJSON's rows have their own keys. */
function columnsOf(source: InputSource | undefined, { columns, idNames, asWritten, reason }: RejectLayout): Columns {
	const others = (names: readonly string[]): Column[] =>
		names.filter((name) => name !== asWritten && name !== reason).map(ownColumn);
	const last = ownColumn(reason);
	if (source?.format === 'ndjson' || source?.format === 'json') {
		return { columns: [{ ...last, optional: true, important: true }], more: (row) => others(Object.keys(row)) };
	}
	const before = others(columns ?? (idNames.length === 0 ? ['id'] : idNames));
	return { columns: [...before, ...(asWritten === undefined ? [] : [ownColumn(asWritten)]), last] };
}

async function print(
	invocation: Invocation,
	columns: Columns,
	format: string,
	rejects: AsyncIterable<PrintedReject>,
): Promise<void> {
	// What a query makes of the rows has ids of its own.
	const ids = new WeakMap<Row, unknown>();
	const results = await openResults(invocation, {
		palette: await stdoutPalette(invocation),
		...columns,
		profileFormat: invocation.context.stdout.isTTY ? undefined : format,
		idOf: (row) => ids.get(row) ?? ownId(row),
	});
	const { options, context } = invocation;
	const onlyIds = options.format === 'ids' && options.query === undefined && options.fields === undefined;
	let nameless = 0;
	for await (const { row, id } of rejects) {
		if (onlyIds && id === undefined) {
			nameless++;
			continue;
		}
		ids.set(row, id);
		await results.row(row);
	}
	await results.end();
	if (nameless === 0) return;
	const rows = nameless === 1 ? '1 row has' : `${nameless} rows have`;
	context.stderr.write(`warning: ${rows} no id that could be read; --format csv gives back all of them\n`);
}

/** What the layout of all rows has from the run's flags. */
function ownNames(header: RunHeader): Pick<RejectLayout, 'reason' | 'isSecret'> {
	const { isSent, fieldOf } = columnsOfRun(header);
	return { reason: reasonColumn(isSent), isSecret: (name) => isSecretName(name) || isSecretName(fieldOf(name)) };
}

/** What is known of rows without a record, where they are asked for and there are any. */
async function readUnreached(
	{ options }: Invocation,
	path: string,
): Promise<(UnreachedRows & JournalScan) | undefined> {
	if (!outcomesOf(options)?.includes('not-sent')) return undefined;
	const scan = await scanJournal(path);
	const unreached = unreachedRows(await summariseRun(path, scan.header.id, scan), scan);
	return unreached.count !== undefined && unreached.count <= 0 ? undefined : { ...unreached, ...scan };
}

async function giveFromJournal(invocation: Invocation, path: string, header: RunHeader): Promise<void> {
	const { stderr } = invocation.context;
	const isWanted = wantedBy(outcomesOf(invocation.options));
	const { idNames, close } = await gatherRejects(path, isWanted);
	close();
	stderr.write(
		'note: the run read standard input, which is not kept: only ids can be given back, unless --input FILE has it\n',
	);
	const unreached = await readUnreached(invocation, path);
	if (unreached !== undefined) stderr.write(unreachedNote(header, unreached, 'what is missing is in the input alone'));
	const layout: RejectLayout = { ...ownNames(header), columns: undefined, idNames };
	await print(invocation, columnsOf(undefined, layout), 'csv', rowsFromJournal(path, isWanted, layout));
}

/** Finds the rows that the run ended without, where they are asked for; of those that may have been sent it only tells. */
async function openSurelyUnreached(
	invocation: Invocation,
	path: string,
	source: InputSource,
): Promise<RecordOf | undefined> {
	const unreached = await readUnreached(invocation, path);
	if (unreached === undefined) return undefined;
	const { doubt, header, states } = unreached;
	if (doubt === undefined) return (await import('../../rows/unreached.js')).openUnreached(invocation, source, states);
	invocation.context.stderr.write(unreachedNote(header, unreached, ''));
	return undefined;
}

async function giveFromInput(
	invocation: Invocation,
	path: string,
	header: RunHeader,
	source: InputSource,
): Promise<void> {
	const { stderr } = invocation.context;
	const isAnyMisshapen = await checkUnchanged(source, header);
	const findUnreached = await openSurelyUnreached(invocation, path, source);
	const rejects = await gatherRejects(path, wantedBy(outcomesOf(invocation.options)));
	try {
		const recordOf: RecordOf = (raw) => rejects.recordOf(raw.row) ?? findUnreached?.(raw);
		const misshapen = isAnyMisshapen ? await countMisshapen(source, recordOf) : 0;
		const { isSent, isLeftOut } = columnsOfRun(header);
		const asWritten = misshapen === 0 ? undefined : asWrittenColumn((name) => isSent(name) || isLeftOut(name));
		// A run that reached no row has no names of ids in its journal.
		const idNames = rejects.idNames.length === 0 ? await firstIdNames(source, recordOf) : rejects.idNames;
		const { columns, delimiter } = source;
		const layout: RejectLayout = { ...ownNames(header), columns, delimiter, idNames, asWritten };
		const format = source.format === 'ids' ? 'csv' : source.format;
		await print(invocation, columnsOf(source, layout), format, rejectedRows(source, recordOf, layout));
		if (asWritten !== undefined) stderr.write(misshapenNote(misshapen, asWritten));
	} finally {
		rejects.close();
	}
}

export const command = defineCommand({
	summary: "Give back a run's failed rows in the input's own columns, with the reason under error.",
	description:
		'Mend them and feed them in again: the error column is left out of what is sent; where --map sends a column error, the reason is under rejected_because. A row with too many or too few cells stands whole under as_written, and is taken again only when that cell is empty. Rows that failed or were invalid are given; --outcome chooses others, and not-sent also those that the run ended without. Secrets are printed as [redacted], which no command takes for a value. A changed input is refused; --input says where it is, for instance beside a journal from another machine.',
	examples: [
		{ command: 'supportctl run rejects last --format csv > rejects.csv', note: 'to mend in a spreadsheet' },
		{ command: 'supportctl run rejects last --outcome unknown', note: 'rows whose fate is not known' },
		{
			command: 'supportctl run rejects last --outcome not-sent --format csv',
			note: 'rows that the run did not get to',
		},
	],
	arguments: [runArgument],
	options: [
		{
			flags: '--input <file>',
			help: "Where the run's input is now, or - for stdin",
			group: 'Rows',
			completes: 'files',
			defaultText: 'where the run read it',
		},
		{
			flags: '--outcome <name>',
			help: 'Give the rows with this outcome',
			group: 'Rows',
			repeatable: true,
			choices: outcomeNames,
			defaultText: 'failed and invalid, without 401',
		},
		...outputOptions,
	],
	async run(invocation) {
		const path = namedRun(invocation);
		const header = readRunHeader(path);
		const source = await openAgain(header, invocation);
		if (source === undefined) {
			await giveFromJournal(invocation, path, header);
			return ExitCode.ok;
		}
		try {
			await giveFromInput(invocation, path, header, source);
		} finally {
			await source.dispose({ keep: isNamed(source, header, invocation) });
		}
		return ExitCode.ok;
	},
});

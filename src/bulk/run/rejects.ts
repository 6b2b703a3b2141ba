/** The rows of a run that were not done, in the columns of its input, each with the reason; found without holding them in memory. */

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { formatCsvRecord } from '../../csv.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import type { InputSource, RawRow } from '../input/input.js';
import { journalLines, parseRecord } from '../journal-lines.js';
import { rowRecordOf } from '../read-records.js';
import { differences, fullMessage, type RowRecord } from '../records.js';
import { RowNumbers } from '../row-numbers.js';
import { finalRecords } from '../row-records.js';
import { readRunHeader } from '../runs.js';
import { scanJournal } from '../scan.js';
import { openInputOf } from './open.js';
import { chosenRows } from './past-rows.js';
import type { RunHeader, RunPlan } from './plan.js';
import { invalidOutcome, isInvalid, isOwn, planRows, type RowContext } from './rows.js';

/** Stands for a secret; no command accepts it as a value. */
const PLACEHOLDER = '[redacted]';
const WINDOW_BYTES = 64 * 1024;

export type Wanted = (record: Pick<RowRecord, 'outcome' | 'status' | 'code'>) => boolean;

/** Without a choice: rows to fix or to retry, and those whose object was changed meanwhile. Those refused with 401 are sent by a resume. */
export function wantedBy(outcomes: readonly OutcomeName[] | undefined): Wanted {
	if (outcomes !== undefined) return ({ outcome }) => outcomes.includes(outcome);
	return ({ outcome, status, code }) =>
		outcome === 'invalid' ||
		outcome === 'differs' ||
		(outcome === 'failed' && status !== 401) ||
		(outcome === 'skipped' && code === 'conflict');
}

export interface RejectOptions {
	isWanted: Wanted;
	/** The name of the column of reasons. */
	reason: string;
	isSecret(name: string): boolean;
}

export interface Reject {
	row: Record<string, unknown>;
	/** Path ids, as far as they could be read. */
	ids: Readonly<Record<string, string>>;
}

/** Opens the input that a run read; undefined where it was standard input of which no copy is kept. @throws UsageError */
export async function openPastInput(
	{ source }: Pick<RunPlan, 'source'>,
	context: Pick<RowContext, 'stdin' | 'stateDir'>,
): Promise<InputSource | undefined> {
	if (source.from === 'run') return await openPastInput({ source: source.rows }, context);
	if (source.from === 'snapshots' || (source.from === 'file' && !existsSync(source.path) && source.path !== '-'))
		return undefined;
	return await openInputOf(source, context);
}

/** Reads the input to its end. @throws UsageError where it is not what the run read */
export async function checkUnchanged({ id, input, plan }: RunHeader, source: InputSource): Promise<void> {
	if (plan.source.from === 'run') return await checkUnchanged(readRunHeader(plan.source.journal), source);
	for await (const _ of source.read());
	if (source.sha256 === input.sha256) return;
	throw new UsageError(`${source.name} is not what run ${id} read`, {
		code: 'input_changed',
		hint: `supportctl run show ${id} --outcome failed lists the rows without it`,
	});
}

/** The wanted rows of the input, in its order. */
export async function* rejectsOf(
	journal: string,
	header: RunHeader,
	input: InputSource,
	options: RejectOptions,
	context: Pick<RowContext, 'dialect'>,
): AsyncGenerator<Reject> {
	const records = await findRecords(journal, options.isWanted);
	const unreached = options.isWanted({ outcome: 'not-sent' })
		? await unreachedRows(journal, header, input, context)
		: undefined;
	try {
		for await (const batch of input.read()) {
			for (const raw of batch) {
				const record = records.recordOf(raw.row) ?? unreached?.(raw);
				if (record !== undefined) yield { row: rejectedRow(raw, record, input, options), ids: record.ids };
			}
		}
	} finally {
		records.close();
	}
}

/** What the journal alone has of the wanted rows: ids and reason. */
export async function* rejectsWithoutInput(
	journal: string,
	{ isWanted, reason }: RejectOptions,
): AsyncGenerator<Reject> {
	for await (const batch of finalRecords(journal)) {
		for (const record of batch) {
			if (isWanted(record)) yield { row: { ...record.ids, [reason]: errorText(record) }, ids: record.ids };
		}
	}
}

/** Rows that the run ended without: the journal has no record of them. Those that may have been sent are left out. */
async function unreachedRows(
	journal: string,
	{ plan }: RunHeader,
	input: InputSource,
	{ dialect }: Pick<RowContext, 'dialect'>,
): Promise<(raw: RawRow) => RowRecord | undefined> {
	const { states } = await scanJournal(journal);
	// Which rows they are does not depend on secrets.
	const secrets = Object.fromEntries(plan.values.withheld.map((name) => [name, '']));
	const { planRow } = planRows(plan, input, { dialect, secrets });
	const isChosen = await chosenRows(plan.source);
	return (raw) => {
		if (!isChosen(raw.row)) return undefined;
		if (states.outcomeOf(raw.row) !== undefined || states.maybeSent(raw.row)) return undefined;
		const planned = planRow(raw);
		if (!isOwn(planned, plan.shard)) return undefined;
		const invalid = isInvalid(planned) ? invalidOutcome(planned) : undefined;
		const message = ['the run ended before it was reached', ...(invalid === undefined ? [] : [invalid.message])].join(
			'; ',
		);
		const ids = isInvalid(planned) ? (invalid?.ids ?? {}) : planned.request.ids;
		return { type: 'row', row: raw.row, ids, outcome: 'not-sent', message, attempts: 0, ms: 0 };
	};
}

/** Why a row was rejected, in one line: `400 rest_invalid_param: Invalid parameter(s): status (status: …)`. */
function errorText(record: RowRecord): string {
	const head = [record.status, record.code].filter((part) => part !== undefined).join(' ');
	const message = [fullMessage(record) ?? record.outcome, ...differences(record)].join('; ');
	return head === '' || record.outcome === 'invalid' ? message : `${head}: ${message}`;
}

function rejectedRow(
	raw: RawRow,
	record: RowRecord,
	{ columns, delimiter }: InputSource,
	{ reason, isSecret }: RejectOptions,
): Record<string, unknown> {
	const { cells } = raw;
	const isMisshapen = cells !== undefined && columns !== undefined && cells.length !== columns.length;
	// Which cell is whose is not known: the row is given as text, unless some cell is secret.
	const asText = isMisshapen && !columns.some(isSecret) ? `: ${formatCsvRecord(cells, delimiter).trimEnd()}` : '';
	const place = (isMisshapen || raw.problem !== undefined) && raw.line !== undefined ? `line ${raw.line}: ` : '';
	const hide = (name: string, value: unknown): unknown =>
		value !== '' && value !== null && isSecret(name) ? PLACEHOLDER : value;
	const given: [string, unknown][] = isMisshapen
		? columns.map((name) => [name, ''])
		: cells !== undefined && columns !== undefined
			? columns.map((name, at) => [name, cells[at] ?? ''])
			: raw.object !== undefined
				? Object.entries(raw.object)
				: Object.entries(record.ids).length > 0
					? Object.entries(record.ids)
					: [['id', raw.id ?? '']];
	return Object.fromEntries([
		...given.filter(([name]) => name !== reason).map(([name, value]) => [name, hide(name, value)]),
		[reason, `${place}${errorText(record)}${asText}`],
	]);
}

interface FoundRecords {
	recordOf(row: number): RowRecord | undefined;
	close(): void;
}

function recordFrom(text: string | undefined): RowRecord | undefined {
	const json = parseRecord(text);
	return typeof json === 'string' ? undefined : rowRecordOf(json);
}

/** Finds the rows whose last record is wanted, by its place in the journal. */
async function findRecords(path: string, isWanted: Wanted): Promise<FoundRecords> {
	// Where each wanted record begins; 0 is the place of the first line and stands for none.
	const offsets = new RowNumbers(Float64Array);
	for await (const { texts, bytes, end } of journalLines(path)) {
		let offset = end - bytes.length;
		let at = 0;
		for (const text of texts) {
			const record = recordFrom(text);
			if (record !== undefined) offsets.set(record.row, isWanted(record) ? offset : 0);
			const next = bytes.indexOf(10, at) + 1;
			offset += next - at;
			at = next;
		}
	}
	const lines = new LineReader(path);
	return {
		recordOf(row) {
			const offset = offsets.get(row);
			return offset === 0 ? undefined : recordFrom(lines.lineAt(offset));
		},
		close: () => lines.close(),
	};
}

/** Reads lines by their place; neighbours come from one read. */
class LineReader {
	readonly #fd: number;
	readonly #window = Buffer.alloc(WINDOW_BYTES);
	#start = 0;
	#length = 0;

	constructor(path: string) {
		this.#fd = openSync(path, 'r');
	}

	lineAt(offset: number): string {
		const inWindow = this.#find(offset);
		if (inWindow !== undefined) return inWindow;
		this.#fill(offset);
		return this.#find(offset) ?? this.#longLineAt(offset);
	}

	close(): void {
		closeSync(this.#fd);
	}

	#fill(offset: number): void {
		this.#start = offset;
		this.#length = readSync(this.#fd, this.#window, 0, WINDOW_BYTES, offset);
	}

	/** The line, where the window holds all of it. */
	#find(offset: number): string | undefined {
		const from = offset - this.#start;
		if (from < 0 || from >= this.#length) return undefined;
		const end = this.#window.subarray(0, this.#length).indexOf(10, from);
		return end < 0 ? undefined : this.#window.toString('utf8', from, end);
	}

	#longLineAt(offset: number): string {
		const pieces: Buffer[] = [];
		for (let at = offset; ; at += WINDOW_BYTES) {
			this.#fill(at);
			const piece = this.#window.subarray(0, this.#length);
			const end = piece.indexOf(10);
			pieces.push(Buffer.from(piece.subarray(0, end < 0 ? this.#length : end)));
			if (end >= 0 || this.#length < WINDOW_BYTES) return Buffer.concat(pieces).toString('utf8');
		}
	}
}

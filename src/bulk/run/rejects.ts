/** Rows that were not done, in the input's columns with reasons, in constant memory. */

import { existsSync } from 'node:fs';
import { createDialect } from '../../api/dialect.js';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { formatCsvRecord } from '../../text.js';
import { PLACEHOLDER } from '../input/columns.js';
import type { InputSource, RawRow } from '../input/input.js';
import { isToFix, outcomeIn, stateOf } from '../journal/counts.js';
import { type JournalScan, UnderWay } from '../journal/history.js';
import type { RecordFile } from '../journal/read.js';
import { differences, fullMessage, type RowRecord } from '../journal/records.js';
import type { Fields, Ids, RunHeader } from '../plan.js';
import { type InputPlace, inputFileOf, isInput } from '../sources.js';
import { sourceAgain } from './resume.js';
import { invalidOutcome, isInvalid, isOwn, openInputOf, RowPlanner } from './rows.js';

export interface Reject {
	row: Record<string, unknown>;
	ids: Ids;
	/** The run ended before it, and can't have sent it. */
	isUnreached: boolean;
}

/** Undefined if the rows came from a journal or a plan, or if no copy of stdin is left. */
export async function openPastInput(
	header: RunHeader,
	moved: InputPlace | undefined,
	stdin: AsyncIterable<Uint8Array>,
	stateDir: string,
): Promise<InputSource | undefined> {
	const file = inputFileOf(header.plan.source);
	if (header.input.copied && moved === undefined && !existsSync(file?.path ?? '')) return undefined;
	const source = await sourceAgain(header, moved);
	if (!isInput(source)) return undefined;
	return await openInputOf(source, stdin, stateDir);
}

async function checkUnchanged({ id, input }: RunHeader, source: InputSource): Promise<void> {
	await source.readThrough();
	if (source.sha256 === input.sha256) return;
	throw new UsageError(`${source.name} is not the input of run ${id}`, {
		code: 'input_changed',
		hint: `to list the rows without it: supportctl run show ${id} --outcome failed`,
	});
}

export interface RejectOptions {
	outcomes: readonly OutcomeName[] | undefined;
	reason: string;
	isSecretName(name: string): boolean;
}

/** In the order of the input. */
export async function* rejectsOf(
	{ scan, recordOf }: RecordFile,
	input: InputSource | undefined,
	options: RejectOptions,
): AsyncGenerator<Reject> {
	const { reason, outcomes } = options;
	const { states, header } = scan;
	const isWanted = (state: number): boolean =>
		outcomes === undefined ? isToFix(state) : outcomes.includes(outcomeIn(state) as OutcomeName);
	if (input === undefined) {
		for (const row of states.rows()) {
			const record = isWanted(states.get(row)) ? recordOf(row) : undefined;
			if (record !== undefined) yield rejectOf(record, { ...record.ids, [reason]: errorText(record) });
		}
		return;
	}
	await checkUnchanged(header, input);
	const unreached = isWanted(stateOf({ outcome: 'not-sent' })) ? unreachedRows(scan, input) : undefined;
	for await (const batch of input.read()) {
		for (const raw of batch) {
			const record = isWanted(states.get(raw.row)) ? recordOf(raw.row) : undefined;
			const open = record ?? unreached?.(raw);
			if (open !== undefined)
				yield rejectOf(open, rejectedRow(raw, open, input, header, options), record === undefined);
		}
	}
}

function rejectOf({ ids }: RowRecord, row: Record<string, unknown>, isUnreached = false): Reject {
	return { row, ids, isUnreached };
}

function unreachedRows(scan: JournalScan, input: InputSource): (raw: RawRow) => RowRecord | undefined {
	const { states, header } = scan;
	const { plan } = header;
	const underWay = new UnderWay(scan);
	// Which rows they are does not depend on secrets.
	const secrets = Object.fromEntries(plan.values.withheld.map((name) => [name, '']));
	const planner = new RowPlanner(plan, input, createDialect(plan.service.prefixes), secrets);
	return (raw) => {
		const { row } = raw;
		if (states.outcomeOf(row) !== undefined || states.maybeSent(row)) return undefined;
		const planned = planner.finish(raw, planner.columns.read(raw));
		if (!isOwn(planned, plan.shard)) return undefined;
		const unreached = 'the run ended before this row';
		const rest = { row, outcome: 'not-sent', attempts: 0, ms: 0 } as const;
		if (isInvalid(planned)) {
			const { ids, message } = invalidOutcome(planned);
			return { ...rest, ids, message: `${unreached}; ${message}` };
		}
		if (underWay.has(row, planned.request)) return undefined;
		return { ...rest, ids: planned.request.ids, message: unreached };
	};
}

/** `400 rest_invalid_param: Invalid parameter(s): status (status: …)` */
function errorText(record: RowRecord): string {
	const head = [record.status, record.code].filter((part) => part !== undefined).join(' ');
	const message = [fullMessage(record) ?? record.outcome, ...differences(record)].join('; ');
	return head === '' || record.outcome === 'invalid' ? message : `${head}: ${message}`;
}

function rejectedRow(
	raw: RawRow,
	record: RowRecord,
	{ columns }: InputSource,
	{ plan }: RunHeader,
	{ reason, isSecretName }: RejectOptions,
): Record<string, unknown> {
	const { map } = plan.columns;
	const isSecret = (name: string): boolean => isSecretName(name) || isSecretName(map[name] ?? name);
	const { cells, line } = raw;
	let why = errorText(record);
	const isMisshapen = cells !== undefined && columns !== undefined && cells.length !== columns.length;
	if ((isMisshapen || raw.problem !== undefined) && line !== undefined) why = `line ${line}: ${why}`;
	// It is unclear which cell is whose: as text, unless a cell is secret.
	if (isMisshapen && !columns.some(isSecret)) why += `: ${formatCsvRecord(cells).trimEnd()}`;
	const row: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(givenValues(raw, columns, isMisshapen, record))) {
		const isHidden = value !== '' && value !== null && isSecret(name);
		if (name !== reason) row[name] = isHidden ? PLACEHOLDER : value;
	}
	row[reason] = why;
	return row;
}

function givenValues(
	{ cells, object, id = '' }: RawRow,
	columns: readonly string[] | undefined,
	isMisshapen: boolean,
	{ ids }: RowRecord,
): Fields {
	if (cells !== undefined && columns !== undefined) {
		return Object.fromEntries(columns.map((name, at) => [name, isMisshapen ? '' : (cells[at] ?? '')]));
	}
	return object ?? (Object.keys(ids).length > 0 ? ids : { id });
}

/** Rows that were not done, in the input's columns with reasons, in constant memory. */

import { existsSync } from 'node:fs';
import { UsageError } from '../../errors.js';
import { failureBy } from '../../http/judge.js';
import type { OutcomeName } from '../../http/outcome.js';
import { formatCsvRecord } from '../../text.js';
import { PLACEHOLDER } from '../input/columns.js';
import type { InputSource, RawRow } from '../input/input.js';
import { outcomeNames } from '../journal/counts.js';
import { type JournalScan, UnderWay } from '../journal/history.js';
import { openRecords } from '../journal/read.js';
import { differences, fullMessage, type RowRecord } from '../journal/records.js';
import { openInputOf } from './open.js';
import type { RunHeader, RunPlan } from './plan.js';
import { invalidOutcome, isInvalid, isOwn, planRows, type RowContext } from './rows.js';

export type Wanted = (record: Pick<RowRecord, 'outcome' | 'status' | 'code'>) => boolean;

/** By default rows to fix or retry, and conflicts; a resume sends those refused with 401. */
export function wantedBy(outcomes: readonly OutcomeName[] | undefined): Wanted {
	if (outcomes !== undefined) return ({ outcome }) => outcomes.includes(outcome);
	return ({ outcome, status, code }) =>
		outcome === 'invalid' ||
		outcome === 'differs' ||
		(outcome === 'failed' && failureBy(status) !== 'signed-out') ||
		(outcome === 'skipped' && code === 'conflict');
}

function wantedOutcomes(isWanted: Wanted): ReadonlySet<OutcomeName> {
	return new Set(outcomeNames.filter((outcome) => isWanted({ outcome, code: 'conflict' })));
}

export interface RejectOptions {
	isWanted: Wanted;
	reason: string;
	isSecret(name: string): boolean;
}

export interface Reject {
	row: Record<string, unknown>;
	/** As far as they could be read. */
	ids: Readonly<Record<string, string>>;
}

/** Undefined for stdin without a copy. @throws UsageError */
export async function openPastInput(
	{ source }: Pick<RunPlan, 'source'>,
	context: Pick<RowContext, 'stdin' | 'stateDir'>,
): Promise<InputSource | undefined> {
	if (
		source.from === 'snapshots' ||
		source.from === 'plan' ||
		(source.from === 'file' && !existsSync(source.path) && source.path !== '-')
	)
		return undefined;
	return await openInputOf(source, context);
}

/** @throws UsageError for a changed input */
export async function checkUnchanged({ id, input }: RunHeader, source: InputSource): Promise<void> {
	for await (const _ of source.read());
	if (source.sha256 === input.sha256) return;
	throw new UsageError(`${source.name} is not the input of run ${id}`, {
		code: 'input_changed',
		hint: `to list the rows without it: supportctl run show ${id} --outcome failed`,
	});
}

/** In the input's order. */
export async function* rejectsOf(
	journal: string,
	input: InputSource,
	options: RejectOptions,
	context: Pick<RowContext, 'dialect'>,
): AsyncGenerator<Reject> {
	const { isWanted } = options;
	const { scan, recordOf, close } = await openRecords(journal);
	const outcomes = wantedOutcomes(isWanted);
	try {
		const unreached = isWanted({ outcome: 'not-sent' }) ? unreachedRows(scan, input, context) : undefined;
		for await (const batch of input.read()) {
			for (const raw of batch) {
				const outcome = scan.states.outcomeOf(raw.row);
				const isKnown = outcome !== undefined && outcomes.has(outcome);
				const record = outcome === undefined ? unreached?.(raw) : isKnown ? recordOf(raw.row) : undefined;
				if (record === undefined || !isWanted(record)) continue;
				yield { row: rejectedRow(raw, record, input, options), ids: record.ids };
			}
		}
	} finally {
		close();
	}
}

/** IDs and reason. */
export async function* rejectsWithoutInput(
	journal: string,
	{ isWanted, reason }: RejectOptions,
): AsyncGenerator<Reject> {
	const { records, close } = await openRecords(journal);
	try {
		const outcomes = wantedOutcomes(isWanted);
		for (const record of records((outcome) => outcomes.has(outcome))) {
			if (isWanted(record)) yield { row: { ...record.ids, [reason]: errorText(record) }, ids: record.ids };
		}
	} finally {
		close();
	}
}

/** Without a record; not those that may have been sent. */
function unreachedRows(
	scan: JournalScan,
	input: InputSource,
	{ dialect }: Pick<RowContext, 'dialect'>,
): (raw: RawRow) => RowRecord | undefined {
	const { states, header } = scan;
	const { plan } = header;
	const underWay = new UnderWay(scan);
	// Which rows they are does not depend on secrets.
	const secrets = Object.fromEntries(plan.values.withheld.map((name) => [name, '']));
	const { planRow } = planRows(plan, input, { dialect, secrets });
	return (raw) => {
		const { row } = raw;
		if (states.outcomeOf(row) !== undefined || states.maybeSent(row)) return undefined;
		const planned = planRow(raw);
		if (!isOwn(planned, plan.shard)) return undefined;
		if (!isInvalid(planned) && underWay.has(row, planned.request.key)) return undefined;
		const unreached = 'the run ended before this row';
		const rest = { row, outcome: 'not-sent', attempts: 0, ms: 0 } as const;
		if (!isInvalid(planned)) return { ...rest, ids: planned.request.ids, message: unreached };
		const { ids, message } = invalidOutcome(planned);
		return { ...rest, ids, message: `${unreached}; ${message}` };
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
	{ columns, delimiter }: InputSource,
	{ reason, isSecret }: RejectOptions,
): Record<string, unknown> {
	const { cells } = raw;
	const isMisshapen = cells !== undefined && columns !== undefined && cells.length !== columns.length;
	// It is unclear which cell is whose: as text, unless a cell is secret.
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

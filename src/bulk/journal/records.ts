/** The lines of a journal: what each record holds, how it is written, and how it is read and checked again. */

import { isObject } from '../../api/values.js';
import { type ExitCode, FailedError } from '../../errors.js';
import type { Outcome, OutcomeName } from '../../http/outcome.js';
import { hasRuns, isRunPlan, type RunHeader } from '../run/plan.js';
import { type Counts, createCounts, outcomeNames } from './counts.js';

const VERSION = 2;

export type Json = Record<string, unknown>;

/** The last line of a run that came to an end, also by Ctrl-C. */
export interface EndRecord {
	at: string;
	counts: Counts;
	exit: ExitCode;
	interrupted?: boolean | undefined;
}

/** One row's outcome as the journal keeps it. */
export interface RowRecord extends Omit<Outcome, 'body'> {
	type: 'row';
}

/** A try that will be repeated. */
export interface AttemptRecord {
	row: number;
	attempt: number;
	status?: number | undefined;
	code?: string | undefined;
	/** The request may have reached the service, and no response came. */
	lost?: boolean | undefined;
}

/** What happened since the tick before, about once a second: what a plot over time is drawn from. */
export interface TickRecord {
	/** Milliseconds since 1970. */
	at: number;
	/** How long it covers, in milliseconds. */
	ms: number;
	rows: number;
	retries: number;
	/** Of the retries: how many because of a 429 or a 503. */
	refused: number;
}

/** What a row is about to overwrite. */
export interface OldValues {
	readonly values: Readonly<Json>;
	/** Fields that the object did not have. */
	readonly absent: readonly string[];
	/** What is written in their place. */
	readonly sent: Readonly<Json>;
}

/** Replaces the values of keys named like secrets, at any depth. */
export type Redact = (value: unknown) => unknown;

/** What a service said of a row, with its reason for each field where the message does not hold it already. */
export function fullMessage({ message, reasons = {} }: Pick<RowRecord, 'message' | 'reasons'>): string | undefined {
	const listed = Object.entries(reasons)
		.filter(([, why]) => message?.includes(why) !== true)
		.map(([field, why]) => `${field}: ${why}`)
		.join('; ');
	if (listed === '') return message;
	return message === undefined ? listed : `${message} (${listed})`;
}

/** What the response shows otherwise than it was sent, a text a field: `status is "read", not "hold"`. */
export function differences({ differs = [] }: Pick<RowRecord, 'differs'>): string[] {
	return differs.map(({ field, sent, shown }) => `${field} is ${JSON.stringify(shown)}, not ${JSON.stringify(sent)}`);
}

const ROW_KEYS: ReadonlySet<string> = new Set(
	'type row line outcome status code message reasons attempts ms warnings differs'.split(' '),
);

/** Whether a key of a row's record is the name of a path id: those stand flat in it, whatever the endpoint calls them. */
export function isIdName(key: string): boolean {
	return !ROW_KEYS.has(key);
}

export function headerLine(header: RunHeader): string {
	return JSON.stringify({ type: 'plan', version: VERSION, ...header });
}

/**
 * One row's outcome, free of its request's secrets already. Written by hand: it is on the hot path, and most rows have
 * few parts.
 */
export function rowLine(outcome: Outcome, redact: Redact): string {
	let line = `{"type":"row","row":${outcome.row}`;
	if (outcome.line !== undefined) line += `,"line":${outcome.line}`;
	const { ids } = outcome;
	for (const name in ids) line += `,"${name}":${JSON.stringify(ids[name])}`;
	line += `,"outcome":"${outcome.outcome}"`;
	if (outcome.status !== undefined) line += `,"status":${outcome.status}`;
	if (outcome.code !== undefined) line += `,"code":${JSON.stringify(outcome.code)}`;
	if (outcome.message !== undefined) line += `,"message":${JSON.stringify(outcome.message)}`;
	if (outcome.reasons !== undefined) line += `,"reasons":${JSON.stringify(outcome.reasons)}`;
	line += `,"attempts":${outcome.attempts},"ms":${Math.round(outcome.ms)}`;
	if (outcome.warnings !== undefined) line += `,"warnings":${JSON.stringify(outcome.warnings)}`;
	if (outcome.differs !== undefined && outcome.differs.length > 0) {
		const differs = outcome.differs.map(({ field, sent, shown }) => {
			const kept = (redact({ [field]: { sent, shown } }) as Json)[field];
			return isObject(kept) ? { field, ...kept } : { field, sent: kept, shown: kept };
		});
		line += `,"differs":${JSON.stringify(differs)}`;
	}
	return `${line}}`;
}

/** Values that are named like secrets are not kept but named in `withheld`, so that an undo can't restore a placeholder. */
export function beforeLine(
	row: number,
	ids: Readonly<Record<string, string>>,
	{ values, absent, sent }: OldValues,
	redact: Redact,
): string {
	const isSecret = (name: string): boolean => {
		const part = { [name]: [values[name], sent[name]] };
		return JSON.stringify(redact(part)) !== JSON.stringify(part);
	};
	const names = Object.keys(values);
	const withheld = names.filter(isSecret);
	const kept = (from: Readonly<Json>) =>
		Object.fromEntries(names.filter((name) => !withheld.includes(name)).map((name) => [name, from[name]]));
	return JSON.stringify({
		type: 'before',
		row,
		ids,
		values: kept(values),
		sent: kept(sent),
		withheld: withheld.length === 0 ? undefined : withheld,
		absent: absent.length === 0 ? undefined : absent,
	});
}

/** The JSON of a line, or what is wrong with it. @param text undefined for a line beyond any record */
export function parseRecord(text: string | undefined): Json | string {
	if (text === undefined) return 'the line is too long';
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : 'no JSON object';
	} catch {
		return 'no JSON';
	}
}

const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export function notAJournal(path: string, reason: string): FailedError {
	return new FailedError(`${path} is not a journal that can be read: ${reason}`, { code: 'not_a_journal' });
}

/** The header in a journal's first line. @throws FailedError that says what is wrong with it */
export function readHeader(text: string | undefined, path: string): RunHeader {
	const record = parseRecord(text);
	if (typeof record === 'string') throw notAJournal(path, `its first line is ${record}`);
	const { type, version, ...header } = record;
	if (type === 'run' || version !== VERSION) {
		const written = version === undefined ? 'says no version' : `is in version ${String(version)}`;
		throw notAJournal(path, `it ${written} of the format, and this is ${VERSION}`);
	}
	if (type !== 'plan') throw notAJournal(path, 'its first line is not the start of a run');
	const { id, tool, started, input, plan } = header;
	const isComplete =
		[id, tool, started].every(isText) &&
		isRunPlan(plan) &&
		isObject(input) &&
		isCount(input.rows) &&
		(input.last === undefined || isCount(input.last)) &&
		isCount(input.own) &&
		isText(input.sha256);
	if (!isComplete) throw notAJournal(path, 'its first line is incomplete');
	if (!hasRuns(plan.endpoint)) throw notAJournal(path, `the endpoint ${JSON.stringify(plan.endpoint)} has no runs`);
	return header as unknown as RunHeader;
}

/** The last record of a run from its JSON; undefined for any other record, and for one that lacks a part. */
export function endRecordOf(record: Readonly<Json>): EndRecord | undefined {
	const { type, ...end } = record;
	if (type !== 'end' || !isCount(record.exit) || !isText(record.at) || !isObject(record.counts)) return undefined;
	// An earlier version did not count refusals.
	const counts: Json = { refused: 0, ...record.counts };
	if (!Object.keys(createCounts()).every((name) => isCount(counts[name]))) return undefined;
	return { ...end, counts } as unknown as EndRecord;
}

/** A row's record from its JSON; undefined for any other record. */
export function rowRecordOf(record: Readonly<Json>): RowRecord | undefined {
	if (record.type !== 'row' || !isCount(record.row) || !outcomeNames.includes(record.outcome as OutcomeName)) {
		return undefined;
	}
	const ids: Record<string, string> = {};
	const result: Json = { attempts: 0, ms: 0, ids };
	for (const name of Object.keys(record)) {
		const value = record[name];
		if (isIdName(name)) {
			if (isText(value)) ids[name] = value;
		} else if (name !== 'differs' || (Array.isArray(value) && value.every(isObject))) {
			result[name] = value;
		}
	}
	return result as unknown as RowRecord;
}

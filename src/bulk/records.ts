/** The lines of a run's journal: what each record holds, and how it is written as JSON. */

import type { ExitCode } from '../errors.js';
import type { Outcome } from '../http/outcome.js';
import type { Counts } from './counts.js';
import type { RunHeader } from './run/plan.js';

export const JOURNAL_VERSION = 2;

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

/** What a service said of a row, with its reason for each field where the message does not hold it already. */
export function fullMessage({ message, reasons = {} }: Pick<RowRecord, 'message' | 'reasons'>): string | undefined {
	const told = Object.entries(reasons).filter(([, why]) => message?.includes(why) !== true);
	const listed = told.map(([field, why]) => `${field}: ${why}`);
	if (listed.length === 0) return message;
	return message === undefined ? listed.join('; ') : `${message} (${listed.join('; ')})`;
}

/** What the answer shows otherwise than it was sent, a text a field: `status is "read", not "hold"`. */
export function differences({ differs = [] }: Pick<RowRecord, 'differs'>): string[] {
	return differs.map(({ field, sent, shown }) => `${field} is ${JSON.stringify(shown)}, not ${JSON.stringify(sent)}`);
}

/** A try that will be repeated. */
export interface AttemptRecord {
	row: number;
	attempt: number;
	status?: number | undefined;
	code?: string | undefined;
	/** The request may have reached the service, and no answer came. */
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

/** What a row's record has beside its path ids. */
const ROW_KEYS: Readonly<Record<Exclude<keyof RowRecord, 'ids'>, true>> = {
	type: true,
	row: true,
	line: true,
	outcome: true,
	status: true,
	code: true,
	message: true,
	reasons: true,
	attempts: true,
	ms: true,
	warnings: true,
	differs: true,
};

/** Whether a key of a row's record is the name of a path id: those stand flat in it, whatever the endpoint calls them. */
export function isIdName(key: string): boolean {
	return !Object.hasOwn(ROW_KEYS, key);
}

/** Replaces the values of keys named like secrets, at any depth. */
export type Redact = (value: unknown) => unknown;

export function headerLine(header: RunHeader): string {
	return JSON.stringify({ type: 'plan', version: JOURNAL_VERSION, ...header });
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
		line += `,"differs":${differsJson(outcome.differs, redact)}`;
	}
	return `${line}}`;
}

function differsJson(differs: NonNullable<Outcome['differs']>, redact: Redact): string {
	return JSON.stringify(
		differs.map(({ field, sent, shown }) => {
			const kept = redact({ [field]: { sent, shown } }) as Record<string, unknown>;
			const value = kept[field];
			return typeof value === 'object' && value !== null
				? { field, ...(value as object) }
				: { field, sent: value, shown: value };
		}),
	);
}

export function tickLine(record: TickRecord): string {
	return JSON.stringify({ type: 'tick', ...record });
}

export function attemptLine(record: AttemptRecord): string {
	return JSON.stringify({ type: 'attempt', ...record });
}

/** Says, before a delete is sent, that it will be: after a crash, its 404 is then known to be its own doing. */
export function sentLine(row: number): string {
	return `{"type":"sent","row":${row}}`;
}

/** What a row is about to overwrite. */
export interface OldValues {
	readonly values: Readonly<Record<string, unknown>>;
	/** Fields that the object did not have. */
	readonly absent: readonly string[];
	/** What is written in their place. */
	readonly sent: Readonly<Record<string, unknown>>;
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
	const kept = (from: Readonly<Record<string, unknown>>) =>
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

export function resumeLine(at: string, tool: string): string {
	return JSON.stringify({ type: 'resume', at, tool });
}

export function endLine(end: EndRecord): string {
	return JSON.stringify({ type: 'end', ...end });
}

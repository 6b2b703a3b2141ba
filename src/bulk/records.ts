/** The lines of a run's journal: what each record holds, and how it is written as JSON. */

import type { ExitCode } from '../errors.js';
import type { Outcome } from '../http/outcome.js';
import type { Counts } from './counts.js';
import type { InputFormat } from './input/formats.js';

export const JOURNAL_VERSION = 1;

/** What the rows came from, so that a resume can tell whether it is still the same. */
export interface InputRecord {
	name: string;
	/** Where the bytes are, absolute; absent for ids on the command line. */
	path?: string | undefined;
	/** The file as it was named, for annotations. */
	file?: string | undefined;
	format: InputFormat;
	sha256: string;
	rows: number;
	/** Whether `path` is a private copy of standard input. */
	spooled?: boolean | undefined;
	/** The ids of the command line. */
	ids?: readonly string[] | undefined;
}

/** The first line: all that a resume needs, and never a secret. */
export interface RunHeader {
	id: string;
	/** The command's words: `['ticket', 'update']`. */
	command: readonly string[];
	/** The flags that make the requests. */
	settings: Readonly<Record<string, unknown>>;
	input: InputRecord;
	/** Where the run is one part of several: which one, as `2/4`, and how many of the input's rows are its own. */
	shard?: { part: string; rows: number } | undefined;
	/** Rows are sent without a word here before it: after a kill nobody knows which of those without an outcome were. */
	unmarked?: boolean | undefined;
	/** The id of the run that this one undoes. */
	undoes?: string | undefined;
	profile?: string | undefined;
	/** The profile whose mark asked for `--confirm`: wherever the run is taken up, it is asked for again. */
	protectedBy?: string | undefined;
	/** The deployment's words; a profile may have said them, which another machine does not have. */
	prefixes?: Readonly<Record<'product' | 'shop' | 'membership', string>> | undefined;
	baseUrl: string;
	/** The tool's version. */
	tool: string;
	/** ISO 8601. */
	started: string;
}

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

export function headerLine(header: RunHeader, redact: Redact): string {
	return JSON.stringify({ type: 'run', version: JOURNAL_VERSION, ...header, settings: redact(header.settings) });
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

export function attemptLine(record: AttemptRecord): string {
	return JSON.stringify({ type: 'attempt', ...record });
}

/** Says, before a delete is sent, that it will be: after a crash, its 404 is then known to be its own doing. */
export function sentLine(row: number): string {
	return `{"type":"sent","row":${row}}`;
}

/**
 * What the service held before a row was sent. Values named like secrets are not kept but named in `withheld`,
 * so that an undo can't put back a placeholder; fields that it did not hold are named in `absent`.
 */
export function beforeLine(
	row: number,
	ids: Readonly<Record<string, string>>,
	values: Readonly<Record<string, unknown>>,
	absent: readonly string[],
	redact: Redact,
): string {
	const kept: [string, unknown][] = [];
	const withheld: string[] = [];
	for (const name of Object.keys(values)) {
		const value = { [name]: values[name] };
		const same = JSON.stringify(redact(value)) === JSON.stringify(value);
		if (same) kept.push([name, values[name]]);
		else withheld.push(name);
	}
	return JSON.stringify({
		type: 'before',
		row,
		ids,
		values: Object.fromEntries(kept),
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

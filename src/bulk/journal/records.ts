/** The lines of a journal: writing, reading and checking them. */

import { crc32 } from 'node:zlib';
import { isObject } from '../../api/values.js';
import { type ExitCode, FailedError } from '../../errors.js';
import type { OutcomeName, RowOutcome } from '../../http/outcome.js';
import type { NameRecord } from '../lists/directory.js';
import type { RunHeader } from '../run/plan.js';
import { type Counts, createCounts } from './counts.js';
import { headerProblem } from './header.js';

export const VERSION = 3;

export type Json = Record<string, unknown>;

export interface RowRecord extends Omit<RowOutcome, 'body'> {
	link?: string;
}

export interface EndRecord {
	at: string;
	counts: Counts;
	exit: ExitCode;
	interrupted?: boolean | undefined;
}

export interface ResumeRecord {
	at: string;
	tool: string;
	concurrency: number;
	again?: readonly OutcomeName[] | undefined;
}

export type PlainRecord =
	| ({ type: 'end' } & EndRecord)
	/** About once a second: how long it is since the one before. Reports plot it. */
	| { type: 'tick'; ms: number }
	| ({ type: 'resume' } & ResumeRecord)
	/** `lost`: it may have been applied without a response; `partly`: a part of it. */
	| {
			type: 'attempt';
			row: number;
			attempt: number;
			status?: number | undefined;
			code?: string | undefined;
			lost?: boolean | undefined;
			partly?: boolean | undefined;
	  }
	| ({ type: 'name' } & NameRecord);

export interface OldValues {
	readonly values: Readonly<Json>;
	readonly absent: readonly string[];
	readonly sent: Readonly<Json>;
	/** Fields whose old value nothing shows. */
	readonly untold?: readonly string[];
}

/** Under secret names, at any depth. */
export type Redact = (value: unknown) => unknown;

export function fullMessage({ message, reasons = {} }: Pick<RowRecord, 'message' | 'reasons'>): string | undefined {
	const listed = Object.entries(reasons)
		.filter(([, why]) => message?.includes(why) !== true)
		.map(([field, why]) => `${field}: ${why}`)
		.join('; ');
	if (listed === '') return message;
	return message === undefined ? listed : `${message} (${listed})`;
}

/** `status is "read", not "hold"` */
export function differences({ differs = [] }: Pick<RowRecord, 'differs'>): string[] {
	return differs.map(({ field, sent, shown }) => `${field} is ${JSON.stringify(shown)}, not ${JSON.stringify(sent)}`);
}

/** `Invalid status. (HTTP 400)` */
export function reasonOf(record: RowRecord): string {
	const status = record.status === undefined ? '' : ` (HTTP ${record.status})`;
	return `${fullMessage(record) ?? record.code ?? record.outcome}${status}`;
}

function sealOf(content: string): string {
	return `,"crc":"${crc32(content).toString(16).padStart(8, '0')}"}`;
}

const SEAL_LENGTH = ',"crc":"00000000"}'.length;

export function sealed(json: string): string {
	const content = json.slice(0, -1);
	return content + sealOf(content);
}

export function rowLine(outcome: RowOutcome): string {
	const { row, line, ids, status, code, message, reasons, attempts, ms, warnings, differs } = outcome;
	return JSON.stringify({
		type: 'row',
		row,
		line,
		...ids,
		outcome: outcome.outcome,
		status,
		code,
		message,
		reasons,
		attempts,
		ms: Math.round(ms),
		warnings,
		differs,
		link: linkOf(outcome),
	});
}

const LONGEST_LINK = 300;

function linkOf({ body }: RowOutcome): string | undefined {
	const link = isObject(body) ? body.link : undefined;
	return typeof link === 'string' && link.length <= LONGEST_LINK ? link : undefined;
}

/** Secret values are only named in `withheld`: an undo must not restore a placeholder. */
export function beforeLine(
	row: number,
	ids: Readonly<Record<string, string>>,
	{ values, absent, sent, untold = [] }: OldValues,
	redact: Redact,
): string {
	const isSecret = (name: string): boolean => {
		const part = { [name]: [values[name], sent[name]] };
		return JSON.stringify(redact(part)) !== JSON.stringify(part);
	};
	const names = Object.keys(values);
	const withheld = names.filter(isSecret);
	const keep = (from: Readonly<Json>) =>
		Object.fromEntries(names.filter((name) => !withheld.includes(name)).map((name) => [name, from[name]]));
	return JSON.stringify({
		type: 'before',
		row,
		ids,
		values: keep(values),
		sent: keep(sent),
		withheld: withheld.length === 0 ? undefined : withheld,
		absent: absent.length === 0 ? undefined : absent,
		untold: untold.length === 0 ? undefined : untold,
	});
}

/** Undefined for a wrong checksum. */
export function parseRecord(text: string): Json | undefined {
	const content = text.slice(0, -SEAL_LENGTH);
	if (text !== content + sealOf(content)) return undefined;
	const { crc: _, ...record } = JSON.parse(text) as Json;
	return record;
}

export function notAJournal(path: string, reason: string): FailedError {
	return new FailedError(`can't read the journal ${path}: ${reason}`, { code: 'not_a_journal' });
}

export function headerLine(header: RunHeader): string {
	return sealed(JSON.stringify({ type: 'plan', version: VERSION, ...header }));
}

/** The header of a journal or a saved plan. @returns a text for what is wrong with it */
export function headerIn(text: string): RunHeader | string {
	const version = /^\{"type":"(?:saved-)?plan","version":(\d+)/.exec(text)?.[1];
	if (version !== undefined && Number(version) !== VERSION) {
		return `it has format version ${version}; this supportctl reads version ${VERSION}`;
	}
	const record = parseRecord(text);
	if (record === undefined) return 'its first line is damaged (wrong checksum)';
	const { type: _type, version: _version, ...rest } = record;
	const header: object = rest;
	return headerProblem(header) ?? (header as RunHeader);
}

export function readHeader(text: string, path: string): RunHeader {
	const isPlan = text.startsWith('{"type":"saved-plan"');
	const header = isPlan ? 'it is a plan; supportctl run apply sends it' : headerIn(text);
	if (typeof header === 'string') throw notAJournal(path, header);
	return header;
}

/** Its counts are whole, also those of a journal from before one of them was counted. */
export function endIn(record: Readonly<Json> | undefined): EndRecord | undefined {
	if (record?.type !== 'end') return undefined;
	const end = record as Json & EndRecord;
	return { ...end, counts: { ...createCounts(), ...end.counts } };
}

/** Path IDs are keys of a row's record. */
const ID_NAME = /^(?:id|slug|taxonomy|username|\w+_id)$/;

export function rowRecordOf(record: Readonly<Json>): RowRecord | undefined {
	if (record.type !== 'row') return undefined;
	const ids: Record<string, string> = {};
	const rest: Json = {};
	for (const [name, value] of Object.entries(record)) {
		if (ID_NAME.test(name)) ids[name] = String(value);
		else if (name !== 'type') rest[name] = value;
	}
	return { ...rest, ids } as RowRecord;
}

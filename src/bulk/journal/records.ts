/** The lines of a journal: writing, reading and checking them. */

import { crc32 } from 'node:zlib';
import { isObject } from '../../api/values.js';
import { type ExitCode, FailedError } from '../../errors.js';
import type { OutcomeName, RowOutcome } from '../../http/outcome.js';
import type { NameRecord } from '../lists/directory.js';
import type { RunHeader } from '../run/plan.js';
import { type Counts, createCounts, outcomeNames } from './counts.js';
import { headerProblem } from './header.js';

export const VERSION = 3;

export type Json = Record<string, unknown>;

export interface RowRecord extends Omit<RowOutcome, 'body'> {
	/** From the response. */
	link?: string;
}

/** Also after Ctrl-C. */
export interface EndRecord {
	at: string;
	counts: Counts;
	exit: ExitCode;
	interrupted?: boolean | undefined;
}

/** About once a second; reports plot it. */
export interface TickRecord {
	/** Since the tick before. */
	ms: number;
	retries: number;
	/** 429 and 503, of the retries. */
	refused: number;
}

export interface ResumeRecord {
	at: string;
	tool: string;
	concurrency: number;
	/** A retry sends them again. */
	again?: readonly OutcomeName[] | undefined;
}

/** Beside outcomes and old values. */
export type PlainRecord =
	| ({ type: 'end' } & EndRecord)
	| ({ type: 'tick' } & TickRecord)
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
	/** Its ID, or why there is none. */
	| ({ type: 'name' } & NameRecord);

export interface OldValues {
	readonly values: Readonly<Json>;
	/** Fields that the object did not have. */
	readonly absent: readonly string[];
	readonly sent: Readonly<Json>;
}

/** Under secret names, at any depth. */
export type Redact = (value: unknown) => unknown;

/** With the reasons that it does not contain. */
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

/** As written. */
const ROW_PARTS = [
	...(['row', 'line', 'ids', 'outcome', 'status', 'code', 'message'] as const),
	...(['reasons', 'attempts', 'ms', 'warnings', 'differs', 'link'] as const),
] satisfies (keyof RowRecord)[];
const ROW_KEYS: ReadonlySet<string> = new Set(['type', ...ROW_PARTS.filter((part) => part !== 'ids')]);

/** Path IDs are keys of the record. */
export function isIdName(key: string): boolean {
	return !ROW_KEYS.has(key);
}

/** A checksum of the line. */
function sealOf(content: string): string {
	return `,"crc":"${crc32(content).toString(16).padStart(8, '0')}"}`;
}

const SEAL_LENGTH = sealOf('').length;

export function sealed(json: string): string {
	const content = json.slice(0, -1);
	return content + sealOf(content);
}

/** Without secrets already. */
export function rowLine(outcome: RowOutcome, redact: Redact): string {
	let line = '{"type":"row"';
	const record: RowRecord = { ...outcome, link: linkOf(outcome) };
	for (const part of ROW_PARTS) {
		const value = record[part];
		if (value === undefined) continue;
		if (typeof value === 'number') line += `,"${part}":${Math.round(value)}`;
		else if (part === 'ids') for (const name in outcome.ids) line += `,"${name}":${JSON.stringify(outcome.ids[name])}`;
		else line += `,"${part}":${JSON.stringify(part === 'differs' ? redactedDiffers(outcome, redact) : value)}`;
	}
	return `${line}}`;
}

const LONGEST_LINK = 300;

function linkOf({ body }: RowOutcome): string | undefined {
	const link = isObject(body) ? body.link : undefined;
	return isText(link) && link.length <= LONGEST_LINK ? link : undefined;
}

function redactedDiffers({ differs = [] }: RowOutcome, redact: Redact): Json[] {
	return differs.map(({ field, sent, shown }) => {
		const kept = (redact({ [field]: { sent, shown } }) as Json)[field];
		return isObject(kept) ? { field, ...kept } : { field, sent: kept, shown: kept };
	});
}

/** Secret values are only named in `withheld`: an undo must not restore a placeholder. */
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
		...{ type: 'before', row, ids, values: kept(values), sent: kept(sent) },
		withheld: withheld.length === 0 ? undefined : withheld,
		absent: absent.length === 0 ? undefined : absent,
	});
}

/** Or what is wrong with it. */
export function parseRecord(text: string): Json | string {
	const record = parseObject(text);
	if (record === undefined) return 'not a JSON object';
	const { crc, ...rest } = record;
	if (crc === undefined) return 'no checksum';
	const content = text.slice(0, -SEAL_LENGTH);
	return text === content + sealOf(content) ? rest : 'wrong checksum';
}

function parseObject(text: string): Json | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export function notAJournal(path: string, reason: string): FailedError {
	return new FailedError(`can't read the journal ${path}: ${reason}`, { code: 'not_a_journal' });
}

export function headerLine(header: RunHeader): string {
	return sealed(JSON.stringify({ type: 'plan', version: VERSION, ...header }));
}

/** @throws FailedError */
export function readHeader(text: string, path: string): RunHeader {
	const { version } = parseObject(text) ?? {};
	if (typeof version === 'number' && version !== VERSION) {
		throw notAJournal(path, `it has format version ${version}; this supportctl reads version ${VERSION}`);
	}
	const record = parseRecord(text);
	if (typeof record === 'string') throw notAJournal(path, `its first line is damaged (${record})`);
	const { type, version: _, ...header } = record;
	if (type === 'saved-plan') throw notAJournal(path, 'it is a plan; supportctl run apply sends it');
	if (type !== 'plan') throw notAJournal(path, 'its first line is not the start of a run');
	const problem = headerProblem(header);
	if (problem !== undefined) throw notAJournal(path, problem);
	return header as unknown as RunHeader;
}

/** Undefined for other records. */
export function endRecordOf({ type, ...end }: Readonly<Json>): EndRecord | undefined {
	const { at, exit, counts } = end;
	if (type !== 'end' || !isCount(exit) || !isText(at) || !isObject(counts)) return undefined;
	const isComplete = Object.keys(createCounts()).every((name) => isCount(counts[name]));
	return isComplete ? (end as unknown as EndRecord) : undefined;
}

/** Undefined for other records. */
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
		} else if (name !== 'type' && (name !== 'differs' || (Array.isArray(value) && value.every(isObject)))) {
			result[name] = value;
		}
	}
	return result as unknown as RowRecord;
}

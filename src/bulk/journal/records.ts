/** The lines of a journal: writing, reading and checking them. */

import { crc32 } from 'node:zlib';
import type { AppliedDifference } from '../../api/applied.js';
import { bounded, isId, isObject } from '../../api/values.js';
import { type ExitCode, FailedError, fileProblem } from '../../errors.js';
import type { RowOutcome } from '../../http/outcome.js';
import { type OutcomeName, outcomeNames } from '../../http/outcomes.js';
import { formatCount } from '../../text.js';
import type { NameRecord } from '../lists/found.js';
import type { Ids, RunHeader } from '../plan.js';
import { type Counts, createCounts } from './counts.js';
import { headerProblem, runId } from './header.js';
import {
	amount,
	anything,
	either,
	fitting,
	flag,
	listOf,
	object,
	oneOf,
	optional,
	type Parts,
	recordOf,
	type Shape,
	text,
	textThat,
	whole,
} from './shape.js';

export const VERSION = 3;

export type Json = Record<string, unknown>;

type Recorded =
	| 'row'
	| 'line'
	| 'outcome'
	| 'status'
	| 'code'
	| 'message'
	| 'reasons'
	| 'attempts'
	| 'ms'
	| 'warnings'
	| 'differs'
	| 'applied'
	| 'force'
	| 'reassign'
	| 'label';

/** A row's record beside its path IDs. */
interface RowFacts extends Pick<RowOutcome, Recorded> {
	/** From the response. */
	link?: string;
}

export interface RowRecord extends RowFacts {
	ids: Ids;
}

/** Old values of a row, before it was written. */
export interface BeforeRecord
	extends Partial<Pick<OldValues, 'absent' | 'untold' | 'label' | 'anew'>>,
		Pick<OldValues, 'values' | 'sent'> {
	row: number;
	ids: Ids;
	/** Fields whose values are secret. */
	withheld?: readonly string[];
}

/** Also after Ctrl-C; a journal without one was killed. */
export interface EndRecord {
	at: string;
	counts: Counts;
	exit: ExitCode;
	interrupted?: boolean | undefined;
	/** Why rows are left. */
	stopped?: { readonly kind: string; readonly why: string } | undefined;
}

/** Objects that name a deleted one in a field, counted before the delete. */
export interface LeavesRecord {
	/** Of the deleted object. */
	readonly ids: Ids;
	readonly label: string;
	readonly field: string;
	readonly count: number;
	/** Who receives the posts of a deleted user. */
	readonly receiver?: string | undefined;
	/** The run that moves them to the receiver. */
	readonly run?: string | undefined;
	/** How many it moved; undefined until it has ended. */
	readonly moved?: number | undefined;
	/** The IDs of child terms, which move up. */
	readonly children?: readonly string[] | undefined;
}

/** The start of another part of the run. */
export interface ResumeRecord {
	at: string;
	tool: string;
	concurrency: number;
	/** Outcomes whose rows a retry sends again. */
	again?: readonly OutcomeName[] | undefined;
}

export type PlainRecord =
	| ({ type: 'end' } & EndRecord)
	/** About once a second: how long it is since the one before. Reports plot it. */
	| { type: 'tick'; ms: number }
	| ({ type: 'resume' } & ResumeRecord)
	| ({ type: 'leaves' } & LeavesRecord)
	/** `lost`: it may have been applied without a response; `partly`: a part of it. */
	| {
			type: 'attempt';
			row: number;
			attempt: number;
			status?: number | undefined;
			code?: string | undefined;
			/** The request may have reached the service, and no response came. */
			lost?: boolean | undefined;
			partly?: boolean | undefined;
	  }
	/** What a user typed, and the ID that was found for it. */
	| ({ type: 'name' } & NameRecord)
	/** What a user or term of an old or new value is called. */
	| { type: 'called'; of: string; id: string; name: string };

export type JournalRecord =
	| PlainRecord
	| ({ type: 'row' } & RowRecord)
	| ({ type: 'before' } & BeforeRecord)
	/** Of a type that a later version may write. */
	| { type: 'other' };

/** What a row is about to overwrite. */
export interface OldValues {
	readonly values: Readonly<Json>;
	readonly absent: readonly string[];
	/** What is written in their place. */
	readonly sent: Readonly<Json>;
	/** Fields whose old value nothing shows. */
	readonly untold?: readonly string[];
	/** What people call the object. */
	readonly label?: string | undefined;
	/** Nothing of the row was written before: what earlier parts of the run read is not what it overwrites. */
	readonly anew?: true | undefined;
}

/** Under secret names, at any depth. */
export type Redact = (value: unknown) => unknown;

/** With those reasons that it does not contain. */
export function fullMessage({ message, reasons = {} }: Pick<RowRecord, 'message' | 'reasons'>): string | undefined {
	const listed = Object.entries(reasons)
		.filter(([, why]) => message?.includes(why) !== true)
		.map(([field, why]) => `${field}: ${why}`)
		.join('; ');
	if (listed === '') return message;
	return message === undefined ? listed : `${message} (${listed})`;
}

/** In words; the record has all of them. */
const MOST_DIFFERENCES = 100;

/** `status is "read", not "hold"` */
export function differences({ differs = [] }: Pick<RowRecord, 'differs'>): string[] {
	// A journal that was written elsewhere may lack one.
	const said = (value: unknown): string => bounded(JSON.stringify(value ?? null));
	const texts = differs
		.slice(0, MOST_DIFFERENCES)
		.map(({ field, sent, shown }) => `${field} is ${said(shown)}, not ${said(sent)}`);
	return differs.length > texts.length ? [...texts, `… and ${formatCount(differs.length - texts.length)} more`] : texts;
}

/** `Invalid status. (HTTP 400)` */
export function reasonOf(record: RowRecord): string {
	const status = record.status === undefined ? '' : ` (HTTP ${record.status})`;
	return `${fullMessage(record) ?? record.code ?? record.outcome}${status}`;
}

/** A checksum: a line that was cut or changed must not be believed. */
function sealOf(content: string): string {
	return `,"crc":"${crc32(content).toString(16).padStart(8, '0')}"}`;
}

export const SEAL_LENGTH = ',"crc":"00000000"}'.length;

export function sealed(json: string): string {
	const content = json.slice(0, -1);
	return content + sealOf(content);
}

export function rowLine(outcome: RowOutcome): string {
	const { row, line, ids, status, code, message, reasons, attempts, ms, warnings, differs, applied } = outcome;
	const { force, reassign, label } = outcome;
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
		applied: applied?.length === 0 ? undefined : applied,
		force,
		reassign,
		label,
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
	{ values, absent, sent, untold = [], label, anew }: OldValues,
	redact: Redact,
): string {
	const isSecret = (name: string): boolean => {
		const part = { [name]: [values[name], sent[name]] };
		return JSON.stringify(redact(part)) !== JSON.stringify(part);
	};
	const names = Object.keys(values);
	const withheld = names.filter(isSecret);
	const secret = new Set(withheld);
	const keep = (from: Readonly<Json>) =>
		Object.fromEntries(names.filter((name) => !secret.has(name)).map((name) => [name, from[name]]));
	return JSON.stringify({
		type: 'before',
		row,
		ids,
		values: keep(values),
		sent: keep(sent),
		withheld: withheld.length === 0 ? undefined : withheld,
		absent: absent.length === 0 ? undefined : absent,
		untold: untold.length === 0 ? undefined : untold,
		label,
		anew,
	});
}

/** Undefined unless its checksum is right and it is an object. */
export function parseRecord(text: string): Json | undefined {
	const content = text.slice(0, -SEAL_LENGTH);
	if (text !== content + sealOf(content)) return undefined;
	try {
		const { crc: _, ...record } = JSON.parse(text) as Json;
		return record;
	} catch {
		return undefined;
	}
}

const rowNumber = whole(1);
const outcome = oneOf(...outcomeNames);
const exitCode: Shape<ExitCode> = fitting((value) => whole(0, 255)(value) === undefined);
const countNames = Object.keys(createCounts()) as (keyof Counts)[];

/** Of a later version they may be more, and of an earlier one fewer. */
const counts: Shape<Counts> = fitting(
	(value) => isObject(value) && countNames.every((name) => optional(whole())(value[name]) === undefined),
);

function knownCounts(given: Partial<Counts>): Counts {
	const known = createCounts();
	for (const name of countNames) known[name] = given[name] ?? 0;
	return known;
}

type Lines = Exclude<JournalRecord, { type: 'row' | 'other' }>;

type Facts<Type extends Lines['type']> = Omit<Extract<Lines, { type: Type }>, 'type'>;

const named = { of: text, name: text };

/** It becomes part of a command that people copy. */
const word = textThat((value) => /^\w[\w-]*$/.test(value));

const rowFacts: Parts<RowFacts> = {
	row: rowNumber,
	line: optional(whole(1)),
	outcome,
	status: optional(whole()),
	code: optional(text),
	message: optional(text),
	reasons: optional(recordOf(text)),
	attempts: whole(),
	ms: amount,
	warnings: optional(listOf(text)),
	differs: optional(listOf(object<AppliedDifference>({ field: text, sent: anything, shown: anything }))),
	applied: optional(listOf(text)),
	force: optional(oneOf(true)),
	reassign: optional(text),
	label: optional(text),
	link: optional(text),
};

/** A journal may come from elsewhere: what a record is before anything reads it. */
const shapes: { readonly [Type in Lines['type']]: Shape<Facts<Type>> } & { readonly row: Shape<RowFacts> } = {
	row: object<RowFacts>(rowFacts),
	before: object<BeforeRecord>({
		row: rowNumber,
		ids: recordOf(text),
		values: recordOf(anything),
		sent: recordOf(anything),
		withheld: optional(listOf(text)),
		absent: optional(listOf(text)),
		untold: optional(listOf(text)),
		label: optional(text),
		anew: optional(oneOf(true)),
	}),
	attempt: object<Facts<'attempt'>>({
		row: rowNumber,
		attempt: whole(),
		status: optional(whole()),
		code: optional(text),
		lost: optional(flag),
		partly: optional(flag),
	}),
	name: either(object({ ...named, id: text }), object({ ...named, problem: text, missing: optional(flag) })),
	called: object<Facts<'called'>>({ ...named, id: text }),
	tick: object<Facts<'tick'>>({ ms: amount }),
	resume: object<ResumeRecord>({ at: text, tool: text, concurrency: whole(1), again: optional(listOf(outcome)) }),
	leaves: object<LeavesRecord>({
		ids: recordOf(word),
		label: text,
		field: word,
		count: whole(),
		receiver: optional(textThat(isId)),
		run: optional(runId),
		moved: optional(whole()),
		children: optional(listOf(textThat(isId))),
	}),
	end: object<EndRecord>({
		at: text,
		counts,
		exit: exitCode,
		interrupted: optional(flag),
		stopped: optional(object<NonNullable<EndRecord['stopped']>>({ kind: text, why: text })),
	}),
};

const ROW_FACTS: ReadonlySet<string> = new Set([...Object.keys(rowFacts), 'type']);

const shapeOf = new Map<unknown, Shape<unknown>>(Object.entries(shapes));

function withoutValid({ type }: Readonly<Json>, part: string): string {
	return `a record of type "${type}" without a valid "${part}"`;
}

/** One line behind the first. @returns a text for what is wrong with it */
export function recordIn(line: string): JournalRecord | string {
	const json = parseRecord(line);
	if (json === undefined) return 'wrong checksum';
	const shape = shapeOf.get(json.type);
	if (shape === undefined) return { type: 'other' };
	const misfit = shape(json);
	if (misfit !== undefined) return withoutValid(json, misfit);
	const record = json as JournalRecord;
	if (record.type === 'row') return withIds(record, json);
	return record.type === 'end' ? { ...record, counts: knownCounts(record.counts) } : record;
}

export function notAJournal(path: string, reason: string): FailedError {
	return new FailedError(`can't read the journal ${path}: ${reason}`, { code: 'not_a_journal' });
}

/** For what the system says when a journal is read. */
export function unreadableJournal(path: string, error: unknown): FailedError {
	if (error instanceof FailedError) return error;
	const why = fileProblem(error);
	return new FailedError(`can't read the journal ${path}: ${why}`, { code: 'unreadable_journal', cause: error });
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

/** @throws FailedError */
export function readHeader(text: string, path: string): RunHeader {
	const isPlan = text.startsWith('{"type":"saved-plan"');
	const header = isPlan ? 'it is a plan; send it with: supportctl run apply FILE' : headerIn(text);
	if (typeof header === 'string') throw notAJournal(path, header);
	return header;
}

/** Path IDs are keys of a row's record. */
const ID_NAME = /^(?:id|slug|taxonomy|username|\w+_id)$/;

/** Scans read each row: keys that every row has are not looked at, and no key is copied. */
function withIds(row: RowFacts, json: Readonly<Json>): JournalRecord | string {
	const ids: Record<string, string> = {};
	for (const name in json) {
		if (ROW_FACTS.has(name) || !ID_NAME.test(name)) continue;
		const id = json[name];
		if (typeof id !== 'string' && typeof id !== 'number') return withoutValid(json, name);
		ids[name] = String(id);
	}
	return Object.assign(row, { type: 'row' as const, ids });
}

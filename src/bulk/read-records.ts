/** From the JSON of a journal's line to the record that it holds, or to what is wrong with it. */

import { isObject } from '../api/values.js';
import { FailedError } from '../errors.js';
import type { OutcomeName } from '../http/outcome.js';
import { createCounts, outcomeNames } from './counts.js';
import { type Json, parseRecord } from './journal-lines.js';
import { type EndRecord, isIdName, JOURNAL_VERSION, type RowRecord } from './records.js';
import { hasRuns, isRunPlan, type RunHeader } from './run/plan.js';

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

export function notAJournal(path: string, reason: string): FailedError {
	return new FailedError(`${path} is not a journal that can be read: ${reason}`, { code: 'not_a_journal' });
}

/** The header, or an error that says what is wrong with it. */
export function readHeader(text: string | undefined, path: string): RunHeader {
	const record = parseRecord(text);
	if (typeof record === 'string') throw notAJournal(path, `its first line is ${record}`);
	if (record.type === 'run' || record.version !== JOURNAL_VERSION) {
		const written = record.version === undefined ? 'says no version' : `is in version ${String(record.version)}`;
		throw notAJournal(path, `it ${written} of the format, and this is ${JOURNAL_VERSION}`);
	}
	if (record.type !== 'plan') throw notAJournal(path, 'its first line is not the start of a run');
	const { input, plan } = record;
	const complete =
		isText(record.id) &&
		isText(record.tool) &&
		isText(record.started) &&
		isRunPlan(plan) &&
		isObject(input) &&
		isCount(input.rows) &&
		(input.last === undefined || isCount(input.last)) &&
		isCount(input.own) &&
		isText(input.sha256);
	if (!complete) throw notAJournal(path, 'its first line is incomplete');
	if (!hasRuns(plan.endpoint)) throw notAJournal(path, `the endpoint ${JSON.stringify(plan.endpoint)} has no runs`);
	const { type: _type, version: _version, ...header } = record;
	return header as unknown as RunHeader;
}

function isDifferences(value: unknown): value is Json[] {
	return Array.isArray(value) && value.every(isObject);
}

/** Whether a record tells a row's outcome. */
export function isRowRecord(record: Readonly<Json>): boolean {
	return record.type === 'row' && isCount(record.row) && outcomeNames.includes(record.outcome as OutcomeName);
}

/** Whether a journal of an earlier version could not have the count. */
const isNewCount = (name: string, counts: Readonly<Json>): boolean => name === 'refused' && !(name in counts);

/** The last record of a run from its JSON; undefined for any other record, and for one that lacks a part. */
export function endRecordOf(record: Readonly<Json>): EndRecord | undefined {
	const { type, ...end } = record;
	const { counts } = record;
	const complete =
		type === 'end' &&
		isCount(record.exit) &&
		isText(record.at) &&
		isObject(counts) &&
		Object.keys(createCounts()).every((name) => isCount(counts[name]) || isNewCount(name, counts));
	return complete ? ({ ...end, counts: { ...createCounts(), ...counts } } as unknown as EndRecord) : undefined;
}

/** A row's record from its JSON; undefined for any other record. */
export function rowRecordOf(record: Readonly<Json>): RowRecord | undefined {
	if (!isRowRecord(record)) return undefined;
	const ids: Record<string, string> = {};
	const result: Json = { attempts: 0, ms: 0, ids };
	for (const name of Object.keys(record)) {
		const value = record[name];
		if (isIdName(name)) {
			if (isText(value)) ids[name] = value;
		} else if (name !== 'differs' || isDifferences(value)) {
			result[name] = value;
		}
	}
	return result as unknown as RowRecord;
}

/** What outcomes mean, and the reasons why a row was not written: exit codes, counts, colors, words and reports are columns. */

import { ExitCode } from '../errors.js';

interface Meaning {
	/** Of a run in which no other row ends worse. */
	readonly exit: ExitCode;
	/** A resume leaves the row as it is. */
	readonly done: boolean;
	/** Whether the object got the row's values; `maybe` until a read or another attempt settles it. */
	readonly written: boolean | 'maybe';
	/** Counts against --max-failures and --stop-on-error. */
	readonly wrong: boolean;
	/** Has to be looked at: listed one by one, and by the command that a summary prints. */
	readonly attention: boolean;
	/** Has to be edited before it is sent again. */
	readonly toFix: boolean;
	/** Kept from being written, so that the run did not do all it was asked to. */
	readonly left: boolean;
	/** How a dry run or a plan counts a row that it would not send. */
	readonly unplanned: 'invalid' | 'skipped' | 'unread';
	/** Its ID goes on to the next command in a pipe. */
	readonly passesOn: boolean;
	readonly style: 'good' | 'bad' | 'doubtful' | 'faint';
	/** Behind the object, in an error. */
	readonly verdict: string;
	/** Of an annotation in CI. */
	readonly level: 'warning' | 'error';
	/** Of a test in JUnit's XML. */
	readonly test: 'passed' | 'skipped' | 'failure' | 'error';
}

/** In the order of summaries. A member that lacks a column does not compile. */
const outcomeRows = {
	ok: {
		exit: ExitCode.ok,
		done: true,
		written: true,
		wrong: false,
		attention: false,
		toFix: false,
		left: false,
		unplanned: 'unread',
		passesOn: true,
		style: 'good',
		verdict: '',
		level: 'warning',
		test: 'passed',
	},
	differs: {
		exit: ExitCode.differs,
		done: true,
		written: true,
		wrong: false,
		attention: true,
		toFix: true,
		left: false,
		unplanned: 'unread',
		passesOn: true,
		style: 'doubtful',
		verdict: '',
		level: 'warning',
		test: 'failure',
	},
	failed: {
		exit: ExitCode.failed,
		done: true,
		written: false,
		wrong: true,
		attention: true,
		toFix: true,
		left: false,
		unplanned: 'unread',
		passesOn: false,
		style: 'bad',
		verdict: ' failed',
		level: 'error',
		test: 'failure',
	},
	invalid: {
		exit: ExitCode.failed,
		done: true,
		written: false,
		wrong: false,
		attention: true,
		toFix: true,
		left: false,
		unplanned: 'invalid',
		passesOn: false,
		style: 'bad',
		verdict: ' is invalid',
		level: 'error',
		test: 'failure',
	},
	unknown: {
		exit: ExitCode.unknown,
		done: false,
		written: 'maybe',
		wrong: true,
		attention: true,
		toFix: false,
		left: false,
		unplanned: 'unread',
		passesOn: false,
		style: 'doubtful',
		verdict: ': outcome unknown',
		level: 'warning',
		test: 'error',
	},
	skipped: {
		exit: ExitCode.ok,
		done: true,
		written: false,
		wrong: false,
		attention: false,
		toFix: false,
		left: false,
		unplanned: 'skipped',
		passesOn: true,
		style: 'faint',
		verdict: ' was skipped',
		level: 'error',
		test: 'skipped',
	},
	'not-sent': {
		exit: ExitCode.failed,
		done: false,
		written: false,
		wrong: true,
		attention: true,
		toFix: false,
		left: false,
		unplanned: 'skipped',
		passesOn: false,
		style: 'doubtful',
		verdict: ' was not sent',
		level: 'error',
		test: 'error',
	},
} as const satisfies Record<string, Meaning>;

export type OutcomeName = keyof typeof outcomeRows;

export const outcomes: Readonly<Record<OutcomeName, Meaning>> = outcomeRows;

/** Whether the service did what was asked for, also if it shows other values than were sent. */
export function isDone({ outcome }: { outcome: OutcomeName }): boolean {
	return outcomes[outcome].written === true;
}

/** Whether the object may have the row's values. */
export function mayBeWritten({ outcome }: { outcome: OutcomeName }): boolean {
	return outcomes[outcome].written !== false;
}

export const outcomeNames = Object.keys(outcomes) as OutcomeName[];

/** Rows that are counted once more, beside their outcome, and what is different about them. Their order is a journal's. */
export const details = {
	/** 401: sent again once somebody signed in. */
	unauthorized: { done: false, toFix: false },
	forbidden: {},
	/** The row has to be edited: the service refused the request as it is, or a check can't tell what it asks. */
	refused: {},
	/** As `left`, but the input says what it expected and has to be edited. */
	conflicts: { attention: true, toFix: true, left: true },
	/** Somebody else's change kept it from being written. */
	left: { attention: true, left: true },
	/** On purpose, with --ids or --except. */
	left_out: { exit: ExitCode.ok, done: true, wrong: false, attention: false, test: 'skipped' },
	not_restorable: { attention: true, left: true },
	/** Nobody knows whether it was ever there: never counted as deleted. */
	not_found: {},
} as const satisfies Record<string, Partial<Meaning>>;

export type Detail = keyof typeof details;

export const detailNames = Object.keys(details) as Detail[];

interface Reason {
	readonly outcome: 'skipped' | 'not-sent' | 'failed';
	/** Whether its rows are named: an unedited export has thousands whose objects have the values already. */
	readonly listed: boolean;
	/** Behind a count of its rows: `3 changed by someone else`. */
	readonly words: string;
	/** The object has the row's values all the same. */
	readonly written?: true;
	readonly counts?: Detail;
}

const CHANGED = 'changed by someone else';

/** Codes of rows that were skipped or left out; rows with any other code have no more to say than their outcome. */
export const reasons = {
	unchanged: { outcome: 'skipped', listed: false, words: 'unchanged', written: true },
	nothing_to_send: { outcome: 'skipped', listed: false, words: 'with nothing to send' },
	/** --if was not met. */
	condition: { outcome: 'skipped', listed: true, words: "that don't match --if" },
	/** A later row of the same object was written. */
	superseded: { outcome: 'skipped', listed: true, words: 'set again by a later row' },
	/** A delete of what an earlier row deletes. */
	named_again: { outcome: 'skipped', listed: true, words: 'named again' },
	/** A name that --ignore-missing lets pass: nobody knows whether it was ever there. */
	not_found: { outcome: 'skipped', listed: true, words: 'not found', counts: 'not_found' },
	drift: { outcome: 'skipped', listed: true, words: CHANGED, counts: 'left' },
	conflict: { outcome: 'skipped', listed: true, words: CHANGED, counts: 'conflicts' },
	/** Not a conflict: an earlier write of this run may be what modified the object. */
	modified_in_doubt: { outcome: 'failed', listed: true, words: 'modified, perhaps by this run', counts: 'refused' },
	changed_since: { outcome: 'skipped', listed: true, words: CHANGED, counts: 'left' },
	not_restorable: { outcome: 'skipped', listed: true, words: "that can't be restored", counts: 'not_restorable' },
	left_out: { outcome: 'not-sent', listed: true, words: 'left out', counts: 'left_out' },
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof reasons;

export type SkipCode = {
	[Code in ReasonCode]: (typeof reasons)[Code]['outcome'] extends 'skipped' ? Code : never;
}[ReasonCode];

/** @param code of an outcome; a journal may have any */
export function reasonFor(outcome: OutcomeName, code: unknown): Reason | undefined {
	const reason: Reason | undefined = isReason(code) ? reasons[code] : undefined;
	return reason?.outcome === outcome ? reason : undefined;
}

function isReason(code: unknown): code is ReasonCode {
	return typeof code === 'string' && Object.hasOwn(reasons, code);
}

/** @param outcome with its code, for those that some codes make another matter */
export function meaningOf({ outcome, code }: { outcome: OutcomeName; code?: unknown }): Meaning {
	return meaningWith(outcome, reasonFor(outcome, code)?.counts);
}

export function meaningWith(outcome: OutcomeName, detail: Detail | undefined): Meaning {
	return detail === undefined ? outcomes[outcome] : { ...outcomes[outcome], ...details[detail] };
}

/** What a run says of itself while it goes on; printers show it, and a run that has no printer works as well. */

import type { ExitCode } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import type { FailedAttempt } from '../../http/send.js';
import type { Complaint } from '../input/rows.js';
import type { Counts } from '../journal/counts.js';
import type { RunHeader, SavedPlan } from './plan.js';
import type { PlannedRows, RunRow } from './rows.js';
import type { StopReason } from './stop.js';
import type { Survey } from './survey.js';

/** Every switch over `type` is exhaustive: a new event compiles once each printer handles it. */
export type RunEvent =
	/** A row that can't be sent, found by the first pass. */
	| { readonly type: 'complaint'; readonly complaint: Complaint }
	/** The first pass is over; nothing has been sent. */
	| { readonly type: 'surveyed'; readonly survey: Survey; readonly rows: PlannedRows }
	/** A dry run's row; with `change` where its object was read. */
	| { readonly type: 'planned'; readonly row: RunRow; readonly change?: RowChange }
	| ({ readonly type: 'previewed' } & Preview)
	/** The first row is about to be sent. */
	| ({ readonly type: 'started' } & Started)
	| { readonly type: 'row'; readonly outcome: RowOutcome; readonly counts: Counts }
	| { readonly type: 'retry'; readonly attempt: FailedAttempt }
	/** About once a second while rows are sent; `pauseMs` is how long the service wants to be left alone. */
	| { readonly type: 'tick'; readonly counts: Counts; readonly pauseMs: number }
	| { readonly type: 'stopped'; readonly reason: StopReason }
	/** No row is under way any more, whatever happened. */
	| { readonly type: 'settled' }
	| ({ readonly type: 'ended' } & Ended);

/** Takes an event. A promise is waited for: whoever reads the results may be slow. */
export type Show = (event: RunEvent) => Promise<void> | void;

/** What a row would do to its object, as a read shows it now. */
export type RowChange = {
	/** Whether the run would send the row. */
	readonly sends: boolean;
} & (
	| { readonly fields: readonly FieldChange[]; readonly write: PlannedWrite }
	/** A check would skip the row, or its fields can't be written. */
	| { readonly skip: Outcome }
	/** The object could not be read. */
	| { readonly unread: Outcome }
);

export interface FieldChange {
	readonly field: string;
	/** Undefined where the service doesn't show the field. */
	readonly old: unknown;
	readonly new: unknown;
	readonly isShown: boolean;
}

/** A row as a saved plan keeps it. */
export interface PlannedWrite {
	readonly row: number;
	readonly line?: number | undefined;
	readonly ids: Readonly<Record<string, string>>;
	/** Whether it deletes permanently. */
	readonly force?: true | undefined;
	readonly reassign?: string | undefined;
	readonly modified?: string | undefined;
	readonly fields: Readonly<Record<string, unknown>>;
	/** What the object held then, and fields that it did not have. */
	readonly before: { readonly values: Readonly<Record<string, unknown>>; readonly absent: readonly string[] };
}

/** The end of a run that sent nothing. */
export interface Preview {
	/** Requests that the run would send. */
	readonly requests: number;
	/** Whether a check may skip some of them. */
	readonly upTo: boolean;
	/** Rows with nothing to send. */
	readonly skipped: number;
	/** Rows whose objects could not be read. */
	readonly unread: number;
	/** The plan that was written. */
	readonly saved?: SavedPlan | undefined;
}

export interface Started {
	readonly total: number;
	readonly counts: Counts;
	readonly journal: { readonly path: string; readonly header: RunHeader } | undefined;
	/** Lets signals stop the run. */
	readonly control: RunControl;
}

export interface RunControl {
	stop(reason: StopReason): void;
	/** Rows without an outcome. */
	open(): number;
}

/** How a run ended, for its summary, its reports and its journal. */
export interface Ended {
	readonly counts: Counts;
	readonly exitCode: ExitCode;
	readonly stopped: StopReason | undefined;
	/** How long this process worked on it, in milliseconds. */
	readonly ms: number;
	/** Whether a resume has something to send. */
	readonly resumable: boolean;
	/** Why the run broke off: a journal that can't be written, or an input that can't be read to its end. */
	readonly failure?: unknown;
}

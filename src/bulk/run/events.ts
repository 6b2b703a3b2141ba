/** What a run reports to its printers. */

import type { ExitCode } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import type { Complaint } from '../input/rows.js';
import type { Counts } from '../journal/counts.js';
import type { RunHeader, SavedPlan } from './plan.js';
import type { PlannedRows, RunRow } from './rows.js';
import type { StopReason } from './stop.js';
import type { Survey } from './survey.js';

/** Switches over `type` are exhaustive: a new event must be handled by each printer. */
export type RunEvent =
	/** By the first pass. */
	| { readonly type: 'complaint'; readonly complaint: Complaint }
	/** Nothing was sent yet. */
	| { readonly type: 'surveyed'; readonly survey: Survey; readonly rows: PlannedRows }
	/** With `change` if its object was read. */
	| { readonly type: 'planned'; readonly row: RunRow; readonly change?: RowChange }
	| ({ readonly type: 'previewed' } & Preview)
	| ({ readonly type: 'started' } & Started)
	| { readonly type: 'row'; readonly outcome: RowOutcome; readonly counts: Counts }
	| { readonly type: 'retry'; readonly attempt: Outcome }
	/** About every second; the service asked for `pauseMs`. */
	| { readonly type: 'tick'; readonly counts: Counts; readonly pauseMs: number }
	| { readonly type: 'stopped'; readonly reason: StopReason }
	/** No row is under way any more. */
	| { readonly type: 'settled' }
	| ({ readonly type: 'ended' } & Ended);

/** A promise is waited for. */
export type Show = (event: RunEvent) => Promise<void> | void;

/** As a read shows it now. */
export type RowChange = {
	readonly sends: boolean;
} & (
	| { readonly fields: readonly FieldChange[]; readonly write: PlannedWrite }
	/** A check skips it, or its fields can't be written. */
	| { readonly skip: Outcome }
	| { readonly unread: Outcome }
);

export interface FieldChange {
	readonly field: string;
	/** Undefined if it isn't shown. */
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

export interface Preview {
	readonly requests: number;
	/** A check may skip some. */
	readonly upTo: boolean;
	readonly skipped: number;
	readonly unread: number;
	/** The plan that was written. */
	readonly saved?: SavedPlan | undefined;
}

export interface Started {
	readonly total: number;
	readonly counts: Counts;
	readonly journal: { readonly path: string; readonly header: RunHeader } | undefined;
	readonly control: RunControl;
}

export interface RunControl {
	stop(reason: StopReason): void;
	open(): number;
}

export interface Ended {
	readonly counts: Counts;
	readonly exitCode: ExitCode;
	readonly stopped: StopReason | undefined;
	/** In this process. */
	readonly ms: number;
	readonly resumable: boolean;
	/** A journal or an input that failed. */
	readonly failure?: unknown;
}

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
	| { readonly type: 'complaint'; readonly complaint: Complaint }
	/** Nothing was sent yet. */
	| { readonly type: 'surveyed'; readonly survey: Survey; readonly rows: PlannedRows }
	/** With `change` if its object was read. */
	| { readonly type: 'planned'; readonly row: RunRow; readonly change?: RowChange }
	| ({ readonly type: 'previewed' } & Preview)
	| ({ readonly type: 'started' } & Started)
	| { readonly type: 'row'; readonly outcome: RowOutcome; readonly counts: Counts }
	| { readonly type: 'retry'; readonly attempt: Outcome }
	/** About every second; the service asked for a pause of `pauseMs`. */
	| { readonly type: 'tick'; readonly counts: Counts; readonly pauseMs: number }
	| { readonly type: 'stopped'; readonly reason: StopReason }
	/** No row is under way any more. */
	| { readonly type: 'settled' }
	| ({ readonly type: 'ended' } & Ended);

/** The run waits for a promise. */
export type Show = (event: RunEvent) => Promise<void> | void;

/** What a run would do to an object that was read. */
export type RowChange = { readonly sends: boolean } & (
	| { readonly fields: readonly FieldChange[]; readonly write: PlannedWrite }
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

/** A row of a saved plan. */
export interface PlannedWrite {
	readonly row: number;
	readonly line?: number;
	readonly ids: Readonly<Record<string, string>>;
	/** Deletes permanently. */
	readonly force?: true;
	readonly reassign?: string;
	readonly modified?: string;
	readonly fields: Readonly<Record<string, unknown>>;
	/** Old values, and the fields that the object did not have. */
	readonly before: { readonly values: Readonly<Record<string, unknown>>; readonly absent: readonly string[] };
}

export interface Preview {
	readonly requests: number;
	/** A check may skip some. */
	readonly upTo: boolean;
	readonly skipped: number;
	readonly unread: number;
	readonly saved?: SavedPlan;
}

export interface Started {
	readonly total: number;
	readonly counts: Counts;
	readonly journal: { readonly path: string; readonly header: RunHeader } | undefined;
	readonly control: {
		stop(reason: StopReason): void;
		/** Rows without an outcome. */
		open(): number;
	};
}

export interface Ended {
	readonly counts: Counts;
	readonly exitCode: ExitCode;
	readonly stopped: StopReason | undefined;
	/** In this process. */
	readonly ms: number;
	readonly resumable: boolean;
	/** Of the journal or the input. */
	readonly failure?: unknown;
}

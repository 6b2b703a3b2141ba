/** What a run reports to its printers. */

import type { ExitCode } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import type { Complaint } from '../input/rows.js';
import type { Counts } from '../journal/counts.js';
import type { Fields, Ids, RunHeader, SavedPlan } from '../plan.js';
import type { PlannedRows, RunRow } from './rows.js';
import type { StopReason } from './stop.js';
import type { Survey } from './survey.js';

/** The screen's switch over `type` is exhaustive: a new event does not compile until it is shown. */
export type RunEvent =
	| { type: 'complaint'; complaint: Complaint }
	| { type: 'surveyed'; survey: Survey; rows: PlannedRows }
	| { type: 'planned'; row: RunRow; change?: RowChange }
	| ({ type: 'previewed' } & Preview)
	| ({ type: 'started' } & Started)
	| { type: 'row'; outcome: RowOutcome; counts: Counts }
	| { type: 'retry'; attempt: Outcome; waitMs: number }
	/** About every second; the service asked for a pause of `pauseMs`. */
	| { type: 'tick'; counts: Counts; pauseMs: number }
	| ({ type: 'ended' } & Ended);

/** The run waits for a promise. */
export type Show = (event: RunEvent) => Promise<void> | void;

export type RowChange = { sends: boolean } & (
	| { fields: readonly FieldChange[]; write: PlannedWrite }
	| { skip: Outcome }
	| { unread: Outcome }
);

export interface FieldChange {
	field: string;
	old: unknown;
	new: unknown;
	isShown: boolean;
}

export interface PlannedWrite {
	row: number;
	line?: number;
	ids: Ids;
	force?: true;
	reassign?: string;
	modified?: string;
	fields: Fields;
	before: { values: Fields; absent: readonly string[] };
}

export interface Preview {
	requests: number;
	upTo: boolean;
	skipped: number;
	unread: number;
	saved?: SavedPlan;
}

export interface Started {
	total: number;
	counts: Counts;
	journal: { path: string; header: RunHeader } | undefined;
	control: {
		stop(reason: StopReason): void;
		open(): number;
	};
}

export interface Ended {
	counts: Counts;
	exitCode: ExitCode;
	stopped: StopReason | undefined;
	ms: number;
	resumable: boolean;
	failure?: unknown;
}

/** What a run reports to its printers. */

import type { ExitCode } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import type { Complaint } from '../input/rows.js';
import type { Counts } from '../journal/counts.js';
import type { LeftRows } from '../left.js';
import type { RunHeader, SavedPlan } from '../plan.js';
import type { Planned } from '../planned.js';
import type { Totals } from '../totals.js';
import type { PlannedRows } from './rows.js';
import type { StopReason } from './stop.js';
import type { Survey } from './survey.js';

/** The screen's switch over `type` is exhaustive: a new event does not compile until it is shown. */
export type RunEvent =
	| { type: 'complaint'; complaint: Complaint }
	/** Nothing was sent yet. */
	| { type: 'surveyed'; survey: Survey; rows: PlannedRows }
	| ({ type: 'planned' } & Planned)
	| ({ type: 'previewed' } & Preview)
	| ({ type: 'started' } & Started)
	| { type: 'row'; outcome: RowOutcome; counts: Counts }
	| { type: 'retry'; attempt: Outcome; waitMs: number }
	/** About every second; the service asked for a pause of `pauseMs`. */
	| { type: 'tick'; counts: Counts; pauseMs: number }
	| ({ type: 'ended' } & Ended);

/** The run waits for a promise. */
export type Show = (event: RunEvent) => Promise<void> | void;

export interface Preview {
	/** That would be sent. */
	readonly requests: number;
	/** Nothing was read, so a row may have nothing to send. */
	readonly upTo: boolean;
	/** Rows whose objects can't be read, so that nobody knows what would change. */
	readonly unread: number;
	readonly totals: Totals;
	readonly left: LeftRows;
	/** Rows of an undo that are sent, but not with all that the run wrote. */
	readonly unrestored: LeftRows;
	readonly saved?: SavedPlan | undefined;
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
	/** Whether a resume has something to send. */
	resumable: boolean;
	/** Of the journal or the input. */
	failure?: unknown;
}

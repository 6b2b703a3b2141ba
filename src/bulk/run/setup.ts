/** What a run needs of whoever starts it. */

import type { Dialect } from '../../api/dialect.js';
import type { Outcome, OutcomeName } from '../../http/outcome.js';
import type { SendClock } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import type { Redact } from '../journal/records.js';
import type { Directories } from '../lists/directory.js';
import type { Show } from './events.js';
import type { RunHeader, RunPlan, RunTuning } from './plan.js';
import type { PlannedRows, RunRow } from './rows.js';
import type { RowRedactor } from './send-row.js';
import type { SetLimits, Survey } from './survey.js';

/** How far a run goes: it shows its requests, it reads and shows what they would change, or it sends them. */
export type Extent = 'requests' | 'changes' | 'send';

export interface RunSetup {
	readonly plan: RunPlan;
	readonly tuning: RunTuning;
	readonly extent: Extent;
	readonly limits: SetLimits;
	/** Where the changes are saved instead of being sent. */
	readonly saveTo?: string | undefined;
	/** The journal of the run that is resumed. */
	readonly resumes?:
		| { readonly path: string; readonly header: RunHeader; readonly again: readonly OutcomeName[] }
		| undefined;
	/** The run's ID, and what its journal keeps of who started it and why. */
	readonly record: Pick<RunHeader, 'id' | 'who' | 'note' | 'reports'>;
	/** Where the journal is kept; by default in the state folder, and nowhere for look-ups without a report. */
	readonly journal: { readonly path: string | undefined; readonly isWanted: boolean };
	/** Values that no plan holds. */
	readonly secrets: Readonly<Record<string, unknown>>;
	readonly dialect: Dialect;
	readonly stateDir: string;
	readonly stdin: AsyncIterable<Uint8Array>;
	readonly tool: string;
	readonly clock: SendClock;
	random(): number;
	/** Hides values under secret names, for what is kept. */
	readonly redact: Redact;
	redactRows(hasSecrets: boolean): RowRedactor;
	/** Opens the client once; a dry run never calls it. */
	connect(): Promise<Client>;
	/** Where names are looked up. */
	readonly directories: Directories;
	/** @throws RefusedError where the credentials are refused: every row would be too */
	checkSignedIn(outcome: Outcome): void;
	/** @throws UsageError where a read shows that the service offers no such read */
	checkServed(row: RunRow, read: Outcome): void;
	/** Checks what only the service or a person can say. @returns the plan to carry out @throws to send nothing */
	ask(survey: Survey, rows: PlannedRows): Promise<RunPlan>;
	readonly show: Show;
	/** Is called with what a signal has to clean up before the first row is sent. */
	onSpool(remove: () => void): void;
}

/** What a run needs of its caller. */

import type { Dialect } from '../../api/dialect.js';
import type { Request } from '../../api/request.js';
import type { Client } from '../../http/client.js';
import type { OutcomeName, RowOutcome } from '../../http/outcome.js';
import type { SendClock, SendOptions } from '../../http/send.js';
import type { Change } from '../change.js';
import type { LeavesRecord, Redact } from '../journal/records.js';
import type { LeftRows } from '../left.js';
import type { Directories } from '../lists/directory.js';
import type { AdaptivePace } from '../pace.js';
import type { Fields, RunHeader, RunPlan, RunTuning } from '../plan.js';
import type { Totals } from '../totals.js';
import type { Show } from './events.js';
import type { ProfileRules } from './rules.js';
import type { Demands, Survey } from './survey.js';

interface ExtentFacts {
	/** Whether rows are written. */
	readonly sends: boolean;
	/** Whether objects are read to show what would change. */
	readonly showsChanges: boolean;
}

/** How far a run goes. A member that lacks a column does not compile. */
const extentRows = {
	requests: { sends: false, showsChanges: false },
	changes: { sends: false, showsChanges: true },
	send: { sends: true, showsChanges: false },
} as const satisfies Record<string, ExtentFacts>;

export type Extent = keyof typeof extentRows;

export const extents: Readonly<Record<Extent, ExtentFacts>> = extentRows;

/** An outcome as it may be printed and kept. */
export type RowRedactor = (outcome: RowOutcome, request: Request) => RowOutcome;

/** What is sent, and what is kept of it. */
export interface Work {
	readonly plan: RunPlan;
	/** Values that no plan contains. */
	readonly secrets: Fields;
	readonly extent: Extent;
	/** Of a run that goes on in its own journal. */
	readonly resumes?: { readonly path: string; readonly header: RunHeader; readonly again: readonly OutcomeName[] };
	readonly record: Pick<RunHeader, 'id' | 'who' | 'note' | 'reports'>;
	/** Where a plan is saved instead of sent. */
	readonly saveTo?: string;
	/** By default it is in the state folder; lookups without a report have none. */
	readonly journal?: string;
	/** `html:run.html`, under `cwd`; a resume writes those of its run. */
	readonly reports?: readonly string[];
}

/** What it is sent, kept and told with. */
export interface Means {
	/** Once; a dry run never does. */
	connect(): Promise<Client>;
	readonly directories: Directories;
	readonly dialect: Dialect;
	readonly sending: SendOptions & { readonly pace: AdaptivePace };
	readonly clock: SendClock;
	readonly stdin: AsyncIterable<Uint8Array>;
	readonly stateDir: string;
	readonly cwd: string;
	readonly tool: string;
	/** Hides values under secret names. */
	readonly redact: Redact;
	redactRows(hasSecrets: boolean): RowRedactor;
	readonly show: Show;
	warn(text: string): void;
	/** A file that must not stay if a signal comes before the first row. */
	onDraft(path: string): void;
}

/** What a person is told before a question. */
export interface Described {
	/** Of the first rows, as a dry run shows them. */
	readonly changes: readonly Change[];
	/** Of all rows, without reading their objects. */
	readonly totals: Totals;
	/** Rows that are not sent. */
	readonly left: LeftRows;
}

/** How fast, how far, and what keeps a run from its first write. */
export interface Limits {
	readonly tuning: RunTuning;
	readonly demands: Demands;
	readonly rules: ProfileRules;
	/** Whether old values are kept because nobody said otherwise: a run goes on without them. */
	readonly snapshotByDefault: boolean;
	/** Whether a person is asked, who wants names. */
	readonly isAsked: boolean;
	/** @param doubts what could not be checked @throws to send nothing */
	ask(survey: Survey, plan: RunPlan, doubts: readonly string[], describe: () => Promise<Described>): Promise<void>;
	/** Moves tickets of a user to whoever receives the posts. @param note is told the run that does, and after it how many moved @throws SupportctlError to send nothing more */
	moveTickets(leaves: LeavesRecord, note: (run: string, moved?: number) => Promise<void>): Promise<void>;
}

export interface RunSetup {
	readonly work: Work;
	readonly means: Means;
	readonly limits: Limits;
}

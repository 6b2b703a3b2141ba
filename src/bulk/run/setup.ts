/** What a run needs of its caller. */

import type { Dialect } from '../../api/dialect.js';
import type { Request } from '../../api/request.js';
import type { Client } from '../../http/client.js';
import type { OutcomeName, RowOutcome } from '../../http/outcome.js';
import type { SendClock, SendOptions } from '../../http/send.js';
import type { Redact } from '../journal/records.js';
import type { Directories } from '../lists/directory.js';
import type { AdaptivePace } from '../pace.js';
import type { Fields, RunHeader, RunPlan, RunTuning } from '../plan.js';
import type { Show } from './events.js';
import type { Demands, Survey } from './survey.js';

export type Extent = 'requests' | 'changes' | 'send';

export type RowRedactor = (outcome: RowOutcome, request: Request) => RowOutcome;

/** What keeps a run from its first write, or has it begin. */
export interface Guards {
	demands: Demands;
	/** Whether old values are kept because nobody said otherwise: a run goes on without them. */
	snapshotByDefault: boolean;
	/** Whether a person is asked, who wants names. */
	isAsked: boolean;
	warn(text: string): void;
	/** @param doubts what could not be checked @throws to send nothing */
	ask(survey: Survey, plan: RunPlan, doubts: readonly string[]): Promise<void>;
}

export interface RunSetup extends Guards {
	plan: RunPlan;
	tuning: RunTuning;
	extent: Extent;
	saveTo?: string;
	resumes?: { path: string; header: RunHeader; again: readonly OutcomeName[] };
	record: Pick<RunHeader, 'id' | 'who' | 'note' | 'reports'>;
	/** By default it is in the state folder; lookups without a report have none. */
	journal?: string;
	/** `html:run.html`, under `cwd`; a resume writes those of its run. */
	reports?: readonly string[];
	cwd: string;
	secrets: Fields;
	dialect: Dialect;
	stateDir: string;
	stdin: AsyncIterable<Uint8Array>;
	tool: string;
	clock: SendClock;
	sending: SendOptions & { pace: AdaptivePace };
	redact: Redact;
	redactRows(hasSecrets: boolean): RowRedactor;
	/** Once; a dry run never does. */
	connect(): Promise<Client>;
	directories: Directories;
	show: Show;
	/** A file that must not stay if a signal comes before the first row. */
	onDraft(path: string): void;
}

/** What a command hands to a run: its plan, how it is carried out, and what no plan holds. */

import type { RunHeader, RunPlan, RunTuning } from '../../bulk/run/plan.js';
import type { Invocation } from '../command.js';
import type { Session } from '../session.js';
import type { RunFlags } from './options.js';

export type RunInvocation = Omit<Invocation, 'options'> & { readonly options: RunFlags };

/** Secret values, by field: they are sent, and never kept. */
export type Secrets = Readonly<Record<string, unknown>>;

/** All that a run starts from. */
export interface RunJob {
	plan: RunPlan;
	tuning: RunTuning;
	secrets: Secrets;
	session: Session;
	invocation: RunInvocation;
	/** The journal of the run that goes on. */
	resumes?: { path: string; header: RunHeader };
}

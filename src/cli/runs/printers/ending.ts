/** What text and JSON both say: about the input, how a run ended, and what to do next. */

import { plural } from '../../../api/names.js';
import { chooseEndpoint } from '../../../api/plan.js';
import { readEndpointOf } from '../../../api/reads.js';
import { nextSteps } from '../../../bulk/journal/counts.js';
import type { Ended } from '../../../bulk/run/events.js';
import type { RunHeader, RunPlan } from '../../../bulk/run/plan.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import type { StopReason } from '../../../bulk/run/stop.js';
import type { Survey } from '../../../bulk/run/survey.js';
import type { Outcome } from '../../../http/outcome.js';
import { sanitise } from '../../../output/sanitise.js';
import { notify, warn } from '../../notices.js';
import { type Caller, nextStep } from '../failures.js';
import type { RunJob } from '../plan.js';

export function whyStopped(reason: StopReason): string {
	switch (reason.kind) {
		case 'signal':
			return 'interrupted';
		case 'unauthorized': {
			const { message } = reason.outcome;
			return `stopped: the service refused the credentials (401${message === undefined ? '' : `: ${message}`})`;
		}
		case 'failure':
			return `stopped at row ${reason.outcome.row}: it failed (--stop-on-error)`;
		case 'too-many-failures':
			return `stopped: more than ${reason.limit} rows failed (--max-failures)`;
		case 'same-refusal':
			return `stopped: the first ${reason.rows} rows failed for the same reason: ${textOf(reason.outcome)}`;
		case 'unreachable':
			return `stopped: the service could not be reached (${reason.why})`;
		case 'asked-to-wait':
			return `stopped: ${textOf(reason.outcome)}`;
		case 'out-of-time':
			return `stopped at ${new Date(reason.until).toISOString()}: time is up`;
	}
}

function textOf({ message, code, outcome }: Outcome): string {
	return message ?? code ?? outcome;
}

export function adviceAfter(reason: StopReason | undefined, caller: Caller): string | undefined {
	if (reason?.kind === 'unreachable') return 'run "supportctl doctor"';
	return reason !== undefined && 'outcome' in reason ? nextStep(reason.outcome, {}, caller) : undefined;
}

/** In the order to run them. */
export function stepsAfter({ counts, resumable }: Ended, { id, plan }: RunHeader): [text: string, command: string][] {
	const steps = nextSteps(id, counts, resumable);
	if (plan.checks.snapshot && counts.ok + counts.differs > 0) steps.push(['Undo', `supportctl run undo ${id}`]);
	return steps.slice(0, 2);
}

/** Why a run that changed something can't be undone. */
export function undoObstacle({ counts }: Ended, plan: RunPlan): string | undefined {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const isWrite = endpoint.replay === 'set' || endpoint.replay === 'delete';
	if (!isWrite || plan.checks.snapshot || counts.ok + counts.differs + counts.unknown === 0) return undefined;
	if (readEndpointOf(endpoint) === undefined) return `the API has no way to read ${plural(endpoint.noun, 2)}`;
	const isPermanent = endpoint.replay === 'delete' && (!endpoint.trash || plan.values.force);
	return isPermanent ? 'the deletes were permanent' : 'no old values were saved';
}

/** Outcomes that need attention. */
export const BAD = ['failed', 'differs', 'invalid', 'unknown', 'not-sent'] as const;

/** Says once how headers were understood, and which columns are not sent. */
export function noteColumns(
	{ plan, tuning, invocation: { context } }: RunJob,
	{ ignored, matched }: PlannedRows,
): void {
	const pairs = matched.map(({ column, field }) => `${sanitise(column)} → ${field}`);
	if (pairs.length > 0 && !tuning.quiet) notify(context, 'message', `columns: ${pairs.join(', ')}`);
	if (plan.endpoint !== 'ticket.fields.set') return;
	for (const column of ignored.filter((name) => !plan.columns.ignore.includes(name))) {
		warn(context, [`column ${column} is not sent; to send it: --map ${column}=${column}`]);
	}
}

/** `2 of 9 rows are invalid; nothing was sent` */
export function invalidNote({ skipInvalid }: RunPlan, { invalid, rows }: Survey): string {
	const of = `${invalid} of ${rows} ${plural('row', rows)} ${invalid === 1 ? 'is' : 'are'} invalid`;
	return skipInvalid ? `${of} and will be skipped` : `${of}; nothing was sent`;
}

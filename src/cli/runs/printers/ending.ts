/** How a run ended, what to do next, and reasons of failures. */

import { nameRow, plural } from '../../../api/names.js';
import { chooseEndpoint } from '../../../api/plan.js';
import { readEndpointOf } from '../../../api/reads.js';
import { nextSteps } from '../../../bulk/journal/counts.js';
import type { Ended } from '../../../bulk/run/events.js';
import type { RunPlan } from '../../../bulk/run/plan.js';
import type { StopReason } from '../../../bulk/run/stop.js';
import type { Outcome, RowOutcome } from '../../../http/outcome.js';
import { type Caller, nextStep } from '../outcomes.js';

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

/** More than the next commands. */
export function adviceAfter(reason: StopReason | undefined, caller: Caller): string | undefined {
	if (reason === undefined) return undefined;
	if (reason.kind === 'unreachable') return 'run "supportctl doctor"';
	return 'outcome' in reason ? nextStep(reason.outcome, {}, caller) : undefined;
}

/** In the order to run them. */
export function stepsAfter(
	{ checks }: Pick<RunPlan, 'checks'>,
	{ counts, resumable }: Ended,
	id: string | undefined,
): [text: string, command: string][] {
	if (id === undefined) return [];
	const steps = nextSteps(id, counts, resumable);
	if (checks.snapshot && counts.ok + counts.differs > 0) steps.push(['Undo', `supportctl run undo ${id}`]);
	return steps.slice(0, 2);
}

/** Why a run that changed something can't be undone. */
export function undoObstacle({ counts }: Pick<Ended, 'counts'>, plan: RunPlan): string | undefined {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const isWrite = endpoint.replay === 'set' || endpoint.replay === 'delete';
	if (!isWrite || plan.checks.snapshot || counts.ok + counts.differs + counts.unknown === 0) return undefined;
	if (readEndpointOf(endpoint) === undefined) return `the API has no way to read ${plural(endpoint.noun, 2)}`;
	const isPermanent = endpoint.replay === 'delete' && (!endpoint.trash || plan.values.force);
	return isPermanent ? 'the deletes were permanent' : 'no old values were saved';
}

export const BAD = ['failed', 'differs', 'invalid', 'unknown', 'not-sent'] as const;

/** Rows in a group, and groups. */
const NAMED = 3;
const MOST_GROUPS = 20;

export function createGroups(noun: string) {
	const groups = new Map<string, { reason: string; count: number; rows: string[] }>();
	return {
		add({ outcome, status, code, message, ids }: RowOutcome): void {
			const known = [outcome, status, code].join(' ');
			const key = groups.has(known) || groups.size < MOST_GROUPS ? known : '';
			let group = groups.get(key);
			if (group === undefined) {
				const http = [status === undefined ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ');
				const text = [http, message].filter(Boolean).join(': ');
				const reason = text === '' ? outcome : `${outcome} (${text})`;
				group = { reason: key === '' ? 'for other reasons' : reason, count: 0, rows: [] };
				groups.set(key, group);
			}
			group.count++;
			if (group.rows.length < NAMED) group.rows.push(nameRow(ids, noun));
		},
		/** `26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, …` */
		lines: (): string[] =>
			[...groups.values()]
				.sort((one, other) => other.count - one.count)
				.map(({ reason, count, rows }) => `${count} ${reason}: ${rows.join(', ')}${count > rows.length ? ', …' : ''}`),
	};
}

/** Who reads a run's output, and what its messages are made of. */

import type { Complaint } from '../../../bulk/input/rows.js';
import type { Ended } from '../../../bulk/run/events.js';
import type { RunHeader } from '../../../bulk/run/plan.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { type RowOutcome, wentWrong } from '../../../http/outcome.js';
import { isOwnTable, wantsJson } from '../../results.js';
import type { RunJob } from '../plan.js';
import { createGroups, type Groups } from './groups.js';

/** Rows of a kind that are printed one by one. */
export const SHOWN = 20;

/** What text and JSON say beside the results. */
export interface Messages {
	/** Rows that can't be sent. */
	invalid(survey: Survey): void;
	ended(ended: Ended): void;
	/** Before the error of an input that could not be read to its end. */
	beforeError(error: unknown): void;
}

export type View = ReturnType<typeof viewOf>;

export function viewOf({ endpoint, plan, session, invocation }: RunJob) {
	const { context, options } = invocation;
	const json = wantsJson(options);
	const isTable = isOwnTable(invocation, session.connection.settings.format);
	/** Its failure is the error of the call. */
	const isLone = plan.source.from === 'ids' && plan.source.ids.length === 1;
	return {
		json,
		isTable,
		isRead: endpoint.replay === 'read',
		isLone,
		/** A table has the failures already. */
		listsFailures: isLone || context.env.GITHUB_ACTIONS === 'true' || !(json || isTable),
	};
}

/** What the messages of a run are made of; grows while it goes on. */
export interface Seen {
	/** Undefined without a journal. */
	header: RunHeader | undefined;
	inputName: string;
	isSurveyed: boolean;
	/** A long table has only rows that need attention. */
	hidesGood: boolean;
	failures: number;
	readonly complaints: Complaint[];
	readonly reasons: Groups<Complaint>;
	readonly groups: Groups<RowOutcome>;
	/** Next steps of failed rows. */
	readonly advices: Set<string>;
}

export function createSeen(): Seen {
	return {
		header: undefined,
		inputName: 'input',
		isSurveyed: false,
		hidesGood: false,
		failures: 0,
		complaints: [],
		reasons: createGroups(({ column, message }) => `${column} ${message}`),
		groups: createGroups(({ outcome, status, code }) => `${outcome} ${status} ${code}`),
		advices: new Set(),
	};
}

export function needsAttention(outcome: RowOutcome): boolean {
	return wentWrong(outcome) || outcome.outcome === 'differs';
}

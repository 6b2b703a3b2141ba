/** Who reads a run's output, and which rows are worth a line. */

import type { Survey } from '../../../bulk/run/survey.js';
import { type RowOutcome, wentWrong } from '../../../http/outcome.js';
import { isOwnTable, wantsJson } from '../../results.js';
import type { RunJob } from '../plan.js';

/** Of a kind, one by one. */
export const SHOWN = 20;

/** A table shows all of so many rows. */
const WHOLE_TABLE_ROWS = 50;

export type View = ReturnType<typeof viewOf>;

export function viewOf({ endpoint, plan, session, invocation }: RunJob) {
	const { context, options } = invocation;
	const json = wantsJson(options);
	const isTable = isOwnTable(invocation, session.connection.settings.format);
	const isRead = endpoint.replay === 'read';
	/** Its failure is the error of the call. */
	const isLone = plan.source.from === 'ids' && plan.source.ids.length === 1;
	return {
		...{ json, isTable, isRead, isLone },
		/** The table has the failures already. */
		listsFailures: isLone || context.env.GITHUB_ACTIONS === 'true' || !(json || isTable),
		hidesGood: ({ selected }: Survey): boolean => isTable && !isRead && selected > WHOLE_TABLE_ROWS,
	};
}

export function needsAttention({ outcome }: RowOutcome): boolean {
	return wentWrong({ outcome }) || outcome === 'differs';
}

/** @returns the place of a row among its kind, or 0 */
export function createTroubleCount() {
	let failures = 0;
	let warnings = 0;
	return {
		place(outcome: RowOutcome): number {
			if (needsAttention(outcome)) return ++failures;
			const hasWarning = outcome.warnings !== undefined || outcome.differs !== undefined;
			return hasWarning ? ++warnings : 0;
		},
		failures: (): number => failures,
	};
}

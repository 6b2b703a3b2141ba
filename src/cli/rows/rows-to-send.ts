/** The second pass over the input: what is still to be sent, and the rows that can't be. */

import type { RunRow } from '../../bulk/engine.js';
import type { Outcome } from '../../http/outcome.js';
import type { PreparedRun } from './prepare.js';
import type { ResumedRun } from './run-log.js';
import { fallsTo } from './survey.js';

/** How many rows are planned before they are sent: few enough to be gone before V8 moves them to where only a full collection looks. */
const PLANNED_AHEAD = 128;

/** Rows in the order of the input: those of this shard that are not done, and complaints as invalid outcomes. */
export async function* rowsToSend(
	run: PreparedRun,
	resumed: ResumedRun | undefined,
	reject: (outcome: Outcome) => Promise<void> | undefined,
): AsyncGenerator<RunRow[]> {
	const { source, planRow, shard } = run;
	for await (const batch of source.read()) {
		let rows: RunRow[] = [];
		for (const raw of batch) {
			if (resumed?.isDone(raw.row) === true) continue;
			const planned = planRow(raw);
			if (!fallsTo(shard, planned)) continue;
			if (Array.isArray(planned)) {
				const message = planned.map((each) => each.message).join('; ');
				const line = raw.line === undefined ? {} : { line: raw.line };
				await reject({
					row: raw.row,
					...line,
					ids: planned[0]?.ids ?? {},
					outcome: 'invalid',
					code: 'invalid_input',
					message,
					attempts: 0,
					ms: 0,
				});
			} else {
				rows.push(planned);
				if (rows.length < PLANNED_AHEAD) continue;
				yield rows;
				rows = [];
			}
		}
		if (rows.length > 0) yield rows;
	}
}

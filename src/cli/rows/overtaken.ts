/** Rows of a resumed run that were overtaken: done, though an earlier row of the same thing still has to be sent. */

import { asksNothing } from '../../api/plan.js';
import { inShard } from '../../bulk/shard.js';
import type { PreparedRun } from './prepare.js';
import type { ResumedRun } from './run-log.js';

/**
 * Opens them again, in the journal too, so that they are sent after the row that they overtook: of two rows that set the
 * same field, the later one has the last word. Rows that set none have no say. Deletes have no order.
 */
export async function reopenOvertaken(run: PreparedRun, resumed: ResumedRun): Promise<void> {
	const { source, planRow, shard, endpoint } = run;
	if (endpoint.replay !== 'set') return;
	const open = new Set<string>();
	for await (const batch of source.read()) {
		for (const raw of batch) {
			if (raw.row > resumed.lastDone) return;
			const isDone = resumed.isDone(raw.row);
			if (isDone && open.size === 0) continue;
			const planned = planRow(raw);
			if (Array.isArray(planned) || asksNothing(planned.request)) continue;
			const { key } = planned.request;
			if (shard !== undefined && !inShard(key, shard)) continue;
			if (!isDone) open.add(key);
			else if (open.has(key)) await resumed.reopen(planned);
		}
	}
}

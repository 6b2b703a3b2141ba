/** Rows of an earlier run as the input of another: those that its journal gives certain outcomes. */

import { createHash } from 'node:crypto';
import { UsageError } from '../../errors.js';
import { readRunHeader } from '../runs.js';
import { scanJournal } from '../scan.js';
import type { RowSource, RunHeader, RunPlan } from './plan.js';
import type { PlannedRow, PlannedRows, RowContext } from './rows.js';

/** The plan that sends rows of an earlier run again, with its mapping, values and checks. */
export function retryPlan({ id, plan }: RunHeader, journal: string, outcomes: readonly string[]): RunPlan {
	const source = { from: 'run', journal, run: id, outcomes } as Extract<RowSource, { from: 'run' }>;
	return { ...plan, source };
}

/** Which rows of the file at the end of a chain of retries belong to a source. */
export async function chosenRows(source: RowSource): Promise<(row: number) => boolean> {
	if (source.from !== 'run') return () => true;
	const { header, states } = await scanJournal(source.journal);
	const isEarlier = await chosenRows(header.plan.source);
	const wanted = new Set<unknown>(source.outcomes);
	return (row) => wanted.has(states.outcomeOf(row)) && isEarlier(row);
}

/** Opens the chosen rows; they keep their place and line of the earlier run's input. @throws UsageError, FailedError */
export async function openRowsOfRun(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'run' }>,
	context: RowContext,
	openRows: (plan: RunPlan, context: RowContext) => Promise<PlannedRows>,
): Promise<PlannedRows> {
	const header = readRunHeader(source.journal);
	const { states } = await scanJournal(source.journal);
	const wanted = new Set<unknown>(source.outcomes);
	const rows = await openRows({ ...plan, source: header.plan.source }, context);
	let digest = '';
	return {
		...rows,
		source,
		sha256: () => digest,
		// A private copy of standard input belongs to the earlier run.
		dispose: () => rows.dispose({ keep: true }),
		async *read() {
			const hash = createHash('sha256');
			for await (const batch of rows.read()) {
				const chosen = batch.filter(({ row }) => wanted.has(states.outcomeOf(row)));
				for (const { row } of chosen) hash.update(`${row} `);
				if (chosen.length > 0) yield chosen as readonly PlannedRow[];
			}
			if (rows.sha256() !== header.input.sha256) {
				throw new UsageError(`the input is not what run ${header.id} was started with; nothing was sent`, {
					code: 'input_changed',
				});
			}
			digest = hash.update(rows.sha256()).digest('hex');
		},
	};
}

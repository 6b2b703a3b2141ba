/** Rows of an earlier run as the input of another: those that its journal gives certain outcomes. */

import { createHash } from 'node:crypto';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { readRunHeader } from '../runs.js';
import { scanJournal } from '../scan.js';
import { inputFileOf, type RowSource, type RunHeader, type RunPlan } from './plan.js';
import type { PlannedRows, RowContext } from './rows.js';

/** The plan that sends rows of an earlier run again, with its mapping, values and checks. */
export function retryPlan(
	{ id }: Pick<RunHeader, 'id'>,
	plan: RunPlan,
	journal: string,
	outcomes: readonly OutcomeName[],
): RunPlan {
	return { ...plan, source: { from: 'run', journal, run: id, outcomes, rows: plan.source } };
}

type RunSource = Extract<RowSource, { from: 'run' }>;

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
	source: RunSource,
	context: RowContext,
	openRows: (plan: RunPlan, context: RowContext) => Promise<PlannedRows>,
): Promise<PlannedRows> {
	const header = readRunHeader(source.journal);
	const isChosen = await chosenRows(source);
	const rows = await openRows({ ...plan, source: source.rows }, context);
	let digest = '';
	return {
		...rows,
		source: { ...source, rows: rows.source },
		sha256: () => digest,
		async *read() {
			const hash = createHash('sha256');
			for await (const batch of rows.read()) {
				const chosen = batch.filter(({ row }) => isChosen(row));
				for (const { row } of chosen) hash.update(`${row} `);
				if (chosen.length > 0) yield chosen;
			}
			if (rows.sha256() !== header.input.sha256) {
				throw new UsageError(`the input is not what run ${header.id} was started with; nothing was sent`, {
					code: 'input_changed',
				});
			}
			digest = hash.update(rows.sha256()).digest('hex');
		},
		// The private copy of standard input that the earlier run made stays its own.
		...(inputFileOf(source.rows)?.path === '-' ? {} : { dispose: () => rows.dispose({ keep: true }) }),
	};
}

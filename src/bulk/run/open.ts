/** Opens the rows of a plan, whatever their source is: a file, arguments, an earlier run, or its old values. */

import { createHash } from 'node:crypto';
import { UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { type InputSource, openArguments } from '../input/input.js';
import { readRunHeader } from '../journal/folder.js';
import { scanJournal } from '../journal/read.js';
import { inputFileOf, type RowSource, type RunHeader, type RunPlan } from './plan.js';
import { type PlannedRows, planRows, type RowContext } from './rows.js';

/** Opens the rows of a plan. @throws UsageError for a source or header that can't be used */
export async function openRows(plan: RunPlan, context: RowContext): Promise<PlannedRows> {
	const { source } = plan;
	if (source.from === 'run') return await openRowsOfRun(plan, source, context);
	if (source.from === 'snapshots') return await (await import('./undo.js')).openOldValues(plan, source, context);
	const input = await openInputOf(source, context);
	try {
		const { planRow, readRow, finishRow, ignored } = planRows(plan, input, context);
		const { usernames } = context;
		return {
			source: withPlace(source, input),
			input,
			ignored,
			sha256: () => input.sha256 ?? '',
			async *read() {
				for await (const batch of input.read()) {
					yield usernames === undefined ? batch.map(planRow) : await usernames.plan(batch, readRow, finishRow);
				}
			},
			keep: () => input.keep(),
			dispose: (options) => input.dispose(options),
		};
	} catch (error) {
		await input.dispose();
		throw error;
	}
}

/** Opens the bytes of a source. @throws UsageError */
export async function openInputOf(
	source: Extract<RowSource, { from: 'ids' | 'file' }>,
	{ stdin, stateDir, onCopy }: Pick<RowContext, 'stdin' | 'stateDir' | 'onCopy'>,
): Promise<InputSource> {
	if (source.from === 'ids') return openArguments(source.ids);
	const { openInput } = await import('../input/source.js');
	const { path, name, format } = source;
	return await openInput({ path, name, stdin, stateDir, onSpool: onCopy, ...(format === undefined ? {} : { format }) });
}

function withPlace(source: RowSource, { path, format }: InputSource): RowSource {
	return source.from === 'file' && path !== undefined ? { ...source, path, format } : source;
}

/** The plan that sends rows of an earlier run again, with its mapping, values and checks. */
export function retryPlan(
	{ id }: Pick<RunHeader, 'id'>,
	plan: RunPlan,
	journal: string,
	outcomes: readonly OutcomeName[],
): RunPlan {
	return { ...plan, source: { from: 'run', journal, run: id, outcomes, rows: plan.source } };
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
async function openRowsOfRun(
	plan: RunPlan,
	source: Extract<RowSource, { from: 'run' }>,
	context: RowContext,
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

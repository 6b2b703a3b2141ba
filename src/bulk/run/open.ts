/** Opens the rows of a plan. */

import { type InputSource, openArguments } from '../input/input.js';
import type { RowSource, RunPlan } from './plan.js';
import { type PlannedRows, planRows, type RowContext } from './rows.js';

/** @throws UsageError */
export async function openRows(plan: RunPlan, context: RowContext): Promise<PlannedRows> {
	const { source } = plan;
	if (source.from === 'snapshots') return await (await import('./undo.js')).openOldValues(plan, source, context);
	if (source.from === 'plan') return await (await import('./planned.js')).openPlannedRows(plan, source, context);
	const input = await openInputOf(source, context);
	try {
		const { planRow, readRow, finishRow, ignored, matched } = planRows(plan, input, context);
		const { names } = context;
		const labels = new Map(matched.map(({ column, field }) => [field, column]));
		const planning = { read: readRow, finish: finishRow, labels };
		return {
			source: withPlace(source, input),
			input,
			ignored,
			matched,
			sha256: () => input.sha256 ?? '',
			async *read() {
				for await (const batch of input.read()) {
					yield names === undefined ? batch.map(planRow) : await names.plan(batch, planning);
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

/** @throws UsageError */
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

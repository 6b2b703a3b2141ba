/** Opens the rows of a plan. */

import { type InputSource, openArguments } from '../input/input.js';
import type { RowNames } from './names.js';
import type { RowSource } from './plan.js';
import { type PlannedRows, planRows } from './rows.js';
import type { RunSetup } from './setup.js';

/** @throws UsageError */
export async function openRows(setup: RunSetup, names: RowNames): Promise<PlannedRows> {
	const { plan, dialect } = setup;
	const { source } = plan;
	if (source.from === 'snapshots') return await (await import('./undo.js')).openOldValues(plan, source, dialect);
	if (source.from === 'plan') return (await import('./planned.js')).openPlannedRows(plan, source, dialect);
	const input = await openInputOf(source, setup.stdin, setup.stateDir, setup.onDraft);
	try {
		const planner = planRows(plan, input, dialect, setup.secrets);
		return {
			source: withPlace(source, input),
			input,
			ignored: planner.ignored,
			matched: planner.matched,
			sha256: () => input.sha256 ?? '',
			async *read() {
				for await (const batch of input.read()) yield await names.planRows(batch, planner);
			},
		};
	} catch (error) {
		await input.dispose();
		throw error;
	}
}

/** @param onDraft is told of a copy of stdin before it is made @throws UsageError */
export async function openInputOf(
	source: Extract<RowSource, { from: 'ids' | 'file' }>,
	stdin: AsyncIterable<Uint8Array>,
	stateDir: string,
	onDraft?: (path: string) => void,
): Promise<InputSource> {
	if (source.from === 'ids') return openArguments(source.ids);
	const { openInput } = await import('../input/source.js');
	const { path, name, format } = source;
	return await openInput({
		path,
		name,
		stdin,
		stateDir,
		onSpool: onDraft,
		...(format === undefined ? {} : { format }),
	});
}

function withPlace(source: RowSource, { path, format }: InputSource): RowSource {
	return source.from === 'file' && path !== undefined ? { ...source, path, format } : source;
}

/** Whether the service offers the reads that a run's checks need: looked up once, before the first write. */

import { readEndpointOf } from '../../api/reads.js';
import type { RunPlan } from '../../bulk/run/plan.js';
import { readPlannerOf, readsBefore } from '../../bulk/run/read-back.js';
import type { RunRow } from '../../bulk/run/rows.js';
import { UsageError } from '../../errors.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { NO_ROUTE, plural } from './failures.js';
import type { RunJob } from './job.js';

/**
 * Reads the first row's object, where the read is not documented and something needs it.
 * @throws UsageError where the service has no such read; what else fails is seen by the rows themselves
 */
export async function checkReadsServed(
	{ plan, session, tuning, invocation }: RunJob,
	row: RunRow | undefined,
	client: Client,
): Promise<void> {
	const { clock, random } = invocation.context;
	const flags = readingFlags(plan, invocation.options);
	if (row === undefined || flags.length === 0) return;
	const { request } = row;
	if (readEndpointOf(request.endpoint)?.documented !== false) return;
	const found = await send(client, readPlannerOf(session.dialect)(request), {
		retries: tuning.retries,
		clock,
		random,
		dialect: session.dialect,
	});
	if (found.code !== NO_ROUTE) return;
	const what = `this service does not offer reading ${plural(request.endpoint.noun, 2)} (${found.status} ${NO_ROUTE})`;
	const way = plan.source.from === 'snapshots' ? 'run undo needs it' : `leave out ${flags.join(', ')}`;
	throw new UsageError(`${what}; ${way}; nothing was written`, { code: NO_ROUTE, data: { status: found.status } });
}

/** The flags that need a read, as they can be left out. */
function readingFlags(plan: RunPlan, { diff, snapshot }: RunJob['invocation']['options']): string[] {
	const { checks, values } = plan;
	if (!readsBefore(plan) && !checks.verify && diff !== true) return [];
	const items = (change: string, fields: object): string[] =>
		Object.keys(fields).map((field) => `--${change}-${field.replaceAll('_', '-')}`);
	return [
		...(checks.verify ? ['--verify'] : []),
		...(checks.snapshot ? [snapshot === true ? '--snapshot' : 'snapshot (--no-snapshot)'] : []),
		...(checks.onlyChanged ? ['--only-changed'] : []),
		...(diff === true ? ['--diff'] : []),
		...(checks.conditions.length > 0 ? ['--if'] : []),
		...(checks.ifUnmodified ? ['--if-unmodified'] : []),
		...items('add', values.add),
		...items('remove', values.remove),
	];
}

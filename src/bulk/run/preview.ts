/** A run that sends nothing: what it would send, and where objects may be read, what that would change. */

import { asksNothing } from '../../api/plan.js';
import { ExitCode } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import { createBatchReader } from '../lists/batches.js';
import type { TermIndex } from '../lists/directory.js';
import { AdaptivePace } from '../pace.js';
import type { Preview, RowChange } from './events.js';
import { rowsToSend } from './execute.js';
import { heldOf } from './held.js';
import { changesLists, type RunPlan } from './plan.js';
import { comparesFirst, decide, readsBefore } from './read-back.js';
import type { PastPart } from './resume.js';
import type { PlannedRows, RunRow } from './rows.js';
import type { RunSetup } from './setup.js';

/** Shows each row that would be sent. @param past what earlier parts of the run did */
export async function preview(setup: RunSetup, rows: PlannedRows, past: PastPart | undefined): Promise<ExitCode> {
	const { plan, tuning, extent, show } = setup;
	const read = extent === 'changes' ? await createChangeReader(setup) : undefined;
	let [requests, skipped, unread, seen] = [0, 0, 0, 0];
	const reject = (): undefined => undefined;
	for await (const batch of rowsToSend({ rows, shard: plan.shard, first: tuning.first, past }, reject)) {
		const ready = batch.filter(({ request }) => changesLists(plan) || !asksNothing(request));
		skipped += batch.length - ready.length;
		seen += ready.length;
		const changes = read === undefined ? [] : await read(ready);
		for (const [at, row] of ready.entries()) {
			const change = changes[at];
			if (change?.sends !== false) requests++;
			if (change !== undefined && 'unread' in change) unread++;
			await show(change === undefined ? { type: 'planned', row } : { type: 'planned', row, change });
		}
	}
	const end: Preview = { requests, skipped, unread, upTo: read === undefined && comparesFirst(plan) };
	await show({ type: 'previewed', ...end });
	if (unread === 0) return ExitCode.ok;
	return unread === seen ? ExitCode.failed : ExitCode.partial;
}

/** Makes the function that reads the objects of some rows, and says what each row would change. */
export async function createChangeReader(
	setup: Pick<
		RunSetup,
		'plan' | 'tuning' | 'dialect' | 'clock' | 'random' | 'connect' | 'checkSignedIn' | 'checkServed' | 'directories'
	>,
): Promise<(rows: readonly RunRow[]) => Promise<RowChange[]>> {
	const { plan, tuning, dialect, clock, random } = setup;
	const { concurrency, retries, rate } = tuning;
	const client = await setup.connect();
	const pace = new AdaptivePace({ clock, random, rate });
	const reader = createBatchReader({
		dialect,
		concurrency,
		async send(request) {
			const found = await send(client, request, { retries, clock, random, dialect, pace });
			setup.checkSignedIn(found);
			return found;
		},
	});
	return async (rows) => {
		const found = await reader.read(rows.map(({ request }) => request));
		return rows.map((row, at) => {
			const read = found[at] as Outcome;
			setup.checkServed(row, read);
			return changeOf(plan, row, read, setup.directories.index);
		});
	};
}

/** What a row would change, now that its object was read. */
function changeOf(plan: RunPlan, row: RunRow, found: Outcome, terms: TermIndex): RowChange {
	const { checks, values } = plan;
	const { endpoint } = row.request;
	const held = found.outcome === 'ok' ? heldOf(endpoint, found.body, terms) : undefined;
	if (held === undefined) return { unread: found, sends: !readsBefore(plan) };
	const sends = 'fields' in decide(row, held, plan);
	const decided = decide(row, held, { checks: { ...checks, onlyChanged: true }, values });
	if ('skip' in decided) return { ...decided, sends };
	const fields = Object.entries(decided.fields).map(([field, value]) => {
		return { field, old: held.get(field), new: value, isShown: held.has(field) };
	});
	return { fields, sends };
}

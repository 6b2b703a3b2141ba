/** A run that sends nothing: what it would send and change. */

import { asksNothing } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { emptyRecord } from '../../api/values.js';
import { ExitCode } from '../../errors.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import { createBatchReader } from '../lists/batches.js';
import type { TermIndex } from '../lists/directory.js';
import { AdaptivePace } from '../pace.js';
import type { FieldChange, PlannedWrite, Preview, RowChange } from './events.js';
import { rowsToSend } from './execute.js';
import { type Held, heldOf } from './held.js';
import { changesLists, type RunPlan } from './plan.js';
import type { PlanWriter } from './plan-file.js';
import { deletionOf, IDENTITY } from './planned.js';
import { comparesFirst, decide, readsBefore, withCleared } from './read-back.js';
import type { PastPart } from './resume.js';
import type { PlannedRows, RunRow } from './rows.js';
import type { RunSetup } from './setup.js';

export async function preview(
	setup: RunSetup,
	rows: PlannedRows,
	past: PastPart | undefined,
	file?: PlanWriter,
): Promise<ExitCode> {
	try {
		return await showRows(setup, rows, past, file);
	} finally {
		file?.discard();
	}
}

async function showRows(
	setup: RunSetup,
	rows: PlannedRows,
	past: PastPart | undefined,
	file: PlanWriter | undefined,
): Promise<ExitCode> {
	const { plan, tuning, extent, show } = setup;
	const read = extent === 'changes' ? await createChangeReader(setup) : undefined;
	let [requests, skipped, unread, seen, invalid] = [0, 0, 0, 0, 0];
	const reject = ({ outcome }: RowOutcome): undefined => {
		if (outcome === 'invalid') invalid++;
	};
	for await (const batch of rowsToSend({ rows, shard: plan.shard, first: tuning.first, past }, reject)) {
		const ready = batch.filter(({ request }) => changesLists(plan) || !asksNothing(request));
		skipped += batch.length - ready.length;
		seen += ready.length;
		const changes = read === undefined ? [] : await read(ready);
		for (const [at, row] of ready.entries()) {
			const change = changes[at];
			if (file === undefined ? change?.sends !== false : change !== undefined && 'write' in change) requests++;
			if (change !== undefined && isProblem(change)) unread++;
			else if (file !== undefined && change !== undefined && !('write' in change)) skipped++;
			if (change !== undefined && 'write' in change) file?.add(change.write);
			await show(change === undefined ? { type: 'planned', row } : { type: 'planned', row, change });
		}
	}
	const saved = unread === 0 || plan.skipInvalid ? file?.finish() : undefined;
	const end: Preview = { requests, skipped, unread, upTo: read === undefined && comparesFirst(plan), saved };
	await show({ type: 'previewed', ...end });
	if (file !== undefined) return unread + invalid === 0 ? ExitCode.ok : ExitCode.partial;
	if (unread === 0) return ExitCode.ok;
	return unread === seen ? ExitCode.failed : ExitCode.partial;
}

/** Whether a row can't be planned: its object can't be read, or not written as asked. */
function isProblem(change: RowChange): boolean {
	return 'unread' in change || ('skip' in change && change.skip.outcome === 'failed');
}

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
		const isShown = rows[0] !== undefined && readEndpointOf(rows[0].request.endpoint) !== undefined;
		if (!isShown) return rows.map((row) => ({ ...deletion(row, undefined), sends: true }));
		const found = await reader.read(rows.map(({ request }) => request));
		return rows.map((row, at) => {
			const read = found[at] as Outcome;
			setup.checkServed(row, read);
			return changeOf(plan, row, read, setup.directories.index);
		});
	};
}

function changeOf(plan: RunPlan, row: RunRow, found: Outcome, terms: TermIndex): RowChange {
	const { checks, values } = plan;
	const { endpoint } = row.request;
	const held = found.outcome === 'ok' ? heldOf(endpoint, found.body, terms) : undefined;
	if (held === undefined && found.gone !== undefined && row.request.method === 'DELETE' && checks.ignoreMissing) {
		return { skip: GONE, sends: false };
	}
	if (held === undefined) return { unread: found, sends: !readsBefore(plan) };
	const sent = decide(row, held, plan, false, terms);
	const sends = 'fields' in sent;
	const decided = decide(row, held, { checks: { ...checks, onlyChanged: true }, values }, false, terms);
	if ('skip' in decided) return { ...decided, sends };
	if (!('fields' in sent)) return { ...sent, sends };
	if (endpoint.body === 'none') return { ...deletion(row, held), sends };
	const fields = Object.entries(decided.fields).map(([field, value]) => {
		return { field, old: held.get(field), new: value, isShown: held.has(field) };
	});
	return { fields, sends, write: writeOf(row, withCleared(endpoint, held, sent.fields), held) };
}

const GONE: Outcome = { outcome: 'skipped', code: 'unchanged', message: 'already gone', attempts: 0, ms: 0 };

function deletion(row: RunRow, held: Held | undefined): { fields: readonly FieldChange[]; write: PlannedWrite } {
	const write = writeOf(row, {}, held);
	return { fields: [deletionOf(write.before, row.request.endpoint.trash && !row.request.permanent)], write };
}

/** A row as a saved plan keeps it: the fields that are sent, and what they or the whole object replace. */
function writeOf(row: RunRow, fields: PlannedWrite['fields'], held: Held | undefined): PlannedWrite {
	const { ids, endpoint, permanent } = row.request;
	const isDelete = endpoint.body === 'none';
	const names = isDelete ? IDENTITY.filter((name) => held?.has(name)) : Object.keys(fields);
	const values = emptyRecord<unknown>();
	for (const name of names) if (held?.has(name) === true) values[name] = held.get(name);
	const absent = names.filter((name) => held?.has(name) !== true);
	const force = isDelete && permanent ? true : undefined;
	const { row: at, line, reassign, modified } = row;
	return { row: at, line, ids, force, reassign, modified, fields, before: { values, absent } };
}

/** A run that sends nothing: what it would send and change. */

import { endpoints } from '../../api/endpoints.js';
import { readEndpointOf } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import { ExitCode } from '../../errors.js';
import { type Outcome, skipped } from '../../http/outcome.js';
import { type Held, heldAfter, heldIn, heldOf, shownValue, valuesOf, withTerms } from '../held.js';
import { BatchReader, inOrder } from '../lists/batches.js';
import { comparesFirst, type Fields, type RunPlan, readsBefore } from '../plan.js';
import { decide, UNCHANGED, withCleared } from './decide.js';
import type { RowChange } from './events.js';
import { rowsToSend } from './execute.js';
import { changesIn, IDENTITY, type PlanWriter } from './plan-file.js';
import type { PastPart } from './resume.js';
import type { PlannedRows, RunRow } from './rows.js';
import { checkServed } from './settle.js';
import type { RunSetup } from './setup.js';
import type { Survey } from './survey.js';

export async function preview(
	setup: RunSetup,
	rows: PlannedRows,
	survey: Survey,
	past: PastPart | undefined,
	file?: PlanWriter,
): Promise<ExitCode> {
	const { plan, extent } = setup.work;
	const { show } = setup.means;
	const read = extent === 'changes' ? createChangeReader(setup, survey) : undefined;
	const counts = { requests: 0, skipped: 0, unread: 0, invalid: 0, seen: 0 };
	const ready = rowsToSend(setup, rows, past, ({ outcome }) => {
		if (outcome === 'invalid') counts.invalid++;
	});
	for await (const batch of ready) {
		const asking = batch.filter(({ skip }) => skip === undefined);
		counts.skipped += batch.length - asking.length;
		const changes = await read?.(asking);
		for (const [at, row] of asking.entries()) {
			const change = changes?.[at];
			counts.seen++;
			if (change !== undefined && isProblem(change)) counts.unread++;
			if (change === undefined || (file === undefined ? change.sends : 'write' in change)) counts.requests++;
			else if (file !== undefined && !isProblem(change)) counts.skipped++;
			if (change !== undefined && 'write' in change) file?.add(change.write);
			await show({ type: 'planned', row, change });
		}
	}
	const { requests, skipped, unread, invalid, seen } = counts;
	const saved = unread === 0 || plan.skipInvalid ? file?.finish() : undefined;
	const upTo = read === undefined && comparesFirst(plan);
	await show({ type: 'previewed', requests, skipped, unread, upTo, saved });
	if (unread === 0 && (file === undefined || invalid === 0)) return ExitCode.ok;
	return file === undefined && unread === seen ? ExitCode.failed : ExitCode.partial;
}

function isProblem(change: RowChange): boolean {
	return 'unread' in change || ('skip' in change && change.skip.outcome === 'failed');
}

function createChangeReader(setup: RunSetup, survey: Survey): (rows: readonly RunRow[]) => Promise<RowChange[]> {
	const { plan } = setup.work;
	const { dialect, directories } = setup.means;
	const reader = new BatchReader(dialect, directories.send);
	const isShown = readEndpointOf(endpoints[plan.endpoint]) !== undefined;
	const chains = new Chains(survey.repeated);
	return async (rows) => {
		if (!isShown) return rows.map((row) => changeOf(row, {}, undefined, plan));
		const lists = await reader.readLists(rows.map(({ request }) => request));
		const changes: RowChange[] = [];
		const readOne = async ({ request }: RunRow) => lists.get(request) ?? (await reader.readAlone(request));
		for await (const read of inOrder(rows, setup.limits.tuning.concurrency, readOne)) {
			const row = rows[changes.length] as RunRow;
			checkServed(plan, row, read);
			changes.push(await changeFrom(row, read, setup, chains));
		}
		return changes;
	};
}

/** Rows of one object are a chain: a later one finds what the earlier ones leave. */
class Chains {
	readonly #written = new Map<string, Fields>();

	constructor(private readonly repeated: ReadonlySet<string>) {}

	/** What the row finds, after the earlier rows of a run. */
	found({ request: { key, endpoint } }: RunRow, held: Held): Held {
		const written = this.#written.get(key);
		return written === undefined ? held : heldAfter(held, heldIn(endpoint, written));
	}

	/** @param held what the row finds */
	add({ request: { key } }: RunRow, held: Held, fields: Fields): void {
		if (!this.repeated.has(key)) return;
		const left = Object.entries(fields).map(([name, value]) => {
			const before = shownValue(held.field(name));
			// Services keep entries that are not sent.
			return [name, isObject(value) && isObject(before) ? { ...before, ...value } : value];
		});
		this.#written.set(key, { ...this.#written.get(key), ...Object.fromEntries(left) });
	}
}

async function changeFrom(row: RunRow, found: Outcome, setup: RunSetup, chains: Chains): Promise<RowChange> {
	const { plan } = setup.work;
	const { directories } = setup.means;
	const { endpoint, method, ids, sent = {} } = row.request;
	const shown = found.outcome === 'ok' ? heldOf(endpoint, found.body, directories.terms) : undefined;
	if (shown === undefined && found.gone !== undefined && method === 'DELETE' && plan.checks.ignoreMissing) {
		return { skip: skipped({ code: 'unchanged', message: 'already gone' }), sends: false };
	}
	if (shown === undefined) return { unread: found, sends: !readsBefore(plan) };
	const termOf = (taxonomy: string, id: string) => directories.terms(taxonomy).ofObject(id);
	const whole = ids.id === undefined ? shown : await withTerms(shown, Object.keys(sent), ids.id, termOf);
	const held = chains.found(row, whole);
	const decision = decide(row, held, plan);
	if ('skip' in decision) return { skip: decision.skip, sends: false };
	const fields = withCleared(endpoint, held, decision.fields);
	chains.add(row, held, fields);
	return changeOf(row, fields, held, plan);
}

function changeOf(planned: RunRow, given: Fields, held: Held | undefined, plan: RunPlan): RowChange {
	const { row, line, reassign, modified } = planned;
	const { ids, endpoint, permanent } = planned.request;
	const isDelete = endpoint.body === 'none';
	const fields = isDelete ? {} : given;
	const names = isDelete ? IDENTITY.filter((name) => held?.field(name).is === 'shown') : Object.keys(fields);
	const force = isDelete && permanent ? true : undefined;
	const before = held === undefined ? { values: {}, absent: names } : valuesOf(held, names);
	if ('is' in before) return { unread: before.why, sends: !readsBefore(plan) };
	const write = { row, line, ids, force, reassign, modified, fields, before } as const;
	const changes = changesIn(write, plan);
	return changes.length === 0 ? { skip: skipped(UNCHANGED), sends: true } : { fields: changes, write, sends: true };
}

/** One row from its first read to its outcome: read the object where old values matter, write, read it again where asked. */

import { type AppliedDifference, contradictions, differences } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import type { Endpoint } from '../../api/endpoints.js';
import { asksNothing, createPlanner, type Planner, type Request } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { emptyRecord, inexactNumberIn } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Result } from '../../http/outcome.js';
import type { OldValues } from '../journal/records.js';
import { changedFields, type Held, heldOf, holds, isNothing, isStill, same } from './held.js';
import { type Checks, changesLists, type RunPlan } from './plan.js';
import type { RunRow } from './rows.js';

export interface RowSteps {
	/** Sends the row's request, or another for the same row, with retries. */
	send(row: RunRow, request: Request): Promise<Result>;
	/** Sends a read that belongs to a row; `afterStop` reads once even if the run is stopping. */
	read(row: RunRow, request: Request, afterStop: boolean): Promise<Result>;
	/** Keeps old values in the journal; the write waits for it. */
	keep(row: RunRow, before: OldValues): Promise<void>;
	/** Whether an earlier part of the run may have sent the row. */
	maybeSent?(row: RunRow): boolean;
}

/** Whether any check of a plan needs a read before the write. */
export function readsBefore({ checks, values, source }: Pick<RunPlan, 'checks' | 'values' | 'source'>): boolean {
	return (
		checks.onlyChanged ||
		checks.snapshot ||
		checks.ifUnmodified ||
		checks.conditions.length > 0 ||
		source.from === 'snapshots' ||
		changesLists({ values })
	);
}

/** @throws UsageError for checks that need a read, where the API has none for the endpoint */
export function checkReadable(endpoint: Endpoint, plan: Pick<RunPlan, 'checks' | 'values' | 'source'>): void {
	if (!(readsBefore(plan) || plan.checks.verify) || readEndpointOf(endpoint) !== undefined) return;
	throw new UsageError(`${endpoint.name} can't be combined with a read: the API has no way to read ${endpoint.noun}s`, {
		code: 'no_read',
		hint: 'leave out --verify, --snapshot, --only-changed, --if-unmodified, --if and --diff',
	});
}

/** Makes the function that carries out one row. */
export function createPerform(
	plan: RunPlan,
	planRequest: Planner,
	planRead: ReadPlanner,
	steps: RowSteps,
): (row: RunRow) => Promise<Result> {
	const { checks, service } = plan;
	const first = readsBefore(plan);
	const addsItems = changesLists(plan);
	return (row) => (row.remarks === undefined ? perform(row) : perform(row).then((result) => withRemarks(result, row)));

	async function perform(row: RunRow): Promise<Result> {
		let { request } = row;
		if (asksNothing(request) && !addsItems) return NOTHING_TO_SEND;
		const inexact = inexactField(request);
		if (inexact !== undefined) return inexact;
		if (checks.verify && steps.maybeSent?.(row) === true) {
			const settled = await settle(row, planRead, steps, plan);
			if (settled !== undefined) return settled;
		}
		if (first) {
			const held = await readObject(row, planRead, steps, service.prefixes.product);
			if ('result' in held) return notRead(held.result);
			const decided = decide(row, held.held, plan, steps.maybeSent?.(row));
			if ('skip' in decided) return decided.skip;
			if (request.endpoint.body !== 'none') request = planRequest({ ids: request.ids, fields: decided.fields });
			if (checks.snapshot && !request.permanent) await steps.keep(row, oldValues(held.held, request));
		}
		const sent = await steps.send(row, request);
		const differs = sent.outcome === 'ok' ? contradictions(request, sent.body) : [];
		const result = differs.length === 0 ? sent : withDifferences(sent, differs);
		const seen =
			checks.verify && needsLook(result)
				? await verified(row, request, result, planRead, steps, service.prefixes.product)
				: result;
		return allowed(seen, checks);
	}
}

/** A number that JavaScript can't hold exactly is not written: it would be another one. */
function inexactField({ sent = {} }: Request): Result | undefined {
	for (const name in sent) {
		const number = inexactNumberIn(sent[name]);
		if (number === undefined) continue;
		const message = `${name} was ${number}, which can't be written exactly; nothing was written`;
		return { outcome: 'failed', code: 'inexact_number', message, attempts: 0, ms: 0 };
	}
	return undefined;
}

function withRemarks(result: Result, { remarks = [] }: RunRow): Result {
	return remarks.length === 0 ? result : { ...result, warnings: [...(result.warnings ?? []), ...remarks] };
}

const skipped = (code: string, message: string): Result => ({ outcome: 'skipped', code, message, attempts: 0, ms: 0 });

const NOTHING_TO_SEND = skipped('nothing_to_send', 'the row changes no field');
const UNCHANGED = skipped('unchanged', 'every field has its value already');

type Decision = { skip: Result } | { fields: Readonly<Record<string, unknown>> };

/**
 * What is sent of a row, now that the object's values are known; pure.
 * @param maybeSent Whether the run may have written the row before it was interrupted: its own write breaks no condition
 */
export function decide(
	row: RunRow,
	held: Held,
	{ checks, values }: Pick<RunPlan, 'checks' | 'values'>,
	maybeSent = false,
): Decision {
	const { endpoint, sent = {} } = row.request;
	const hidden = Object.keys({ ...values.add, ...values.remove }).find((field) => !held.has(field));
	if (hidden !== undefined) {
		const message = `the service does not show ${hidden}, so that no items can be added or removed; nothing was written`;
		return { skip: { outcome: 'failed', code: 'not_shown', message, attempts: 0, ms: 0 } };
	}
	const all: Readonly<Record<string, unknown>> = { ...sent, ...listChanges(held, values) };
	const changed = changedFields(endpoint, all, held);
	if (maybeSent && (checks.ifUnmodified || checks.conditions.length > 0)) {
		if (endpoint.body !== 'none' && Object.keys(changed).length === 0) return { skip: UNCHANGED };
	}
	if (checks.ifUnmodified && held.modified !== row.modified) {
		const now = held.modified ?? 'unknown';
		return { skip: skipped('conflict', `modified since: modified_gmt is ${now}, not ${row.modified ?? 'given'}`) };
	}
	for (const { field, value } of checks.conditions) {
		if (holds(endpoint, held, field, value)) continue;
		return { skip: skipped('condition', `${field} is ${JSON.stringify(held.get(field) ?? null)}, not "${value}"`) };
	}
	for (const [field, value] of Object.entries(row.expected ?? {})) {
		// What has its old value again is restored already.
		if (isStill(endpoint, field, value, held) || same(endpoint, field, sent[field], held)) continue;
		const now = JSON.stringify(held.get(field) ?? null);
		return {
			skip: skipped('changed_since', `${field} was changed since the run: it is ${now}; --overwrite restores it`),
		};
	}
	const fields = checks.onlyChanged ? changed : all;
	if (endpoint.body === 'none' || Object.keys(fields).length > 0) return { fields };
	return { skip: checks.onlyChanged || changesLists({ values }) ? UNCHANGED : NOTHING_TO_SEND };
}

/** List fields after items were added and removed. */
function listChanges(held: Held, { add, remove }: RunPlan['values']): Record<string, unknown> {
	const changes = emptyRecord<unknown>();
	for (const field of new Set([...Object.keys(add), ...Object.keys(remove)])) {
		const now = held.get(field);
		const items = Array.isArray(now) ? now : isNothing(now) ? [] : [now];
		const gone = new Set((remove[field] ?? []).map(String));
		const kept = items.filter((item) => !gone.has(String(item)));
		const there = new Set(kept.map(String));
		const added = (add[field] ?? []).filter((item) => !there.has(String(item)));
		if (added.length > 0 || kept.length < items.length) changes[field] = [...kept, ...added];
	}
	return changes;
}

function oldValues(held: Held, { endpoint, sent = {} }: Request): OldValues {
	// A ticket in the trash is restored by its status.
	const names = endpoint.trash ? ['status'] : Object.keys(sent);
	const values = emptyRecord<unknown>();
	const absent: string[] = [];
	for (const name of names) {
		if (held.has(name)) values[name] = held.get(name);
		else absent.push(name);
	}
	return { values, absent, sent: endpoint.trash ? { status: 'trash' } : sent };
}

type Reading = { held: Held } | { result: Result };

async function readObject(row: RunRow, planRead: ReadPlanner, steps: RowSteps, prefix: string): Promise<Reading> {
	const result = await steps.read(row, planRead(row.request), false);
	if (result.outcome !== 'ok') return { result };
	const held = heldOf(row.request.endpoint, result.body, prefix);
	if (held !== undefined) return { held };
	const message = 'the response to the read is in an unknown shape';
	return { result: { ...result, outcome: 'failed', code: 'unexpected_shape', message } };
}

/** A row that may have been sent is ok without another write where the object holds what the row asks for. */
async function settle(
	row: RunRow,
	planRead: ReadPlanner,
	steps: RowSteps,
	{ values, service }: RunPlan,
): Promise<Result | undefined> {
	const { request } = row;
	const reading = await steps.read(row, planRead(request), false);
	const { outcome: _outcome, body, code: _code, message: _message, reasons: _reasons, ...rest } = reading;
	const done: Result = { ...rest, outcome: 'ok' };
	if (request.method === 'DELETE') {
		return verifiedDelete(request, { ...done, outcome: 'unknown' }, reading).outcome === 'ok' ? done : undefined;
	}
	const held = reading.outcome === 'ok' ? heldOf(request.endpoint, body, service.prefixes.product) : undefined;
	if (held === undefined || differences(request.endpoint, request.sent ?? {}, held.get, 'differs').length > 0)
		return undefined;
	return Object.keys(listChanges(held, values)).length === 0 ? done : undefined;
}

/** Nothing was written, so that a lost response to the read leaves nothing unknown. */
function notRead({ body: _, ...result }: Result): Result {
	const outcome = result.outcome === 'failed' ? 'failed' : 'not-sent';
	const why = result.message ?? result.code ?? result.outcome;
	return { ...result, outcome, message: `could not read the old values, nothing was written: ${why}` };
}

/** Whether a read after the write can say more than the result does. */
function needsLook({ outcome, status = 0 }: Result): boolean {
	return outcome === 'ok' || outcome === 'differs' || outcome === 'unknown' || (outcome === 'failed' && status >= 500);
}

async function verified(
	row: RunRow,
	request: Request,
	result: Result,
	planRead: ReadPlanner,
	steps: RowSteps,
	prefix: string,
): Promise<Result> {
	const reading = await steps.read(row, planRead(request), true);
	if (request.method === 'DELETE') return verifiedDelete(request, result, reading);
	const held = reading.outcome === 'ok' ? heldOf(request.endpoint, reading.body, prefix) : undefined;
	if (held === undefined) {
		const why = reading.message ?? reading.outcome;
		if (result.outcome !== 'ok' && result.outcome !== 'differs') return result;
		return {
			...result,
			outcome: 'unknown',
			code: 'not_verified',
			message: `written, but could not be read back: ${why}`,
		};
	}
	const differs = differences(request.endpoint, request.sent ?? {}, held.get, 'differs');
	const { code: _code, message: _message, reasons: _reasons, differs: _differs, ...rest } = result;
	if (differs.length === 0) return { ...rest, outcome: 'ok' };
	// Nothing of what was sent is there: the service's own error stands.
	if (result.outcome === 'failed' && differs.length === Object.keys(request.sent ?? {}).length) return result;
	return withDifferences(rest, differs);
}

function verifiedDelete({ permanent }: Request, result: Result, reading: Result): Result {
	const isGone = reading.outcome === 'failed' && (reading.status === 404 || reading.status === 410);
	const held = reading.outcome === 'ok' ? heldOf({ body: 'fields' }, reading.body, '') : undefined;
	const { code: _code, message: _message, reasons: _reasons, differs: _differs, ...rest } = result;
	if (isGone) {
		if (permanent || result.outcome !== 'ok') return { ...rest, outcome: 'ok' };
		return withDifferences(rest, [{ field: 'status', sent: 'trash', shown: 'deleted' }]);
	}
	if (held === undefined) return result;
	if (!permanent && held.status === 'trash') return { ...rest, outcome: 'ok' };
	if (result.outcome === 'failed') return result;
	return withDifferences(rest, [
		{ field: 'status', sent: permanent ? 'deleted' : 'trash', shown: held.status ?? 'still there' },
	]);
}

/** A result whose write was done, with the fields that hold another value. */
export function withDifferences(result: Result, differs: AppliedDifference[]): Result {
	const fields = differs.map((each) => each.field).join(', ');
	return {
		...result,
		outcome: 'differs',
		code: 'differs',
		message: `the service shows another value: ${fields}`,
		differs,
	};
}

/** `--allow-differs` makes the row ok; its differences are printed as warnings. */
function allowed(result: Result, { allowDiffers }: Pick<Checks, 'allowDiffers'>): Result {
	const { differs = [] } = result;
	if (result.outcome !== 'differs' || allowDiffers === false) return result;
	if (Array.isArray(allowDiffers) && !differs.every(({ field }) => allowDiffers.includes(field))) return result;
	const { code: _code, message: _message, ...rest } = result;
	return { ...rest, outcome: 'ok' };
}

/** Makes the read that shows the object of a write: a run of terms may have several taxonomies. */
export type ReadPlanner = (write: Pick<Request, 'endpoint' | 'ids'>) => Request;

export function readPlannerOf(dialect: Dialect): ReadPlanner {
	const planners = new Map<Endpoint, Planner>();
	return ({ endpoint, ids }) => {
		let planner = planners.get(endpoint);
		if (planner === undefined) {
			const read = readEndpointOf(endpoint);
			if (read === undefined) throw new UsageError(`the API has no way to read ${endpoint.noun}s`);
			planner = createPlanner(read, dialect);
			planners.set(endpoint, planner);
		}
		// Custom fields are written below ticket_id and read below id.
		return planner({ ids: { ...ids, id: ids.id ?? (ids.ticket_id as string) } });
	};
}

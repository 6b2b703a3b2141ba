/** One row from its first read to its outcome: read, write, read again. */

import { type AppliedDifference, compareAll, compareField } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { type Endpoint, endpointList } from '../../api/endpoints.js';
import { asksNothing, type Request } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { emptyRecord, hasInexactNumber, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { differing, isRefusal } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import type { OldValues } from '../journal/records.js';
import { createPlanners, type PlannerFor, readRequest } from '../lists/batches.js';
import type { TermIndex } from '../lists/directory.js';
import { type Held, heldOf, holds, isNothing, isUnchanged } from './held.js';
import { type Checks, changesLists, type RunPlan } from './plan.js';
import type { RunRow } from './rows.js';

export interface RowSteps {
	/** Or a different one for the same row; retries. */
	send(row: RunRow, request: Request): Promise<Outcome>;
	/** `afterStop` reads once even if the run is stopping. */
	read(row: RunRow, request: Request, afterStop: boolean): Promise<Outcome>;
	/** The write waits for it. */
	keep(row: RunRow, before: OldValues): Promise<void>;
	/** By an earlier part of the run. */
	maybeSent?(row: RunRow): boolean;
	terms?: TermIndex | undefined;
}

export function readsBefore(plan: Pick<RunPlan, 'endpoint' | 'checks' | 'values' | 'source'>): boolean {
	const { checks, values, source } = plan;
	return (
		checks.onlyChanged ||
		checks.snapshot ||
		checks.ifUnmodified ||
		checks.conditions.length > 0 ||
		source.from === 'snapshots' ||
		(source.from === 'plan' && canRead(plan)) ||
		changesLists({ values })
	);
}

/** Whether a plan's endpoint has a read, so that an apply can tell whether objects changed since. */
function canRead({ endpoint }: Pick<RunPlan, 'endpoint'>): boolean {
	const isOf = (name: string): boolean => name === endpoint || name.startsWith(`${endpoint}.`);
	return endpointList.some((each) => isOf(each.name) && readEndpointOf(each) !== undefined);
}

/** Whether a read before the write may show that a row has nothing to send, or may not be sent. */
export function comparesFirst(plan: Pick<RunPlan, 'endpoint' | 'checks' | 'values' | 'source'>): boolean {
	return readsBefore({ ...plan, checks: { ...plan.checks, snapshot: false } });
}

/** @throws UsageError */
export function checkReadable(
	endpoint: Endpoint,
	plan: Pick<RunPlan, 'endpoint' | 'checks' | 'values' | 'source'>,
): void {
	if (!(readsBefore(plan) || plan.checks.verify) || readEndpointOf(endpoint) !== undefined) return;
	throw new UsageError(`${endpoint.name} can't be combined with a read: the API has no way to read ${endpoint.noun}s`, {
		code: 'no_read',
		hint: 'remove --verify, --snapshot, --only-changed, --if-unmodified, --if and --diff',
	});
}

/** A run of terms may have several taxonomies. */
export function readPlannerOf(dialect: Dialect): (write: Pick<Request, 'endpoint' | 'ids'>) => Request {
	const plannerFor = createPlanners(dialect);
	return (write) => readRequest(plannerFor, write);
}

interface Seen {
	result: Outcome;
	held: Held | undefined;
}

export function createPerform(plan: RunPlan, dialect: Dialect, steps: RowSteps): (row: RunRow) => Promise<Outcome> {
	const { checks, values } = plan;
	const readsFirst = readsBefore(plan);
	const addsItems = changesLists(plan);
	const plannerFor = createPlanners(dialect);
	const look = async (row: RunRow, isAfter: boolean): Promise<Seen> => {
		const result = await steps.read(row, readRequest(plannerFor, row.request), isAfter);
		const isShown = result.outcome === 'ok';
		return { result, held: isShown ? heldOf(row.request.endpoint, result.body, steps.terms) : undefined };
	};
	const customNames = createCustomNames((row) => look(row, false));
	return async (row) => {
		let { request } = row;
		let left: AppliedDifference[] = [];
		if (asksNothing(request) && !addsItems) return NOTHING_TO_SEND;
		const maybeSent = steps.maybeSent?.(row) === true;
		const isCleared = request.endpoint.cleared !== undefined;
		const looksFirst = readsFirst || isCleared || (checks.verify && maybeSent);
		const seen = looksFirst ? await look(row, false) : undefined;
		if (seen !== undefined && maybeSent) {
			const settled = settledBy(seen, request, values, steps.terms);
			if (settled !== undefined) return settled;
		}
		if (seen !== undefined && readsFirst) {
			const { result, held } = seen;
			if (held === undefined) return notRead(result, maybeSent);
			const decided = decide(row, held, plan, maybeSent, steps.terms);
			if ('skip' in decided) return decided.skip;
			left = decided.left;
			const { endpoint, ids } = request;
			if (endpoint.body !== 'none') {
				request = plannerFor(endpoint)({ ids, fields: withCleared(endpoint, held, decided.fields) });
			}
			if (checks.snapshot && !request.permanent) await steps.keep(row, oldValues(held, request));
		}
		if (seen !== undefined && isCleared && !readsFirst) {
			const { result, held } = seen;
			if (held === undefined && (result.outcome !== 'failed' || isLost(result))) return notRead(result, maybeSent);
			const { endpoint, ids, sent: fields = {} } = request;
			if (held !== undefined) request = plannerFor(endpoint)({ ids, fields: withCleared(endpoint, held, fields) });
		}
		const inexact = inexactField(request);
		if (inexact !== undefined) return inexact;
		const isCustom = request.endpoint.body === 'custom_fields';
		const names = isCustom ? await customNames(row, seen) : undefined;
		const planned = names?.held === undefined ? request : renamed(plannerFor, request, names.held);
		let result = await steps.send(row, planned);
		if (names?.notice !== undefined) {
			result = { ...result, warnings: [...(result.warnings ?? []), names.notice] };
		}
		const isNamed = names?.held === undefined || hasAll(names.held, request);
		const isVerified = mayNeedReading(result) && (checks.verify || !isNamed);
		const isLeft = maybeSent && result.outcome === 'unknown' && readEndpointOf(request.endpoint) !== undefined;
		let known = result;
		if (isVerified || isLeft) {
			const after = await look(row, true);
			known = maybeSent ? settledRefusal(request, result, after, steps.terms) : result;
			known = verified(request, known, after, steps.terms);
		}
		const explained = names?.held === undefined ? known : withUnknownNames(known, names.held);
		return allowed(withLeft(explained, left, row), checks);
	};
}

/** A custom field that the service doesn't have differs for that reason. */
function withUnknownNames(result: Outcome, held: Held): Outcome {
	const unknown = result.differs?.find(({ field }) => !held.has(field))?.field;
	if (result.outcome !== 'differs' || unknown === undefined) return result;
	const near = didYouMean(unknown, held.names);
	const all = near === '' && held.names.length > 0 ? `; fields: ${held.names.slice(0, NAMED_FIELDS).join(', ')}` : near;
	return { ...result, code: 'no_such_field', message: `custom field ${quote(unknown)} not found${all}` };
}

/** How many custom fields a message names. */
const NAMED_FIELDS = 10;

/** A refusal of the service stands. */
function mayNeedReading({ outcome, refused, busy, code }: Outcome): boolean {
	// Longer than anybody waits.
	if (code === 'wait_too_long') return false;
	if (outcome === 'failed') return refused !== true && busy !== true;
	return outcome === 'ok' || outcome === 'differs' || outcome === 'unknown';
}

/** As one read shows them, with a notice for the first row if none does. */
interface CustomNames {
	held?: Held | undefined;
	notice?: string;
}

const NOT_CONFIRMED = "custom fields can't be read here, so nothing confirms that they were saved";

/** Services ignore unknown names: one read per run shows which there are. */
function createCustomNames(look: (row: RunRow) => Promise<Seen>) {
	let known: Promise<Held | undefined> | undefined;
	let isRefused = false;
	return async (row: RunRow, seen: Seen | undefined): Promise<CustomNames> => {
		if (seen?.held !== undefined) return { held: seen.held };
		if (isRefused) return {};
		const mine = known === undefined;
		known ??= look(row).then(({ result, held }) => {
			// The next row's ticket may exist.
			if (result.gone) known = undefined;
			else if (held === undefined) isRefused = true;
			return held;
		});
		const held = await known;
		if (held !== undefined) return { held };
		return mine && isRefused ? { notice: NOT_CONFIRMED } : {};
	};
}

function hasAll(held: Held, { sent = {} }: Request): boolean {
	return Object.keys(sent).every((name) => held.has(name));
}

/** Under the names that the deployment writes. */
function renamed(plannerFor: PlannerFor, request: Request, held: Held): Request {
	const { endpoint, ids, sent = {} } = request;
	const fields = Object.fromEntries(Object.entries(sent).map(([name, value]) => [held.writtenAs(name), value]));
	return { ...plannerFor(endpoint)({ ids, fields }), sent };
}

/** As it was read. */
export function withCleared(
	{ cleared = [] }: Pick<Endpoint, 'cleared'>,
	held: Held,
	fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	const names = cleared.filter((name) => !isNothing(held.get(name)) && !Object.hasOwn(fields, name));
	if (names.length === 0) return fields;
	return { ...fields, ...Object.fromEntries(names.map((name) => [name, held.get(name)])) };
}

/** It would be written back as a different one. */
function inexactField({ sent = {} }: Request): Outcome | undefined {
	const name = Object.keys(sent).find((each) => hasInexactNumber(sent[each]));
	if (name === undefined) return undefined;
	const message = `${name} has an integer of more than 15 digits, which can't be written exactly; nothing was written`;
	return { outcome: 'failed', code: 'inexact_number', message, attempts: 0, ms: 0 };
}

const skipped = (code: string, message: string): Outcome => ({ outcome: 'skipped', code, message, attempts: 0, ms: 0 });

const NOTHING_TO_SEND = skipped('nothing_to_send', 'nothing to change');
const UNCHANGED = skipped('unchanged', 'no change');

type Decision = { skip: Outcome } | { fields: Readonly<Record<string, unknown>>; left: AppliedDifference[] };

/** @param maybeSent the run's own write breaks no condition */
export function decide(
	row: RunRow,
	held: Held,
	{ checks, values }: Pick<RunPlan, 'checks' | 'values'>,
	maybeSent = false,
	terms?: TermIndex,
): Decision {
	const { endpoint, sent = {} } = row.request;
	const hidden = Object.keys({ ...values.add, ...values.remove }).find((field) => !held.has(field));
	if (hidden !== undefined) {
		const message = `the service does not show ${hidden}, so that no items can be added or removed; nothing was written`;
		return { skip: { outcome: 'failed', code: 'not_shown', message, attempts: 0, ms: 0 } };
	}
	const all: Record<string, unknown> = { ...sent, ...listChanges(held, values) };
	const changed = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(all)) {
		if (!isUnchanged(endpoint, name, value, held)) changed[name] = value;
	}
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
	const left = changedByOthers(row, held, terms);
	for (const { field } of left) {
		delete changed[field];
		delete all[field];
	}
	const fields = checks.onlyChanged ? changed : all;
	if (left.length > 0 && (row.expected?.byField !== true || Object.keys(fields).length === 0)) {
		return { skip: skipped(row.expected?.code ?? 'drift', leftMessage(left, row)) };
	}
	if (endpoint.body === 'none' || Object.keys(fields).length > 0) return { fields, left };
	return { skip: checks.onlyChanged || changesLists({ values }) ? UNCHANGED : NOTHING_TO_SEND };
}

function changedByOthers(
	{ request: { endpoint, sent = {} }, expected }: RunRow,
	held: Held,
	terms?: TermIndex,
): AppliedDifference[] {
	const left: AppliedDifference[] = [];
	for (const [field, values] of Object.entries(expected?.values ?? {})) {
		// The value is there already.
		const fine = Object.hasOwn(sent, field) ? [...values, sent[field]] : values;
		const now = held.get(field);
		// Services may leave out cleared fields.
		const isFine = held.has(field)
			? fine.some((value) => compareField(endpoint, field, value, now, terms) !== 'other')
			: fine.some((value) => isNothing(value));
		if (!isFine) left.push({ field, sent: sent[field], shown: now ?? null });
	}
	return left;
}

function leftMessage(left: readonly AppliedDifference[], { expected }: RunRow): string {
	const changes = left.map(({ field, shown }) => `${field} was changed since: it is ${JSON.stringify(shown)}`);
	return [...changes, expected?.hint].filter(Boolean).join('; ');
}

/** All but fields that others changed. */
function withLeft(result: Outcome, left: AppliedDifference[], row: RunRow): Outcome {
	if (left.length === 0 || (result.outcome !== 'ok' && result.outcome !== 'differs')) return result;
	const { differs = [] } = result;
	return {
		...result,
		...differing([...differs, ...left]),
		code: row.expected?.code ?? 'drift',
		message: leftMessage(left, row),
	};
}

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
	// A status restores from the trash.
	const names = endpoint.trash ? ['status'] : Object.keys(sent);
	const values = emptyRecord<unknown>();
	const absent: string[] = [];
	for (const name of names) {
		if (held.has(name)) values[name] = held.get(name);
		else absent.push(name);
	}
	return { values, absent, sent: endpoint.trash ? { status: 'trash' } : sent };
}

function asDone({ outcome: _, code: _code, message: _message, reasons: _reasons, ...rest }: Outcome): Outcome {
	const { differs: _differs, mayBeApplied: _applied, mayBePartly: _partly, ...done } = rest;
	return { ...done, outcome: 'ok' };
}

/** Without a second write only if every field is the same. */
function settledBy(
	{ result, held }: Seen,
	request: Request,
	values: RunPlan['values'],
	terms: TermIndex | undefined,
): Outcome | undefined {
	const { body: _, ...done } = asDone(result);
	if (request.method === 'DELETE') {
		const verdict = verifiedDelete(request, { ...done, outcome: 'unknown' }, { result, held });
		return verdict.outcome === 'ok' ? done : undefined;
	}
	if (held === undefined) return undefined;
	const { differs, open } = compareAll(request.endpoint, request.sent ?? {}, held.get, terms);
	if (differs.length > 0 || open.length > 0) return undefined;
	return Object.keys(listChanges(held, values)).length === 0 ? done : undefined;
}

/** Nothing was written now; what an earlier part may have written stays unknown. */
function notRead({ body: _, ...result }: Outcome, maybeSent: boolean): Outcome {
	if (maybeSent) {
		const why = result.outcome === 'ok' ? 'the read returned an unexpected response' : result.message;
		const message = `an earlier attempt may have been applied, and the object could not be read: ${why ?? result.outcome}`;
		return { ...result, outcome: 'unknown', code: result.code ?? 'unexpected_shape', message };
	}
	const end = 'the old values could not be read, so nothing was written';
	if (result.outcome === 'ok') {
		const message = `the read returned an unexpected response; ${end}`;
		return { ...result, outcome: 'failed', code: 'unexpected_shape', message };
	}
	// A resume reads it again, unless the service shows something else.
	const outcome = result.outcome === 'failed' || !isLost(result) ? 'failed' : 'not-sent';
	return {
		...result,
		outcome,
		message: `${(result.message ?? result.code ?? result.outcome).replace(/\.$/, '')}; ${end}`,
	};
}

/** What an earlier part may have applied, and is refused now, failed if the object has other values. */
function settledRefusal(request: Request, result: Outcome, { held }: Seen, terms?: TermIndex): Outcome {
	const { outcome, message } = result;
	if (outcome !== 'unknown' || !isRefusal(result) || held === undefined) return result;
	const { endpoint, sent = {}, permanent, method } = request;
	const others = compareAll(endpoint, sent, held.get, terms).differs.map(({ field }) => field);
	const isDelete = method === 'DELETE';
	const isInForce = isDelete ? !permanent && held.status === 'trash' : others.length === 0;
	if (isInForce) return result;
	const why = isDelete ? 'it is still there' : `it has a different ${others.join(', ')}`;
	return { ...result, outcome: 'failed', message: `${message}, but ${why}` };
}

function verified(request: Request, result: Outcome, seen: Seen, terms?: TermIndex): Outcome {
	if (request.method === 'DELETE') return verifiedDelete(request, result, seen);
	const { held, result: reading } = seen;
	if (held === undefined) {
		if (result.outcome !== 'ok' && result.outcome !== 'differs') return result;
		const message = `written, but could not be read back: ${reading.message ?? reading.outcome}`;
		return { ...result, outcome: 'unknown', code: 'not_verified', message };
	}
	const { endpoint, sent = {} } = request;
	const { differs, open } = compareAll(endpoint, sent, held.get, terms);
	if (differs.length === 0 && open.length === 0) return asDone(result);
	// It may have been there before.
	if (result.outcome === 'unknown') return result;
	if (differs.length === 0) {
		// The response to the write stands.
		const warning = `could not be verified: ${open.join(', ')}`;
		return { ...result, warnings: [...(result.warnings ?? []), warning] };
	}
	// The refusal stands.
	const isUntouched = differs.length + open.length === Object.keys(sent).length;
	if (result.outcome === 'failed' && isUntouched) return result;
	return { ...asDone(result), ...differing(differs) };
}

function verifiedDelete({ permanent }: Request, result: Outcome, { result: reading, held }: Seen): Outcome {
	const isGone = reading.gone !== undefined;
	if (!isGone && held === undefined) return result;
	const wasGone = result.outcome !== 'ok' || result.gone !== undefined;
	const isDone = isGone ? permanent || wasGone : !permanent && held?.status === 'trash';
	if (isDone) return asDone(result);
	if (!isGone && (result.outcome === 'failed' || result.outcome === 'unknown')) return result;
	const shown = isGone ? 'deleted' : (held?.status ?? 'still there');
	const sent = permanent ? 'deleted' : 'trash';
	return { ...asDone(result), ...differing([{ field: 'status', sent, shown }]) };
}

/** Differences become warnings. */
function allowed(result: Outcome, { allowDiffers }: Pick<Checks, 'allowDiffers'>): Outcome {
	const { differs = [] } = result;
	if (result.outcome !== 'differs' || allowDiffers === false) return result;
	if (Array.isArray(allowDiffers) && !differs.every(({ field }) => allowDiffers.includes(field))) return result;
	const { code: _code, message: _message, ...rest } = result;
	return { ...rest, outcome: 'ok' };
}

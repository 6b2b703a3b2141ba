/** One row from its first read to its outcome: read, write, read again. */

import type { AppliedDifference, TermIndex } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { type Endpoint, endpoints } from '../../api/endpoints.js';
import { plural } from '../../api/names.js';
import { createPlanner, type Request } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { hasInexactNumber } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { differing, NO_ROUTE } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import type { OldValues } from '../journal/records.js';
import { createCustomNames, hasAll, renamed, withUnknownNames } from './custom-names.js';
import { decide, leftMessage, oldValues, withCleared } from './decide.js';
import { heldOf } from './held.js';
import { type Checks, changesLists, type RunPlan } from './plan.js';
import type { RunRow } from './rows.js';
import { notRead, type Seen, settledBy, settledRefusal, verified } from './settle.js';

export interface RowSteps {
	before(row: RunRow): Promise<Outcome>;
	after(row: RunRow): Promise<Outcome>;
	send(row: RunRow, request: Request): Promise<Outcome>;
	keep(row: RunRow, before: OldValues): Promise<void> | undefined;
	maybeSent(row: RunRow): boolean;
	terms?: TermIndex;
}

export function readsBefore(plan: RunPlan): boolean {
	return plan.checks.snapshot || comparesFirst(plan);
}

/** Whether a read before the write may show that a row has nothing to send, or may not be sent. */
export function comparesFirst(plan: RunPlan): boolean {
	const { checks, source } = plan;
	return (
		checks.onlyChanged ||
		checks.ifUnmodified ||
		checks.conditions.length > 0 ||
		source.from === 'snapshots' ||
		(source.from === 'plan' && canRead(plan)) ||
		changesLists(plan)
	);
}

/** Whether an apply can tell that objects changed since. */
function canRead(plan: RunPlan): boolean {
	return readEndpointOf(endpoints[plan.endpoint]) !== undefined;
}

/** @throws UsageError */
export function checkReadable(endpoint: Endpoint): void {
	if (readEndpointOf(endpoint) !== undefined) return;
	throw new UsageError(`${endpoint.name} can't be combined with a read: the API has no way to read ${endpoint.noun}s`, {
		code: 'no_read',
		hint: 'remove --verify, --snapshot, --only-changed, --if-unmodified, --if and --diff',
	});
}

/** @throws UsageError if the service has no such read */
export function checkServed({ source }: RunPlan, { request }: RunRow, { code, status }: Outcome): void {
	if (code !== NO_ROUTE) return;
	const what = `this service can't read ${plural(request.endpoint.noun, 2)} (${status} ${NO_ROUTE})`;
	const needed = source.from === 'snapshots' ? '; run undo needs it' : '';
	throw new UsageError(`${what}${needed}; nothing was written`, {
		code: NO_ROUTE,
		hint: 'drop the flags that need reads: --verify, --snapshot (or pass --no-snapshot), --only-changed, --diff, --if, --if-unmodified, and flags that add or remove items',
		data: { status },
	});
}

export function createPerform(plan: RunPlan, dialect: Dialect, steps: RowSteps): (row: RunRow) => Promise<Outcome> {
	const { checks } = plan;
	const { terms } = steps;
	const readsFirst = readsBefore(plan);
	const seen = ({ request }: RunRow, result: Outcome): Seen => {
		const isShown = result.outcome === 'ok';
		return { result, held: isShown ? heldOf(request.endpoint, result.body, terms) : undefined };
	};
	let findNames: ReturnType<typeof createCustomNames> | undefined;

	/** The request to send, or why none is sent. */
	async function prepare(row: RunRow, { result, held }: Seen, maybeSent: boolean): Promise<Prepared | Outcome> {
		const { request } = row;
		const { endpoint, ids } = request;
		if (held === undefined) {
			const isOpen = result.outcome !== 'failed' || isLost(result);
			const isNeeded = readsFirst || (endpoint.cleared !== undefined && isOpen);
			return isNeeded ? notRead(result, maybeSent) : { request, left: [] };
		}
		const decision = decide(row, held, plan, terms);
		if ('skip' in decision) return decision.skip;
		const { fields, left } = decision;
		const planned =
			endpoint.body === 'none'
				? request
				: createPlanner(endpoint, dialect)({ ids, fields: withCleared(endpoint, held, fields) });
		if (checks.snapshot && !request.permanent) await steps.keep(row, oldValues(held, planned));
		return { request: planned, left };
	}

	/** Writes, and reads back what has to be confirmed. */
	async function write(row: RunRow, request: Request, first: Seen | undefined, maybeSent: boolean): Promise<Outcome> {
		const { endpoint } = request;
		if (endpoint.body === 'custom_fields') {
			findNames ??= createCustomNames(async (each) => seen(each, await steps.before(each)));
		}
		const { held: names, notice } = (await findNames?.(row, first)) ?? {};
		let result = await steps.send(row, names === undefined ? request : renamed(request, names, dialect));
		if (notice !== undefined) result = { ...result, warnings: [...(result.warnings ?? []), notice] };
		const isNamed = names === undefined || hasAll(names, request);
		const isVerified = (checks.verify || !isNamed) && mayNeedReading(result);
		const isOpen = maybeSent && result.outcome === 'unknown' && readEndpointOf(endpoint) !== undefined;
		if (isVerified || isOpen) {
			const after = seen(row, await steps.after(row));
			const known = maybeSent ? settledRefusal(request, result, after, terms) : result;
			result = verified(request, known, after, terms);
		}
		return names === undefined ? result : withUnknownNames(result, names);
	}

	return async (row) => {
		const maybeSent = steps.maybeSent(row);
		const isCleared = row.request.endpoint.cleared !== undefined;
		const looksFirst = readsFirst || isCleared || (checks.verify && maybeSent);
		const first = looksFirst ? seen(row, await steps.before(row)) : undefined;
		const settled = first && maybeSent ? settledBy(row.request, first, plan, terms) : undefined;
		if (settled !== undefined) return settled;
		const ready = first === undefined ? { request: row.request, left: [] } : await prepare(row, first, maybeSent);
		if ('outcome' in ready) return ready;
		const { request, left } = ready;
		const written = inexact(request) ?? (await write(row, request, first, maybeSent));
		const result = left.length === 0 ? written : withLeft(written, left, row);
		return result.outcome === 'differs' ? allowed(result, checks) : result;
	};
}

interface Prepared {
	request: Request;
	left: readonly AppliedDifference[];
}

/** A refusal of the service stands. */
function mayNeedReading({ outcome, refused, busy, code }: Outcome): boolean {
	// Longer than anybody waits.
	if (code === 'wait_too_long') return false;
	if (outcome === 'failed') return refused !== true && busy !== true;
	return outcome === 'ok' || outcome === 'differs' || outcome === 'unknown';
}

/** It would be written back as a different one. */
function inexact({ sent = {} }: Request): Outcome | undefined {
	const name = Object.keys(sent).find((each) => hasInexactNumber(sent[each]));
	if (name === undefined) return undefined;
	const message = `${name} has an integer of more than 15 digits, which can't be written exactly; nothing was written`;
	return { outcome: 'failed', code: 'inexact_number', message, attempts: 0, ms: 0 };
}

/** All but fields that others changed. */
function withLeft(result: Outcome, left: Prepared['left'], row: RunRow): Outcome {
	if (result.outcome !== 'ok' && result.outcome !== 'differs') return result;
	return {
		...result,
		...differing([...(result.differs ?? []), ...left]),
		code: row.expected?.code ?? 'drift',
		message: leftMessage(left, row),
	};
}

/** Differences become warnings. */
function allowed(result: Outcome, { allowDiffers }: Checks): Outcome {
	const { differs = [] } = result;
	if (allowDiffers === false) return result;
	if (Array.isArray(allowDiffers) && !differs.every(({ field }) => allowDiffers.includes(field))) return result;
	return { ...result, outcome: 'ok', code: undefined, message: undefined };
}

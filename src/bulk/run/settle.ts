/** What a read says about a write. A value is the same, another, or can't be compared: only the same confirms it. */

import { trimmedIn } from '../../api/applied.js';
import type { Equality } from '../../api/compare.js';
import { nameRow, plural } from '../../api/names.js';
import type { Request } from '../../api/request.js';
import { UsageError } from '../../errors.js';
import { differing, isRefusal, isRouteMissing, MAY_BE_OURS, NO_ROUTE } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { isDone } from '../../http/outcomes.js';
import { compareHeld, type Held, isShown, shownValue } from '../held.js';
import { comparesFirst, type Fields, type RunPlan } from '../plan.js';
import { sources } from '../sources.js';
import { listChanges } from './decide.js';
import type { RunRow } from './rows.js';

/** @throws UsageError if the service has no such read */
export function checkServed({ source }: RunPlan, { request }: RunRow, found: Outcome): void {
	if (!isRouteMissing(found)) return;
	const { status, code = NO_ROUTE } = found;
	const what = `this service can't read ${plural(request.endpoint.noun, 2)} (${status} ${code})`;
	const needed = sources[source.from].restores ? '; run undo needs it' : '';
	throw new UsageError(`${what}${needed}; nothing was written`, {
		code: NO_ROUTE,
		hint: 'drop the flags that need reads: --plan, --verify, --if, --if-unmodified, --add-… and --remove-…',
		data: { status },
	});
}

/** A read, and the object if it shows one. */
export interface Seen {
	result: Outcome;
	held: Held | undefined;
}

function asDone({ status, body, warnings, attempts, ms }: Outcome): Outcome {
	return { outcome: 'ok', status, body, warnings, attempts, ms };
}

/** A row that an earlier part may have written is done only if every field is the same. */
export function settledBy(request: Request, seen: Seen, plan: RunPlan): Outcome | undefined {
	const { result, held } = seen;
	const done: Outcome = { ...asDone(result), body: undefined };
	const { outcome } = verified(request, { ...done, outcome: 'unknown' }, seen);
	const isOpen = held !== undefined && Object.keys(listChanges(held, plan)).length > 0;
	return outcome === 'ok' && !isOpen ? done : undefined;
}

/** What an earlier part may have written, and is refused now, failed if the object has other values. */
export function settledRefusal(request: Request, result: Outcome, { held }: Seen): Outcome {
	const { outcome, message } = result;
	if (outcome !== 'unknown' || !isRefusal(result) || held === undefined) return result;
	const { sent = {}, permanent, endpoint } = request;
	const failed = (why: string): Outcome => ({ ...result, outcome: 'failed', message: `${message}, but ${why}` });
	if (endpoint.deletes) {
		const status = held.field('status');
		const isOpen = !isShown(status) || status.value === 'trash';
		return !permanent && isOpen ? result : failed('it is still there');
	}
	const { differs } = compareHeld(held, sent);
	if (differs.length === 0) return result;
	return failed(`it has a different ${differs.map(({ field }) => field).join(', ')}`);
}

/** Nothing is written to what could not be read: its old values would be lost. */
export const NOT_READ = 'not_read';

/** @param maybeSent whether an earlier attempt may have been applied */
export function notRead({ endpoint, ids }: Request, seen: Outcome, maybeSent: boolean, plan: RunPlan): Outcome {
	const { body: _, ...result } = seen;
	const { outcome, message, code, gone } = result;
	const why = (message ?? code ?? outcome).replace(/\.$/, '');
	// The row's code says that nothing was written.
	const own = result.forbidden && message !== undefined && code !== undefined ? `${code}: ` : '';
	if (gone !== undefined) {
		// The service itself says so: an update has nothing left to change.
		if (endpoint.deletes && maybeSent) return { ...result, outcome: 'ok', message: MAY_BE_OURS };
		const name = nameRow(ids, endpoint.noun);
		const what = gone === 'missing' ? `${name} not found` : `${name} is in the trash`;
		return { ...result, outcome: 'failed', message: `${what}; nothing was written` };
	}
	if (maybeSent) {
		const open = `may have been applied; couldn't read the ${endpoint.noun} to check: ${why}`;
		return { ...result, outcome: 'unknown', message: open };
	}
	// This is not about the object.
	if (result.signedOut) return result;
	// A resume reads it again, unless the service shows something else.
	if (outcome !== 'failed' && isLost(result)) return { ...result, outcome: 'not-sent' };
	return {
		...result,
		outcome: 'failed',
		code: NOT_READ,
		message: `couldn't read the ${endpoint.noun}, so nothing was written: ${own}${why}${wayWithout(plan)}`,
	};
}

/** Where the read was for old values alone. */
function wayWithout(plan: RunPlan): string {
	if (!plan.checks.snapshot || comparesFirst(plan)) return '';
	return ' (to write without saving old values: --no-snapshot)';
}

/** @param before what the object held before the write, if it was read */
export function verified(request: Request, result: Outcome, seen: Seen, before?: Held): Outcome {
	if (request.endpoint.deletes) return verifiedDelete(request, result, seen);
	const { held, result: reading } = seen;
	if (held === undefined) {
		if (!isDone(result)) return result;
		const message = `written, but could not be read back: ${reading.message ?? reading.outcome}`;
		return { ...result, outcome: 'unknown', code: 'not_verified', message };
	}
	const { sent = {} } = request;
	const { differs, open } = compareHeld(held, sent);
	differs.push(...trimmedIn(request.endpoint, sent, (name) => shownValue(held.field(name))));
	if (result.outcome === 'failed') return verifiedRefusal(result, held, sent, before);
	if (differs.length === 0 && open.length === 0) return asDone(result);
	// It may have been there before.
	if (result.outcome === 'unknown') return result;
	if (differs.length === 0) return notComparable(result, open);
	return { ...asDone(result), ...differing(differs) };
}

/** The response to the write stands. */
function notComparable(result: Outcome, open: readonly string[]): Outcome {
	return { ...result, warnings: [...(result.warnings ?? []), `could not be verified: ${open.join(', ')}`] };
}

/** After a refusal that is not the service's own, only fields that the write would have changed are evidence. */
function verifiedRefusal(result: Outcome, held: Held, sent: Fields, before: Held | undefined): Outcome {
	const had = (name: string): Equality | undefined => before?.compare(name, sent[name]);
	const after = compareHeld(held, sent);
	const isOpen = (name: string): boolean => had(name) === 'not comparable' || after.open.includes(name);
	const changing = Object.fromEntries(Object.entries(sent).filter(([name]) => had(name) !== 'same' && !isOpen(name)));
	const count = Object.keys(changing).length;
	const { differs } = compareHeld(held, changing);
	if (count === differs.length) return result;
	const isComparable = !Object.keys(sent).some(isOpen);
	if (isComparable && differs.length === 0) return asDone(result);
	if (isComparable && before !== undefined) return { ...asDone(result), ...differing(differs) };
	// What is the same may have been there before, and what can't be compared may not be written.
	return { ...result, outcome: 'unknown', message: `${result.message ?? result.code}; it may be partly applied` };
}

function verifiedDelete({ permanent }: Request, result: Outcome, { result: reading, held }: Seen): Outcome {
	const isGone = reading.gone !== undefined;
	if (!isGone && held === undefined) return result;
	const known = held?.field('status');
	const status = known && shownValue(known);
	// Something is there, and nobody can say whether it is in the trash.
	if (!permanent && known !== undefined && !isShown(known)) return notComparable(result, ['status']);
	const wasGone = result.outcome !== 'ok' || result.gone !== undefined;
	const isDone = isGone ? permanent || wasGone : !permanent && status === 'trash';
	if (isDone) return result.outcome === 'ok' ? result : asDone(result);
	if (!isGone && (result.outcome === 'failed' || result.outcome === 'unknown')) return result;
	const shown = isGone ? 'deleted' : (status ?? 'still there');
	const sent = permanent ? 'deleted' : 'trash';
	return { ...asDone(result), ...differing([{ field: 'status', sent, shown }]) };
}

/** What a read says about a write. A value is the same, another, or can't be compared: only the same confirms it. */

import { compareAll, type TermIndex } from '../../api/applied.js';
import { plural } from '../../api/names.js';
import type { Request } from '../../api/plan.js';
import { UsageError } from '../../errors.js';
import { differing, isRefusal, NO_ROUTE } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { listChanges } from './decide.js';
import type { Held } from './held.js';
import type { RunPlan } from './plan.js';
import type { RunRow } from './rows.js';

/** @throws UsageError if the service has no such read */
export function checkServed({ source }: RunPlan, { request }: RunRow, { code, status }: Outcome): void {
	if (code !== NO_ROUTE) return;
	const what = `this service can't read ${plural(request.endpoint.noun, 2)} (${status} ${NO_ROUTE})`;
	const needed = source.from === 'snapshots' ? '; run undo needs it' : '';
	throw new UsageError(`${what}${needed}; nothing was written`, {
		code: NO_ROUTE,
		hint: 'drop the flags that need reads: --verify, --snapshot, --only-changed, --diff, --if, --if-unmodified, --add-… and --remove-…',
		data: { status },
	});
}

export interface Seen {
	result: Outcome;
	held: Held | undefined;
}

function asDone({ status, body, warnings, attempts, ms }: Outcome): Outcome {
	return { outcome: 'ok', status, body, warnings, attempts, ms };
}

/** A row that an earlier part may have written is done only if every field is the same. */
export function settledBy(request: Request, seen: Seen, plan: RunPlan, terms?: TermIndex): Outcome | undefined {
	const { result, held } = seen;
	const done: Outcome = { ...asDone(result), body: undefined };
	const { outcome } = verified(request, { ...done, outcome: 'unknown' }, seen, terms);
	const isOpen = held !== undefined && Object.keys(listChanges(held, plan)).length > 0;
	return outcome === 'ok' && !isOpen ? done : undefined;
}

/** What an earlier part may have written, and is refused now, failed if the object has other values. */
export function settledRefusal(request: Request, result: Outcome, { held }: Seen, terms?: TermIndex): Outcome {
	const { outcome, message } = result;
	if (outcome !== 'unknown' || !isRefusal(result) || held === undefined) return result;
	const { endpoint, sent = {}, permanent, method } = request;
	const failed = (why: string): Outcome => ({ ...result, outcome: 'failed', message: `${message}, but ${why}` });
	if (method === 'DELETE') return !permanent && held.get('status') === 'trash' ? result : failed('it is still there');
	const { differs } = compareAll(endpoint, sent, held.get, terms);
	if (differs.length === 0) return result;
	return failed(`it has a different ${differs.map(({ field }) => field).join(', ')}`);
}

export function notRead({ body: _, ...result }: Outcome, maybeSent: boolean): Outcome {
	const { outcome, message, code } = result;
	const why = message ?? code ?? outcome;
	if (maybeSent) {
		const open = `an earlier attempt may have been applied, and the object could not be read: ${why}`;
		return { ...result, outcome: 'unknown', message: open };
	}
	// A resume reads it again, unless the service shows something else.
	const isOpen = outcome !== 'failed' && isLost(result);
	return {
		...result,
		outcome: isOpen ? 'not-sent' : 'failed',
		message: `${why.replace(/\.$/, '')}; the old values could not be read, so nothing was written`,
	};
}

export function verified(request: Request, result: Outcome, seen: Seen, terms?: TermIndex): Outcome {
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
		return { ...result, warnings: [...(result.warnings ?? []), `could not be verified: ${open.join(', ')}`] };
	}
	const isUntouched = differs.length + open.length === Object.keys(sent).length;
	if (result.outcome === 'failed' && isUntouched) return result;
	return { ...asDone(result), ...differing(differs) };
}

function verifiedDelete({ permanent }: Request, result: Outcome, { result: reading, held }: Seen): Outcome {
	const isGone = reading.gone !== undefined;
	if (!isGone && held === undefined) return result;
	const wasGone = result.outcome !== 'ok' || result.gone !== undefined;
	const isDone = isGone ? permanent || wasGone : !permanent && held?.get('status') === 'trash';
	if (isDone) return asDone(result);
	if (!isGone && (result.outcome === 'failed' || result.outcome === 'unknown')) return result;
	const shown = isGone ? 'deleted' : (held?.get('status') ?? 'still there');
	const sent = permanent ? 'deleted' : 'trash';
	return { ...asDone(result), ...differing([{ field: 'status', sent, shown }]) };
}

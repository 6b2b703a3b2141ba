/** One row, from its first request to its outcome, for single requests and runs. */

import type { TermIndex } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { readRequest } from '../../api/reads.js';
import type { Client } from '../../http/client.js';
import { lookedUpId } from '../../http/judge.js';
import { type Outcome, type RowOutcome, skipped } from '../../http/outcome.js';
import { type SendOptions, send } from '../../http/send.js';
import type { Journal } from '../journal/write.js';
import type { RunPlan } from './plan.js';
import type { ReadAfter, Slots } from './read-after.js';
import type { ReadAhead } from './read-ahead.js';
import { createPerform } from './read-back.js';
import type { PastPart } from './resume.js';
import type { RunRow } from './rows.js';
import type { RowRedactor } from './setup.js';

export interface RowSenderParts {
	plan: RunPlan;
	dialect: Dialect;
	client: Client;
	options: SendOptions;
	terms?: TermIndex;
	redact: RowRedactor;
	journal?: Journal;
	past?: PastPart;
	/** With `--verify`, more rows are under way than requests. */
	slots?: Slots | undefined;
	ahead?: ReadAhead;
	after?: ReadAfter | undefined;
	read?: typeof send;
}

/** The outcome of a lookup has the ID. */
export function outcomeOf({ row, line, remarks, request: { endpoint, ids } }: RunRow, result: Outcome): RowOutcome {
	const id = endpoint.returns === 'user-id' && result.outcome === 'ok' ? lookedUpId(result.body) : undefined;
	const outcome: RowOutcome = { ...result, row, ids: id === undefined ? ids : { ...ids, id } };
	if (line !== undefined) outcome.line = line;
	if (remarks !== undefined) outcome.warnings = [...(result.warnings ?? []), ...remarks];
	return outcome;
}

/** A written row is read back even if the run stops. */
export function beyondStop(options: SendOptions): SendOptions {
	return options.stop?.aborted ? { ...options, retries: 0, stop: undefined, pace: undefined } : options;
}

/** What it returns never rejects for what the service does. */
export function createRowSender(parts: RowSenderParts): (row: RunRow) => Promise<RowOutcome> {
	const { plan, dialect, client, options, terms, redact, journal, past, slots, ahead, after, read = send } = parts;
	const sending: SendOptions = { ...options, terms, ignoreMissing: plan.checks.ignoreMissing };
	const inSlot = (work: () => Promise<Outcome>): Promise<Outcome> => slots?.run(work) ?? work();
	const perform = createPerform(plan, dialect, {
		terms,
		async before(row) {
			const found = await ahead?.take(row);
			return found ?? (await inSlot(() => read(client, readRequest(row.request, dialect), options)));
		},
		after: ({ request }) => after?.read(request) ?? read(client, readRequest(request, dialect), beyondStop(options)),
		send({ row }, request) {
			const onRetry = (failed: Outcome, waitMs: number): void => {
				const { attempts: attempt, status, code, mayBeApplied: lost, mayBePartly: partly } = failed;
				// The next outcome says so if the journal fails.
				journal?.record({ type: 'attempt', row, attempt, status, code, lost, partly }).catch(() => undefined);
				options.onRetry?.(failed, waitMs);
			};
			const history = past?.states.history(row);
			return inSlot(() => send(client, request, { ...sending, history, onRetry }));
		},
		maybeSent({ row, request }) {
			const { mayBeApplied = false, mayBePartly = false } = past?.states.history(row) ?? {};
			// A delete that failed halfway may have succeeded.
			return mayBeApplied || (mayBePartly && request.endpoint.replay === 'delete');
		},
		keep: ({ row, request }, before) => journal?.before(row, request.ids, before),
	});
	return async (row) => {
		const outcome = outcomeOf(row, row.skip === undefined ? await perform(row) : skipped(row.skip));
		ahead?.forget(row);
		return redact(outcome, row.request);
	};
}

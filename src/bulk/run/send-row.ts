/** One row, from its first request to its outcome, for single requests and runs. */

import type { Dialect } from '../../api/dialect.js';
import { chooseEndpoint, type Request } from '../../api/plan.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { type Pace, type SendClock, type SendOptions, send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import type { Journal } from '../journal/write.js';
import type { TermIndex } from '../lists/directory.js';
import type { RunPlan } from './plan.js';
import type { ReadAfter } from './read-after.js';
import type { ReadAhead } from './read-ahead.js';
import { createPerform } from './read-back.js';
import type { PastPart } from './resume.js';
import { outcomeOf, type RunRow } from './rows.js';
import type { Slots } from './slots.js';

/** For printing and journals. */
export type RowRedactor = (outcome: RowOutcome, request: Request) => RowOutcome;

export interface SendRowParts {
	plan: RunPlan;
	retries: number;
	client: Client;
	dialect: Dialect;
	clock: SendClock;
	random(): number;
	stop: AbortSignal;
	redact: RowRedactor;
	onRetry(attempt: Outcome, waitMs: number): void;
	/** Only in runs. */
	pace?: Pace;
	journal?: Journal | undefined;
	past?: PastPart | undefined;
	ahead?: ReadAhead | undefined;
	/** With `--verify`, more rows are under way than requests. */
	slots?: Slots | undefined;
	after?: ReadAfter | undefined;
	onRead?(outcome: RowOutcome): void;
	terms?: TermIndex | undefined;
}

/** Never rejects for what the service does. */
export function createSendRow(parts: SendRowParts): (row: RunRow) => Promise<RowOutcome> {
	const { plan, retries, client, dialect, clock, random, stop, redact, pace, journal, past, ahead, slots, after } =
		parts;
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const { ignoreMissing } = plan.checks;
	const options: SendOptions = { retries, clock, random, dialect, stop, ignoreMissing };
	if (pace !== undefined) options.pace = pace;
	if (parts.terms !== undefined) options.terms = parts.terms;
	// A written row is read back even if the run stops.
	const afterStop: SendOptions = { retries: 0, clock, random, dialect, ignoreMissing };
	// The delete may have succeeded.
	const isDelete = endpoint.replay === 'delete';
	const maybeSent = ({ row }: RunRow): boolean => {
		const { mayBeApplied, mayBePartly } = past?.history(row) ?? {};
		return mayBeApplied === true || (isDelete && mayBePartly === true);
	};
	const deliver = (...all: Parameters<typeof send>): Promise<Outcome> => {
		return slots === undefined ? send(...all) : slots.run(() => send(...all));
	};
	const perform = createPerform(plan, dialect, {
		send: (row, request) =>
			deliver(client, request, {
				...options,
				history: past?.history(row.row) ?? {},
				onRetry(failed, waitMs) {
					const { attempts: attempt, status, code, mayBeApplied: lost, mayBePartly: partly } = failed;
					const record = { type: 'attempt', row: row.row, attempt, status, code, lost, partly } as const;
					// The next outcome says so.
					journal?.record(record).catch(() => undefined);
					parts.onRetry(failed, waitMs);
				},
			}),
		async read(row, request, isAfter) {
			const known = isAfter ? undefined : await ahead?.take(row);
			if (known !== undefined) return known;
			const result =
				isAfter && after !== undefined
					? await after.read(row.request)
					: await deliver(client, request, isAfter && stop.aborted ? afterStop : options);
			parts.onRead?.(outcomeOf(row, result));
			return result;
		},
		maybeSent,
		terms: parts.terms,
		keep: (row, before) => journal?.before(row.row, row.request.ids, before) ?? Promise.resolve(),
	});
	return async (row) => {
		const result = await perform(row);
		ahead?.forget(row);
		return redact(outcomeOf(row, result), row.request);
	};
}

/** One row, from its first read to its outcome, for single requests and runs: read, write, read again. */

import type { AppliedDifference, TermIndex } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { createPlanner, type Request } from '../../api/plan.js';
import { readEndpointOf, readRequest } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { hasInexactNumber, quote } from '../../api/values.js';
import type { Client } from '../../http/client.js';
import { differing, lookedUpId } from '../../http/judge.js';
import { isLost, type Outcome, type RowOutcome, skipped, unsent } from '../../http/outcome.js';
import { type SendOptions, send } from '../../http/send.js';
import type { Journal } from '../journal/write.js';
import { decide, leftBy, oldValues, withCleared } from './decide.js';
import { type Held, heldOf } from './held.js';
import { type Checks, type RunPlan, readsBefore } from './plan.js';
import type { ReadAfter, Slots } from './read-after.js';
import type { ReadAhead } from './read-ahead.js';
import type { PastPart } from './resume.js';
import type { RunRow } from './rows.js';
import { notRead, type Seen, settledBy, settledRefusal, verified } from './settle.js';
import type { RowRedactor } from './setup.js';

export interface RowSenderParts {
	plan: RunPlan;
	dialect: Dialect;
	client: Client;
	options: SendOptions;
	terms?: TermIndex;
	redact: RowRedactor;
	journal?: Pick<Journal, 'record' | 'before'>;
	past?: PastPart;
	/** With `--verify`, more rows are under way than requests. */
	slots?: Slots;
	ahead?: ReadAhead;
	after?: ReadAfter;
	read?: typeof send;
	write?: typeof send;
}

/** A written row is read back even if the run stops. */
export function beyondStop(options: SendOptions): SendOptions {
	return options.stop?.aborted ? { ...options, retries: 0, stop: undefined, pace: undefined } : options;
}

interface Prepared {
	request: Request;
	left: readonly AppliedDifference[];
}

export class RowSender {
	readonly #readsFirst: boolean;
	readonly #sending: SendOptions;
	/** Custom fields as one read of the run shows them. */
	#names: Promise<Held | undefined> | undefined;
	#isRefused = false;

	constructor(private readonly parts: RowSenderParts) {
		const { plan, options, terms } = parts;
		this.#readsFirst = readsBefore(plan);
		this.#sending = {
			...options,
			terms,
			ignoreMissing: plan.checks.ignoreMissing,
			onRetry: (failed, waitMs, row) => this.#noteRetry(failed, waitMs, row),
		};
	}

	async send(row: RunRow): Promise<RowOutcome> {
		const { plan, past, ahead, redact } = this.parts;
		const { request, skip } = row;
		const { mayBeApplied = false, mayBePartly = false } = past?.states.history(row.row) ?? {};
		// A delete that failed halfway may have succeeded.
		const maybeSent = mayBeApplied || (mayBePartly && request.endpoint.replay === 'delete');
		const mayClear = request.endpoint.cleared !== undefined;
		let outcome: Outcome;
		if (skip !== undefined) outcome = skipped(skip);
		else if (this.#readsFirst || mayClear || (maybeSent && plan.checks.verify)) {
			outcome = await this.#readAndWrite(row, maybeSent);
		} else outcome = await this.#writeKind(row, request, maybeSent);
		ahead?.forget(request);
		return redact(rowOutcome(row, outcome), request);
	}

	async #readAndWrite(row: RunRow, maybeSent: boolean): Promise<Outcome> {
		const { plan, terms } = this.parts;
		const first = await this.#readBefore(row);
		const settled = maybeSent ? settledBy(row.request, first, plan, terms) : undefined;
		if (settled !== undefined) return settled;
		const ready = await this.#prepare(row, first, maybeSent);
		if ('outcome' in ready) return ready;
		const { request, left } = ready;
		const result = await this.#writeKind(row, request, maybeSent, first);
		return left.length === 0 ? result : withLeft(result, left, plan);
	}

	async #prepare(row: RunRow, { result, held }: Seen, maybeSent: boolean): Promise<Prepared | Outcome> {
		const { plan, dialect, terms, journal } = this.parts;
		const { request } = row;
		const { endpoint, ids } = request;
		const isGone = result.gone !== undefined && request.method === 'DELETE';
		if (isGone && plan.checks.ignoreMissing) {
			return { ...result, outcome: 'ok', body: undefined, message: 'it was gone already' };
		}
		if (held === undefined) {
			const isOpen = result.outcome !== 'failed' || isLost(result);
			const isNeeded = this.#readsFirst || (endpoint.cleared !== undefined && isOpen);
			return isNeeded ? notRead(result, maybeSent) : { request, left: [] };
		}
		const decision = decide(row, held, plan, terms);
		if ('skip' in decision) return decision.skip;
		const { fields, left } = decision;
		const planned =
			endpoint.body === 'none'
				? request
				: createPlanner(endpoint, dialect)({ ids, fields: withCleared(endpoint, held, fields) });
		if (plan.checks.snapshot && !request.permanent) await journal?.before(row.row, ids, oldValues(held, planned));
		return { request: planned, left };
	}

	#writeKind(row: RunRow, request: Request, maybeSent: boolean, first?: Seen): Promise<Outcome> {
		const isCustom = request.endpoint.body === 'custom_fields';
		return isCustom ? this.#writeFields(row, request, maybeSent, first?.held) : this.#write(row, request, maybeSent);
	}

	/** Custom fields go by the names that the service writes; it ignores unknown names. */
	async #writeFields(row: RunRow, request: Request, maybeSent: boolean, held?: Held): Promise<Outcome> {
		const isFirst = this.#names === undefined;
		const names = held ?? (await this.#findNames(row));
		const result = await this.#write(row, request, maybeSent, names);
		if (names !== undefined) return withUnknownNames(result, names);
		if (isFirst && this.#isRefused) {
			const notice = "custom fields can't be read here, so nothing confirms that they were saved";
			result.warnings = [...(result.warnings ?? []), notice];
		}
		return result;
	}

	#findNames(row: RunRow): Promise<Held | undefined> {
		this.#names ??= this.#readBefore(row).then(({ result, held }) => {
			// The next row's ticket may exist.
			if (result.gone) this.#names = undefined;
			else if (held === undefined) this.#isRefused = true;
			return held;
		});
		return this.#names;
	}

	async #write(row: RunRow, request: Request, maybeSent: boolean, names?: Held): Promise<Outcome> {
		const { plan, dialect } = this.parts;
		if (hasInexactNumber(request.sent)) return inexactNumber(request.sent ?? {});
		const written = names === undefined ? request : renamed(request, names, dialect);
		const sent = await this.#send(row, written);
		const isNamed = names === undefined || Object.keys(request.sent ?? {}).every(names.has);
		const isVerified = (plan.checks.verify || !isNamed) && mayNeedReading(sent);
		const isOpen = maybeSent && sent.outcome === 'unknown' && readEndpointOf(request.endpoint) !== undefined;
		const result = isVerified || isOpen ? await this.#confirm(request, sent, maybeSent) : sent;
		return result.outcome === 'differs' ? allowed(result, plan.checks) : result;
	}

	async #confirm(request: Request, result: Outcome, maybeSent: boolean): Promise<Outcome> {
		const { terms } = this.parts;
		const after = await this.#readAfter(request);
		const known = maybeSent ? settledRefusal(request, result, after, terms) : result;
		return verified(request, known, after, terms);
	}

	#send({ row }: RunRow, request: Request): Promise<Outcome> {
		const { client, past, slots, write = send } = this.parts;
		const history = past?.states.history(row);
		const once = (): Promise<Outcome> => write(client, request, this.#sending, row, history);
		return slots === undefined ? once() : slots.run(once);
	}

	#noteRetry(failed: Outcome, waitMs: number, row = 0): void {
		const { journal, options } = this.parts;
		const { attempts: attempt, status, code, mayBeApplied: lost, mayBePartly: partly } = failed;
		// The next outcome says so if the journal fails.
		journal?.record({ type: 'attempt', row, attempt, status, code, lost, partly }).catch(() => undefined);
		options.onRetry?.(failed, waitMs);
	}

	async #readBefore({ request }: RunRow): Promise<Seen> {
		const { ahead, slots, client, dialect, options, read = send } = this.parts;
		const alone = (): Promise<Outcome> => read(client, readRequest(request, dialect), options);
		const result = (await ahead?.take(request)) ?? (await (slots === undefined ? alone() : slots.run(alone)));
		return this.#seen(request, result);
	}

	async #readAfter(request: Request): Promise<Seen> {
		const { after, client, dialect, options, read = send } = this.parts;
		const reading = after?.read(request) ?? read(client, readRequest(request, dialect), beyondStop(options));
		return this.#seen(request, await reading);
	}

	#seen({ endpoint }: Request, result: Outcome): Seen {
		return { result, held: result.outcome === 'ok' ? heldOf(endpoint, result.body, this.parts.terms) : undefined };
	}
}

export function rowOutcome({ row, line, remarks, request: { endpoint, ids } }: RunRow, result: Outcome): RowOutcome {
	const id = endpoint.returns === 'user-id' && result.outcome === 'ok' ? lookedUpId(result.body) : undefined;
	const outcome: RowOutcome = Object.assign(result, { row, line, ids: id === undefined ? ids : { ...ids, id } });
	if (remarks !== undefined) outcome.warnings = [...(result.warnings ?? []), ...remarks];
	return outcome;
}

function renamed(request: Request, names: Held, dialect: Dialect): Request {
	const { endpoint, ids, sent = {} } = request;
	const fields = Object.fromEntries(Object.entries(sent).map(([name, value]) => [names.writtenAs(name), value]));
	return { ...createPlanner(endpoint, dialect)({ ids, fields }), sent };
}

const NAMED_FIELDS = 10;

function withUnknownNames(result: Outcome, names: Held): Outcome {
	const unknown = result.differs?.find(({ field }) => !names.has(field))?.field;
	if (result.outcome !== 'differs' || unknown === undefined) return result;
	const near = didYouMean(unknown, names.names);
	const all = names.names.slice(0, NAMED_FIELDS).join(', ');
	const hint = near === '' && all !== '' ? `; fields: ${all}` : near;
	return { ...result, code: 'no_such_field', message: `custom field ${quote(unknown)} not found${hint}` };
}

function mayNeedReading({ outcome, refused, busy, code }: Outcome): boolean {
	if (code === 'wait_too_long') return false;
	if (outcome === 'failed') return refused !== true && busy !== true;
	return outcome === 'ok' || outcome === 'differs' || outcome === 'unknown';
}

function inexactNumber(sent: Readonly<Record<string, unknown>>): Outcome {
	const name = Object.keys(sent).find((each) => hasInexactNumber(sent[each]));
	const message = `${name} has an integer of more than 15 digits, which can't be written exactly; nothing was written`;
	return unsent('failed', 'inexact_number', message);
}

function withLeft(result: Outcome, left: Prepared['left'], plan: RunPlan): Outcome {
	if (result.outcome !== 'ok' && result.outcome !== 'differs') return result;
	return {
		...result,
		...differing([...(result.differs ?? []), ...left]),
		...leftBy(left, plan),
	};
}

function allowed(result: Outcome, { allowDiffers }: Checks): Outcome {
	const { differs = [] } = result;
	if (allowDiffers === false) return result;
	if (Array.isArray(allowDiffers) && !differs.every(({ field }) => allowDiffers.includes(field))) return result;
	return { ...result, outcome: 'ok', code: undefined, message: undefined };
}

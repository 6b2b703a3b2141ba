/** One row, from its first read to its outcome, for single requests and runs: read, write, read again. */

import type { TermIndex } from '../../api/compare.js';
import type { Dialect } from '../../api/dialect.js';
import { bodyKinds, endpoints } from '../../api/endpoints.js';
import { passwordField } from '../../api/fields.js';
import { kinds } from '../../api/kinds.js';
import { readEndpointOf, readRequest } from '../../api/reads.js';
import { createPlanner, type Request } from '../../api/request.js';
import { didYouMean } from '../../api/suggest.js';
import { hasInexactNumber, isObject, quote } from '../../api/values.js';
import type { Client } from '../../http/client.js';
import { differing, isRouteMissing, lookedUpId, WAS_GONE } from '../../http/judge.js';
import { type Outcome, type RowOutcome, skipped, unsent } from '../../http/outcome.js';
import { isDone, mayBeWritten } from '../../http/outcomes.js';
import { type SendOptions, send, WAIT_TOO_LONG } from '../../http/send.js';
import { type Held, heldOf, heldWith, isOdd, isShown, type TermOf, withTerms } from '../held.js';
import type { Journal } from '../journal/write.js';
import { listOfOne, readAlone } from '../lists/batches.js';
import type { Directories } from '../lists/directory.js';
import { REFUSES_OTHERS } from '../lists/found.js';
import { objectsIn } from '../lists/pages.js';
import { type Checks, listedFields, type RunPlan, readsBefore } from '../plan.js';
import { sources } from '../sources.js';
import {
	allLeft,
	decide,
	type LeftField,
	leftBy,
	notRestorable,
	type OwnDoubt,
	oldValues,
	thereOf,
	withCleared,
} from './decide.js';
import type { ReadAfter, Slots } from './read-after.js';
import { type ReadAhead, STALE_MS } from './read-ahead.js';
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
	/** The term of an object where its slug doesn't tell. */
	termOf?: TermOf;
	/** Of users and terms. */
	names?: Pick<Directories, 'learn' | 'nameOf' | 'users'>;
	redact: RowRedactor;
	journal?: Pick<Journal, 'record' | 'before'>;
	past?: PastPart;
	/** With `--verify`, more rows are under way than requests. */
	slots?: Slots;
	ahead?: ReadAhead;
	/** A read from before the run began: its first row needs no other. */
	first?: FirstRead | undefined;
	after?: ReadAfter;
	read?: typeof send;
	write?: typeof send;
}

export interface FirstRead {
	readonly key: string;
	readonly outcome: Outcome;
	/** Milliseconds of the monotonic clock. */
	readonly at: number;
}

/** A written row is read back even if the run stops. */
export function beyondStop(options: SendOptions): SendOptions {
	return options.stop?.aborted ? { ...options, retries: 0, stop: undefined, pace: undefined } : options;
}

interface Prepared {
	request: Request;
	left: readonly LeftField[];
	/** What nobody could look at. */
	doubt?: string | undefined;
}

export class RowSender {
	readonly #readsFirst: boolean;
	readonly #sending: SendOptions;
	/** Custom fields as one read of the run shows them. */
	#names: Promise<Held | undefined> | undefined;
	#isRefused = false;
	#hasFirst = false;
	/** With `--if-unmodified`, when rows of this run last modified an object, as far as it is known, and the time that those rows gave. */
	readonly #ownTimes = new Map<string, { readonly given: string; readonly left: string | undefined }>();

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
		const { ahead, slots, redact } = this.parts;
		const { request } = row;
		const settled = await this.#settle(row).finally(() => slots?.release(row.row));
		const outcome = settled.code === REFUSES_OTHERS ? await this.#listed(request, settled) : settled;
		ahead?.forget(request);
		return redact(rowOutcome(row, outcome), request);
	}

	/** Names are found like everywhere else where the service's lookup finds nobody but you. */
	async #listed({ endpoint, ids }: Request, refused: Outcome): Promise<Outcome> {
		const { names } = this.parts;
		if (endpoint.looksUp === undefined || names === undefined) return refused;
		const found = await names.users.listed(ids[endpoint.looksUp] ?? '');
		if ('id' in found) {
			const { attempts, ms } = refused;
			return { outcome: 'ok', status: 200, body: { id: Number(found.id) }, attempts, ms };
		}
		if (!('problem' in found)) return refused;
		return { ...refused, message: found.problem, ...(found.missing && { code: 'not_found' }) };
	}

	async #settle(row: RunRow): Promise<Outcome> {
		const { plan, past } = this.parts;
		const { request, skip } = row;
		const { mayBeApplied = false, mayBePartly = false } = past?.states.history(row.row) ?? {};
		// A delete that failed halfway may have succeeded.
		const maybeSent = mayBeApplied || (mayBePartly && request.endpoint.deletes);
		const mayClear = request.endpoint.cleared !== undefined;
		if (skip !== undefined) return skipped(skip);
		const readsFirst = this.#readsFirst || mayClear || (maybeSent && plan.checks.verify);
		return await (readsFirst ? this.#readAndWrite(row, maybeSent) : this.#writeKind(row, request, maybeSent));
	}

	async #readAndWrite(row: RunRow, maybeSent: boolean): Promise<Outcome> {
		const { plan } = this.parts;
		const first = await this.#readBefore(row);
		const settled = maybeSent ? settledBy(row.request, first, plan) : undefined;
		if (settled !== undefined) return withLeft(settled, notRestorable(row, first.held), plan, row.request);
		const ready = await this.#prepare(row, first, maybeSent);
		if ('outcome' in ready) return ready;
		const { request, left, doubt } = ready;
		let result = await this.#writeKind(row, request, maybeSent, first);
		if (sources[plan.source.from].restores && isRefusedPart(result)) {
			result = (await this.#restoreEach(row, request, first)) ?? result;
		}
		if (doubt !== undefined && isDone(result)) result.warnings = [...(result.warnings ?? []), doubt];
		if (plan.checks.ifUnmodified) this.#noteTime(row, result);
		const whole = withLeft(result, left, plan, request);
		if (!sources[plan.source.from].restores || whole.outcome !== 'failed') return whole;
		return { ...whole, applied: [...thereOf(row, request.sent ?? {}, left), ...(whole.applied ?? [])] };
	}

	#noteTime({ request, modified }: RunRow, { body, ...result }: Outcome): void {
		if (modified === undefined || (!mayBeWritten(result) && result.mayBePartly !== true)) return;
		const shown = isDone(result) && isObject(body) ? body.modified_gmt : undefined;
		const { given = modified } = this.#ownTimes.get(request.key) ?? {};
		this.#ownTimes.set(request.key, { given, left: typeof shown === 'string' ? shown : undefined });
	}

	/** Rows of one object form a chain: a later one expects what the earlier one left, not a change of someone else. */
	#afterOwn(row: RunRow): RunRow {
		const own = this.#ownTimes.get(row.request.key);
		return own?.left !== undefined && own.given === row.modified ? { ...row, modified: own.left } : row;
	}

	/** Undefined where this run has not written the object, or its own row says when. */
	#ownDoubt(row: RunRow): OwnDoubt | undefined {
		const own = this.#ownTimes.get(row.request.key);
		if (own !== undefined) return own.left === undefined ? { isAgain: false, old: {} } : undefined;
		return this.parts.past?.ownDoubt(row);
	}

	/** One field that can't be put back, such as a deleted term, must not keep the others of its object. */
	async #restoreEach(row: RunRow, { endpoint, ids, sent = {} }: Request, first: Seen): Promise<Outcome | undefined> {
		const { held } = first;
		const names = Object.keys(sent).filter((name) => endpoint.cleared?.includes(name) !== true);
		if (names.length < 2 || held === undefined) return undefined;
		const planner = createPlanner(endpoint, this.parts.dialect);
		let whole: Outcome | undefined;
		const failed: { name: string; result: Outcome }[] = [];
		const applied: string[] = [];
		for (const name of names) {
			const request = planner({ ids, fields: withCleared(endpoint, held, { [name]: sent[name] }) });
			const result = await this.#writeKind(row, request, true, first);
			if (isDone(result)) applied.push(name);
			if (result.outcome !== 'ok') failed.push({ name, result });
			else whole = result;
		}
		// What has to be sent again must not hide behind a field that only differs.
		const bad = failed.find(({ result }) => !isDone(result)) ?? failed[0];
		if (bad === undefined) return whole;
		const message = failed
			.map(({ name, result }) => `${name} not restored: ${result.message ?? result.outcome}`)
			.join('; ');
		return { ...bad.result, applied, message };
	}

	async #prepare(row: RunRow, { result, held }: Seen, maybeSent: boolean): Promise<Prepared | Outcome> {
		const { plan, dialect, journal } = this.parts;
		const { request } = row;
		const { endpoint, ids } = request;
		const isGone = result.gone !== undefined && endpoint.deletes;
		if (isGone && plan.checks.ignoreMissing) {
			return { ...result, outcome: 'ok', body: undefined, message: WAS_GONE };
		}
		if (held === undefined) {
			// A service without reads shows nothing that an update could clear.
			const isServed = this.#readsFirst || !isRouteMissing(result);
			return isServed ? notRead(request, result, maybeSent, plan) : { request, left: [], doubt: clearing(request) };
		}
		const decision = decide(this.#afterOwn(row), held, plan, this.#ownDoubt(row));
		if ('skip' in decision) return await this.#inNames(decision.skip, decision.changed);
		const { fields, left } = decision;
		const planned = bodyKinds[endpoint.body].isSent
			? createPlanner(endpoint, dialect)({ ids, fields: withCleared(endpoint, held, fields) })
			: request;
		if (plan.checks.snapshot && !request.permanent) {
			const old = oldValues(held, planned);
			// Nothing restores a value that nobody saw.
			if ('is' in old) return notRead(request, old.why, maybeSent, plan);
			await journal?.before(row.row, ids, { ...old, anew: this.#wasWritten(row) ? undefined : true });
		}
		return { request: planned, left };
	}

	/** Perhaps. A first part has read nothing before. */
	#wasWritten({ row }: RunRow): boolean {
		const { past } = this.parts;
		return past === undefined || past.states.mayBeWritten(row);
	}

	/** Who and what, not which ID. */
	async #inNames(skip: Outcome, changed: readonly LeftField[] | undefined): Promise<Outcome> {
		const { plan, names } = this.parts;
		if (names === undefined || changed === undefined) return skip;
		const shown = Object.fromEntries(changed.map(({ field, shown: value }) => [field, value]));
		const fields = endpoints[plan.endpoint].fields.filter(({ name, kind }) => {
			return Object.hasOwn(shown, name) && kinds[kind].names !== undefined;
		});
		await names.learn(fields, [shown]);
		return { ...skip, ...allLeft(changed, plan, names.nameOf) };
	}

	#writeKind(row: RunRow, request: Request, maybeSent: boolean, first?: Seen): Promise<Outcome> {
		const { takesAnyName } = bodyKinds[request.endpoint.body];
		const held = first?.held;
		return takesAnyName ? this.#writeFields(row, request, maybeSent, held) : this.#write(row, request, maybeSent, held);
	}

	/** Custom fields go by the names that the service writes; it ignores unknown names. */
	async #writeFields(row: RunRow, request: Request, maybeSent: boolean, held?: Held): Promise<Outcome> {
		const isFirst = this.#names === undefined;
		const names = held ?? (await this.#findNames(row));
		const result = await this.#write(row, request, maybeSent, held, names);
		if (names !== undefined) return withUnknownNames(result, names);
		if (isFirst && this.#isRefused) {
			const notice = "custom fields can't be read here, so nothing confirms that they were saved";
			result.warnings = [...(result.warnings ?? []), notice];
		}
		return result;
	}

	#findNames(row: RunRow): Promise<Held | undefined> {
		// A row that waits for another one's read may not hold the slot that the other waits for.
		this.parts.slots?.release(row.row);
		this.#names ??= this.#readBefore(row).then(({ result, held }) => {
			// The next row's ticket may exist.
			if (result.gone) this.#names = undefined;
			else if (held === undefined) this.#isRefused = true;
			return held;
		});
		return this.#names;
	}

	/** @param before what a read showed before the write @param names under which custom fields are written */
	async #write(
		row: RunRow,
		request: Request,
		maybeSent: boolean,
		before: Held | undefined,
		names?: Held,
	): Promise<Outcome> {
		const { plan, dialect } = this.parts;
		if (hasInexactNumber(request.sent)) return inexactNumber(request.sent ?? {});
		const written = names === undefined ? request : renamed(request, names, dialect);
		const sent = await this.#send(row, written);
		const isListed = (name: string): boolean => names === undefined || names.field(name).is !== 'absent';
		const isNamed = Object.keys(request.sent ?? {}).every(isListed);
		const isVerified = (plan.checks.verify || !isNamed || mayBeRewritten(request)) && mayNeedReading(sent);
		const isOpen = maybeSent && sent.outcome === 'unknown' && readEndpointOf(request.endpoint) !== undefined;
		const result = isVerified || isOpen ? await this.#confirm(row, request, sent, maybeSent, before) : sent;
		return result.outcome === 'differs' ? allowed(result, plan.checks) : result;
	}

	async #confirm(
		row: RunRow,
		request: Request,
		result: Outcome,
		maybeSent: boolean,
		before: Held | undefined,
	): Promise<Outcome> {
		const after = await this.#orListed(row, await this.#readAfter(request));
		const known = maybeSent ? settledRefusal(request, result, after) : result;
		return verified(request, known, after, before);
	}

	async #send({ row }: RunRow, request: Request): Promise<Outcome> {
		const { client, past, slots, write = send } = this.parts;
		const history = past?.states.history(row);
		await slots?.hold(row);
		return await write(client, request, this.#sending, row, history).finally(() => slots?.release(row));
	}

	#noteRetry(failed: Outcome, waitMs: number, row = 0): void {
		const { journal, options } = this.parts;
		const { attempts: attempt, status, code, mayBeApplied: lost, mayBePartly: partly } = failed;
		// The next outcome says so if the journal fails.
		journal?.record({ type: 'attempt', row, attempt, status, code, lost, partly }).catch(() => undefined);
		options.onRetry?.(failed, waitMs);
	}

	async #readBefore(row: RunRow): Promise<Seen> {
		const { request } = row;
		const { ahead, slots } = this.parts;
		const first = this.#takeFirst(request);
		// It needs no read any more, and rows that do must not go before it.
		if (first !== undefined) await slots?.hold(row.row);
		const listed = first ?? (await ahead?.take(request));
		const seen = listed === undefined ? await this.#readAlone(row) : this.#seen(request, listed);
		// A list may leave out fields, or show an object that can't be read alone.
		const isWhole = listed === undefined || seen.held === undefined || this.#untold(row, seen.held).length === 0;
		const whole = isWhole ? await this.#orListed(row, seen) : await this.#readAlone(row, seen);
		return await this.#withCleared(row, await this.#withTerms(row, whole));
	}

	/** Where an object doesn't show what the update would clear, its list may. */
	async #withCleared(row: RunRow, seen: Seen): Promise<Seen> {
		const { request } = row;
		const { cleared = [] } = request.endpoint;
		const { held } = seen;
		if (held === undefined || cleared.every((name) => isShown(held.field(name)))) return seen;
		const outcome = await this.#readListed(row);
		if (outcome === undefined || isRouteMissing(outcome)) return seen;
		const object = objectsIn(outcome)?.find(({ id }) => String(id) === request.ids.id);
		const listed = heldOf(request.endpoint, object, this.parts.terms);
		const whole = listed && heldWith(held, cleared, listed);
		const isOpen = (name: string): boolean => !isShown((whole ?? held).field(name));
		const showsOdd = (each: Held | undefined): boolean =>
			cleared.some((name) => isOpen(name) && each !== undefined && isOdd(each.field(name)));
		// A service that shows the field nowhere has none to clear.
		if (whole !== undefined && !showsOdd(held) && !showsOdd(listed)) return { ...seen, held: whole };
		// Not known is not "none".
		const why = unsent('failed', 'not_shown', `the service does not show its ${cleared.join(', ')}`);
		return { result: outcome.outcome === 'ok' ? why : outcome, held: undefined };
	}

	#takeFirst({ key }: Request): Outcome | undefined {
		const { first, options } = this.parts;
		if (first?.key !== key || this.#hasFirst) return undefined;
		this.#hasFirst = true;
		return options.clock.monotonic() - first.at > STALE_MS ? undefined : first.outcome;
	}

	/** @param listed counts if the object can't be read alone */
	async #readAlone({ row, request }: RunRow, listed?: Seen): Promise<Seen> {
		const { slots, client, dialect, options, read = send } = this.parts;
		await slots?.hold(row);
		const result = await readAlone(request, dialect, (each) => read(client, each, options));
		const seen = this.#seen(request, result);
		return seen.held === undefined && seen.result.gone === undefined ? (listed ?? seen) : seen;
	}

	/** An agent's list shows tickets that it can't open. */
	async #orListed(row: RunRow, seen: Seen): Promise<Seen> {
		const { request } = row;
		const outcome = seen.result.forbidden ? await this.#readListed(row) : undefined;
		if (outcome === undefined) return seen;
		const body = objectsIn(outcome)?.find(({ id }) => String(id) === request.ids.id);
		return body === undefined ? seen : this.#seen(request, { ...outcome, body });
	}

	/** The list of this one object; undefined where there can be none. */
	async #readListed({ row, request }: RunRow): Promise<Outcome | undefined> {
		const { slots, client, dialect, options, read = send } = this.parts;
		const list = listOfOne(request, dialect);
		if (list === undefined) return undefined;
		await slots?.hold(row);
		return await read(client, list, options);
	}

	/** Fields that matter and that the object does not show. */
	#untold({ request, expected }: RunRow, held: Held): string[] {
		const { plan } = this.parts;
		const conditions = plan.checks.conditions.map(({ field }) => field);
		const sent = Object.keys(request.sent ?? {}).filter((name) => name !== passwordField.name);
		const { cleared = [] } = request.endpoint;
		const names = [...sent, ...listedFields(plan), ...conditions, ...Object.keys(expected ?? {}), ...cleared];
		if (request.endpoint.trash) names.push('status');
		return [...new Set(names)].filter((name) => held.field(name).is === 'unknown');
	}

	async #withTerms(row: RunRow, seen: Seen): Promise<Seen> {
		const { termOf } = this.parts;
		const { id } = row.request.ids;
		const { held } = seen;
		if (held === undefined || termOf === undefined || id === undefined) return seen;
		return { ...seen, held: await withTerms(held, this.#untold(row, held), id, termOf) };
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

export function rowOutcome(planned: RunRow, result: Outcome): RowOutcome {
	const { row, line, remarks, reassign, label, request } = planned;
	const { endpoint, ids, permanent } = request;
	const id = endpoint.looksUp !== undefined && result.outcome === 'ok' ? lookedUpId(result.body) : undefined;
	const outcome: RowOutcome = Object.assign(result, { row, line, ids: id === undefined ? ids : { ...ids, id } });
	if (endpoint.deletes)
		Object.assign(outcome, { force: permanent && endpoint.trash ? true : undefined, reassign, label });
	if (remarks !== undefined) outcome.warnings = [...(result.warnings ?? []), ...remarks];
	if (planned.isPart && isDone(result)) {
		outcome.applied = [...Object.keys(request.sent ?? {}), ...(planned.writtenBefore ?? [])];
	}
	return outcome;
}

function renamed(request: Request, names: Held, dialect: Dialect): Request {
	const { endpoint, ids, sent = {} } = request;
	const fields = Object.fromEntries(Object.entries(sent).map(([name, value]) => [names.writtenAs(name), value]));
	return { ...createPlanner(endpoint, dialect)({ ids, fields }), sent };
}

const NAMED_FIELDS = 10;

function withUnknownNames(result: Outcome, names: Held): Outcome {
	const unknown = result.differs?.find(({ field }) => names.field(field).is === 'absent')?.field;
	if (result.outcome !== 'differs' || unknown === undefined) return result;
	const near = didYouMean(unknown, names.names);
	const all = names.names.slice(0, NAMED_FIELDS).join(', ');
	const hint = near === '' && all !== '' ? `; fields: ${all}` : near;
	return { ...result, code: 'no_such_field', message: `custom field ${quote(unknown)} not found${hint}` };
}

/** Services drop backslashes from custom fields, and their response shows no values. */
function mayBeRewritten({ endpoint, sent = {} }: Request): boolean {
	return bodyKinds[endpoint.body].areTexts && Object.values(sent).some((value) => String(value).includes('\\'));
}

/** Whether a read can settle a write's outcome: a refusal by the service itself stands. */
function mayNeedReading({ outcome, refused, busy, code }: Outcome): boolean {
	// Longer than anybody waits.
	if (code === WAIT_TOO_LONG) return false;
	if (outcome === 'failed') return refused !== true && busy !== true;
	return mayBeWritten({ outcome });
}

function inexactNumber(sent: Readonly<Record<string, unknown>>): Outcome {
	const name = Object.keys(sent).find((each) => hasInexactNumber(sent[each]));
	const message = `${name} has an integer of more than 15 digits, which can't be written exactly; nothing was written`;
	return unsent('failed', 'inexact_number', message);
}

/** What an update clears, as services do, if the row doesn't set it. */
function clearing({ endpoint: { cleared = [] }, sent = {} }: Request): string | undefined {
	const names = cleared.filter((name) => !Object.hasOwn(sent, name)).join(', ');
	return names === ''
		? undefined
		: `the ${names} may be cleared: this service doesn't show it, and the update did not send it`;
}

/** The service itself refused the request, perhaps after it had saved some fields. */
function isRefusedPart({ outcome, status = 0, busy, signedOut, notServed }: Outcome): boolean {
	return outcome !== 'ok' && status >= 400 && !busy && !signedOut && !notServed;
}

/** Fields of a row were written, and others could not be compared: a retry reads them again. */
const PARTLY_RESTORED = 'partly_restored';

/** @param written the fields that were sent, or need not be */
function withLeft(result: Outcome, left: Prepared['left'], plan: RunPlan, written: Request): Outcome {
	if (left.length === 0 || !isDone(result)) return result;
	// A value that nobody saw can't be compared.
	const shown = left
		.filter(({ sent, doubt }) => sent !== null && doubt === undefined)
		.map((each) => ({ field: each.field, sent: each.sent, shown: each.shown }));
	const differs = [...(result.differs ?? []), ...shown];
	const reason = leftBy(left, plan);
	if (left.every(({ doubt }) => doubt === undefined)) return { ...result, ...differing(differs), ...reason };
	const { attempts, ms, warnings } = result;
	const { message } = reason;
	const others = new Set(left.map(({ field }) => field));
	const applied = Object.keys(written.sent ?? {}).filter((name) => !others.has(name));
	return {
		...{ outcome: 'failed', code: PARTLY_RESTORED, message, applied, attempts, ms, warnings },
		differs: differs.length === 0 ? undefined : differs,
	};
}

/** Differences that were allowed are warnings. */
function allowed(result: Outcome, { allowDiffers }: Checks): Outcome {
	const { differs = [] } = result;
	if (allowDiffers === false) return result;
	if (Array.isArray(allowDiffers) && !differs.every(({ field }) => allowDiffers.includes(field))) return result;
	return { ...result, outcome: 'ok', code: undefined, message: undefined };
}

/** A run that sends nothing: what it would send and change. */

import { bodyKinds, endpoints, isOfPasswords } from '../../api/endpoints.js';
import { passwordField } from '../../api/fields.js';
import { kinds } from '../../api/kinds.js';
import { nameRow } from '../../api/names.js';
import { readEndpointOf } from '../../api/reads.js';
import { createPlanner, type Planner, type Request } from '../../api/request.js';
import { isObject } from '../../api/values.js';
import { ExitCode, FailedError } from '../../errors.js';
import { isRouteMissing } from '../../http/judge.js';
import { type Outcome, type RowOutcome, skipped, unsent } from '../../http/outcome.js';
import { meaningOf } from '../../http/outcomes.js';
import { Called } from '../called.js';
import { changeOf, type Left, leftChange, type NameOf, receiverField } from '../change.js';
import {
	type Held,
	heldAfter,
	heldIn,
	heldOf,
	isUnchanged,
	type KnownFields,
	labelOf,
	shownValue,
	withTerms,
} from '../held.js';
import { LeftRows, unplanned } from '../left.js';
import { BatchReader, inOrder } from '../lists/batches.js';
import { comparesFirst, type Fields, type RunPlan, readsBefore } from '../plan.js';
import { valueProblem } from '../plan-file/check.js';
import type { PlanWriter } from '../plan-file/write.js';
import type { Planned } from '../planned.js';
import { Totals } from '../totals.js';
import { allLeft, decide, type LeftField, leftBy, withCleared } from './decide.js';
import { rowsToSend } from './execute.js';
import type { PastPart } from './resume.js';
import type { PlannedRows, RunRow } from './rows.js';
import { checkServed } from './settle.js';
import { extents, type RunSetup } from './setup.js';
import { checkNotPutOff } from './stop.js';
import type { Survey } from './survey.js';

export async function preview(
	setup: RunSetup,
	rows: PlannedRows,
	survey: Survey,
	past: PastPart | undefined,
	file?: PlanWriter,
): Promise<{ exitCode: ExitCode; refused: Refused | undefined }> {
	const { plan } = setup.work;
	const { show } = setup.means;
	const { noun } = endpoints[plan.endpoint];
	const planner = new RowPreview(setup, survey, file, past);
	const totals = new Totals();
	const left = new LeftRows();
	const unrestored = new LeftRows();
	const counts = { requests: 0, seen: 0, unread: 0, invalid: 0, conflicts: 0 };
	const listed: RowOutcome[] = [];
	const take = async (planned: Planned): Promise<void> => {
		const { row, line, change, request } = planned;
		if (request !== undefined) counts.requests++;
		if (change !== undefined) totals.add(change);
		if (change?.left !== undefined) {
			const outcome: RowOutcome = { row, line, ids: change.object.ids, ...unsentAs(change.left) };
			left.add(outcome, noun);
			const { unplanned, left: isLeft } = meaningOf(outcome);
			if (unplanned !== 'skipped') counts[unplanned]++;
			else if (isLeft) counts.conflicts++;
			if (listed.length < MOST_LISTED) listed.push(outcome);
		}
		if (change?.unrestored !== undefined) {
			unrestored.add({ row, ids: change.object.ids, outcome: 'skipped', ...change.unrestored }, noun);
		}
		file?.add(planned);
		await show({ type: 'planned', ...planned });
	};
	let early: Planned[] = [];
	const ready = rowsToSend(setup, rows, past, (outcome) => early.push(planner.left(outcome)));
	for await (const batch of ready) {
		counts.seen += batch.length;
		const planned = [...early, ...(await planner.plan(batch))].sort((one, other) => one.row - other.row);
		early = [];
		for (const each of planned) await take(each);
	}
	for (const each of early) await take(each);
	const isRefused = file !== undefined && counts.unread > 0 && !plan.skipInvalid;
	const refused = isRefused
		? { rows: listed, why: `${unplanned(counts.unread, noun)}; no plan was written` }
		: undefined;
	const saved = isRefused ? undefined : file?.finish();
	const upTo = !planner.isRead && comparesFirst(plan);
	await show({
		type: 'previewed',
		requests: counts.requests,
		unread: counts.unread,
		upTo,
		totals,
		left,
		unrestored,
		saved,
	});
	return { exitCode: exitCodeAfter(counts, file !== undefined), refused };
}

/** Of a plan. */
interface Refused {
	readonly rows: readonly RowOutcome[];
	readonly why: string;
}

/** In the report of a refused plan. */
const MOST_LISTED = 5000;

type Seen = Record<'seen' | 'unread' | 'invalid' | 'conflicts', number>;

function exitCodeAfter({ seen, unread, invalid, conflicts }: Seen, isPlan: boolean) {
	const kept = unread + conflicts;
	if (kept === 0 && (!isPlan || invalid === 0)) return ExitCode.ok;
	return !isPlan && kept === seen ? ExitCode.failed : ExitCode.partial;
}

function unsentAs({ outcome, code = outcome, message = code }: Left): Outcome {
	return unsent(outcome, code, message);
}

/** What is known of a row before its names are looked up. */
interface Draft {
	readonly row: RunRow;
	readonly held?: Held | undefined;
	readonly before?: KnownFields | undefined;
	readonly fields: Fields;
	readonly left?: Outcome | undefined;
	/** Fields that stay as they are, to be said in names. */
	readonly stays?: readonly LeftField[] | undefined;
	/** Also if it is left: what can't be read may be written all the same. */
	readonly sends: boolean;
}

export class RowPreview {
	readonly #reader: BatchReader;
	readonly #chains: Chains;
	readonly #planner: Planner;
	readonly #called = new Called();
	#isRead: boolean;
	#hasRead = false;
	#hasShown = false;

	constructor(
		private readonly setup: RunSetup,
		private readonly survey: Survey,
		private readonly file: PlanWriter | undefined,
		private readonly past?: PastPart,
	) {
		const { plan, extent } = setup.work;
		const { dialect, directories } = setup.means;
		const endpoint = endpoints[plan.endpoint];
		this.#reader = new BatchReader(dialect, async (request) => this.#checkReached(await directories.send(request)));
		this.#chains = new Chains(survey.repeated);
		this.#planner = createPlanner(endpoint, dialect);
		this.#isRead = extents[extent].showsChanges && readEndpointOf(endpoint) !== undefined;
	}

	/** Whether objects are compared with what would be sent. */
	get isRead(): boolean {
		return this.#isRead;
	}

	/** A row that was refused before it was looked at. */
	left(outcome: RowOutcome): Planned {
		const { row, line, ids } = outcome;
		return { row, line, change: leftChange(this.#written(ids), outcome, {}) };
	}

	async plan(rows: readonly RunRow[]): Promise<Planned[]> {
		const drafts: Draft[] = [];
		const asking = rows.filter(({ skip }) => skip === undefined);
		const found = await this.#read(asking);
		for (const row of rows) drafts.push(await this.#draft(row, found?.get(row)));
		const nameOf = await this.#learnNames(drafts);
		const planned: Planned[] = [];
		for (const draft of drafts) planned.push(this.#planned(draft, nameOf, await this.#labelOf(draft)));
		return planned;
	}

	async #read(rows: readonly RunRow[]): Promise<ReadonlyMap<RunRow, Outcome> | undefined> {
		if (!this.#isRead) return undefined;
		const { setup } = this;
		const found = new Map<RunRow, Outcome>();
		const lists = await this.#reader.readLists(rows.map(({ request }) => request));
		const readOne = async (row: RunRow): Promise<[RunRow, Outcome]> => [
			row,
			lists.get(row.request) ?? (await this.#reader.readAlone(row.request)),
		];
		for await (const [row, outcome] of inOrder(rows, setup.limits.tuning.concurrency, readOne)) {
			if (isRouteMissing(outcome) && this.#canDoWithout()) return undefined;
			checkServed(setup.work.plan, row, outcome);
			this.#hasShown ||= outcome.outcome === 'ok';
			found.set(row, outcome);
		}
		return found;
	}

	/** A dry run on a service without reads shows requests. */
	#canDoWithout(): boolean {
		const { setup } = this;
		if (this.file !== undefined || this.#hasShown || comparesFirst(setup.work.plan)) return false;
		this.#isRead = false;
		setup.means.warn("this service doesn't show these objects, so the dry run prints requests, not changes");
		return true;
	}

	/** Without a connection, row after row would wait for one. */
	#checkReached(found: Outcome): Outcome {
		checkNotPutOff(found);
		this.#hasRead ||= found.status !== undefined;
		if (this.#hasRead) return found;
		const { code = 'not_read', message = code } = found;
		throw new FailedError(`couldn't read any object: ${message.replace(/\.$/, '')}; nothing was sent`, {
			code,
			hint: 'to see the requests without reading objects: add -v',
		});
	}

	async #draft(row: RunRow, found: Outcome | undefined): Promise<Draft> {
		const { plan } = this.setup.work;
		const { request, skip } = row;
		const { sent = {} } = request;
		if (skip !== undefined) return { row, fields: {}, left: skipped(skip), sends: false };
		if (found === undefined) return { row, fields: sent, sends: true };
		const held = await this.#heldOf(row, found);
		if (held === undefined) {
			const isGone = found.gone !== undefined && request.endpoint.deletes && plan.checks.ignoreMissing;
			const left = isGone
				? skipped({ code: 'unchanged', message: 'already gone' })
				: unreadable(row, this.#hidden(row, found));
			return { row, fields: {}, left, sends: !readsBefore(plan) };
		}
		return this.#decide(row, held);
	}

	/** What a service says may hold our own credentials. */
	#hidden({ row, request }: RunRow, outcome: Outcome): Outcome {
		const redact = this.setup.means.redactRows(this.survey.hasSecrets);
		return redact({ row, ids: request.ids, ...outcome }, request);
	}

	#decide(row: RunRow, held: Held): Draft {
		const { plan } = this.setup.work;
		const { endpoint } = row.request;
		// A run that reads nothing sends all fields.
		const sendsAll = this.file === undefined && !readsBefore(plan) ? { sendUnchanged: true } : {};
		const decision = decide(row, held, { ...plan, checks: { ...plan.checks, ...sendsAll } }, this.past?.ownDoubt(row));
		if ('skip' in decision) {
			return { row, held, fields: {}, left: decision.skip, stays: decision.changed, sends: false };
		}
		const fields = withCleared(endpoint, held, decision.fields);
		const before = beforeOf(row.request, held, fields, this.file !== undefined);
		const problem = this.file && planProblem(row.request, fields, plan);
		const needsOld = this.file !== undefined || (plan.checks.snapshot && !row.request.permanent);
		const unknown = problem ?? (needsOld ? before.unknown : undefined);
		if (unknown !== undefined) return { row, held, fields, left: unknown, sends: false };
		this.#chains.add(row, held, fields);
		return { row, held, before: before.known, fields, stays: decision.left, sends: true };
	}

	async #heldOf(row: RunRow, found: Outcome): Promise<Held | undefined> {
		const { directories } = this.setup.means;
		const { endpoint, ids, sent = {} } = row.request;
		const shown = found.outcome === 'ok' ? heldOf(endpoint, found.body, directories.terms) : undefined;
		if (shown === undefined) return undefined;
		const termOf = (taxonomy: string, id: string) => directories.terms(taxonomy).ofObject(id);
		const whole = ids.id === undefined ? shown : await withTerms(shown, Object.keys(sent), ids.id, termOf);
		return this.#chains.found(row, whole);
	}

	/** Looks up the names of users and terms in old and new values. */
	async #learnNames(drafts: readonly Draft[]): Promise<NameOf> {
		const { directories } = this.setup.means;
		const { nameOf } = this.#called;
		const named = endpoints[this.setup.work.plan.endpoint].fields.filter(({ kind }) => kinds[kind].names !== undefined);
		const fields = [...named, receiverField];
		const objects = drafts.flatMap(({ fields: sent, before, row, stays = [] }) => {
			const now = stays.map(({ field, shown }) => ({ [field]: shown }));
			return [sent, before?.values ?? {}, { [receiverField.name]: row.reassign }, ...now];
		});
		if (extents[this.setup.work.extent].showsChanges) await directories.learn(fields, objects);
		const names = [...this.#called.learn(fields, objects, directories.nameOf)];
		this.file?.addNames(names);
		return nameOf;
	}

	/** Passwords can't be read, but they are listed with their names. */
	async #labelOf({ row, held }: Draft): Promise<string | undefined> {
		const { endpoint, ids } = row.request;
		if (!isOfPasswords(endpoint)) return labelOf(endpoint, held);
		if (!extents[this.setup.work.extent].showsChanges) return undefined;
		return await this.setup.means.directories.passwords(ids.user_id ?? '').name(ids.slug ?? '');
	}

	#planned(
		{ row: planned, held, before, fields, left: bare, stays: kept = [], sends }: Draft,
		nameOf: NameOf,
		label: string | undefined,
	): Planned {
		const { row, line, request: given, reassign, modified } = planned;
		const { endpoint, ids, permanent } = given;
		const naming = { label, nameOf, redact: this.setup.means.redact };
		const isDelete = !bodyKinds[endpoint.body].isSent;
		const request = isDelete ? given : this.#planner({ ids, fields });
		const sending = sends ? { request: bare === undefined ? request : given } : {};
		const written = this.#written(ids, request, reassign);
		const { plan } = this.setup.work;
		const left = bare && kept.length > 0 ? this.#hidden(planned, { ...bare, ...allLeft(kept, plan, nameOf) }) : bare;
		if (left !== undefined) return { row, line, ...sending, change: leftChange(written, left, naming) };
		if (held === undefined && !isDelete) return { row, line, ...sending };
		const stays = (name: string): boolean => held !== undefined && isUnchanged(endpoint, name, fields[name], held);
		const all = changeOf(written, isDelete ? undefined : before, { ...naming, stays });
		const partly = kept.length === 0 ? undefined : this.#hidden(planned, skipped(leftBy(kept, plan, nameOf)));
		const change = partly === undefined ? all : { ...all, unrestored: { code: partly.code, message: partly.message } };
		const force = isDelete && permanent ? (true as const) : undefined;
		const known = before ?? { values: {}, absent: [] };
		const write = { row, line, ids, label, force, reassign, modified, fields: isDelete ? {} : fields, before: known };
		return { row, line, ...sending, change, write };
	}

	#written(ids: Request['ids'], request?: Request, reassign?: string) {
		const endpoint = endpoints[this.setup.work.plan.endpoint];
		return { endpoint, ids, permanent: request?.permanent === true, sent: request?.sent, reassign };
	}
}

function unreadable({ request: { ids, endpoint } }: RunRow, found: Outcome): Outcome {
	const name = nameRow(ids, endpoint.noun);
	const { code = 'not_read', message = code, gone } = found;
	const why = gone === 'missing' ? `${name} not found` : `couldn't read ${name}: ${message}`;
	return unsent('failed', code, gone === 'trashed' ? `${name} is in the trash` : why);
}

interface KnownBefore {
	readonly known: KnownFields;
	/** Of a field that a read could show, and that it didn't. */
	readonly unknown: Outcome | undefined;
}

function beforeOf({ endpoint }: Request, held: Held, fields: Fields, isPlan: boolean): KnownBefore {
	const isDelete = !bodyKinds[endpoint.body].isSent;
	const names = isDelete ? IDENTITY.filter((name) => held.field(name).is === 'shown') : Object.keys(fields);
	const values: Record<string, unknown> = {};
	const absent: string[] = [];
	let unknown: Outcome | undefined;
	for (const name of names) {
		const known = held.field(name);
		if (known.is === 'shown') values[name] = known.value;
		else if (known.is === 'absent') absent.push(name);
		else if (isPlan || (name !== passwordField.name && held.leadsBack(name))) unknown ??= known.why;
	}
	if (isPlan && names.length === 0)
		unknown = unsent('failed', 'not_shown', 'the service shows nothing that says which object it is');
	return { known: { values, absent }, unknown };
}

/** A plan has what it can show, and old values to compare with. */
function planProblem({ endpoint }: Request, fields: Fields, plan: RunPlan): Outcome | undefined {
	if (!bodyKinds[endpoint.body].isSent) return undefined;
	for (const [name, value] of Object.entries(fields)) {
		const problem = valueProblem(endpoint, name, value, plan);
		if (problem !== undefined) return unsent('failed', 'not_plannable', `${problem}, so it can't be planned`);
	}
	return undefined;
}

/** By which people know an object; of a deleted one, these must not change before its plan is applied. */
const IDENTITY = ['status', 'username', 'name', 'title', 'slug', 'email'];

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

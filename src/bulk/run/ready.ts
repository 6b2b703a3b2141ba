/** Before the first write: what a run as a whole may not do, and what only the service and a person can say. */

import { endpoints } from '../../api/endpoints.js';
import { plural } from '../../api/names.js';
import { readEndpointOf } from '../../api/reads.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { isRouteMissing, writes } from '../../http/judge.js';
import { send } from '../../http/send.js';
import { readAlone } from '../lists/batches.js';
import { nothingToChange, type RunPlan, type RunTuning, readsBefore } from '../plan.js';
import { sources } from '../sources.js';
import { countLeft, type Left, leftNotes } from './left-behind.js';
import { mayReadAhead } from './read-ahead.js';
import { checkRunReports } from './reports.js';
import type { PastPart } from './resume.js';
import type { PlannedRows } from './rows.js';
import { checkRules } from './rules.js';
import type { FirstRead } from './send-row.js';
import { checkServed } from './settle.js';
import { type Described, extents, type Limits, type Means, type RunSetup } from './setup.js';
import { checkNotPutOff } from './stop.js';
import { checkSet, type Survey } from './survey.js';

type Asking = Pick<Means, 'dialect' | 'directories' | 'sending' | 'warn'>;

export interface Ready {
	/** As far as this service can carry it out. */
	readonly plan: RunPlan;
	/** What the check read counts for the first row. */
	readonly first?: FirstRead | undefined;
	/** What names deleted objects. */
	readonly left?: readonly Left[];
	/** What a preview said, for the plan. */
	readonly warnings?: readonly string[];
}

/** @throws SupportctlError to send nothing */
export async function checkRun(
	setup: RunSetup,
	survey: Survey,
	rows: PlannedRows,
	past: PastPart | undefined,
): Promise<Ready> {
	const { work, means, limits } = setup;
	const { saveTo } = work;
	const { sends, showsChanges } = extents[work.extent];
	checkSet(survey, limits.demands);
	checkRules(limits.rules, {
		plan: work.plan,
		rows: survey.wanted,
		sends,
		saves: saveTo !== undefined,
		note: work.record.note,
	});
	// A header that names a field is no mistake.
	const isEmpty = survey.empty > 0 && survey.empty + survey.invalid === survey.rows;
	if (isEmpty && rows.input !== undefined && rows.input.columns === undefined) {
		throw nothingToChange(endpoints[work.plan.endpoint]);
	}
	if (saveTo !== undefined) checkNoSecrets(survey, work.plan);
	const isPermanent = survey.selected > 0 && survey.permanent === survey.selected;
	const plan = limits.snapshotByDefault && isPermanent ? withoutOldValues(work.plan) : work.plan;
	// What would be refused must not look like a change that can be made.
	const doubts = showsChanges ? await checkUsers(plan, means, limits, survey) : [];
	// No question says them, and the other one has its own warning.
	for (const doubt of doubts) if (doubt !== OWN_DOUBT) means.warn(doubt);
	const notes = showsChanges ? await noteLeft(plan, { ...means, ...limits.tuning }, survey) : [];
	const warnings = [...doubts, ...notes];
	if (!sends && saveTo === undefined) return { plan };
	const describe = async () => await (await import('./described.js')).describeRun(setup, rows, survey, past);
	await checkRunReports(setup, rows);
	const ready = sends
		? await checkWrite(plan, means, limits, survey, await means.connect(), describe)
		: { plan, warnings };
	// One request before the first row, in place of rows that differ after it. The response to a single row says as much.
	// An undo leaves such fields out.
	if (!readsBefore(ready.plan) || survey.selected === 1 || sources[work.plan.source.from].restores) return ready;
	const { gone = [], unseen = [] } =
		(await means.directories.users.missing([...survey.users.keys()]).catch(() => undefined)) ?? {};
	const doubt = 'no such user was found; list users: supportctl user list';
	for (const id of [...gone, ...unseen]) means.warn(`${survey.users.get(id)} ${id}: ${doubt}`);
	return ready;
}

export async function checkWrite(
	given: RunPlan,
	means: Asking,
	limits: Limits,
	survey: Survey,
	client: Client,
	describe: () => Promise<Described>,
): Promise<Ready> {
	const ready = await checkReadsServed(given, means, limits.snapshotByDefault, survey, client);
	const { plan } = ready;
	if (!writes({ endpoint: endpoints[plan.endpoint] }) || survey.selected === 0) return ready;
	const doubts = await checkUsers(plan, means, limits, survey);
	const left = await countLeft(plan, { ...means, ...limits.tuning }, survey);
	await limits.ask(survey, plan, [...doubts, ...leftNotes(plan, left, survey.selected)], describe);
	return { ...ready, left };
}

/** A preview goes on without it. */
async function noteLeft(plan: RunPlan, means: Asking & RunTuning, survey: Survey): Promise<string[]> {
	const left = await countLeft(plan, means, survey).catch((error: unknown) => {
		if (plan.checks.moveTickets) throw error;
		return [];
	});
	const notes = leftNotes(plan, left, survey.selected);
	for (const note of notes) means.warn(note);
	return notes;
}

function checkNoSecrets(survey: Survey, { values }: RunPlan): void {
	if (!survey.hasSecrets && values.withheld.length === 0) return;
	throw new UsageError("rows with passwords or other secrets can't be planned: plans contain no secrets", {
		code: 'secret_in_plan',
		hint: 'remove --plan to send them',
	});
}

function withoutOldValues(plan: RunPlan): RunPlan {
	return { ...plan, checks: { ...plan.checks, snapshot: false } };
}

/** Old values that are kept by default are given up only if the service itself says that it has no such read. */
async function checkReadsServed(
	plan: RunPlan,
	{ dialect, sending, warn }: Asking,
	snapshotByDefault: boolean,
	survey: Survey,
	client: Client,
): Promise<Ready> {
	const [row] = survey.first;
	const isDefault = snapshotByDefault && plan.checks.snapshot;
	if (row === undefined || !(readsBefore(plan) || plan.checks.verify)) return { plan };
	const { request } = row;
	if (readEndpointOf(request.endpoint)?.documented !== false && !isDefault) return { plan };
	const outcome = await readAlone(request, dialect, (read) => send(client, read, sending));
	checkNotPutOff(outcome);
	const at = sending.clock.monotonic();
	// What has to be read right before the write is read again; a read that failed, if a second one may help other rows.
	const counts = outcome.outcome === 'ok' || survey.selected === 1;
	const first = mayReadAhead(plan) && counts ? { key: request.key, outcome, at } : undefined;
	if (!isRouteMissing(outcome)) return { plan, first };
	const ready = isDefault ? withoutOldValues(plan) : plan;
	if (readsBefore(ready) || ready.checks.verify) checkServed(plan, row, outcome);
	const why = outcome.code ?? `HTTP ${outcome.status}`;
	warn(`this run can't be undone: the service can't read ${plural(request.endpoint.noun, 2)} (${why})`);
	return { plan: ready };
}

const OWN_DOUBT = 'could not check whether this deletes your own account';

/** Before users are deleted. @returns what could not be checked */
async function checkUsers(
	{ endpoint }: RunPlan,
	{ directories, warn }: Asking,
	{ isAsked }: Limits,
	survey: Survey,
): Promise<string[]> {
	if (endpoint !== 'user.delete' || survey.selected === 0) return [];
	const { users } = directories;
	const doubts: string[] = [];
	const receivers = survey.receiverIds;
	// A question names them.
	const named = isAsked ? survey.first.flatMap(({ request }) => request.ids.id ?? []) : [];
	const missing = await users.missing([...receivers, ...named]).catch((error: unknown) => {
		if (error instanceof SupportctlError && error.exitCode === ExitCode.refused) throw error;
		return undefined;
	});
	if (missing === undefined) doubts.push(`could not check that user ${receivers.join(', ')} exists`);
	const gone = receivers.find((id) => missing?.gone.includes(id));
	if (gone !== undefined) {
		throw new UsageError(`can't reassign to user ${gone}: user not found; nothing was sent`, { code: 'no_such_user' });
	}
	const unseen = receivers.find((id) => missing?.unseen.includes(id));
	if (unseen !== undefined) {
		const what = `can't reassign to user ${unseen}: the service shows users, but not this one; nothing was sent`;
		throw new UsageError(what, { code: 'no_such_user' });
	}
	const own = await users.own();
	if (own !== undefined && 'why' in own) {
		warn(`${OWN_DOUBT}: ${own.why}`);
		doubts.push(OWN_DOUBT);
	} else if (own !== undefined && survey.deleted.has(Number(own.id))) {
		const name = own.username === undefined ? '' : ` (${own.username})`;
		throw new UsageError(`user ${own.id} is your own account${name}; nothing was sent`, {
			code: 'own_account',
			hint: 'sign in with a different account to delete it',
		});
	}
	return doubts;
}

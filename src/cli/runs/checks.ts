/** Reads, checks and questions before the first write. */

import { endpoints } from '../../api/endpoints.js';
import { plural } from '../../api/names.js';
import { createPlanner } from '../../api/plan.js';
import { readEndpointOf, readOf } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import { readRunHeader } from '../../bulk/journal/folder.js';
import { createBatchReader } from '../../bulk/lists/batches.js';
import { heldOf } from '../../bulk/run/held.js';
import { commandOf, type RunPlan, type RunService } from '../../bulk/run/plan.js';
import { readPlannerOf, readsBefore } from '../../bulk/run/read-back.js';
import type { PlannedRows, RunRow } from '../../bulk/run/rows.js';
import type { Extent } from '../../bulk/run/setup.js';
import { addToSurvey, checkSet, createSurvey, type Survey } from '../../bulk/run/survey.js';
import { UsageError } from '../../errors.js';
import { NO_ROUTE } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { sanitise } from '../../output/sanitise.js';
import { warn } from '../notices.js';
import { checkSignedIn, findOwnId } from '../own-account.js';
import type { RunInvocation } from './options.js';
import { nothingToChange, type RunJob } from './plan.js';
import { checkReports } from './reports.js';

/** An update of so many asks nothing. */
const UNASKED_ROWS = 50;

/** Those of other users are not looked up before a delete. */
const RECEIVERS = 20;
const NAMED_RECEIVERS = 3;

/** @throws UsageError, RefusedError */
export async function checkOne(job: RunJob, row: RunRow, client: Client): Promise<void> {
	const survey = createSurvey(job.plan);
	addToSurvey(survey, row, job.plan, { complain: () => undefined, holdsSecret: () => false });
	const { session, invocation } = job;
	checkSet(survey, { expect: invocation.options.expect, max: session.connection.settings.max });
	await checkWrite(job, survey, client);
}

/** Before the first row is sent. @returns the plan, as far as this service can carry it out @throws UsageError, RefusedError */
export async function checkRun(
	job: RunJob,
	extent: Extent,
	survey: Survey,
	{ input, source }: PlannedRows,
	connect: () => Promise<Client>,
): Promise<RunPlan> {
	const { endpoint, plan, invocation } = job;
	const { options } = invocation;
	// A header that names a field is no mistake.
	const hasColumns = input === undefined || input.columns !== undefined;
	if (!hasColumns && survey.empty > 0 && survey.empty + survey.invalid === survey.rows) {
		throw nothingToChange(endpoint);
	}
	if (options.snapshot === true && survey.permanent > 0) {
		throw new UsageError("a permanent delete can't be undone: remove --snapshot or --force; nothing was sent", {
			code: 'contradiction',
		});
	}
	// A single row, and permanent deletes alone, leave nothing to undo.
	const isLost = survey.rows === 1 || survey.permanent === survey.selected;
	const ready =
		job.snapshotByDefault === true && isLost ? { ...job, plan: withoutOldValues(plan), snapshotByDefault: false } : job;
	const checked = extent === 'send' ? await checkWrite(ready, survey, await connect()) : ready.plan;
	if (extent === 'send' || options.plan !== undefined) await checkReports(job, source);
	return checked;
}

/** Checks what only the service can say, and asks before a delete, an undo and a large update. */
async function checkWrite(job: RunJob, survey: Survey, client: Client): Promise<RunPlan> {
	const { endpoint, session, invocation } = job;
	const plan = await checkReadsServed(job, survey.read, client);
	if ((endpoint.replay !== 'set' && endpoint.replay !== 'delete') || survey.selected === 0) return plan;
	const { prompts } = invocation.context;
	const fromInput = plan.source.from === 'ids' || plan.source.from === 'file';
	// An apply that is resumed was agreed to.
	const isAgain = plan.source.from === 'plan' ? job.resumes === undefined : !fromInput;
	const isMany = fromInput && endpoint.replay === 'set' && survey.selected > UNASKED_ROWS;
	const isAsked = prompts.available && invocation.options.yes !== true;
	const notes: string[] = [];
	let names: ReadonlyMap<string, string> = new Map();
	if (endpoint.name === endpoints['user.delete'].name) {
		names = await checkUsers(job, survey, client, isAsked, notes);
		await checkOwnAccount(job, survey, client, notes);
	} else if (endpoint.name === endpoints['user.password.delete'].name && isAsked) {
		names = await passwordNames(job, survey, client);
	}
	const canUndo = plan.checks.snapshot;
	const undo = canUndo ? 'run undo can restore the old values' : "this can't be undone: old values are not saved";
	if (isMany) notes.push(undo);
	await confirmWrite(invocation, {
		service: plan.service,
		host: session.host,
		notes,
		action: describeAction(job, survey, names),
		asks: endpoint.confirm || isAgain || (isMany && prompts.available),
	});
	return plan;
}

/** Whether users exist that receive posts. @returns names by ID, of deleted users only for a question @throws UsageError */
async function checkUsers(
	{ session }: RunJob,
	{ first, guard }: Survey,
	client: Client,
	isAsked: boolean,
	notes: string[],
): Promise<Map<string, string>> {
	const { connection, dialect, sending } = session;
	const receivers = guard.firstReceivers(RECEIVERS).map(String);
	const deleted = isAsked ? first.flatMap(({ ids }) => ids.id ?? []) : [];
	const ids = [...new Set([...receivers, ...deleted])];
	const reader = createBatchReader({ dialect, concurrency: 1, send: (request) => send(client, request, sending) });
	const found = await reader.read(ids.map((id) => ({ endpoint: endpoints['user.update'], ids: { id } })));
	const names = new Map<string, string>();
	for (const [at, user] of found.entries()) {
		const id = ids[at] ?? '';
		const { outcome, code, gone, body } = user;
		checkSignedIn(user, connection);
		const name = isObject(body) ? (body.username ?? body.slug ?? body.name) : undefined;
		if (outcome === 'ok' && typeof name === 'string' && name !== '') names.set(id, name);
		if (outcome === 'ok' || !receivers.includes(id)) continue;
		if (code === 'rest_user_invalid_id' && gone !== undefined) {
			throw new UsageError(`can't reassign to user ${id}: user not found; nothing was sent`, { code: 'no_such_user' });
		}
		notes.push(`could not check that user ${id} exists`);
	}
	return names;
}

/** @throws UsageError */
async function checkOwnAccount(
	{ session, invocation }: RunJob,
	{ guard }: Survey,
	client: Client,
	notes: string[],
): Promise<void> {
	const own = await findOwnId(session, client, session.sending);
	if (own === undefined) return;
	if ('why' in own) {
		const note = 'could not check whether this deletes your own account';
		warn(invocation.context, [`${note}: ${own.why}`]);
		notes.push(note);
		return;
	}
	if (!guard.deletes(own.id)) return;
	const { auth } = session.connection;
	const name = auth.scheme === 'basic' ? ` (${auth.username})` : '';
	throw new UsageError(`user ${own.id} is your own account${name}; nothing was sent`, {
		code: 'own_account',
		hint: 'sign in with a different account to delete it',
	});
}

/** By user and slug. */
async function passwordNames({ session }: RunJob, { first }: Survey, client: Client): Promise<Map<string, string>> {
	const { dialect, sending } = session;
	const names = new Map<string, string>();
	const planList = createPlanner(readOf('password', '').list, dialect);
	for (const user of new Set(first.flatMap(({ ids }) => ids.user_id ?? []))) {
		const { outcome, body } = await send(client, planList({ ids: { user_id: user } }), sending);
		if (outcome !== 'ok' || typeof body !== 'object' || body === null) continue;
		for (const [key, each] of Object.entries(body)) {
			if (!isObject(each) || typeof each.name !== 'string') continue;
			names.set(`${user} ${String(each.slug ?? key)}`, each.name);
		}
	}
	return names;
}

/** `permanently delete 2 users: 7, 8` */
function describeAction({ endpoint, plan }: RunJob, survey: Survey, called: ReadonlyMap<string, string>): string {
	const { selected, permanent, first, fields, guard } = survey;
	const what = `${selected} ${plural(endpoint.noun, selected)}`;
	if (plan.source.from === 'snapshots') {
		const { id, started, plan: undone } = readRunHeader(plan.source.journal);
		const when = started.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
		return `revert run ${id} (${commandOf(undone)} of ${when} UTC, ${what})`;
	}
	const start = plan.source.from === 'plan' ? 'apply the plan: ' : '';
	if (endpoint.replay === 'set' && selected > UNASKED_ROWS) {
		return `${start}${endpoint.verb} ${what} (${[...fields].join(', ')})`;
	}
	const withName = (id: string, name: string | undefined): string => (name === undefined ? id : `${name} (${id})`);
	const names = first.map(({ ids }) => {
		const own = ids.id ?? ids.slug ?? Object.values(ids).join('/');
		return withName(own, ids.username ?? called.get(ids.id ?? `${ids.user_id} ${ids.slug}`));
	});
	const named = names.length === 0 ? '' : `: ${names.join(', ')}${selected > names.length ? ', …' : ''}`;
	if (endpoint.replay !== 'delete') return `${start}${endpoint.verb} ${what}${named}`;
	const receivers = guard.firstReceivers(NAMED_RECEIVERS).map((id) => withName(String(id), called.get(String(id))));
	const posts = receivers.length === 0 ? '' : `, whose posts go to user ${receivers.join(', ')},`;
	if (!endpoint.trash || permanent === selected) return `${start}permanently delete ${what}${named}${posts}`;
	if (permanent === 0) return `${start}move ${what} to the trash${named}`;
	return `${start}delete ${what} (${permanent} of them permanently)${named}`;
}

/** `on desk.example (profile live)` */
export function placeOf({ profile }: Pick<RunService, 'profile'>, host: string): string {
	return `on ${host}${profile === undefined ? '' : ` (profile ${profile})`}`;
}

interface Question {
	service: Pick<RunService, 'profile' | 'protected'>;
	host: string;
	/** `update ticket 14` */
	action: string;
	/** Whether someone has to agree. */
	asks: boolean;
	notes?: readonly string[];
}

/** A protected profile needs its name, and a permanent write a yes. @throws UsageError */
export async function confirmWrite(
	{ context: { prompts }, options }: Pick<RunInvocation, 'context' | 'options'>,
	{ service, host, action, asks, notes = [] }: Question,
): Promise<void> {
	const { profile, protected: isProtected } = service;
	const { confirm, yes } = options;
	const where = `${action} ${placeOf(service, host)}`;
	const code = 'protected_profile';
	if (isProtected && confirm !== profile) {
		throw new UsageError(`profile ${profile} is protected: pass --confirm=${profile} to ${where}`, {
			code,
			details: confirm === undefined ? [] : [`--confirm=${confirm} is a different profile`],
		});
	}
	if (confirm !== undefined && confirm !== profile) {
		throw new UsageError(`--confirm=${confirm}, but the profile is ${profile ?? 'none'}`, { code });
	}
	if (!asks || yes === true) return;
	if (!prompts.available) {
		throw new UsageError(`refusing to ${where} without confirmation; pass --yes`, { code: 'needs_yes' });
	}
	// Names from an input may control a terminal.
	const question = sanitise(`${where.charAt(0).toUpperCase()}${where.slice(1)}?`);
	if (await prompts.confirm([...notes.map((note) => `Note: ${sanitise(note)}. `), question].join(''))) return;
	throw new UsageError('canceled; nothing was sent', { code: 'cancelled' });
}

/**
 * Reads the first row's object, where the read is not documented and something needs it.
 * @returns the plan, without old values where they are kept by default and can't be read here
 * @throws UsageError where the service has no such read; what else fails is seen by the rows themselves
 */
async function checkReadsServed(job: RunJob, row: RunRow | undefined, client: Client): Promise<RunPlan> {
	const { plan, session, invocation } = job;
	if (row === undefined || !(readsBefore(plan) || plan.checks.verify)) return plan;
	const { request } = row;
	if (readEndpointOf(request.endpoint)?.documented !== false && job.snapshotByDefault !== true) return plan;
	const found = await send(client, readPlannerOf(session.dialect)(request), session.sending);
	let ready = plan;
	if (job.snapshotByDefault === true && !mayShowObjects(found, row)) {
		const noun = plural(request.endpoint.noun, 2);
		const why = found.outcome === 'ok' ? 'the response is in an unknown shape' : (found.code ?? found.outcome);
		warn(invocation.context, [`this run can't be undone: the service can't read ${noun} (${why})`]);
		ready = withoutOldValues(plan);
	}
	if (readsBefore(ready) || ready.checks.verify) checkServed(job, row, found);
	return ready;
}

/** Whether a service that reads one object like this may show the others. */
function mayShowObjects(found: Outcome, { request }: RunRow): boolean {
	const { outcome, body, gone, signedOut } = found;
	const { endpoint, ids } = request;
	if (outcome === 'ok') {
		const isItself = endpoint.body === 'custom_fields' || (isObject(body) && String(body.id) === ids.id);
		return isItself && heldOf(endpoint, body) !== undefined;
	}
	// Another object may be there, and a service that is busy or down shows it later; a 401 ends the run anyway.
	return gone !== undefined || signedOut === true || isLost(found);
}

/** The plan of a run that can't be undone. */
function withoutOldValues(plan: RunPlan): RunPlan {
	return { ...plan, checks: { ...plan.checks, snapshot: false } };
}

/** @throws UsageError */
export function checkServed({ plan }: RunJob, { request }: RunRow, { code, status }: Outcome): void {
	if (code !== NO_ROUTE) return;
	const what = `this service can't read ${plural(request.endpoint.noun, 2)} (${status} ${NO_ROUTE})`;
	const needed = plan.source.from === 'snapshots' ? '; run undo needs it' : '';
	throw new UsageError(`${what}${needed}; nothing was written`, {
		code: NO_ROUTE,
		hint: 'drop the flags that need reads: --verify, --snapshot (or pass --no-snapshot), --only-changed, --diff, --if, --if-unmodified, and flags that add or remove items',
		data: { status },
	});
}

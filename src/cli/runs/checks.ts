/** Reads, checks and questions before the first write. */

import { endpoints } from '../../api/endpoints.js';
import { plural } from '../../api/names.js';
import { createPlanner } from '../../api/plan.js';
import { readEndpointOf, readRequest, reads } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import { readRunHeader } from '../../bulk/journal/folder.js';
import { heldOf } from '../../bulk/run/held.js';
import { commandOf, type RunPlan, type RunService } from '../../bulk/run/plan.js';
import { readsBefore } from '../../bulk/run/read-back.js';
import type { PlannedRows, RunRow } from '../../bulk/run/rows.js';
import type { Extent } from '../../bulk/run/setup.js';
import { checkSet, type Survey, surveyRows } from '../../bulk/run/survey.js';
import { RefusedError, UsageError } from '../../errors.js';
import { NO_ROUTE } from '../../http/judge.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { sanitise } from '../../output/sanitise.js';
import { askToConfirm } from '../confirm.js';
import { warn } from '../notices.js';
import { findOwnId, openDirectories } from '../own-account.js';
import type { RunInvocation } from './options.js';
import { nothingToChange, type RunJob } from './plan.js';
import { checkReports } from './reports.js';

/** An update of so many asks nothing. */
const UNASKED_ROWS = 50;

/** More receivers of posts are not looked up. */
const RECEIVERS = 20;
const NAMED_RECEIVERS = 3;

/** @throws UsageError, RefusedError */
export async function checkOne(job: RunJob, row: RunRow, client: Client): Promise<void> {
	const survey = await surveyRows([[row]], job.plan);
	const { session, invocation } = job;
	checkSet(survey, { expect: invocation.options.expect, max: session.connection.settings.max });
	await checkWrite(job, job.plan, survey, client);
}

/** Before the first row is sent. @returns the plan, as far as this service can carry it out @throws UsageError, RefusedError */
export async function checkRun(
	job: RunJob,
	extent: Extent,
	survey: Survey,
	{ input, source }: PlannedRows,
	connect: () => Promise<Client>,
): Promise<RunPlan> {
	const { options } = job.invocation;
	// A header that names a field is no mistake.
	const isEmpty = survey.empty > 0 && survey.empty + survey.invalid === survey.rows;
	if (isEmpty && input !== undefined && input.columns === undefined) throw nothingToChange(job.endpoint);
	if (options.snapshot === true && survey.permanent > 0) {
		throw new UsageError("a permanent delete can't be undone: remove --snapshot or --force; nothing was sent", {
			code: 'contradiction',
		});
	}
	// A single row, and permanent deletes alone, leave nothing to undo.
	const isLost = survey.rows === 1 || survey.permanent === survey.selected;
	const plan = job.snapshotByDefault === true && isLost ? withoutOldValues(job.plan) : job.plan;
	if (extent !== 'send' && options.plan === undefined) return plan;
	const checked = extent === 'send' ? await checkWrite(job, plan, survey, await connect()) : plan;
	await checkReports(job, source);
	if (readsBefore(checked) && survey.users.size > 0) await warnOfUnknownUsers(job, survey, await connect());
	return checked;
}

/** For runs that read anyway: one request before the first row, in place of rows that differ after it. */
async function warnOfUnknownUsers({ session, invocation }: RunJob, survey: Survey, client: Client): Promise<void> {
	const { users } = openDirectories(session, session.sending, async () => client);
	const missing = await users.missing([...survey.users.keys()]).catch(() => []);
	const warnings = missing?.map(
		(id) => `${survey.users.get(id)} ${id}: there may be no such user; supportctl user list shows all`,
	);
	warn(invocation.context, warnings ?? []);
}

/** Checks what only the service can say, and asks before a delete, an undo and a large update. */
async function checkWrite(job: RunJob, given: RunPlan, survey: Survey, client: Client): Promise<RunPlan> {
	const { endpoint, session, invocation } = job;
	const plan = await checkReadsServed(job, given, survey.read, client);
	const isUpdate = endpoint.replay === 'set';
	if (!(isUpdate || endpoint.replay === 'delete') || survey.selected === 0) return plan;
	const { prompts } = invocation.context;
	const fromInput = plan.source.from === 'ids' || plan.source.from === 'file';
	// An apply that is resumed was agreed to.
	const isAgain = !fromInput && (plan.source.from !== 'plan' || job.resumes === undefined);
	const isMany = isUpdate && fromInput && survey.selected > UNASKED_ROWS;
	const isAsked = prompts.available && invocation.options.yes !== true;
	const notes: string[] = [];
	let nameOf: NameOf = () => undefined;
	if (endpoint.name === endpoints['user.delete'].name) {
		nameOf = await checkUsers(job, survey, client, isAsked, notes);
	} else if (endpoint.name === endpoints['user.password.delete'].name && isAsked) {
		nameOf = await passwordNames(job, survey, client);
	}
	const undo = plan.checks.snapshot
		? 'run undo can restore the old values'
		: "this can't be undone: old values are not saved";
	if (isMany) notes.push(undo);
	await confirmWrite(invocation, {
		service: plan.service,
		host: session.host,
		notes,
		action: actionOf(job, survey, nameOf),
		asks: endpoint.confirm || isAgain || (isMany && prompts.available),
	});
	return plan;
}

type NameOf = (ids: Readonly<Record<string, string>>) => string | undefined;

/** Whether users exist that receive posts, and whether one that is deleted is you. */
async function checkUsers(
	{ session, invocation }: RunJob,
	{ first, deleted, receivers: all }: Survey,
	client: Client,
	isAsked: boolean,
	notes: string[],
): Promise<NameOf> {
	const { users } = openDirectories(session, session.sending, async () => client);
	const receivers = [...all.keys()].slice(0, RECEIVERS);
	const named = isAsked ? first.flatMap(({ ids }) => ids.id ?? []) : [];
	const missing = await users.missing([...receivers, ...named]).catch((error: unknown) => {
		if (error instanceof RefusedError) throw error;
		return undefined;
	});
	if (missing === undefined) notes.push(`could not check that user ${receivers.join(', ')} exists`);
	const gone = receivers.find((id) => missing?.includes(id));
	if (gone !== undefined) {
		throw new UsageError(`can't reassign to user ${gone}: user not found; nothing was sent`, { code: 'no_such_user' });
	}
	const own = await findOwnId(session, client, session.sending);
	if (own !== undefined && 'why' in own) {
		const note = 'could not check whether this deletes your own account';
		warn(invocation.context, [`${note}: ${own.why}`]);
		notes.push(note);
	} else if (own !== undefined && deleted.has(own.id)) {
		const { auth } = session.connection;
		const name = auth.scheme === 'basic' ? ` (${auth.username})` : '';
		throw new UsageError(`user ${own.id} is your own account${name}; nothing was sent`, {
			code: 'own_account',
			hint: 'sign in with a different account to delete it',
		});
	}
	return ({ id = '' }) => users.name(id);
}

async function passwordNames({ session }: RunJob, { first }: Survey, client: Client): Promise<NameOf> {
	const { dialect, sending } = session;
	const names = new Map<string, unknown>();
	const planList = createPlanner(reads.password.list, dialect);
	for (const user of new Set(first.flatMap(({ ids }) => ids.user_id ?? []))) {
		const { outcome, body } = await send(client, planList({ ids: { user_id: user } }), sending);
		if (outcome !== 'ok' || typeof body !== 'object' || body === null) continue;
		for (const [key, each] of Object.entries(body)) {
			if (isObject(each)) names.set(`${user} ${String(each.slug ?? key)}`, each.name);
		}
	}
	return ({ user_id: user, slug }) => {
		const name = names.get(`${user} ${slug}`);
		return typeof name === 'string' ? name : undefined;
	};
}

/** `permanently delete 2 users: jdoe (7), 8, whose posts go to user 2,` */
function actionOf({ endpoint, plan }: RunJob, survey: Survey, nameOf: NameOf): string {
	const { selected, permanent, first, fields } = survey;
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
	const called = (ids: Readonly<Record<string, string>>): string => {
		const own = ids.id ?? ids.slug ?? Object.values(ids).join('/');
		const name = ids.username ?? nameOf(ids);
		return name === undefined ? own : `${name} (${own})`;
	};
	const named = `: ${first.map(({ ids }) => called(ids)).join(', ')}${selected > first.length ? ', …' : ''}`;
	if (endpoint.replay !== 'delete') return `${start}${endpoint.verb} ${what}${named}`;
	const receivers = [...survey.receivers.keys()].slice(0, NAMED_RECEIVERS).map((id) => called({ id }));
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
	asks: boolean;
	notes?: readonly string[];
}

/** A protected profile needs its name, and a permanent write a yes. @throws UsageError */
export async function confirmWrite(
	{ context, options }: Pick<RunInvocation, 'context' | 'options'>,
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
	// Names from an input may control a terminal.
	const question = sanitise(`${where.charAt(0).toUpperCase()}${where.slice(1)}?`);
	const said = notes.map((note) => `Note: ${sanitise(note)}. `).join('');
	await askToConfirm(context, where, 'nothing was sent', said + question);
}

/** Reads the first object, if something needs it. @returns the plan, without old values that are kept by default and can't be read */
async function checkReadsServed(job: RunJob, plan: RunPlan, row: RunRow | undefined, client: Client): Promise<RunPlan> {
	const { session, invocation } = job;
	const isDefault = job.snapshotByDefault === true && plan.checks.snapshot;
	if (row === undefined || !(readsBefore(plan) || plan.checks.verify)) return plan;
	const { request } = row;
	if (readEndpointOf(request.endpoint)?.documented !== false && !isDefault) return plan;
	const found = await send(client, readRequest(request, session.dialect), session.sending);
	let ready = plan;
	if (isDefault && !mayShowObjects(found, row)) {
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

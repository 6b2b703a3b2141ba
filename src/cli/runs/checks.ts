/** Reads, checks and questions before the first write. */

import { endpoints } from '../../api/endpoints.js';
import { counted, plural } from '../../api/names.js';
import { readEndpointOf, readRequest } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import type { Directories } from '../../bulk/lists/directory.js';
import { heldOf } from '../../bulk/run/held.js';
import { type Ids, type RunPlan, type RunService, readsBefore } from '../../bulk/run/plan.js';
import type { PlannedRows, RunRow } from '../../bulk/run/rows.js';
import { checkServed } from '../../bulk/run/settle.js';
import type { Extent, RunSetup } from '../../bulk/run/setup.js';
import { checkSet, Survey } from '../../bulk/run/survey.js';
import { ExitCode, SupportctlError, UsageError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { isLost, type Outcome } from '../../http/outcome.js';
import { send } from '../../http/send.js';
import { sanitise } from '../../output/sanitise.js';
import { openDirectories } from '../directories.js';
import { askToConfirm, warn } from '../notices.js';
import type { RunInvocation } from './options.js';
import { nothingToChange, type RunJob } from './plan.js';

const UNASKED_ROWS = 50;

const MOST_RECEIVERS = 10;

export async function checkOne(job: RunJob, row: RunRow, client: Client): Promise<void> {
	const survey = new Survey(job.plan);
	survey.add(row);
	const { session } = job;
	checkSize(job, survey);
	const directories = openDirectories(session, session.sending, async () => ({ session, client }));
	await checkWrite(job, job.plan, survey, { client, directories });
}

function checkSize({ options, session }: RunJob, survey: Survey): void {
	checkSet(survey, { expect: options.expect, max: session.connection.settings.max });
}

/** @returns the plan, as far as this service can carry it out */
export async function checkRun(
	job: RunJob,
	extent: Extent,
	survey: Survey,
	{ input }: PlannedRows,
	{ connect, directories }: Pick<RunSetup, 'connect' | 'directories'>,
): Promise<RunPlan> {
	const { options } = job;
	checkSize(job, survey);
	// A header that names a field is no mistake.
	const isEmpty = survey.empty > 0 && survey.empty + survey.invalid === survey.rows;
	if (isEmpty && input !== undefined && input.columns === undefined) throw nothingToChange(job.endpoint);
	if (options.snapshot === true && survey.permanent > 0) {
		throw new UsageError("a permanent delete can't be undone: remove --snapshot or --force; nothing was sent", {
			code: 'contradiction',
		});
	}
	const isPointless = survey.rows === 1 || survey.permanent === survey.selected;
	const plan = job.snapshotByDefault === true && isPointless ? withoutOldValues(job.plan) : job.plan;
	if (extent !== 'send' && options.plan === undefined) return plan;
	const checked =
		extent === 'send' ? await checkWrite(job, plan, survey, { client: await connect(), directories }) : plan;
	if (!readsBefore(checked)) return checked;
	// Runs that read anyway: one request before the first row, in place of rows that differ after it.
	const missing = await directories.users.missing([...survey.users.keys()]).catch(() => undefined);
	const doubt = 'there may be no such user; supportctl user list shows all';
	warn(job.context, missing?.map((id) => `${survey.users.get(id)} ${id}: ${doubt}`) ?? []);
	return checked;
}

interface Means {
	client: Client;
	directories: Directories;
}

async function checkWrite(job: RunJob, given: RunPlan, survey: Survey, means: Means): Promise<RunPlan> {
	const { endpoint, context, options } = job;
	const { directories } = means;
	const plan = await checkReadsServed(job, given, survey.first[0], means.client);
	const isUpdate = endpoint.replay === 'set';
	if (!(isUpdate || endpoint.replay === 'delete') || survey.selected === 0) return plan;
	const { prompts } = context;
	const fromInput = plan.source.from === 'ids' || plan.source.from === 'file';
	// An apply that is resumed was agreed to.
	const isAgain = !fromInput && (plan.source.from !== 'plan' || job.resumes === undefined);
	const isMany = isUpdate && fromInput && survey.selected > UNASKED_ROWS;
	const isAsked = prompts.available && options.yes !== true;
	const notes: string[] = [];
	if (endpoint.name === endpoints['user.delete'].name) await checkUsers(job, survey, directories, isAsked, notes);
	const undo = plan.checks.snapshot
		? 'run undo can restore the old values'
		: "this can't be undone: old values are not saved";
	if (isMany) notes.push(undo);
	const asks = endpoint.confirm || isAgain || (isMany && prompts.available);
	const action = await actionOf(job, survey, isAsked ? directories : undefined);
	await confirmWrite(job, plan.service, action, asks, notes);
	return plan;
}

async function checkUsers(
	{ session, context }: RunJob,
	{ first, deleted, receivers: all }: Survey,
	directories: Directories,
	isAsked: boolean,
	notes: string[],
): Promise<void> {
	const receivers = [...all.keys()].slice(0, MOST_RECEIVERS).map(String);
	const named = isAsked ? first.flatMap(({ request }) => request.ids.id ?? []) : [];
	const missing = await directories.users.missing([...receivers, ...named]).catch((error: unknown) => {
		if (error instanceof SupportctlError && error.exitCode === ExitCode.refused) throw error;
		return undefined;
	});
	if (missing === undefined) notes.push(`could not check that user ${receivers.join(', ')} exists`);
	const gone = receivers.find((id) => missing?.includes(id));
	if (gone !== undefined) {
		throw new UsageError(`can't reassign to user ${gone}: user not found; nothing was sent`, { code: 'no_such_user' });
	}
	const own = await directories.users.own();
	if (own !== undefined && 'why' in own) {
		const note = 'could not check whether this deletes your own account';
		warn(context, [`${note}: ${own.why}`]);
		notes.push(note);
	} else if (own !== undefined && deleted.has(Number(own.id))) {
		const { auth } = session.connection;
		const name = auth.scheme === 'basic' ? ` (${auth.username})` : '';
		throw new UsageError(`user ${own.id} is your own account${name}; nothing was sent`, {
			code: 'own_account',
			hint: 'sign in with a different account to delete it',
		});
	}
}

/** `permanently delete 2 users: jdoe (7), 8, whose posts go to user 2,` */
async function actionOf(
	{ endpoint, plan }: RunJob,
	survey: Survey,
	directories: Directories | undefined,
): Promise<string> {
	const { selected, permanent, first, fields } = survey;
	const what = counted(selected, endpoint.noun);
	if (plan.source.from === 'snapshots') return `revert run ${plan.source.run} (${what})`;
	const start = plan.source.from === 'plan' ? 'apply the plan: ' : '';
	if (endpoint.replay === 'set' && selected > UNASKED_ROWS) {
		return `${start}${endpoint.verb} ${what} (${[...fields].join(', ')})`;
	}
	const kind = endpoint.parameters.at(-1)?.names;
	const called = async (ids: Ids): Promise<string> => {
		const id = ids.id ?? ids.slug ?? Object.values(ids).join('/');
		const own = ids.taxonomy === undefined ? id : `${ids.taxonomy} ${id}`;
		let name = ids.username;
		if (kind === 'users') name ??= directories?.users.name(id);
		if (kind === 'passwords') name ??= await directories?.passwords(ids.user_id ?? '').name(id);
		return name === undefined ? own : `${name} (${own})`;
	};
	const names = await Promise.all(first.map(({ request }) => called(request.ids)));
	const named = `: ${names.join(', ')}${selected > first.length ? ', …' : ''}`;
	if (endpoint.replay !== 'delete') return `${start}${endpoint.verb} ${what}${named}`;
	const shown = [...survey.receivers.keys()].slice(0, MOST_RECEIVERS);
	const receivers = await Promise.all(shown.map((id) => called({ id: String(id) })));
	const posts = receivers.length === 0 ? '' : `, whose posts go to user ${receivers.join(', ')},`;
	if (!endpoint.trash || permanent === selected) return `${start}permanently delete ${what}${named}${posts}`;
	if (permanent === 0) return `${start}move ${what} to the trash${named}`;
	return `${start}delete ${what} (${permanent} of them permanently)${named}`;
}

export function placeOf({ baseUrl, profile }: RunService): string {
	return `on ${new URL(baseUrl).host}${profile === undefined ? '' : ` (profile ${profile})`}`;
}

/** A protected profile needs its name, and a permanent write a yes. @param action `update ticket 14` */
export async function confirmWrite(
	{ context, options }: Pick<RunInvocation, 'context' | 'options'>,
	service: RunService,
	action: string,
	asks: boolean,
	notes: readonly string[] = [],
): Promise<void> {
	const { profile, protected: isProtected } = service;
	const { confirm = isProtected ? undefined : profile, yes } = options;
	const where = `${action} ${placeOf(service)}`;
	if (confirm !== profile) {
		const needed = `profile ${profile} is protected: pass --confirm=${profile} to ${where}`;
		const message = isProtected ? needed : `--confirm=${confirm}, but the profile is ${profile ?? 'none'}`;
		throw new UsageError(message, { code: 'protected_profile' });
	}
	if (!asks || yes === true) return;
	// Names from an input may control a terminal.
	const question = sanitise(`${where.charAt(0).toUpperCase()}${where.slice(1)}?`);
	const said = notes.map((note) => `Note: ${sanitise(note)}. `).join('');
	await askToConfirm(context, where, 'nothing was sent', said + question);
}

/** @returns the plan, without old values that are kept by default and can't be read */
async function checkReadsServed(job: RunJob, plan: RunPlan, row: RunRow | undefined, client: Client): Promise<RunPlan> {
	const { session, context } = job;
	const isDefault = job.snapshotByDefault === true && plan.checks.snapshot;
	if (row === undefined || !(readsBefore(plan) || plan.checks.verify)) return plan;
	const { request } = row;
	if (readEndpointOf(request.endpoint)?.documented !== false && !isDefault) return plan;
	const found = await send(client, readRequest(request, session.dialect), session.sending);
	let ready = plan;
	if (isDefault && !mayShowObjects(found, row)) {
		const noun = plural(request.endpoint.noun, 2);
		const why = found.outcome === 'ok' ? 'the response is in an unknown shape' : (found.code ?? found.outcome);
		warn(context, [`this run can't be undone: the service can't read ${noun} (${why})`]);
		ready = withoutOldValues(plan);
	}
	if (readsBefore(ready) || ready.checks.verify) checkServed(plan, row, found);
	return ready;
}

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

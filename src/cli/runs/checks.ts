/** What stands between planned rows and the first write: reads that checks need, the users of a delete, and the question. */

import { endpoints } from '../../api/endpoints.js';
import { plural } from '../../api/names.js';
import { createPlanner } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { OWN_ID } from '../../api/values.js';
import { readRunHeader } from '../../bulk/journal/folder.js';
import { commandOf, type RunPlan, type RunService } from '../../bulk/run/plan.js';
import { readPlannerOf, readsBefore } from '../../bulk/run/read-back.js';
import type { RunRow } from '../../bulk/run/rows.js';
import { addToSurvey, checkSet, createSurvey, type Survey } from '../../bulk/run/survey.js';
import { UsageError } from '../../errors.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { sanitise } from '../../output/sanitise.js';
import { leaveOnSignal } from '../interruption.js';
import { warn } from '../notices.js';
import { checkSignedIn, findOwnId, ownIdFor } from '../own-account.js';
import type { Session } from '../session.js';
import type { RunInvocation } from './options.js';
import { NO_ROUTE } from './outcomes.js';
import type { RunJob } from './plan.js';

/** The plan with the caller's own id for @me in ids, --reassign and --if. @throws UsageError where it is not known */
export async function withOwnId({ plan, session, invocation }: RunJob): Promise<RunPlan> {
	const { values, checks, source } = plan;
	const client = await session.openClient(1);
	const unlisten = leaveOnSignal(invocation, 'nothing was sent');
	try {
		const own = String(await ownIdFor(OWN_ID, session, client, session.sending));
		const resolve = (id: string): string => (id === OWN_ID ? own : id);
		const ids = Object.fromEntries(Object.entries(values.ids).map(([name, id]) => [name, resolve(id)]));
		const conditions = checks.conditions.map((each) => (each.value === OWN_ID ? { ...each, value: own } : each));
		return {
			...plan,
			source: source.from === 'ids' ? { ...source, ids: source.ids.map(resolve) } : source,
			values: { ...values, ids, reassign: values.reassign && resolve(values.reassign) },
			checks: { ...checks, conditions },
		};
	} finally {
		unlisten();
		await client.close();
	}
}

/** All that has to be checked or asked before a single row is sent. @throws UsageError, RefusedError */
export async function checkOne(job: RunJob, row: RunRow, client: Client): Promise<void> {
	const survey = createSurvey(job.plan);
	addToSurvey(survey, row, job.plan, { complain: () => undefined, holdsSecret: () => false });
	checkSet(survey, job.invocation.options);
	await checkWrite(job, survey, client);
}

/**
 * Checks what only the service can say, and asks before a delete or an undo.
 * @throws UsageError, RefusedError
 */
export async function checkWrite(job: RunJob, survey: Survey, client: Client): Promise<void> {
	const { endpoint, plan, session, invocation } = job;
	await checkReadsServed(job, survey.read, client);
	const note = await checkUsers(job, survey, client);
	if ((endpoint.replay !== 'set' && endpoint.replay !== 'delete') || survey.selected === 0) return;
	const asks = endpoint.confirm || plan.source.from === 'snapshots';
	const { service } = plan;
	await confirmWrite(invocation, { service, host: session.host, action: describeAction(job, survey), asks, note });
}

/** `permanently delete 2 users: 7, 8`, `move 3 tickets to the trash: 14, 15, 16`, `revert run … (ticket update of …)`. */
function describeAction({ endpoint, plan }: RunJob, { selected, permanent, first }: Survey): string {
	const what = `${selected} ${plural(endpoint.noun, selected)}`;
	if (plan.source.from === 'snapshots') {
		const { id, started, plan: undone } = readRunHeader(plan.source.journal);
		const when = started.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
		return `revert run ${id} (${commandOf(undone)} of ${when} UTC, ${what})`;
	}
	const names = first.map(({ ids }) =>
		ids.username !== undefined && ids.id !== undefined
			? `${ids.username} (${ids.id})`
			: (ids.id ?? ids.slug ?? Object.values(ids).join('/')),
	);
	const named = names.length === 0 ? '' : `: ${names.join(', ')}${selected > names.length ? ', …' : ''}`;
	if (endpoint.replay !== 'delete') return `${endpoint.verb} ${what}${named}`;
	if (!endpoint.trash || permanent === selected) return `permanently delete ${what}${named}`;
	if (permanent === 0) return `move ${what} to the trash${named}`;
	return `delete ${what} (${permanent} of them permanently)${named}`;
}

/** `on desk.example (profile live)`. */
export function placeOf({ profile }: Pick<RunService, 'profile'>, host: string): string {
	return `on ${host}${profile === undefined ? '' : ` (profile ${profile})`}`;
}

/**
 * A write with a protected profile needs its name, and one that can't be taken back a yes; --confirm and --yes stand for
 * the reply.
 * @param write `action` is `delete ticket 14`; one that can't be taken back `asks`, with `note` before the question
 * @throws UsageError
 */
export async function confirmWrite(
	{ context: { prompts }, options }: Pick<RunInvocation, 'context' | 'options'>,
	{
		service,
		host,
		action,
		asks,
		note,
	}: Pick<Session, 'host'> & {
		service: Pick<RunService, 'profile' | 'protected'>;
		action: string;
		asks: boolean;
		note?: string | undefined;
	},
): Promise<void> {
	const { profile, protected: isProtected } = service;
	const { confirm, yes } = options;
	const where = `${action} ${placeOf(service, host)}`;
	const code = 'protected_profile';
	if (isProtected && confirm !== profile) {
		throw new UsageError(`profile ${profile} is protected: to ${where} needs --confirm=${profile}`, {
			code,
			details: confirm === undefined ? [] : [`--confirm=${confirm} names another profile`],
		});
	}
	if (confirm !== undefined && confirm !== profile) {
		throw new UsageError(`--confirm=${confirm}, but the profile is ${profile ?? 'none'}`, { code });
	}
	if (!asks || yes === true) return;
	if (!prompts.available) {
		throw new UsageError(`without a terminal, --yes is needed to ${where}; nothing was sent`, { code: 'needs_yes' });
	}
	// A name from an input may hold what controls a terminal.
	const question = sanitise(`${where.charAt(0).toUpperCase()}${where.slice(1)}?`);
	if (await prompts.confirm(note === undefined ? question : `Note: ${note}. ${question}`)) return;
	throw new UsageError('cancelled; nothing was sent', { code: 'cancelled' });
}

/** How many of the users that receive posts and links are looked up. */
const RECEIVERS = 20;

/**
 * Refuses to delete the caller's own account, and to reassign to a user that does not exist.
 * @returns a note for the question, where the own account is not known
 * @throws UsageError, RefusedError
 */
async function checkUsers({ endpoint, session, invocation }: RunJob, survey: Survey, client: Client) {
	if (endpoint.name !== endpoints['user.delete'].name || survey.selected === 0) return undefined;
	const { connection, dialect, sending } = session;
	const read = readEndpointOf(endpoints['user.update']);
	const planRead = read === undefined ? undefined : createPlanner(read, dialect);
	for (const receiver of survey.guard.firstReceivers(RECEIVERS)) {
		if (planRead === undefined) break;
		const id = String(receiver);
		const found = await send(client, planRead({ ids: { id } }), sending);
		checkSignedIn(found, connection);
		// Where the service offers no read, the first delete will show it.
		if (found.outcome !== 'failed' || found.status !== 404 || found.code !== 'rest_user_invalid_id') continue;
		throw new UsageError(`there is no user ${id} to reassign to; nothing was sent`, { code: 'no_such_user' });
	}
	const own = await findOwnId(session, client, sending);
	if (own === undefined) return undefined;
	if ('why' in own) {
		const note = 'could not check whether this deletes the account that is signed in';
		warn(invocation.context, [`${note}: ${own.why}`]);
		return note;
	}
	if (!survey.guard.deletes(own.id)) return undefined;
	const name = connection.auth.scheme === 'basic' ? ` (${connection.auth.username})` : '';
	throw new UsageError(`user ${own.id} is the account that is signed in${name}; nothing was sent`, {
		code: 'own_account',
		hint: 'sign in with another account to delete it',
	});
}

/**
 * Reads the first row's object, where the read is not documented and something needs it.
 * @throws UsageError where the service has no such read; what else fails is seen by the rows themselves
 */
export async function checkReadsServed(
	{ plan, session, invocation }: RunJob,
	row: RunRow | undefined,
	client: Client,
): Promise<void> {
	const { checks, source } = plan;
	if (row === undefined || !(readsBefore(plan) || checks.verify || invocation.options.diff === true)) return;
	const { request } = row;
	if (readEndpointOf(request.endpoint)?.documented !== false) return;
	const found = await send(client, readPlannerOf(session.dialect)(request), session.sending);
	if (found.code !== NO_ROUTE) return;
	const what = `this service does not offer reading ${plural(request.endpoint.noun, 2)} (${found.status} ${NO_ROUTE})`;
	throw new UsageError(`${what}${source.from === 'snapshots' ? '; run undo needs it' : ''}; nothing was written`, {
		code: NO_ROUTE,
		hint: 'leave out what reads first or after: --verify, --snapshot (or give --no-snapshot), --only-changed, --diff, --if, --if-unmodified, and flags that add or remove items',
		data: { status: found.status },
	});
}

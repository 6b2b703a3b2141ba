/** What stands between checked rows and the first write: protected profiles, the question before a delete, the own account. */

import { chooseEndpoint } from '../../api/choose.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { readEndpointOf } from '../../api/reads.js';
import { readRunHeader } from '../../bulk/journal/folder.js';
import { commandOf, type RunHeader, type RunService } from '../../bulk/run/plan.js';
import type { Survey } from '../../bulk/run/survey.js';
import { UsageError } from '../../errors.js';
import { send } from '../../http/send.js';
import type { Client } from '../../http/types.js';
import { warn } from '../notices.js';
import { checkSignedIn, findOwnId } from '../own-account.js';
import { plural } from './failures.js';
import type { RunJob } from './job.js';

/** What is about to happen: `permanently delete 2 users: 7, 8`, `move 3 tickets to the trash: 14, 15, 16`. */
export function describeAction(
	{ plan }: Pick<RunJob, 'plan'>,
	{ selected, permanent, first }: Survey,
	rows = selected,
): string {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const what = `${rows} ${plural(endpoint.noun, rows)}`;
	const named =
		rows === selected
			? namesOf(
					first.map(({ ids }) => ids),
					rows,
				)
			: '';
	if (endpoint.replay !== 'delete') return `${endpoint.verb} ${what}${named}`;
	if (!endpoint.trash || permanent === selected) return `permanently delete ${what}${named}`;
	const some = permanent === 0 ? '' : ` (${rows === selected ? permanent : 'some'} of them permanently)`;
	return permanent === 0 ? `move ${what} to the trash${named}` : `delete ${what}${some}${named}`;
}

/** `revert run 20261122-081554-1a2b3 (ticket fields set of 2026-11-22 08:15, 2 tickets)`. */
function describeUndo({ id, started, plan }: RunHeader, noun: string, rows: number): string {
	const when = started.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
	return `revert run ${id} (${commandOf(plan)} of ${when}, ${rows} ${plural(noun, rows)})`;
}

/** `ada (7)`, where a row names its user. */
const nameWith = ({ id, username }: Readonly<Record<string, string>>): string | undefined =>
	username === undefined || id === undefined ? undefined : `${username} (${id})`;

function namesOf(ids: readonly Readonly<Record<string, string>>[], rows: number): string {
	const names = ids.map((each) => nameWith(each) ?? each.id ?? each.slug ?? Object.values(each).join('/'));
	return names.length === 0 ? '' : `: ${names.join(', ')}${rows > names.length ? ', …' : ''}`;
}

const placeOf = ({ profile }: Pick<RunService, 'profile'>, host: string): string =>
	`on ${host}${profile === undefined ? '' : ` (profile ${profile})`}`;

/** A write with a protected profile needs its name. @throws UsageError */
export function checkConfirmed(
	service: Pick<RunService, 'profile' | 'protected'>,
	host: string,
	confirm: string | undefined,
	action: string,
): void {
	const { profile, protected: isProtected } = service;
	if (isProtected && confirm !== profile) {
		throw new UsageError(
			`profile ${profile} is protected: to ${action} ${placeOf(service, host)} needs --confirm=${profile}`,
			{
				code: 'protected_profile',
				...(confirm === undefined ? {} : { details: [`--confirm=${confirm} names another profile`] }),
			},
		);
	}
	if (!isProtected && confirm !== undefined && confirm !== profile) {
		throw new UsageError(`--confirm=${confirm}, but the profile is ${profile ?? 'none'}`, {
			code: 'protected_profile',
		});
	}
}

/**
 * Asks, or takes --yes and --confirm as the reply.
 * @param note What a person has to know before the reply
 * @throws UsageError where a person says no, or where nobody can be asked
 */
export async function confirmWrite(job: RunJob, survey: Survey, note?: string): Promise<void> {
	const rows = survey.selected;
	const { plan, session, invocation } = job;
	const { options, context } = invocation;
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	if ((endpoint.replay !== 'set' && endpoint.replay !== 'delete') || rows === 0) return;
	const action =
		plan.source.from === 'snapshots'
			? describeUndo(readRunHeader(plan.source.journal), endpoint.noun, rows)
			: describeAction(job, survey, rows);
	checkConfirmed(plan.service, session.host, options.confirm, action);
	const asks = endpoint.confirm || plan.source.from === 'snapshots';
	if (!asks || options.yes === true) return;
	const where = placeOf(plan.service, session.host);
	if (!context.prompts.available) {
		throw new UsageError(`to ${action} ${where} without a terminal, give --yes; nothing was sent`, {
			code: 'needs_yes',
		});
	}
	const question = `${note === undefined ? '' : `Note: ${note}. `}${action.charAt(0).toUpperCase()}${action.slice(1)} ${where}?`;
	if (!(await context.prompts.confirm(question))) {
		throw new UsageError('cancelled; nothing was sent', { code: 'cancelled' });
	}
}

/** How many of the users that receive posts and links are looked up. */
const RECEIVERS = 20;

/**
 * Refuses to delete the caller's own account, and to reassign to a user that does not exist.
 * @returns a note for the question, where the own account is not known
 * @throws UsageError, RefusedError
 */
export async function checkUsers(job: RunJob, survey: Survey, client: Client): Promise<string | undefined> {
	if (job.plan.endpoint !== endpoints['user.delete'].name || survey.selected === 0) return undefined;
	for (const receiver of survey.guard.firstReceivers(RECEIVERS)) await checkReceiver(job, String(receiver), client);
	const { clock, random } = job.invocation.context;
	const own = await findOwnId(job.session, client, { retries: job.tuning.retries, clock, random });
	if (own === undefined) return undefined;
	if ('why' in own) {
		const note = 'could not check whether this deletes the account that is signed in';
		warn(job.invocation.context, [`${note}: ${own.why}`]);
		return note;
	}
	if (!survey.guard.deletes(own.id)) return undefined;
	const { auth } = job.session.connection;
	const name = auth.scheme === 'basic' ? ` (${auth.username})` : '';
	throw new UsageError(`user ${own.id} is the account that is signed in${name}; nothing was sent`, {
		code: 'own_account',
		hint: 'sign in with another account to delete it',
	});
}

/** Where the service offers no read, the first delete will tell. */
async function checkReceiver({ session, tuning, invocation }: RunJob, id: string, client: Client): Promise<void> {
	const read = readEndpointOf(endpoints['user.update']);
	if (read === undefined) return;
	const { clock, random } = invocation.context;
	const options = { retries: tuning.retries, clock, random, dialect: session.dialect };
	const found = await send(client, createPlanner(read, session.dialect)({ ids: { id } }), options);
	checkSignedIn(found, session.connection);
	if (found.outcome !== 'failed' || found.status !== 404 || found.code !== 'rest_user_invalid_id') return;
	throw new UsageError(`there is no user ${id} to reassign to; nothing was sent`, { code: 'no_such_user' });
}

/** Stands between a checked input and its first request: counts, protected profiles, questions, the caller's own account. */

import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { isId, userIdIn } from '../../api/user-id.js';
import { isObject } from '../../api/values.js';
import { checkCount, needsQuestion } from '../../bulk/guards.js';
import { RefusedError, UsageError } from '../../errors.js';
import type { Delivery } from '../../http/outcome.js';
import { type Deliverable, deliver } from '../../http/send.js';
import type { Auth } from '../../profile/resolve.js';
import { warn } from '../notices.js';
import { type Caller, signInAgain } from './failures.js';
import { nothingToChange, type PreparedRun } from './prepare.js';
import type { Survey } from './survey.js';

/** "delete 3 tickets", "permanently delete 2 users", "delete 3 tickets (1 of them permanently)". */
function describeAction(
	{ definition, endpoint, earlier }: PreparedRun,
	{ selected, forced }: Survey,
	rows: number,
): string {
	const nouns = rows === 1 ? definition.nouns.replace(/ies$/, 'y').replace(/s$/, '') : definition.nouns;
	if (earlier?.undoing !== undefined) return `put back on ${rows} ${nouns} ${earlier.undoing}`;
	const action = `${definition.verb} ${rows} ${nouns}`;
	if (endpoint.replay !== 'delete') return action;
	const isAlways = endpoint.query.some((each) => each.name === 'force' && each.presence === 'always');
	if (isAlways || forced === selected) return `permanently ${action}`;
	// Of the rows that a resume has left, nobody counted those.
	return forced === 0 ? action : `${action} (${rows === selected ? forced : 'some'} of them permanently)`;
}

/** Whether neither flags nor rows name a field; a header that does is no mistake, whatever its cells leave empty. */
function saysNothing({ source }: PreparedRun, { rows, empty }: Survey): boolean {
	if (empty === 0 || source.columns !== undefined) return false;
	return source.format === 'ids' || empty === rows;
}

/** Counts, and rules over the whole set: nobody knows beforehand how many rows fall to a shard. @throws UsageError */
export function checkSet(run: PreparedRun, survey: Survey): void {
	checkCount(survey.rows, run.settings);
	if (saysNothing(run, survey)) throw nothingToChange(run.endpoint);
	survey.guard.check();
}

/** The profile that a write has to be confirmed by: the one in use, or that of the earlier run. */
export function protectingProfile({ session, earlier }: PreparedRun): string | undefined {
	const { profileName, protected: isProtected } = session.connection;
	return isProtected ? profileName : earlier?.protectedBy;
}

/**
 * Asks, or takes `--yes` and `--confirm` for the answer.
 * @param rows How many are about to be sent.
 * @throws UsageError where the answer is no
 */
export async function confirmWrite(run: PreparedRun, survey: Survey, rows = survey.selected): Promise<void> {
	const { endpoint, session, settings, invocation } = run;
	const protecting = protectingProfile(run);
	if ((endpoint.replay !== 'set' && endpoint.replay !== 'delete') || rows === 0) return;
	const asks = endpoint.confirm || run.earlier?.undoing !== undefined;
	const question = needsQuestion(
		{
			action: describeAction(run, survey, rows),
			asks,
			host: session.host,
			profile: protecting ?? session.connection.profileName,
			protected: protecting !== undefined,
			yes: settings.yes,
			confirm: settings.confirm,
		},
		// Looking for a terminal opens stdin, which an update has no need of.
		asks && invocation.context.prompts.available,
	);
	const doubt = await checkUsers(run, survey);
	const unchecked = 'could not check whether this deletes the account that is signed in';
	if (doubt !== undefined) warn(invocation.context, [`${unchecked}: ${doubt}`]);
	if (question === undefined) return;
	const full = doubt === undefined ? question : `Note: ${unchecked}. ${question}`;
	if (!(await invocation.context.prompts.confirm(full))) {
		throw new UsageError('answered no; nothing was sent', { code: 'refused_by_person' });
	}
}

/** How many of the users that receive what is left are looked up. */
const RECEIVERS = 20;

/**
 * Looks at the users of a `user delete` before anything is deleted: the account that is signed in must not be among
 * them, and who receives what they leave has to be there.
 * @returns why the own account is not known; undefined where it is
 * @throws UsageError where the rows must not be sent, RefusedError for a 401
 */
async function checkUsers(run: PreparedRun, survey: Survey): Promise<string | undefined> {
	const { session, settings, endpoint, invocation } = run;
	const { auth } = session.connection;
	if (endpoint.name !== endpoints['user.delete'].name) return undefined;
	const { clock, random } = invocation.context;
	const { dialect } = session;
	const client = await session.openClient(1, 'few requests');
	const send = async (request: Deliverable): Promise<Delivery> => {
		const found = await deliver(client, request, { retries: settings.retries, clock, random, dialect });
		checkSignedIn(found, session.connection);
		return found;
	};
	const read = (path: string): Promise<Delivery> => send(readRequest(`/${dialect.root}/v1/users/${path}`));
	try {
		const doubt = auth.scheme === 'none' ? undefined : await checkOwnAccount(auth, survey, dialect, send, read);
		for (const receiver of survey.guard.firstReceivers(RECEIVERS)) {
			const { status, code } = await read(String(receiver));
			if (status !== 404 || code !== 'rest_user_invalid_id') continue;
			throw new UsageError(`there is no user ${receiver} to reassign to; nothing was sent`, { code: 'no_such_user' });
		}
		return doubt;
	} finally {
		await client.close();
	}
}

/** A GET of an object that live services offer and the interface does not document. */
function readRequest(path: string): Deliverable {
	return { method: 'GET', path, body: undefined, endpoint: { answer: 'object', replay: 'read' } };
}

/** Looks the own account up by its user name, and where that gives no id, as for a sign-in by e-mail, asks who it is. */
async function checkOwnAccount(
	auth: Auth,
	survey: Survey,
	dialect: Dialect,
	send: (request: Deliverable) => Promise<Delivery>,
	read: (path: string) => Promise<Delivery>,
): Promise<string | undefined> {
	const idOf = ({ outcome, body }: Delivery): string | undefined => (outcome === 'ok' ? userIdIn(body) : undefined);
	let id: string | undefined;
	if (auth.scheme === 'basic') {
		const { username } = auth;
		id = idOf(await send(createPlanner(endpoints['user.id'], dialect)({ ids: { username }, fields: { username } })));
	}
	if (id === undefined) {
		const self = await read('me');
		id = isObject(self.body) && !isId(self.body.id) ? undefined : idOf(self);
		if (id === undefined) return self.message ?? 'the response shows no id';
	}
	if (!survey.guard.deletes(id)) return undefined;
	const name = auth.scheme === 'basic' ? ` (${auth.username})` : '';
	throw new UsageError(`user ${id} is the account that is signed in${name}; nothing was sent`, {
		code: 'own_account',
		hint: 'sign in as somebody else to delete it',
	});
}

/** @throws RefusedError where what was read first was refused: all that follows would be refused just so */
export function checkSignedIn({ status, code, message }: Delivery, caller: Caller): void {
	if (status !== 401) return;
	throw new RefusedError(`the service refused the credentials (401): ${message ?? ''}; nothing was sent`, {
		code: code ?? 'unauthorized',
		hint: signInAgain(caller),
	});
}

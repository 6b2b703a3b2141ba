/** Stands between a checked input and its first request: counts, protected profiles, questions, the caller's own account. */

import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { userIdIn } from '../../api/user-id.js';
import { checkCount, needsQuestion } from '../../bulk/guards.js';
import { RefusedError, UsageError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import { deliver } from '../../http/deliver.js';
import type { Delivery } from '../../http/outcome.js';
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
	if (question === undefined) return;
	if (!(await invocation.context.prompts.confirm(question))) {
		throw new UsageError('answered no; nothing was sent', { code: 'refused_by_person' });
	}
}

/**
 * Refuses to delete the account that is signed in. Its id is looked up by the documented call that changes nothing;
 * where that gives none, the person is told that it could not be checked.
 */
export async function checkOwnAccount(run: PreparedRun, survey: Survey, client: Client): Promise<void> {
	if (run.endpoint.name !== endpoints['user.delete'].name) return;
	const { auth } = run.session.connection;
	const { context } = run.invocation;
	if (auth.scheme === 'none') return;
	if (auth.scheme !== 'basic') {
		warnUnchecked(run, 'its credentials name no user');
		return;
	}
	const request = createPlanner(
		endpoints['user.id'],
		run.session.dialect,
	)({
		ids: { username: auth.username },
		fields: { username: auth.username },
	});
	const found = await deliver(client, request, {
		retries: run.settings.retries,
		clock: context.clock,
		random: context.random,
	});
	checkSignedIn(found, run.session.connection);
	const id = userIdIn(found.body);
	if (found.outcome !== 'ok' || id === undefined) {
		warnUnchecked(run, found.message ?? 'the answer shows no id');
		return;
	}
	if (survey.guard.deletes(id)) {
		throw new UsageError(`user ${id} is the account that is signed in (${auth.username}); nothing was sent`, {
			code: 'own_account',
			hint: 'sign in as somebody else to delete it',
		});
	}
}

/** @throws RefusedError where what was read first was refused: all that follows would be refused just so */
export function checkSignedIn({ status, code, message }: Delivery, caller: Caller): void {
	if (status !== 401) return;
	throw new RefusedError(`the service refused the credentials (401): ${message ?? ''}; nothing was sent`, {
		code: code ?? 'unauthorized',
		hint: signInAgain(caller),
	});
}

function warnUnchecked({ invocation }: PreparedRun, why: string): void {
	warn(invocation.context, [`could not check whether this deletes the account that is signed in: ${why}`]);
}

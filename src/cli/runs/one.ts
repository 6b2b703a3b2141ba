/** One request: plan, ask where it deletes, send, check, print. No journal and no engine. */

import { chooseEndpoint } from '../../api/choose.js';
import { OWN_ID, withOwnId } from '../../api/values.js';
import { countOutcome, createCounts, exitCodeOf } from '../../bulk/journal/counts.js';
import { createPerform, type RowSteps, readPlannerOf } from '../../bulk/run/read-back.js';
import { outcomeOf, plannerOf, type RunRow } from '../../bulk/run/rows.js';
import { checkSet, createSurvey } from '../../bulk/run/survey.js';
import type { ExitCode } from '../../errors.js';
import { type SendOptions, send } from '../../http/send.js';
import { createRedactor } from '../../output/redact.js';
import { retryNotice } from '../notices.js';
import { ownIdFor } from '../own-account.js';
import { checkUsers, confirmWrite } from './confirm.js';
import type { RunJob } from './job.js';
import { positionalsOf } from './options.js';
import { checkReadsServed } from './read-check.js';
import { openScreen } from './screen.js';
import { rowRedactor } from './shape.js';

/** Sends the one row of a plan. @throws what `main` turns into a message and an exit code */
export async function sendOne(job: RunJob): Promise<ExitCode> {
	const { plan, session, invocation, tuning } = job;
	const { context, options } = invocation;
	let row = rowOf(job);
	const redact = createRedactor();
	const { survey, take } = createSurvey(plan, {
		complain: () => undefined,
		holdsSecret: (sent) => redact(sent) !== sent,
	});
	take(row);
	checkSet(survey, { expect: options.expect, max: options.max });
	const client = await session.openClient(1, 'few requests');
	try {
		const { clock, random } = context;
		if (survey.mentionsOwnId) {
			const id = await ownIdFor(OWN_ID, session, client, { retries: tuning.retries, clock, random });
			row = rowOf(job, id);
		}
		await checkReadsServed(job, row, client);
		const note = await checkUsers(job, survey, client);
		await confirmWrite(job, survey, note);
		const screen = await openScreen(job, survey);
		const stop = new AbortController();
		const shared: SendOptions = {
			retries: tuning.retries,
			clock,
			random,
			dialect: session.dialect,
			stop: stop.signal,
			ignoreMissing: plan.checks.ignoreMissing,
		};
		const hide = rowRedactor(survey);
		const own = { clean: hide.text(row), onRetry: retryNotice(context, options) };
		const steps: RowSteps = {
			send: (_, request) => send(client, request, shared, own),
			read: (_, request, afterWrite) =>
				send(client, request, { ...shared, exactNumbers: true, ...(afterWrite ? { stop: undefined } : {}) }, own),
			keep: async () => undefined,
		};
		const counts = createCounts();
		screen.start(1, counts, { stop: () => stop.abort(), open: () => 1, pauseMs: () => 0 });
		const started = clock.monotonic();
		const perform = createPerform(plan, plannerOf(plan, session.dialect), readPlannerOf(session.dialect), steps);
		const result = await perform(row).finally(() => screen.done());
		const outcome = hide.outcome(outcomeOf(row, result), row);
		countOutcome(counts, outcome);
		await screen.outcome(outcome, counts);
		const interrupted = stop.signal.aborted && outcome.outcome !== 'ok';
		return await screen.end({
			counts,
			exitCode: exitCodeOf(counts, interrupted),
			stopped: interrupted ? { kind: 'signal' } : undefined,
			ms: clock.monotonic() - started,
			resumable: false,
		});
	} finally {
		await client.close();
	}
}

/**
 * The row of a single id: its argument is checked already, and there are no columns.
 * @param own The caller's id for @me, once it is known
 */
function rowOf({ plan, session, secrets }: RunJob, own?: number): RunRow {
	const { values, source, endpoint } = plan;
	const { endpoint: model } = chooseEndpoint(endpoint, values.ids.taxonomy, plan.undocumented);
	const name = positionalsOf(endpoint, model).at(-1)?.name as string;
	const id = source.from === 'ids' ? (source.ids[0] as string) : '';
	const given = name === 'username' ? { username: id } : { ...values.fields, ...secrets };
	const fields = own === undefined ? given : withOwnId(model.fields, given, own);
	const { force, reassign } = values;
	const request = plannerOf(plan, session.dialect)({ ids: { ...values.ids, [name]: id }, force, reassign, fields });
	return { row: 1, request, reassign };
}

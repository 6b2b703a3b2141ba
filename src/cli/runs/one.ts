/** One request: plan, ask where it deletes, send, check, print. No journal and no engine. */

import { chooseEndpoint } from '../../api/choose.js';
import { countOutcome, createCounts, exitCodeOf } from '../../bulk/counts.js';
import { openRows } from '../../bulk/run/open.js';
import { createPerform, type RowSteps, readPlannerOf } from '../../bulk/run/read-back.js';
import { isInvalid, outcomeOf, type PlannedRow, plannerOf } from '../../bulk/run/rows.js';
import { checkSet, createSurvey } from '../../bulk/run/survey.js';
import { type ExitCode, UsageError } from '../../errors.js';
import { type SendOptions, send } from '../../http/send.js';
import { createRedactor } from '../../output/redact.js';
import { checkUsers, confirmWrite } from './confirm.js';
import type { RunJob } from './run.js';
import { openScreen } from './screen.js';
import { rowRedactor } from './shape.js';

/** Sends the one row of a plan. @throws what `main` turns into a message and an exit code */
export async function sendOne(job: RunJob): Promise<ExitCode> {
	const { plan, session, invocation, tuning } = job;
	const { context, options } = invocation;
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, plan.undocumented);
	const row = await onlyRow(job);
	if (isInvalid(row))
		throw new UsageError(row.complaints.map((each) => each.message).join('; '), { code: 'invalid_value' });
	const redact = createRedactor();
	const { survey, take } = createSurvey(plan, {
		complain: () => undefined,
		holdsSecret: (sent) => redact(sent) !== sent,
	});
	take(row);
	checkSet(survey, { expect: options.expect, max: options.max });
	const client = await session.openClient(1, 'few requests');
	try {
		const note = await checkUsers(job, survey, client);
		await confirmWrite(job, survey, note);
		const screen = await openScreen(job, survey);
		const stop = new AbortController();
		const { clock, random } = context;
		const shared: SendOptions = {
			retries: tuning.retries,
			clock,
			random,
			dialect: session.dialect,
			stop: stop.signal,
			ignoreMissing: plan.checks.ignoreMissing,
		};
		const hide = rowRedactor(survey);
		const own = { clean: hide.text(row) };
		const steps: RowSteps = {
			send: (_, request) => send(client, request, shared, own),
			read: (_, request, afterWrite) =>
				send(client, request, { ...shared, exactNumbers: true, ...(afterWrite ? { stop: undefined } : {}) }, own),
			keep: async () => undefined,
		};
		const counts = createCounts();
		screen.start(1, counts, { stop: () => stop.abort(), open: () => 1, pauseMs: () => 0 });
		const started = clock.monotonic();
		const perform = createPerform(
			plan,
			plannerOf(plan, session.dialect),
			readPlannerOf(endpoint, session.dialect),
			steps,
		);
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

async function onlyRow({ plan, session, invocation, secrets }: RunJob): Promise<PlannedRow> {
	const rows = await openRows(plan, {
		dialect: session.dialect,
		secrets,
		stdin: { [Symbol.asyncIterator]: () => invocation.context.stdin.bytes()[Symbol.asyncIterator]() },
		stateDir: session.stateDir,
	});
	for await (const [row] of rows.read()) if (row !== undefined) return row;
	throw new UsageError('no row was given');
}

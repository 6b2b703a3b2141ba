/** One call of a command: options → plan, session, checks, send, print. */

import type { EndpointName } from '../../api/endpoints.js';
import { flagName } from '../../api/fields.js';
import { exitCodeOfOne } from '../../bulk/journal/counts.js';
import type { Directories } from '../../bulk/lists/directory.js';
import { planOne } from '../../bulk/run/one.js';
import { type Fields, type Ids, listedFields, readsBefore } from '../../bulk/run/plan.js';
import type { RunRow } from '../../bulk/run/rows.js';
import { RowSender } from '../../bulk/run/send-row.js';
import { onlyId } from '../../bulk/sources.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Client } from '../../http/client.js';
import type { RowOutcome } from '../../http/outcome.js';
import { openPalette } from '../../output/colour.js';
import { createOutcomeRedactor } from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { listenForStop } from '../interruption.js';
import { camelCase } from '../options/option.js';
import { isOwnTable, openResults, outputError } from '../results.js';
import { openSession, type Session } from '../session.js';
import { lostResults, printTrouble } from './failures.js';
import type { RunInvocation } from './options.js';
import { isBareEdit, outcomeShape, outcomeView } from './outcomes.js';
import { jobOf, type RunJob, readGiven } from './plan.js';

/** What an edit has read and changes: its object must still have the expected values. */
interface Edited {
	session: Session;
	fields: Fields;
	expected: RunRow['expected'];
}

export async function startCommand(name: EndpointName, invocation: RunInvocation, edited?: Edited): Promise<ExitCode> {
	const { dryRun = false, diff = false, ifUnmodified, journal, note, plan: saveTo, report } = invocation.options;
	if (diff && !dryRun) throw new UsageError('--diff requires --dry-run');
	const given = await readGiven(name, invocation, edited?.fields);
	const { endpoint, source } = given;
	if (ifUnmodified === true && source.from === 'ids') {
		throw new UsageError('--if-unmodified requires --input with a column modified_gmt', {
			code: 'contradiction',
		});
	}
	// A field's flag hides the connection's flag of the same name.
	const fields = endpoint.replay === 'set' ? endpoint.fields : [];
	const hidden = Object.fromEntries(fields.map(({ name }) => [camelCase(flagName(name)), undefined]));
	const connecting = { ...invocation, options: { ...invocation.options, ...hidden } };
	const session = edited?.session ?? (await openSession(connecting, !dryRun || diff));
	const job = jobOf(name, given, invocation, session);
	const { checks, shard } = job.plan;
	const isOne = onlyId(source) !== undefined;
	const isKept = [shard, journal, report, note, saveTo].some((each) => each !== undefined) || checks.snapshot;
	if (isOne && !isKept && !dryRun) return await sendOne(job, edited?.expected);
	const { startRun } = await import('./run.js');
	return await startRun(job);
}

/** Without a journal or an engine. */
async function sendOne(given: RunJob, expected: RunRow['expected']): Promise<ExitCode> {
	const { endpoint, secrets, session, options } = given;
	const { dialect, sending } = session;
	const { expect, max, confirm } = options;
	const client = await session.openClient(1);
	const signals = listenForStop(given);
	const stop = new AbortController();
	const openNames = async (): Promise<Directories> => {
		const { openDirectories } = await import('../directories.js');
		return openDirectories(session, sending, async () => ({ session, client }));
	};
	try {
		const found = await planOne(given.plan, secrets, dialect, openNames);
		if (found.problem !== undefined) return await endWithoutUser(given, found.ids, found.problem);
		const { plan, terms } = found;
		const job = { ...given, plan };
		const row: RunRow = { ...found.row, expected };
		const isGuarded =
			(expect ?? max ?? confirm) !== undefined || endpoint.replay === 'delete' || plan.service.protected;
		if (isGuarded || plan.checks.verify || readsBefore(plan)) await check(job, row, client, await openNames());
		const fields = [...listedFields(plan), ...Object.keys(row.request.sent ?? {})];
		const results = await openResults(job, outcomeShape(job, fields));
		const sender = new RowSender({
			plan,
			client,
			terms,
			dialect,
			options: { ...sending, stop: stop.signal },
			redact: createOutcomeRedactor(session.secrets, Object.keys(secrets).length > 0),
		});
		signals.work = { stop: () => stop.abort(), open: () => 1 };
		const outcome = await sender.send(row).finally(signals.end);
		return await printOne(job, outcome, results, stop.signal.aborted);
	} finally {
		signals.end();
		await client.close();
	}
}

async function check(job: RunJob, row: RunRow, client: Client, directories: Directories): Promise<void> {
	const [{ guardsOf }, { checkOne }] = await Promise.all([import('./checks.js'), import('../../bulk/run/ready.js')]);
	const { plan, session } = job;
	const { dialect, sending } = session;
	await checkOne({ ...guardsOf(job, directories), plan, dialect, sending, directories }, row, client);
}

async function printOne(job: RunJob, outcome: RowOutcome, results: Renderer, isStopped: boolean): Promise<ExitCode> {
	const { context } = job;
	const ownCode = exitCodeOfOne(outcome);
	const isFine = ownCode === ExitCode.ok;
	const exitCode = isStopped && outcome.outcome !== 'ok' ? ExitCode.interrupted : ownCode;
	if (!isFine || outcome.warnings !== undefined || outcome.differs !== undefined) {
		printTrouble(job, outcome, await openPalette(context, context.stderr), true);
	}
	try {
		// On a terminal the error says it all.
		const isHidden = (!isFine && isOwnTable(job)) || (job.options.quiet === true && isBareEdit(job));
		if (!isHidden) await results.row(outcomeView(outcome));
		await results.end();
	} catch (error) {
		throw lostResults(outputError(error), job, exitCode);
	}
	return exitCode;
}

async function endWithoutUser(job: RunJob, ids: Ids, problem: string): Promise<ExitCode> {
	if (!job.plan.checks.ignoreMissing) {
		throw new UsageError(`${problem}; nothing was sent`, { code: 'unknown_name' });
	}
	const outcome = { row: 1, ids, outcome: 'ok', code: 'gone', message: problem, attempts: 0, ms: 0 } as const;
	return await printOne(job, outcome, await openResults(job, outcomeShape(job, [])), false);
}

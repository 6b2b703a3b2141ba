/** One call of a command: options → plan, session, checks, send, print. */

import type { EndpointName } from '../../api/endpoints.js';
import { flagName } from '../../api/fields.js';
import { createPlanner, type RowValues } from '../../api/plan.js';
import { comparedTerms, hasNames, isNamed, namedValues, resolveRow, withIds } from '../../bulk/run/names.js';
import { comparesFirst, type Fields, type Ids, readsBefore } from '../../bulk/run/plan.js';
import type { RunRow } from '../../bulk/run/rows.js';
import { RowSender } from '../../bulk/run/send-row.js';
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
import { exitCodeOfOutcome, lostResults, printTrouble } from './failures.js';
import { positionalsOf, type RunInvocation } from './options.js';
import { outcomeShape, outcomeView } from './outcomes.js';
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
	const isOne = source.from === 'ids' && source.ids.length === 1;
	const isKept = [shard, journal, report, note, saveTo].some((each) => each !== undefined) || checks.snapshot;
	if (isOne && !isKept && !dryRun) return await sendOne(job, edited?.expected);
	const { startRun } = await import('./run.js');
	return await startRun(job);
}

/** Without a journal or an engine. */
async function sendOne(given: RunJob, expected: RunRow['expected']): Promise<ExitCode> {
	const { endpoint, secrets, session, options } = given;
	const client = await session.openClient(1);
	const signals = listenForStop(given);
	try {
		const { plan, ids, problem, terms } = await resolveNames(given, client);
		const job = { ...given, plan };
		if (problem !== undefined) return await endWithoutUser(job, ids, problem);
		const { force, reassign, fields, add, remove } = plan.values;
		const sent = endpoint.returns === 'user-id' ? { username: ids.username } : { ...fields, ...secrets };
		const request = createPlanner(endpoint, session.dialect)({ ids, force, reassign, fields: sent });
		const row: RunRow = { row: 1, reassign, request, expected };
		const checksSet = options.expect !== undefined || options.max !== undefined || options.confirm !== undefined;
		const reads = plan.checks.verify || readsBefore(plan);
		if (checksSet || reads || plan.service.protected || endpoint.confirm) {
			await (await import('./checks.js')).checkOne(job, row, client);
		}
		const shape = outcomeShape(job, Object.keys({ ...add, ...remove, ...request.sent }));
		const results = await openResults(job, shape);
		const stop = new AbortController();
		const sender = new RowSender({
			plan,
			client,
			terms,
			dialect: session.dialect,
			options: { ...session.sending, retries: job.tuning.retries, stop: stop.signal },
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

async function resolveNames({ endpoint, plan, session }: RunJob, client: Client) {
	const name = positionalsOf(endpoint).at(-1)?.name as string;
	const [id = ''] = plan.source.from === 'ids' ? plan.source.ids : [];
	const { fields, add, remove } = plan.values;
	const isCompared = comparesFirst(plan) || plan.checks.verify;
	const compared = isCompared ? comparedTerms(plan, endpoint, Object.keys({ ...fields, ...add, ...remove })) : [];
	const areNamed = isNamed(id) || namedValues(plan, endpoint).some((values) => hasNames(endpoint, values));
	if (!areNamed && compared.length === 0) {
		return { plan, ids: { ...plan.values.ids, [name]: id }, problem: undefined, terms: undefined };
	}
	const { openDirectories } = await import('../directories.js');
	const directories = openDirectories(session, session.sending, async () => ({ session, client }));
	const named = await withIds(plan, endpoint, directories);
	for (const taxonomy of compared) await directories.terms(taxonomy).list();
	const ids = { ...named.values.ids, [name]: id };
	const values: RowValues = { ids, names: isNamed(id) ? { [name]: id } : undefined };
	const [first] = await resolveRow(endpoint, values, directories);
	return { plan: named, ids: values.ids, problem: first?.problem, terms: directories.terms };
}

async function printOne(job: RunJob, outcome: RowOutcome, results: Renderer, isStopped: boolean): Promise<ExitCode> {
	const { context } = job;
	const isFine = exitCodeOfOutcome(outcome) === ExitCode.ok;
	const exitCode = isStopped && outcome.outcome !== 'ok' ? ExitCode.interrupted : exitCodeOfOutcome(outcome);
	if (!isFine || outcome.warnings !== undefined || outcome.differs !== undefined) {
		printTrouble(job, outcome, await openPalette(context, context.stderr), true);
	}
	try {
		// On a terminal the error says it all.
		const isHidden = !isFine && isOwnTable(job);
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

/** One call of a command: options → plan, session, checks, send, print. */

import { flagName } from '../../api/fields.js';
import { createPlanner } from '../../api/plan.js';
import { hasSharedNames, isNamed, resolveArgument, termsIn, withIds } from '../../bulk/run/names.js';
import { checkReadable, comparesFirst, readsBefore } from '../../bulk/run/read-back.js';
import type { RunRow } from '../../bulk/run/rows.js';
import { createSendRow } from '../../bulk/run/send-row.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { listenForStop } from '../interruption.js';
import { paletteFor } from '../notices.js';
import { camelCase } from '../options/option.js';
import { isOwnTable, openResults, outputError } from '../results.js';
import { openSession } from '../session.js';
import { positionalsOf, type RunInvocation } from './options.js';
import { exitCodeOfOutcome, lostResults, outcomeShape, outcomeView, printTrouble, redactRows } from './outcomes.js';
import { jobOf, type RunJob, readGiven, type Secrets } from './plan.js';

/** @throws UsageError, RefusedError */
export async function startCommand(name: string, invocation: RunInvocation): Promise<ExitCode> {
	const { dryRun = false, diff = false, ifUnmodified, journal, note, plan: saveTo, report } = invocation.options;
	if (diff && !dryRun) throw new UsageError('--diff requires --dry-run');
	const given = await readGiven(name, invocation);
	const { endpoint, source } = given;
	if (ifUnmodified === true && source.from === 'ids') {
		throw new UsageError('--if-unmodified requires --input with a column modified_gmt', {
			code: 'contradiction',
		});
	}
	const session = await openSession(invocation as Invocation, {
		credentials: !dryRun || diff,
		// A field's flag hides the connection's flag of the same name.
		without: endpoint.replay === 'set' ? endpoint.fields.map((field) => camelCase(flagName(field.name))) : [],
	});
	const job = jobOf(name, given, invocation, session);
	checkReadable(endpoint, job.plan);
	const { checks, shard } = job.plan;
	const isOne = source.from === 'ids' && source.ids.length === 1;
	const isKept = [shard, journal, report, note, saveTo].some((each) => each !== undefined) || checks.snapshot;
	const isSingle = isOne && !isKept && !dryRun;
	const reads = comparesFirst(job.plan) || checks.verify || diff || saveTo !== undefined;
	const compared = reads ? termsIn(job.plan, endpoint) : [];
	const isDirect = !hasSharedNames(job.plan, endpoint) && !(isSingle && isNamed(source.ids[0]));
	if (isDirect && compared.length === 0) {
		return isSingle ? await sendOne(job) : await (await import('./run.js')).startRun(job);
	}
	const { openDirectories } = await import('../own-account.js');
	const directories = openDirectories(session, session.sending);
	const signals = listenForStop(invocation);
	try {
		const plan = await withIds(job.plan, endpoint, directories);
		for (const taxonomy of compared) await directories.list(taxonomy);
		signals.end();
		const named = { ...job, plan, directories };
		return isSingle ? await sendOne(named) : await (await import('./run.js')).startRun(named);
	} finally {
		signals.end();
		await directories.close();
	}
}

/** Without a journal or an engine. */
export async function sendOne(job: RunJob): Promise<ExitCode> {
	const { endpoint, plan, session, invocation } = job;
	const { sending, dialect } = session;
	const { context, options } = invocation;
	const client = await session.openClient(1);
	const signals = listenForStop(invocation);
	try {
		// Already checked; there are no columns.
		const { ids, force, reassign } = plan.values;
		const [id = ''] = plan.source.from === 'ids' ? plan.source.ids : [];
		const name = positionalsOf(plan.endpoint, endpoint).at(-1)?.name as string;
		const fields: Secrets = name === 'username' ? { username: id } : { ...plan.values.fields, ...job.secrets };
		const given = { ...ids, [name]: id };
		const { directories } = job;
		const named = directories === undefined ? { ids: given } : await resolveArgument(endpoint, given, directories);
		if (named.problem !== undefined) return await endWithoutUser(job, named.ids, named.problem);
		const request = createPlanner(endpoint, dialect)({ ids: named.ids, force, reassign, fields });
		const row: RunRow = { row: 1, request, reassign };
		const checksSet = options.expect !== undefined || options.max !== undefined || options.confirm !== undefined;
		const reads = plan.checks.verify || readsBefore(plan);
		if (checksSet || reads || plan.service.protected || endpoint.confirm || endpoint.replay === 'delete') {
			await (await import('./checks.js')).checkOne(job, row, client);
		}
		const { sent = {} } = request;
		const shown = Object.keys({ ...plan.values.add, ...plan.values.remove, ...sent });
		const results = await openResults(invocation, { ...(await outcomeShape(job, shown)), onPager: false });
		const palette = await paletteFor(invocation, 'stderr');
		const stop = new AbortController();
		const sendRow = createSendRow({
			...{ plan, client, dialect, stop: stop.signal, redact: redactRows(session.secrets, true) },
			...{ clock: context.clock, random: context.random, retries: job.tuning.retries },
			onRetry: (attempt) => sending.onRetry?.(attempt),
			terms: directories?.index,
		});
		signals.started({ stop: () => stop.abort(), open: () => 1 });
		const outcome = await sendRow(row).finally(signals.end);
		const isFine = exitCodeOfOutcome(outcome) === ExitCode.ok;
		const exitCode =
			stop.signal.aborted && outcome.outcome !== 'ok' ? ExitCode.interrupted : exitCodeOfOutcome(outcome);
		if (!isFine || outcome.differs !== undefined || outcome.warnings !== undefined)
			printTrouble(job, outcome, palette, true);
		try {
			// On a terminal the error says it all.
			const isHidden = !isFine && isOwnTable(invocation, session.connection.settings.format);
			if (!isHidden) await results.row(outcomeView(outcome));
			await results.end();
		} catch (error) {
			throw lostResults(outputError(error), job, exitCode);
		}
		return exitCode;
	} finally {
		signals.end();
		await client.close();
	}
}

/** A delete with --ignore-missing is done. @throws UsageError */
async function endWithoutUser(job: RunJob, ids: Readonly<Record<string, string>>, problem: string): Promise<ExitCode> {
	if (!job.plan.checks.ignoreMissing) {
		throw new UsageError(`${problem}; nothing was sent`, { code: 'unknown_name' });
	}
	const results = await openResults(job.invocation, { ...(await outcomeShape(job, [])), onPager: false });
	await results.row(outcomeView({ row: 1, ids, outcome: 'ok', code: 'gone', message: problem, attempts: 0, ms: 0 }));
	await results.end();
	return ExitCode.ok;
}

/** The second pass: sends every row, records and prints what becomes of it, and says at the end how it went. */

import { setMaxListeners } from 'node:events';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { type Counts, countOutcome, createCounts, exitCodeOf, totalOf } from '../../bulk/counts.js';
import { type RunRow, runEngine } from '../../bulk/engine.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { createCustomFieldPerform, createPerform, type Perform, type PerformOptions } from '../../bulk/perform.js';
import { inShard } from '../../bulk/shard.js';
import { type StopReason, StopWatch } from '../../bulk/stop.js';
import type { ExitCode } from '../../errors.js';
import type { Client } from '../../http/client.js';
import type { AttemptRecord } from '../../http/deliver.js';
import type { Outcome } from '../../http/outcome.js';
import { outcomeView } from '../../output/outcome-view.js';
import type { Progress } from '../../output/progress.js';
import { redactTexts } from '../../output/redact.js';
import type { Renderer } from '../../output/render.js';
import { openResults, stderrPalette, stdoutPalette } from '../results.js';
import type { Ended } from './ended.js';
import { createFailureLog } from './failure-log.js';
import { checkOwnAccount } from './guard.js';
import type { PreparedRun } from './prepare.js';
import type { ResumedRun, RunLog } from './run-log.js';
import { listenForStop, openProgress, writeSummary } from './summary.js';
import type { Survey } from './survey.js';
import { outcomeShape } from './view.js';

export interface EndedRun {
	exitCode: ExitCode;
	/** Whether rows are left that a resume would send. */
	resumable: boolean;
}

/** How many rows are planned before they are sent: few enough to be gone before V8 moves them to where only a full collection looks. */
const PLANNED_AHEAD = 128;

/** Rows in the order of the input: those of this shard that are not done, and complaints as invalid outcomes. */
async function* rowsToSend(
	run: PreparedRun,
	resumed: ResumedRun | undefined,
	reject: (outcome: Outcome) => Promise<void> | undefined,
): AsyncGenerator<RunRow[]> {
	const { source, planRow, shard } = run;
	for await (const batch of source.read()) {
		let rows: RunRow[] = [];
		for (const raw of batch) {
			if (resumed?.isDone(raw.row) === true) continue;
			const planned = planRow(raw);
			if (Array.isArray(planned)) {
				// A row that can't be read has no key: the first shard answers for it.
				if (shard !== undefined && shard.index !== 1) continue;
				const message = planned.map((each) => each.message).join('; ');
				const line = raw.line === undefined ? {} : { line: raw.line };
				await reject({
					row: raw.row,
					...line,
					ids: {},
					outcome: 'invalid',
					code: 'invalid_input',
					message,
					attempts: 0,
					ms: 0,
				});
			} else if (shard === undefined || inShard(planned.request.key, shard)) {
				rows.push(planned);
				if (rows.length < PLANNED_AHEAD) continue;
				yield rows;
				rows = [];
			}
		}
		if (rows.length > 0) yield rows;
	}
}

/** Texts of the row's request that must not be repeated anywhere. */
function secretsOf(sent: Readonly<Record<string, unknown>> | undefined, isSecret: (name: string) => boolean): string[] {
	const found: string[] = [];
	const walk = (value: unknown, secret: boolean): void => {
		if (typeof value === 'string' && secret && value !== '') found.push(value);
		else if (typeof value === 'object' && value !== null) {
			for (const [name, inner] of Object.entries(value)) walk(inner, secret || isSecret(name));
		}
	};
	walk(sent, false);
	return found;
}

/** Makes a row's outcome free of its request's secrets, wherever the service repeated them. */
async function createScrubber(survey: Survey): Promise<(outcome: Outcome, row: RunRow) => Outcome> {
	if (!survey.hasSecrets) return (outcome) => outcome;
	const { isSecretName } = await import('../../output/redact.js');
	return (outcome, row) => {
		const secrets = secretsOf(row.request.sent, isSecretName);
		if (secrets.length === 0) return outcome;
		return redactTexts(outcome, secrets) as Outcome;
	};
}

function createRowPerform(run: PreparedRun, options: PerformOptions, log: RunLog | undefined): Perform {
	const { customFields } = run;
	if (customFields === undefined) return createPerform(options);
	return createCustomFieldPerform({
		...options,
		planRead: createPlanner(endpoints['ticket.fields.get'], run.session.dialect),
		planWrite: run.planWrite,
		onlyChanged: customFields.onlyChanged,
		verify: customFields.verify,
		...(customFields.snapshot && log !== undefined ? { snapshot: (row, held) => log.before(row, held) } : {}),
	});
}

function isUntouched(outcome: Outcome): boolean {
	return outcome.outcome === 'not-sent' && outcome.attempts === 0;
}

/** Sends the rows. @throws FailedError where the journal can't be kept; what was done till then is in it. */
export async function executeRun(run: PreparedRun, survey: Survey, resumed?: ResumedRun): Promise<EndedRun> {
	const { settings, session } = run;
	const client = await session.openClient(Math.max(1, Math.min(settings.concurrency, survey.selected)));
	try {
		await checkOwnAccount(run, survey, client);
		// Before the journal: a column or a query that can't be used leaves no run behind.
		const screen = await openScreen(run, survey);
		const log = resumed?.log ?? (await openLog(run, survey));
		return await sendRows(run, survey, client, log, resumed, screen);
	} finally {
		await client.close();
	}
}

/** Where results and progress share a terminal. */
interface Screen {
	results: Renderer;
	progress: Progress | undefined;
}

async function openScreen(run: PreparedRun, survey: Survey): Promise<Screen> {
	const shape = outcomeShape(run, survey, await stdoutPalette(run.invocation));
	const screen: Partial<Screen> = {};
	screen.results = await openResults(run.invocation, { ...shape, beforeWrite: () => screen.progress?.clear() });
	return screen as Screen;
}

/** One request needs no journal, nor does reading a few; everything else has one. */
async function openLog(run: PreparedRun, survey: Survey): Promise<RunLog | undefined> {
	const { targets, settings, customFields } = run;
	// Reading leaves nothing to resume, prove or undo; a list of ids is read again as quickly as it was typed.
	if (
		targets.ids !== undefined &&
		run.endpoint.replay === 'read' &&
		settings.journal === undefined &&
		settings.reports.length === 0
	)
		return undefined;
	const isLone = targets.ids?.length === 1 && settings.journal === undefined && settings.reports.length === 0;
	if (isLone && customFields?.snapshot !== true) return undefined;
	const { startRunLog } = await import('./run-log.js');
	return startRunLog(run, survey);
}

async function sendRows(
	run: PreparedRun,
	survey: Survey,
	client: Client,
	log: RunLog | undefined,
	resumed: ResumedRun | undefined,
	screen: Screen,
): Promise<EndedRun> {
	const { settings, session, invocation, endpoint } = run;
	const { context } = invocation;
	const counts: Counts = resumed?.counts ?? createCounts();
	const rejects = run.shard === undefined || run.shard.index === 1 ? survey.invalid : 0;
	const total = survey.selected + rejects;
	const { results } = screen;
	const failures = createFailureLog(run, total, await stderrPalette(invocation));
	const pace = new AdaptivePace({ clock: context.clock, random: context.random, rate: settings.rate });
	const progress = await openProgress(run, total, totalOf(counts), () => pace.pauseMs);
	screen.progress = progress;
	const scrub = await createScrubber(survey);
	const stop = new AbortController();
	// Each row that waits its turn listens to it.
	setMaxListeners(0, stop.signal);
	const watch = new StopWatch({ ...settings, concurrency: settings.concurrency });
	let stopped: StopReason | undefined;
	const stopFor = (reason: StopReason): void => {
		stopped ??= reason;
		stop.abort();
	};

	/** Resolves when the outcome is in the journal and whoever reads the results keeps up. */
	const take = (outcome: Outcome): Promise<void> | undefined => {
		const written = log?.record(outcome);
		countOutcome(counts, outcome);
		if (failures.shows(outcome)) {
			progress.clear();
			failures.add(outcome);
		}
		const printed = failures.prints(outcome) ? results.row(outcomeView(outcome)) : undefined;
		progress.update({ done: totalOf(counts), failed: counts.failed, unknown: counts.unknown });
		return printed === undefined ? written : Promise.all([printed, written]).then(() => undefined);
	};

	const watchAttempt = (record: AttemptRecord): void => {
		const reason = watch.lookAttempt(record, context.clock.monotonic());
		if (reason !== undefined) stopFor(reason);
	};

	const perform = createRowPerform(
		run,
		{
			client,
			strict: settings.strict,
			delivery: {
				retries: settings.retries,
				clock: context.clock,
				random: context.random,
				dialect: session.dialect,
				stop: stop.signal,
				pace,
				ignoreMissing: settings.ignoreMissing,
				// A lone request has its retries; a run has to notice that nobody is there.
				...(log === undefined ? {} : { onRetry: watchAttempt }),
			},
			hooks: (row) => ({
				maybeSent: resumed?.maybeSent(row.row) === true,
				...(log === undefined
					? {}
					: {
							onRetry(record) {
								log.attempt(row, record);
								watchAttempt(record);
							},
							...(endpoint.replay === 'delete' ? { beforeSend: () => log.sending(row) } : {}),
						}),
			}),
		},
		log,
	);

	const unlisten = listenForStop(run, counts, total, stopFor, () => progress.clear());
	const startedAt = context.clock.monotonic();
	let failure: unknown;
	try {
		await runEngine({
			rows: rowsToSend(run, resumed, take),
			concurrency: settings.concurrency,
			stop: stop.signal,
			perform,
			record(raw, row) {
				const outcome = scrub(raw, row);
				const reason = watch.look(outcome);
				if (reason !== undefined) stopFor(reason);
				// A row that was held back by the stop has no outcome: a resume sends it.
				return stop.signal.aborted && isUntouched(outcome) ? undefined : take(outcome);
			},
		});
	} catch (error) {
		failure = error;
	} finally {
		unlisten();
		progress.done();
	}
	counts['not-sent'] += Math.max(0, total - totalOf(counts));
	const exitCode = exitCodeOf(counts, stopped?.kind === 'signal');
	const resumable = counts['not-sent'] + counts.unknown + counts.unauthorized > 0 || failure !== undefined;
	const ended: Ended = { counts, exitCode, stopped, ms: context.clock.monotonic() - startedAt, resumable };
	// The first error is the one to tell, and none of them keeps the others from their work.
	for (const step of [
		() => log?.end(ended),
		() => results.end(),
		() => failures.end(ended, log?.id),
		() => log?.report(ended),
		() => writeSummary(run, ended, log),
	]) {
		try {
			await step();
		} catch (error) {
			failure ??= error;
		}
	}
	if (failure !== undefined) throw failure;
	return { exitCode, resumable };
}

/** What a run says on stderr beside its results: progress, the news of a stop, and the last line. */

import { type Counts, outcomeNames, rowsToMend, totalOf } from '../../bulk/counts.js';
import type { StopReason } from '../../bulk/stop.js';
import { ExitCode } from '../../errors.js';
import type { Clock, Context } from '../../io/context.js';
import type { Progress, ProgressCounts } from '../../output/progress.js';
import { sanitise } from '../../output/sanitise.js';
import { stderrPalette } from '../palette.js';
import { wantsJson } from '../results.js';
import type { Ended } from './ended.js';
import { stepAfterStop, whyStopped } from './failures.js';
import type { PreparedRun } from './prepare.js';
import type { RunLog } from './run-log.js';

const noProgress: Progress = { update() {}, clear() {}, done() {} };

/** How often progress is shown anew while no row comes to its end, in milliseconds. */
const REFRESH_MS = 1000;

/**
 * A run of one row has no progress to show.
 * @param pauseMs How long the run holds still at present, in milliseconds.
 */
export async function openProgress(
	run: PreparedRun,
	total: number,
	start: number,
	pauseMs: () => number,
): Promise<Progress> {
	if (total <= 1 || run.settings.quiet) return noProgress;
	const { createProgress } = await import('../../output/progress.js');
	const { stderr, clock, env } = run.invocation.context;
	const redraws = stderr.isTTY && env.TERM !== 'dumb';
	const palette = await stderrPalette(run.invocation);
	const progress = createProgress({ stderr, redraws, clock, total, start, palette });
	return refreshed(progress, clock, pauseMs);
}

/** Progress that goes on telling the time, and what the run waits for, when a pause leaves it without outcomes. */
function refreshed(progress: Progress, clock: Clock, pauseMs: () => number): Progress {
	const over = new AbortController();
	let last: ProgressCounts | undefined;

	async function refresh(): Promise<void> {
		while (!over.signal.aborted) {
			await clock.sleep(REFRESH_MS, over.signal);
			if (last === undefined || over.signal.aborted) continue;
			const seconds = Math.round(pauseMs() / 1000);
			progress.update(seconds < 1 ? last : { ...last, note: `waiting ${seconds} s for the service` });
		}
	}

	return {
		update(counts) {
			if (last === undefined) void refresh();
			last = counts;
			progress.update(counts);
		},
		clear: () => progress.clear(),
		done() {
			over.abort();
			progress.done();
		},
	};
}

/** What a signal is told with, and whom it tells. */
export interface StopListener {
	/** How many rows have no outcome yet. */
	open(): number;
	/** The run, where it can be resumed. */
	runId: string | undefined;
	stop(reason: StopReason): void;
	/** Takes the bar away before a line is written. */
	clear(): void;
}

/** The first signal stops sending and waits for what is in flight; the second leaves at once. */
export function listenForStop(context: Context, { open, runId, stop, clear }: StopListener): () => void {
	let signals = 0;
	return context.signals.listen((signal) => {
		clear();
		if (++signals > 1) {
			const left =
				runId === undefined ? '' : `; the journal has every answer that came: supportctl run resume ${runId}`;
			context.stderr.write(`leaving at once${left}\n`);
			context.abandon(ExitCode.interrupted);
			return;
		}
		const left = open();
		context.stderr.write(
			`${signal}: nothing more is sent (${left} ${left === 1 ? 'row' : 'rows'} open), waiting for what is in flight; again to leave at once\n`,
		);
		stop({ kind: 'signal' });
	});
}

function countsText(counts: Counts): string {
	const parts = outcomeNames
		.filter((name) => counts[name] > 0)
		.map((name) => `${counts[name]} ${name.replace('-', ' ')}`);
	return parts.length === 0 ? 'no rows' : parts.join(', ');
}

function seconds(ms: number): string {
	return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/** The last line: counts, time, and what to do next. Nothing for a single request or under `--quiet`. */
export async function writeSummary(run: PreparedRun, ended: Ended, log: RunLog | undefined): Promise<void> {
	const { settings, invocation, session } = run;
	const { stderr } = invocation.context;
	const { counts, stopped } = ended;
	if (
		log === undefined ||
		(settings.quiet && stopped === undefined) ||
		(wantsJson(invocation.options) && settings.quiet)
	)
		return;
	const palette = await stderrPalette(invocation);
	if (stopped !== undefined) {
		stderr.write(`${palette.bad(sanitise(whyStopped(stopped)))}\n`);
		const step = stepAfterStop(stopped, session.connection);
		if (step !== undefined) stderr.write(`  ${step}\n`);
	}
	if (ended.resumable) stderr.write(`to go on: ${palette.command(`supportctl run resume ${log.id}`)}\n`);
	if (rowsToMend(counts) > 0) {
		stderr.write(`to mend the rows that failed: ${palette.command(`supportctl run rejects ${log.id} --format csv`)}\n`);
	}
	const total = totalOf(counts);
	const rows = `${total} ${total === 1 ? 'row' : 'rows'}`;
	stderr.write(`run ${log.id} on ${session.host}: ${rows} in ${seconds(ended.ms)}: ${countsText(counts)}\n`);
}

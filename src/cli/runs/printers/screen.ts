/** What people and programs see of a run: results on stdout, messages and progress on stderr. */

import { type Counts, totalOf } from '../../../bulk/journal/counts.js';
import type { Ended, RunEvent, Started } from '../../../bulk/run/events.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import type { Extent } from '../../../bulk/run/setup.js';
import type { Survey } from '../../../bulk/run/survey.js';
import type { RowOutcome } from '../../../http/outcome.js';
import { openPalette, type Palette } from '../../../output/colour.js';
import { createProgress, type Progress } from '../../../output/progress.js';
import type { listenForStop } from '../../interruption.js';
import { createSentResults, openResults } from '../../results.js';
import { lostResults, printTrouble } from '../failures.js';
import { outcomeShape, outcomeView } from '../outcomes.js';
import type { RunJob } from '../plan.js';
import { writeReports } from '../reports.js';
import { jsonMessages, noteColumns, textMessages } from './messages.js';
import { createPreview } from './preview.js';
import { createSeen, needsAttention, SHOWN, type View, viewOf } from './view.js';

/** A table shows all of so many rows. */
const WHOLE_TABLE_ROWS = 50;

const MOST_COMPLAINTS = 10_000;

/** Shorter pauses of the service are not worth a note. */
const PAUSE_MS = 500;

export async function createScreen(job: RunJob, extent: Extent, signals: ReturnType<typeof listenForStop>) {
	const { plan, invocation } = job;
	const view = viewOf(job);
	const seen = createSeen();
	const palette = await openPalette(invocation.context, invocation.context.stderr);
	const messages = (view.json ? jsonMessages : textMessages)(job, view, seen, palette);
	const progress = createRunProgress(job, view, palette);
	const preview = extent === 'send' ? undefined : createPreview(job);
	let results: ReturnType<typeof createSentResults> | undefined;
	let journal: Started['journal'];
	let remarks = 0;
	let isSurveyed = false;

	/** A bad column or query leaves no run behind. */
	async function showSurvey(survey: Survey, rows: PlannedRows): Promise<void> {
		isSurveyed = true;
		seen.inputName = rows.input?.name ?? seen.inputName;
		seen.hidesGood = view.isTable && !view.isRead && survey.selected > WHOLE_TABLE_ROWS;
		noteColumns(job, rows);
		if (survey.invalid > 0) messages.invalid(survey);
		if (survey.invalid > 0 && !plan.skipInvalid) return;
		if (preview !== undefined) return await preview.open(survey);
		const shape = await outcomeShape(job, [...survey.fields]);
		shape.beforeWrite = progress.clear;
		shape.onPager = view.isRead && progress.end;
		results = createSentResults(await openResults(invocation, shape));
	}

	function showStart({ total, counts: before, control, ...started }: Started): void {
		journal = started.journal;
		seen.header = journal?.header;
		signals.work = {
			stop: () => control.stop({ kind: 'signal' }),
			open: control.open,
			clear: progress.clear,
			resume: journal === undefined ? undefined : `supportctl run resume ${journal.header.id}`,
		};
		progress.start(total, before);
	}

	function showRow(outcome: RowOutcome): Promise<void> | void {
		const isBad = needsAttention(outcome);
		let isListed = false;
		if (isBad) {
			seen.groups.add(outcome);
			seen.failures++;
			isListed = seen.failures <= SHOWN;
		} else if (outcome.warnings !== undefined || outcome.differs !== undefined) {
			remarks++;
			isListed = remarks <= SHOWN;
		}
		if (isListed && view.listsFailures) {
			progress.clear();
			const advice = printTrouble(job, outcome, palette, view.isLone);
			if (advice !== undefined) seen.advices.add(advice);
		}
		// The error of a lone row says it all.
		const isPrinted = view.isLone && view.isTable ? !isBad : !seen.hidesGood || isListed;
		return isPrinted ? results?.row(outcomeView(outcome)) : undefined;
	}

	/** Everything else is shown if a part can't be. */
	async function showEnd(ended: Ended): Promise<void> {
		let { failure } = ended;
		const unprinted = await results?.end();
		if (unprinted !== undefined) failure ??= lostResults(unprinted, job, ended.exitCode);
		messages.ended(ended);
		try {
			await writeReports(job, journal, ended);
		} catch (error) {
			failure ??= error;
		}
		if (failure !== undefined) throw failure;
	}

	function show(event: RunEvent): Promise<void> | void {
		switch (event.type) {
			case 'complaint':
				seen.reasons.add(event.complaint);
				if (seen.complaints.length < MOST_COMPLAINTS) seen.complaints.push(event.complaint);
				return;
			case 'surveyed':
				return showSurvey(event.survey, event.rows);
			case 'planned':
				return preview?.print(event.row, event.change);
			case 'previewed':
				return preview?.end(event);
			case 'started':
				return showStart(event);
			case 'row': {
				const printed = showRow(event.outcome);
				progress.draw(event.counts);
				return printed;
			}
			case 'tick':
				return progress.draw(event.counts, event.pauseMs);
			case 'stopped':
				return progress.clear();
			case 'settled':
				return progress.end();
			case 'ended':
				return showEnd(event);
		}
	}
	/** Before the error itself is shown. */
	function beforeError(error: unknown): void {
		if (!isSurveyed) messages.unreadable(error);
	}
	return { show, beforeError };
}

function createRunProgress({ tuning, invocation }: RunJob, { json }: View, palette: Palette) {
	const { context, options } = invocation;
	let progress: Progress | undefined;
	return {
		start(total: number, counts: Counts): void {
			if (total <= 1 || tuning.quiet || json) return;
			progress = createProgress(context, { total, start: totalOf(counts), palette, verbose: options.verbose });
		},
		draw(counts: Counts, pauseMs = 0): void {
			if (progress === undefined) return;
			const { failed, unknown } = counts;
			const note = pauseMs < PAUSE_MS ? undefined : `waiting ${Math.round(pauseMs / 1000)} s for the service`;
			progress.update({ done: totalOf(counts), failed, unknown, note });
		},
		clear: (): void => progress?.clear(),
		end(): void {
			progress?.done();
			progress = undefined;
		},
	};
}

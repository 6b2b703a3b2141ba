/** What people and programs see of a run: results on stdout, messages and progress on stderr. */

import type { Complaint } from '../../../bulk/input/rows.js';
import { type Counts, totalOf } from '../../../bulk/journal/counts.js';
import type { Ended, RunEvent, Started } from '../../../bulk/run/events.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import type { Extent } from '../../../bulk/run/setup.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { UsageError } from '../../../errors.js';
import { type RowOutcome, wentWrong } from '../../../http/outcome.js';
import { openPalette } from '../../../output/colour.js';
import { createProgress, type Progress } from '../../../output/progress.js';
import { annotate } from '../../../output/sanitise.js';
import type { listenForStop } from '../../interruption.js';
import { createSentResults, isOwnTable, openResults, SHOWN, wantsJson } from '../../results.js';
import { lostResults, printTrouble } from '../failures.js';
import { outcomeShape, outcomeView } from '../outcomes.js';
import type { RunJob } from '../plan.js';
import { writeReports } from '../reports.js';
import { addTo, createSeen, jsonMessages, noteColumns, textMessages } from './messages.js';
import { createPreview } from './preview.js';

/** A table shows all of so many rows. */
const WHOLE_TABLE_ROWS = 50;

const MOST_COMPLAINTS = 10_000;

const PAUSE_MS = 500;

export async function createScreen(job: RunJob, extent: Extent, signals: ReturnType<typeof listenForStop>) {
	const { endpoint, plan, tuning, session, context, options } = job;
	const isJson = wantsJson(options);
	const isTable = isOwnTable(job, session.connection.settings.format);
	const listsFailures = !isJson && (!isTable || context.env.GITHUB_ACTIONS === 'true');
	const isRead = endpoint.replay === 'read';
	const seen = createSeen();
	const palette = await openPalette(context, context.stderr);
	const messages = isJson ? jsonMessages(job, seen) : textMessages(job, seen, palette);
	const preview = extent === 'send' ? undefined : createPreview(job);
	let progress: Progress | undefined;
	let results: ReturnType<typeof createSentResults> | undefined;
	let journal: Started['journal'];
	/** A long table has only rows that need attention. */
	let hidesGood = false;
	let remarks = 0;
	let isSurveyed = false;

	function addComplaint(complaint: Complaint): void {
		addTo(seen.reasons, `${complaint.column} ${complaint.message}`, complaint);
		if (seen.complaints.length < MOST_COMPLAINTS) seen.complaints.push(complaint);
	}

	/** A bad column or query leaves no run behind. */
	async function showSurvey(survey: Survey, rows: PlannedRows): Promise<void> {
		isSurveyed = true;
		hidesGood = isTable && !isRead && survey.selected > WHOLE_TABLE_ROWS;
		seen.isAllPrinted = !(listsFailures || hidesGood);
		noteColumns(job, rows);
		if (survey.invalid > 0) messages.invalid(survey);
		if (survey.invalid > 0 && !plan.skipInvalid) return;
		if (preview !== undefined) return await preview.open(survey);
		const shape = outcomeShape(job, [...survey.fields]);
		shape.beforeWrite = clearProgress;
		shape.onPager = isRead && endProgress;
		results = createSentResults(await openResults(job, shape));
	}

	function showStart({ total, counts, control, ...started }: Started): void {
		journal = started.journal;
		seen.header = journal?.header;
		signals.work = {
			stop: () => control.stop({ kind: 'signal' }),
			open: control.open,
			clear: clearProgress,
			resume: journal === undefined ? undefined : `supportctl run resume ${journal.header.id}`,
		};
		if (total <= 1 || tuning.quiet || isJson) return;
		progress = createProgress(context, { total, start: totalOf(counts), palette, verbose: options.verbose });
	}

	function showRow(outcome: RowOutcome): Promise<void> | void {
		let isListed = false;
		if (wentWrong(outcome) || outcome.outcome === 'differs') {
			const { outcome: name, status, code } = outcome;
			addTo(seen.groups, `${name} ${status} ${code}`, outcome);
			seen.failures++;
			isListed = seen.failures <= SHOWN;
		} else if (outcome.warnings !== undefined || outcome.differs !== undefined) {
			remarks++;
			isListed = remarks <= SHOWN;
		}
		if (isListed && listsFailures) {
			clearProgress();
			const advice = printTrouble(job, outcome, palette, false);
			if (advice !== undefined) seen.advices.add(advice);
		}
		return !hidesGood || isListed ? results?.row(outcomeView(outcome)) : undefined;
	}

	function clearProgress(): void {
		progress?.clear();
	}

	function endProgress(): void {
		progress?.done();
		progress = undefined;
	}

	function drawProgress(counts: Counts, pauseMs = 0): void {
		const { failed, unknown } = counts;
		const note = pauseMs < PAUSE_MS ? undefined : `waiting ${Math.round(pauseMs / 1000)} s for the service`;
		progress?.update({ done: totalOf(counts), failed, unknown, note });
	}

	/** Everything else is shown if a part can't be. */
	async function showEnd(ended: Ended): Promise<void> {
		let { failure } = ended;
		endProgress();
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
				return addComplaint(event.complaint);
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
				drawProgress(event.counts);
				return printed;
			}
			case 'tick':
				return drawProgress(event.counts, event.pauseMs);
			case 'ended':
				return showEnd(event);
		}
	}

	function beforeError(error: unknown): void {
		if (!isSurveyed) messages.unreadable(error);
		if (!(error instanceof UsageError) || typeof error.data.line !== 'number') return;
		const file = options.input === '-' ? undefined : options.input;
		annotate(context, { file, line: error.data.line, title: 'the input is invalid', message: error.message });
	}
	return { show, beforeError };
}

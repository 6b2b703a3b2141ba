/** What people and programs see of a run: results on stdout, messages and progress on stderr. */

import { type Counts, totalOf } from '../../../bulk/journal/counts.js';
import type { Ended, RunEvent, Started } from '../../../bulk/run/events.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import { type Extent, extents } from '../../../bulk/run/setup.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { fileOf } from '../../../bulk/sources.js';
import { UsageError } from '../../../errors.js';
import type { RowOutcome } from '../../../http/outcome.js';
import { meaningOf } from '../../../http/outcomes.js';
import type { Palette } from '../../../output/colour.js';
import { createProgress, type Progress } from '../../../output/progress.js';
import { annotate, asksForJson } from '../../../output/sanitise.js';
import type { listenForStop } from '../../interruption.js';
import { createSentResults, isOwnTable, openResults, SHOWN } from '../../results.js';
import { lostResults, printTrouble } from '../failures.js';
import type { RunJob } from '../job.js';
import { isBareEdit, outcomeShape, outcomeView } from '../outcomes.js';
import { addTo, JsonMessages, type Messages, Noted, noteColumns, TextMessages } from './messages.js';
import { PreviewScreen } from './preview.js';

/** Up to so many rows, a table on a terminal also shows those that are fine. */
const WHOLE_TABLE_ROWS = 50;

/** Shorter pauses are not worth a note. */
const PAUSE_MS = 500;

export class Screen {
	readonly #isJson: boolean;
	readonly #isSilent: boolean;
	readonly #listsFailures: boolean;
	readonly #noted = new Noted();
	readonly #messages: Messages;
	readonly #preview: PreviewScreen | undefined;
	#progress: Progress | undefined;
	#results: ReturnType<typeof createSentResults> | undefined;
	/** A long table has only rows that need attention. */
	#hidesGood = false;
	#remarks = 0;
	#isSurveyed = false;

	/** @param palette of stderr */
	constructor(
		private readonly job: RunJob,
		extent: Extent,
		private readonly signals: ReturnType<typeof listenForStop>,
		private readonly palette: Palette,
	) {
		const { context } = job;
		this.#isJson = asksForJson(context.argv);
		this.#isSilent = job.options.quiet === true && isBareEdit(job);
		const isTable = isOwnTable(job) && !this.#isSilent;
		this.#listsFailures = !this.#isJson && (!isTable || context.env.GITHUB_ACTIONS === 'true');
		this.#messages = this.#isJson ? new JsonMessages(job, this.#noted) : new TextMessages(job, this.#noted, palette);
		this.#preview = extents[extent].sends ? undefined : new PreviewScreen(job, extent);
	}

	show(event: RunEvent): Promise<void> | void {
		switch (event.type) {
			case 'complaint':
				return this.#messages.complain(event.complaint);
			case 'surveyed':
				return this.#showSurvey(event.survey, event.rows);
			case 'planned':
				return this.#preview?.print(event);
			case 'previewed':
				return this.#preview?.end(event);
			case 'started':
				return this.#showStart(event);
			case 'row': {
				const printed = this.#showRow(event.outcome);
				this.#drawProgress(event.counts);
				return printed;
			}
			// Progress tells of pauses.
			case 'retry':
				return;
			case 'tick':
				return this.#drawProgress(event.counts, event.pauseMs);
			case 'ended':
				return this.#showEnd(event);
			default:
				event satisfies never;
		}
	}

	beforeError(error: unknown): void {
		const { context, plan } = this.job;
		if (!this.#isSurveyed) this.#messages.unreadable(error);
		if (!(error instanceof UsageError) || typeof error.data.line !== 'number') return;
		const { line } = error.data;
		annotate(context, { file: fileOf(plan), line, title: 'the input is invalid', message: error.message });
	}

	async #showSurvey(survey: Survey, rows: PlannedRows): Promise<void> {
		this.#isSurveyed = true;
		const isRead = this.job.endpoint.reads;
		this.#hidesGood = isOwnTable(this.job) && !isRead && survey.selected > WHOLE_TABLE_ROWS;
		this.#noted.isAllPrinted = !(this.#listsFailures || this.#hidesGood);
		noteColumns(this.job, rows);
		if (survey.invalid > 0) this.#messages.invalid(survey);
		if (survey.invalid > 0 && !this.job.plan.skipInvalid) return;
		if (this.#preview !== undefined) return await this.#preview.open(survey);
		if (this.#isSilent) return;
		const shape = outcomeShape(this.job, [...survey.fields]);
		shape.beforeWrite = () => this.#progress?.clear();
		shape.onPager = isRead && (() => this.#endProgress());
		this.#results = createSentResults(await openResults(this.job, shape));
	}

	#showStart({ total, counts, control, journal }: Started): void {
		const { context, options, partOf } = this.job;
		this.#noted.journal = journal;
		this.signals.work = {
			stop: () => control.stop({ kind: 'signal' }),
			open: control.open,
			clear: () => this.#progress?.clear(),
			resume: journal && `supportctl run resume ${journal.header.id}`,
		};
		if (total <= 1 || (options.quiet && partOf === undefined) || this.#isJson) return;
		const { palette } = this;
		this.#progress = createProgress(context, { total, start: totalOf(counts), palette, verbose: options.verbose });
	}

	#showRow(outcome: RowOutcome): Promise<void> | void {
		const noted = this.#noted;
		let isListed = false;
		if (outcome.code === 'not_found') noted.notFound.add(outcome, this.job.endpoint.noun);
		// What is invalid was complained about before.
		if (outcome.outcome !== 'invalid' && meaningOf(outcome).attention) {
			const { outcome: name, status, code } = outcome;
			addTo(noted.groups, `${name} ${status} ${code}`, outcome);
			noted.failures++;
			isListed = noted.failures <= SHOWN;
		} else if (outcome.warnings !== undefined || outcome.differs !== undefined) {
			this.#remarks++;
			isListed = this.#remarks <= SHOWN;
		}
		if (isListed && this.#listsFailures) {
			this.#progress?.clear();
			const advice = printTrouble(this.job, outcome, this.palette, false, noted.journal?.header.id);
			if (advice !== undefined) noted.advices.add(advice);
		}
		return !this.#hidesGood || isListed ? this.#results?.row(outcomeView(outcome)) : undefined;
	}

	#endProgress(): void {
		this.#progress?.done();
		this.#progress = undefined;
	}

	#drawProgress(counts: Counts, pauseMs = 0): void {
		const { failed, unknown } = counts;
		const note = pauseMs < PAUSE_MS ? this.job.partOf : `waiting ${Math.round(pauseMs / 1000)} s for the service`;
		this.#progress?.update({ done: totalOf(counts), failed, unknown, note });
	}

	/** Everything else is shown if a part can't be. */
	async #showEnd(ended: Ended): Promise<void> {
		let { failure } = ended;
		this.#endProgress();
		const unprinted = await this.#results?.end();
		if (unprinted !== undefined) failure ??= lostResults(unprinted, this.job, ended.exitCode);
		this.#messages.ended(ended);
		if (failure !== undefined) throw failure;
	}
}

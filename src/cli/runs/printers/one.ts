/** What people and programs see of a run of one object that the command line names: its result, or what went wrong. */

import type { Complaint } from '../../../bulk/input/rows.js';
import { exitCodeOfOne } from '../../../bulk/journal/counts.js';
import type { Ended, RunEvent, Started } from '../../../bulk/run/events.js';
import { whyStopped } from '../../../bulk/run/stop.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { andNothingSent, ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { RowOutcome } from '../../../http/outcome.js';
import type { Palette } from '../../../output/colour.js';
import type { listenForStop } from '../../interruption.js';
import { createSentResults, isOwnTable, openResults } from '../../results.js';
import { lostResults, printTrouble } from '../failures.js';
import type { RunJob } from '../job.js';
import { isBareEdit, outcomeShape, outcomeView } from '../outcomes.js';

export class OneScreen {
	readonly #complaints: Complaint[] = [];
	#results: ReturnType<typeof createSentResults> | undefined;
	#hasRow = false;
	#runId: string | undefined;

	/** @param palette of stderr */
	constructor(
		private readonly job: RunJob,
		private readonly signals: ReturnType<typeof listenForStop>,
		private readonly palette: Palette,
	) {}

	show(event: RunEvent): Promise<void> | void {
		switch (event.type) {
			case 'complaint':
				this.#complaints.push(event.complaint);
				return;
			case 'surveyed':
				return this.#showSurvey(event.survey);
			case 'started':
				return this.#showStart(event);
			case 'retry':
				return this.job.session.sending.onRetry?.(event.attempt, event.waitMs);
			case 'row':
				return this.#showRow(event.outcome);
			case 'ended':
				return this.#showEnd(event);
			// Progress is for many rows, and dry runs have a screen of their own.
			case 'tick':
			case 'planned':
			case 'previewed':
				return;
			default:
				event satisfies never;
		}
	}

	beforeError(): void {}

	async #showSurvey(survey: Survey): Promise<void> {
		const [first] = this.#complaints;
		if (first !== undefined && !this.job.plan.skipInvalid) {
			throw new UsageError(andNothingSent(first.message), { code: 'unknown_name' });
		}
		if (this.job.options.quiet === true && isBareEdit(this.job)) return;
		this.#results = createSentResults(await openResults(this.job, outcomeShape(this.job, [...survey.fields])));
	}

	#showStart({ control, journal }: Started): void {
		this.#runId = journal?.header.id;
		this.signals.work = {
			stop: () => control.stop({ kind: 'signal' }),
			open: control.open,
			resume: journal && `supportctl run resume ${journal.header.id}`,
		};
	}

	#showRow(outcome: RowOutcome): Promise<void> | void {
		this.#hasRow = true;
		const isFine = exitCodeOfOne(outcome) === ExitCode.ok;
		if (!isFine || outcome.warnings !== undefined || outcome.differs !== undefined) {
			printTrouble(this.job, outcome, this.palette, true, this.#runId);
		}
		// On a terminal the error says it all.
		if (isFine || !isOwnTable(this.job)) return this.#results?.row(outcomeView(outcome));
	}

	async #showEnd({ failure, exitCode, stopped }: Ended): Promise<void> {
		const unprinted = await this.#results?.end();
		if (failure !== undefined) throw failure;
		if (unprinted !== undefined) throw lostResults(unprinted, this.job, exitCode);
		if (this.#hasRow || stopped === undefined) return;
		const { adviceAfter } = await import('./messages.js');
		const message = `${whyStopped(stopped)}; nothing was written`;
		throw new SupportctlError(message, exitCode, { code: stopped.kind, hint: adviceAfter(stopped, this.job) });
	}
}

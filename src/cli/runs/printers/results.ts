/** The outcomes of a run on stdout. */

import { type Counts, exitCodeOf } from '../../../bulk/journal/counts.js';
import type { RunEvent } from '../../../bulk/run/events.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { ExitCode } from '../../../errors.js';
import type { RowOutcome } from '../../../http/outcome.js';
import { createSentResults, openResults } from '../../results.js';
import { lostResults, outcomeShape, outcomeView } from '../outcomes.js';
import type { RunJob } from '../plan.js';
import { createTroubleCount, needsAttention, SHOWN, type View } from './view.js';

export function createResultsPrinter(job: RunJob, view: View, progress: { clear(): void; end(): void }) {
	const { plan, invocation } = job;
	const troubles = createTroubleCount();
	let results: ReturnType<typeof createSentResults> | undefined;
	let hidesGood = false;
	let counts: Counts | undefined;

	/** A bad column or query leaves no run behind. @throws UsageError */
	async function open(survey: Survey): Promise<void> {
		if (survey.invalid > 0 && !plan.skipInvalid) return;
		hidesGood = view.hidesGood(survey);
		results = createSentResults(
			await openResults(invocation, {
				...(await outcomeShape(job, [...survey.fields])),
				beforeWrite: progress.clear,
				onPager: view.isRead && progress.end,
				exitCodeSoFar: () => (counts === undefined ? ExitCode.ok : exitCodeOf(counts)),
			}),
		);
	}

	function print(outcome: RowOutcome): Promise<void> | void {
		const place = troubles.place(outcome);
		const isPrinted =
			view.isLone && view.isTable ? !needsAttention(outcome) : !hidesGood || (place > 0 && place <= SHOWN);
		return isPrinted ? results?.row(outcomeView(outcome)) : undefined;
	}

	return (event: RunEvent): Promise<void> | void => {
		switch (event.type) {
			case 'surveyed':
				return open(event.survey);
			case 'row':
				counts = event.counts;
				return print(event.outcome);
			case 'ended':
				return results?.end().then((unprinted) => {
					if (unprinted !== undefined) throw lostResults(unprinted, job, event.exitCode);
				});
			case 'complaint':
			case 'planned':
			case 'previewed':
			case 'started':
			case 'retry':
			case 'tick':
			case 'stopped':
			case 'settled':
				return;
			default:
				event satisfies never;
		}
	};
}

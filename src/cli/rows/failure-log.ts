/** Which outcomes are printed and which are told on stderr, so that a person sees what went wrong and not a hundred thousand lines. */

import { outcomeAnnotation, writeAnnotation } from '../../bulk/annotations.js';
import { differences } from '../../bulk/records.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { type Outcome, wentWrong } from '../../http/outcome.js';
import type { Palette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { printedIds } from '../../output/outcome-view.js';
import { sanitise } from '../../output/sanitise.js';
import { chosenFormat, wantsJson } from '../results.js';
import type { Ended } from './ended.js';
import { describeFailure, exitCodeOfOutcome, nameRow, nextStep, stepAfterStop, whyStopped } from './failures.js';
import type { PreparedRun } from './prepare.js';

/** How many failed rows of a run are told one by one, and how many remarks on others. */
const SHOWN = 20;
/** Up to so many rows, a terminal's table of writes shows the good ones too. */
const WHOLE_TABLE_ROWS = 50;

export interface FailureLog {
	/** Whether the outcome belongs to the printed results. */
	prints(outcome: Outcome): boolean;
	/** Whether `add` would write anything. */
	shows(outcome: Outcome): boolean;
	add(outcome: Outcome): void;
	/** Says what was not told; to programs, the whole in one object. */
	end(ended: Ended, runId: string | undefined): void;
}

/** Whether a row is an error to report, and not a remark on a row that went well. */
const isError = (outcome: Outcome): boolean => wentWrong(outcome) || outcome.outcome === 'differs';

/** Whether nobody said what results shall look like, so that they are a table for a person. */
function isLeftToUs({ invocation: { options }, session }: PreparedRun): boolean {
	const { format } = session.connection.defaults;
	const picks = [options.field, options.fields, options.query].some((each) => each !== undefined);
	return chosenFormat(options) === undefined && (format === undefined || format === 'table') && !picks;
}

export function createFailureLog(run: PreparedRun, total: number, palette: Palette): FailureLog {
	const { invocation, definition, targets, source } = run;
	const { context, options } = invocation;
	const json = wantsJson(options);
	const isLone = targets.ids?.length === 1;
	const ownTable = context.stdout.isTTY && isLeftToUs(run);
	// What was read, or asked for in a form of one's own, is printed whole.
	const hidesGood = ownTable && run.endpoint.replay !== 'read' && total > WHOLE_TABLE_ROWS;
	const annotates = context.env.GITHUB_ACTIONS === 'true';
	const view = { json, debug: options.debug === true, palette };
	const noun = run.endpoint.noun;
	let badTold = 0;
	let remarked = 0;

	const hasRemark = (outcome: Outcome): boolean =>
		isError(outcome) || (outcome.differs?.length ?? 0) > 0 || (outcome.warnings?.length ?? 0) > 0;

	function writeError(outcome: Outcome): void {
		const { message, details } = describeFailure(outcome, definition.verb, noun);
		const code = exitCodeOfOutcome(outcome);
		const hint = nextStep(outcome, run.endpoint.replay === 'read', run.session.connection);
		const data = {
			...printedIds(outcome.ids),
			...(outcome.status === undefined ? {} : { status: outcome.status }),
			outcome: outcome.outcome,
			attempts: outcome.attempts,
			...(outcome.reasons === undefined ? {} : { reasons: outcome.reasons }),
			...(outcome.differs === undefined ? {} : { differs: outcome.differs }),
		};
		const error = new SupportctlError(message, code, {
			code: outcome.code ?? outcome.outcome,
			details,
			data,
			...(hint === undefined ? {} : { hint }),
		});
		context.stderr.write(renderError(error, view));
	}

	function writeRemark(outcome: Outcome): void {
		const name = nameRow(outcome, noun);
		const where = isLone ? name : `row ${outcome.row} (${name})`;
		for (const remark of [...differences(outcome), ...(outcome.warnings ?? [])]) {
			context.stderr.write(`${sanitise(`warning: ${where}: ${remark}`)}\n`);
		}
	}

	return {
		prints: (outcome) => {
			if (ownTable && isLone) return !wentWrong(outcome);
			return !hidesGood || hasRemark(outcome);
		},
		shows: (outcome) =>
			hasRemark(outcome) &&
			(isLone || ((isError(outcome) ? badTold : remarked) < SHOWN && (annotates || !(json || ownTable)))),
		add(outcome) {
			if (isError(outcome)) badTold++;
			else remarked++;
			if (annotates) {
				const annotation = outcomeAnnotation(outcome, source.file);
				if (annotation !== undefined) writeAnnotation(context.stderr, annotation);
			}
			// JSON readers get one object at the end; a lone row's error is that object.
			if (json && !isLone) return;
			if (isError(outcome)) writeError(outcome);
			else if (!json) writeRemark(outcome);
		},
		end({ counts, exitCode, stopped, resumable }, runId) {
			if (isLone || exitCode === ExitCode.ok) return;
			const bad = counts.differs + counts.failed + counts.unknown + counts['not-sent'] + counts.invalid;
			if (json) {
				const why = stopped === undefined ? '' : `${whyStopped(stopped)}; `;
				const step = stopped === undefined ? undefined : stepAfterStop(stopped, run.session.connection);
				const resume = resumable && runId !== undefined ? `supportctl run resume ${runId} goes on` : undefined;
				const hint = [step, resume].filter((each) => each !== undefined).join('; ');
				const error = new SupportctlError(`${why}${bad} of ${total} rows did not succeed`, exitCode, {
					code: 'rows_failed',
					...(hint === '' ? {} : { hint }),
					data: { run: runId, stopped: stopped?.kind, counts },
				});
				context.stderr.write(renderError(error, view));
			} else if (bad > badTold && badTold >= SHOWN) {
				const outcomes = (['differs', 'failed', 'invalid', 'unknown'] as const).filter((name) => counts[name] > 0);
				const which = outcomes.map((name) => ` --outcome ${name}`).join('');
				context.stderr.write(
					`… and ${bad - badTold} more; supportctl run show ${runId ?? 'last'}${which} lists them\n`,
				);
			}
		},
	};
}

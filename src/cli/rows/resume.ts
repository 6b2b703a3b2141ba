/** Goes on with a run: the same command, flags and input; only the rows that are not done. */

import { type Counts, exitCodeOf, openRows } from '../../bulk/counts.js';
import { summariseRun } from '../../bulk/runs.js';
import { type ExitCode, UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { reopenOvertaken } from './overtaken.js';
import { callOf, openPastRun, type PastRun, protectedBy, restoreDefaults } from './past-run.js';
import type { PreparedRun } from './prepare.js';
import { runRows } from './run.js';
import type { Survey } from './survey.js';

/** @throws UsageError where the input, the service or the command is another than the run's. */
export async function resumeRun(invocation: Invocation): Promise<ExitCode> {
	const past = await openPastRun(invocation);
	const { counts, end } = await summariseRun(past.path, past.header.id);
	if (end !== undefined && openRows(end.counts) === 0) {
		invocation.context.stderr.write(`run ${past.header.id} is done: nothing is left to send\n`);
		return exitCodeOf(end.counts);
	}
	const defaults = await restoreDefaults(past, invocation);
	return runRows(past.definition, callOf(past, invocation), {
		journal: past.path,
		protectedBy: protectedBy(past, invocation),
		resumes: {
			defaults,
			checkInput: (run, survey) => checkSameInput(past, run, survey),
			readsItsInput: (run) => run.source.path === past.header.input.path,
			rowsLeft: (survey) => survey.selected + survey.skipped - (counts === undefined ? 0 : doneRows(counts)),
			async openLog(run) {
				const resumed = await (await import('./run-log.js')).resumeRunLog(run, past.path);
				await reopenOvertaken(run, resumed);
				return resumed;
			},
		},
	});
}

/** Rows that are done, empty ones among them; the invalid ones were never to be. */
function doneRows(counts: Counts): number {
	return counts.ok + counts.skipped + counts.failed - counts.unauthorized;
}

function checkSameInput(past: PastRun, run: PreparedRun, survey: Survey): void {
	const { input, id } = past.header;
	if (run.source.sha256 === input.sha256 && survey.rows === input.rows) return;
	throw new UsageError(`${run.source.name} is not what run ${id} was started with; nothing was sent`, {
		code: 'input_changed',
		hint: 'resume with the unchanged input, or start a new run',
		details: [
			`then: ${input.rows} rows, SHA-256 ${input.sha256}`,
			`now: ${survey.rows} rows, SHA-256 ${run.source.sha256 ?? ''}`,
		],
	});
}

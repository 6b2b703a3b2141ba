/** `--report` of a run. */

import { existsSync } from 'node:fs';
import type { Ended, Started } from '../../bulk/run/events.js';
import { inputFileOf, type RowSource } from '../../bulk/run/plan.js';
import { readStart } from '../../folder.js';
import type { RunJob } from './plan.js';

const reports = () => import('../../bulk/reports/write.js');

/** Or those of the run that is resumed. */
function reportsOf({ invocation: { options }, resumes }: RunJob): readonly string[] | undefined {
	return options.report ?? resumes?.header.reports?.filter((text) => isFree(text, resumes.header.id));
}

/** A journal from elsewhere could name any file: only a report of the run is replaced. */
function isFree(text: string, run: string): boolean {
	const path = text.slice(text.indexOf(':') + 1);
	if (!existsSync(path)) return true;
	try {
		return readStart(path).includes(run);
	} catch {
		return false;
	}
}

/** Before the run. @throws UsageError */
export async function checkReports(job: RunJob, source: RowSource): Promise<void> {
	const asked = reportsOf(job);
	if (asked === undefined) return;
	const { plan, resumes, invocation } = job;
	const { options, context } = invocation;
	const { parseReport, checkPlanReports, checkReportPlaces } = await reports();
	const specs = asked.map(parseReport);
	if (options.plan !== undefined) checkPlanReports(specs);
	const files = {
		'the plan': options.plan,
		"the run's input": inputFileOf(source)?.path,
		"the run's journal": options.journal ?? resumes?.path,
		'the journal of the earlier run': 'journal' in plan.source ? plan.source.journal : undefined,
		'where stdout goes': '/dev/stdout',
	};
	await checkReportPlaces(specs, Object.entries(files), context.cwd);
}

/** After the run. @throws FailedError */
export async function writeReports(
	job: RunJob,
	journal: Started['journal'],
	{ counts, exitCode, ms }: Ended,
): Promise<void> {
	const asked = reportsOf(job);
	if (asked === undefined || journal === undefined) return;
	const { clock, cwd } = job.invocation.context;
	const { parseReport, writeReports: write } = await reports();
	const ended = new Date(clock.now()).toISOString();
	const facts = { header: journal.header, journals: [journal.path], counts, exit: exitCode, ms, ended };
	await write(asked.map(parseReport), facts, cwd);
}

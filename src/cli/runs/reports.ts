/** `--report` of a run, and of a saved plan. */

import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Ended, Started } from '../../bulk/run/events.js';
import { inputFileOf, type RowSource } from '../../bulk/run/plan.js';
import { readStart } from '../../folder.js';
import { shellWord } from '../../profile/settings.js';
import type { RunJob } from './plan.js';

const reports = () => import('../../bulk/reports/write.js');

function reportsOf({ options, resumes }: RunJob): readonly string[] | undefined {
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

export async function checkRunReports(job: RunJob, source: RowSource): Promise<void> {
	const asked = reportsOf(job);
	if (asked === undefined) return;
	const { plan, resumes, options, context } = job;
	const files = {
		'the plan': options.plan,
		"the run's input": inputFileOf(source)?.path,
		"the run's journal": options.journal ?? resumes?.path,
		'the journal of the earlier run': 'journal' in plan.source ? plan.source.journal : undefined,
		'where stdout goes': '/dev/stdout',
	};
	const { checkPlanReports, checkReports } = await reports();
	const specs = await checkReports(asked, Object.entries(files), context.cwd);
	if (options.plan !== undefined) checkPlanReports(specs);
}

export async function writeRunReports(job: RunJob, journal: Started['journal'], { counts, ms }: Ended): Promise<void> {
	const asked = reportsOf(job);
	if (asked === undefined || journal === undefined) return;
	const { parseReport, writeReports } = await reports();
	const facts = { header: journal.header, journals: [journal.path], counts, ms };
	await writeReports(asked.map(parseReport), facts, job.context.cwd);
}

export async function writeReportsOnPlan(path: string, texts: readonly string[], cwd: string): Promise<void> {
	const { checkReports, writePlanReports } = await reports();
	const { changesIn, plannedWrites, readPlan } = await import('../../bulk/run/plan-file.js');
	const specs = await checkReports(texts, [['the plan', path]], cwd);
	const { header, sha256 } = readPlan(path);
	const near = relative(cwd, resolve(path));
	const name = shellWord(near.startsWith('..') ? path : near);
	const steps = [['apply it', `supportctl run apply ${name} --digest ${sha256}`]] as const;
	function* rows() {
		for (const planned of plannedWrites(path, header.plan)) {
			const { row, line, ids } = planned;
			yield { row, line, ids, changes: changesIn(planned, header.plan) };
		}
	}
	await writePlanReports(specs, { header, steps, rows: rows() }, cwd);
}

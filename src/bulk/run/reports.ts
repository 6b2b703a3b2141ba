/** `--report` of a run: checked before the first row, written after the last. */

import { existsSync } from 'node:fs';
import { readStart } from '../../folder.js';
import { openRecords } from '../journal/read.js';
import type { Ended, Started } from './events.js';
import { inputFileOf } from './plan.js';
import type { PlannedRows } from './rows.js';
import type { RunSetup } from './setup.js';

const writer = () => import('../reports/write.js');

function reportsOf({ reports, resumes }: RunSetup): readonly string[] | undefined {
	return reports ?? resumes?.header.reports?.filter((text) => isFree(text, resumes.header.id));
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

/** @throws UsageError */
export async function checkRunReports(setup: RunSetup, { source }: PlannedRows): Promise<void> {
	const asked = reportsOf(setup);
	if (asked === undefined) return;
	const { plan, saveTo, journal, resumes, cwd } = setup;
	const files = {
		'the plan': saveTo,
		"the run's input": inputFileOf(source)?.path,
		"the run's journal": journal ?? resumes?.path,
		'the journal of the earlier run': 'journal' in plan.source ? plan.source.journal : undefined,
		'where stdout goes': '/dev/stdout',
	};
	const { checkPlanReports, checkReports } = await writer();
	const specs = await checkReports(asked, Object.entries(files), cwd);
	if (saveTo !== undefined) checkPlanReports(specs);
}

/** @throws FailedError */
export async function writeRunReports(setup: RunSetup, journal: Started['journal'], ended: Ended): Promise<void> {
	const asked = reportsOf(setup);
	if (asked === undefined || journal === undefined) return;
	const { parseReport, writeReports } = await writer();
	const { counts, ms } = ended;
	const file = await openRecords(journal.path);
	try {
		await writeReports(asked.map(parseReport), { header: journal.header, files: [file], counts, ms }, setup.cwd);
	} finally {
		file.close();
	}
}

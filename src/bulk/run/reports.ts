/** `--report` of a run: checked before the first row, written after the last. */

import { existsSync } from 'node:fs';
import { readStart } from '../../folder.js';
import type { RowOutcome } from '../../http/outcome.js';
import { countOutcome, createCounts } from '../journal/counts.js';
import { isOwnJournal } from '../journal/folder.js';
import { openRecords } from '../journal/read.js';
import { type RunHeader, splitReport } from '../plan.js';
import { type LookUp, openChanges } from '../recorded.js';
import { inputFileOf, type RowSource } from '../sources.js';
import type { Ended, Started } from './events.js';
import { leavesTexts } from './left-behind.js';
import type { PlannedRows } from './rows.js';
import { extents, type RunSetup } from './setup.js';

const writer = () => import('../reports/write.js');

interface Reports {
	asked: readonly string[];
	/** Of a resumed run, and not to be written by it. */
	refused: readonly { text: string; why: string }[];
}

/** A journal from elsewhere could name any file: a resume writes the reports that a run of ours named. */
function reportsOf({ work: { reports, resumes }, means: { stateDir } }: RunSetup): Reports {
	if (reports !== undefined || resumes === undefined) return { asked: reports ?? [], refused: [] };
	const { header, path } = resumes;
	const named = header.reports ?? [];
	if (!isOwnJournal(stateDir, header.id, path)) {
		return { asked: [], refused: named.map((text) => ({ text, why: "the journal isn't one of your state folder" })) };
	}
	const taken = named.filter((text) => !isFree(text, header.id));
	return {
		asked: named.filter((text) => !taken.includes(text)),
		refused: taken.map((text) => ({ text, why: "the file isn't a report of this run" })),
	};
}

/** Only a report of the run is replaced. */
function isFree(text: string, run: string): boolean {
	const { path } = splitReport(text);
	if (!existsSync(path)) return true;
	try {
		return readStart(path).includes(run);
	} catch {
		return false;
	}
}

/** @throws UsageError */
export async function checkRunReports(setup: RunSetup, { source }: PlannedRows): Promise<void> {
	const { asked, refused } = reportsOf(setup);
	const { work, means } = setup;
	for (const { text, why } of refused) means.warn(`not writing ${text}: ${why}; to write it: --report ${text}`);
	if (asked.length === 0) return;
	const { checkPlanReports, checkReports } = await writer();
	const specs = await checkReports(asked, takenFiles(setup, source), means.cwd);
	if (work.saveTo !== undefined) checkPlanReports(specs);
}

/** No report may replace these. */
function takenFiles({ work }: RunSetup, source: RowSource): (readonly [what: string, path: string | undefined])[] {
	const { plan, saveTo, journal, resumes } = work;
	return Object.entries({
		'the plan': saveTo,
		"the run's input": inputFileOf(source)?.path,
		"the run's journal": journal ?? resumes?.path,
		'the journal of the earlier run': 'journal' in plan.source ? plan.source.journal : undefined,
		'where stdout goes': '/dev/stdout',
	});
}

/** @throws FailedError */
export async function writeRunReports(setup: RunSetup, journal: Started['journal'], ended: Ended): Promise<void> {
	const { asked } = reportsOf(setup);
	if (asked.length === 0 || journal === undefined) return;
	const { parseReport, showChanges, writeReports } = await writer();
	const { counts, ms } = ended;
	const specs = asked.map(parseReport);
	const file = await openRecords(journal.path);
	const changes = showChanges(specs) ? await openChanges(journal.path, lookUpIn(setup, ended)) : undefined;
	try {
		const files = [{ ...file, changes }];
		const leaves = leavesTexts(file.scan.leaves, counts.ok);
		await writeReports(specs, { header: journal.header, files, counts, ms, leaves }, setup.means.cwd);
	} finally {
		changes?.close();
		file.close();
	}
}

/** Names that the run did not meet; a run that was stopped asks nothing more. */
function lookUpIn({ means: { directories } }: RunSetup, { stopped }: Ended): LookUp {
	return async (_header, fields, objects) => {
		if (stopped !== undefined) return undefined;
		await directories.learn(fields, objects);
		return directories.nameOf;
	};
}

/** A pull request also shows why. @param rows those that are wrong @throws FailedError, UsageError */
export async function writeRefusal(
	setup: RunSetup,
	header: RunHeader,
	rows: readonly RowOutcome[],
	why: string,
): Promise<void> {
	const { asked } = reportsOf(setup);
	if (asked.length === 0 || (!extents[setup.work.extent].sends && setup.work.saveTo === undefined)) return;
	const { checkReports, writeReports } = await writer();
	const specs = await checkReports(asked, takenFiles(setup, header.plan.source), setup.means.cwd);
	const counts = createCounts();
	for (const row of rows) countOutcome(counts, row);
	const file = { scan: { counts }, ticks: [], records: () => rows };
	await writeReports(specs, { header, files: [file], counts, ms: 0, next: [], refused: why }, setup.means.cwd);
}

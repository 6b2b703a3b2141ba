/** `--report` of a saved plan. */

import { relative, resolve } from 'node:path';
import type { RunHeader } from '../../bulk/run/plan.js';
import { changesIn, plannedWrites, readPlan } from '../../bulk/run/plan-file.js';
import { shellWord } from '../../profile/settings.js';

/** Writes reports on a plan. @throws UsageError for a format that has outcomes, FailedError */
export async function writeReportsOnPlan(path: string, texts: readonly string[], cwd: string): Promise<void> {
	const { checkReportPlaces, parseReport, writePlanReports } = await import('../../bulk/reports/write.js');
	const specs = texts.map(parseReport);
	await checkReportPlaces(specs, [['the plan', path]], cwd);
	const { header, sha256 } = readPlan(path);
	const { plan, who, note } = header;
	const near = relative(cwd, resolve(path));
	const name = shellWord(near.startsWith('..') ? path : near);
	const steps = [['apply it', `supportctl run apply ${name} --digest ${sha256}`]] as const;
	await writePlanReports(specs, { header, by: madeBy(who), note, steps, rows: rowsOf(path, plan) }, cwd);
}

function* rowsOf(path: string, plan: RunHeader['plan']) {
	for (const planned of plannedWrites(path, plan)) {
		const { row, line, ids } = planned;
		yield { row, line, ids, changes: changesIn(planned, plan) };
	}
}

/** `ada on laptop (account ada@desk.example)` */
export function madeBy(who: RunHeader['who']): string | undefined {
	if (who === undefined) return undefined;
	const account = who.account === undefined ? '' : ` (account ${who.account})`;
	return `${who.user} on ${who.host}${account}`;
}

/** Saved plans as people look at them: what would change, who made them, and reports. */

import { basename, relative, resolve } from 'node:path';
import { plural } from '../../api/names.js';
import { chooseEndpoint } from '../../api/plan.js';
import type { PlannedWrite } from '../../bulk/run/events.js';
import { commandOf, type RunHeader, sourceName } from '../../bulk/run/plan.js';
import { plannedWrites, readPlan } from '../../bulk/run/plan-file.js';
import { changesIn } from '../../bulk/run/planned.js';
import type { Row } from '../../output/columns.js';
import { escapeJson, sanitise } from '../../output/sanitise.js';
import { shellWord } from '../../profile/settings.js';
import type { Invocation } from '../command.js';
import { printAll, wantsJson } from '../results.js';
import { printedIds } from './outcomes.js';
import { changeLines } from './printers/preview.js';

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

function madeBy(who: RunHeader['who']): string | undefined {
	if (who === undefined) return undefined;
	const account = who.account === undefined ? '' : ` (account ${who.account})`;
	return `${who.user} on ${who.host}${account}`;
}

/** `run show FILE` of a plan. */
export async function showPlan(invocation: Invocation, path: string): Promise<void> {
	const { context, options } = invocation;
	const { header, sha256, rows } = readPlan(path);
	const { plan, started, who, note } = header;
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const ids = endpoint.parameters.map(({ name }) => name);
	const idColumns = plan.values.ids.taxonomy === undefined && plan.endpoint.startsWith('term.') ? ['taxonomy'] : [];
	const columns = [...idColumns, ...ids, 'field', 'old', 'new'].map((name) => ({ path: name }));
	await printAll(
		invocation,
		{ columns: [...columns, { path: 'message', optional: true }], idOf: ({ id }) => id },
		linesOf(plannedWrites(path, plan), plan),
	);
	const host = new URL(plan.service.baseUrl).host;
	const command = commandOf(plan);
	if (wantsJson(options)) {
		const input = sourceName(plan.source);
		const facts = { plan: path, digest: sha256, rows, command, service: plan.service.baseUrl, input, started };
		context.stderr.write(`${escapeJson(JSON.stringify({ summary: { ...facts, who, note: note ?? null } }))}\n`);
		return;
	}
	const about = [
		`plan ${basename(path)}: ${rows} ${plural(endpoint.noun, rows)} on ${host} (${command} of ${sourceName(plan.source)})`,
		`made ${started.slice(0, 16).replace('T', ' ')} UTC${who === undefined ? '' : ` by ${madeBy(who)}`}`,
		...(note === undefined ? [] : [`note: ${note}`]),
		`digest: ${sha256}`,
	];
	for (const line of about) context.stderr.write(`${sanitise(line)}\n`);
}

function* linesOf(writes: Iterable<PlannedWrite>, plan: RunHeader['plan']): Generator<Row> {
	for (const planned of writes) {
		const place = { row: planned.row, ...printedIds(planned.ids) };
		for (const line of changeLines(changesIn(planned, plan))) yield { ...place, ...line };
	}
}

/** What a person is told before a question: what the first rows do, and what all of them come to. */

import { endpoints } from '../../api/endpoints.js';
import { namesTerms } from '../../api/kinds.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { skipped } from '../../http/outcome.js';
import { type Change, changeOf } from '../change.js';
import { LeftRows } from '../left.js';
import { Totals } from '../totals.js';
import type { PastPart } from './resume.js';
import { invalidOutcome, isInvalid, isOwn, type PlannedRow, type PlannedRows, type RunRow } from './rows.js';
import type { Described, RunSetup } from './setup.js';
import type { Survey } from './survey.js';

export async function describeRun(
	setup: RunSetup,
	rows: PlannedRows,
	survey: Survey,
	past: PastPart | undefined,
): Promise<Described> {
	const { plan, resumes } = setup.work;
	const { source } = plan;
	if (source.from === 'plan' && resumes === undefined) {
		const { chosenChanges } = await import('./apply.js');
		return chosenChanges(plan, source, survey.first.length);
	}
	await learnNames(setup, survey);
	const totals = new Totals();
	const left = new LeftRows();
	const { noun } = endpoints[plan.endpoint];
	for await (const row of openRows(setup, rows, past)) {
		if (isInvalid(row)) left.add(invalidOutcome(row), noun);
		else if (row.skip === undefined) totals.add(bareChange(setup, row));
		else left.add({ row: row.row, ids: row.request.ids, ...skipped(row.skip) }, noun);
	}
	return { changes: await firstChanges(setup, survey), totals, left };
}

/** Only refused credentials are a reason to stop: else a question names what it can. */
async function firstChanges(setup: RunSetup, survey: Survey): Promise<Change[]> {
	const first = survey.first.slice(0, setup.limits.tuning.first);
	const { RowPreview } = await import('./preview.js');
	const reading = new RowPreview(
		{ ...setup, work: { ...setup.work, extent: 'changes' }, means: { ...setup.means, warn() {} } },
		survey,
		undefined,
	);
	try {
		const planned = await reading.plan(first);
		// What can't be read may be sent all the same.
		return first.map((row, at) => {
			const { request, change } = planned[at] ?? {};
			const isShown = change !== undefined && (change.left === undefined || request === undefined);
			return isShown ? change : bareChange(setup, row);
		});
	} catch (error) {
		if (!(error instanceof SupportctlError) || error.exitCode === ExitCode.refused) throw error;
		return first.map((row) => bareChange(setup, row));
	}
}

/** More than a page of users are not told apart in totals. */
async function learnNames({ work: { plan }, means: { directories } }: RunSetup, survey: Survey): Promise<void> {
	const { fields } = endpoints[plan.endpoint];
	const taxonomies = fields.filter((field) => namesTerms(field) && survey.fields.has(field.name));
	await Promise.allSettled([
		directories.users.learn([...survey.users.keys(), ...survey.receiverIds]),
		...taxonomies.map(({ name }) => directories.terms(name).list()),
	]);
}

async function* openRows(
	{ work: { plan }, limits: { tuning } }: RunSetup,
	rows: PlannedRows,
	past: PastPart | undefined,
): AsyncGenerator<PlannedRow> {
	let left = tuning.first ?? Number.POSITIVE_INFINITY;
	for await (const batch of rows.read()) {
		for (const row of batch) {
			if (past?.isOpen(row.row) === false || !isOwn(row, plan.shard)) continue;
			if (left === 0) return;
			left--;
			yield row;
		}
	}
}

function bareChange({ means: { directories, redact } }: RunSetup, { request, reassign }: RunRow): Change {
	return changeOf({ ...request, reassign }, undefined, { nameOf: directories.nameOf, redact });
}

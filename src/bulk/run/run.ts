/** A run from its plan to its exit code. */

import { rmSync } from 'node:fs';
import { chooseEndpoint } from '../../api/plan.js';
import { ExitCode, UsageError } from '../../errors.js';
import { rowsToFix } from '../journal/counts.js';
import { scanJournal } from '../journal/read.js';
import { createJournal } from '../journal/write.js';
import { execute } from './execute.js';
import { createRowNames, listTerms, type RowNames } from './names.js';
import { openRows } from './open.js';
import { inputFileOf, type RunHeader, type RunPlan } from './plan.js';
import type { PlanWriter } from './plan-file.js';
import { rowsUnderWay } from './read-after.js';
import { comparesFirst } from './read-back.js';
import { type Again, checkSameInput, type PastPart, readPast, takeUp } from './resume.js';
import { endpointFinder, type PlannedRows } from './rows.js';
import type { RunSetup } from './setup.js';
import { checkSet, ownRows, type Survey, surveyRows } from './survey.js';

/** @throws UsageError, RefusedError, FailedError */
export async function run(setup: RunSetup): Promise<ExitCode> {
	const { plan, tuning, extent, resumes, stateDir, show } = setup;
	const { directories } = setup;
	const names = await openNames(setup);
	const rows = await openRows(plan, {
		...{ dialect: setup.dialect, secrets: setup.secrets, names, stateDir, stdin: setup.stdin },
		onCopy: (path) => setup.onSpool(() => rmSync(path, { force: true })),
	});
	// A resume may read the copy of stdin.
	let keep = resumes?.header.input.copied === true && isSameFile(resumes.header.plan, plan);
	try {
		const done = resumes === undefined ? undefined : await scanJournal(resumes.path);
		done?.begin({ again: resumes?.again });
		const isDone = (row: number): boolean => done?.states.isDone(row) === true;
		const survey = await surveyRows(rows, plan, {
			holdsSecret: (sent) => setup.redact(sent) !== sent,
			isDone,
			complain: (complaint) => void show({ type: 'complaint', complaint }),
		});
		if (resumes !== undefined) checkSameInput(resumes.header, rows, survey);
		await show({ type: 'surveyed', survey, rows });
		if (survey.invalid > 0 && !plan.skipInvalid) return ExitCode.usage;
		checkSet(survey, setup.limits);
		if (setup.saveTo !== undefined && (survey.hasSecrets || plan.values.withheld.length > 0)) {
			throw new UsageError("rows with passwords or other secrets can't be planned: plans contain no secrets", {
				code: 'secret_in_plan',
				hint: 'remove --plan to send them',
			});
		}
		const ready: RunSetup = { ...setup, plan: await setup.ask(survey, rows) };
		if (extent === 'changes' || comparesFirst(ready.plan) || plan.checks.verify) {
			const conditions = plan.checks.conditions.map(({ field }) => field);
			const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
			await listTerms(directories, endpoint, [...survey.fields, ...conditions]);
		}
		if (extent !== 'send') {
			const { preview } = await import('./preview.js');
			return await preview(ready, rows, await pastOf(ready, rows), await planFileOf(ready, rows, survey));
		}
		const maySave = resumes === undefined && !survey.hasSecrets;
		if (maySave) await rows.keep();
		keep ||= maySave;
		const client = await setup.connect();
		const { journal, past } = await openJournalOf(ready, rows, survey);
		if (journal !== undefined && resumes === undefined) await names.keep(journal);
		const ended = await execute({
			...{ plan: ready.plan, tuning, rows, survey, journal, past, client, show, terms: directories.index },
			...{ clock: setup.clock, random: setup.random, dialect: setup.dialect },
			redact: setup.redactRows(survey.hasSecrets),
		});
		keep &&= ended.resumable || rowsToFix(ended.counts) > 0;
		await show({ type: 'ended', ...ended });
		return ended.exitCode;
	} finally {
		await rows.dispose({ keep });
	}
}

function isSameFile(one: RunPlan, other: RunPlan): boolean {
	return inputFileOf(one.source)?.path === inputFileOf(other.source)?.path;
}

async function openNames({ plan, tuning, resumes, directories }: RunSetup): Promise<RowNames> {
	const names = createRowNames({
		directories,
		endpointOf: endpointFinder(plan),
		concurrency: tuning.concurrency,
		ignoreMissing: plan.checks.ignoreMissing,
	});
	if (resumes !== undefined) await names.takeUp(resumes.path);
	return names;
}

const againOf = ({ plan, tuning, dialect, resumes }: RunSetup): Again => ({
	...{ plan, tuning, dialect },
	again: resumes?.again ?? [],
});

/** For a run that sends nothing. */
async function pastOf(setup: RunSetup, rows: PlannedRows): Promise<PastPart | undefined> {
	const { resumes } = setup;
	if (resumes === undefined) return undefined;
	return (await readPast(await scanJournal(resumes.path), rows, againOf(setup))).past;
}

/** @throws UsageError for rows with secrets, and for a place where a plan can't be written */
async function planFileOf(setup: RunSetup, rows: PlannedRows, survey: Survey): Promise<PlanWriter | undefined> {
	if (setup.saveTo === undefined) return undefined;
	const { createPlanFile } = await import('./plan-file.js');
	const header = headerOf(setup, rows, survey);
	return createPlanFile({ path: setup.saveTo, header, redact: setup.redact, onDraft: setup.onSpool });
}

function headerOf({ plan, tuning, clock, tool, record }: RunSetup, rows: PlannedRows, survey: Survey): RunHeader {
	const { rows: count, last } = survey;
	const copied = rows.input?.spooled === true;
	const input = { sha256: rows.sha256(), rows: count, own: ownRows(survey, plan), copied };
	return {
		...record,
		...{ started: new Date(clock.now()).toISOString(), tool, concurrency: rowsUnderWay(plan, tuning) },
		plan: { ...plan, source: rows.source },
		input: last === count ? input : { ...input, last },
	};
}

/** Lookups leave nothing to resume. */
async function openJournalOf(setup: RunSetup, rows: PlannedRows, survey: Survey) {
	const { resumes, clock, redact, tool } = setup;
	const started = new Date(clock.now()).toISOString();
	if (resumes !== undefined) return await takeUp(resumes.path, rows, { ...againOf(setup), redact, at: started, tool });
	if (!setup.journal.isWanted) return { journal: undefined, past: undefined };
	const header = headerOf(setup, rows, survey);
	const { path } = setup.journal;
	return { journal: createJournal({ header, stateDir: setup.stateDir, path, redact }), past: undefined };
}

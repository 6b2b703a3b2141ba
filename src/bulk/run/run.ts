/** A run from its plan to its exit code. */

import { endpoints } from '../../api/endpoints.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { OutcomeName } from '../../http/outcome.js';
import { rowsToFix } from '../journal/counts.js';
import type { JournalScan } from '../journal/history.js';
import { scanJournal } from '../journal/read.js';
import { createJournal } from '../journal/write.js';
import { Execution } from './execute.js';
import { keepNames, listTerms, takeUpName } from './names.js';
import { inputFileOf, type RunHeader, type RunPlan } from './plan.js';
import { rowsUnderWay } from './read-after.js';
import { comparesFirst } from './read-back.js';
import { checkSameInput, readPast, takeUp } from './resume.js';
import { openInputOf, type PlannedRows, planRows, RowPlanner } from './rows.js';
import type { RunSetup } from './setup.js';
import { checkSet, ownRows, type Survey, surveyRows } from './survey.js';

/** @throws UsageError, RefusedError, FailedError */
export async function run(given: RunSetup): Promise<ExitCode> {
	const { plan, resumes, directories, show } = given;
	// Users that an earlier part looked up may be deleted by now.
	const done = resumes && (await scanJournal(resumes.path, (record) => takeUpName(record, directories)));
	const rows = await openRows(given);
	// A resume may read the copy of stdin.
	let keep = resumes?.header.input.copied === true && isSameFile(resumes.header.plan, plan);
	try {
		const survey = await surveyRows(rows.read(), plan, {
			holdsSecret: (sent) => given.redact(sent) !== sent,
			isDone: (row) => done !== undefined && isDoneIn(done, row, resumes?.again),
			complain: (complaint) => void show({ type: 'complaint', complaint }),
		});
		if (resumes !== undefined) checkSameInput(resumes.header, rows, survey);
		await show({ type: 'surveyed', survey, rows });
		if (survey.invalid > 0 && !plan.skipInvalid) return ExitCode.usage;
		checkSet(survey, given.limits);
		if (given.saveTo !== undefined) checkNoSecrets(survey, plan);
		const setup: RunSetup = { ...given, plan: await given.ask(survey, rows) };
		await listComparedTerms(setup, survey);
		if (setup.extent !== 'send') return await previewRows(setup, rows, survey, done);
		const maySave = resumes === undefined && !survey.hasSecrets;
		if (maySave) await rows.input?.keep();
		keep ||= maySave;
		const client = await setup.connect();
		const { journal, past } = await openJournalOf(setup, rows, survey);
		const ended = await new Execution({ setup, rows, survey, client, journal, past }).run();
		keep &&= ended.resumable || rowsToFix(ended.counts) > 0;
		await show({ type: 'ended', ...ended });
		return ended.exitCode;
	} finally {
		await rows.input?.dispose({ keep });
	}
}

async function openRows(setup: RunSetup): Promise<PlannedRows> {
	const { plan, dialect } = setup;
	const { source } = plan;
	if (source.from === 'snapshots') return await (await import('./undo.js')).openOldValues(plan, source, dialect);
	if (source.from === 'plan') return (await import('./plan-file.js')).openPlannedRows(plan, source, dialect);
	const input = await openInputOf(source, setup.stdin, setup.stateDir, setup.onDraft);
	const { path, format } = input;
	try {
		const planner = new RowPlanner(plan, input, dialect, setup.secrets);
		return {
			// Stdin is a file by now.
			source: source.from === 'file' && path !== undefined ? { ...source, path, format } : source,
			input,
			ignored: planner.ignored,
			matched: planner.matched,
			sha256: () => input.sha256 ?? '',
			async *read() {
				for await (const batch of input.read()) yield await planRows(batch, planner, setup);
			},
		};
	} catch (error) {
		await input.dispose();
		throw error;
	}
}

function isSameFile(one: RunPlan, other: RunPlan): boolean {
	return inputFileOf(one.source)?.path === inputFileOf(other.source)?.path;
}

function isDoneIn({ states }: JournalScan, row: number, again: readonly OutcomeName[] = []): boolean {
	return states.isDone(row) && !again.includes(states.outcomeOf(row) as OutcomeName);
}

function checkNoSecrets(survey: Survey, { values }: RunPlan): void {
	if (!survey.hasSecrets && values.withheld.length === 0) return;
	throw new UsageError("rows with passwords or other secrets can't be planned: plans contain no secrets", {
		code: 'secret_in_plan',
		hint: 'remove --plan to send them',
	});
}

/** Terms are compared by ID. */
async function listComparedTerms({ plan, extent, directories }: RunSetup, { fields }: Survey): Promise<void> {
	if (extent !== 'changes' && !comparesFirst(plan) && !plan.checks.verify) return;
	await listTerms(directories, endpoints[plan.endpoint], [
		...fields,
		...plan.checks.conditions.map(({ field }) => field),
	]);
}

async function previewRows(
	setup: RunSetup,
	rows: PlannedRows,
	survey: Survey,
	done: JournalScan | undefined,
): Promise<ExitCode> {
	const { preview } = await import('./preview.js');
	const past = done && (await readPast(done, rows, setup)).past;
	if (setup.saveTo === undefined) return await preview(setup, rows, past);
	const { PlanWriter } = await import('./plan-file.js');
	const file = new PlanWriter(setup.saveTo, headerOf(setup, rows, survey), setup.redact, setup.onDraft);
	try {
		return await preview(setup, rows, past, file);
	} finally {
		file.discard();
	}
}

function headerOf({ plan, tuning, clock, tool, record }: RunSetup, rows: PlannedRows, survey: Survey): RunHeader {
	return {
		...record,
		started: new Date(clock.now()).toISOString(),
		tool,
		concurrency: rowsUnderWay(plan, tuning),
		plan: { ...plan, source: rows.source },
		input: {
			sha256: rows.sha256(),
			rows: survey.rows,
			last: survey.last === survey.rows ? undefined : survey.last,
			own: ownRows(survey, plan),
			copied: rows.input?.spooled === true,
		},
	};
}

/** Lookups leave nothing to resume. */
async function openJournalOf(setup: RunSetup, rows: PlannedRows, survey: Survey) {
	if (setup.resumes !== undefined) return await takeUp(setup.resumes.path, rows, setup);
	if (!setup.journal.isWanted) return { journal: undefined, past: undefined };
	const journal = createJournal({
		header: headerOf(setup, rows, survey),
		stateDir: setup.stateDir,
		path: setup.journal.path,
		redact: setup.redact,
	});
	await keepNames(journal, setup.directories);
	return { journal, past: undefined };
}

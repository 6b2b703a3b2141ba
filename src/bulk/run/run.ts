/** A run from its plan to its exit code. */

import { endpoints } from '../../api/endpoints.js';
import { ExitCode, UsageError } from '../../errors.js';
import type { RowOutcome } from '../../http/outcome.js';
import { nextSteps } from '../journal/counts.js';
import { pruneSmallRuns } from '../journal/prune.js';
import type { LeavesRecord } from '../journal/records.js';
import { createJournal, type Journal } from '../journal/write.js';
import { type RunHeader, readsBefore } from '../plan.js';
import { inputFileOf, isInput, sourceName } from '../sources.js';
import type { Ended } from './events.js';
import { Execution } from './execute.js';
import { type Left, leavesOf, leavesTexts, movedBeforeKill } from './left-behind.js';
import { withoutRepeats } from './named-again.js';
import { comparedTerms, keepNames } from './names.js';
import { rowsUnderWay } from './read-after.js';
import { checkRun, type Ready } from './ready.js';
import { writeRefusal, writeRunReports } from './reports.js';
import { checkSameInput, openPast, type PastPart } from './resume.js';
import { invalidOutcome, isInvalid, openInputOf, type PlannedRows, ROWS_AT_ONCE, RowPlanner } from './rows.js';
import { extents, type RunSetup } from './setup.js';
import { Survey } from './survey.js';

/** From the survey to the exit code. @throws SupportctlError, also for what failed halfway */
export async function run(setup: RunSetup): Promise<ExitCode> {
	const { resumes } = setup.work;
	const past = resumes && (await openPast(resumes.path, setup));
	try {
		return await runRows(setup, await rowsOf(setup), past);
	} finally {
		await past?.journal?.close().catch(() => undefined);
	}
}

async function runRows(given: RunSetup, planned: PlannedRows, past: PastPart | undefined): Promise<ExitCode> {
	const { plan, resumes, extent } = given.work;
	const { show, warn } = given.means;
	// A resume may read the copy of stdin.
	let keep = resumes !== undefined && inputFileOf(plan.source)?.path !== '-';
	try {
		const rows = await withoutRepeats(endpoints[plan.endpoint], planned);
		const { survey, refused } = await surveyRows(given, rows, past);
		if (resumes !== undefined) checkSameInput(resumes.header, rows, survey);
		const isRefused = survey.invalid > 0 && !plan.skipInvalid;
		const note = `${survey.invalidText()}; nothing was sent`;
		if (isRefused) await writeRefusal(given, newHeader(given, rows, survey), refused, note);
		await show({ type: 'surveyed', survey, rows });
		if (isRefused) return ExitCode.usage;
		if (survey.rows === 0 && isInput(plan.source)) warn(`no rows in ${sourceName(plan.source)}`);
		const ready = await checkRun(given, survey, rows, past).catch(async (error: unknown) => {
			// Reports say it as they say what is wrong with rows; one that can't be written is not the reason.
			if (error instanceof UsageError) {
				await writeRefusal(given, newHeader(given, rows, survey), refused, error.message).catch(() => undefined);
			}
			throw error;
		});
		const setup: RunSetup = { ...given, work: { ...given.work, plan: ready.plan } };
		await listTerms(setup, survey);
		if (!extents[extent].sends) return await previewRows(setup, rows, survey, past, ready.warnings);
		const maySave = resumes === undefined && !survey.hasSecrets;
		if (maySave) await rows.input?.keep();
		keep ||= maySave;
		const sent = await sendRows(setup, rows, survey, past, ready);
		const { ended } = sent;
		keep &&= nextSteps('', ended.counts, ended.resumable).length > 0;
		await tellEnd(setup, sent);
		return ended.exitCode;
	} finally {
		await planned.input?.dispose({ keep });
	}
}

/** In the report of a run that was refused. */
const MOST_REFUSED = 5000;

/** Reads and checks each row once before the first is sent. */
async function surveyRows({ work, means }: RunSetup, rows: PlannedRows, past: PastPart | undefined) {
	const survey = new Survey(work.plan, {
		holdsSecret: (sent) => means.redact(sent) !== sent,
		isDone: (row) => past?.look(row) === true,
		complain: (complaint) => void means.show({ type: 'complaint', complaint }),
		notesRepeated: extents[work.extent].showsChanges,
	});
	const refused: RowOutcome[] = [];
	for await (const batch of rows.read()) {
		for (const row of batch) {
			survey.add(row);
			if (isInvalid(row) && refused.length < MOST_REFUSED) refused.push(invalidOutcome(row));
		}
	}
	return { survey, refused };
}

interface Sent {
	readonly ended: Ended;
	/** Undefined for lookups. */
	readonly journal: Journal | undefined;
	/** What names deleted objects. */
	readonly leaves: readonly LeavesRecord[];
}

/** The second pass, with its journal. */
async function sendRows(
	setup: RunSetup,
	rows: PlannedRows,
	survey: Survey,
	past: PastPart | undefined,
	{ first, left }: Ready,
): Promise<Sent> {
	const client = await setup.means.connect();
	const journal = past?.journal ?? (await openJournalOf(setup, rows, survey));
	await past?.begin();
	const leaves = [...(past?.leaves ?? [])];
	const prepare = (stop: AbortSignal): Promise<void> => settleLeft(setup, left, { journal, leaves, stop });
	const ended = await new Execution({ setup, rows, survey, client, journal, past, first, prepare }).run();
	return { ended, journal, leaves };
}

async function tellEnd(setup: RunSetup, { ended, journal, leaves }: Sent): Promise<void> {
	await writeRunReports(setup, journal, ended).catch((error: unknown) => {
		ended.failure ??= error;
	});
	await setup.means.show({ type: 'ended', ...ended });
	for (const text of leavesTexts(leaves, ended.counts.ok)) setup.means.warn(text);
}

/** Before the first delete: what it leaves is in the journal, and tickets are moved by runs of their own. */
async function settleLeft(
	{ work: { plan }, limits }: RunSetup,
	left: readonly Left[] = [],
	{ journal, leaves, stop }: { journal: Journal | undefined; leaves: LeavesRecord[]; stop: AbortSignal },
): Promise<void> {
	const note = async (each: LeavesRecord): Promise<void> => {
		leaves.push(each);
		await journal?.record({ type: 'leaves', ...each });
	};
	for (const each of movedBeforeKill(leaves, left)) await note(each);
	for (const each of leavesOf(left)) {
		if (stop.aborted) return;
		if (plan.checks.moveTickets) await limits.moveTickets(each, (run, moved) => note({ ...each, run, moved }));
		else await note(each);
	}
}

/** Before the first read that is compared or kept: only the whole taxonomy says which term a slug means. */
async function listTerms({ work, means: { directories, warn } }: RunSetup, survey: Survey): Promise<void> {
	const { plan, extent } = work;
	const { checks, endpoint } = plan;
	if (!extents[extent].showsChanges && !readsBefore(plan) && !checks.verify) return;
	for (const taxonomy of comparedTerms(plan, endpoints[endpoint], survey.fields)) {
		const terms = await directories.terms(taxonomy).list();
		if (terms !== undefined || !checks.snapshot) continue;
		warn(`this service doesn't list its ${taxonomy} terms, so run undo may not be able to restore the ${taxonomy}`);
	}
}

async function rowsOf({ work, means, limits: { tuning } }: RunSetup): Promise<PlannedRows> {
	const { plan, secrets } = work;
	const { dialect, directories } = means;
	const { source } = plan;
	if (source.from === 'snapshots') {
		const { sends, showsChanges } = extents[work.extent];
		// A preview of requests asks for nothing.
		const asks = sends || showsChanges;
		const missing = async (ids: readonly string[]) =>
			asks ? (await directories.users.missing(ids).catch(() => undefined))?.gone : undefined;
		return await (await import('./undo.js')).openOldValues(plan, source, dialect, missing);
	}
	if (source.from === 'plan') {
		const { checkCalled, openPlannedRows } = await import('./apply.js');
		if (work.resumes === undefined) await checkCalled(source.path, plan, directories);
		return openPlannedRows(plan, source, dialect);
	}
	const input = await openInputOf(source, means.stdin, means.stateDir, means.onDraft);
	const { path, format } = input;
	try {
		const planner = new RowPlanner(plan, input, dialect, secrets);
		return {
			// Stdin is a file by now.
			source: source.from === 'file' && path !== undefined ? { ...source, path, format } : source,
			input,
			columns: planner.columns,
			sha256: () => input.sha256 ?? '',
			async *read() {
				for await (const batch of input.read()) {
					for (let at = 0; at < batch.length; at += ROWS_AT_ONCE) {
						const part = batch.slice(at, at + ROWS_AT_ONCE);
						yield await planner.planAll(part, directories, tuning.concurrency);
					}
				}
				planner.columns.checkKeys();
			},
		};
	} catch (error) {
		await input.dispose();
		throw error;
	}
}

async function previewRows(
	setup: RunSetup,
	rows: PlannedRows,
	survey: Survey,
	past: PastPart | undefined,
	warnings: readonly string[] = [],
): Promise<ExitCode> {
	const { preview } = await import('./preview.js');
	await past?.begin();
	const { saveTo } = setup.work;
	const { redact, onDraft } = setup.means;
	if (saveTo === undefined) return (await preview(setup, rows, survey, past)).exitCode;
	const { PlanWriter } = await import('../plan-file/write.js');
	const header = newHeader(setup, rows, survey);
	const file = new PlanWriter(saveTo, header, redact, onDraft);
	try {
		file.addWarnings(warnings);
		const { exitCode, refused } = await preview(setup, rows, survey, past, file);
		if (refused !== undefined) await writeRefusal(setup, header, refused.rows, refused.why);
		return exitCode;
	} finally {
		file.close();
	}
}

function newHeader({ work, means, limits }: RunSetup, rows: PlannedRows, survey: Survey): RunHeader {
	const { plan, record } = work;
	const { clock, tool } = means;
	return {
		...record,
		started: new Date(clock.now()).toISOString(),
		tool,
		concurrency: rowsUnderWay(plan, limits.tuning),
		plan: { ...plan, source: rows.source },
		input: {
			sha256: rows.sha256(),
			rows: survey.rows,
			last: survey.last === survey.rows ? undefined : survey.last,
			own: survey.own,
			copied: rows.input?.spooled === true,
		},
	};
}

/** Lookups leave nothing to resume. */
async function openJournalOf(setup: RunSetup, rows: PlannedRows, survey: Survey): Promise<Journal | undefined> {
	const { plan, reports, journal: path } = setup.work;
	const { clock, stateDir, redact, directories } = setup.means;
	const isLookUp = endpoints[plan.endpoint].reads && plan.source.from === 'ids';
	if (isLookUp && (path ?? reports) === undefined) return undefined;
	const journal = createJournal(newHeader(setup, rows, survey), stateDir, path, redact);
	await keepNames(journal, directories);
	await pruneSmallRuns(stateDir, clock.now());
	return journal;
}

/** A run from its plan to its exit code: check all rows, ask, then send them or show what would be sent. */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { chooseEndpoint } from '../../api/choose.js';
import { OWN_ID } from '../../api/values.js';
import { type Complaint, formatComplaint, takesUserNames } from '../../bulk/input/rows.js';
import { rowsToFix } from '../../bulk/journal/counts.js';
import { createRunId } from '../../bulk/journal/folder.js';
import { scanJournal } from '../../bulk/journal/read.js';
import { createJournal, type Journal } from '../../bulk/journal/write.js';
import { AdaptivePace } from '../../bulk/pace.js';
import { complaintAnnotation, inputErrorAnnotation, writeAnnotation } from '../../bulk/reports/annotations.js';
import { execute, type RunParts } from '../../bulk/run/execute.js';
import type { UserNames } from '../../bulk/run/names.js';
import { openRows } from '../../bulk/run/open.js';
import { fileOf, inputFileOf, type RunHeader } from '../../bulk/run/plan.js';
import { checkSameInput, takeUp } from '../../bulk/run/resume.js';
import type { PlannedRows } from '../../bulk/run/rows.js';
import { checkSet, ownRows, type Survey, surveyRows } from '../../bulk/run/survey.js';
import { ExitCode, InterruptedError, UsageError } from '../../errors.js';
import type { Client } from '../../http/types.js';
import type { Context } from '../../io/context.js';
import { createRedactor } from '../../output/redact.js';
import { escapeJson, sanitise } from '../../output/sanitise.js';
import { version } from '../../version.js';
import { ownIdFor } from '../own-account.js';
import { wantsJson } from '../results.js';
import { checkUsers, confirmWrite } from './confirm.js';
import { nothingToChange } from './flags.js';
import type { RunInvocation, RunJob } from './job.js';
import { checkReadsServed } from './read-check.js';
import { openScreen } from './screen.js';
import { rowRedactor } from './shape.js';

/** Runs a plan. @throws what `main` turns into a message and an exit code */
export async function startRun(job: RunJob): Promise<ExitCode> {
	const { plan, session, invocation, resumes, secrets } = job;
	const { context, options } = invocation;
	const before = watchBefore(context);
	const own: { id?: number } = {};
	const lookUps = await openLookUps(job);
	const rows = await annotated(invocation, () =>
		openRows(plan, {
			dialect: session.dialect,
			secrets,
			own,
			usernames: lookUps?.usernames,
			stdin: { [Symbol.asyncIterator]: () => context.stdin.bytes()[Symbol.asyncIterator]() },
			stateDir: session.stateDir,
			onCopy: before.onCopy,
		}),
	);
	// The private copy of standard input that a journal names stays as long as a resume or a retry may read it.
	let keep = resumes?.header.input.copied === true && options.input === undefined;
	try {
		noteIgnored(job, rows);
		const survey = await annotated(invocation, () => checkRows(job, rows));
		const maySave = resumes === undefined && !survey.hasSecrets;
		if (resumes !== undefined) checkSameInput(resumes.header, rows, survey);
		if (survey.invalid > 0 && !plan.skipInvalid) return ExitCode.usage;
		if (saysNothing(rows, survey))
			throw nothingToChange(chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true).endpoint);
		checkSet(survey, { expect: options.expect, max: options.max });
		checkUndoable(job, survey);
		if (options.dryRun === true) return await (await import('./dry-run.js')).showPlan(job, rows, survey);
		const client = await session.openClient(Math.max(1, Math.min(job.tuning.concurrency, survey.selected)), 'run');
		try {
			if (survey.mentionsOwnId) {
				const { clock, random } = context;
				own.id = await ownIdFor(OWN_ID, session, client, { retries: job.tuning.retries, clock, random });
			}
			await checkReadsServed(job, survey.read, client);
			const note = await checkUsers(job, survey, client);
			await confirmWrite(job, survey, note);
			await checkReports(job, rows);
			const screen = await openScreen(job, survey);
			before.check();
			before.end();
			if (maySave) await rows.keep();
			const { journal, past } = await openJournalOf(job, rows, survey);
			screen.journal = journal;
			if (journal !== undefined && resumes === undefined) await lookUps?.usernames.keep(journal, survey.last);
			const parts: RunParts = {
				...job,
				rows,
				survey,
				client,
				dialect: session.dialect,
				journal,
				past,
				screen,
				redact: rowRedactor(survey),
				clock: context.clock,
				random: context.random,
			};
			keep ||= maySave;
			const ended = await execute(parts);
			keep &&= ended.resumable || rowsToFix(ended.counts) > 0;
			return await screen.end(ended);
		} finally {
			await client.close();
		}
	} finally {
		before.end();
		await lookUps?.close();
		await rows.dispose({ keep });
	}
}

/** @throws UsageError for a permanent delete with --snapshot, which promises an undo */
function checkUndoable({ plan, invocation }: RunJob, { permanent }: Survey): void {
	if (!plan.checks.snapshot || invocation.options.snapshot !== true || permanent === 0) return;
	throw new UsageError("a permanent delete can't be undone: leave out --snapshot or --force; nothing was sent", {
		code: 'contradiction',
	});
}

/** What looks up user names in rows; undefined for rows that name none. */
async function openLookUps(job: RunJob): Promise<{ usernames: UserNames; close(): Promise<void> } | undefined> {
	const { plan, session, tuning, resumes } = job;
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	if (!takesUserNames(endpoint)) return undefined;
	const [{ UserNames }, { createLookUp }] = await Promise.all([
		import('../../bulk/run/names.js'),
		import('../own-account.js'),
	]);
	const { clock, random } = job.invocation.context;
	const pace = new AdaptivePace({ clock, random, rate: tuning.rate });
	let client: Promise<Client> | undefined;
	const open = () => {
		client ??= session.openClient(tuning.concurrency, 'run');
		return client;
	};
	const lookUp = createLookUp(session, open, { retries: tuning.retries, clock, random, pace });
	const usernames = new UserNames(lookUp, tuning.concurrency);
	const earlier = resumes?.path ?? (plan.source.from === 'run' ? plan.source.journal : undefined);
	if (earlier !== undefined) await usernames.remember(earlier);
	return { usernames, close: async () => (await client)?.close() };
}

/** Reads leave nothing to resume; everything else has a journal. */
async function openJournalOf(
	job: RunJob,
	rows: PlannedRows,
	survey: Survey,
): Promise<Pick<RunParts, 'journal' | 'past'>> {
	const { plan, session, invocation, resumes } = job;
	const { context, options } = invocation;
	const now = context.clock.now();
	const at = new Date(now).toISOString();
	const redact = createRedactor();
	if (resumes !== undefined) return await takeUp(resumes.path, rows, { redact, at, tool: version });
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const isRead = endpoint.replay === 'read' && plan.source.from === 'ids';
	if (isRead && options.journal === undefined && options.report === undefined)
		return { journal: undefined, past: undefined };
	const header: RunHeader = {
		id: createRunId(now, context.random),
		started: at,
		tool: version,
		plan: { ...plan, source: rows.source },
		input: {
			sha256: rows.sha256(),
			rows: survey.rows,
			...(survey.last === survey.rows ? {} : { last: survey.last }),
			own: ownRows(survey, plan),
			copied: rows.input?.spooled === true,
		},
	};
	const path = options.journal === undefined ? undefined : resolve(context.cwd, options.journal);
	const journal: Journal = createJournal({ header, stateDir: session.stateDir, path, redact });
	return { journal, past: undefined };
}

/** Reports must not fail at the end of a run, nor overwrite a file that it needs. @throws UsageError */
async function checkReports({ invocation, plan, resumes }: RunJob, rows: PlannedRows): Promise<void> {
	const { options, context } = invocation;
	if (options.report === undefined) return;
	const { parseReport, checkReportPlaces } = await import('../../bulk/reports/write.js');
	const file = inputFileOf(rows.source);
	const files = [
		...(file === undefined ? [] : [{ path: file.path, what: "the run's input" }]),
		...(options.journal === undefined ? [] : [{ path: options.journal, what: "the run's journal" }]),
		...(resumes === undefined ? [] : [{ path: resumes.path, what: "the run's journal" }]),
		...('journal' in plan.source ? [{ path: plan.source.journal, what: 'the journal of the earlier run' }] : []),
		{ path: '/dev/stdout', what: 'where standard output goes' },
	];
	await checkReportPlaces(options.report.map(parseReport), files, context.cwd);
}

/** Whether neither flags nor rows name a field; a header that does is no mistake, whatever its cells leave empty. */
function saysNothing({ input }: PlannedRows, { rows, empty }: Survey): boolean {
	if (input === undefined || empty === 0 || input.columns !== undefined) return false;
	return input.format === 'ids' || empty === rows;
}

/** How many complaints a person is shown. */
const SHOWN = 20;

/** The first pass, with a message for each row that can't be sent. */
async function checkRows({ plan, invocation, resumes }: RunJob, rows: PlannedRows): Promise<Survey> {
	const { context, options } = invocation;
	const { stderr } = context;
	const json = wantsJson(options) && !plan.skipInvalid;
	const redact = createRedactor();
	const name = rows.input?.name ?? 'input';
	const file = fileOf(plan);
	const fromArguments = plan.source.from === 'ids';
	const text = (complaint: Complaint): string => (fromArguments ? complaint.message : formatComplaint(complaint, name));
	let count = 0;
	const past = resumes === undefined ? undefined : await scanJournal(resumes.path);
	const survey = await surveyRows(rows, plan, {
		holdsSecret: (sent) => redact(sent) !== sent,
		isDone: (row) => past?.states.isDone(row) === true,
		complain(complaint) {
			count++;
			if (json) {
				const { ids: _, ...place } = complaint;
				const line = escapeJson(JSON.stringify({ ...place, file, message: text(complaint) }));
				stderr.write(count === 1 ? `{"error":{"code":"invalid_input","complaints":[${line}` : `,${line}`);
				return;
			}
			if (count > SHOWN) return;
			stderr.write(`error: ${sanitise(text(complaint))}\n`);
			if (context.env.GITHUB_ACTIONS === 'true') writeAnnotation(stderr, complaintAnnotation(complaint, file));
		},
	});
	const { invalid } = survey;
	if (invalid === 0) return survey;
	const of = `${invalid} of ${survey.rows} ${survey.rows === 1 ? 'row' : 'rows'} ${invalid === 1 ? 'is' : 'are'} invalid`;
	const what = plan.skipInvalid ? `${of} and will be skipped` : `${of}; nothing was sent`;
	if (json) {
		stderr.write(`],"message":${JSON.stringify(what)},"exitCode":2}}\n`);
		return survey;
	}
	if (count > SHOWN) {
		const all = plan.skipInvalid ? 'supportctl run rejects last prints all of them' : '--json prints all of them';
		stderr.write(`… and ${count - SHOWN} more; ${all}\n`);
	}
	if (!fromArguments) stderr.write(`${what}${plan.skipInvalid ? '' : '; --skip-invalid sends the others'}\n`);
	return survey;
}

/** Columns that could be custom fields, and that our own commands write, are not sent: that is said. */
function noteIgnored({ plan, invocation }: RunJob, { ignored }: PlannedRows): void {
	if (plan.endpoint !== 'ticket.fields.set') return;
	for (const name of ignored) {
		if (plan.columns.ignore.includes(name)) continue;
		invocation.context.stderr.write(
			`note: the column ${sanitise(name)} is not sent; --map ${sanitise(name)}=${sanitise(name)} sends it\n`,
		);
	}
}

/** Shows an input that can't be read, or a header that can't be used, beside its line where the CI service does that. */
async function annotated<T>({ context, options }: RunInvocation, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (context.env.GITHUB_ACTIONS === 'true' && error instanceof UsageError) {
			const annotation = inputErrorAnnotation(error, options.input === '-' ? undefined : options.input);
			if (annotation !== undefined) writeAnnotation(context.stderr, annotation);
		}
		throw error;
	}
}

/** Before the first request a signal ends the run: nothing is sent, and no private copy of the input stays. */
function watchBefore(context: Context) {
	const copies: string[] = [];
	let interrupted = false;
	let unlisten: (() => void) | undefined;
	const leave = (): void => {
		interrupted = true;
		for (const path of copies) rmSync(path, { force: true });
		// Standard input may be open for as long as somebody writes it.
		context.stderr.write('interrupted; nothing was sent\n');
		context.abandon(ExitCode.interrupted);
	};
	return {
		/** From the first copy on; before that the system's own handling will do. */
		onCopy(path: string): void {
			copies.push(path);
			unlisten ??= context.signals.listen(leave);
		},
		end: () => unlisten?.(),
		/** @throws InterruptedError where a signal came */
		check(): void {
			if (interrupted) throw new InterruptedError('interrupted; nothing was sent');
		},
	};
}

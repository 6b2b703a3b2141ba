/** Starts a run: bulk does the work, printers show its events. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRunId } from '../../bulk/journal/folder.js';
import type { Directories } from '../../bulk/lists/directory.js';
import { AdaptivePace } from '../../bulk/pace.js';
import type { RunEvent, Show, Started } from '../../bulk/run/events.js';
import { inputFileOf, type RunHeader, type RunPlan, type SavedPlan } from '../../bulk/run/plan.js';
import { readsBefore } from '../../bulk/run/read-back.js';
import type { PlannedRows } from '../../bulk/run/rows.js';
import { run } from '../../bulk/run/run.js';
import type { Extent } from '../../bulk/run/setup.js';
import type { Survey } from '../../bulk/run/survey.js';
import { type ExitCode, UsageError } from '../../errors.js';
import { readStart } from '../../folder.js';
import type { Client } from '../../http/types.js';
import { createRedactor } from '../../output/redact.js';
import { annotate } from '../../output/sanitise.js';
import { version } from '../../version.js';
import { listenForStop } from '../interruption.js';
import { paletteFor, warn } from '../notices.js';
import { checkSignedIn, openDirectories } from '../own-account.js';
import { checkServed, checkWrite, withoutOldValues } from './checks.js';
import { redactRows } from './outcomes.js';
import { nothingToChange, type RunJob } from './plan.js';
import { createJsonPrinter } from './printers/json.js';
import { createPreviewPrinter } from './printers/preview.js';
import { createProgressPrinter } from './printers/progress.js';
import { createResultsPrinter } from './printers/results.js';
import { createTextPrinter } from './printers/text.js';
import { viewOf } from './printers/view.js';

export async function startRun(job: RunJob): Promise<ExitCode> {
	const { endpoint, plan, tuning, secrets, session, invocation, resumes } = job;
	const { context, options } = invocation;
	const { clock, random, stdin } = context;
	const { dialect, stateDir, sending } = session;
	const extent = extentOf(options);
	const record = recordOf(job);
	const release = limitYoungGeneration();
	let client: Promise<Client> | undefined;
	const connect = (): Promise<Client> => {
		client ??= session.openClient(tuning.concurrency, 'run', record.id);
		return client;
	};
	// No copy of the input stays before the first write. Nothing is waited for:
	// stdin may be open for long.
	const copies: (() => void)[] = [];
	const signals = listenForStop(invocation, () => {
		for (const remove of copies) remove();
	});
	const pace = new AdaptivePace({ clock, random, rate: tuning.rate });
	const own = openDirectories(session, { ...sending, pace }, connect);
	const directories = job.directories ?? own;
	const screen = await createScreen(job, extent, signals);
	try {
		const isLookUp = endpoint.replay === 'read' && plan.source.from === 'ids';
		const path = options.journal === undefined ? undefined : resolve(context.cwd, options.journal);
		return await run({
			...{ plan, tuning, extent, resumes, secrets, dialect, stateDir, clock, random, connect, record },
			redactRows: (hasSecrets) => redactRows(session.secrets, hasSecrets),
			saveTo: options.plan === undefined ? undefined : resolve(context.cwd, options.plan),
			limits: { expect: options.expect, max: session.connection.settings.max },
			journal: { path, isWanted: !isLookUp || path !== undefined || options.report !== undefined },
			stdin: { [Symbol.asyncIterator]: () => stdin.bytes()[Symbol.asyncIterator]() },
			tool: version,
			redact: createRedactor(),
			directories,
			checkSignedIn: (outcome) => checkSignedIn(outcome, session.connection),
			checkServed: (row, read) => checkServed(job, row, read),
			async ask(survey, rows) {
				const ready = await askBefore(job, extent, survey, rows, connect);
				if (readsBefore(ready)) await warnOfUnknownUsers(job, survey, directories);
				return ready;
			},
			show: screen.show,
			onSpool: (remove) => void copies.push(remove),
		});
	} catch (error) {
		screen.beforeError(error);
		// A bad input or header.
		if (error instanceof UsageError && typeof error.data.line === 'number') {
			const file = options.input === '-' ? undefined : options.input;
			annotate(context, { file, line: error.data.line, title: 'the input is invalid', message: error.message });
		}
		throw error;
	} finally {
		release();
		signals.end();
		await own.close();
		await client?.then(
			(opened) => opened.close(),
			() => undefined,
		);
	}
}

function extentOf({ dryRun, diff, plan }: RunJob['invocation']['options']): Extent {
	if (plan !== undefined || (dryRun === true && diff === true)) return 'changes';
	return dryRun === true ? 'requests' : 'send';
}

function recordOf({ session, invocation, resumes }: RunJob): Pick<RunHeader, 'id' | 'who' | 'note' | 'reports'> {
	if (resumes !== undefined) return resumes.header;
	const { options, context } = invocation;
	const { auth } = session.connection;
	const account = auth.scheme === 'basic' ? auth.username : undefined;
	return {
		id: createRunId(context.clock.now(), context.random),
		who: { ...machineUser(), account },
		note: options.note,
		reports: options.report?.map((text) => {
			const [format = '', ...path] = text.split(':');
			return `${format}:${resolve(context.cwd, path.join(':'))}`;
		}),
	};
}

/** Users of containers may have no name. */
function machineUser(): { user: string; host: string } {
	const os = process.getBuiltinModule('node:os');
	try {
		return { user: os.userInfo().username, host: os.hostname() };
	} catch {
		return { user: String(process.getuid?.() ?? 'unknown'), host: os.hostname() };
	}
}

/** Or those of the resumed run. */
function reportsOf({ invocation: { options }, resumes }: RunJob): readonly string[] | undefined {
	return options.report ?? resumes?.header.reports?.filter((text) => isOurs(text, resumes.header.id));
}

const CSV_REPORT = /^row,line,/;

/** A foreign journal could point to any file. */
function isOurs(text: string, run: string): boolean {
	const path = text.slice(text.indexOf(':') + 1);
	if (!existsSync(path)) return true;
	try {
		const start = readStart(path);
		return start.includes(run) || CSV_REPORT.test(start);
	} catch {
		return false;
	}
}

/** @throws UsageError, RefusedError */
async function askBefore(
	job: RunJob,
	extent: Extent,
	survey: Survey,
	{ input, source }: PlannedRows,
	connect: () => Promise<Client>,
): Promise<RunPlan> {
	const { endpoint, plan, invocation } = job;
	// A header that names a field is no mistake.
	if (input !== undefined && input.columns === undefined && survey.empty > 0) {
		if (input.format === 'ids' || survey.empty === survey.rows) throw nothingToChange(endpoint);
	}
	if (plan.checks.snapshot && invocation.options.snapshot === true && survey.permanent > 0) {
		throw new UsageError("a permanent delete can't be undone: remove --snapshot or --force; nothing was sent", {
			code: 'contradiction',
		});
	}
	// A single row, and permanent deletes alone, leave nothing to undo.
	const isKept = job.snapshotByDefault !== true || (survey.rows > 1 && survey.permanent < survey.selected);
	const own = isKept ? job : { ...job, plan: withoutOldValues(plan), snapshotByDefault: false };
	if (extent !== 'send') {
		if (invocation.options.plan !== undefined) await checkReports(job, source);
		return own.plan;
	}
	const checked = await checkWrite(own, survey, await connect());
	await checkReports(job, source);
	return checked;
}

/** A run that reads anyway finds out with one request which users there are. */
async function warnOfUnknownUsers({ invocation }: RunJob, { users }: Survey, directories: Directories): Promise<void> {
	const missing = await directories.users.missing([...users.keys()]).catch(() => undefined);
	for (const id of missing ?? []) {
		warn(invocation.context, [`${users.get(id)} ${id}: there may be no such user; supportctl user list shows all`]);
	}
}

/** Before the run. @throws UsageError */
async function checkReports(job: RunJob, source: PlannedRows['source']): Promise<void> {
	const { invocation, plan, resumes } = job;
	const { options, context } = invocation;
	const asked = reportsOf(job);
	if (asked === undefined) return;
	const { parseReport, checkPlanReports, checkReportPlaces } = await import('../../bulk/reports/write.js');
	const specs = asked.map(parseReport);
	if (options.plan !== undefined) checkPlanReports(specs);
	const files = {
		'the plan': options.plan,
		"the run's input": inputFileOf(source)?.path,
		"the run's journal": options.journal ?? resumes?.path,
		'the journal of the earlier run': 'journal' in plan.source ? plan.source.journal : undefined,
		'where stdout goes': '/dev/stdout',
	};
	await checkReportPlaces(specs, Object.entries(files), context.cwd);
}

async function createScreen(job: RunJob, extent: Extent, signals: ReturnType<typeof listenForStop>) {
	const { invocation } = job;
	const view = viewOf(job);
	const palette = await paletteFor(invocation, 'stderr');
	const progress = createProgressPrinter(job, view, palette);
	const messages = view.json
		? createJsonPrinter(job, view, palette)
		: createTextPrinter(job, view, palette, progress.clear);
	const results = extent === 'send' ? createResultsPrinter(job, view, progress) : createPreviewPrinter(job);
	let started: Started | undefined;

	async function showEnd(event: Extract<RunEvent, { type: 'ended' }>): Promise<void> {
		let { failure } = event;
		for (const print of [results, messages.show, writeReports]) {
			try {
				await print(event);
			} catch (error) {
				failure ??= error;
			}
		}
		if (failure !== undefined) throw failure;
	}

	async function writeReports({ counts, exitCode, ms }: Extract<RunEvent, { type: 'ended' }>): Promise<void> {
		const { context } = invocation;
		const journal = started?.journal;
		const asked = reportsOf(job);
		if (asked === undefined || journal === undefined) return;
		const reports = await import('../../bulk/reports/write.js');
		const ended = new Date(context.clock.now()).toISOString();
		const facts = { header: journal.header, journals: [journal.path], counts, exit: exitCode, ms, ended };
		await reports.writeReports(asked.map(reports.parseReport), facts, context.cwd);
	}

	async function reportPlan({ path }: SavedPlan, printed: Promise<void> | void): Promise<void> {
		await printed;
		const { options, context } = invocation;
		if (options.report === undefined) return;
		const { writeReportsOnPlan } = await import('./saved.js');
		await writeReportsOnPlan(path, options.report, context.cwd);
	}

	const show: Show = (event) => {
		if (event.type === 'ended') return showEnd(event);
		if (event.type === 'started') {
			started = event;
			const { control, journal } = event;
			const resume = journal === undefined ? undefined : `supportctl run resume ${journal.header.id}`;
			signals.started({
				stop: () => control.stop({ kind: 'signal' }),
				open: control.open,
				clear: progress.clear,
				resume,
			});
		}
		messages.show(event);
		const printed = results(event);
		progress.show(event);
		if (event.type === 'previewed' && event.saved !== undefined) return reportPlan(event.saved, printed);
		return printed;
	};
	return { show, beforeError: messages.beforeError };
}

/** Enough for few collections; V8 would take four times as much. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/** Set late: Node's own modules load slowly after a flag was set. */
function limitYoungGeneration(): () => void {
	const v8 = process.getBuiltinModule('node:v8');
	const timer = setInterval(() => {
		const young = v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
		if (young === undefined || young.space_size < YOUNG_BYTES) return;
		v8.setFlagsFromString('--semi-space-growth-factor=1');
		clearInterval(timer);
	}, 10);
	return () => clearInterval(timer);
}

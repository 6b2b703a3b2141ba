/** `--report FORMAT:FILE`: where reports may be written, and writing them in constant memory. */

import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { didYouMean } from '../../api/suggest.js';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { Draft, realName } from '../../folder.js';
import { splitReport } from '../plan.js';
import { html } from './html.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { type Page, type PlanFacts, pageOfPlan, pageOfRun, type ReportFacts } from './page.js';

interface Report {
	run(facts: ReportFacts): Iterable<string>;
	/** Undefined for a format of outcomes: a plan has none yet. */
	readonly plan: ((page: Page) => Iterable<string>) | undefined;
}

const reports = {
	html: { run: (facts) => html(pageOfRun(facts)), plan: html },
	junit: { run: junit, plan: undefined },
	markdown: { run: (facts) => markdown(pageOfRun(facts)), plan: markdown },
} as const satisfies Record<string, Report>;

export type ReportFormat = keyof typeof reports;

export const reportFormats = Object.keys(reports) as ReportFormat[];

const planFormats = reportFormats.filter((format) => reports[format].plan !== undefined);

interface ReportSpec {
	format: ReportFormat;
	path: string;
}

export function parseReport(text: string): ReportSpec {
	const { format, path } = splitReport(text);
	const known = reportFormats.find((each) => each === format);
	if (known === undefined) {
		throw new UsageError(`--report: ${JSON.stringify(format)} is not a format${didYouMean(format, reportFormats)}`, {
			code: 'invalid_value',
			hint: `the formats are ${reportFormats.join(', ')}; for CSV and JSON: supportctl run show RUN --outcome ok,failed`,
		});
	}
	if (path === '' || path === '-') {
		const message = `--report ${format} needs a file, as in --report ${format}:FILE`;
		throw new UsageError(message, { code: 'invalid_value' });
	}
	return { format: known, path };
}

/** As far as it can be known before the run. */
async function obstacle(target: string, path: string): Promise<string | undefined> {
	const found = await stat(target).catch(() => undefined);
	if (found?.isFile() === false) return "it isn't a regular file";
	try {
		// A report replaces a file by a new one, which is up to the directory.
		await access(`${dirname(target)}/.`, constants.W_OK);
		return undefined;
	} catch (error) {
		const { code = '' } = error as NodeJS.ErrnoException;
		return ['ENOENT', 'ENOTDIR'].includes(code) ? `directory not found: ${dirname(path)}` : fileProblem(error);
	}
}

/** Checks before a run that each report can be written, and replaces no file of the run. @throws UsageError */
export async function checkReports(
	texts: readonly string[],
	files: readonly (readonly [what: string, path: string | undefined])[],
	cwd: string,
): Promise<ReportSpec[]> {
	const specs = texts.map(parseReport);
	const taken = new Map<string, string>();
	for (const [what, path] of files) if (path !== undefined) taken.set(realName(resolve(cwd, path)), what);
	for (const { format, path } of specs) {
		const name = realName(resolve(cwd, path));
		const owner = taken.get(name);
		const why = owner === undefined ? await obstacle(name, path) : `it is ${owner}`;
		if (why !== undefined) {
			throw new UsageError(`--report ${format}:${path}: ${why}; nothing was sent`, { code: 'report_place' });
		}
		taken.set(name, 'the file of another report');
	}
	return specs;
}

/** Between them, signals can end the program. */
const TEXTS_AT_ONCE = 10_000;

/** @param open reads the run, which can fail like the file */
async function writeReport({ path }: ReportSpec, open: () => Iterable<string>, cwd: string): Promise<void> {
	let draft: Draft | undefined;
	try {
		draft = new Draft(resolve(cwd, path), { keepsMode: true });
		let count = 0;
		for (const text of open()) {
			draft.write(text);
			count++;
			if (count % TEXTS_AT_ONCE === 0) await nextTurn();
		}
		draft.finish();
	} catch (error) {
		throw cannotWrite(path, error);
	} finally {
		draft?.close();
	}
}

function cannotWrite(path: string, error: unknown): FailedError {
	const message = `can't write the report ${path}: ${fileProblem(error)}`;
	return new FailedError(message, { code: 'report_failed', cause: error });
}

/** @throws FailedError once the others are written */
export async function writeReports(specs: readonly ReportSpec[], facts: ReportFacts, cwd: string): Promise<void> {
	let failure: unknown;
	for (const spec of specs) {
		await writeReport(spec, () => reports[spec.format].run(facts), cwd).catch((error: unknown) => {
			failure ??= error;
		});
	}
	if (failure !== undefined) throw failure;
}

/** Only pages say what changed. */
export function showChanges(specs: readonly ReportSpec[]): boolean {
	return specs.some(({ format }) => reports[format].plan !== undefined);
}

/** @throws UsageError */
export function checkPlanReports(specs: readonly ReportSpec[]): void {
	for (const { format } of specs) planWriterOf(format);
}

function planWriterOf(format: ReportFormat): NonNullable<Report['plan']> {
	const { plan }: Report = reports[format];
	if (plan !== undefined) return plan;
	const message = `--report ${format}: a plan has no outcomes yet; use ${planFormats.join(' or ')}`;
	throw new UsageError(message, { code: 'invalid_value' });
}

export async function writePlanReports(specs: readonly ReportSpec[], facts: PlanFacts, cwd: string): Promise<void> {
	checkPlanReports(specs);
	const page = pageOfPlan(facts);
	for (const spec of specs) await writeReport(spec, () => planWriterOf(spec.format)(page), cwd);
}

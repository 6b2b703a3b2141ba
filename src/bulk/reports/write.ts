/** `--report FORMAT:FILE`: where reports may be written, and writing them in constant memory. */

import { randomBytes } from 'node:crypto';
import { access, constants, type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { didYouMean } from '../../api/suggest.js';
import { FailedError, fileProblem, UsageError } from '../../errors.js';
import { openRecords, type RecordFile } from '../journal/read.js';
import { csv, json } from './data.js';
import { html } from './html.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { type Page, type PlanFacts, pageOfPlan, pageOfRun } from './page.js';
import { type ReportFacts, reportOn } from './report.js';

const PAGES = { markdown, html };
const DATA = { junit, json, csv };

const FORMATS = { junit: 'xml', json: 'json', markdown: 'md', csv: 'csv', html: 'html' };

export type ReportFormat = keyof typeof FORMATS;

export const reportFormats = Object.keys(FORMATS) as readonly ReportFormat[];

type ReportSpec = ReturnType<typeof parseReport>;

export function parseReport(text: string): { format: ReportFormat; path: string } {
	const [format = '', ...rest] = text.split(':');
	const path = rest.join(':');
	const known = reportFormats.find((each) => each === format);
	const code = 'invalid_value';
	if (known === undefined) {
		throw new UsageError(`--report: ${JSON.stringify(format)} is not a format${didYouMean(format, reportFormats)}`, {
			code,
			hint: `the formats are ${reportFormats.join(', ')}, as in --report junit:results.xml`,
		});
	}
	if (path === '-') throw new UsageError('--report needs a file: stdout is for results', { code });
	if (path !== '') return { format: known, path };
	throw new UsageError(`--report ${format} needs a file, as in --report ${format}:report.${FORMATS[known]}`, {
		code,
	});
}

/** One name for each file, also a new one. */
async function realName(path: string): Promise<string> {
	return await realpath(path).catch(async () =>
		join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
	);
}

async function obstacle(target: string, path: string): Promise<string | undefined> {
	const found = await stat(target).catch(() => undefined);
	if (found?.isDirectory() === true) return 'it is a directory';
	// A file is replaced: that is up to its directory.
	const needed = found === undefined || found.isFile() ? `${dirname(target)}/.` : target;
	return await access(needed, constants.W_OK).then(
		() => undefined,
		(error: NodeJS.ErrnoException) =>
			['ENOENT', 'ENOTDIR'].includes(error.code ?? '') ? `directory not found: ${dirname(path)}` : fileProblem(error),
	);
}

/** Checks before a run that each report can be written, and replaces no file of the run. @throws UsageError */
export async function checkReportPlaces(
	specs: readonly ReportSpec[],
	files: readonly (readonly [what: string, path: string | undefined])[],
	cwd: string,
): Promise<void> {
	const taken = new Map<string, string>();
	const take = async (name: string, what: string): Promise<void> => {
		const found = await stat(name).catch(() => undefined);
		// Pipes and devices have many writers.
		if (found === undefined || found.isFile()) taken.set(name, what);
	};
	for (const [what, path] of files) if (path !== undefined) await take(await realName(resolve(cwd, path)), what);
	for (const { format, path } of specs) {
		const target = resolve(cwd, path);
		const name = await realName(target);
		const owner = taken.get(name);
		const why = owner === undefined ? await obstacle(target, path) : `it is ${owner}`;
		if (why !== undefined)
			throw new UsageError(`--report ${format}:${path}: ${why}; nothing was sent`, { code: 'report_place' });
		await take(name, 'the file of another report');
	}
}

const PIECE = 256 * 1024;

/** The whole file or none. */
async function writeReport({ path: given }: ReportSpec, texts: Iterable<string>, cwd: string): Promise<void> {
	const path = await realName(resolve(cwd, given));
	// Terminals, pipes and devices can't be replaced.
	const isSpecial = (await stat(path).catch(() => undefined))?.isFile() === false;
	const draft = isSpecial ? path : `${path}.${randomBytes(4).toString('hex')}.tmp`;
	let handle: FileHandle | undefined;
	try {
		handle = await open(draft, isSpecial ? 'w' : 'wx', 0o666);
		let piece = '';
		for (const text of texts) {
			piece += text;
			if (piece.length < PIECE) continue;
			await handle.writeFile(piece);
			piece = '';
		}
		await handle.writeFile(piece);
		await handle.close();
		if (!isSpecial) await rename(draft, path);
	} catch (error) {
		await handle?.close().catch(() => undefined);
		if (!isSpecial && handle !== undefined) await unlink(draft).catch(() => undefined);
		throw cannotWrite(given, error);
	}
}

function cannotWrite(path: string, error: unknown): FailedError {
	const message = `can't write the report ${path}: ${fileProblem(error)}`;
	return new FailedError(message, { code: 'report_failed', cause: error });
}

/** Writes the others if one fails. */
export async function writeReports(specs: readonly ReportSpec[], facts: ReportFacts, cwd: string): Promise<void> {
	const files: RecordFile[] = [];
	const failures: Error[] = [];
	try {
		for (const path of facts.journals) files.push(await openRecords(path));
		const report = reportOn(facts, files);
		let page: Page | undefined;
		const textsOf = (format: ReportFormat): Iterable<string> => {
			if (!isPageFormat(format)) return DATA[format](report);
			page ??= pageOfRun(report);
			return PAGES[format](page);
		};
		for (const spec of specs) {
			await writeReport(spec, textsOf(spec.format), cwd).catch((error: Error) => failures.push(error));
		}
	} catch (error) {
		throw cannotWrite(specs.map(({ path }) => path).join(', '), error);
	} finally {
		for (const file of files) file.close();
	}
	const [first, ...others] = failures;
	if (first === undefined) return;
	if (others.length === 0) throw first;
	throw new FailedError(`${failures.length} reports could not be written`, {
		code: 'report_failed',
		details: failures.map(({ message }) => message),
	});
}

/** @throws UsageError for a format that has only outcomes */
export function checkPlanReports(specs: readonly ReportSpec[]): void {
	const other = specs.find(({ format }) => !isPageFormat(format));
	if (other !== undefined) {
		throw new UsageError(`--report ${other.format}: a plan has no outcomes yet; use html or markdown`, {
			code: 'invalid_value',
		});
	}
}

/** Writes reports on a plan. @throws UsageError for a format that has only outcomes, FailedError */
export async function writePlanReports(specs: readonly ReportSpec[], facts: PlanFacts, cwd: string): Promise<void> {
	checkPlanReports(specs);
	const page = pageOfPlan(facts);
	for (const spec of specs) if (isPageFormat(spec.format)) await writeReport(spec, PAGES[spec.format](page), cwd);
}

function isPageFormat(format: ReportFormat): format is keyof typeof PAGES {
	return Object.hasOwn(PAGES, format);
}

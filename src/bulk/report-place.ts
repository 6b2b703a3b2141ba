/** Where reports shall be written, looked at before the run: a report must not fail at its end, nor cost another file. */

import { access, constants, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { ReportSpec } from './report-spec.js';

/** A file that the run reads or writes itself. */
export interface TakenFile {
	readonly path: string;
	/** What it is to the run: `the input`. */
	readonly what: string;
}

/** One name for each file, whatever links and dots lead to it, and also where it is not there yet. */
export async function realName(path: string): Promise<string> {
	return await realpath(path).catch(async () =>
		join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
	);
}

/** Why a report can't be written to a path; undefined where it can, as far as that can be known. */
async function obstacle(target: string, path: string): Promise<string | undefined> {
	const [found, folder] = await Promise.all([target, dirname(target)].map((each) => stat(each).catch(() => undefined)));
	if (found?.isDirectory() === true) return 'it is a folder';
	if (folder === undefined) return `there is no folder ${dirname(path)}`;
	if (!folder.isDirectory()) return `${dirname(path)} is no folder`;
	// A file is replaced, which is up to its folder; a device or a pipe is written to.
	const needed = found === undefined || found.isFile() ? dirname(target) : target;
	return await access(needed, constants.W_OK).then(
		() => undefined,
		() => "it can't be written there",
	);
}

/**
 * Looks whether each report can be written where it shall be, onto no file that the run needs and no other report.
 * @throws UsageError
 */
export async function checkReportPlaces(
	specs: readonly ReportSpec[],
	files: readonly TakenFile[],
	cwd: string,
): Promise<void> {
	const taken = new Map<string, string>();
	const take = async (name: string, what: string): Promise<void> => {
		const found = await stat(name).catch(() => undefined);
		// A pipe or a device takes from any number of writers.
		if (found === undefined || found.isFile()) taken.set(name, what);
	};
	for (const { path, what } of files) await take(await realName(resolve(cwd, path)), what);
	for (const { format, path } of specs) {
		const target = resolve(cwd, path);
		const name = await realName(target);
		const owner = taken.get(name);
		const why = owner === undefined ? await obstacle(target, path) : `it is ${owner}`;
		if (why !== undefined)
			throw new UsageError(`--report ${format}:${path}: ${why}; nothing was sent`, { code: 'report_place' });
		await take(name, 'the place of another report');
	}
}

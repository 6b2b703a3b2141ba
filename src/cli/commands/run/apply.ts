/** `run apply`: sends the rows of a saved plan to objects that still have the values that it shows as old. */

import { join, resolve } from 'node:path';
import { counted } from '../../../api/names.js';
import { isSkipped, type RunSummary, runStates, runsIn, type SkippedRun } from '../../../bulk/journal/folder.js';
import type { Part } from '../../../bulk/part.js';
import type { RunHeader } from '../../../bulk/plan.js';
import { readPlan, sumUp } from '../../../bulk/plan-file/read.js';
import { applyPlan, openPart } from '../../../bulk/run/apply.js';
import { UsageError } from '../../../errors.js';
import { makeFolder } from '../../../folder.js';
import type { Context } from '../../../io/context.js';
import { acquireLock, type Lock } from '../../../lock.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand } from '../../command.js';
import { notify } from '../../notices.js';
import { allBut, options, pick } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import { checkOptions, partOptions, runOptions } from '../../runs/options.js';
import { readPart } from '../../runs/part.js';
import { nothing } from '../../runs/printers/preview.js';
import { noteSkipped } from './list.js';

export const command = defineCommand({
	arguments: [{ name: 'plan', help: 'File that --plan wrote', required: true, completes: 'plans' }],
	options: [
		...options('Plan', [
			{ flags: '--digest <sha256>', help: 'Fail unless the plan has this digest' },
			{ flags: '--allow-drift', help: 'Also send rows whose objects someone changed after the plan was made' },
			{ flags: '--again', help: 'Apply a plan that was already applied' },
		]),
		...partOptions,
		...pick(checkOptions, 'verify'),
		...allBut(guardOptions, 'plan'),
		...tuningOptions,
		...allBut(runOptions, 'shard'),
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		const { args, context, options: given } = invocation;
		const path = resolve(context.cwd, args[0] as string);
		const saved = readPlan(path);
		const { header, sha256, rows } = saved;
		notify(context, 'message', `plan ${args[0]}: digest ${sha256}`);
		if (given.digest !== undefined && given.digest.toLowerCase() !== sha256) {
			throw new UsageError(`the plan's digest is ${sha256}, not ${given.digest}; nothing was sent`, { code: 'digest' });
		}
		if (rows === 0) {
			const { left } = sumUp(path, header.plan);
			const others = left.texts().map((text) => `not in the plan: ${text}`);
			for (const text of [nothing({ left }), ...others]) notify(context, 'message', text);
			return;
		}
		const part = await readPart(given, context);
		// Of two applies at once, neither would see the other's journal.
		const lock = given.dryRun === true ? undefined : lockPlan(sha256, context);
		try {
			const earlier = given.again === true ? [] : await runsOf(sha256, context);
			const headers = earlier.map(({ header }) => header);
			const { rows: left, wanted, taken, by } = openPart(path, part ?? {}, headers);
			if (left === 0) {
				if (wanted === 0) throw nothingWanted();
				throw appliedBefore(by, earlier, part);
			}
			if (taken.length > 0) {
				const text = `${counted(taken.length, 'object')} of the plan ${taken.length === 1 ? 'was' : 'were'} already applied by run ${by.join(', ')}`;
				notify(context, 'message', `${text}; sending only the rest`);
			}
			const { sendAgain } = await import('../../runs/past.js');
			const plan = applyPlan(header, saved, {
				allowDrift: given.allowDrift === true,
				part,
				taken: taken.length > 0 ? taken : undefined,
			});
			return await sendAgain({ path, header }, invocation, plan);
		} finally {
			lock?.release();
		}
	},
});

function lockPlan(sha256: string, context: Context): Lock {
	const folder = stateFolder(context);
	makeFolder(folder);
	return acquireLock(join(folder, `plan-${sha256}.lock`), 'the plan');
}

type EarlierRun = RunSummary & { header: RunHeader };

/** Earlier runs of the plan, as far as their journals can be read. */
async function runsOf(sha256: string, context: Context): Promise<EarlierRun[]> {
	const runs: EarlierRun[] = [];
	const skipped: SkippedRun[] = [];
	for await (const summary of runsIn(stateFolder(context))) {
		const { header } = summary;
		const source = header?.plan.source;
		if (isSkipped(summary)) skipped.push(summary);
		else if (header !== undefined && source?.from === 'plan' && source.sha256 === sha256)
			runs.push({ ...summary, header });
	}
	noteSkipped(context, skipped);
	return runs;
}

function nothingWanted(): UsageError {
	return new UsageError('--ids and --except leave nothing to send', { code: 'nothing_to_send' });
}

/** @param by the IDs of the runs that took the rows */
function appliedBefore(by: readonly string[], earlier: readonly EarlierRun[], part: Part | undefined): UsageError {
	const what = part === undefined ? 'the plan was' : 'these objects were';
	const open = earlier.find(({ id, state }) => by.includes(id) && runStates[state].isOpen);
	const first =
		open === undefined
			? `to see what it did: supportctl run show ${by[0]}`
			: `to finish that run: supportctl run resume ${open.id}`;
	return new UsageError(`${what} already applied by run ${by.join(', ')}; nothing was sent`, {
		code: 'applied_before',
		hint: `${first}; to apply the plan again: --again`,
	});
}

/** `run apply`: sends the rows of a saved plan to objects that still have the values that it shows as old. */

import { resolve } from 'node:path';
import { journalPath, readRunHeader, runIds } from '../../../bulk/journal/folder.js';
import type { RunHeader } from '../../../bulk/run/plan.js';
import { applyPlan, readPlan } from '../../../bulk/run/plan-file.js';
import { ExitCode, UsageError } from '../../../errors.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand } from '../../command.js';
import { notify } from '../../notices.js';
import { allBut, options, pick } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import { checkOptions, type RunInvocation, runOptions } from '../../runs/options.js';

export const command = defineCommand({
	arguments: [{ name: 'plan', help: 'File that --plan wrote', required: true, completes: 'files' }],
	options: [
		...options('Plan', [
			{ flags: '--digest <sha256>', help: 'Fail unless the plan has this digest' },
			{ flags: '--allow-drift', help: 'Also send rows whose objects changed since the plan was made' },
			{ flags: '--again', help: 'Apply a plan that was already applied' },
		]),
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
			notify(context, 'message', 'no changes: everything was up to date when the plan was made');
			return ExitCode.ok;
		}
		const earlier = given.again === true ? undefined : findApply(stateFolder(context), sha256);
		if (earlier !== undefined) {
			throw new UsageError(`the plan was already applied by run ${earlier.id}; nothing was sent`, {
				code: 'applied_before',
				hint: `to finish that run: supportctl run resume ${earlier.id}; to apply the plan again: --again`,
			});
		}
		const { sendAgain } = await import('../../runs/past.js');
		const plan = applyPlan(header, saved, given.allowDrift === true);
		const { stopOnError, maxFailures, verify } = given;
		return await sendAgain({ path, header }, invocation as RunInvocation, {
			...plan,
			checks: { ...plan.checks, verify: plan.checks.verify || verify === true },
			stop: { onError: stopOnError ?? plan.stop.onError, maxFailures: maxFailures ?? plan.stop.maxFailures },
		});
	},
});

/** The newest run of the state folder that applied a plan. */
function findApply(stateDir: string, sha256: string): RunHeader | undefined {
	for (const id of runIds(stateDir).reverse()) {
		const header = headerOf(journalPath(stateDir, id));
		if (header?.plan.source.from === 'plan' && header.plan.source.sha256 === sha256) return header;
	}
	return undefined;
}

function headerOf(path: string): RunHeader | undefined {
	try {
		return readRunHeader(path);
	} catch {
		// A damaged journal is none that a plan left.
		return undefined;
	}
}

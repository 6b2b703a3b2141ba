/** `run apply`: sends the rows of a saved plan to objects that still have the values that it shows as old. */

import { resolve } from 'node:path';
import { listRuns, type RunSummary } from '../../../bulk/journal/folder.js';
import { applyPlan, readPlan } from '../../../bulk/run/plan-file.js';
import { UsageError } from '../../../errors.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand } from '../../command.js';
import { notify } from '../../notices.js';
import { allBut, options, pick } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import { checkOptions, runOptions } from '../../runs/options.js';

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
			return;
		}
		const isOfPlan = ({ header: run }: RunSummary): boolean =>
			run?.plan.source.from === 'plan' && run.plan.source.sha256 === sha256;
		const earlier = given.again === true ? undefined : (await listRuns(stateFolder(context))).find(isOfPlan);
		if (earlier !== undefined) {
			throw new UsageError(`the plan was already applied by run ${earlier.id}; nothing was sent`, {
				code: 'applied_before',
				hint: `to finish that run: supportctl run resume ${earlier.id}; to apply the plan again: --again`,
			});
		}
		const { sendAgain } = await import('../../runs/past.js');
		const plan = applyPlan(header, saved, given.allowDrift === true);
		return await sendAgain({ path, header }, invocation, plan);
	},
});

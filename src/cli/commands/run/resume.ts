/** `run resume`: send the rows of a run that are not done. */

import { exitCodeOf, openRows } from '../../../bulk/journal/counts.js';
import { summariseRun } from '../../../bulk/journal/folder.js';
import { defineCommand } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { guardOptions, tuningOptions } from '../../options/run.js';
import { runArgument } from '../../run-argument.js';
import type { RunInvocation } from '../../runs/job.js';
import { againOptions } from '../../runs/options.js';

export const command = defineCommand({
	summary: 'Resume a run: send the rows that are not done.',
	description:
		'The plan of the run comes from its journal: command, input, columns, values and checks. Where to sign in comes from this call, and must be the service of the run. A changed input is refused.',
	examples: [
		{ command: 'supportctl run resume last', note: 'the newest run' },
		{ command: 'supportctl run resume last --verify', note: 'read objects back, which settles unknown outcomes' },
	],
	arguments: [runArgument],
	options: [
		...options([
			{ flags: '--input <file>', help: 'Where the input is now', group: 'Input', completes: 'files' },
			{ flags: '--verify', help: 'Read each object back and compare', group: 'Checks' },
		]),
		...againOptions,
		...guardOptions,
		...tuningOptions,
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		const call = invocation as RunInvocation;
		const { pastRun, secretsAgain, sendAgain, withInput } = await import('../../runs/past.js');
		const past = pastRun(invocation);
		const { end } = await summariseRun(past.path, past.header.id);
		if (end !== undefined && openRows(end.counts) === 0) {
			invocation.context.stderr.write(`run ${past.header.id} is done: there is nothing to send\n`);
			return exitCodeOf(end.counts);
		}
		const input = withInput(past, call);
		const plan = call.options.verify === true ? { ...input, checks: { ...input.checks, verify: true } } : input;
		return await sendAgain(past, call, { plan, secrets: await secretsAgain(past, call), resumes: past });
	},
});

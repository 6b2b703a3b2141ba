/** `run resume`: goes on with a run that was stopped, killed or left rows open. */

import { defineCommand } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { pick } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { engineOptions, guardOptions, inputOptions } from '../../options/run.js';
import { runArgument } from '../../run-argument.js';

export const command = defineCommand({
	summary: 'Send the rows of a run that are not done, and no row that is.',
	description:
		'Command, flags and input come from the journal. The service does not: it comes from flags, environment and profiles, as for any command (a stored profile of the name and base URL that the journal has is used), and must be the one of the run. Nor do the files of --report. A changed input and a run that is still going on are refused. Rows that failed stay as they are; run rejects gives them back. Where a row is sent again, later rows of its id follow it again, so that the last one has the last word. Secrets are not kept: give them again behind --.',
	examples: [
		{ command: 'supportctl run resume last', note: 'the latest run' },
		{ command: 'supportctl run resume 20261121-0815 -j 2 --rate 20', note: 'more gently' },
		{ command: 'supportctl run resume last -- --password-stdin < new.txt', note: 'with a secret that was not kept' },
	],
	arguments: [
		runArgument,
		{ name: 'flags', help: 'Flags with secrets, given again behind --', required: false, variadic: true },
	],
	options: [
		...pick(inputOptions, 'input'),
		...pick(guardOptions, 'yes', 'confirm'),
		...pick(engineOptions, 'concurrency', 'rate', 'retries', 'stop-on-error', 'max-failures', 'report'),
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		return (await import('../../rows/resume.js')).resumeRun(invocation);
	},
});

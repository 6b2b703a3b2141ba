/** `run list`: the runs that the state folder knows of. */

import { listRuns } from '../../../bulk/runs.js';
import { ExitCode } from '../../../errors.js';
import { stateFolder } from '../../../profile/environment.js';
import { defineCommand } from '../../command.js';
import { outputOptions } from '../../options/output.js';
import { stdoutPalette } from '../../palette.js';
import { openResults } from '../../results.js';
import { runColumns, runKeys, runView } from '../../runs/view.js';

export const command = defineCommand({
	summary: 'List the runs, the newest first.',
	description:
		'States: running, while a process has the journal; finished, after the last row; stopped, when it ended before that by itself; interrupted, by Ctrl-C or a signal; broken-off, when it was killed or its machine stopped.',
	examples: [
		{ command: 'supportctl run list', note: 'all runs' },
		{
			command: 'supportctl run list --query \'[?open!=`0` && !problem && state!=`"running"`].run\' --format ids',
			note: 'runs to resume',
		},
	],
	arguments: [],
	options: outputOptions,
	async run(invocation) {
		const palette = await stdoutPalette(invocation);
		const results = await openResults(invocation, {
			palette,
			columns: runColumns(palette, invocation.context.stdout.columns),
			keys: runKeys,
			idOf: (row) => (row as Record<string, unknown>).run,
		});
		for (const summary of await listRuns(stateFolder({ env: invocation.context.env, cwd: invocation.context.cwd })))
			await results.row(runView(summary));
		await results.end();
		return ExitCode.ok;
	},
});

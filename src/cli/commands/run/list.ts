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
	summary: 'List runs, the newest first.',
	description:
		'States: running; finished (at its last row); stopped (ended before that); interrupted (by a signal); broken-off (killed, or the machine failed).',
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

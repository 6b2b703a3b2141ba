/** `run list`: the runs that the state folder knows of. */

import { listRuns, runIds } from '../../../bulk/journal/folder.js';
import { ExitCode } from '../../../errors.js';
import { stateFolder } from '../../../profile/environment.js';
import { defineCommand } from '../../command.js';
import { say } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { wholeNumber } from '../../options/run.js';
import { stdoutPalette } from '../../palette.js';
import { chosenFormat, openResults } from '../../results.js';
import { runColumns, runKeys, runView } from '../../runs/view.js';

/** How many runs are shown on a terminal. */
const SHOWN = 20;

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
	options: [
		...options([
			{
				flags: '--limit <n>',
				help: 'At most N runs, the newest',
				group: 'Runs',
				parse: wholeNumber('--limit', 1),
				defaultText: `${SHOWN} on a terminal, all elsewhere`,
			},
		]),
		...outputOptions,
	],
	async run(invocation) {
		const palette = await stdoutPalette(invocation);
		const results = await openResults(invocation, {
			palette,
			columns: runColumns(palette, invocation.context.stdout.columns),
			keys: runKeys,
			idOf: (row) => (row as Record<string, unknown>).run,
		});
		const { context, options: given } = invocation;
		const stateDir = stateFolder({ env: context.env, cwd: context.cwd });
		const isPlain = context.stdout.isTTY && chosenFormat(given) === undefined && given.query === undefined;
		const limit = given.limit ?? (isPlain ? SHOWN : Number.POSITIVE_INFINITY);
		for (const summary of await listRuns(stateDir, limit)) await results.row(runView(summary));
		await results.end();
		const more = runIds(stateDir).length - limit;
		if (more > 0) say(invocation, `… and ${more} older; --limit shows more, run prune removes old runs`);
		return ExitCode.ok;
	},
});

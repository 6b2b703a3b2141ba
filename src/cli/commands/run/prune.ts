/** `run prune`: remove the journals of old runs. */

import { listRuns, type RunState, type RunSummary, removeRun } from '../../../bulk/journal/folder.js';
import { ExitCode, UsageError } from '../../../errors.js';
import { stateFolder } from '../../../profile/environment.js';
import { defineCommand } from '../../command.js';
import { say } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/output.js';
import { stdoutPalette } from '../../palette.js';
import { openResults } from '../../results.js';
import { runColumns, runKeys, runView } from '../../runs/view.js';

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `30d` → milliseconds. @throws UsageError */
function parseAge(text: string): number {
	const [, count, unit = ''] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
	if (count !== undefined) return Number(count) * (UNITS[unit] as number);
	throw new UsageError(`--older-than takes a number of h, d or w such as 30d, not ${JSON.stringify(text)}`, {
		code: 'invalid_value',
	});
}

/** Rows of these runs can still be resumed. */
const OPEN: ReadonlySet<RunState> = new Set(['stopped', 'interrupted', 'broken-off', 'damaged']);

export const command = defineCommand({
	summary: 'Remove the journals of old runs.',
	description:
		'A removed run can no longer be shown, retried or undone. Runs with open rows are kept unless --force is given; a running one always. Asks first.',
	examples: [
		{ command: 'supportctl run prune --older-than 30d --dry-run', note: 'list what would be removed' },
		{ command: 'supportctl run prune --older-than 12w --yes', note: 'without a question' },
	],
	arguments: [],
	options: [
		...options([
			{
				flags: '--older-than <age>',
				help: 'Runs that started before: a number of h, d or w',
				group: 'Runs',
				parse: parseAge,
				defaultText: '30d',
			},
			{ flags: '--force', help: 'Remove runs with open rows too', group: 'Runs' },
			{ flags: '-n, --dry-run', help: 'List the runs and remove none', group: 'Runs' },
			{ flags: '-y, --yes', help: 'Do not ask', group: 'Runs' },
		]),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given } = invocation;
		const stateDir = stateFolder({ env: context.env, cwd: context.cwd });
		const before = new Date(context.clock.now() - (given.olderThan ?? parseAge('30d'))).toISOString();
		const isOld = ({ state, header }: RunSummary): boolean =>
			header !== undefined &&
			header.started < before &&
			state !== 'running' &&
			(given.force === true || !OPEN.has(state));
		const old = (await listRuns(stateDir)).filter(isOld);
		if (given.dryRun !== true && old.length > 0 && given.yes !== true) {
			const what = `the journals of ${old.length} ${old.length === 1 ? 'run' : 'runs'} before ${before.slice(0, 10)}`;
			if (!context.prompts.available) {
				throw new UsageError(`to remove ${what} without a terminal, give --yes`, { code: 'needs_yes' });
			}
			if (!(await context.prompts.confirm(`Remove ${what}?`))) {
				throw new UsageError('cancelled; nothing was removed', { code: 'cancelled' });
			}
		}
		const palette = await stdoutPalette(invocation);
		const results = await openResults(invocation, {
			palette,
			columns: runColumns(palette, context.stdout.columns),
			keys: runKeys,
			idOf: ({ run }) => run,
		});
		for (const each of old) {
			if (given.dryRun !== true) removeRun(stateDir, each.id);
			await results.row(runView(each));
		}
		await results.end();
		say(
			invocation,
			`${old.length} ${old.length === 1 ? 'run' : 'runs'} ${given.dryRun === true ? 'would be ' : ''}removed`,
		);
		return ExitCode.ok;
	},
});

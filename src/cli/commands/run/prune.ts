/** `run prune`. */

import { counted } from '../../../api/names.js';
import { listRuns, removeRun, runStates } from '../../../bulk/journal/folder.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand } from '../../command.js';
import { askToConfirm, say } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/shared.js';
import { parseDuration } from '../../options/times.js';
import { printRuns } from './list.js';

const MONTH = 30 * 24 * 3_600_000;

export const command = defineCommand({
	arguments: [],
	options: [
		...options('Runs', [
			{
				flags: '--older-than <age>',
				help: 'Remove runs older than this, e.g. 12h, 30d or 8w',
				parse: parseDuration,
				defaultText: '30d',
			},
			{ flags: '--force', help: 'Also remove runs with unsent rows' },
			{ flags: '-n, --dry-run', help: 'List the runs without removing them' },
			{ flags: '-y, --yes', help: 'Skip confirmation' },
		]),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given } = invocation;
		const { dryRun = false, force = false, olderThan = MONTH, yes = false } = given;
		const stateDir = stateFolder(context);
		const before = new Date(Math.max(0, context.clock.now() - olderThan)).toISOString();
		const old = (await listRuns(stateDir)).filter(({ state, header }) => {
			const { isOpen, hasEnded } = runStates[state];
			return header !== undefined && header.started < before && hasEnded && (force || !isOpen);
		});
		const runs = counted(old.length, 'run');
		if (!dryRun && !yes && old.length > 0) {
			const action = `remove the journals of ${runs} before ${before.slice(0, 10)}`;
			await askToConfirm(context, action, 'nothing was removed');
		}
		// Refused before anything is removed.
		await printRuns(invocation, old);
		if (!dryRun) for (const { id } of old) removeRun(stateDir, id);
		const done = `${runs} ${dryRun ? 'would be ' : ''}removed`;
		say(invocation, old.length > 0 ? done : `no finished runs from before ${before.slice(0, 10)}`);
	},
});

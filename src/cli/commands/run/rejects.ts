/** `run rejects`: rows to fix, in the columns of the input, with reasons. */

import { ownId } from '../../../api/endpoints.js';
import { counted } from '../../../api/names.js';
import type { InputSource } from '../../../bulk/input/input.js';
import { reasonColumn } from '../../../bulk/input/rows.js';
import { findRun } from '../../../bulk/journal/folder.js';
import { openRecords } from '../../../bulk/journal/read.js';
import type { Reject } from '../../../bulk/run/rejects.js';
import { outcomeNames } from '../../../http/outcomes.js';
import { factsOf } from '../../../output/formats.js';
import { isSecretName } from '../../../output/redact.js';
import { stateFolder } from '../../../profile/settings.js';
import { defineCommand, type Invocation } from '../../command.js';
import { warn } from '../../notices.js';
import { options } from '../../options/option.js';
import { outputOptions } from '../../options/shared.js';
import { openResults } from '../../results.js';
import { inputAt } from '../../runs/job.js';
import { outcomeOption, runArgument } from '../../runs/options.js';
import { noteUnreached } from './list.js';

export const command = defineCommand({
	arguments: [runArgument],
	options: [
		...options('Rows', [
			{ flags: '--input <file>', help: 'New path of the input, or - for stdin', completes: 'files' },
		]),
		outcomeOption(
			'Export rows with these outcomes',
			outcomeNames,
			'failed, differs, invalid, and conflicts of --if-unmodified',
		),
		...outputOptions,
	],
	async run(invocation) {
		const { context, options: given, args } = invocation;
		const { openPastInput, rejectsOf } = await import('../../../bulk/run/rejects.js');
		const stateDir = stateFolder(context);
		const file = await openRecords(findRun(stateDir, args[0], context.cwd));
		const { header } = file.scan;
		const outcomes = given.outcome?.flat();
		const reason = reasonColumn((name) => Object.hasOwn(header.plan.columns.map, name));
		const moved = given.input === undefined ? undefined : inputAt(given.input, context.cwd);
		let input: InputSource | undefined;
		try {
			input = await openPastInput(header, moved, context.stdin.bytes(), stateDir);
			if (input === undefined) {
				warn(context, ['the input of the run was not kept: exporting only IDs; pass the file with --input']);
			}
			const listed = await print(invocation, input, reason, rejectsOf(file, input, { outcomes, reason, isSecretName }));
			if (outcomes?.includes('not-sent')) noteUnreached(context, file.scan, listed);
		} finally {
			file.close();
			await input?.dispose({ keep: true });
		}
	},
});

/** @returns how many rows the run didn't reach */
async function print(
	invocation: Invocation,
	input: InputSource | undefined,
	reason: string,
	rejects: AsyncIterable<Reject>,
): Promise<number> {
	const { context, options } = invocation;
	const format = input === undefined || input.format === 'ids' ? 'csv' : input.format;
	// Dots in a name mean nothing.
	const last = { path: reason, label: reason };
	const others = (names: readonly string[]) =>
		names.filter((name) => name !== reason).map((name) => ({ path: name, label: name }));
	const results = await openResults(invocation, {
		...(input?.columns === undefined
			? { columns: [{ ...last, optional: true, important: true }], more: (row) => others(Object.keys(row)) }
			: { columns: [...others(input.columns), last] }),
		format: context.stdout.isTTY ? undefined : format,
	});
	const onlyIds = factsOf(options.format).prints === 'id' && options.query === undefined;
	let nameless = 0;
	let unreached = 0;
	for await (const { row, ids: own, isUnreached } of rejects) {
		const id = ownId(own);
		if (isUnreached) unreached++;
		if (onlyIds && id === undefined) nameless++;
		else await results.row(onlyIds ? { id } : row);
	}
	await results.end();
	if (nameless > 0) {
		warn(context, [`${counted(nameless, 'row')} without a readable ID; use --format csv to print all of them`]);
	}
	return unreached;
}

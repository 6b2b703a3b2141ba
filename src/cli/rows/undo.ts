/** Puts back what a run of `ticket fields set --snapshot` overwrote: a run of its own, fed from the other's journal. */

import { scanJournal } from '../../bulk/scan.js';
import { oldValues, type Unrestorable, type Unrestored } from '../../bulk/snapshots.js';
import { type ExitCode, FailedError, UsageError } from '../../errors.js';
import type { Input } from '../../io/context.js';
import { lockHolder } from '../../lock.js';
import { sanitise } from '../../output/sanitise.js';
import type { Invocation } from '../command.js';
import { openPastRun, optionsOf, type PastRun, protectedBy } from './past-run.js';
import { runRows } from './run.js';

const REASONS: Readonly<Record<Unrestorable, string>> = {
	secret: 'its old value was not kept, being secret',
	absent: 'there was none before, and the interface shows no way to remove one',
	'not-text': 'its old value was a list or an object, which can not be sent',
};

/** How many fields are named for one reason. */
const NAMED = 20;

/** What stays as it is, a line a field rather than one a ticket. */
function* remarks(unrestored: Unrestored): Generator<string> {
	for (const [reason, names] of unrestored) {
		for (const [name, count] of [...names].slice(0, NAMED)) {
			yield `${name} stays as it is on ${count} ${count === 1 ? 'ticket' : 'tickets'}: ${REASONS[reason]}`;
		}
		if (names.size > NAMED) yield `so do ${names.size - NAMED} more fields: ${REASONS[reason]}`;
	}
}

/** The rows that put the old values back, as NDJSON on a standard input of their own. */
function undoInput(past: PastRun, warn: (text: string) => void): Input {
	async function* lines(): AsyncGenerator<Uint8Array> {
		const unrestored: Unrestored = new Map();
		let kept = 0;
		for await (const { ticket, fields } of oldValues(past.path, unrestored)) {
			kept++;
			const row = { ticket_id: ticket, custom_fields: Object.fromEntries(fields) };
			yield Buffer.from(`${JSON.stringify(row)}\n`);
		}
		for (const remark of remarks(unrestored)) warn(remark);
		if (kept === 0) {
			const { snapshots } = await scanJournal(past.path);
			const { id } = past.header;
			if (snapshots > 0)
				throw new UsageError(`run ${id} wrote nothing that could be put back`, { code: 'nothing_to_undo' });
			throw new UsageError(`run ${id} has no old values that could be put back`, {
				code: 'nothing_to_undo',
				hint: 'only ticket fields set --snapshot keeps them',
			});
		}
	}
	return { isTTY: false, bytes: lines, text: () => Promise.resolve('') };
}

/** @throws FailedError while the run still goes on: what it writes next could not be undone */
function checkEnded({ path, header }: PastRun): void {
	const pid = lockHolder(`${path}.lock`);
	if (pid === undefined) return;
	throw new FailedError(`run ${header.id} is still going on in process ${pid}`, {
		code: 'locked',
		hint: 'stop it with Ctrl-C, or wait for its end',
	});
}

/** Undoes a run; what it puts back is kept as well, so that the undo can be undone. */
export async function undoRun(invocation: Invocation): Promise<ExitCode> {
	const past = await openPastRun(invocation);
	const { context } = invocation;
	if (past.header.command.join(' ') !== 'ticket fields set') {
		throw new UsageError(
			`run ${past.header.id} is of ${past.header.command.join(' ')}; only ticket fields set --snapshot can be undone`,
			{
				code: 'nothing_to_undo',
			},
		);
	}
	checkEnded(past);
	const stdin = undoInput(past, (text) => context.stderr.write(`warning: ${sanitise(text)}\n`));
	const options = optionsOf(past, invocation, (name) => !RUN_FLAGS.has(name));
	return runRows(
		past.definition,
		{
			context: { ...context, stdin },
			words: past.header.command,
			args: [],
			options: {
				...options,
				input: '-',
				inputFormat: 'ndjson',
				onlyChanged: true,
				snapshot: true,
				// Values go back with the types that they had.
				undocumented: true,
				verify: true,
			},
		},
		{
			journal: past.path,
			undoes: past.header.id,
			undoing: `what run ${past.header.id} overwrote (${past.header.command.join(' ')} of ${past.header.started}, ${past.header.input.rows} rows from ${past.header.input.name})`,
			protectedBy: protectedBy(past, invocation),
		},
	);
}

/** Flags of the undone run that say what it did, not where. */
const RUN_FLAGS = new Set([
	'input',
	'inputFormat',
	'map',
	'ignoreColumn',
	'idColumn',
	'blank',
	'skipInvalid',
	'shard',
	'report',
	'allowDiffers',
	'verify',
	'onlyChanged',
	'snapshot',
	'diff',
]);

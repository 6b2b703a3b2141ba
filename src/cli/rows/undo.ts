/** Puts back what a run of `ticket fields set --snapshot` overwrote: a run of its own, fed from the other's journal. */

import { journalLines } from '../../bulk/scan.js';
import { type ExitCode, UsageError } from '../../errors.js';
import type { Input } from '../../io/context.js';
import { sanitise } from '../../output/sanitise.js';
import type { Invocation } from '../command.js';
import { checkSameService, openPastRun, optionsOf, type PastRun } from './past-run.js';
import { runRows } from './run.js';

/** What a journal's snapshot says of one ticket. */
interface Snapshot {
	ticket: string;
	values: Record<string, unknown>;
	withheld: string[];
}

function readSnapshot(text: string | undefined): Snapshot | undefined {
	if (text === undefined || !text.startsWith('{"type":"before"')) return undefined;
	try {
		const { ids, values, withheld } = JSON.parse(text) as {
			ids: Record<string, string>;
			values: Record<string, unknown>;
			withheld?: string[];
		};
		return { ticket: ids.ticket_id as string, values, withheld: withheld ?? [] };
	} catch {
		return undefined;
	}
}

/** The oldest snapshot of each ticket: what was there before the run. */
async function* oldestSnapshots(path: string): AsyncGenerator<Snapshot> {
	const seen = new Set<string>();
	for await (const { texts } of journalLines(path)) {
		for (const text of texts) {
			const snapshot = readSnapshot(text);
			if (snapshot === undefined) continue;
			const fresh: Snapshot = { ...snapshot, values: {} };
			for (const [name, value] of Object.entries(snapshot.values)) {
				const key = `${snapshot.ticket} ${name}`;
				if (seen.has(key)) continue;
				seen.add(key);
				fresh.values[name] = value;
			}
			yield fresh;
		}
	}
}

/** The rows that put the old values back, as NDJSON on a standard input of their own. */
function undoInput(past: PastRun, warn: (text: string) => void): Input {
	async function* lines(): AsyncGenerator<Uint8Array> {
		let kept = 0;
		for await (const { ticket, values, withheld } of oldestSnapshots(past.path)) {
			if (withheld.length > 0)
				warn(`ticket ${ticket}: the old values of ${withheld.join(', ')} were not kept, being secret`);
			const fields = Object.fromEntries(
				Object.entries(values).map(([name, value]) => [name, value === null ? '' : String(value)]),
			);
			if (Object.keys(fields).length === 0) continue;
			kept++;
			yield Buffer.from(`${JSON.stringify({ ticket_id: ticket, custom_fields: fields })}\n`);
		}
		if (kept === 0) {
			throw new UsageError(`run ${past.header.id} has no old values that could be put back`, {
				code: 'nothing_to_undo',
				hint: 'only ticket fields set --snapshot keeps them',
			});
		}
	}
	return { isTTY: false, bytes: lines, text: () => Promise.resolve('') };
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
	const { options } = invocation;
	const stdin = undoInput(past, (text) => context.stderr.write(`warning: ${sanitise(text)}\n`));
	const kept = optionsOf(past, {});
	const connection = Object.fromEntries(Object.entries(kept).filter(([name]) => !RUN_FLAGS.has(name)));
	return runRows(
		past.definition,
		{
			context: { ...context, stdin },
			words: past.header.command,
			args: [],
			options: {
				...connection,
				...options,
				input: '-',
				inputFormat: 'ndjson',
				onlyChanged: true,
				snapshot: true,
				verify: true,
			},
		},
		(run) => checkSameService(past, run),
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
	'strict',
	'verify',
	'onlyChanged',
	'snapshot',
	'diff',
]);

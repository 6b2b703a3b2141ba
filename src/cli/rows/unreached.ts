/** The rows that a run ended without: its journal has no word of them, so that only the input can tell them. */

import { createDialect } from '../../api/dialect.js';
import type { InputSource, RawRow } from '../../bulk/input/source.js';
import type { RowRecord } from '../../bulk/records.js';
import type { RowStates } from '../../bulk/row-states.js';
import { parseShard } from '../../bulk/shard.js';
import type { Invocation } from '../command.js';
import { modelEndpoint } from './definition.js';
import { callOf, openPastRun, type PastRun } from './past-run.js';
import { planRows } from './row-plan.js';
import { fallsTo } from './survey.js';
import { readTargets } from './targets.js';

/** What stands in the journal's place for a row that was not reached; undefined for any other row. */
export type FindUnreached = (raw: RawRow) => RowRecord | undefined;

/** What flags gave to every row. What was secret was not kept, and which row it is does not depend on it. */
function defaultsOf({ settings: { defaults, withheld } }: PastRun): PastRun['settings']['defaults'] {
	return { ...defaults, fields: { ...defaults.fields, ...Object.fromEntries(withheld.map((name) => [name, ''])) } };
}

/**
 * For the run that the first argument names.
 * @param states What its journal says of each row.
 * @throws UsageError where the run's command is not known any more
 */
export async function openUnreached(
	invocation: Invocation,
	source: InputSource,
	states: RowStates,
): Promise<FindUnreached> {
	const past = await openPastRun(invocation);
	const { definition } = past;
	const { options } = past.settings;
	const call = callOf(past, { ...invocation, options: { input: source.path ?? '-' } }, options);
	const targets = readTargets(definition, call);
	const endpoint = modelEndpoint(definition, targets.taxonomy, options.undocumented === true);
	// The words in which the run spoke, whatever the settings are now: which shard a row fell to depends on them.
	const dialect = createDialect(past.header.prefixes);
	const { planRow } = planRows({ definition, endpoint, targets, defaults: defaultsOf(past), options, dialect }, source);
	const shard = typeof options.shard === 'string' ? parseShard(options.shard) : undefined;
	return (raw) => {
		const { row, line } = raw;
		if (states.outcomeOf(row) !== undefined || states.maybeSent(row)) return undefined;
		const planned = planRow(raw);
		if (!fallsTo(shard, planned)) return undefined;
		const complaints = Array.isArray(planned) ? planned : [];
		return {
			type: 'row',
			row,
			...(line === undefined ? {} : { line }),
			ids: Array.isArray(planned) ? (planned[0]?.ids ?? {}) : planned.request.ids,
			outcome: 'not-sent',
			message: ['the run ended before it was reached', ...complaints.map(({ message }) => message)].join('; '),
			attempts: 0,
			ms: 0,
		};
	};
}

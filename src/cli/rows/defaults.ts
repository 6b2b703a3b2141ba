/** What the flags of one call give to every row. */

import { ticketStatuses } from '../../api/statuses.js';
import type { ValueRules } from '../../api/values.js';
import type { Invocation } from '../command.js';
import { dialectOf } from '../session.js';
import type { RowCommandDefinition, RowDefaults } from './definition.js';
import { readData, readFieldFlags } from './field-flags.js';

/** What flags give to every row. @throws UsageError */
export async function readDefaults(definition: RowCommandDefinition, invocation: Invocation): Promise<RowDefaults> {
	const { options, context } = invocation;
	// Flags are checked before settings are needed, which only words that are not the interface's ask for.
	const dialect = () => dialectOf(invocation, definition.without);
	const rules: ValueRules = {
		undocumented: options.undocumented === true,
		statusIn: (status) => (ticketStatuses.includes(status) ? status : dialect().statusIn(status)),
	};
	const isDocumented = (name: string) => definition.fields.some((field) => field.name === name);
	const fieldIn = (name: string) => (isDocumented(name) ? name : dialect().fieldIn(name));
	const data = await readData(definition.fields, options, rules, fieldIn, context);
	const flags = await readFieldFlags(definition.fields, options, rules, context);
	const defaults: RowDefaults = {
		fields: Object.assign(data.values, flags),
		force: options.force === true,
		reassign: undefined,
		dataIds: data.ids,
	};
	await definition.completeDefaults?.(defaults, invocation);
	return defaults;
}

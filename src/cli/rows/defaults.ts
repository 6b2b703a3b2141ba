/** What the flags of one call give to every row. */

import type { Invocation } from '../command.js';
import type { RowCommandDefinition, RowDefaults } from './definition.js';
import { readData, readFieldFlags } from './field-flags.js';

/** What flags give to every row. @throws UsageError */
export async function readDefaults(definition: RowCommandDefinition, invocation: Invocation): Promise<RowDefaults> {
	const { options, context } = invocation;
	const rules = { undocumented: options.undocumented === true };
	const data = await readData(definition.fields, options, rules, context);
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

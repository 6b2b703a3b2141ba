/** What the flags of one call give to every row. */

import type { Field } from '../../api/fields.js';
import { ticketStatuses } from '../../api/statuses.js';
import { findField, isObject, isProblem, mergeValues, parseId, type ValueRules } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Invocation } from '../command.js';
import { dialectOf } from '../session.js';
import { givenFields, modelEndpoint, type RowCommandDefinition, type RowDefaults } from './definition.js';
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
	const fields = givenFields(definition);
	const isDocumented = (name: string) => fields.some((field) => field.name === name);
	const fieldIn = (name: string) => (isDocumented(name) ? name : dialect().fieldIn(name));
	const data = await readData(fields, modelEndpoint(definition).parameters, options, rules, fieldIn, context);
	const flags = await readFieldFlags(fields, options, rules, context);
	const defaults: RowDefaults = {
		fields: joined(fields, data.values, flags),
		force: options.force === true,
		reassign: readReassign(options.reassign as string | undefined),
		dataIds: data.ids,
	};
	await definition.completeDefaults?.(defaults, invocation);
	return defaults;
}

function readReassign(given: string | undefined): string | undefined {
	if (given === undefined) return undefined;
	const parsed = parseId(given);
	if (isProblem(parsed)) throw new UsageError(`--reassign: ${parsed.problem}`, { code: 'invalid_id' });
	return parsed.value;
}

/** `--data` and flags together; a map has the keys of both. @throws UsageError where they contradict each other */
function joined(
	fields: readonly Field[],
	data: Record<string, unknown>,
	flags: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
	for (const [name, value] of Object.entries(flags)) {
		const field = findField(fields, name);
		const isMap = field?.kind === 'map' && isObject(data[name]) && isObject(value);
		if (Object.hasOwn(data, name) && !isMap && JSON.stringify(data[name]) !== JSON.stringify(value)) {
			throw new UsageError(`${name} is given by --data and by a flag of its own, with two values`, {
				code: 'contradiction',
			});
		}
		data[name] = isMap && field !== undefined ? mergeValues(field, data[name], value) : value;
	}
	return data;
}

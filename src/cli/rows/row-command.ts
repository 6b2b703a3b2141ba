/** Makes a command over rows of its definition: flags from the endpoint table, one way to run for all. */

import type { ArgumentSpec, OptionSpec } from '../command.js';
import { connectionOptions } from '../connection-options.js';
import { longName } from '../option-names.js';
import { outputOptions } from '../options/output.js';
import { engineOptions, guardOptions, ignoreMissingOption, inputOptions, strictOption } from '../options/run.js';
import type { RowCommandDefinition, RowCommandSpec } from './definition.js';
import { dataOption, fieldOptions } from './field-flags.js';

export const forceOption = (help: string): OptionSpec => ({ flags: '--force', help, group: 'Fields' });

function argumentsOf(definition: RowCommandDefinition): ArgumentSpec[] {
	return definition.positionals.map((positional, index) => ({
		name: positional.name.replaceAll('_', '-'),
		help: positional.help,
		required: false,
		variadic: index === definition.positionals.length - 1,
		...(positional.choices === undefined ? {} : { choices: positional.choices }),
	}));
}

/** Every flag of a row command; its own come first and hide shared ones of the same name. */
function optionsOf(definition: RowCommandDefinition): OptionSpec[] {
	const fields = definition.fields.length > 0 ? [...fieldOptions(definition.fields), dataOption] : [];
	const all = [
		...fields,
		...definition.options,
		...inputOptions,
		...guardOptions,
		...engineOptions,
		...(definition.isDelete ? [ignoreMissingOption] : []),
		...(definition.fields.length > 0 ? [strictOption] : []),
		...outputOptions,
		...connectionOptions,
	];
	const seen = new Set<string>();
	return all.filter((option) => {
		const name = longName(option);
		return seen.has(name) ? false : seen.add(name);
	});
}

export function rowCommand(definition: RowCommandDefinition): RowCommandSpec {
	return {
		summary: definition.summary,
		...(definition.description === undefined ? {} : { description: definition.description }),
		examples: definition.examples,
		arguments: argumentsOf(definition),
		options: optionsOf(definition),
		rows: definition,
		async run(invocation) {
			const { runRows } = await import('./run.js');
			return runRows(definition, invocation);
		},
	};
}

/** Makes commands over rows: arguments and flags from the endpoint table, one way to run for all. */

import type { Endpoint, QueryParameter } from '../../api/endpoints.js';
import type { ArgumentSpec } from '../command.js';
import { connectionOptions } from '../options/connection.js';
import { longName, type OptionSpec } from '../options/option.js';
import { outputOptions } from '../options/output.js';
import { allowDiffersOption, engineOptions, guardOptions, ignoreMissingOption, inputOptions } from '../options/run.js';
import {
	givenFields,
	modelEndpoint,
	type Positional,
	type RowCommandDefinition,
	type RowCommandSpec,
} from './definition.js';
import { dataOption, fieldOptions } from './field-flags.js';

export const forceOption = (help: string): OptionSpec => ({ flags: '--force', help, group: 'Fields' });

export const STDIN_IDS = ', or - to read them from stdin';

/** The ids of a path, the last of which may be many. */
function positionalsOf({ parameters }: Endpoint): Positional[] {
	const last = parameters.at(-1);
	return parameters.map((each) => (each === last ? { ...each, help: each.help + STDIN_IDS } : each));
}

/** The flag of a query parameter that the caller may or must give. */
function queryOption({ name, help }: QueryParameter): OptionSpec {
	return name === 'force' ? forceOption(help) : { flags: `--${name} <user-id>`, help, group: 'Fields' };
}

function argumentsOf(definition: RowCommandDefinition): ArgumentSpec[] {
	return definition.positionals.map((positional, index) => ({
		name: positional.name.replaceAll('_', '-'),
		help: positional.help,
		required: false,
		variadic: index === definition.positionals.length - 1,
		...(positional.choices === undefined ? {} : { suggests: positional.choices }),
	}));
}

/** Every flag of a row command; its own come first and hide shared ones of the same name. */
function optionsOf(definition: RowCommandDefinition): OptionSpec[] {
	const fields = givenFields(definition);
	const all = [
		...(fields.length > 0 ? [...fieldOptions(fields), dataOption] : []),
		...definition.options,
		...inputOptions,
		...guardOptions,
		...engineOptions,
		...(modelEndpoint(definition).replay === 'delete' ? [ignoreMissingOption] : []),
		...(fields.length > 0 || modelEndpoint(definition).trash ? [allowDiffersOption] : []),
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

/** What an endpoint does not say of its command. */
type Told = Omit<RowCommandDefinition, 'positionals' | 'endpointFor' | 'options'> & {
	readonly options?: readonly OptionSpec[];
};

/** The command of one endpoint; a command with fewer fields has a row of its own: `{ ...row, fields }`. */
export function endpointCommand(endpoint: Endpoint, told: Told): RowCommandSpec {
	const query = endpoint.query.filter((each) => each.presence !== 'always');
	return rowCommand({
		...told,
		positionals: positionalsOf(endpoint),
		endpointFor: () => endpoint,
		options: [...query.map(queryOption), ...(told.options ?? [])],
	});
}

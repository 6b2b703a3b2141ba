/** What the parser does not see: whether a command has what its request needs. */

import { type Endpoint, mustBeGiven } from '../api/endpoints.js';
import { flagName } from '../api/fields.js';
import { parseField } from '../api/kinds.js';
import { type Read, reads } from '../api/reads.js';
import { parseTaxonomy } from '../api/request.js';
import { isProblem, parseId } from '../api/values.js';
import { isProfileName } from '../profile/settings.js';
import type { CommandSpec } from './command.js';
import { type Completes, camelCase, longName, type OptionValues } from './options/option.js';
import { flagForInput, type Positional, positionalsOf } from './runs/options.js';

interface Parsed {
	readonly args: readonly string[];
	readonly options: OptionValues;
}

/** What an argument must look like; other completions are of any text. */
const shapes: Readonly<Partial<Record<Completes, (text: string) => boolean>>> = {
	// `last`, an ID or the beginning of one, or a path.
	runs: (text) => /^last$|^\d{6}|[./]/.test(text),
	profiles: isProfileName,
};

/** JMESPath of a list begins with brackets or a function. */
const OF_A_LIST = /^\s*(?:[[@]|\w+\()/;

/** For command lines that are suggested; a service is not asked. */
export function isComplete(spec: CommandSpec, path: readonly string[], { args, options }: Parsed): boolean {
	const { requests = [], options: specs, arguments: positions } = spec;
	for (const [at, text] of args.entries()) {
		const { completes } = positions[Math.min(at, positions.length - 1)] ?? {};
		if (completes !== undefined && shapes[completes]?.(text) === false) return false;
	}
	const { query } = options;
	if (typeof query === 'string' && !OF_A_LIST.test(query)) return false;
	// Editing and history have no requests that help could name.
	const [endpoint = new Map<string, Read>(Object.entries(reads)).get(path[0] ?? '')?.get] = requests;
	if (endpoint === undefined || path[0] === 'run') return true;
	if (endpoint.parameters.length === 0 && endpoint.looksUp === undefined) return true;
	const positionals = positionalsOf(endpoint);
	if (args.length < positionals.length && options.input === undefined) return false;
	if (options.input === undefined && !args.includes('-') && flagForInput(options) !== undefined) return false;
	const ids = Object.fromEntries(positionals.map(({ name }, at) => [name, args[at] ?? '']));
	const isOpen = (name: string): boolean => options[camelCase(name)] === undefined;
	if (options.input === undefined && endpoint.query.some((each) => mustBeGiven(each, ids) && isOpen(each.name))) {
		return false;
	}
	const last = positionals.length - 1;
	if (!args.every((text, at) => fits(positionals[Math.min(at, last)], text, endpoint))) return false;
	const fieldFlags = specs.filter(({ group }) => group === 'Fields').map((spec) => options[camelCase(longName(spec))]);
	const isChange = fieldFlags.length > 0 && endpoint.method === 'POST';
	if (isChange && options.input === undefined && fieldFlags.every((value) => value === undefined)) return false;
	return endpoint.fields.every((field) => {
		const value = options[camelCase(flagName(field.name))];
		if (typeof value !== 'string' || value.startsWith('@')) return true;
		return !isProblem(parseField(field, value, { undocumented: false, statusIn: (status) => status }));
	});
}

function fits(positional: Positional | undefined, text: string, endpoint: Endpoint): boolean {
	if (positional === undefined || text === '-') return true;
	if (positional.kind === 'taxonomy') return !isProblem(parseTaxonomy(endpoint, text, false));
	if (positional.kind !== 'id' || positional.names !== undefined) return true;
	return text.split(',').every((each) => !isProblem(parseId(each)));
}

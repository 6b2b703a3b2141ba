/** Makes the commands that read: arguments and filters come from the table of reads, and all of them run the same way. */

import type { Endpoint } from '../../api/endpoints.js';
import { taxonomies } from '../../api/fields.js';
import { type Filter, ownAccount, type Read } from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec, Example, RequestSpec } from '../command.js';
import type { OptionSpec } from '../options/option.js';
import { limitOption, type Noun, type ReadInvocation, readOf, sharedOptions } from './call.js';

const PLACEHOLDERS: Readonly<Record<Filter['kind'], string>> = {
	text: 'text',
	status: 'status',
	user: 'id|@me',
	id: 'id',
	date: 'date',
};

const filterOption = ({ flag, kind, help }: Filter): OptionSpec => {
	return { flags: `--${flag} <${PLACEHOLDERS[kind]}>`, help, group: 'Filters' };
};

const requestOf = ({ path }: Pick<Endpoint, 'path'>): RequestSpec => ({ method: 'GET', path, documented: false });

const TAXONOMY: ArgumentSpec = { name: 'taxonomy', help: 'The taxonomy', required: true, choices: taxonomies };

/** The arguments that stand before ids. */
function ownerArguments(noun: Noun, { list }: Read): ArgumentSpec[] {
	if (noun === 'term') return [TAXONOMY];
	return list.parameters.map(({ name, help }) => ({ name: name.replaceAll('_', '-'), help, required: true }));
}

/** The command that lists. */
export function listCommand(noun: Noun, examples: readonly Example[]): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	const all = read.paged ? 'Everything that you may see is listed, in the order of ids.' : '';
	const sheet =
		read.update === undefined
			? ''
			: `csv, tsv, json and ndjson hold what ${noun} update --input reads, with raw values; --fields names other columns.`;
	return {
		examples,
		description: [all, sheet].join('\n\n').trim(),
		requests: [requestOf(read.list)],
		arguments: ownerArguments(noun, read),
		options: [...read.filters.map(filterOption), ...limitOption, ...sharedOptions],
		run: async (invocation) => await (await import('./list.js')).listObjects(noun, invocation as ReadInvocation),
	};
}

/** The command that reads single objects. */
export function getCommand(noun: Exclude<Noun, 'password'>, examples: readonly Example[]): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	return {
		examples,
		requests: read.get === undefined ? [] : [requestOf(read.get)],
		arguments: [
			...ownerArguments(noun, read),
			{ name: 'id', help: 'Ids, or - to read them from stdin', required: true, variadic: true },
		],
		options: sharedOptions,
		run: async (invocation) => await (await import('./get.js')).getObjects(noun, invocation as ReadInvocation),
	};
}

/** The command that shows the caller's own account. */
export function ownAccountCommand(examples: readonly Example[]): CommandSpec {
	return {
		examples,
		requests: [requestOf(ownAccount)],
		arguments: [],
		options: sharedOptions,
		run: async (invocation) => await (await import('./get.js')).showOwnAccount(invocation as ReadInvocation),
	};
}

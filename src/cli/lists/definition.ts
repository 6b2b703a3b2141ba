/** Makes the commands that read and edit: arguments and filters come from the table of reads, and those of a kind run the same way. */

import type { Endpoint } from '../../api/endpoints.js';
import { taxonomies } from '../../api/fields.js';
import { type Filter, ownAccount, type Read } from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec, Examples, RequestSpec } from '../command.js';
import type { EditNoun } from '../edit/fields.js';
import { type OptionSpec, pick } from '../options/option.js';
import {
	allowDiffersOption,
	connectionOptions,
	guardOptions,
	outputOptions,
	tuningOptions,
} from '../options/shared.js';
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

/** The arguments that stand before ids. */
function ownerArguments(noun: Noun, { list }: Read, taxonomy: Partial<ArgumentSpec>): ArgumentSpec[] {
	if (noun === 'term') return [{ name: 'taxonomy', help: 'The taxonomy', required: true, ...taxonomy }];
	return list.parameters.map(({ name, help }) => ({ name: name.replaceAll('_', '-'), help, required: true }));
}

/** The command that lists. */
export function listCommand(noun: Noun, examples: Examples): CommandSpec {
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
		arguments: ownerArguments(noun, read, { choices: taxonomies }),
		options: [...read.filters.map(filterOption), ...limitOption, ...sharedOptions],
		run: async (invocation) => await (await import('./list.js')).listObjects(noun, invocation as ReadInvocation),
	};
}

/** The command that reads single objects. */
export function getCommand(noun: Exclude<Noun, 'password'>, examples: Examples): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	return {
		examples,
		requests: read.get === undefined ? [] : [requestOf(read.get)],
		arguments: [
			...ownerArguments(noun, read, { choices: taxonomies }),
			{ name: 'id', help: 'Ids, or - to read them from stdin', required: true, variadic: true },
		],
		options: sharedOptions,
		run: async (invocation) => await (await import('./get.js')).getObjects(noun, invocation as ReadInvocation),
	};
}

/** The command that shows the caller's own account. */
export function ownAccountCommand(examples: Examples): CommandSpec {
	return {
		examples,
		requests: [requestOf(ownAccount)],
		arguments: [],
		options: sharedOptions,
		run: async (invocation) => await (await import('./get.js')).showOwnAccount(invocation as ReadInvocation),
	};
}

const editOptions = [
	{ flags: '--undocumented', help: 'Allow names and values that the API does not document', group: 'Input' },
	{ flags: '--verify', help: 'Read the object back and compare', group: 'Checks' },
	allowDiffersOption,
	...pick(guardOptions, 'confirm'),
	...pick(tuningOptions, 'retries'),
	...outputOptions,
	...connectionOptions,
];

/** The command that edits one object of a kind. */
export function editCommand(noun: EditNoun, examples: Examples): CommandSpec {
	return {
		description: [
			`Opens the fields as YAML in $VISUAL or $EDITOR and sends those that changed. Nothing is sent if the ${noun} was changed meanwhile; the file is kept if the service refuses.`,
			'Reads the object first, which is not in the documented API: live services offer it.',
		].join('\n\n'),
		examples,
		arguments: [
			...ownerArguments(noun, readOf(noun, '<taxonomy>'), { suggests: taxonomies }),
			{ name: 'id', help: noun === 'user' ? 'Its id, or @me' : 'Its id', required: true },
		],
		options: editOptions,
		run: async (invocation) => await (await import('../edit/edit.js')).editObject(noun, invocation as ReadInvocation),
	};
}

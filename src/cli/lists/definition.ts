/** Makes the commands that read and edit: arguments and filters come from the table of reads, and those of a kind run the same way. */

import type { Endpoint } from '../../api/endpoints.js';
import { taxonomies } from '../../api/fields.js';
import { type EditNoun, type Filter, type Noun, ownAccount, type Read, readOf } from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec, Examples, RequestSpec } from '../command.js';
import { type OptionSpec, options, pick } from '../options/option.js';
import {
	allowDiffersOption,
	connectionOptions,
	guardOptions,
	outputOptions,
	readOptions,
	tuningOptions,
	wholeNumber,
} from '../options/shared.js';

const PLACEHOLDERS: Readonly<Record<Filter['kind'], string>> = {
	text: 'text',
	status: 'status',
	user: 'id|@me',
	id: 'id',
	date: 'date',
};

const limitOption = options('Filters', [
	{ flags: '--limit <n>', help: 'Stop after N objects', parse: wholeNumber('--limit', 1) },
]);

const requestOf = ({ path }: Pick<Endpoint, 'path'>): RequestSpec => ({ method: 'GET', path, documented: false });

/** The arguments that stand before ids. */
function ownerArguments(
	noun: Noun,
	{ list }: Read,
	taxonomy: Partial<ArgumentSpec> = { choices: taxonomies },
): ArgumentSpec[] {
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
	const filters = read.filters.map(({ flag, kind, help }): OptionSpec => {
		return { flags: `--${flag} <${PLACEHOLDERS[kind]}>`, help, group: 'Filters' };
	});
	return {
		examples,
		description: [all, sheet].join('\n\n').trim(),
		requests: [requestOf(read.list)],
		arguments: ownerArguments(noun, read),
		options: [...filters, ...limitOption, ...readOptions],
		run: async (invocation) => await (await import('./objects.js')).listObjects(noun, invocation),
	};
}

/** The command that reads single objects. */
export function getCommand(noun: EditNoun, examples: Examples): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	return {
		examples,
		requests: read.get === undefined ? [] : [requestOf(read.get)],
		arguments: [
			...ownerArguments(noun, read),
			{ name: 'id', help: 'Ids, or - to read them from stdin', required: true, variadic: true },
		],
		options: readOptions,
		run: async (invocation) => await (await import('./objects.js')).getObjects(noun, invocation),
	};
}

/** The command that shows the caller's own account. */
export function ownAccountCommand(examples: Examples): CommandSpec {
	return {
		examples,
		requests: [requestOf(ownAccount)],
		arguments: [],
		options: readOptions,
		run: async (invocation) => await (await import('./objects.js')).showOwnAccount(invocation),
	};
}

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
		options: [
			{ flags: '--undocumented', help: 'Allow names and values that the API does not document', group: 'Input' },
			{ flags: '--verify', help: 'Read the object back and compare', group: 'Checks' },
			allowDiffersOption,
			...pick(guardOptions, 'confirm'),
			...pick(tuningOptions, 'retries'),
			...outputOptions,
			...connectionOptions,
		],
		run: async (invocation) => await (await import('../edit.js')).editObject(noun, invocation),
	};
}

/** Makes the commands that read: arguments and filters come from the table of reads, and all of them run the same way. */

import { taxonomies } from '../../api/fields.js';
import type { Filter, Read } from '../../api/reads.js';
import type { ArgumentSpec, CommandSpec, Example } from '../command.js';
import { connectionOptions } from '../options/connection.js';
import type { OptionSpec } from '../options/option.js';
import { outputOptions } from '../options/output.js';
import { limitOption, type Noun, type ReadInvocation, readOf, sendOptions } from './call.js';

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

export interface ReadText {
	readonly summary: string;
	readonly description?: string;
	readonly examples: readonly Example[];
}

/** Said on each page of help: the reader finds none of it in the interface. */
const undocumented = (path: string): string =>
	`Sends GET ${path}, which is not in the documented API: live services offer it.`;

const described = ({ description }: ReadText, path: string, more: string): string =>
	[description, more, undocumented(path)].filter((text) => text !== undefined && text !== '').join('\n\n');

const TAXONOMY: ArgumentSpec = { name: 'taxonomy', help: 'The taxonomy', required: true, choices: taxonomies };

/** The arguments that stand before ids. */
function ownerArguments(noun: Noun, { list }: Read): ArgumentSpec[] {
	if (noun === 'term') return [TAXONOMY];
	return list.parameters.map(({ name, help }) => ({ name: name.replaceAll('_', '-'), help, required: true }));
}

const shared = [...sendOptions, ...outputOptions, ...connectionOptions];

/** The command that lists. */
export function listCommand(noun: Noun, text: ReadText): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	const all = read.paged ? 'Everything that you may see is listed, in the order of ids.' : '';
	const sheet =
		read.update === undefined
			? ''
			: `csv, tsv, json and ndjson hold what ${updateWords(noun)} --input reads, with raw values; --fields names other columns.`;
	return {
		...text,
		description: described(text, read.list.path, `${all} ${sheet}`.trim()),
		arguments: ownerArguments(noun, read),
		options: [...read.filters.map(filterOption), ...limitOption, ...shared],
		async run(invocation) {
			return await (await import('./list.js')).listObjects(noun, invocation as ReadInvocation);
		},
	};
}

/** The command that reads single objects. */
export function getCommand(noun: Exclude<Noun, 'password'>, text: ReadText): CommandSpec {
	const read = readOf(noun, '<taxonomy>');
	return {
		...text,
		description: described(text, read.get?.path ?? '', ''),
		arguments: [
			...ownerArguments(noun, read),
			{ name: 'id', help: 'Ids, or - to read them from stdin', required: true, variadic: true },
		],
		options: shared,
		async run(invocation) {
			return await (await import('./get.js')).getObjects(noun, invocation as ReadInvocation);
		},
	};
}

/** The command that shows the caller's own account. */
export function ownAccountCommand(text: ReadText): CommandSpec {
	return {
		...text,
		description: described(text, '/users/me', ''),
		arguments: [],
		options: shared,
		async run(invocation) {
			return await (await import('./get.js')).showOwnAccount(invocation as ReadInvocation);
		},
	};
}

export const updateWords = (noun: Noun): string => `${noun} update`;

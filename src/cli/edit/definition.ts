/** Makes the commands that open one object in an editor; all of them run the same way. */

import { taxonomies } from '../../api/fields.js';
import type { ArgumentSpec, CommandSpec, Example } from '../command.js';
import type { ReadInvocation } from '../lists/call.js';
import { options, pick } from '../options/option.js';
import {
	allowDiffersOption,
	connectionOptions,
	guardOptions,
	outputOptions,
	tuningOptions,
} from '../options/shared.js';
import type { EditNoun } from './fields.js';

const OWNERS: Partial<Record<EditNoun, ArgumentSpec>> = {
	reply: { name: 'ticket-id', help: 'The ticket of the reply', required: true },
	term: { name: 'taxonomy', help: 'The taxonomy', required: true, suggests: taxonomies },
};

const editOptions = options([
	{
		flags: '--undocumented',
		help: 'Allow names and values that the API does not document',
		group: 'Input',
	},
	{ flags: '--verify', help: 'Read the object back and compare', group: 'Checks' },
]);

/** The command that edits one object of a kind. */
export function editCommand(noun: EditNoun, examples: readonly Example[]): CommandSpec {
	const owner = OWNERS[noun];
	return {
		description: [
			`Opens the fields as YAML in $VISUAL or $EDITOR and sends those that changed. Nothing is sent if the ${noun} was changed meanwhile; the file is kept if the service refuses.`,
			'Reads the object first, which is not in the documented API: live services offer it.',
		].join('\n\n'),
		examples,
		arguments: [
			...(owner === undefined ? [] : [owner]),
			{ name: 'id', help: noun === 'user' ? 'Its id, or @me' : 'Its id', required: true },
		],
		options: [
			...editOptions,
			allowDiffersOption,
			...pick(guardOptions, 'confirm'),
			...pick(tuningOptions, 'retries'),
			...outputOptions,
			...connectionOptions,
		],
		async run(invocation) {
			return await (await import('./edit.js')).editObject(noun, invocation as ReadInvocation);
		},
	};
}

/** `api`: any request below the interface's prefix, with the profile's credentials. */

import { taxonomies } from '../../api/fields.js';
import { apiOptions, methods } from '../api/options.js';
import { defineCommand } from '../command.js';

export const command = defineCommand({
	description: [
		'-f and -F are the query of a GET, HEAD or DELETE, and the JSON body of other methods; name[key]=value sets a key of an object, name[]=value appends to a list. Paths outside the prefix are refused.',
		'The response is printed as JSON unless --format, --fields, --field or --query are given. GET, HEAD and OPTIONS are retried; a write is sent once.',
	].join('\n\n'),
	examples: {
		'supportctl api GET tickets/14': 'one ticket',
		'supportctl api GET tickets -f status=hold -f assignee=0 --fields id,status,title': 'a list as a table',
		"supportctl api GET tickets --paginate --query '[].id' --format ids | supportctl ticket update - --status hold":
			'all pages; the ids are the input of the next command',
		'supportctl api POST tickets/14 -f status=hold -F assignee=3': 'a write, sent once',
		'supportctl api POST users/7 --input user.json -i': 'a body from a file; print status and headers',
		'supportctl api DELETE product/12 -F force=true --yes': 'deletes ask without --yes',
	},
	arguments: [
		{ name: 'method', help: 'The HTTP method', required: true, suggests: methods },
		{
			name: 'path',
			help: 'Below the prefix, with or without a leading slash',
			required: true,
			suggests: ['tickets', 'users', 'users/me', 'attachments', ...taxonomies],
		},
	],
	options: apiOptions,
	async run(invocation) {
		return (await import('../api/run.js')).runApi(invocation);
	},
});

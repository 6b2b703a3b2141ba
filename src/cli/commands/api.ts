/** `api`: any request below the interface's prefix, with the profile's credentials. */

import { taxonomies } from '../../api/fields.js';
import { apiOptions, methods } from '../api/options.js';
import { defineCommand } from '../command.js';

export const command = defineCommand({
	summary: 'Send any request below the prefix /support-api/v1, with the credentials of the profile.',
	description: [
		'The path is tickets/14, /tickets/14, a path that begins with the prefix, or a whole URL of this service; it may have a query. Anything outside the prefix is refused. -f and -F make names and values: the query of a GET, HEAD or DELETE, and a JSON body otherwise. name[key]=value goes into an object, name[]=value appends to a list.',
		'The response is printed as JSON, unless --format, --fields, --field or --query ask for something else. A response that is not JSON is printed as it is. For an error, the response goes to stdout and its meaning to stderr.',
		'GET, HEAD and OPTIONS are retried; a write is sent once.',
	].join('\n\n'),
	examples: [
		{ command: 'supportctl api GET tickets/14', note: 'one ticket' },
		{
			command: 'supportctl api GET tickets -f status=hold -f assignee=0 --fields id,status,title',
			note: 'a list as a table',
		},
		{
			command:
				"supportctl api GET tickets --paginate --query '[].id' --format ids | supportctl ticket update - --status hold",
			note: "every page; the ids become the next command's input",
		},
		{ command: 'supportctl api POST tickets/14 -f status=hold -F assignee=7', note: 'a write, sent once' },
		{ command: 'supportctl api POST users/7 --input user.json -i', note: 'a body from a file; status and headers too' },
		{ command: 'supportctl api DELETE product/9 -F force=true --yes', note: 'a delete asks, unless --yes' },
	],
	arguments: [
		{
			name: 'method',
			help: 'The HTTP method',
			required: true,
			suggests: methods,
		},
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

/** Makes the command of an endpoint: arguments and flags come from the table, and all commands run the same way. */

import { chooseEndpoint } from '../../api/choose.js';
import { endpointList } from '../../api/endpoints.js';
import type { ArgumentSpec, CommandSpec, Examples } from '../command.js';
import { positionalsOf, type RunInvocation, runOptions } from './options.js';

/** The command of an endpoint. @param name A row of the table, or `term.update` and `term.delete` */
export function runCommand(name: string, examples: Examples, description = ''): CommandSpec {
	const { endpoint } = chooseEndpoint(name, undefined, false);
	const positionals = positionalsOf(name, endpoint);
	return {
		description,
		examples,
		requests: endpointList
			.filter((each) => each.name === name || each.name.startsWith(`${name}.`))
			.map(({ method, path, documented }) => ({ method, path, documented })),
		arguments: positionals.map(
			(each, at): ArgumentSpec => ({
				name: each.name.replaceAll('_', '-'),
				help: each.help,
				required: false,
				variadic: at === positionals.length - 1,
				// Another taxonomy may be meant, with --undocumented.
				...(each.choices === undefined ? {} : { suggests: each.choices }),
			}),
		),
		options: runOptions(endpoint),
		fieldNames: [...new Set([...positionals, ...endpoint.fields].map((each) => each.name))],
		async run(invocation) {
			return await (await import('./one.js')).startCommand(name, invocation as RunInvocation);
		},
	};
}

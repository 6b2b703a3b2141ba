/** Makes the command of an endpoint: arguments and flags come from the table, and all commands run the same way. */

import { chooseEndpoint } from '../../api/choose.js';
import { type Endpoint, termTaxonomies } from '../../api/endpoints.js';
import type { ArgumentSpec, CommandSpec, Example } from '../command.js';
import { runOptions } from './options.js';

/** A positional argument; all but the last are the same for every row. */
export interface Positional {
	/** The path id or column that it fills: `id`, `ticket_id`, `user_id`, `slug`, `taxonomy`, `username`. */
	readonly name: string;
	readonly kind: 'id' | 'slug' | 'taxonomy' | 'text';
	readonly help: string;
	readonly choices?: readonly string[];
}

/** What a command says of itself; the rest comes from the endpoint. */
export interface RunCommandText {
	readonly summary: string;
	readonly description?: string;
	readonly examples: readonly Example[];
}

/** The arguments of an endpoint's command. @param name A row of the table, or `term.update` and `term.delete` */
export function positionalsOf(name: string, { parameters, answer, required }: Endpoint): Positional[] {
	const operation = name === 'term.update' ? 'update' : name === 'term.delete' ? 'delete' : undefined;
	const taxonomy: Positional[] =
		operation === undefined
			? []
			: [{ name: 'taxonomy', kind: 'taxonomy', help: 'The taxonomy', choices: termTaxonomies(operation) }];
	const names: Positional[] =
		answer === 'user-id' ? required.map((each) => ({ name: each, kind: 'text', help: 'User names' })) : [];
	const all = [...taxonomy, ...parameters, ...names];
	return all.map((each, at) =>
		at < all.length - 1 ? each : { ...each, help: `${each.help}, or - to read them from stdin` },
	);
}

/** The command of an endpoint. @param name A row of the table, or `term.update` and `term.delete` */
export function runCommand(name: string, text: RunCommandText): CommandSpec {
	const { endpoint } = chooseEndpoint(name, undefined, false);
	const positionals = positionalsOf(name, endpoint);
	return {
		...text,
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
			const { startCommand } = await import('./start.js');
			return await startCommand(name, invocation);
		},
	};
}

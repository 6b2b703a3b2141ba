/** What `api` accepts. */

import type { Invocation } from '../command.js';
import { longName, options, pick, type ValuesOf } from '../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../options/shared.js';

const group = 'Request';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export const apiOptions = [
	...options(group, [
		{ flags: '-f, --raw-field <name=value>', help: 'A field with a text value', repeatable: true },
		{
			flags: '-F, --typed-field <name=value>',
			help: 'A field with a JSON value: true, false, null, a number; or @file',
			repeatable: true,
		},
		{
			flags: '--input <file>',
			help: 'The JSON body, from a file or from stdin with -; fields then go to the query',
			completes: 'files',
		},
		{ flags: '--paginate', help: 'Read all pages of a list and print them as one' },
		{ flags: '-i, --include', help: 'Print the status line and the headers too', conflicts: ['paginate'] },
	]),
	...pick(guardOptions, 'dry-run', 'yes', 'confirm'),
	...pick(tuningOptions, 'retries').map((spec) => ({ ...spec, group, help: 'How often a read is retried' })),
	...outputOptions.map((spec) =>
		longName(spec) === 'format' ? { ...spec, defaultText: 'json; with --fields or --query as elsewhere' } : spec,
	),
	...connectionOptions,
];

/** One call of `api`: the method and the path. */
export type ApiInvocation = Invocation<ValuesOf<typeof apiOptions>, readonly [string, string, ...string[]]>;

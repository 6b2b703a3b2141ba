/** The flags for how results are printed, and what is printed beside them. */

import { formats } from '../../output/columns.js';
import { options } from './option.js';

const group = 'Output';

export const outputOptions = options([
	{
		flags: '--format <format>',
		help: 'How results are printed',
		group,
		choices: formats,
		defaultText: 'table on a terminal, tab-separated in a pipe',
		conflicts: ['json', 'field'],
	},
	{ flags: '--json', help: 'The same as --format json; errors become JSON too', group },
	{ flags: '--fields <names>', help: 'Columns to print, in this order: a,b,body.c', group, repeatable: true },
	{ flags: '--field <name>', help: 'Print one bare value a line', group, conflicts: ['fields', 'json'] },
	{ flags: '--query <expression>', help: 'Filter the results with JMESPath', group },
	{ flags: '-q, --quiet', help: 'No progress, and no summary unless the run was stopped', group },
	{ flags: '-v, --verbose', help: 'Log each request and response; -vv with headers and bodies', group, counted: true },
	{ flags: '--no-color', help: 'No colour', group },
	{ flags: '--no-pager', help: 'Print long output without a pager', group },
	{ flags: '--debug', help: 'Show stack traces with errors', group },
]);

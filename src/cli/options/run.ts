/** The flags of commands that send many requests: where rows come from, what guards them, how they are sent. */

import { inputFormats } from '../../bulk/input/formats.js';
import { UsageError } from '../../errors.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/options.js';
import { type OptionSpec, options } from './option.js';

/** A parser for whole numbers from `least` on. */
export function wholeNumber(name: string, least: number): (text: string) => number {
	return (text) => {
		const value = Number(text);
		if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
		throw new UsageError(`${name} takes a whole number of ${least} or more, not ${JSON.stringify(text)}`);
	};
}

/** A parser for numbers above zero. */
export function positiveNumber(name: string): (text: string) => number {
	return (text) => {
		const value = Number(text);
		if (/^\d+(?:\.\d+)?$/.test(text) && value > 0 && Number.isFinite(value)) return value;
		throw new UsageError(`${name} takes a number above 0, not ${JSON.stringify(text)}`);
	};
}

const INPUT = 'Input';
const GUARDS = 'Guards';
const RUN = 'Run';

export const inputOptions = options([
	{ flags: '--input <file>', help: 'Rows from a file, or from stdin with -', group: INPUT, completes: 'files' },
	{
		flags: '--input-format <format>',
		help: 'How to read it, where its name does not tell',
		group: INPUT,
		choices: inputFormats,
	},
	{
		flags: '--map <column=field>',
		help: 'Take a column for a field',
		group: INPUT,
		repeatable: true,
		completes: 'columns',
	},
	{ flags: '--ignore-column <column>', help: 'Skip a column', group: INPUT, repeatable: true, completes: 'columns' },
	{ flags: '--id-column <column>', help: 'The column that holds the id', group: INPUT, completes: 'columns' },
	{
		flags: '--blank <what>',
		help: 'What an empty cell means: leave the field alone, or send ""',
		group: INPUT,
		choices: ['skip', 'clear'],
		defaultText: 'skip',
	},
	{ flags: '--skip-invalid', help: 'Send the good rows and reject the others', group: INPUT },
	{ flags: '--undocumented', help: 'Let values through that the interface does not show', group: INPUT },
]);

export const guardOptions = options([
	{ flags: '-n, --dry-run', help: 'Print each request and send none', group: GUARDS },
	{ flags: '-y, --yes', help: 'Do not ask before deleting or undoing', group: GUARDS },
	{
		flags: '--confirm <profile>',
		help: 'Confirm a write with a protected profile, by its name',
		group: GUARDS,
		completes: 'profiles',
	},
	{
		flags: '--expect <n>',
		help: 'Stop unless there are exactly N rows',
		group: GUARDS,
		parse: wholeNumber('--expect', 0),
	},
	{ flags: '--max <n>', help: 'Stop if there are more than N rows', group: GUARDS, parse: wholeNumber('--max', 0) },
]);

export const engineOptions = options([
	{
		flags: '-j, --concurrency <n>',
		help: 'Requests under way at a time',
		group: RUN,
		parse: wholeNumber('--concurrency', 1),
		defaultText: String(DEFAULT_CONCURRENCY),
	},
	{ flags: '--rate <n>', help: 'At most N requests a second', group: RUN, parse: positiveNumber('--rate') },
	{
		flags: '--retries <n>',
		help: 'How often a request is tried again',
		group: RUN,
		parse: wholeNumber('--retries', 0),
		defaultText: String(DEFAULT_RETRIES),
	},
	{ flags: '--stop-on-error', help: 'Stop at the first row that fails', group: RUN },
	{
		flags: '--max-failures <n>',
		help: 'Stop when more than N rows have failed',
		group: RUN,
		parse: wholeNumber('--max-failures', 0),
	},
	{ flags: '--shard <k/n>', help: 'Only the rows whose key falls to part K of N', group: RUN },
	{ flags: '--journal <file>', help: 'Where to keep the journal', group: RUN, completes: 'files' },
	{
		flags: '--report <format:file>',
		help: 'Write a report: junit, json, markdown or csv',
		group: RUN,
		repeatable: true,
	},
]);

function fieldNames(text: string): string[] {
	const names = text.split(',').map((name) => name.trim());
	if (!names.includes('')) return names;
	throw new UsageError('--allow-differs= takes field names; without = it allows all', { code: 'invalid_value' });
}

export const allowDiffersOption: OptionSpec = {
	flags: '--allow-differs[=fields]',
	help: 'Take a row for ok though the response shows other values, or only other values of these fields',
	group: RUN,
	repeatable: true,
	bare: '*',
	parse: fieldNames,
};

export const ignoreMissingOption: OptionSpec = {
	flags: '--ignore-missing',
	help: 'Take what is gone already (404, 410) for deleted',
	group: RUN,
};

/** Flags that runs share with other commands: guards, how requests are sent, and the parsers of numbers. */

import { UsageError } from '../../errors.js';
import { DEFAULT_CONCURRENCY, DEFAULT_RETRIES } from '../../http/types.js';
import { type OptionSpec, options } from './option.js';

const CHECKS = 'Checks';
const GUARDS = 'Guards';
const RUN = 'Run';

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

export const guardOptions = options([
	{ flags: '-n, --dry-run', help: 'Print each request and send none', group: GUARDS },
	{ flags: '-y, --yes', help: 'Do not ask', group: GUARDS },
	{
		flags: '--confirm <profile>',
		help: 'Confirm a write with a protected profile',
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

export const reportOption = {
	flags: '--report <format:file>',
	help: 'Write a report: junit, json, markdown, csv or html',
	group: RUN,
	repeatable: true,
} as const satisfies OptionSpec;

/** How a run is carried out; a resume takes them too. */
export const tuningOptions = options([
	{
		flags: '-j, --concurrency <n>',
		help: 'Requests at a time',
		group: RUN,
		parse: wholeNumber('--concurrency', 1),
		defaultText: String(DEFAULT_CONCURRENCY),
	},
	{ flags: '--rate <n>', help: 'At most N requests a second', group: RUN, parse: positiveNumber('--rate') },
	{
		flags: '--retries <n>',
		help: 'How often a request is retried',
		group: RUN,
		parse: wholeNumber('--retries', 0),
		defaultText: String(DEFAULT_RETRIES),
	},
	{
		flags: '--first <n>',
		help: 'Send the first N rows only; run resume sends the rest',
		group: RUN,
		parse: wholeNumber('--first', 1),
	},
	reportOption,
]);

function fieldNames(text: string): string[] {
	const names = text.split(',').map((name) => name.trim());
	if (!names.includes('')) return names;
	throw new UsageError('--allow-differs= takes field names; without = it allows all', { code: 'invalid_value' });
}

export const allowDiffersOption: OptionSpec = {
	flags: '--allow-differs[=fields]',
	help: 'Take rows as ok where the service shows other values: of these fields, or of any',
	group: CHECKS,
	repeatable: true,
	bare: '*',
	parse: fieldNames,
};

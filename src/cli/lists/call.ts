/** One call of a command that reads: what it is about, and its flags. */

import { type Read, reads, termReads } from '../../api/reads.js';
import type { Invocation } from '../command.js';
import { options, pick, type ValuesOf } from '../options/option.js';
import { concurrencyOption, connectionOptions, outputOptions, tuningOptions, wholeNumber } from '../options/shared.js';

/** What is read: a row of `reads`, or the terms of a taxonomy, which is the first argument. */
export type Noun = keyof typeof reads | 'term';

export function readOf(noun: Noun, taxonomy: string): Read {
	return noun === 'term' ? termReads(taxonomy) : reads[noun];
}

export const limitOption = options('Filters', [
	{ flags: '--limit <n>', help: 'Stop after N objects', parse: wholeNumber('--limit', 1) },
]);

export const sharedOptions = [
	...concurrencyOption,
	...pick(tuningOptions, 'rate', 'retries'),
	...outputOptions,
	...connectionOptions,
];

/** One call of a command that reads; filters stand among its options, by their own names. */
export type ReadInvocation = Omit<Invocation, 'options'> & {
	readonly options: ValuesOf<[...typeof limitOption, ...typeof sharedOptions]> & Readonly<Record<string, unknown>>;
};

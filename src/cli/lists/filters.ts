/** Filters of a list: for the service, and to check here. */

import type { Filter } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { findStatus, isIsoDate, likelyStatus, quote } from '../../api/values.js';
import type { ListedObject } from '../../bulk/lists/pages.js';
import { UsageError } from '../../errors.js';
import { warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { type Reading, readId, readTermId, readUserId } from './reading.js';

export interface Filtered {
	readonly query: Readonly<Record<string, string>>;
	/** The service can't be asked for empty fields. */
	readonly absent: readonly string[];
	readonly isNarrowed: boolean;
}

const NONE = 'none';

const states = ['open', 'closed', 'any'];

/** @throws UsageError for values that no object has */
export async function readFilters(reading: Reading): Promise<Filtered> {
	const query: Record<string, string> = {};
	const absent: string[] = [];
	let isNarrowed = false;
	for (const filter of reading.read.filters) {
		const text = reading.invocation.options[camelCase(filter.flag)];
		if (typeof text !== 'string') continue;
		isNarrowed = true;
		const { kind, parameter } = filter;
		if (text === NONE && (kind === 'user' || kind === 'term')) absent.push(parameter);
		else query[parameter] = await parameterOf(filter, text, reading);
		// Shown as "", and found by the service if it knows the parameter.
		if (text !== NONE || kind !== 'term') continue;
		const all = await reading.directories.terms(parameter).ids();
		if (all !== undefined && all.length > 0) query[`${parameter}_exclude`] = all.join(',');
	}
	return { query, absent, isNarrowed };
}

export function isWithout(object: ListedObject, field: string): boolean {
	const value = object[field];
	return [undefined, null, '', 0, '0'].includes(value as string) || (Array.isArray(value) && value.length === 0);
}

async function parameterOf({ flag, kind, parameter }: Filter, text: string, reading: Reading): Promise<string> {
	const label = `--${flag}`;
	switch (kind) {
		case 'user':
			if (text === '0') throw everyone(reading, flag);
			if (text.includes(',')) throw new UsageError(`${label} takes one user`, { code: 'invalid_value' });
			return await readUserId(label, text, reading);
		case 'id':
			return text === NONE || text === '0' ? '0' : readId(label, text);
		case 'state':
			return stateOf(text);
		case 'status':
			return statusOf(label, text, reading);
		case 'date':
			return dateOf(label, text);
		case 'term':
			return (await Promise.all(text.split(',').map((each) => readTermId(parameter, each.trim(), reading)))).join(',');
		case 'text':
			return text;
		default:
			return kind satisfies never;
	}
}

function everyone({ invocation, read }: Reading, flag: string): UsageError {
	return new UsageError(`--${flag} 0 would list every ${read.list.noun}: to the service, 0 means all`, {
		code: 'invalid_value',
		hint: `to list those without one: supportctl ${invocation.words.join(' ')} --${flag} ${NONE}`,
	});
}

function stateOf(text: string): string {
	const own = text.toLowerCase();
	if (states.includes(own)) return own;
	throw new UsageError(`--state: unknown state ${quote(text)}${didYouMean(text, states)}`, {
		code: 'invalid_value',
		hint: 'use open, closed or any',
	});
}

function statusOf(label: string, text: string, { invocation, session: { dialect } }: Reading): string {
	const own = text.toLowerCase();
	if (own === 'open' || own === 'closed') {
		throw new UsageError(`${label}: no ticket has the status ${quote(text)}`, {
			code: 'invalid_value',
			hint: `did you mean: supportctl ${invocation.words.join(' ')} --state ${own}`,
		});
	}
	// A service may have others, but a typo would look like an empty list.
	const known = findStatus(dialect.statusIn(text));
	const likely = known === undefined ? likelyStatus(text) : '';
	if (likely !== '') warn(invocation.context, [`${label}: unknown status ${quote(text)}${likely}`]);
	return dialect.statusOut(known ?? text);
}

function dateOf(label: string, text: string): string {
	if (!isIsoDate(text)) {
		throw new UsageError(`${label}: ${quote(text)} is not a date`, {
			code: 'invalid_value',
			hint: 'use an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00',
		});
	}
	return text.length === '2026-03-31'.length ? `${text}T00:00:00` : text;
}

/** Newest first for a person. @throws UsageError */
export function readOrder({ read, invocation }: Reading): { orderby?: string; order?: string; byId?: 1 | -1 } {
	const { options, context } = invocation;
	if (options.sort === undefined) {
		const isNewestFirst = read.newestFirst && context.stdout.isTTY;
		return isNewestFirst ? { order: 'desc', byId: -1 } : { byId: 1 };
	}
	const isDescending = options.sort.startsWith('-');
	const field = options.sort.replace(/^-/, '');
	const names = Object.keys(read.orders);
	const orderby = Object.hasOwn(read.orders, field) ? read.orders[field] : undefined;
	if (orderby === undefined) {
		throw new UsageError(`--sort: can't sort by ${quote(field)}${didYouMean(field, names)}`, {
			code: 'invalid_value',
			hint: `use ${names.join(', ')}, with "-" in front for the reverse order`,
		});
	}
	const byId = orderby === 'id' ? { byId: isDescending ? (-1 as const) : (1 as const) } : {};
	return { orderby, order: isDescending ? 'desc' : 'asc', ...byId };
}

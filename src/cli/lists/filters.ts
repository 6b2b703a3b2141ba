/** Filters and order of a list: for the service, and to check here. */

import { flagName } from '../../api/fields.js';
import type { Filter } from '../../api/reads.js';
import { didYouMean } from '../../api/suggest.js';
import { findStatus, likelyStatus, NOBODY, quote, readMoment } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { warn } from '../notices.js';
import { camelCase } from '../options/option.js';
import { type Reading, readId, readTermId, readUserId } from './reading.js';

/** @returns `absent`: fields that must be empty, which a service can't be asked for @throws UsageError */
export async function readFilters(reading: Reading) {
	const query: Record<string, string> = {};
	const absent: string[] = [];
	for (const filter of reading.read.filters) {
		const text = reading.invocation.options[camelCase(flagName(filter.parameter))];
		if (typeof text !== 'string') continue;
		const { kind, parameter } = filter;
		if (text !== NOBODY || (kind !== 'user' && kind !== 'term')) {
			query[parameter] = await parameterOf(filter, text, reading);
			continue;
		}
		absent.push(parameter);
		// A term without a readable slug is shown as "" too.
		const all = kind === 'term' ? await reading.directories.terms(parameter).list() : [];
		if (all !== undefined && all.length > 0) query[`${parameter}_exclude`] = all.map(({ id }) => id).join(',');
	}
	return { query, absent };
}

async function parameterOf({ kind, parameter }: Filter, text: string, reading: Reading): Promise<string> {
	const label = `--${flagName(parameter)}`;
	switch (kind) {
		case 'user':
			if (text === '0') {
				const { invocation, read } = reading;
				throw refuse(
					`${label} 0 would list every ${read.list.noun}: to the service, 0 means all`,
					`to list those without one: supportctl ${invocation.words.join(' ')} ${label} ${NOBODY}`,
				);
			}
			if (text.includes(',')) throw refuse(`${label} takes one user`);
			return await readUserId(label, text, reading);
		case 'id':
			return text === NOBODY || text === '0' ? '0' : readId(label, text);
		case 'status':
			return statusOf(label, text, reading);
		case 'date':
			if (readMoment(text) !== undefined) return text.length === '2026-03-31'.length ? `${text}T00:00:00` : text;
			throw refuse(
				`${label}: ${quote(text)} is not a date`,
				'use an ISO 8601 date such as 2026-03-31 or 2026-03-31T09:00:00',
			);
		case 'term':
			return (await Promise.all(text.split(',').map((each) => readTermId(parameter, each.trim(), reading)))).join(',');
		case 'state':
		case 'text':
			return text;
		default:
			return kind satisfies never;
	}
}

function refuse(message: string, hint?: string): UsageError {
	return new UsageError(message, { code: 'invalid_value', hint });
}

function statusOf(label: string, text: string, { invocation, session: { dialect } }: Reading): string {
	const state = text.toLowerCase();
	if (state === 'open' || state === 'closed') {
		const list = `supportctl ${invocation.words.join(' ')}`;
		throw refuse(`${label}: no ticket has the status ${quote(text)}`, `did you mean: ${list} --state ${state}`);
	}
	// A service may have others, but a typo would look like an empty list.
	const known = findStatus(dialect.toNeutral(text));
	const likely = known === undefined ? likelyStatus(text) : '';
	if (likely !== '') warn(invocation.context, [`${label}: unknown status ${quote(text)}${likely}`]);
	return dialect.toOwn(known ?? text);
}

/** By ID, for a person the newest first. @throws UsageError */
export function readOrder({ read, invocation: { options, context } }: Reading) {
	const given = options.sort;
	const isDescending = given === undefined ? context.stdout.isTTY : given.startsWith('-');
	const field = given?.replace(/^-/, '') ?? 'id';
	if (given !== undefined && !read.orders.includes(field)) {
		throw refuse(
			`--sort: can't sort by ${quote(field)}${didYouMean(field, read.orders)}`,
			`use ${read.orders.join(', ')}, with "-" in front for the reverse order`,
		);
	}
	const orderby = field.replace(/_gmt$/, '');
	const byId: 1 | -1 = isDescending ? -1 : 1;
	return {
		query: { orderby, order: isDescending ? 'desc' : 'asc' },
		byId: orderby === 'id' ? byId : undefined,
	};
}

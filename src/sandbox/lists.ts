/** Pages of a list: `page`, `per_page`, the totals and the link to the next page (service notes, "Beyond the interface"). */

import { toInteger } from './accept.js';
import { type Answer, invalidParameter, ServiceError } from './answers.js';
import { type Call, type Desk, ok } from './call.js';

const MOST = 100;
const USUAL = 10;

/** An integer in the query within bounds. */
function bounded(call: Call, name: string, usual: number, most: number): number {
	const text = call.query.get(name);
	if (text === null) return usual;
	const value = toInteger(text);
	if (value === undefined) throw invalidParameter(name, `${name} is not of type integer.`, 'rest_invalid_type');
	if (value < 1 || value > most) {
		const bounds =
			most === Number.MAX_SAFE_INTEGER
				? `${name} must be greater than or equal to 1`
				: `${name} must be between 1 (inclusive) and ${most} (inclusive)`;
		throw invalidParameter(name, bounds, 'rest_out_of_bounds');
	}
	return value;
}

/** An integer in the query, if it is there. */
export function integerQuery(call: Call, name: string): number | undefined {
	const text = call.query.get(name);
	if (text === null || text === '') return undefined;
	const value = toInteger(text);
	if (value === undefined) throw invalidParameter(name, `${name} is not of type integer.`, 'rest_invalid_type');
	return value;
}

/** Whether the query asks for the order in which ids grow; the newest come first unless told. */
export function ascending(call: Call, usual: boolean): boolean {
	const order = call.query.get('order');
	if (order === null) return usual;
	if (order !== 'asc' && order !== 'desc')
		throw invalidParameter('order', 'order is not one of asc, desc.', 'rest_not_in_enum');
	return order === 'asc';
}

/**
 * Cuts one page out of all that was found.
 * @param strict whether a page past the last is an error, as it is for posts, or empty, as for users and terms
 */
export function pageOf<T>(
	desk: Desk,
	call: Call,
	found: readonly T[],
	shape: (each: T) => unknown,
	strict: boolean,
): Answer {
	const perPage = bounded(call, 'per_page', USUAL, MOST);
	const page = bounded(call, 'page', 1, Number.MAX_SAFE_INTEGER);
	const pages = Math.ceil(found.length / perPage);
	if (strict && page > pages && page > 1) {
		throw new ServiceError(
			400,
			'rest_post_invalid_page_number',
			'The page number requested is larger than the number of pages available.',
		);
	}
	const headers: Record<string, string> = { 'X-WP-Total': String(found.length), 'X-WP-TotalPages': String(pages) };
	const link = (to: number, relation: string): string => {
		const query = new URLSearchParams(call.query);
		query.set('page', String(to));
		return `<${call.origin}${desk.root}${call.route}?${query}>; rel="${relation}"`;
	};
	const linked: string[] = [];
	if (page > 1) linked.push(link(Math.min(page - 1, Math.max(pages, 1)), 'prev'));
	if (page < pages) linked.push(link(page + 1, 'next'));
	if (linked.length > 0) headers.Link = linked.join(', ');
	return ok(found.slice((page - 1) * perPage, page * perPage).map(shape), headers);
}

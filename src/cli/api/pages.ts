/** Page after page of a list, by our own path and query: the Link header of a live service leads elsewhere. */

import { FailedError } from '../../errors.js';
import { withQuery } from './target.js';

/** How many rows a page is asked to have, where nothing else is said: the most that services give. */
const PER_PAGE = 100;

/** The code of the response to a page behind the last one. */
export const PAST_THE_END = 'rest_post_invalid_page_number';

/** What a query asks of the pages of a list. */
export interface Paging {
	/** The number of the first page. */
	first: number;
	/** Whether the query names the size of a page itself. */
	sized: boolean;
	/** The query of one page; `sized` false leaves out the size that is added here. */
	query(page: number, sized: boolean): string;
	/** How many rows a full page has, where that is known. */
	size(sized: boolean): number | undefined;
}

export function pagingOf(query: string): Paging {
	const number = (name: string): number | undefined => {
		const text = new URLSearchParams(query).get(name) ?? '';
		return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
	};
	const own = number('per_page');
	const first = number('page') ?? 1;
	const rest = query.split('&').filter((part) => !part.startsWith('page='));
	return {
		first,
		sized: own !== undefined,
		query(page, sized) {
			const size: [string, string][] = own === undefined && sized ? [['per_page', String(PER_PAGE)]] : [];
			const where: [string, string][] = page === 1 ? [] : [['page', String(page)]];
			return withQuery(rest.join('&'), [...size, ...where]);
		},
		size: (sized) => own ?? (sized ? PER_PAGE : undefined),
	};
}

/**
 * Whether a page comes after this one: the header X-WP-TotalPages says so, or without it, the page is full.
 * @param full how many rows a full page has
 */
export function hasNextPage(
	page: number,
	rows: number,
	total: string | readonly string[] | undefined,
	full: number,
): boolean {
	const count = Number(typeof total === 'string' ? total : total?.[0]);
	return rows > 0 && (Number.isInteger(count) ? page < count : rows >= full);
}

/** Notices a service that gives the same page again, whatever page is asked for. */
export function createLoopGuard(): (rows: readonly unknown[]) => void {
	let before: string | undefined;
	return (rows) => {
		const text = JSON.stringify(rows);
		if (text === before) {
			throw new FailedError('the service gives the same page again, whatever page is asked for; stopped', {
				code: 'page_loop',
			});
		}
		before = text;
	};
}

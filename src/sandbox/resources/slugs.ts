/** Slugs that stay unique within their type, as the interface promises (sections 2.1, 2.4 and 2.5). */

import type { Table } from '../store.js';

export interface Slugs<T> {
	/** The wanted slug, or the first free one of `wanted-2`, `wanted-3` …; from now on the row's. */
	take(row: T, wanted: string): string;
	/** Whose it is. */
	owner(slug: string): T | undefined;
}

/** Keeps an index that is built when it is first needed. */
export function createSlugs<T extends { id: number; slug: string }>(table: Table<T>): Slugs<T> {
	let index: Map<string, number> | undefined;

	function owners(): Map<string, number> {
		if (index === undefined) {
			index = new Map();
			for (const row of table.values()) index.set(row.slug, row.id);
		}
		return index;
	}

	/** Rows may have been deleted or renamed since the index was built. */
	function owner(slug: string): T | undefined {
		const row = table.get(owners().get(slug) ?? -1);
		return row?.slug === slug ? row : undefined;
	}

	return {
		owner,
		take(row, wanted) {
			let slug = wanted;
			for (let next = 2; (owner(slug) ?? row).id !== row.id; next++) slug = `${wanted}-${next}`;
			owners().set(slug, row.id);
			return slug;
		},
	};
}

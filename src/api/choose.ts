/** Which endpoint a command's rows are for (one of the table, or one per taxonomy), and the ids that rows can have. */

import { UsageError } from '../errors.js';
import { type Endpoint, endpointList, termEndpoint, termTaxonomies } from './endpoints.js';
import { didYouMean } from './suggest.js';
import { isProblem, parseSlug, quote } from './values.js';

/**
 * The endpoint; where rows name their taxonomy, one that stands for all, and the function that finds each.
 * @param name A row of the table, or `term.update` and `term.delete`. @throws UsageError
 */
export function chooseEndpoint(
	name: string,
	taxonomy: string | undefined,
	undocumented: boolean,
): { endpoint: Endpoint; forTaxonomy?: (taxonomy: string) => Endpoint } {
	if (name !== 'term.update' && name !== 'term.delete') {
		const endpoint = endpointList.find((each) => each.name === name);
		if (endpoint !== undefined) return { endpoint };
		throw new UsageError(`there is no endpoint ${quote(name)}`, { code: 'unknown_endpoint' });
	}
	const operation = name === 'term.update' ? 'update' : 'delete';
	const documented = termTaxonomies(operation);
	const forTaxonomy = (given: string): Endpoint => {
		if (!undocumented && !documented.includes(given)) {
			const suggestion = didYouMean(given, documented);
			const what = `the API documents no route to ${operation} ${quote(given)} terms, only ${documented.join(' and ')}`;
			// Only a name that is meant can be sent undocumented.
			const hint = suggestion === '' ? { hint: '--undocumented allows other taxonomies' } : {};
			throw new UsageError(what + suggestion, { code: 'undocumented', ...hint });
		}
		const parsed = parseSlug(given);
		if (isProblem(parsed)) throw new UsageError(`taxonomy: ${parsed.problem}`);
		return termEndpoint(operation, parsed.value);
	};
	return { endpoint: forTaxonomy(taxonomy ?? (documented[0] as string)), forTaxonomy };
}

const parameters = endpointList.flatMap((each) => each.parameters);

/** The names of path parameters, and of what stands for one: a term's taxonomy, the user name of a look-up. */
export const idNames: readonly string[] = [...new Set([...parameters.map(({ name }) => name), 'taxonomy', 'username'])];

/** Those of ids proper: a slug is a field of bodies too. */
export const numberedIdNames: ReadonlySet<string> = new Set(
	parameters.filter(({ kind }) => kind === 'id').map(({ name }) => name),
);

/**
 * The id of a row's own thing: that of an owner, as `ticket_id` is of a reply's ticket, where there is no other, and the
 * name of a user where nothing else is known.
 * @param names which keys of the row are ids
 */
export function ownId(row: Readonly<Record<string, unknown>>, names: readonly string[] = idNames): unknown {
	const present = names.filter((name) => Object.hasOwn(row, name) && name !== 'taxonomy');
	const things = present.filter((name) => name !== 'username');
	const name = things.find((each) => !each.endsWith('_id')) ?? things[0] ?? present[0];
	return name === undefined ? undefined : row[name];
}

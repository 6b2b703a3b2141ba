/** Which endpoint a command's rows are for (one of the table, or one per taxonomy), and the ids that rows can have. */

import { UsageError } from '../errors.js';
import { type Endpoint, endpointList, termEndpoint, termTaxonomies } from './endpoints.js';
import { taxonomies } from './fields.js';
import { didYouMean } from './suggest.js';
import { isProblem, parseSlug, quote } from './values.js';

export interface EndpointChoice {
	/** The endpoint; where rows name their taxonomy, one that stands for all. */
	endpoint: Endpoint;
	/** @throws UsageError for a taxonomy that the interface has no route for */
	forTaxonomy?: (taxonomy: string) => Endpoint;
}

/** @param name A row of the table, or `term.update` and `term.delete`. @throws UsageError */
export function chooseEndpoint(name: string, taxonomy: string | undefined, undocumented: boolean): EndpointChoice {
	if (name !== 'term.update' && name !== 'term.delete') {
		const endpoint = endpointList.find((each) => each.name === name);
		if (endpoint !== undefined) return { endpoint };
		throw new UsageError(`there is no endpoint ${quote(name)}`, { code: 'unknown_endpoint' });
	}
	const operation = name === 'term.update' ? 'update' : 'delete';
	const documented = termTaxonomies(operation);
	const forTaxonomy = (given: string): Endpoint => {
		if (!undocumented && !documented.includes(given)) throw noRoute(operation, given, documented);
		const parsed = parseSlug(given);
		if (isProblem(parsed)) throw new UsageError(`taxonomy: ${parsed.problem}`);
		return termEndpoint(operation, parsed.value);
	};
	return { endpoint: forTaxonomy(taxonomy ?? (documented[0] as string)), forTaxonomy };
}

/** A misspelt name gets the right one; only a name that is meant can be sent undocumented. */
function noRoute(operation: string, taxonomy: string, documented: readonly string[]): UsageError {
	const known = (taxonomies as readonly string[]).includes(taxonomy);
	const suggestion = known ? '' : didYouMean(taxonomy, documented);
	const routes = documented.join(' and ');
	const what = known
		? `the API documents no route to ${operation} ${taxonomy} terms, only ${routes}`
		: `${quote(taxonomy)} is not a taxonomy${suggestion || `; the API documents a route to ${operation} terms of ${routes}`}`;
	const hint = suggestion === '' ? { hint: '--undocumented allows other taxonomies' } : {};
	return new UsageError(what, { code: 'undocumented', ...hint });
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

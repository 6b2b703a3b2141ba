/** Which endpoint a command's rows are for: one of the table, or one per taxonomy. */

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
		if (endpoint === undefined)
			throw new UsageError(`there is no endpoint ${quote(name)}`, { code: 'unknown_endpoint' });
		return { endpoint };
	}
	const operation = name === 'term.update' ? 'update' : 'delete';
	const forTaxonomy = (given: string): Endpoint => taxonomyEndpoint(operation, given, undocumented);
	return { endpoint: forTaxonomy(taxonomy ?? (termTaxonomies(operation)[0] as string)), forTaxonomy };
}

function taxonomyEndpoint(operation: 'update' | 'delete', taxonomy: string, undocumented: boolean): Endpoint {
	const documented = termTaxonomies(operation);
	if (!undocumented && !documented.includes(taxonomy)) throw noRoute(operation, taxonomy, documented);
	const parsed = parseSlug(taxonomy);
	if (isProblem(parsed)) throw new UsageError(`taxonomy: ${parsed.problem}`);
	return termEndpoint(operation, parsed.value);
}

/** A misspelt name has one way on; only a name that is meant can be sent undocumented. */
function noRoute(operation: string, taxonomy: string, documented: readonly string[]): UsageError {
	const code = 'undocumented';
	const known = (taxonomies as readonly string[]).includes(taxonomy);
	const suggestion = known ? '' : didYouMean(taxonomy, documented);
	if (suggestion !== '') return new UsageError(`${quote(taxonomy)} is not a taxonomy${suggestion}`, { code });
	const routes = documented.join(' and ');
	const what = known
		? `the API documents no route to ${operation} ${taxonomy} terms, only ${routes}`
		: `${quote(taxonomy)} is not a taxonomy; the API documents a route to ${operation} terms of ${routes}`;
	return new UsageError(what, { code, hint: '--undocumented allows other taxonomies' });
}

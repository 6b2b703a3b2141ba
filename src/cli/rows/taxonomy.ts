/** The endpoint of a term command for a taxonomy, or why there is none. */

import { type Endpoint, termEndpoint, termTaxonomies } from '../../api/endpoints.js';
import { taxonomies } from '../../api/fields.js';
import { didYouMean } from '../../api/suggest.js';
import { isProblem, parseSlug, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';

/** @throws UsageError for a taxonomy that the interface does not show for this operation. */
export function taxonomyEndpoint(
	operation: 'update' | 'delete',
	taxonomy: string | undefined,
	undocumented: boolean,
): Endpoint {
	const documented = termTaxonomies(operation);
	if (taxonomy === undefined) throw new UsageError(`a taxonomy is missing: one of ${documented.join(', ')}`);
	if (!undocumented && !documented.includes(taxonomy)) throw withoutRoute(operation, taxonomy, documented);
	const parsed = parseSlug(taxonomy);
	if (isProblem(parsed)) throw new UsageError(`taxonomy: ${parsed.problem}`);
	return termEndpoint(operation, parsed.value);
}

/** A misspelt name has one way on; only a name that is meant can be sent undocumented. */
function withoutRoute(operation: string, taxonomy: string, documented: readonly string[]): UsageError {
	const code = 'undocumented';
	const known = (taxonomies as readonly string[]).includes(taxonomy);
	const suggestion = known ? '' : didYouMean(taxonomy, documented);
	if (suggestion !== '') return new UsageError(`${quote(taxonomy)} is not a taxonomy${suggestion}`, { code });
	const routes = documented.join(' and ');
	const what = known
		? `the interface shows no route to ${operation} ${taxonomy} terms; it shows one for ${routes}`
		: `${quote(taxonomy)} is not a taxonomy; the interface shows a route to ${operation} terms of ${routes}`;
	return new UsageError(what, { code, hint: '--undocumented sends it all the same' });
}

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
	if (!undocumented && !documented.includes(taxonomy)) {
		const known = (taxonomies as readonly string[]).includes(taxonomy);
		const what = known
			? `the interface shows no route to ${operation} ${taxonomy} terms`
			: `${quote(taxonomy)} is not a taxonomy${didYouMean(taxonomy, documented)}`;
		throw new UsageError(`${what}; it shows one for ${documented.join(' and ')}`, {
			code: 'undocumented',
			hint: '--undocumented sends it all the same',
		});
	}
	const parsed = parseSlug(taxonomy);
	if (isProblem(parsed)) throw new UsageError(`taxonomy: ${parsed.problem}`);
	return termEndpoint(operation, parsed.value);
}

/** What requests about the terms of a taxonomy mean. */

import { termFields } from '../../api/fields.js';
import { createBodyReader, mergeMeta } from '../accept.js';
import { allowed, signedIn } from '../access.js';
import { ServiceError, trashNotSupported } from '../answers.js';
import { type Call, type Desk, forced, idParameter, type Meaning, ok } from '../call.js';
import { pageOf } from '../lists.js';
import type { TermRecord } from '../records.js';
import { slugify } from '../seed.js';
import { termShape } from '../shapes.js';

export function createTerms(desk: Desk, taxonomy: string): Record<'update' | 'remove' | 'read' | 'list', Meaning> {
	const { store } = desk;
	const readBody = createBodyReader({ fields: termFields }, desk.dialect);

	function find(id: number): TermRecord {
		const term = store.terms.get(id);
		if (term?.taxonomy !== taxonomy) throw new ServiceError(404, 'rest_term_invalid', 'Term does not exist.');
		return term;
	}

	function all(): TermRecord[] {
		return [...store.terms.values()].filter((each) => each.taxonomy === taxonomy);
	}

	/** A parent exists in the taxonomy, and is neither the term nor below it. */
	function checkParent(term: TermRecord, parent: number): void {
		for (let id = parent, steps = 0; id !== 0; steps++) {
			const above = store.terms.get(id);
			if (above?.taxonomy !== taxonomy || above.id === term.id || steps > store.terms.size) {
				throw new ServiceError(400, 'rest_term_invalid', 'Parent term does not exist.');
			}
			id = above.parent;
		}
	}

	function checkSlug(term: TermRecord, slug: string): void {
		if (!all().some((each) => each.slug === slug && each.id !== term.id)) return;
		const message = `The slug "${slug}" is already in use by another term.`;
		throw new ServiceError(400, 'duplicate_term_slug', message);
	}

	const idOf = (call: Call): number => idParameter(call, 'id');

	return {
		update(call) {
			const id = idOf(call);
			const { meta, slug, parent, ...rest } = readBody(call.body);
			allowed(call.caller, 'manage_terms', 'rest_cannot_update', 'edit this term');
			const term = find(id);
			const newSlug = slug === undefined ? term.slug : slugify(slug as string) || term.slug;
			if (newSlug !== term.slug) checkSlug(term, newSlug);
			if (parent !== undefined) checkParent(term, parent as number);
			if (rest.name === '') throw new ServiceError(400, 'empty_term_name', 'A name is required for this term.');
			Object.assign(term, rest, { slug: newSlug }, parent === undefined ? {} : { parent });
			if (meta !== undefined) term.meta = mergeMeta(term.meta, meta);
			store.terms.put(term);
			return ok(termShape(desk, call, term));
		},

		remove(call) {
			const force = forced(call);
			const id = idOf(call);
			allowed(call.caller, 'manage_terms', 'rest_cannot_delete', 'delete this term');
			const term = find(id);
			if (!force) throw trashNotSupported('Terms');
			const previous = termShape(desk, call, term);
			store.removeTerm(term);
			return ok({ deleted: true, previous });
		},

		read(call) {
			signedIn(call.caller);
			return ok(termShape(desk, call, find(idOf(call))));
		},

		list(call) {
			signedIn(call.caller);
			const search = call.query.get('search')?.toLowerCase();
			const slug = call.query.get('slug');
			const found = all().filter(
				(each) => (!search || each.name.toLowerCase().includes(search)) && (slug === null || each.slug === slug),
			);
			return pageOf(desk, call, found, (term) => termShape(desk, call, term), false);
		},
	};
}

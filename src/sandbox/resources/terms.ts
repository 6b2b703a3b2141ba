/** The terms of one taxonomy. */

import { integers } from '../arguments.js';
import { allowed, type Call, type Resource, type Service, signedIn } from '../call.js';
import { createList, type ListRules, listArguments } from '../lists.js';
import { badRequest, noTrash, ok, ServiceError } from '../responses.js';
import type { TermRecord } from '../seed.js';
import { filtered, slugify } from '../text.js';

export function createTerms(service: Service, taxonomy: string): Resource {
	const { store } = service;

	function* rows(): Iterable<TermRecord> {
		for (const term of store.terms.values()) if (term.taxonomy === taxonomy) yield term;
	}

	function find(call: Call): TermRecord {
		const term = store.terms.get(call.values.id as number);
		if (term?.taxonomy !== taxonomy) throw new ServiceError(404, 'rest_term_invalid', 'Term does not exist.');
		return term;
	}

	/** A parent exists in the taxonomy, and is neither the term nor below it. */
	function checkParent(term: TermRecord, parent: number): void {
		for (let id = parent; id !== 0; ) {
			const above = store.terms.get(id);
			if (above?.taxonomy !== taxonomy || above === term) {
				throw badRequest('rest_term_invalid', 'Parent term does not exist.');
			}
			id = above.parent;
		}
	}

	const shape = (call: Call, term: TermRecord): Record<string, unknown> => ({
		...term,
		count: store.termCount(term),
		link: `${call.origin}/${taxonomy}/${term.slug}/`,
		meta: [],
		_links: call.links(`/${taxonomy}`, term.id),
	});

	const list: ListRules<TermRecord> = {
		rows,
		filters: { parent: { argument: integers, test: (term, parents: number[]) => parents.includes(term.parent) } },
		searched: (term) => `${term.name} ${term.slug}`,
		orders: {
			name: (term) => term.name,
			slug: (term) => term.slug,
			description: (term) => term.description,
			count: (term) => store.termCount(term),
		},
		defaultOrder: ['name', 'asc'],
		strict: false,
		linksTo: `/wp-json/wp/v2/${taxonomy}`,
		shape,
	};
	const listTerms = createList(service, list);

	return {
		listArguments: listArguments(list),
		handlers: {
			list(call) {
				signedIn(call);
				return listTerms(call);
			},

			get(call) {
				signedIn(call);
				return ok(shape(call, find(call)));
			},

			update(call) {
				allowed(call, 'administrator', 'rest_cannot_update');
				const term = find(call);
				const { id: _, meta: _unregistered, slug, ...sent }: Record<string, unknown> = call.values;
				const wanted = slugify((slug as string | undefined) ?? '') || term.slug;
				for (const each of rows()) {
					if (each.slug !== wanted || each === term) continue;
					throw badRequest('duplicate_term_slug', `The slug "${wanted}" is already in use by another term.`);
				}
				if (sent.parent !== undefined) checkParent(term, sent.parent as number);
				if (sent.name === '') throw badRequest('empty_term_name', 'A name is required for this term.');
				for (const name of ['name', 'description']) {
					if (sent[name] !== undefined) sent[name] = filtered(sent[name] as string);
				}
				// An update without a color clears it.
				if (taxonomy === 'ticket_priority') term.color = '';
				Object.assign(term, sent, { slug: wanted });
				store.terms.put(term);
				return ok(shape(call, term));
			},

			delete(call) {
				allowed(call, 'administrator', 'rest_cannot_delete');
				const term = find(call);
				if (call.values.force !== true) throw noTrash('Terms');
				const previous = shape(call, term);
				store.removeTerm(term);
				return ok({ deleted: true, previous });
			},
		},
	};
}

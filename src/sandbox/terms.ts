/** The terms of one taxonomy. */

import { integers } from './arguments.js';
import { createResource, type Resource, type Service } from './resources.js';
import { badRequest } from './responses.js';
import type { TermRecord, TicketRecord, ticketTermFields } from './store.js';
import { filtered, slugify } from './text.js';

export function createTerms(service: Service, taxonomy: string): Resource {
	const { store } = service;
	const field = taxonomy as 'ticket-tag' | (typeof ticketTermFields)[number];
	const rows = (): TermRecord[] => [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
	const ticketsWith = ({ id }: TermRecord): TicketRecord[] =>
		[...store.tickets.values()].filter((ticket) => [ticket[field]].flat().includes(id));

	return createResource<TermRecord>(service, {
		table: store.terms,
		missing: ['rest_term_invalid', 'Term does not exist.'],
		has: (term) => term.taxonomy === taxonomy,
		collection: () => `/${taxonomy}`,
		shape: (call, term) => ({
			...term,
			count: ticketsWith(term).length,
			link: `${call.origin}/${taxonomy}/${term.slug}/`,
			meta: [],
		}),
		change(term, sent) {
			sent.slug = slugify((sent.slug as string | undefined) ?? '') || term.slug;
			if (rows().some((each) => each.slug === sent.slug && each !== term)) {
				throw badRequest('duplicate_term_slug', `The slug "${sent.slug}" is already in use by another term.`);
			}
			// A parent exists in the taxonomy, and is neither the term nor below it.
			for (let id = (sent.parent ?? 0) as number; id !== 0; ) {
				const above = store.terms.get(id);
				if (above?.taxonomy !== taxonomy || above === term) {
					throw badRequest('rest_term_invalid', 'Parent term does not exist.');
				}
				id = above.parent;
			}
			if (sent.name === '') throw badRequest('empty_term_name', 'A name is required for this term.');
			for (const name of ['name', 'description']) {
				if (sent[name] !== undefined) sent[name] = filtered(sent[name] as string);
			}
			// An update without a color clears it.
			if (taxonomy === 'ticket_priority') sent.color ??= '';
		},
		/** It is taken off every ticket; its children go to its parent. */
		remove(term) {
			for (const ticket of ticketsWith(term)) {
				if (field === 'ticket-tag') ticket[field] = ticket[field].filter((id) => id !== term.id);
				else ticket[field] = 0;
				store.tickets.put(ticket);
			}
			for (const child of rows()) {
				if (child.parent === term.id) store.terms.put(Object.assign(child, { parent: term.parent }));
			}
			store.terms.remove(term.id);
		},
		rows,
		filters: { parent: { argument: integers, test: (term, parents: number[]) => parents.includes(term.parent) } },
		searched: (term) => `${term.name} ${term.slug}`,
		orders: ['name', 'slug'],
		defaultOrder: ['name', 'asc'],
		strict: false,
		linksTo: `/wp-json/wp/v2/${taxonomy}`,
	});
}

/** Reads that live services offer and the interface does not have ("Operations other than those in the table: not shown"). */

import { type Endpoint, endpoints, type PathParameter, type ReadName } from './endpoints.js';

const id: PathParameter = { name: 'id', kind: 'id', help: 'Ids' };
const ticketId: PathParameter = { name: 'ticket_id', kind: 'id', help: 'The ticket of the replies' };

function read(name: string, path: string, noun: string, parameters: readonly PathParameter[]): Endpoint {
	return {
		name,
		method: 'GET',
		path,
		noun,
		parameters,
		query: [],
		fields: [],
		required: [],
		body: 'none',
		replay: 'read',
		answer: 'object',
		trash: false,
		confirm: false,
		verb: 'read',
		// Raw values, as an update takes them; without it a service may show rendered text alone.
		constantQuery: 'context=edit',
		documented: false,
	};
}

const objectReads: Readonly<Record<Exclude<ReadName, 'term.get' | 'ticket.fields.get'>, Endpoint>> = {
	'ticket.get': read('ticket.get', '/tickets/<id>', 'ticket', [id]),
	'reply.get': read('reply.get', '/tickets/<ticket_id>/replies/<id>', 'reply', [ticketId, id]),
	'user.get': read('user.get', '/users/<id>', 'user', [id]),
	'attachment.get': read('attachment.get', '/attachments/<id>', 'attachment', [id]),
};

/** The read of a taxonomy's terms. */
export function termRead(taxonomy: string): Endpoint {
	return read('term.get', `/${taxonomy}/<id>`, `${taxonomy} term`, [id]);
}

/** The read that shows the objects of an endpoint; undefined where there is none. */
export function readEndpointOf({ name, readWith }: Pick<Endpoint, 'name' | 'readWith'>): Endpoint | undefined {
	if (readWith === undefined) return undefined;
	if (readWith === 'ticket.fields.get') return endpoints['ticket.fields.get'];
	if (readWith === 'term.get') return termRead(name.split('.').slice(2).join('.'));
	return objectReads[readWith];
}

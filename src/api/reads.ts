/** Reads that live services offer and the interface does not have ("Operations other than those in the table: not shown"). */

import { type Endpoint, endpoints, type PathParameter, type ReadName, termEndpoint } from './endpoints.js';
import { taxonomies } from './fields.js';

const id: PathParameter = { name: 'id', kind: 'id', help: 'Ids' };
const ticketId: PathParameter = { name: 'ticket_id', kind: 'id', help: 'The ticket of the replies' };
const userId: PathParameter = { name: 'user_id', kind: 'id', help: 'The user whose passwords they are' };

function read(
	name: string,
	path: string,
	noun: string,
	parameters: readonly PathParameter[],
	answer: Endpoint['answer'] = 'object',
): Endpoint {
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
		answer,
		trash: false,
		confirm: false,
		verb: answer === 'list' ? 'list' : 'read',
		// Raw values, as an update takes them; without it a service may show rendered text alone. Lists name it themselves.
		...(answer === 'list' ? {} : { constantQuery: 'context=edit' }),
		documented: false,
	};
}

const objectReads: Readonly<Record<Exclude<ReadName, 'term.get' | 'ticket.fields.get'>, Endpoint>> = {
	'ticket.get': read('ticket.get', '/tickets/<id>', 'ticket', [id]),
	'reply.get': read('reply.get', '/tickets/<ticket_id>/replies/<id>', 'reply', [ticketId, id]),
	'user.get': read('user.get', '/users/<id>', 'user', [id]),
	'attachment.get': read('attachment.get', '/attachments/<id>', 'attachment', [id]),
};

/** The caller's own account. */
export const ownAccount: Endpoint = read('user.me', '/users/me', 'account', []);

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

/** Whether the read of an endpoint's objects shows when they were changed. */
export function showsModified({ readWith }: Pick<Endpoint, 'readWith'>): boolean {
	return Object.values<Read>(reads).some(({ get, hasModified }) => hasModified && get?.name === readWith);
}

/** A flag that narrows a list. */
export interface Filter {
	/** Without dashes: `ticket-tag`. */
	readonly flag: string;
	/** The parameter of the query. */
	readonly parameter: string;
	readonly kind: 'text' | 'status' | 'user' | 'id' | 'date';
	readonly help: string;
}

/** What is read of one kind of object. */
export interface Read {
	/** The list; undefined where there is none. */
	readonly list: Endpoint;
	/** One object; undefined where it is not read by itself. */
	readonly get?: Endpoint;
	/** The update whose fields are the columns of an export; undefined for what is not updated. */
	readonly update?: Endpoint;
	/** Path ids that stand before the object's own id in an export. */
	readonly owners: readonly string[];
	/** Fields of the update that the service computes: they are not exported. */
	readonly computed: readonly string[];
	/** Whether objects show when they were changed. */
	readonly hasModified: boolean;
	/** Columns of a table. */
	readonly shown: readonly string[];
	readonly filters: readonly Filter[];
	/** The query of a list without filters: everything that the caller may see, in the order of ids. */
	readonly query: Readonly<Record<string, string>>;
	/** Whether the list comes in pages. */
	readonly paged: boolean;
}

const search: Filter = { flag: 'search', parameter: 'search', kind: 'text', help: 'Only those that contain this text' };
const author: Filter = {
	flag: 'author',
	parameter: 'author',
	kind: 'user',
	help: 'Only those of this user; @me is you',
};
const status: Filter = { flag: 'status', parameter: 'status', kind: 'status', help: 'Only those with this status' };
const dates: readonly Filter[] = [
	{ flag: 'before', parameter: 'before', kind: 'date', help: 'Only those from before this date' },
	{ flag: 'after', parameter: 'after', kind: 'date', help: 'Only those from after this date' },
];

const ordered = { context: 'edit', orderby: 'id', order: 'asc' } as const;
const nothing = { owners: [], computed: [], hasModified: true, paged: true } as const;

/** What can be read, by the noun of its commands; terms have one for each taxonomy. */
export const reads = {
	ticket: {
		...nothing,
		list: read('ticket.list', '/tickets', 'ticket', [], 'list'),
		get: objectReads['ticket.get'],
		update: endpoints['ticket.update'],
		computed: ['customer-reply-count', 'agent-reply-count', 'total-reply-count', 'time-calculated'],
		shown: ['id', 'title', 'status', 'state', 'assignee', 'ticket_priority', 'modified_gmt'],
		filters: [
			{ flag: 'state', parameter: 'state', kind: 'text', help: 'Only tickets in this state: open or closed' },
			status,
			{ flag: 'assignee', parameter: 'assignee', kind: 'user', help: 'Only tickets assigned to this user; @me is you' },
			author,
			search,
			...dates,
			...taxonomies.map((each): Filter => {
				return {
					flag: each.replaceAll('_', '-'),
					parameter: each,
					kind: 'text',
					help: `Only tickets with this ${each} term`,
				};
			}),
		],
		// Live services show open tickets of the caller alone unless they are asked for all.
		query: { ...ordered, assignee: '0', author: '0', state: 'any', status: 'any' },
	},
	reply: {
		...nothing,
		list: read('reply.list', '/tickets/<ticket_id>/replies', 'reply', [ticketId], 'list'),
		get: objectReads['reply.get'],
		update: endpoints['reply.update'],
		owners: ['ticket_id'],
		shown: ['ticket_id', 'id', 'status', 'author', 'date', 'content'],
		filters: [status, author, search, ...dates],
		query: { ...ordered, status: 'any' },
	},
	user: {
		...nothing,
		list: read('user.list', '/users', 'user', [], 'list'),
		get: objectReads['user.get'],
		update: endpoints['user.update'],
		hasModified: false,
		shown: ['id', 'username', 'name', 'email', 'roles'],
		filters: [search, { flag: 'roles', parameter: 'roles', kind: 'text', help: 'Only users with one of these roles' }],
		query: ordered,
	},
	attachment: {
		...nothing,
		list: read('attachment.list', '/attachments', 'attachment', [], 'list'),
		get: objectReads['attachment.get'],
		update: endpoints['attachment.update'],
		shown: ['id', 'title', 'status', 'author', 'post', 'modified_gmt'],
		filters: [author, search, ...dates],
		query: ordered,
	},
	password: {
		...nothing,
		list: read('user.password.list', '/users/<user_id>/passwords', 'application password', [userId], 'list'),
		owners: ['user_id'],
		hasModified: false,
		shown: ['user_id', 'slug', 'name', 'created', 'last_used'],
		filters: [],
		query: {},
		paged: false,
	},
} as const satisfies Readonly<Record<string, Read>>;

/** What is read of a taxonomy's terms. */
export function termReads(taxonomy: string): Read {
	return {
		...nothing,
		list: read('term.list', `/${taxonomy}`, `${taxonomy} term`, [], 'list'),
		get: termRead(taxonomy),
		update: termEndpoint('update', taxonomy),
		owners: ['taxonomy'],
		hasModified: false,
		shown: ['taxonomy', 'id', 'name', 'slug', 'parent', 'count'],
		filters: [search, { flag: 'parent', parameter: 'parent', kind: 'id', help: 'Only terms below this one' }],
		query: ordered,
	};
}

/** Reads that live services offer and the interface does not document. */

import { UsageError } from '../errors.js';
import type { Dialect } from './dialect.js';
import { type Endpoint, endpoint, endpoints } from './endpoints.js';
import { taxonomies } from './fields.js';
import { plural } from './names.js';
import { createPlanner, type Request } from './request.js';
import { ticketStatuses } from './statuses.js';

/** The most objects that a live service lists at once. */
export const PAGE_SIZE = 100;

/** Without `context=edit` a service may show rendered text only. */
const get = (name: string, path: string, noun: string): Endpoint =>
	endpoint(name, { method: 'GET', path, noun, taxonomies, constantQuery: 'context=edit', documented: false });

/** The query of a list is in its `Read`. */
const list = (name: string, path: string, noun: string): Endpoint =>
	endpoint(name, { method: 'GET', path, noun, taxonomies, verb: 'list', returns: 'list', documented: false });

const routes = (noun: 'ticket' | 'reply' | 'user' | 'attachment' | 'term', path: string) => ({
	list: list(`${noun}.list`, path, noun),
	get: get(`${noun}.get`, `${path}/<id>`, noun),
	update: endpoints[`${noun}.update`],
});

export const ownAccount: Endpoint = get('user.me', '/users/me', 'account');

/** Custom fields have no list. */
export function readOfWrite({ readWith }: Endpoint): Read | undefined {
	return readWith === undefined || readWith === 'fields' ? undefined : reads[readWith];
}

export function readEndpointOf(write: Endpoint): Endpoint | undefined {
	return write.readWith === 'fields' ? endpoints['ticket.fields.get'] : readOfWrite(write)?.get;
}

/** @throws UsageError */
export function readRequest({ endpoint, ids }: Pick<Request, 'endpoint' | 'ids'>, dialect: Dialect): Request {
	const read = readEndpointOf(endpoint);
	if (read === undefined) throw new UsageError(`the API has no way to read ${plural(endpoint.noun, 2)}`);
	// Written below ticket_id, read below id.
	const id = ids.id ?? (ids.ticket_id as string);
	return createPlanner(read, dialect)({ ids: { ...ids, id } });
}

export function listRequest(
	{ list }: Pick<Read, 'list'>,
	ids: Readonly<Record<string, string>>,
	query: Readonly<Record<string, string>>,
	dialect: Dialect,
): Request {
	const request = createPlanner(list, dialect)({ ids });
	const parameters = new URLSearchParams(query).toString();
	return parameters === '' ? request : { ...request, path: `${request.path}?${parameters}` };
}

export interface Filter {
	/** Of the query; the flag is spelled like it. */
	readonly parameter: string;
	readonly kind: FilterKind;
	readonly help: string;
	/** What the service calls it, if not like the flag. */
	readonly asks?: string;
	/** Services can't filter by it: objects are compared here. */
	readonly compares?: { readonly field: string; readonly side: Side };
	/** Another flag for the same. */
	readonly conflicts?: readonly string[];
}

type Side = 'before' | 'after';

export interface FilterFacts {
	/** Behind the help of a filter. */
	readonly takes: string;
	/** Whether `none` asks for objects that a service can't be asked for: those with an empty field. */
	readonly canBeNone: boolean;
	/** Whether its value is a name to be looked up. */
	readonly looksUp: boolean;
	readonly choices?: readonly string[];
	readonly suggests?: readonly string[];
}

export const filterKinds = {
	text: { takes: '', canBeNone: false, looksUp: false },
	state: { takes: '', canBeNone: false, looksUp: false, choices: ['open', 'closed', 'any'] },
	status: { takes: '', canBeNone: false, looksUp: false, suggests: ticketStatuses },
	role: { takes: '', canBeNone: false, looksUp: false },
	user: { takes: ' (ID, username, @me or none)', canBeNone: true, looksUp: true },
	term: { takes: ' (ID, slug, name or none)', canBeNone: true, looksUp: true },
	/** For none, services take 0. */
	id: { takes: ' (ID or none)', canBeNone: false, looksUp: false },
	date: { takes: ' this date or age (90d)', canBeNone: false, looksUp: false },
} as const satisfies Record<string, FilterFacts>;

type FilterKind = keyof typeof filterKinds;

export interface Read {
	readonly list: Endpoint;
	/** Undefined if objects are only listed. */
	readonly get?: Endpoint;
	/** Its fields are the columns of an export. */
	readonly update?: Endpoint;
	/** Path IDs before the object's own, in an export. */
	readonly owners: readonly string[];
	/** Whether objects show when they were changed: --if-unmodified needs it. */
	readonly hasModified: boolean;
	/** The columns of a table. */
	readonly shown: readonly string[];
	readonly filters: readonly Filter[];
	/** For `--sort`; the service calls `date_gmt` `date`. Without any, the list has one page. */
	readonly orders: readonly string[];
	/** Everything you may see, by ID. */
	readonly query: Readonly<Record<string, string>>;
}

const filter = (parameter: string, kind: FilterKind, what = parameter): Filter => ({
	parameter,
	kind,
	help: `Filter by ${what}${filterKinds[kind].takes}`,
});

const search = filter('search', 'text', 'text');
const author = filter('author', 'user');
const status = filter('status', 'status');

const sides = ['before', 'after'] as const satisfies readonly Side[];

/** @param what `Created` */
const dateFilter = (parameter: string, what: string, side: Side): Filter => ({
	parameter,
	kind: 'date',
	help: `${what} ${side}${filterKinds.date.takes}`,
});

const dateHere = (parameter: string, what: string, field: string): Filter[] =>
	sides.map((side) => ({ ...dateFilter(`${parameter}_${side}`, what, side), compares: { field, side } }));

const dates = [
	...sides.map((side) => ({ ...dateFilter(`created_${side}`, 'Created', side), asks: side, conflicts: [side] })),
	...dateHere('modified', 'Modified', 'modified_gmt'),
	...sides.map((side): Filter => ({ parameter: side, kind: 'date', help: `Same as --created-${side}` })),
];

const ordered = { context: 'edit', orderby: 'id', order: 'asc' } as const;
const usual = {
	owners: [],
	hasModified: true,
	orders: ['id', 'date', 'date_gmt', 'modified', 'modified_gmt', 'title', 'slug', 'author'],
	query: ordered,
} as const;

/** What can be read, by the noun of its commands; terms have one for each taxonomy. */
export const reads = {
	ticket: {
		...usual,
		...routes('ticket', '/tickets'),
		shown: ['id', 'title', 'status', 'state', 'assignee', 'ticket_priority', 'modified_gmt'],
		filters: [
			filter('state', 'state'),
			status,
			filter('assignee', 'user'),
			author,
			search,
			...dates,
			...taxonomies.map((each) => filter(each, 'term')),
		],
		// By default live services show your open tickets only.
		query: { ...ordered, assignee: '0', author: '0', state: 'any', status: 'any' },
	},
	reply: {
		...usual,
		...routes('reply', '/tickets/<ticket_id>/replies'),
		owners: ['ticket_id'],
		shown: ['ticket_id', 'id', 'status', 'author', 'date_gmt', 'content'],
		filters: [status, author, search, ...dates],
		query: { ...ordered, status: 'any' },
	},
	user: {
		...usual,
		...routes('user', '/users'),
		hasModified: false,
		shown: ['id', 'username', 'name', 'email', 'roles'],
		filters: [
			search,
			filter('roles', 'role', 'role, or several with commas'),
			...dateHere('created', 'Registered', 'registered_date'),
		],
		orders: ['id', 'name', 'email', 'slug', 'registered_date', 'url'],
	},
	attachment: {
		...usual,
		...routes('attachment', '/attachments'),
		shown: ['id', 'title', 'status', 'author', 'post', 'modified_gmt'],
		filters: [author, search, ...dates],
	},
	term: {
		...usual,
		...routes('term', '/<taxonomy>'),
		owners: ['taxonomy'],
		hasModified: false,
		shown: ['taxonomy', 'id', 'name', 'slug', 'parent', 'count'],
		orders: ['id', 'name', 'slug', 'description', 'count'],
		filters: [search, filter('parent', 'id')],
	},
	password: {
		...usual,
		list: list('user.password.list', '/users/<user_id>/passwords', 'application password'),
		owners: ['user_id'],
		hasModified: false,
		shown: ['user_id', 'slug', 'name', 'created', 'last_used'],
		filters: [],
		orders: [],
		query: {},
	},
} as const satisfies Readonly<Record<string, Read>>;

export type Noun = keyof typeof reads;

export type EditNoun = Exclude<Noun, 'password'>;

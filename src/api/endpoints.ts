/** Every documented endpoint as data (interface section 4); flags, validation, requests, sandbox routes and help derive from it. */

import {
	attachmentFields,
	credentialFields,
	type Field,
	replyFields,
	termFields,
	ticketFields,
	userFields,
	usernameField,
} from './fields.js';

export type Method = 'GET' | 'POST' | 'DELETE';

/**
 * What may be done when no response came: a `set` or a `read` may be sent again, a `delete` may be sent again and
 * then takes 404 and 410 for success, `once` is never sent twice.
 */
export type ReplayRule = 'set' | 'delete' | 'read' | 'once';

/**
 * What a 2xx response has to hold. The interface shows no responses (section 7), so little is required: an object, a
 * list, custom fields, the response to setting them, a user's id, the result of a credential check, or any JSON.
 */
export type ReturnKind = 'object' | 'list' | 'fields' | 'fields-set' | 'user-id' | 'check' | 'any';

/** Reads of one object; all but that of custom fields are not in the interface. */
export type ReadName = 'ticket.get' | 'ticket.fields.get' | 'reply.get' | 'user.get' | 'attachment.get' | 'term.get';

/** A placeholder in a path. */
export interface PathParameter {
	/** Its name in the input's columns and in outcomes: `id` or `slug` of the thing itself, `ticket_id` of what it belongs to. */
	readonly name: string;
	readonly kind: 'id' | 'slug';
	/** As help names the arguments that fill it: "Ticket ids". */
	readonly help: string;
	/** The directory whose names can stand for the ID: `users`, or that of the path's taxonomy. */
	readonly names?: 'users' | 'terms';
}

/** A parameter in the query string. */
export interface QueryParameter {
	readonly name: 'force' | 'reassign';
	readonly kind: 'flag' | 'id';
	/** `always`: sent with every request; `must`: the caller has to give it; `optional`: sent only if given. */
	readonly presence: 'always' | 'must' | 'optional';
	readonly help: string;
	/** Why it must be given, for the error. */
	readonly reason?: string;
}

export interface Endpoint {
	readonly name: string;
	readonly method: Method;
	/** Below the version segment, with placeholders as the interface writes them. */
	readonly path: string;
	readonly parameters: readonly PathParameter[];
	readonly query: readonly QueryParameter[];
	/** The fields of the JSON body; none for an endpoint without a body. */
	readonly fields: readonly Field[];
	/** Fields without which the request makes no sense. */
	readonly required: readonly string[];
	/** `custom_fields`: the body is one object of names to strings under that key. */
	readonly body: 'none' | 'fields' | 'custom_fields';
	readonly replay: ReplayRule;
	readonly returns: ReturnKind;
	/** Whether what is deleted goes to a trash unless `force` is sent. */
	readonly trash: boolean;
	/**
	 * The id of what a request changes, where that is not its whole path: rows that agree in it go one after another, and
	 * belong to one shard.
	 */
	readonly changes?: string;
	/** The path id that a response shows as the `parent` of what was changed. */
	readonly parent?: string;
	/** What services show beside the fields, and clear with an update that does not send it. */
	readonly cleared?: readonly string[];
	/** Whether a person is asked before it is sent. */
	readonly confirm: boolean;
	/** What one row is, for messages: "ticket", "application password". */
	readonly noun: string;
	/** What a row does, for messages: "update", "delete", "set custom fields of". */
	readonly verb: string;
	/** The read that shows the object, where live services offer one. */
	readonly readWith?: ReadName;
	/** Query text that every request has. */
	readonly constantQuery?: string;
	/** Whether the interface has it; live services offer more. */
	readonly documented: boolean;
}

/** What a row of the table says; only the interface can say whether a POST may be sent again, so that each has to. */
type Row = Partial<Omit<Endpoint, 'name' | 'method' | 'parameters'>> &
	Pick<Endpoint, 'path' | 'noun'> &
	({ readonly method: 'GET' | 'DELETE' } | { readonly method: 'POST'; readonly replay: ReplayRule });

/** A row as an endpoint: what it does not say is as for most of its method. */
export function endpoint(name: string, row: Row): Endpoint {
	const thing = row.noun.split(' ').at(-1) as string;
	const parameters = [...row.path.matchAll(/<([a-z_]+)>/g)].map(([, id = '']): PathParameter => {
		const owner = id.endsWith('_id') && id !== `${thing}_id` ? id.slice(0, -'_id'.length) : undefined;
		const kind = id === 'slug' ? 'slug' : 'id';
		const own = `${thing[0]?.toUpperCase()}${thing.slice(1)} ${kind === 'id' ? 'IDs' : 'slugs'}`;
		const help = owner === undefined ? own : `${owner[0]?.toUpperCase()}${owner.slice(1)} ID`;
		if (row.path.startsWith(`/users/<${id}>`))
			return { name: id, kind, help: 'Users: IDs or usernames', names: 'users' };
		if (row.noun.endsWith(' term')) return { name: id, kind, help: 'Terms: IDs, slugs or names', names: 'terms' };
		return { name: id, kind, help };
	});
	return {
		name,
		parameters,
		query: [],
		fields: [],
		required: [],
		body: row.fields === undefined ? 'none' : 'fields',
		replay: row.method === 'GET' ? 'read' : 'delete',
		returns: 'object',
		trash: false,
		confirm: row.method === 'DELETE',
		verb: { GET: 'read', POST: 'update', DELETE: 'delete' }[row.method],
		documented: true,
		...row,
	};
}

const bypassTrash: QueryParameter = {
	name: 'force',
	kind: 'flag',
	presence: 'optional',
	help: 'Delete permanently, bypassing the trash',
};

const rows = {
	'ticket.update': {
		method: 'POST',
		path: '/tickets/<id>',
		noun: 'ticket',
		fields: ticketFields,
		replay: 'set',
		readWith: 'ticket.get',
	},
	'ticket.fields.set': {
		method: 'POST',
		path: '/tickets/<ticket_id>/custom-fields',
		noun: 'ticket',
		verb: 'set custom fields of',
		body: 'custom_fields',
		replay: 'set',
		returns: 'fields-set',
		readWith: 'ticket.fields.get',
	},
	'ticket.fields.get': { method: 'GET', path: '/tickets/<id>/custom-fields', noun: 'ticket', returns: 'fields' },
	'user.check': {
		method: 'POST',
		path: '/users/check',
		noun: 'user',
		fields: credentialFields,
		required: ['username', 'password'],
		replay: 'once',
		returns: 'check',
	},
	'user.id': {
		method: 'POST',
		path: '/users/username',
		noun: 'user',
		verb: 'look up',
		fields: [usernameField],
		required: ['username'],
		replay: 'read',
		returns: 'user-id',
		// All look-ups have one path.
		changes: 'username',
	},
	'user.update': {
		method: 'POST',
		path: '/users/<id>',
		noun: 'user',
		fields: userFields,
		replay: 'set',
		readWith: 'user.get',
	},
	'attachment.update': {
		method: 'POST',
		path: '/attachments/<id>',
		noun: 'attachment',
		fields: attachmentFields,
		replay: 'set',
		readWith: 'attachment.get',
	},
	'reply.update': {
		method: 'POST',
		path: '/tickets/<ticket_id>/replies/<id>',
		noun: 'reply',
		fields: replyFields,
		replay: 'set',
		// Services find a reply by its own id, whichever ticket the path names.
		changes: 'id',
		parent: 'ticket_id',
		readWith: 'reply.get',
	},
	'term.update.ticket_priority': {
		method: 'POST',
		path: '/ticket_priority/<id>',
		noun: 'ticket_priority term',
		fields: termFields,
		replay: 'set',
		readWith: 'term.get',
		cleared: ['color'],
	},
	'ticket.delete': {
		method: 'DELETE',
		path: '/tickets/<id>',
		noun: 'ticket',
		query: [bypassTrash],
		trash: true,
		readWith: 'ticket.get',
	},
	'reply.delete': {
		method: 'DELETE',
		path: '/tickets/<ticket_id>/replies/<id>',
		noun: 'reply',
		query: [bypassTrash],
		trash: true,
		changes: 'id',
		parent: 'ticket_id',
		readWith: 'reply.get',
	},
	'term.delete.product': {
		method: 'DELETE',
		path: '/product/<id>',
		noun: 'product term',
		query: [{ ...bypassTrash, presence: 'must', help: 'Delete permanently', reason: "terms can't be trashed" }],
		readWith: 'term.get',
	},
	'user.delete': {
		method: 'DELETE',
		path: '/users/<id>',
		noun: 'user',
		query: [
			{
				...bypassTrash,
				presence: 'always',
				help: 'Accepted for compatibility; deletes are always permanent',
				reason: "users can't be trashed",
			},
			{
				name: 'reassign',
				kind: 'id',
				presence: 'must',
				help: "The user who receives the deleted users' posts and links",
				reason: "the deleted user's posts and links need a receiver",
			},
		],
		readWith: 'user.get',
	},
	'user.password.delete': {
		method: 'DELETE',
		path: '/users/<user_id>/passwords/<slug>',
		noun: 'application password',
		// A user's passwords are one stored value: of two deletes at a time, one can undo the other.
		changes: 'user_id',
	},
	'term.delete.ticket_priority': {
		method: 'DELETE',
		path: '/ticket_priority/<id>',
		noun: 'ticket_priority term',
		query: [{ ...bypassTrash, help: 'Sent only if you pass it (undocumented here)' }],
		readWith: 'term.get',
	},
} satisfies Record<string, Row>;

export type EndpointName = keyof typeof rows;

export type EndpointTable = Readonly<Record<EndpointName, Endpoint>>;

export const endpoints = Object.fromEntries(
	Object.entries(rows).map(([name, row]) => [name, endpoint(name, row)]),
) as EndpointTable;

export const endpointList: readonly Endpoint[] = Object.values(endpoints);

/** The documented taxonomies of a term operation: those with a row in section 4. */
export function termTaxonomies(operation: 'update' | 'delete'): string[] {
	const prefix = `term.${operation}.`;
	return endpointList.filter((each) => each.name.startsWith(prefix)).map((each) => each.name.slice(prefix.length));
}

/** The endpoint for a taxonomy: the documented row, or one made up in its shape for `--undocumented`. */
export function termEndpoint(operation: 'update' | 'delete', taxonomy: string): Endpoint {
	const name = `term.${operation}.${taxonomy}`;
	const documented = endpointList.find((each) => each.name === name);
	if (documented !== undefined) return documented;
	const model = endpoints[`term.${operation}.ticket_priority`];
	return { ...model, name, path: `/${taxonomy}/<id>`, noun: `${taxonomy} term` };
}

const parameters = endpointList.flatMap((each) => each.parameters);

/** The names of path parameters, and of what stands for one: a term's taxonomy, the user name of a look-up. */
export const idNames: readonly string[] = [...new Set([...parameters.map(({ name }) => name), 'taxonomy', 'username'])];

/** Those that hold an id: a slug is a field of bodies too. */
export const numberedIdNames: ReadonlySet<string> = new Set(
	parameters.filter(({ kind }) => kind === 'id').map(({ name }) => name),
);

/**
 * The id of what a row is about; else that of its owner, as `ticket_id` is of a reply's ticket; else the user name.
 * @param names which keys of the row are ids
 */
export function ownId(row: Readonly<Record<string, unknown>>, names: readonly string[] = idNames): unknown {
	const present = names.filter((name) => Object.hasOwn(row, name) && name !== 'taxonomy');
	const things = present.filter((name) => name !== 'username');
	const name = things.find((each) => !each.endsWith('_id')) ?? things[0] ?? present[0];
	return name === undefined ? undefined : row[name];
}

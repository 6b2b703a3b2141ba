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
 * What may be done when no answer came: a `set` or a `read` may be sent again, a `delete` may be sent again and
 * then takes 404 and 410 for success, `once` is never sent twice.
 */
export type ReplayRule = 'set' | 'delete' | 'read' | 'once';

/**
 * What a 2xx answer is taken for. The interface shows no answers (section 7), so that the least is asked of each: an
 * object; a list; custom fields; what setting those answers; a user's id; the word on credentials; or any JSON at all.
 */
export type AnswerKind = 'object' | 'list' | 'fields' | 'fields-set' | 'user-id' | 'check' | 'any';

/** A placeholder in a path. */
export interface PathParameter {
	/** Its name in the input's columns and in outcomes: `id` or `slug` of the thing itself, `ticket_id` of what it belongs to. */
	readonly name: string;
	readonly kind: 'id' | 'slug';
	/** As help names the arguments that fill it: "Ticket ids". */
	readonly help: string;
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
	readonly answer: AnswerKind;
	/** Whether what is deleted goes to a trash unless `force` is sent. */
	readonly trash: boolean;
	/**
	 * The id of what a request changes, where that is not its whole path: rows that agree in it go one after another, and
	 * belong to one shard.
	 */
	readonly changes?: string;
	/** The path id that a response shows as the `parent` of what was changed. */
	readonly parent?: string;
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

/** The id at the end of a path. @param noun What has it: "Ticket" */
const id = (noun: string) => ({ name: 'id', kind: 'id', help: `${noun} ids` }) as const;

/** The id of what the path's last part belongs to. */
const ownerId = <const Name extends `${string}_id`>(name: Name, help: string) => ({ name, kind: 'id', help }) as const;

const bypassTrash = {
	name: 'force',
	kind: 'flag',
	presence: 'optional',
	help: 'Bypass the trash and delete permanently',
} as const satisfies QueryParameter;

/** What a row of the table may say beside its method, path and noun. */
type Details = Partial<Omit<Endpoint, 'name' | 'method' | 'path' | 'noun'>>;

/** Reads of one object, which the interface does not have. */
export type ReadName = 'ticket.get' | 'ticket.fields.get' | 'reply.get' | 'user.get' | 'attachment.get' | 'term.get';

/** Only the interface can say whether a POST may be sent again, so that each row has to. */
type Replay<M extends Method> = M extends 'POST' ? { readonly replay: ReplayRule } : object;

/** The parts of a row that the client's types are made of, as literals where the row says them. */
interface Typed<D extends Details> {
	readonly parameters: D extends { parameters: infer P } ? P : readonly [];
	readonly query: D extends { query: infer Q } ? Q : readonly [];
	readonly fields: D extends { fields: infer F } ? F : readonly [];
	readonly required: D extends { required: infer R } ? R : readonly [];
	readonly body: D extends { body: infer B } ? B : Endpoint['body'];
}

/** What a row is besides. */
type Rest = Omit<Endpoint, 'parameters' | 'query' | 'fields' | 'required' | 'body'>;

function endpoint<const M extends Method, const D extends Details>(
	name: string,
	method: M,
	path: string,
	noun: string,
	rest: D & Replay<M>,
): Rest & Typed<D> {
	const row: Endpoint = {
		name,
		method,
		path,
		noun,
		parameters: [],
		query: [],
		fields: [],
		required: [],
		body: (rest.fields ?? []).length > 0 ? 'fields' : 'none',
		replay: method === 'GET' ? 'read' : 'delete',
		answer: 'object',
		trash: false,
		confirm: method === 'DELETE',
		verb: method === 'DELETE' ? 'delete' : method === 'GET' ? 'read' : 'update',
		documented: true,
		...rest,
	};
	return row as Rest & Typed<D>;
}

const ticketOfReplies = ownerId('ticket_id', 'The ticket of the replies');

export const endpoints = {
	'ticket.update': endpoint('ticket.update', 'POST', '/tickets/<id>', 'ticket', {
		readWith: 'ticket.get',
		parameters: [id('Ticket')],
		fields: ticketFields,
		replay: 'set',
	}),
	'ticket.fields.set': endpoint('ticket.fields.set', 'POST', '/tickets/<ticket_id>/custom-fields', 'ticket', {
		readWith: 'ticket.fields.get',
		verb: 'set custom fields of',
		parameters: [ownerId('ticket_id', 'Ticket ids')],
		body: 'custom_fields',
		replay: 'set',
		answer: 'fields-set',
	}),
	'ticket.fields.get': endpoint('ticket.fields.get', 'GET', '/tickets/<id>/custom-fields', 'ticket', {
		parameters: [id('Ticket')],
		answer: 'fields',
	}),
	'user.check': endpoint('user.check', 'POST', '/users/check', 'user', {
		fields: credentialFields,
		required: ['username', 'password'],
		replay: 'once',
		answer: 'check',
	}),
	'user.id': endpoint('user.id', 'POST', '/users/username', 'user', {
		verb: 'look up',
		fields: [usernameField],
		required: ['username'],
		replay: 'read',
		answer: 'user-id',
		// All look-ups have one path.
		changes: 'username',
	}),
	'user.update': endpoint('user.update', 'POST', '/users/<id>', 'user', {
		readWith: 'user.get',
		parameters: [id('User')],
		fields: userFields,
		replay: 'set',
	}),
	'attachment.update': endpoint('attachment.update', 'POST', '/attachments/<id>', 'attachment', {
		readWith: 'attachment.get',
		parameters: [id('Attachment')],
		fields: attachmentFields,
		replay: 'set',
	}),
	'reply.update': endpoint('reply.update', 'POST', '/tickets/<ticket_id>/replies/<id>', 'reply', {
		readWith: 'reply.get',
		parameters: [ticketOfReplies, id('Reply')],
		fields: replyFields,
		replay: 'set',
		// Services find a reply by its own id, whichever ticket the path names.
		changes: 'id',
		parent: 'ticket_id',
	}),
	'term.update.ticket_priority': endpoint(
		'term.update.ticket_priority',
		'POST',
		'/ticket_priority/<id>',
		'ticket_priority term',
		{ parameters: [id('Term')], fields: termFields, replay: 'set', readWith: 'term.get' },
	),
	'ticket.delete': endpoint('ticket.delete', 'DELETE', '/tickets/<id>', 'ticket', {
		readWith: 'ticket.get',
		parameters: [id('Ticket')],
		query: [bypassTrash],
		trash: true,
	}),
	'reply.delete': endpoint('reply.delete', 'DELETE', '/tickets/<ticket_id>/replies/<id>', 'reply', {
		readWith: 'reply.get',
		parameters: [ticketOfReplies, id('Reply')],
		query: [bypassTrash],
		trash: true,
		changes: 'id',
		parent: 'ticket_id',
	}),
	'term.delete.product': endpoint('term.delete.product', 'DELETE', '/product/<id>', 'product term', {
		readWith: 'term.get',
		parameters: [id('Term')],
		query: [
			{
				name: 'force',
				kind: 'flag',
				presence: 'must',
				help: 'Delete permanently',
				reason: "terms can't be trashed",
			},
		],
	}),
	'user.delete': endpoint('user.delete', 'DELETE', '/users/<id>', 'user', {
		readWith: 'user.get',
		parameters: [id('User')],
		query: [
			{
				name: 'force',
				kind: 'flag',
				presence: 'always',
				help: 'Sent with every request',
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
	}),
	'user.password.delete': endpoint(
		'user.password.delete',
		'DELETE',
		'/users/<user_id>/passwords/<slug>',
		'application password',
		{
			parameters: [
				ownerId('user_id', 'The user whose passwords they are'),
				{ name: 'slug', kind: 'slug', help: 'Slugs of the passwords' },
			],
			// A user's passwords are one stored value: of two deletes at a time, one can undo the other.
			changes: 'user_id',
		},
	),
	'term.delete.ticket_priority': endpoint(
		'term.delete.ticket_priority',
		'DELETE',
		'/ticket_priority/<id>',
		'ticket_priority term',
		{
			readWith: 'term.get',
			parameters: [id('Term')],
			query: [{ ...bypassTrash, help: 'Sent only if given: the API does not document what it means here' }],
		},
	),
} as const satisfies Record<string, Endpoint>;

export type EndpointName = keyof typeof endpoints;

export const endpointList: readonly Endpoint[] = Object.values(endpoints);

/** The documented taxonomies of a term operation: those with a row in section 4. */
export function termTaxonomies(operation: 'update' | 'delete'): string[] {
	const prefix = `term.${operation}.`;
	return endpointList.filter((each) => each.name.startsWith(prefix)).map((each) => each.name.slice(prefix.length));
}

/** The endpoint for a taxonomy: the documented row, or one made up in its shape for `--undocumented`. */
export function termEndpoint(operation: 'update' | 'delete', taxonomy: string): Endpoint {
	const documented = endpointList.find((each) => each.name === `term.${operation}.${taxonomy}`);
	if (documented !== undefined) return documented;
	const model = endpoints[operation === 'update' ? 'term.update.ticket_priority' : 'term.delete.ticket_priority'];
	return {
		...model,
		name: `term.${operation}.${taxonomy}`,
		path: `/${taxonomy}/<id>`,
		noun: `${taxonomy} term`,
	};
}

/** The documented endpoints as data (interface section 4); everything else derives from it. */

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
import { type Named, named } from './references.js';

export type Method = 'GET' | 'POST' | 'DELETE';

interface ReplayFacts {
	/** Gives an object values; a second time does no harm. */
	readonly updates: boolean;
	/** Once it was sent, 404 and 410 are success. */
	readonly deletes: boolean;
	/** Changes nothing. */
	readonly reads: boolean;
	/** Whether it may be sent again if no response came. */
	readonly repeats: boolean;
	/** What became of an object, for a report. */
	readonly done: string;
}

/** How requests may be repeated, and what they do to an object. A member that lacks a column does not compile. */
const replayRows = {
	set: { updates: true, deletes: false, reads: false, repeats: true, done: 'updated' },
	delete: { updates: false, deletes: true, reads: false, repeats: true, done: 'deleted' },
	read: { updates: false, deletes: false, reads: true, repeats: true, done: 'looked up' },
	/** Nobody knows what a second time would do. */
	once: { updates: false, deletes: false, reads: false, repeats: false, done: 'checked' },
} as const satisfies Record<string, ReplayFacts>;

export type ReplayRule = keyof typeof replayRows;

export const replayRules: Readonly<Record<ReplayRule, ReplayFacts>> = replayRows;

interface ReturnFacts {
	/** Whether names are the deployment's own, so that none is translated. */
	readonly keepsNames: boolean;
	/** Whether it is one object, which may be a different one than the request was about. */
	readonly isOne: boolean;
	/** Whether it says which object it is about. */
	readonly namesObject: boolean;
	/** Whether the headers say more of it: how many objects there are. */
	readonly needsHeaders: boolean;
	/** Whether it can be told from something that is no response to the request. */
	readonly isKnown: boolean;
	/** The status of a success that may have no body. After a write, 204 may have none either. */
	readonly emptyWith: number | undefined;
	/** Whether a success may be anything but JSON. */
	readonly mayBeText: boolean;
	/** Whether a 400 can say that a password is wrong, which is a result and no error. */
	readonly tellsPasswords: boolean;
}

/** What a success shows. A member that lacks a column does not compile. */
const returnRows = {
	object: {
		keepsNames: false,
		isOne: true,
		namesObject: true,
		needsHeaders: false,
		isKnown: true,
		emptyWith: undefined,
		mayBeText: false,
		tellsPasswords: false,
	},
	list: {
		keepsNames: false,
		isOne: false,
		namesObject: true,
		needsHeaders: true,
		isKnown: true,
		emptyWith: undefined,
		mayBeText: false,
		tellsPasswords: false,
	},
	fields: {
		keepsNames: true,
		isOne: false,
		namesObject: false,
		needsHeaders: false,
		isKnown: true,
		emptyWith: undefined,
		mayBeText: false,
		tellsPasswords: false,
	},
	'fields-set': {
		keepsNames: true,
		isOne: true,
		namesObject: false,
		needsHeaders: false,
		isKnown: true,
		emptyWith: 200,
		mayBeText: false,
		tellsPasswords: false,
	},
	'user-id': {
		keepsNames: false,
		isOne: true,
		namesObject: false,
		needsHeaders: false,
		isKnown: true,
		emptyWith: undefined,
		mayBeText: false,
		tellsPasswords: false,
	},
	check: {
		keepsNames: false,
		isOne: true,
		namesObject: false,
		needsHeaders: false,
		isKnown: true,
		emptyWith: undefined,
		mayBeText: false,
		tellsPasswords: true,
	},
	/** Of requests that are not in the table. */
	any: {
		keepsNames: false,
		isOne: false,
		namesObject: true,
		needsHeaders: false,
		isKnown: false,
		emptyWith: 204,
		mayBeText: true,
		tellsPasswords: false,
	},
} as const satisfies Record<string, ReturnFacts>;

export type ReturnKind = keyof typeof returnRows;

export const returnKinds: Readonly<Record<ReturnKind, ReturnFacts>> = returnRows;

interface BodyFacts {
	/** Whether requests have one. */
	readonly isSent: boolean;
	/** The key that holds the fields. Without one, they are the body itself. */
	readonly under: string | undefined;
	/** Whether names are the deployment's own: any may be sent, none is translated, and services ignore unknown ones. */
	readonly takesAnyName: boolean;
	/** Whether all values are texts of one line, from which services drop backslashes. */
	readonly areTexts: boolean;
	/** Whether a read lists all fields, each as `{name, value, markup}`: a name that is not there does not exist. */
	readonly areListed: boolean;
	/** How a command line gives a value. */
	readonly givenBy: string;
}

/** What requests carry. A member that lacks a column does not compile. */
const bodyRows = {
	none: {
		isSent: false,
		under: undefined,
		takesAnyName: false,
		areTexts: false,
		areListed: false,
		givenBy: 'an ID',
	},
	fields: {
		isSent: true,
		under: undefined,
		takesAnyName: false,
		areTexts: false,
		areListed: false,
		givenBy: 'a flag for a field, or --data',
	},
	custom_fields: {
		isSent: true,
		under: 'custom_fields',
		takesAnyName: true,
		areTexts: true,
		areListed: true,
		givenBy: '--set name=value',
	},
} as const satisfies Record<string, BodyFacts>;

export type BodyKind = keyof typeof bodyRows;

export const bodyKinds: Readonly<Record<BodyKind, BodyFacts>> = bodyRows;

/** A placeholder in a path. */
export interface PathParameter {
	readonly name: string;
	readonly kind: 'id' | 'slug' | 'taxonomy';
	readonly help: string;
	readonly choices?: readonly string[];
	/** Whose names can stand for the ID. */
	readonly names?: Named;
}

/** A parameter in the query string. */
export interface QueryParameter {
	readonly name: 'force' | 'reassign';
	/** `always` is sent; `must` has to be given; `optional` may be. */
	readonly presence: 'always' | 'must' | 'optional';
	/** Taxonomies for which it must be given. */
	readonly mustFor?: readonly string[];
	readonly help: string;
	/** Why it must be given, for the error. */
	readonly reason?: string;
}

export interface Endpoint extends Pick<ReplayFacts, 'updates' | 'deletes' | 'reads'> {
	readonly name: string;
	readonly method: Method;
	/** Below `/support-api/v1`. */
	readonly path: string;
	readonly parameters: readonly PathParameter[];
	readonly query: readonly QueryParameter[];
	/** Of the JSON body. */
	readonly fields: readonly Field[];
	readonly body: BodyKind;
	readonly replay: ReplayRule;
	readonly returns: ReturnKind;
	/** Whether deletes without `force` go to the trash. */
	readonly trash: boolean;
	/** The endpoint that puts back what this one wrote, or takes the object out of the trash. */
	readonly restoredBy?: string;
	/** The field in the place of an ID; the response has the ID. */
	readonly looksUp?: 'username';
	/** The parameter by which rows of one object are ordered and sharded, if not the whole path. */
	readonly changes?: string;
	/** The parameter that responses show as `parent`. */
	readonly parent?: string;
	/** Shown by services, and cleared by updates without it. */
	readonly cleared?: readonly string[];
	/** Objects that name a deleted one in these fields: tickets stay with it, child terms move up. */
	readonly leaves?: { readonly read: 'ticket' | 'term'; readonly fields: readonly [string, ...string[]] };
	/** Other taxonomies need --undocumented. */
	readonly taxonomies?: readonly string[];
	readonly noun: string;
	/** `update`, `set custom fields of` */
	readonly verb: string;
	/** The read that shows the object (reads.ts). Only the one of custom fields is documented. */
	readonly readWith?: 'ticket' | 'fields' | 'reply' | 'user' | 'attachment' | 'term';
	/** In every request. */
	readonly constantQuery?: string;
	/** Whether the interface has it; live services offer more. */
	readonly documented: boolean;
}

/** A POST says whether it may be sent again. */
type Row = Partial<Omit<Endpoint, 'name' | 'method' | 'parameters' | 'updates' | 'deletes' | 'reads'>> &
	Pick<Endpoint, 'path' | 'noun'> &
	({ readonly method: 'GET' | 'DELETE' } | { readonly method: 'POST'; readonly replay: ReplayRule });

type Placeholder = Omit<PathParameter, 'name'>;

const placeholders: Readonly<Record<string, Placeholder>> = {
	'': { kind: 'taxonomy', help: 'The taxonomy' },
	'<taxonomy>': { kind: 'id', help: 'Terms: IDs, slugs or names', names: 'terms' },
	ticket: { kind: 'id', help: 'Ticket ID' },
	tickets: { kind: 'id', help: 'Ticket IDs' },
	replies: { kind: 'id', help: 'Reply IDs' },
	attachments: { kind: 'id', help: 'Attachment IDs' },
	users: { kind: 'id', help: 'Users: IDs or usernames', names: 'users' },
	passwords: { kind: 'slug', help: 'Password slugs or names', names: 'passwords' },
};

const bypassTrash: QueryParameter = {
	name: 'force',
	presence: 'optional',
	help: 'Delete permanently, bypassing the trash',
};

/** What a row leaves out is as for most endpoints of its method. */
export function endpoint(name: string, row: Row): Endpoint {
	const isOfTicket = row.path.includes('/replies');
	const segments = row.path.split('/');
	const parameters = segments.flatMap((segment, at) => {
		if (!segment.startsWith('<')) return [];
		const word = segments[at - 1] ?? '';
		const placeholder = placeholders[isOfTicket && word === 'tickets' ? 'ticket' : word];
		if (placeholder === undefined) throw new Error(`${name}: api/endpoints.ts has no placeholder for "${word}"`);
		const choices = placeholder.kind === 'taxonomy' ? row.taxonomies : undefined;
		return [{ name: segment.slice(1, -1), ...placeholder, ...(choices && { choices }) }];
	});
	const { replay = row.method === 'GET' ? 'read' : 'delete' } = row;
	const { updates, deletes, reads } = replayRules[replay];
	return {
		name,
		parameters,
		query: [],
		fields: [],
		body: row.fields === undefined ? 'none' : 'fields',
		replay,
		updates,
		deletes,
		reads,
		...(updates && { restoredBy: name }),
		returns: 'object',
		trash: row.query?.includes(bypassTrash) === true,
		verb: { GET: 'read', POST: 'update', DELETE: 'delete' }[row.method],
		documented: true,
		...(isOfTicket && { parent: 'ticket_id' }),
		...row,
	};
}

const rows = {
	'ticket.update': {
		method: 'POST',
		path: '/tickets/<id>',
		noun: 'ticket',
		fields: ticketFields,
		replay: 'set',
		readWith: 'ticket',
	},
	'ticket.fields.set': {
		method: 'POST',
		path: '/tickets/<ticket_id>/custom-fields',
		noun: 'ticket',
		verb: 'set custom fields of',
		body: 'custom_fields',
		replay: 'set',
		returns: 'fields-set',
		readWith: 'fields',
	},
	'ticket.fields.get': { method: 'GET', path: '/tickets/<id>/custom-fields', noun: 'ticket', returns: 'fields' },
	'user.check': {
		method: 'POST',
		path: '/users/check',
		noun: 'user',
		fields: credentialFields,
		replay: 'once',
		returns: 'check',
	},
	'user.id': {
		method: 'POST',
		path: '/users/username',
		noun: 'user',
		verb: 'look up',
		fields: [usernameField],
		replay: 'read',
		returns: 'user-id',
		looksUp: 'username',
		// All lookups have one path.
		changes: 'username',
	},
	'user.update': {
		method: 'POST',
		path: '/users/<id>',
		noun: 'user',
		fields: userFields,
		replay: 'set',
		readWith: 'user',
	},
	'attachment.update': {
		method: 'POST',
		path: '/attachments/<id>',
		noun: 'attachment',
		fields: attachmentFields,
		replay: 'set',
		readWith: 'attachment',
	},
	'reply.update': {
		method: 'POST',
		path: '/tickets/<ticket_id>/replies/<id>',
		noun: 'reply',
		fields: replyFields,
		replay: 'set',
		// Services find a reply by its ID, whatever ticket the path names.
		changes: 'id',
		readWith: 'reply',
	},
	'term.update': {
		method: 'POST',
		path: '/<taxonomy>/<id>',
		taxonomies: ['ticket_priority'],
		noun: 'term',
		fields: termFields,
		replay: 'set',
		readWith: 'term',
		cleared: ['color'],
	},
	'ticket.delete': {
		method: 'DELETE',
		path: '/tickets/<id>',
		noun: 'ticket',
		query: [bypassTrash],
		// A status takes it out of the trash.
		restoredBy: 'ticket.update',
		readWith: 'ticket',
	},
	'reply.delete': {
		method: 'DELETE',
		path: '/tickets/<ticket_id>/replies/<id>',
		noun: 'reply',
		query: [bypassTrash],
		restoredBy: 'reply.update',
		changes: 'id',
		readWith: 'reply',
	},
	'term.delete': {
		method: 'DELETE',
		path: '/<taxonomy>/<id>',
		taxonomies: ['product', 'ticket_priority'],
		noun: 'term',
		query: [{ ...bypassTrash, help: 'Delete permanently', mustFor: ['product'], reason: "terms can't be trashed" }],
		readWith: 'term',
		leaves: { read: 'term', fields: ['parent'] },
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
				presence: 'must',
				help: "The user who receives the deleted users' posts and links",
				reason: "who gets the deleted user's posts and links?",
			},
		],
		readWith: 'user',
		leaves: { read: 'ticket', fields: ['assignee', 'secondary-assignee', 'tertiary-assignee'] },
	},
	'user.password.delete': {
		method: 'DELETE',
		path: '/users/<user_id>/passwords/<slug>',
		noun: 'application password',
		// Of two deletes at a time, one can undo the other.
		changes: 'user_id',
	},
} satisfies Record<string, Row>;

export type EndpointName = keyof typeof rows;

export const endpoints = Object.fromEntries(
	Object.entries(rows).map(([name, row]) => [name, endpoint(name, row)]),
) as Readonly<Record<EndpointName, Endpoint>>;

export const endpointList: readonly Endpoint[] = Object.values(endpoints);

export function isEndpointName(name: string): name is EndpointName {
	return Object.hasOwn(endpoints, name);
}

/** The column, and the ID, that has a name beside this one. */
export function ownColumnOf({ names }: Pick<PathParameter, 'names'>): 'username' | undefined {
	return names && named[names].ownColumn;
}

/** Of the object itself. */
export function nameColumnOf({ parameters }: Endpoint): 'username' | undefined {
	return ownColumnOf(parameters.at(-1) ?? {});
}

/** No read shows one: its name stands in the list of its owner's. */
export function isOfPasswords({ parameters }: Endpoint): boolean {
	return parameters.at(-1)?.names === 'passwords';
}

export function mustBeGiven(
	{ presence, mustFor = [] }: QueryParameter,
	ids: Readonly<Record<string, string>>,
): boolean {
	return presence === 'must' || mustFor.includes(ids.taxonomy ?? '');
}

/** The object's own ID, then its owner's. */
export const idNames: readonly string[] = ['id', 'taxonomy', 'slug', 'ticket_id', 'user_id', 'username'];

/** A slug is a field of bodies too. */
export const numberedIdNames: ReadonlySet<string> = new Set(['id', 'ticket_id', 'user_id']);

export function ownId(row: Readonly<Record<string, unknown>>): unknown {
	const name = idNames.find((each) => each !== 'taxonomy' && Object.hasOwn(row, each));
	return name === undefined ? undefined : row[name];
}

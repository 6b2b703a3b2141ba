/** What each request does: one route for each row of the endpoint table and each read that the interface does not show. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Endpoint, type EndpointName, endpoints, termEndpoint } from '../api/endpoints.js';
import { taxonomies } from '../api/fields.js';
import { ownAccount, reads, termReads } from '../api/reads.js';
import { isObject } from '../api/values.js';
import { type Arguments, argumentsOf, oneOf, readArguments, text } from './arguments.js';
import { createAttachments, createCustomFields, createReplies, createTerms, createTickets } from './posts.js';
import type { Handler, Resource, Service } from './resources.js';
import { forbidden, noRoute, notSignedIn, ok, pages, type SandboxResponse, ServiceError } from './responses.js';
import { callerOf, createAccounts, createUsers } from './users.js';

/** Who besides administrators may send a request. */
const roles = {
	administrator: [],
	staff: ['supervisor', 'agent'],
	anyone: ['supervisor', 'agent', 'customer'],
} as const;

/** What handles a request, who may send it, and the code of the 403 for others. */
type Rule = readonly [handle: Handler, role: keyof typeof roles, code?: string];

interface Route {
	readonly method: string;
	/** The path as the service lists it: `/tickets/(?P<id>[\d]+)`. */
	readonly pattern: string;
	readonly path: RegExp;
	readonly takes: Arguments;
	readonly rule: Rule;
}

/** Every route. A row of the endpoint table without a rule does not compile. @param documentedOnly leaves out the reads */
function createRoutes(service: Service, documentedOnly: boolean): Route[] {
	const [tickets, replies, attachments] = [createTickets(service), createReplies(service), createAttachments(service)];
	const [users, accounts, customFields] = [createUsers(service), createAccounts(service), createCustomFields(service)];
	const found: Route[] = [];
	const add = (endpoint: Endpoint, rule: Rule, takes: Arguments = {}): void => {
		const pattern = endpoint.path.replace(/<([a-z_]+)>/g, (_, name) => {
			return `(?P<${name}>${name === 'slug' ? '[\\w-]+' : '[\\d]+'})`;
		});
		found.push({
			method: endpoint.method,
			pattern,
			path: new RegExp(`^${pattern.replaceAll('(?P<', '(?<')}/?$`),
			takes: { ...argumentsOf(endpoint, service.dialect), ...takes },
			rule,
		});
	};
	const addRead = (endpoint: Endpoint, rule: Rule, takes: Arguments = {}): void => {
		const shared = { context: { ...oneOf('view', 'embed', 'edit'), default: 'view' }, _fields: text };
		if (!documentedOnly) add(endpoint, rule, { ...shared, ...takes });
	};

	const documented: Record<Exclude<EndpointName, `term.${string}`>, Rule> = {
		'ticket.update': [tickets.update, 'staff', 'rest_cannot_edit'],
		'ticket.delete': [tickets.delete, 'staff', 'rest_cannot_delete'],
		'ticket.fields.get': [customFields.get, 'administrator', 'rest_cannot_create'],
		'ticket.fields.set': [customFields.set, 'administrator', 'rest_cannot_create'],
		'reply.update': [replies.update, 'staff', 'rest_cannot_edit'],
		'reply.delete': [replies.delete, 'staff', 'rest_cannot_delete'],
		'attachment.update': [attachments.update, 'staff', 'rest_cannot_edit'],
		'user.check': [accounts.check, 'anyone'],
		'user.id': [accounts.id, 'anyone'],
		'user.update': [users.update, 'administrator', 'rest_cannot_edit'],
		'user.delete': [users.delete, 'administrator', 'rest_user_cannot_delete'],
		'user.password.delete': [accounts.revoke, 'administrator', 'rest_cannot_list_application_passwords'],
	};
	for (const [name, rule] of Object.entries(documented)) add(endpoints[name as EndpointName], rule);
	addRead(ownAccount, [users.me, 'anyone']);
	const readable: readonly [noun: 'ticket' | 'reply' | 'attachment' | 'user', Resource, role: keyof typeof roles][] = [
		['ticket', tickets, 'staff'],
		['reply', replies, 'staff'],
		['attachment', attachments, 'staff'],
		['user', users, 'administrator'],
	];
	for (const [noun, resource, role] of readable) {
		addRead(reads[noun].list, [resource.list, role, 'rest_forbidden_context'], resource.takes);
		addRead(reads[noun].get, [resource.get, role]);
	}
	addRead(reads.password.list, [accounts.passwords, 'administrator', 'rest_cannot_list_application_passwords']);
	// The live service has a route for each taxonomy, also where the interface shows none.
	for (const taxonomy of taxonomies) {
		const terms = createTerms(service, taxonomy);
		const { list, get = list } = termReads(taxonomy);
		for (const operation of ['update', 'delete'] as const) {
			const endpoint = termEndpoint(operation, taxonomy);
			if (documentedOnly && !(endpoint.name in endpoints)) continue;
			add(endpoint, [terms[operation], 'administrator', `rest_cannot_${operation}`]);
		}
		addRead(list, [terms.list, 'anyone'], terms.takes);
		addRead(get, [terms.get, 'anyone']);
	}
	return found;
}

/** The list of routes, which is shown without credentials. */
function listRoutes(namespace: string, routes: readonly Route[]): unknown {
	const byPattern: Record<string, { namespace: string; methods: string[]; endpoints: unknown[] }> = {};
	for (const { method, pattern, takes } of routes) {
		const path = `/${namespace}${pattern}`;
		byPattern[path] ??= { namespace, methods: [], endpoints: [] };
		byPattern[path].methods.push(method);
		byPattern[path].endpoints.push({ methods: [method], args: takes });
	}
	return { namespace, routes: byPattern };
}

/** The arguments in a JSON body; bodies of other types and JSON that is no object have none. */
function parseBody(type: string | undefined, bytes: Buffer): Record<string, unknown> {
	if (bytes.length === 0 || (type !== undefined && !type.includes('json'))) return {};
	try {
		if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
		const value: unknown = JSON.parse(bytes.toString('utf8'));
		return isObject(value) ? value : {};
	} catch {
		throw new ServiceError(400, 'rest_invalid_json', 'Invalid JSON body passed.', { json_error_code: 4 });
	}
}

const HOST = /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/;

/** How the caller wrote the sandbox's address, so that links stay there. */
function originOf(request: IncomingMessage): string {
	const host = request.headers.host ?? '';
	return `http://${HOST.test(host) ? host : `127.0.0.1:${request.socket.localPort ?? 0}`}`;
}

/** PHP changes `.` and spaces in a parameter's name to `_`, and cuts it at a null character. */
function phpName(name: string): string {
	return (name.split('\0')[0] as string).trimStart().replace(/[ .]/g, '_');
}

function takeFields(value: unknown, names: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((each) => takeFields(each, names));
	return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) : value;
}

const BASE = '/wp-json';

/**
 * Makes the function that responds to a request.
 * @returns its parameter `half`: whether only the first half of the fields is taken, as where an update fails halfway
 */
export function createHandler(service: Service, documentedOnly: boolean) {
	const routes = createRoutes(service, documentedOnly);
	const { store, dialect } = service;
	const root = `/${dialect.root}/v1`;

	/** The response to a path below the interface's root. @param address what links begin with, up to that root */
	async function serve(
		request: IncomingMessage,
		bytes: Buffer,
		path: string,
		query: URLSearchParams,
		address: string,
		half: boolean,
	): Promise<SandboxResponse> {
		const { authorization, 'content-type': type } = request.headers;
		const caller = authorization === undefined ? undefined : callerOf(store, authorization);
		const override = [...query].find(([name]) => phpName(name) === '_method')?.[1].toUpperCase();
		const method = override ?? request.method;
		if (method === 'GET' && /^\/?$/.test(path)) return ok(listRoutes(root.slice(1), routes));
		const found = routes.find((each) => each.method === method && each.path.test(path));
		if (found === undefined) throw noRoute();
		const body = Object.entries(parseBody(type, bytes));
		const sent = Object.fromEntries(half ? body.slice(0, Math.ceil(body.length / 2)) : body);
		const sources = [{ ...found.path.exec(path)?.groups }, Object.fromEntries(query), sent];
		const values = readArguments(found.takes, sources, dialect);
		const [handle, role, code = 'rest_forbidden'] = found.rule;
		if (caller === undefined) throw notSignedIn();
		const allowed: readonly string[] = ['administrator', ...roles[role]];
		if (!caller.roles.some((each) => allowed.includes(each))) throw forbidden(code);
		const response = await handle({
			caller,
			path: path.replace(/\/$/, ''),
			values,
			query,
			edit: method !== 'GET' || values.context === 'edit',
			origin: originOf(request),
			url: (of) => address + of,
		});
		if (typeof values._fields !== 'string') return response;
		const names = values._fields.split(',').map((each) => each.trim().split('.')[0] as string);
		return { ...response, body: takeFields(response.body, names) };
	}

	return async (request: IncomingMessage, bytes: Buffer, half: boolean): Promise<SandboxResponse> => {
		const [path = '/', search = ''] = (request.url ?? '/').split(/\?(.*)/s);
		const query = new URLSearchParams(search);
		const named = path === '/' ? query.get('rest_route') : null;
		const below = named ?? (path === BASE || path.startsWith(`${BASE}/`) ? path.slice(BASE.length) : undefined);
		if (below === undefined) return path === '/' ? pages.home : pages.notFound;
		if (below === '' || below === '/') return ok({ name: 'Example Help Desk', namespaces: [root.slice(1)] });
		query.delete('rest_route');
		const address = originOf(request) + (named === null ? BASE : '/?rest_route=') + root;
		try {
			if (below !== root && !below.startsWith(`${root}/`)) throw noRoute();
			return await serve(request, bytes, below.slice(root.length), query, address, half);
		} catch (error) {
			if (error instanceof ServiceError) return error.response;
			return new ServiceError(500, 'internal_server_error', `The sandbox failed: ${String(error)}`).response;
		}
	};
}

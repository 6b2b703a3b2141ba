/** One route for each row of the endpoint table and each read. */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Endpoint, type EndpointName, endpoints, termEndpoint } from '../api/endpoints.js';
import { taxonomies } from '../api/fields.js';
import { ownAccount, reads, termReads } from '../api/reads.js';
import { isObject } from '../api/values.js';
import { type Arguments, argumentsOf, oneOf, readArguments, text } from './arguments.js';
import { createAttachments, createCustomFields, createReplies, createTerms, createTickets } from './posts.js';
import type { Handler, Service } from './resources.js';
import { noRoute, notSignedIn, ok, pages, type SandboxResponse, ServiceError } from './responses.js';
import { callerOf, createAccounts, createUsers } from './users.js';

interface Route {
	readonly method: string;
	readonly pattern: string;
	readonly path: RegExp;
	readonly takes: Arguments;
	readonly handle: Handler;
}

/** An endpoint without a handler does not compile. */
function createRoutes(service: Service, documentedOnly: boolean): Route[] {
	const [tickets, replies, attachments] = [createTickets(service), createReplies(service), createAttachments(service)];
	const [users, accounts, customFields] = [createUsers(service), createAccounts(service), createCustomFields(service)];
	const found: Route[] = [];
	const add = (endpoint: Endpoint, handle: Handler, takes: Arguments = {}): void => {
		const pattern = endpoint.path.replace(/<([a-z_]+)>/g, (_, name) => {
			return `(?P<${name}>${name === 'slug' ? '[\\w-]+' : '[\\d]+'})`;
		});
		found.push({
			method: endpoint.method,
			pattern,
			path: new RegExp(`^${pattern.replaceAll('(?P<', '(?<')}/?$`),
			takes: { ...argumentsOf(endpoint, service.dialect), ...takes },
			handle,
		});
	};
	const addRead = (endpoint: Endpoint, handle: Handler, takes: Arguments = {}): void => {
		const shared = { context: { ...oneOf('view', 'embed', 'edit'), default: 'view' }, _fields: text };
		if (!documentedOnly) add(endpoint, handle, { ...shared, ...takes });
	};

	const documented: Record<Exclude<EndpointName, `term.${string}`>, Handler> = {
		'ticket.update': tickets.update,
		'ticket.delete': tickets.delete,
		'ticket.fields.get': customFields.get,
		'ticket.fields.set': customFields.set,
		'reply.update': replies.update,
		'reply.delete': replies.delete,
		'attachment.update': attachments.update,
		'user.check': accounts.check,
		'user.id': accounts.id,
		'user.update': users.update,
		'user.delete': users.delete,
		'user.password.delete': accounts.revoke,
	};
	for (const [name, handle] of Object.entries(documented)) add(endpoints[name as EndpointName], handle);
	addRead(ownAccount, users.me);
	const readable = { ticket: tickets, reply: replies, attachment: attachments, user: users };
	for (const [noun, resource] of Object.entries(readable)) {
		const { list, get } = reads[noun as keyof typeof readable];
		addRead(list, resource.list, resource.takes);
		addRead(get, resource.get);
	}
	addRead(reads.password.list, accounts.passwords);
	// The live service has a route for each taxonomy, also where the interface shows none.
	for (const taxonomy of taxonomies) {
		const terms = createTerms(service, taxonomy);
		const { list, get = list } = termReads(taxonomy);
		for (const operation of ['update', 'delete'] as const) {
			const endpoint = termEndpoint(operation, taxonomy);
			if (documentedOnly && !(endpoint.name in endpoints)) continue;
			add(endpoint, terms[operation]);
		}
		addRead(list, terms.list, terms.takes);
		addRead(get, terms.get);
	}
	return found;
}

function listRoutes(namespace: string, routes: readonly Route[]): unknown {
	const byPath: Record<string, { methods: string[] }> = {};
	for (const { method, pattern } of routes) {
		const path = `/${namespace}${pattern}`;
		byPath[path] ??= { methods: [] };
		byPath[path].methods.push(method);
	}
	return { namespace, routes: byPath };
}

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

function takeFields(value: unknown, names: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((each) => takeFields(each, names));
	return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name))) : value;
}

const BASE = '/wp-json';

/** `half`: take only the first half of the fields, as if an update fails halfway. */
export function createHandler(service: Service, documentedOnly: boolean) {
	const routes = createRoutes(service, documentedOnly);
	const { store, dialect } = service;
	const root = `/${dialect.root}/v1`;

	async function serve(
		request: IncomingMessage,
		bytes: Buffer,
		path: string,
		query: URLSearchParams,
		origin: string,
		address: string,
		half: boolean,
	): Promise<SandboxResponse> {
		const { authorization, 'content-type': type } = request.headers;
		const caller = authorization === undefined ? undefined : callerOf(store, authorization);
		const { method } = request;
		if (method === 'GET' && /^\/?$/.test(path)) return ok(listRoutes(root.slice(1), routes));
		const found = routes.find((each) => each.method === method && each.path.test(path));
		if (found === undefined) throw noRoute();
		const body = Object.entries(parseBody(type, bytes));
		const sent = Object.fromEntries(half ? body.slice(0, Math.ceil(body.length / 2)) : body);
		const sources = [{ ...found.path.exec(path)?.groups }, Object.fromEntries(query), sent];
		const values = readArguments(found.takes, sources, dialect);
		if (caller === undefined) throw notSignedIn();
		const response = await found.handle({
			caller,
			path: path.replace(/\/$/, ''),
			values,
			query,
			edit: method !== 'GET' || values.context === 'edit',
			origin,
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
		const origin = `http://127.0.0.1:${request.socket.localPort}`;
		const address = origin + (named === null ? BASE : '/?rest_route=') + root;
		try {
			if (below !== root && !below.startsWith(`${root}/`)) throw noRoute();
			return await serve(request, bytes, below.slice(root.length), query, origin, address, half);
		} catch (error) {
			if (error instanceof ServiceError) return error.response;
			return new ServiceError(500, 'internal_server_error', `The sandbox failed: ${String(error)}`).response;
		}
	};
}

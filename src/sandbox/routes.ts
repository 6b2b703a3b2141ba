/** One route for each row of the endpoint table and each read. */

import type { IncomingMessage } from 'node:http';
import { type Endpoint, type EndpointName, endpoints } from '../api/endpoints.js';
import { taxonomies } from '../api/fields.js';
import { type EditNoun, ownAccount, reads } from '../api/reads.js';
import { isObject } from '../api/values.js';
import { type Arguments, argumentsOf, readArguments } from './arguments.js';
import { createAttachments, createCustomFields, createReplies, createTerms, createTickets } from './posts.js';
import type { Handler, Resource, Service } from './resources.js';
import { noRoute, ok, page, problem, type SandboxResponse, ServiceError } from './responses.js';
import { callerOf, createAccounts, createUsers } from './users.js';

interface Route {
	readonly method: string;
	readonly pattern: RegExp;
	readonly takes: Arguments;
	/** Fields that are not documented. */
	readonly extra: readonly string[];
	readonly handle: Handler;
}

/** An endpoint without a handler does not compile. */
function createRoutes(service: Service, documentedOnly: boolean): Route[] {
	const tickets = createTickets(service);
	const replies = createReplies(service);
	const attachments = createAttachments(service);
	const users = createUsers(service);
	const accounts = createAccounts(service);
	const customFields = createCustomFields(service);
	const routes: Route[] = [];

	function add(endpoint: Endpoint, handle: Handler, takes: Arguments = {}): void {
		const { method, path, cleared: extra = [] } = endpoint;
		if (documentedOnly && !endpoint.documented) return;
		const pattern = path.replace(/<([a-z_]+)>/g, (_, name) => `(?<${name}>${name === 'slug' ? '[\\w-]+' : '\\d+'})`);
		const all = { ...argumentsOf(endpoint, service.dialect), ...takes };
		routes.push({ method, pattern: new RegExp(`^${pattern}/?$`), takes: all, extra, handle });
	}

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
	add(ownAccount, users.me);
	const readable: Record<Exclude<EditNoun, 'term'>, Resource> = {
		ticket: tickets,
		reply: replies,
		attachment: attachments,
		user: users,
	};
	for (const [noun, resource] of Object.entries(readable)) {
		const { list, get } = reads[noun as keyof typeof readable];
		add(list, resource.list, resource.takes);
		add(get, resource.get);
	}
	add(reads.password.list, accounts.passwords);
	// The live service has a route for each taxonomy, also where the interface shows none.
	for (const taxonomy of taxonomies) {
		const terms = createTerms(service, taxonomy);
		const own = (endpoint: Endpoint): Endpoint => ({
			...endpoint,
			path: endpoint.path.replace('<taxonomy>', taxonomy),
			documented: endpoint.documented && endpoint.taxonomies?.includes(taxonomy) === true,
		});
		add(own(endpoints['term.update']), terms.update);
		add(own(endpoints['term.delete']), terms.delete);
		add(own(reads.term.list), terms.list, terms.takes);
		add(own(reads.term.get), terms.get);
	}
	return routes;
}

function parseBody(text: string): Record<string, unknown> {
	if (text === '') return {};
	try {
		const value: unknown = JSON.parse(text);
		return isObject(value) ? value : {};
	} catch {
		throw new ServiceError(400, 'rest_invalid_json', 'Invalid JSON body passed.', { json_error_code: 4 });
	}
}

const BASE = '/wp-json';

export interface HandlerOptions {
	readonly documentedOnly: boolean;
	readonly isStrict: boolean;
}

export function createHandler(service: Service, { documentedOnly, isStrict }: HandlerOptions) {
	const routes = createRoutes(service, documentedOnly);
	const { store, dialect } = service;
	const namespace = `${dialect.root}/v1`;

	function serve({ method, headers }: IncomingMessage, path: string, query: object, sent: object): SandboxResponse {
		const route = routes.find((each) => each.method === method && each.pattern.test(path));
		if (route === undefined) {
			if (!isStrict) throw noRoute;
			const isPath = routes.some((each) => each.pattern.test(path));
			if (isPath) return problem(405, 'Method Not Allowed', `${method} ${path} is not described`);
			return problem(404, 'Not Found', `${path} is not described`);
		}
		const isUnknown = (name: string): boolean => !Object.hasOwn(route.takes, name) || route.extra.includes(name);
		const unknown = Object.keys({ ...query, ...sent }).find(isUnknown);
		if (isStrict && unknown !== undefined) {
			return problem(400, 'Bad Request', `additional property not allowed: ${unknown}`);
		}
		const sources = [{ ...route.pattern.exec(path)?.groups }, { ...query }, { ...sent }];
		const values = readArguments(route.takes, sources, dialect);
		return route.handle({ caller: callerOf(store, headers.authorization), values });
	}

	/** @param half takes only the first half of the fields, as if an update fails halfway */
	return (request: IncomingMessage, body: string, half: boolean): SandboxResponse => {
		const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://127.0.0.1');
		const path = query.get('rest_route') ?? pathname.slice(BASE.length);
		if (!query.has('rest_route') && !`${pathname}/`.startsWith(`${BASE}/`)) return page(404, 'Page not found');
		query.delete('rest_route');
		try {
			if (isStrict && path.length < 2) return problem(404, 'Not Found', `${path} is not described`);
			if (path.length < 2) return ok({ name: 'Example Help Desk', namespaces: [namespace] });
			const below = path.slice(namespace.length + 1);
			if (path !== `/${namespace}${below}`) throw noRoute;
			if (!isStrict && request.method === 'GET' && below.length < 2) return ok({ namespace });
			const fields = Object.entries(parseBody(body));
			const sent = Object.fromEntries(half ? fields.slice(0, Math.ceil(fields.length / 2)) : fields);
			return serve(request, below, Object.fromEntries(query), sent);
		} catch (error) {
			if (error instanceof ServiceError) return error.response;
			throw error;
		}
	};
}

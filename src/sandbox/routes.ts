/** The routes: one for each row of the endpoint table, and the reads that the interface does not show. */

import { type EndpointName, endpoints, type Method, termEndpoint } from '../api/endpoints.js';
import { taxonomies } from '../api/fields.js';
import { type Argument, type Arguments, argumentsOf, integer, oneOf, text } from './arguments.js';
import type { Handler, Service } from './call.js';
import { createAttachments, createCustomFields, createReplies, createTickets } from './resources/posts.js';
import { createTerms } from './resources/terms.js';
import { createUsers } from './resources/users.js';
import { ok } from './responses.js';

export interface Route {
	readonly method: Method;
	/** The path as the service lists it: `/tickets/(?P<id>[\d]+)`. */
	readonly pattern: string;
	readonly path: RegExp;
	readonly takes: Arguments;
	readonly handle: Handler;
}

type TermEndpoint = Extract<EndpointName, `term.${string}`>;

/** @param path with placeholders as the interface writes them */
function route(method: Method, path: string, takes: Arguments, handle: Handler): Route {
	const pattern = path.replace(/<([a-z_]+)>/g, (_, name) => `(?P<${name}>${name === 'slug' ? '[\\w-]+' : '[\\d]+'})`);
	return { method, pattern, path: new RegExp(`^${pattern.replaceAll('(?P<', '(?<')}/?$`), takes, handle };
}

/** An undocumented read: its ids are in the path, and it shows raw values under `context=edit`. */
function read(path: string, handle: Handler, takes: Arguments = {}): Route {
	const ids: [string, Argument][] = [...path.matchAll(/<([a-z_]+)>/g)].map(([, name = '']) => [
		name,
		name === 'slug' ? text : integer,
	]);
	const context: Argument = { ...oneOf('view', 'embed', 'edit'), default: 'view' };
	return route('GET', path, { ...Object.fromEntries(ids), context, _fields: text, ...takes }, handle);
}

/** Every route. A row of the endpoint table without a handler does not compile. @param documentedOnly leaves out the reads */
export function createRoutes(service: Service, documentedOnly: boolean): Route[] {
	const { dialect } = service;
	const customFields = createCustomFields(service);
	const tickets = createTickets(service);
	const replies = createReplies(service);
	const attachments = createAttachments(service);
	const users = createUsers(service);
	const handlers: Record<Exclude<EndpointName, TermEndpoint>, Handler> = {
		'ticket.update': tickets.handlers.update,
		'ticket.delete': tickets.handlers.delete,
		'ticket.fields.get': customFields.get,
		'ticket.fields.set': customFields.set,
		'reply.update': replies.handlers.update,
		'reply.delete': replies.handlers.delete,
		'attachment.update': attachments.handlers.update,
		'user.check': users.handlers.check,
		'user.id': users.handlers.lookUp,
		'user.update': users.handlers.update,
		'user.delete': users.handlers.delete,
		'user.password.delete': users.handlers.passwordDelete,
	};
	const routes = Object.entries(handlers).map(([name, handle]) => {
		const endpoint = endpoints[name as keyof typeof handlers];
		return route(endpoint.method, endpoint.path, argumentsOf(endpoint, dialect), handle);
	});
	const reads: Route[] = [
		read('/tickets', tickets.handlers.list, tickets.listArguments),
		read('/tickets/<id>', tickets.handlers.get),
		read('/tickets/<ticket_id>/replies', replies.handlers.list, replies.listArguments),
		read('/tickets/<ticket_id>/replies/<id>', replies.handlers.get),
		read('/attachments', attachments.handlers.list, attachments.listArguments),
		read('/attachments/<id>', attachments.handlers.get),
		read('/users', users.handlers.list, users.listArguments),
		read('/users/me', users.handlers.me),
		read('/users/<id>', users.handlers.get),
		read('/users/<user_id>/passwords', users.handlers.passwordList),
		read('/users/<user_id>/passwords/<slug>', users.handlers.passwordGet),
	];
	// The live service has a route for each taxonomy, also where the interface shows none.
	for (const taxonomy of taxonomies) {
		const terms = createTerms(service, taxonomy);
		for (const operation of ['update', 'delete'] as const) {
			const endpoint = termEndpoint(operation, taxonomy);
			if (documentedOnly && !(endpoint.name in endpoints)) continue;
			routes.push(route(endpoint.method, endpoint.path, argumentsOf(endpoint, dialect), terms.handlers[operation]));
		}
		reads.push(
			read(`/${taxonomy}`, terms.handlers.list, terms.listArguments),
			read(`/${taxonomy}/<id>`, terms.handlers.get),
		);
	}
	if (!documentedOnly) routes.push(...reads);
	return [...routes, route('GET', '', {}, () => ok(listRoutes(`${dialect.root}/v1`, routes)))];
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

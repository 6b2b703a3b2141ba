/** Paths → what they mean: a route for each row of the endpoint table, joined with its meaning, and the reads that the interface does not show. */

import { type EndpointName, endpoints, type Method, termEndpoint } from '../api/endpoints.js';
import { type Field, taxonomies } from '../api/fields.js';
import { type Desk, type Meaning, ok } from './call.js';
import { createAttachments } from './resources/attachments.js';
import { createReplies } from './resources/replies.js';
import { createTerms } from './resources/terms.js';
import { createTickets } from './resources/tickets.js';
import { createUsers } from './resources/users.js';

export interface Route {
	readonly method: Method;
	/** With placeholders as the interface writes them. */
	readonly path: string;
	readonly fields: readonly Field[];
	readonly meaning: Meaning;
	/** Names of the placeholders, in order. */
	readonly names: readonly string[];
}

/** A route that was found, and what stands in its placeholders. */
export interface Found {
	route: Route;
	path: Record<string, string>;
}

export interface Router {
	/** @param path below the interface's root, beginning with a slash, or empty */
	find(method: string, path: string): Found | undefined;
}

type TermEndpoint = Extract<EndpointName, `term.${string}`>;

function makeRoute(method: Method, path: string, meaning: Meaning, fields: readonly Field[] = []): Route {
	return {
		method,
		path,
		fields,
		meaning,
		names: [...path.matchAll(/<([a-z_]+)>/g)].map((match) => match[1] as string),
	};
}

/** Every route; a row of the endpoint table without a meaning does not compile. */
function allRoutes(desk: Desk): Route[] {
	const tickets = createTickets(desk);
	const replies = createReplies(desk);
	const users = createUsers(desk);
	const attachments = createAttachments(desk);
	const meanings: Record<Exclude<EndpointName, TermEndpoint>, Meaning> = {
		'ticket.update': tickets.update,
		'ticket.delete': tickets.remove,
		'ticket.fields.get': tickets.fieldsGet,
		'ticket.fields.set': tickets.fieldsSet,
		'reply.update': replies.update,
		'reply.delete': replies.remove,
		'user.check': users.check,
		'user.id': users.lookUp,
		'user.update': users.update,
		'user.delete': users.remove,
		'user.password.delete': users.passwordRemove,
		'attachment.update': attachments.update,
	};
	const routes = Object.entries(meanings).map(([name, meaning]) => {
		const { method, path, fields } = endpoints[name as keyof typeof meanings];
		return makeRoute(method, path, meaning, fields);
	});
	// The live service has a route for each taxonomy, also where the interface shows none.
	for (const taxonomy of taxonomies) {
		const terms = createTerms(desk, taxonomy);
		const update = termEndpoint('update', taxonomy);
		const remove = termEndpoint('delete', taxonomy);
		routes.push(
			makeRoute(update.method, update.path, terms.update, update.fields),
			makeRoute(remove.method, remove.path, terms.remove),
			makeRoute('GET', `/${taxonomy}`, terms.list),
			makeRoute('GET', `/${taxonomy}/<id>`, terms.read),
		);
	}
	routes.push(
		makeRoute('GET', '/tickets', tickets.list),
		makeRoute('GET', '/tickets/<id>', tickets.read),
		makeRoute('GET', '/tickets/<ticket_id>/replies', replies.list),
		makeRoute('GET', '/tickets/<ticket_id>/replies/<id>', replies.read),
		makeRoute('GET', '/users', users.list),
		makeRoute('GET', '/users/me', users.me),
		makeRoute('GET', '/users/<id>', users.read),
		makeRoute('GET', '/users/<user_id>/passwords', users.passwordList),
		makeRoute('GET', '/users/<user_id>/passwords/<slug>', users.passwordRead),
		makeRoute('GET', '/attachments', attachments.list),
		makeRoute('GET', '/attachments/<id>', attachments.read),
	);
	routes.push(makeRoute('GET', '', () => ok(routeList(desk, routes))));
	return routes;
}

/** The list of routes, with patterns as the live service writes them. */
function routeList(desk: Desk, routes: readonly Route[]): unknown {
	const namespace = `${desk.dialect.root}/v1`;
	const patterns = new Map<string, Route[]>();
	for (const route of routes) {
		const pattern =
			`/${namespace}` +
			route.path.replace(/<([a-z_]+)>/g, (_, name) => `(?P<${name}>${isSlug(name) ? '[\\w-]+' : '[\\d]+'})`);
		patterns.set(pattern, [...(patterns.get(pattern) ?? []), route]);
	}
	const describe = (route: Route): unknown => ({
		methods: [route.method],
		args: Object.fromEntries(
			route.fields.map((field) => [desk.dialect.fieldOut(field.name), { description: field.help, required: false }]),
		),
	});
	return {
		namespace,
		routes: Object.fromEntries(
			[...patterns].map(([pattern, same]) => [
				pattern,
				{ namespace, methods: same.map((route) => route.method), endpoints: same.map(describe) },
			]),
		),
	};
}

/** A placeholder is a number, or a slug where it says so. */
function isSlug(name: string): boolean {
	return name === 'slug';
}

/** One step of a path: fixed words first, then whatever fits a placeholder. */
interface Step {
	words: Map<string, Step>;
	number?: Step;
	slug?: Step;
	routes: Map<string, Route>;
}

const NUMBER = /^\d+$/;
const SLUG = /^[\w-]+$/;

const createStep = (): Step => ({ words: new Map(), routes: new Map() });

function stepFor(step: Step, segment: string): Step {
	if (!segment.startsWith('<')) {
		const known = step.words.get(segment) ?? createStep();
		step.words.set(segment, known);
		return known;
	}
	const kind = isSlug(segment.slice(1, -1)) ? 'slug' : 'number';
	step[kind] ??= createStep();
	return step[kind];
}

function decode(segment: string): string | undefined {
	if (!segment.includes('%')) return segment;
	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}

export function createRouter(desk: Desk): Router {
	const root = createStep();
	for (const route of allRoutes(desk)) {
		let step = root;
		for (const segment of route.path.split('/').slice(1)) step = stepFor(step, segment);
		step.routes.set(route.method, route);
	}

	return {
		find(method, path) {
			let step = root;
			const values: string[] = [];
			const whole = path.endsWith('/') ? path.slice(0, -1) : path;
			for (const raw of whole.split('/').slice(1)) {
				const segment = decode(raw);
				if (segment === undefined) return undefined;
				const fixed = step.words.get(segment);
				const next =
					fixed ?? (NUMBER.test(segment) ? step.number : undefined) ?? (SLUG.test(segment) ? step.slug : undefined);
				if (next === undefined) return undefined;
				if (fixed === undefined) values.push(segment);
				step = next;
			}
			const route = step.routes.get(method);
			if (route === undefined) return undefined;
			const found: Record<string, string> = {};
			for (let index = 0; index < values.length; index++) found[route.names[index] as string] = values[index] as string;
			return { route, path: found };
		},
	};
}

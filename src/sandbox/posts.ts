/** Tickets with their custom fields and terms, replies and attachments. */

import { neutralPrefixes } from '../api/dialect.js';
import { taxonomies } from '../api/fields.js';
import { escapeHtml } from '../text.js';
import { type Argument, date, integer, integers, texts } from './arguments.js';
import {
	type Action,
	type Call,
	createResource,
	type Handler,
	type Kind,
	type Resource,
	type Service,
	type Shape,
} from './resources.js';
import { noPost, ok, ServiceError } from './responses.js';
import { forbidden, rightsOf } from './rights.js';
import {
	type Attachment,
	customFields,
	firstCustomValues,
	type Post,
	type Reply,
	type Term,
	type Ticket,
	type User,
} from './samples.js';

function shown(raw: string): Shape {
	return { raw, rendered: escapeHtml(raw) };
}

/** They vanish from fields that are kept beside a post. */
function withoutBackslashes(text: string): string {
	return text.replaceAll('\\', '');
}

type PostKind<T extends Post> = Omit<Kind<T>, 'missing' | 'trash'>;

function createPosts<T extends Post>({ now }: Service, kind: PostKind<T>): Resource {
	return createResource<T>({
		...kind,
		missing: noPost,
		// The trash is never listed.
		rows: (call) => (kind.rows?.(call) ?? [...kind.table.values()]).filter(({ status }) => status !== 'trash'),
		shape: (post) => ({ ...post, date_gmt: post.date, modified_gmt: post.modified, ...kind.shape(post) }),
		stored(name, value, post) {
			const fields = name === 'date_gmt' ? { date: value } : kind.stored?.(name, value, post);
			return { modified: now(), ...(fields ?? { [name]: value }) };
		},
		trash(post) {
			if (post.status === 'trash') {
				throw new ServiceError(410, 'rest_already_trashed', 'The post has already been deleted.');
			}
			post.status = 'trash';
			post.modified = now();
		},
		filters: { after: date, before: date, author: integers, status: texts, ...kind.filters },
	});
}

/** Every word but `+` subtracts, `positive` too. */
function finalTime(ticket: Ticket): number {
	const adjustment = ticket['time-adjustments'];
	return ticket['time-calculated'] + (ticket['time-adjustments-type'] === '+' ? adjustment : -adjustment);
}

function isOpenTo(ticket: Ticket, caller: User): boolean {
	const { tickets } = rightsOf(caller);
	const isAuthor = ticket.author === caller.id;
	return tickets === 'all' || isAuthor || (tickets === 'assigned' && ticket.assignee === caller.id);
}

function checkTicket(ticket: Ticket, { caller }: Pick<Call, 'caller'>, action: Action): void {
	if (isOpenTo(ticket, caller)) return;
	throw forbidden(action === 'read' ? 'rest_forbidden' : `rest_cannot_${action}`, `${action} this ticket`);
}

const fieldsOfOneTerm = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

export function createTickets(service: Service): Resource {
	const { store, dialect, isLenient } = service;

	/** Digits are an ID. */
	function findTerm(taxonomy: string, name: string): number {
		if (isLenient && name === '') return 0;
		const terms = [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
		const bySlug = terms.find(({ slug }) => slug === name);
		const byId = terms.find(({ id }) => String(id) === name);
		const strict = /^\d+$/.test(name) ? byId : bySlug;
		const found = isLenient ? (bySlug ?? byId) : strict;
		if (found === undefined) throw new ServiceError(500, 'invalid_term', 'Invalid term.');
		return found.id;
	}

	/** Slugs are shown without encoded characters. */
	function shownTerm(id: number): string {
		const slug = store.terms.get(id)?.slug ?? '';
		return isLenient ? slug : slug.replace(/%[0-9a-f]{2}/g, '');
	}

	function checkAgent(id: number): void {
		if (isLenient && id === 0) return;
		const roles = store.users.get(id)?.roles ?? ['customer'];
		if (roles.includes('customer')) throw new ServiceError(500, 'incorrect_agent', 'Incorrect agent.');
	}

	const statuses: Argument = (given) => (texts(given) as string[]).map(dialect.toNeutral);
	const terms = Object.fromEntries(taxonomies.map((taxonomy) => [taxonomy, integers]));

	return createPosts<Ticket>(service, {
		table: store.tickets,
		check: checkTicket,
		rows({ caller, values }) {
			const all = [...store.tickets.values()];
			const { tickets } = rightsOf(caller);
			if (tickets === 'own') return all.filter((ticket) => isOpenTo(ticket, caller));
			if (tickets === 'all') return all;
			// An agent's list begins with its own open tickets, and shows all to whoever asks for all.
			const { assignee = [caller.id], author, state = ['open'] } = values as Record<string, unknown>;
			const isOwn = author === undefined && String(assignee) === String(caller.id);
			return all.filter((ticket) => {
				const isState = String(state) === 'any' || String(state).split(',').includes(ticket.state);
				return isState && (!isOwn || ticket.assignee === caller.id);
			});
		},
		shape: (ticket) => ({
			status: dialect.toOwn(ticket.status),
			title: shown(ticket.title),
			content: shown(ticket.content),
			'time-final': finalTime(ticket),
			...Object.fromEntries(fieldsOfOneTerm.map((field) => [field, shownTerm(ticket[field])])),
		}),
		stored(name, value) {
			if (name === 'assignee') checkAgent(value as number);
			if (name === 'title') return { title: (value as string).trim() };
			if (name === 'state' && value !== 'open' && value !== 'closed') return {};
			return fieldsOfOneTerm.some((each) => each === name) ? { [name]: findTerm(name, value as string) } : undefined;
		},
		filters: { ...terms, assignee: integers, state: texts, status: statuses },
	});
}

/** The ticket in the path is not checked: an update moves the reply there. */
export function createReplies(service: Service): Resource {
	const { store } = service;
	return createPosts<Reply>(service, {
		table: store.replies,
		check({ parent }, call, action) {
			const ticket = store.tickets.get(parent);
			if (ticket !== undefined) checkTicket(ticket, call, action);
		},
		shape: ({ content }) => ({ content: shown(content) }),
		stored: (name, value) => (name === 'ticket_id' ? { parent: value } : undefined),
		rows({ caller, values }) {
			const ticket = store.tickets.get(values.ticket_id as number);
			if (ticket === undefined) throw noPost;
			checkTicket(ticket, { caller }, 'read');
			return store.repliesOf(values.ticket_id as number);
		},
	});
}

export function createAttachments(service: Service): Resource {
	return createPosts<Attachment>(service, {
		table: service.store.attachments,
		stored(name, value) {
			if (name === 'title') return { title: (value as string).trim() };
			return name === 'alt_text' ? { alt_text: withoutBackslashes(value as string) } : undefined;
		},
		shape: ({ title, caption, description }) => ({
			title: shown(title),
			caption: shown(caption),
			description: shown(description),
			meta: [],
		}),
	});
}

export function createCustomFields({ store, dialect }: Service): Record<'get' | 'set', Handler> {
	// Writes take the prefixed name `xx_severity`, which reads show in the markup only.
	const { product } = dialect.prefixes;
	const prefix = product === neutralPrefixes.product ? '' : `${product}_`;

	function valuesOf(ticketId: number, call: Call, action: 'edit' | 'read'): Record<string, string> {
		const ticket = store.tickets.get(ticketId);
		if (ticket === undefined) throw noPost;
		checkTicket(ticket, call, action);
		return store.customValues.get(ticketId) ?? firstCustomValues(ticketId);
	}

	return {
		get(call) {
			const stored = valuesOf(call.values.id as number, call, 'read');
			const entries = customFields.map(({ name, label, type }) => {
				const value = stored[name] ?? '';
				const markup = `<input type="${type}" name="${prefix}${name}" value="${escapeHtml(value)}">`;
				return [name, { name: label, value, markup }];
			});
			return ok(Object.fromEntries(entries));
		},

		set(call) {
			const { values } = call;
			const id = values.ticket_id as number;
			const sent: Shape = { ...(values.custom_fields as Shape | undefined) };
			const stored = { ...valuesOf(id, call, 'edit') };
			for (const { name } of customFields) {
				if (Object.hasOwn(sent, prefix + name)) stored[name] = withoutBackslashes(String(sent[prefix + name] ?? ''));
			}
			store.customValues.set(id, stored);
			// Live services send null or no body.
			return ok(id % 2 === 0 ? null : undefined);
		},
	};
}

export function createTerms({ store }: Service, taxonomy: (typeof taxonomies)[number]): Resource {
	const table = new Map([...store.terms].filter(([, term]) => term.taxonomy === taxonomy));
	const resource = createResource<Term>({
		table,
		rows({ values: { post } }) {
			if (post === undefined) return [...table.values()];
			return [store.tickets.get(post as number)?.[taxonomy]].flat().flatMap((id) => table.get(id ?? 0) ?? []);
		},
		missing: new ServiceError(404, 'rest_term_invalid', 'Term does not exist.'),
		check(_term, { caller }, action) {
			if (action === 'read' || rightsOf(caller).terms) return;
			throw forbidden(action === 'edit' ? 'rest_cannot_update' : 'rest_cannot_delete', `${action} this term`);
		},
		shape(term) {
			const tickets = [...store.tickets.values()].filter((ticket) => [ticket[taxonomy]].flat().includes(term.id));
			return { ...term, count: tickets.length, meta: [] };
		},
		detach({ id, parent }) {
			store.terms.delete(id);
			for (const term of table.values()) if (term.parent === id) term.parent = parent;
		},
		filters: { parent: integers },
	});
	// Those of one ticket, whose own slugs may not tell.
	const terms = { ...resource, takes: { ...resource.takes, post: integer } };
	if (taxonomy !== 'ticket_priority') return terms;
	// An update without a color clears it.
	return { ...terms, update: (call) => terms.update({ ...call, values: { color: '', ...call.values } }) };
}

/** Tickets with their custom fields and terms, replies and attachments. */

import { neutralPrefixes } from '../api/dialect.js';
import { taxonomies, ticketFields } from '../api/fields.js';
import { date, integers, oneOf, texts } from './arguments.js';
import type { Filter, Service, Shape } from './resources.js';
import { anyOf, type Call, createResource, type Handler, type Kind, type Resource } from './resources.js';
import { badRequest, noPost, ok, ServiceError } from './responses.js';
import { customFields, firstCustomValues, type Post, type Seed, type TicketRecord } from './samples.js';
import { ticketTermFields } from './store.js';
import { escapeAttribute, filtered, rendered, slugify } from './text.js';

/** Readers get rendered text only. */
function shown(call: Call, raw: string, paragraphs = false): Shape {
	const html = paragraphs && raw !== '' ? `<p>${rendered(raw)}</p>\n` : rendered(raw);
	return call.edit ? { raw, rendered: html } : { rendered: html };
}

/** The trash is never listed. */
function hasStatus(post: Post, wanted: readonly string[]): boolean {
	return post.status !== 'trash' && (wanted.includes(post.status) || wanted.includes('any'));
}

type PostKind<T extends Post> = Pick<Kind<T>, 'table' | 'collection' | 'shape' | 'change' | 'remove' | 'searched'> &
	Partial<Pick<Kind<T>, 'rows' | 'defaults' | 'filters' | 'linksTo' | 'defaultOrder'>>;

function createPosts<T extends Post>(service: Service, kind: PostKind<T>): Resource {
	/** A new date of change, even within a second. */
	function touch(post: T): void {
		const next = new Date(Date.parse(`${post.modified}Z`) + 1000).toISOString().slice(0, 19);
		post.modified = service.now() > post.modified ? service.now() : next;
	}

	return createResource<T>({
		rows: () => kind.table.values(),
		orders: ['date', 'modified'],
		defaultOrder: ['date', 'desc'],
		...kind,
		missing: ['rest_post_invalid_id', 'Invalid post ID.'],
		shape(call, post) {
			const gmt = { date_gmt: post.date, modified_gmt: post.modified };
			return { ...(post as Shape), ...gmt, ...kind.shape(call, post) };
		},
		change(post, sent, call) {
			if (sent.author !== undefined && !service.store.users.has(sent.author as number)) {
				throw badRequest('rest_invalid_author', 'Invalid author ID.');
			}
			post.date = (sent.date ?? sent.date_gmt ?? post.date) as string;
			delete sent.date;
			delete sent.date_gmt;
			delete sent.meta;
			const failure = kind.change(post, sent, call);
			if (sent.slug !== undefined) sent.slug = slugify(sent.slug as string) || post.slug;
			touch(post);
			return failure;
		},
		trash(post) {
			if (post.status === 'trash') {
				throw new ServiceError(410, 'rest_already_trashed', 'The post has already been deleted.');
			}
			post.status = 'trash';
			touch(post);
		},
		filters: {
			after: { argument: date, test: (post, moment: string) => post.date > moment },
			before: { argument: date, test: (post, moment: string) => post.date < moment },
			author: anyOf((post) => post.author),
			status: { argument: { ...texts, default: ['any'] }, test: hasStatus },
			...kind.filters,
		},
		strict: true,
	});
}

/** Saved one by one after all other fields: an error leaves the following ones unchanged. */
const savedInTurn = ticketFields
	.slice(ticketFields.findIndex(({ name }) => name === 'product'))
	.map(({ name }) => name)
	.filter((name) => name !== 'author');

const saveError = (code: string, message: string): ServiceError => new ServiceError(500, code, message);

export function createTickets(service: Service): Resource {
	const { store, dialect, isLenient } = service;

	/** Digits are an ID. */
	function findTerm(taxonomy: string, name: string): number | undefined {
		const terms = [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
		const bySlug = terms.find(({ slug }) => slug === name)?.id;
		const byId = terms.find(({ id }) => String(id) === name)?.id;
		if (isLenient) return name === '' ? 0 : (bySlug ?? byId);
		return /^\d+$/.test(name) ? byId : bySlug;
	}

	/** Slugs are shown without encoded characters. */
	function shownTerm(id: number): string {
		const slug = store.terms.get(id)?.slug ?? '';
		return isLenient ? slug : slug.replace(/%[0-9a-f]{2}/g, '');
	}

	const termFilters = taxonomies.map((taxonomy): [string, Filter<TicketRecord>] => {
		const has = (ticket: TicketRecord, wanted: number[]): boolean =>
			wanted.some((id) => [ticket[taxonomy]].flat().includes(id));
		return [taxonomy, { argument: integers, test: has }];
	});

	function isAgent(id: unknown): boolean {
		if (isLenient && id === 0) return true;
		return store.users.get(id as number)?.roles.includes('customer') === false;
	}

	function problemOf(field: string, value: unknown): ServiceError | undefined {
		if (value === undefined) return undefined;
		if (field === 'assignee' && !isAgent(value)) return saveError('incorrect_agent', 'Incorrect agent.');
		const isTerm = (ticketTermFields as readonly string[]).includes(field);
		if (isTerm && findTerm(field, value as string) === undefined) return saveError('invalid_term', 'Invalid term.');
		return undefined;
	}

	return createPosts<TicketRecord>(service, {
		table: store.tickets,
		collection: () => '/tickets',
		shape(call, ticket) {
			const { 'time-calculated': calculated, 'time-adjustments': adjustment } = ticket;
			return {
				status: dialect.statusOut(ticket.status),
				type: 'ticket',
				link: `${call.origin}/ticket/${ticket.slug}/`,
				title: shown(call, ticket.title),
				content: { ...shown(call, ticket.content, true), protected: false },
				...Object.fromEntries(ticketTermFields.map((field) => [field, shownTerm(ticket[field])])),
				// Only + adds; every other word subtracts.
				'time-final': ticket['time-adjustments-type'] === '+' ? calculated + adjustment : calculated - adjustment,
			};
		},

		change(ticket, sent) {
			if (sent.state !== 'open' && sent.state !== 'closed') delete sent.state;
			if (sent['time-adjustments'] === 0 && !isLenient) delete sent['time-adjustments'];
			for (const field of ['secondary-assignee', 'tertiary-assignee']) {
				if (sent[field] !== 0 && !isAgent(sent[field])) delete sent[field];
			}
			let failure: ServiceError | undefined;
			for (const field of savedInTurn) {
				failure ??= problemOf(field, sent[field]);
				if (failure !== undefined) delete sent[field];
			}
			for (const field of ticketTermFields) {
				if (sent[field] !== undefined) sent[field] = findTerm(field, sent[field] as string);
			}
			if (sent['ticket-tag'] !== undefined) {
				const ids = new Set(sent['ticket-tag'] as number[]);
				sent['ticket-tag'] = [...ids].filter((id) => store.terms.get(id)?.taxonomy === 'ticket-tag');
			}
			if (sent['time-notes'] !== undefined) sent['time-notes'] = filtered(sent['time-notes'] as string);
			if (sent.status !== undefined) sent.status = dialect.statusIn(sent.status as string);
			const status = sent.status ?? ticket.status;
			if (status === 'future' && ticket.date <= service.now()) sent.status = 'publish';
			return failure;
		},

		remove({ id }) {
			for (const reply of store.repliesOf(id)) store.replies.delete(reply.id);
			store.customValues.delete(id);
			store.tickets.delete(id);
		},

		defaults: ({ caller }) => ({ assignee: [caller.id], state: 'open' }),
		filters: {
			...Object.fromEntries(termFilters),
			assignee: anyOf((ticket) => ticket.assignee),
			state: {
				argument: oneOf('open', 'closed', 'any'),
				test: (ticket, state: string) => state === 'any' || state === ticket.state,
			},
			status: {
				argument: { ...texts, default: ['any'] },
				test: (ticket, wanted: string[]) => hasStatus(ticket, wanted.map(dialect.statusIn)),
			},
		},
		searched: (ticket) => `${ticket.title} ${ticket.content}`,
		linksTo: '/wp-json/wp/v2/ticket',
	});
}

/** The ticket in the path is not checked: an update moves the reply there. */
export function createReplies(service: Service): Resource {
	const { store } = service;
	return createPosts<Seed['replies'][number]>(service, {
		table: store.replies,
		collection: ({ ticket }) => `/tickets/${ticket}/replies`,
		shape: (call, { ticket, content }) => ({
			ticket: undefined,
			type: 'ticket_reply',
			title: shown(call, `Reply to ticket #${ticket}`),
			content: { ...shown(call, content, true), protected: false },
			parent: ticket,
		}),
		change(_, sent) {
			sent.ticket = sent.ticket_id;
			delete sent.ticket_id;
			return undefined;
		},
		remove: ({ id }) => store.replies.delete(id),
		rows({ values }) {
			if (!store.tickets.has(values.ticket_id as number)) throw noPost();
			return store.repliesOf(values.ticket_id as number);
		},
		searched: (reply) => reply.content,
		defaultOrder: ['date', 'asc'],
	});
}

type Attachment = Seed['attachments'][number];

/** The service loses them. */
const withoutBackslashes = (value: unknown): string => String(value).replaceAll('\\', '');

export function createAttachments(service: Service): Resource {
	const { attachments } = service.store;
	return createPosts<Attachment>(service, {
		table: attachments,
		collection: () => '/attachments',
		shape: (call, { slug, title, caption, description }) => ({
			type: 'attachment',
			link: `${call.origin}/${slug}/`,
			title: shown(call, title),
			meta: [],
			caption: shown(call, caption, true),
			description: shown(call, description, true),
		}),
		change(_, sent) {
			if (sent.status !== undefined && sent.status !== 'private') sent.status = 'inherit';
			if (sent.alt_text !== undefined) sent.alt_text = withoutBackslashes(sent.alt_text);
			return undefined;
		},
		remove: ({ id }) => attachments.delete(id),
		searched: (attachment) => `${attachment.title} ${attachment.description}`,
	});
}

export function createCustomFields({ store, dialect }: Service): Record<'get' | 'set', Handler> {
	// Writes take the prefixed name `xx_severity`, which reads show in the markup only.
	const { product } = dialect.prefixes;
	const prefix = product === neutralPrefixes.product ? '' : `${product}_`;

	function valuesOf(ticketId: unknown): Record<string, string> {
		if (!store.tickets.has(ticketId as number)) throw noPost();
		return store.customValues.get(ticketId as number)?.values ?? firstCustomValues(ticketId as number);
	}

	return {
		get(call) {
			const values = valuesOf(call.values.id);
			const entries = customFields.map(([field, label, type]) => {
				const [name, value] = [prefix + field, values[field] ?? ''];
				const markup = `<input type="${type}" name="${name}" id="${name}" value="${escapeAttribute(value)}">`;
				return [field, { name: label, value, markup }];
			});
			return ok(Object.fromEntries(entries));
		},

		set(call) {
			const { ticket_id, custom_fields } = call.values;
			const [id, sent] = [ticket_id as number, custom_fields as Shape];
			const values = { ...valuesOf(id) };
			for (const [name] of customFields) {
				if (Object.hasOwn(sent, prefix + name)) values[name] = withoutBackslashes(sent[prefix + name] ?? '');
			}
			store.customValues.set(id, { id, values });
			// Live services send null or no body.
			return ok(id % 2 === 0 ? null : undefined);
		},
	};
}

type Term = Seed['terms'][number];

export function createTerms(service: Service, taxonomy: string): Resource {
	const { store } = service;
	const field = taxonomy as 'ticket-tag' | (typeof ticketTermFields)[number];
	const rows = (): Term[] => [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
	const ticketsWith = ({ id }: Term): TicketRecord[] =>
		[...store.tickets.values()].filter((ticket) => [ticket[field]].flat().includes(id));

	return createResource<Term>({
		table: store.terms,
		missing: ['rest_term_invalid', 'Term does not exist.'],
		has: (term) => term.taxonomy === taxonomy,
		collection: () => `/${taxonomy}`,
		shape: (call, term) => ({
			...term,
			count: ticketsWith(term).length,
			link: `${call.origin}/${taxonomy}/${term.slug}/`,
			meta: [],
		}),
		change(term, sent) {
			delete sent.meta;
			sent.slug = slugify((sent.slug as string | undefined) ?? '') || term.slug;
			for (const name of ['name', 'description']) {
				if (sent[name] !== undefined) sent[name] = filtered(sent[name] as string);
			}
			// An update without a color clears it.
			if (taxonomy === 'ticket_priority') sent.color ??= '';
			return undefined;
		},
		remove(term) {
			for (const ticket of ticketsWith(term)) {
				if (field === 'ticket-tag') ticket[field] = ticket[field].filter((id) => id !== term.id);
				else ticket[field] = 0;
			}
			store.terms.delete(term.id);
		},
		rows,
		filters: {
			parent: { argument: integers, test: (term, parents: number[]) => parents.includes(term.parent) },
		},
		searched: (term) => `${term.name} ${term.slug}`,
		orders: ['name', 'slug'],
		defaultOrder: ['name', 'asc'],
		strict: false,
		linksTo: `/wp-json/wp/v2/${taxonomy}`,
	});
}

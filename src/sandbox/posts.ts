/** Tickets with their custom fields and terms, replies and attachments. */

import { neutralPrefixes } from '../api/dialect.js';
import { taxonomies } from '../api/fields.js';
import { date, integer, integers, oneOf, texts } from './arguments.js';
import type { Filter, Service, Shape } from './resources.js';
import { anyOf, type Call, createResource, type Handler, type Kind, type Resource } from './resources.js';
import { badRequest, noPost, ok, ServiceError } from './responses.js';
import { customFields, firstCustomValues, type Post, type Seed, type TicketRecord } from './samples.js';
import { ticketTermFields } from './store.js';
import { escapeAttribute, filtered, rendered, slugify } from './text.js';

/** Text as raw and rendered; readers that don't edit get what a page shows. */
function shown(call: Call, raw: string, paragraphs = false): Shape {
	const html = paragraphs && raw !== '' ? `<p>${rendered(raw)}</p>\n` : rendered(raw);
	return call.edit ? { raw, rendered: html } : { rendered: html };
}

/** `any` is every status but the trash. */
function hasStatus(post: Post, wanted: readonly string[]): boolean {
	return wanted.includes(post.status) || (wanted.includes('any') && post.status !== 'trash');
}

/** What one kind of post has of its own; `shape` says what it shows otherwise than it is stored, or besides. */
type PostKind<T extends Post> = Pick<Kind<T>, 'table' | 'collection' | 'shape' | 'change' | 'remove' | 'searched'> &
	Partial<Pick<Kind<T>, 'rows' | 'defaults' | 'filters' | 'linksTo' | 'defaultOrder'>>;

function createPosts<T extends Post>(service: Service, kind: PostKind<T>): Resource {
	/** A date of change that differs from the last one also within a second. */
	function touch(post: T): void {
		const next = new Date(Date.parse(`${post.modified}Z`) + 1000).toISOString().slice(0, 19);
		post.modified = service.now() > post.modified ? service.now() : next;
	}

	/** What is left of the wanted slug, else of the title; with a number where another post has it. */
	function freeSlug(post: Post & { title?: string }, sent: { slug: string; title?: string }): string {
		const wanted = slugify(sent.slug) || slugify(sent.title ?? post.title ?? '') || String(post.id);
		const others = [...kind.table.values()].filter(({ id }) => id !== post.id);
		const taken = new Set(others.map(({ slug }) => slug));
		let slug = wanted;
		for (let next = 2; taken.has(slug); next++) slug = `${wanted}-${next}`;
		return slug;
	}

	return createResource<T>(service, {
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
			kind.change(post, sent, call);
			if (sent.slug !== undefined) sent.slug = freeSlug(post, sent as { slug: string });
			touch(post);
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
			modified_after: { argument: date, test: (post, moment: string) => post.modified > moment },
			author: anyOf((post) => post.author),
			status: { argument: { ...texts, default: ['any'] }, test: hasStatus },
			...kind.filters,
		},
		strict: true,
	});
}

export function createTickets(service: Service): Resource {
	const { store, dialect } = service;

	/** A term's id by its slug, or by its id in digits; 0 for the empty text. */
	function findTerm(taxonomy: string, name: string): number | undefined {
		if (name === '') return 0;
		const terms = [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
		return terms.find(({ id, slug }) => slug === name || String(id) === name)?.id;
	}

	const termFilters = taxonomies.flatMap((taxonomy): [string, Filter<TicketRecord>][] => {
		const has = (ticket: TicketRecord, wanted: string[]): boolean =>
			wanted.some((name) => [ticket[taxonomy]].flat().includes(findTerm(taxonomy, name) ?? -1));
		return [
			[taxonomy, { argument: texts, test: has }],
			[`${taxonomy}_exclude`, { argument: texts, test: (ticket, wanted: string[]) => !has(ticket, wanted) }],
		];
	});

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
				...Object.fromEntries(ticketTermFields.map((field) => [field, store.terms.get(ticket[field])?.slug ?? ''])),
				// Only + adds; every other word subtracts.
				'time-final': ticket['time-adjustments-type'] === '+' ? calculated + adjustment : calculated - adjustment,
			};
		},

		/** Unknown states, terms and assignees are ignored without a message. */
		change(ticket, sent) {
			if (sent.state !== 'open' && sent.state !== 'closed') delete sent.state;
			for (const field of ['assignee', 'secondary-assignee', 'tertiary-assignee']) {
				if (sent[field] !== 0 && !store.users.has(sent[field] as number)) delete sent[field];
			}
			for (const field of ticketTermFields) {
				const id = sent[field] === undefined ? undefined : findTerm(field, sent[field] as string);
				if (id === undefined) delete sent[field];
				else sent[field] = id;
			}
			if (sent['ticket-tag'] !== undefined) {
				const ids = new Set(sent['ticket-tag'] as number[]);
				sent['ticket-tag'] = [...ids].filter((id) => store.terms.get(id)?.taxonomy === 'ticket-tag');
			}
			if (sent['time-notes'] !== undefined) sent['time-notes'] = filtered(sent['time-notes'] as string);
			if (sent.status !== undefined) sent.status = dialect.statusIn(sent.status as string);
			const status = sent.status ?? ticket.status;
			if (status === 'future' && ticket.date <= service.now()) sent.status = 'publish';
		},

		/** Its replies go with it; its attachments stay, without a ticket. */
		remove({ id }) {
			for (const attachment of store.attachments.values()) {
				if (attachment.post === id) store.attachments.put(Object.assign(attachment, { post: 0 }));
			}
			for (const reply of store.repliesOf(id)) store.replies.remove(reply.id);
			store.customValues.remove(id);
			store.tickets.remove(id);
		},

		/** Only the caller's open tickets, unless the query says otherwise. */
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

/** The ticket in a reply's path is not checked: an update moves the reply to it, a delete deletes the reply wherever it is. */
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
		},
		remove: ({ id }) => store.replies.remove(id),
		rows({ values }) {
			if (!store.tickets.has(values.ticket_id as number)) throw noPost();
			return store.repliesOf(values.ticket_id as number);
		},
		searched: (reply) => reply.content,
		defaultOrder: ['date', 'asc'],
	});
}

type Attachment = Seed['attachments'][number];

export function createAttachments(service: Service): Resource {
	const { attachments } = service.store;
	const ofTicket: Filter<Attachment> = { argument: integer, test: (each, id: number) => each.post === id };
	return createPosts<Attachment>(service, {
		table: attachments,
		collection: () => '/attachments',
		shape(call, { file, slug, title, caption, description, mime_type }) {
			const url = `${call.origin}/files/${file}`;
			return {
				file: undefined,
				guid: call.edit ? { raw: url, rendered: url } : { rendered: url },
				type: 'attachment',
				link: `${call.origin}/${slug}/`,
				title: shown(call, title),
				meta: [],
				caption: shown(call, caption, true),
				description: shown(call, description, true),
				media_type: mime_type.startsWith('image/') ? 'image' : 'file',
				source_url: url,
			};
		},
		/** Every status but these becomes `inherit`. */
		change(_, sent) {
			if (sent.status !== undefined && sent.status !== 'private') sent.status = 'inherit';
		},
		remove: ({ id }) => attachments.remove(id),
		filters: { parent: ofTicket, post: ofTicket },
		searched: (attachment) => `${attachment.title} ${attachment.description}`,
	});
}

export function createCustomFields({ store, dialect }: Service): Record<'get' | 'set', Handler> {
	// A deployment's write wants `xx_severity`, which the markup holds, where its read shows `severity`.
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
				if (Object.hasOwn(sent, prefix + name)) values[name] = String(sent[prefix + name] ?? '');
			}
			store.customValues.put({ id, values });
			// Both were seen: null, and no body at all.
			return ok(id % 2 === 0 ? null : undefined);
		},
	};
}

type Term = Seed['terms'][number];

/** The terms of one taxonomy. */
export function createTerms(service: Service, taxonomy: string): Resource {
	const { store } = service;
	const field = taxonomy as 'ticket-tag' | (typeof ticketTermFields)[number];
	const rows = (): Term[] => [...store.terms.values()].filter((term) => term.taxonomy === taxonomy);
	const ticketsWith = ({ id }: Term): TicketRecord[] =>
		[...store.tickets.values()].filter((ticket) => [ticket[field]].flat().includes(id));

	return createResource<Term>(service, {
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
			sent.slug = slugify((sent.slug as string | undefined) ?? '') || term.slug;
			if (rows().some((each) => each.slug === sent.slug && each !== term)) {
				throw badRequest('duplicate_term_slug', `The slug "${sent.slug}" is already in use by another term.`);
			}
			// A parent exists in the taxonomy, and is neither the term nor below it.
			for (let id = (sent.parent ?? 0) as number; id !== 0; ) {
				const above = store.terms.get(id);
				if (above?.taxonomy !== taxonomy || above === term) {
					throw badRequest('rest_term_invalid', 'Parent term does not exist.');
				}
				id = above.parent;
			}
			if (sent.name === '') throw badRequest('empty_term_name', 'A name is required for this term.');
			for (const name of ['name', 'description']) {
				if (sent[name] !== undefined) sent[name] = filtered(sent[name] as string);
			}
			// An update without a color clears it.
			if (taxonomy === 'ticket_priority') sent.color ??= '';
		},
		/** It is taken off every ticket; its children go to its parent. */
		remove(term) {
			for (const ticket of ticketsWith(term)) {
				if (field === 'ticket-tag') ticket[field] = ticket[field].filter((id) => id !== term.id);
				else ticket[field] = 0;
				store.tickets.put(ticket);
			}
			for (const child of rows()) {
				if (child.parent === term.id) store.terms.put(Object.assign(child, { parent: term.parent }));
			}
			store.terms.remove(term.id);
		},
		rows,
		filters: { parent: { argument: integers, test: (term, parents: number[]) => parents.includes(term.parent) } },
		searched: (term) => `${term.name} ${term.slug}`,
		orders: ['name', 'slug'],
		defaultOrder: ['name', 'asc'],
		strict: false,
		linksTo: `/wp-json/wp/v2/${taxonomy}`,
	});
}

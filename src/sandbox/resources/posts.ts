/** Tickets with their custom fields, replies and attachments: one way to read, update and delete, and what differs. */

import { neutralPrefixes } from '../../api/dialect.js';
import { taxonomies } from '../../api/fields.js';
import { date, integer, integers, oneOf, texts } from '../arguments.js';
import { allowed, type Call, type Handler, type Resource, type Service, signedIn } from '../call.js';
import { anyOf, createList, type Filter, type ListRules, listArguments } from '../lists.js';
import { badRequest, noPost, ok, ServiceError } from '../responses.js';
import type { AttachmentRecord, Post, ReplyRecord, TicketRecord } from '../seed.js';
import { type Table, termsOf, ticketTermFields } from '../store.js';
import { escapeAttribute, filtered, rendered, slugify } from '../text.js';
import { type CustomField, customFields } from '../words.js';

type Shape = Record<string, unknown>;

/** Text as raw and rendered; readers that don't edit get what a page shows. */
function shown(call: Call, raw: string, paragraphs = false): Shape {
	const html = paragraphs && raw !== '' ? `<p>${rendered(raw)}</p>\n` : rendered(raw);
	return call.edit ? { raw, rendered: html } : { rendered: html };
}

/** What all posts show: every stored field as it is, both forms of dates, and links. */
function common(call: Call, post: Post, collection: string): Shape {
	return { ...post, date_gmt: post.date, modified_gmt: post.modified, _links: call.links(collection, post.id) };
}

/** What one kind of post has of its own. */
interface Kind<T extends Post> {
	readonly table: Table<T>;
	shape(call: Call, post: T): Shape;
	/** What the text of a new slug is made of where none is left of the one that was sent. */
	titleOf(post: T): string;
	/** Stores sent values that mean more than their name says, and takes them out of `sent`. */
	store(post: T, sent: Shape, call: Call): void;
	remove(post: T): void;
	list: Pick<ListRules<T>, 'rows' | 'filters' | 'searched' | 'defaultOrder' | 'linksTo'>;
}

const postFilters = <T extends Post>(): Record<string, Filter<T>> => ({
	after: { argument: date, test: (post, moment: string) => post.date > moment },
	before: { argument: date, test: (post, moment: string) => post.date < moment },
	modified_after: { argument: date, test: (post, moment: string) => post.modified > moment },
	modified_before: { argument: date, test: (post, moment: string) => post.modified < moment },
	author: anyOf((post) => [post.author]),
	status: { argument: { ...texts, default: ['any'] }, test: (post, wanted: string[]) => hasStatus(post, wanted) },
});

/** `any` is every status but the trash. */
function hasStatus(post: Post, wanted: readonly string[]): boolean {
	return wanted.includes(post.status) || (wanted.includes('any') && post.status !== 'trash');
}

/** A date of change that differs from the last one also within a second. */
function laterThan(before: string, now: string): string {
	if (now > before) return now;
	return new Date(Date.parse(`${before}Z`) + 1000).toISOString().slice(0, 19);
}

function createPosts<T extends Post>(service: Service, kind: Kind<T>): Resource {
	const { table, shape } = kind;
	const list: ListRules<T> = {
		...kind.list,
		filters: { ...postFilters<T>(), ...kind.list.filters },
		orders: {
			date: (post) => post.date,
			modified: (post) => post.modified,
			slug: (post) => post.slug,
			title: kind.titleOf,
			author: (post) => post.author,
		},
		strict: true,
		shape,
	};
	const listPosts = createList(service, list);

	function find(call: Call): T {
		const post = table.get(call.values.id as number);
		if (post === undefined) throw noPost();
		return post;
	}

	function save(post: T): void {
		post.modified = laterThan(post.modified, service.now());
		table.put(post);
	}

	return {
		listArguments: listArguments(list),
		handlers: {
			list(call) {
				allowed(call, 'staff', 'rest_forbidden_context');
				return listPosts(call);
			},

			get(call) {
				allowed(call, 'staff', 'rest_forbidden');
				return ok(shape(call, find(call)));
			},

			update(call) {
				allowed(call, 'staff', 'rest_cannot_edit');
				const post = find(call);
				const { id: _, meta: _unregistered, date, date_gmt, slug, ...sent } = call.values;
				if (sent.author !== undefined && service.store.users.get(sent.author as number) === undefined) {
					throw badRequest('rest_invalid_author', 'Invalid author ID.');
				}
				if ((date ?? date_gmt) !== undefined) post.date = (date ?? date_gmt) as string;
				kind.store(post, sent, call);
				Object.assign(post, sent);
				if (slug !== undefined) {
					const wanted = slugify(slug as string) || slugify(kind.titleOf(post)) || String(post.id);
					post.slug = table.freeSlug(post, wanted);
				}
				save(post);
				return ok(shape(call, post));
			},

			delete(call) {
				allowed(call, 'staff', 'rest_cannot_delete');
				const post = find(call);
				if (call.values.force === true) {
					const previous = shape(call, post);
					kind.remove(post);
					return ok({ deleted: true, previous });
				}
				if (post.status === 'trash') {
					throw new ServiceError(410, 'rest_already_trashed', 'The post has already been deleted.');
				}
				post.status = 'trash';
				save(post);
				return ok(shape(call, post));
			},
		},
	};
}

const assignees = ['assignee', 'secondary-assignee', 'tertiary-assignee'] as const;

export function createTickets(service: Service): Resource {
	const { store, dialect } = service;

	/** A term's id by its slug, or by its id in digits; 0 for the empty text. */
	function findTerm(taxonomy: string, name: string): number | undefined {
		if (name === '') return 0;
		const byId = store.terms.get(Number(name));
		if (byId?.taxonomy === taxonomy) return byId.id;
		for (const term of store.terms.values()) if (term.taxonomy === taxonomy && term.slug === name) return term.id;
		return undefined;
	}

	const hasTerm = (ticket: TicketRecord, taxonomy: string, wanted: string[]): boolean =>
		wanted.some((each) => termsOf(ticket, taxonomy).includes(findTerm(taxonomy, each) ?? -1));
	const termFilters: Record<string, Filter<TicketRecord>> = {};
	for (const taxonomy of taxonomies) {
		termFilters[taxonomy] = { argument: texts, test: (ticket, wanted) => hasTerm(ticket, taxonomy, wanted) };
		termFilters[`${taxonomy}_exclude`] = {
			argument: texts,
			test: (ticket, unwanted) => !hasTerm(ticket, taxonomy, unwanted),
		};
	}

	function shape(call: Call, ticket: TicketRecord): Shape {
		const { 'time-calculated': calculated, 'time-adjustments': adjustment, 'time-adjustments-type': type } = ticket;
		return {
			...common(call, ticket, '/tickets'),
			status: dialect.statusOut(ticket.status),
			type: 'ticket',
			link: `${call.origin}/ticket/${ticket.slug}/`,
			title: shown(call, ticket.title),
			content: { ...shown(call, ticket.content, true), protected: false },
			...Object.fromEntries(ticketTermFields.map((field) => [field, store.terms.get(ticket[field])?.slug ?? ''])),
			// Only + adds; every other word subtracts.
			'time-final': type === '+' ? calculated + adjustment : calculated - adjustment,
		};
	}

	return createPosts(service, {
		table: store.tickets,
		shape,
		titleOf: (ticket) => ticket.title,

		/** Unknown states, terms and assignees are ignored without a message. */
		store(ticket, sent) {
			if (sent.state !== 'open' && sent.state !== 'closed') delete sent.state;
			for (const field of assignees) {
				const id = sent[field] as number | undefined;
				if (id !== undefined && id !== 0 && store.users.get(id) === undefined) delete sent[field];
			}
			for (const field of ticketTermFields) {
				if (sent[field] === undefined) continue;
				const id = findTerm(field, sent[field] as string);
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
		remove: (ticket) => store.removeTicket(ticket),

		list: {
			/** Only the caller's open tickets, unless the query says otherwise. */
			rows(call) {
				const { assignee = [call.caller?.id], state = 'open' } = call.values as { assignee?: number[]; state?: string };
				return [...store.tickets.values()].filter(
					(each) =>
						(assignee.includes(0) || assignee.includes(each.assignee)) && (state === 'any' || each.state === state),
				);
			},
			filters: {
				...termFilters,
				assignee: { argument: integers, test: () => true },
				state: { argument: oneOf('open', 'closed', 'any'), test: () => true },
				status: {
					argument: { ...texts, default: ['any'] },
					test: (ticket, wanted: string[]) => hasStatus(ticket, wanted.map(dialect.statusIn)),
				},
			},
			searched: (ticket) => `${ticket.title} ${ticket.content}`,
			defaultOrder: ['date', 'desc'],
			linksTo: '/wp-json/wp/v2/ticket',
		},
	});
}

/** The ticket in a reply's path is not checked: an update moves the reply to it, a delete deletes the reply wherever it is. */
export function createReplies(service: Service): Resource {
	const { store } = service;
	const posts = createPosts<ReplyRecord>(service, {
		table: store.replies,
		titleOf: (reply) => reply.slug,
		shape(call, { ticket, ...reply }) {
			return {
				...common(call, reply, `/tickets/${ticket}/replies`),
				type: 'ticket_reply',
				title: shown(call, `Reply to ticket #${ticket}`),
				content: { ...shown(call, reply.content, true), protected: false },
				parent: ticket,
			};
		},
		store(reply, sent) {
			store.moveReply(reply, sent.ticket_id as number);
			delete sent.ticket_id;
		},
		remove: (reply) => store.removeReply(reply),
		list: {
			rows: (call) => store.repliesOf(call.values.ticket_id as number),
			filters: {},
			searched: (reply) => reply.content,
			defaultOrder: ['date', 'asc'],
		},
	});
	const list: Handler = (call) => {
		allowed(call, 'staff', 'rest_forbidden_context');
		if (store.tickets.get(call.values.ticket_id as number) === undefined) throw noPost();
		return posts.handlers.list(call);
	};
	return { ...posts, handlers: { ...posts.handlers, list } };
}

/** Statuses that an attachment keeps; every other one becomes `inherit`. */
const KEPT = ['inherit', 'private'];

export function createAttachments(service: Service): Resource {
	const { store } = service;
	return createPosts<AttachmentRecord>(service, {
		table: store.attachments,
		titleOf: (attachment) => attachment.title,
		shape(call, { file, ...attachment }) {
			const url = `${call.origin}/files/${file}`;
			return {
				...common(call, attachment, '/attachments'),
				guid: call.edit ? { raw: url, rendered: url } : { rendered: url },
				type: 'attachment',
				link: `${call.origin}/${attachment.slug}/`,
				title: shown(call, attachment.title),
				meta: [],
				caption: shown(call, attachment.caption, true),
				description: shown(call, attachment.description, true),
				media_type: attachment.mime_type.startsWith('image/') ? 'image' : 'file',
				source_url: url,
			};
		},
		store(_, sent) {
			if (sent.status !== undefined && !KEPT.includes(sent.status as string)) sent.status = 'inherit';
		},
		remove: (attachment) => store.attachments.remove(attachment.id),
		list: {
			rows: () => store.attachments.values(),
			filters: {
				parent: { argument: integer, test: (each, id: number) => each.post === id },
				post: { argument: integer, test: (each, id: number) => each.post === id },
			},
			searched: (attachment) => `${attachment.title} ${attachment.description}`,
			defaultOrder: ['date', 'desc'],
		},
	});
}

/** A field's HTML control, which holds the name that a write wants. */
function markup({ control, options = [] }: CustomField, name: string, value: string): string {
	const attributes = `name="${name}" id="${name}"`;
	const text = escapeAttribute(value);
	switch (control) {
		case 'textarea':
			return `<textarea ${attributes}>${text}</textarea>`;
		case 'checkbox':
			return `<input type="checkbox" ${attributes} value="1"${value === '1' ? ' checked' : ''}>`;
		case 'select': {
			const choices = options.map(
				(each) => `<option value="${each}"${each === value ? ' selected' : ''}>${each}</option>`,
			);
			return `<select ${attributes}>${choices.join('')}</select>`;
		}
		default:
			return `<input type="${control}" ${attributes} value="${text}">`;
	}
}

export function createCustomFields({ store, dialect }: Service): Record<'get' | 'set', Handler> {
	// A deployment's write wants `xx_severity` where its read shows `severity`.
	const { product } = dialect.prefixes;
	const prefix = product === neutralPrefixes.product ? '' : `${product}_`;

	/** Only the author and administrators read and write them. */
	function find(call: Call, id: unknown): TicketRecord {
		const ticket = store.tickets.get(id as number);
		if (signedIn(call).id !== ticket?.author) allowed(call, 'administrator', 'rest_cannot_create');
		if (ticket === undefined) throw noPost();
		return ticket;
	}

	return {
		get(call) {
			const values = store.customValuesOf(find(call, call.values.id).id);
			const entries = customFields.map((field) => {
				const value = values[field.name] ?? '';
				return [field.name, { name: field.label, value, markup: markup(field, prefix + field.name, value) }];
			});
			return ok(Object.fromEntries(entries));
		},

		set(call) {
			const sent = call.values.custom_fields as Readonly<Record<string, unknown>>;
			const ticket = find(call, call.values.ticket_id);
			const values = { ...store.customValuesOf(ticket.id) };
			for (const { name } of customFields) {
				if (Object.hasOwn(sent, prefix + name)) values[name] = String(sent[prefix + name] ?? '');
			}
			store.customValues.put({ id: ticket.id, values });
			// Both were seen: null, and no body at all.
			return ok(ticket.id % 2 === 0 ? null : undefined);
		},
	};
}

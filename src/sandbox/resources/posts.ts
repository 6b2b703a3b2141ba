/** Tickets, replies and attachments: one way of reading, updating and deleting, and what differs between the three. */

import { attachmentFields, replyFields, taxonomies, ticketFields } from '../../api/fields.js';
import { date, integer, integers, oneOf, texts } from '../arguments.js';
import { allowed, type Call, freeSlug, type Handler, type Resource, type Service, withNewFields } from '../call.js';
import { anyOf, createList, type Filter, type ListRules, listArguments } from '../lists.js';
import { badRequest, noPost, ok, ServiceError } from '../responses.js';
import {
	type AttachmentRecord,
	type Post,
	type ReplyRecord,
	type Table,
	type TicketRecord,
	termsOf,
	ticketTermFields,
} from '../store.js';
import { filtered, rendered, slugify } from '../text.js';

type Shape = Record<string, unknown>;

/** Text as raw and rendered; readers that don't edit get what a page shows. */
function shown(call: Call, raw: string, paragraphs = false): Shape {
	const html = paragraphs && raw !== '' ? `<p>${rendered(raw)}</p>\n` : rendered(raw);
	return call.edit ? { raw, rendered: html } : { rendered: html };
}

function datesOf(post: Post): Shape {
	return { date: post.date, date_gmt: post.date, modified: post.modified, modified_gmt: post.modified };
}

function linksOf(call: Call, collection: string, id: number): Shape {
	const base = call.url(collection);
	return { self: [{ href: `${base}/${id}` }], collection: [{ href: base }] };
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
					post.slug = freeSlug(() => table.values(), post, wanted);
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
		const slugOf = (id: number): string => store.terms.get(id)?.slug ?? '';
		const shape: Shape = {
			id: ticket.id,
			...datesOf(ticket),
			slug: ticket.slug,
			status: dialect.statusOut(ticket.status),
			type: 'ticket',
			link: `${call.origin}/ticket/${ticket.slug}/`,
			title: shown(call, ticket.title),
			content: { ...shown(call, ticket.content, true), protected: false },
			author: ticket.author,
			'ticket-tag': ticket['ticket-tag'],
			...Object.fromEntries(ticketTermFields.map((field) => [field, slugOf(ticket[field])])),
			state: ticket.state,
			...Object.fromEntries(assignees.map((field) => [field, ticket[field]])),
			'customer-reply-count': ticket['customer-reply-count'],
			'agent-reply-count': ticket['agent-reply-count'],
			'total-reply-count': ticket['total-reply-count'],
			'time-calculated': calculated,
			'time-adjustments': adjustment,
			// Only + adds; every other word subtracts.
			'time-final': type === '+' ? calculated + adjustment : calculated - adjustment,
			'time-adjustments-type': type,
			'time-notes': ticket['time-notes'],
			_links: linksOf(call, '/tickets', ticket.id),
		};
		return withNewFields(shape, ticketFields, ticket, dialect);
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
		remove: store.removeTicket,

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
	const { store, dialect } = service;
	const titleOf = (reply: ReplyRecord): string => `Reply to ticket #${reply.ticket}`;
	const posts = createPosts<ReplyRecord>(service, {
		table: store.replies,
		titleOf,
		shape(call, reply) {
			const shape = {
				id: reply.id,
				...datesOf(reply),
				slug: reply.slug,
				status: reply.status,
				type: 'ticket_reply',
				title: shown(call, titleOf(reply)),
				content: { ...shown(call, reply.content, true), protected: false },
				author: reply.author,
				parent: reply.ticket,
				_links: linksOf(call, `/tickets/${reply.ticket}/replies`, reply.id),
			};
			return withNewFields(shape, replyFields, reply, dialect);
		},
		store(reply, sent) {
			store.moveReply(reply, sent.ticket_id as number);
			delete sent.ticket_id;
		},
		remove: store.removeReply,
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
	const { store, dialect } = service;
	return createPosts<AttachmentRecord>(service, {
		table: store.attachments,
		titleOf: (attachment) => attachment.title,
		shape(call, attachment) {
			const url = `${call.origin}/files/${attachment.file}`;
			const shape = {
				id: attachment.id,
				...datesOf(attachment),
				guid: call.edit ? { raw: url, rendered: url } : { rendered: url },
				slug: attachment.slug,
				status: attachment.status,
				type: 'attachment',
				link: `${call.origin}/${attachment.slug}/`,
				title: shown(call, attachment.title),
				author: attachment.author,
				comment_status: attachment.comment_status,
				ping_status: attachment.ping_status,
				template: attachment.template,
				meta: [],
				alt_text: attachment.alt_text,
				caption: shown(call, attachment.caption, true),
				description: shown(call, attachment.description, true),
				media_type: attachment.mime_type.startsWith('image/') ? 'image' : 'file',
				mime_type: attachment.mime_type,
				post: attachment.post,
				source_url: url,
				_links: linksOf(call, '/attachments', attachment.id),
			};
			return withNewFields(shape, attachmentFields, attachment, dialect);
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

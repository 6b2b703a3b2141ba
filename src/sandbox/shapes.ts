/** Records → the answers of the live service (service notes, "Answers"). */

import { attachmentFields, type Field, replyFields, termFields, ticketFields, userFields } from '../api/fields.js';
import { capabilitiesOf } from './access.js';
import type { Call, Desk } from './call.js';
import type {
	AttachmentRecord,
	CustomField,
	PasswordRecord,
	ReplyRecord,
	TermRecord,
	TicketRecord,
	UserRecord,
} from './records.js';

type Shape = Record<string, unknown>;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
	return /[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (each) => ENTITIES[each] as string) : text;
}

const paragraphs = (text: string): string => (text === '' ? '' : `<p>${escapeHtml(text)}</p>\n`);

function statusOut(desk: Desk, status: string): string {
	return status === 'trash' ? status : desk.dialect.statusOut(status);
}

function links(desk: Desk, call: Call, collection: string, id: number): Shape {
	const base = `${call.origin}${desk.root}${collection}`;
	return { self: [{ href: `${base}/${id}` }], collection: [{ href: base }] };
}

/** Adds what the table has and the live service's shape does not: a field that was added is shown once it was set. */
function withOthers(desk: Desk, shape: Shape, fields: readonly Field[], record: object): Shape {
	for (const { name, kind } of fields) {
		if (kind === 'secret' || !Object.hasOwn(record, name)) continue;
		const wireName = desk.dialect.fieldOut(name);
		if (!(wireName in shape)) shape[wireName] = record[name as never];
	}
	return shape;
}

/** One term as a ticket's string: its slug, or nothing. */
function termSlug(desk: Desk, id: number): string {
	return id === 0 ? '' : (desk.store.terms.get(id)?.slug ?? '');
}

export function ticketShape(desk: Desk, call: Call, ticket: TicketRecord): Shape {
	const calculated = ticket['time-calculated'];
	const adjustment = ticket['time-adjustments'];
	const shape = {
		id: ticket.id,
		date: ticket.date,
		date_gmt: ticket.date,
		modified: ticket.modified,
		modified_gmt: ticket.modified,
		slug: ticket.slug,
		status: statusOut(desk, ticket.status),
		type: 'ticket',
		link: `${call.origin}/ticket/${ticket.slug}/`,
		title: { raw: ticket.title, rendered: escapeHtml(ticket.title) },
		content: { raw: ticket.content, rendered: paragraphs(ticket.content), protected: false },
		author: ticket.author,
		'ticket-tag': ticket['ticket-tag'],
		product: termSlug(desk, ticket.product),
		department: termSlug(desk, ticket.department),
		ticket_priority: termSlug(desk, ticket.ticket_priority),
		ticket_channel: termSlug(desk, ticket.ticket_channel),
		state: ticket.state,
		assignee: ticket.assignee,
		'secondary-assignee': ticket['secondary-assignee'],
		'tertiary-assignee': ticket['tertiary-assignee'],
		'customer-reply-count': ticket['customer-reply-count'],
		'agent-reply-count': ticket['agent-reply-count'],
		'total-reply-count': ticket['total-reply-count'],
		'time-calculated': calculated,
		'time-adjustments': adjustment,
		'time-final': ticket['time-adjustments-type'] === '+' ? calculated + adjustment : calculated - adjustment,
		'time-adjustments-type': ticket['time-adjustments-type'],
		'time-notes': ticket['time-notes'],
		_links: links(desk, call, '/tickets', ticket.id),
	};
	return withOthers(desk, shape, ticketFields, ticket);
}

export function replyShape(desk: Desk, call: Call, reply: ReplyRecord): Shape {
	const shape = {
		id: reply.id,
		date: reply.date,
		date_gmt: reply.date,
		modified: reply.modified,
		modified_gmt: reply.modified,
		slug: `reply-${reply.id}`,
		status: reply.status,
		type: 'ticket_reply',
		title: { raw: `Reply to ticket #${reply.ticket}`, rendered: `Reply to ticket #${reply.ticket}` },
		content: { raw: reply.content, rendered: paragraphs(reply.content), protected: false },
		author: reply.author,
		parent: reply.ticket,
		_links: links(desk, call, `/tickets/${reply.ticket}/replies`, reply.id),
	};
	return withOthers(desk, shape, replyFields, reply);
}

export function userShape(desk: Desk, call: Call, user: UserRecord): Shape {
	const avatar = (size: number): string => `${call.origin}/avatar/${user.id}?s=${size}`;
	const { dialect } = desk;
	const shape = {
		id: user.id,
		username: user.username,
		name: user.name,
		first_name: user.first_name,
		last_name: user.last_name,
		email: user.email,
		url: user.url,
		description: user.description,
		link: `${call.origin}/author/${user.slug}/`,
		locale: user.locale,
		nickname: user.nickname,
		slug: user.slug,
		roles: user.roles,
		registered_date: user.registered_date,
		capabilities: capabilitiesOf(user),
		extra_capabilities: Object.fromEntries(user.roles.map((role) => [role, true])),
		avatar_urls: { '24': avatar(24), '48': avatar(48), '96': avatar(96) },
		meta: user.meta,
		[dialect.fieldOut('support_can_be_assigned')]: user.support_can_be_assigned,
		[dialect.fieldOut('support_smart_tickets_order')]: user.support_smart_tickets_order,
		[dialect.fieldOut('support_after_reply')]: user.support_after_reply,
		_links: links(desk, call, '/users', user.id),
	};
	return withOthers(desk, shape, userFields, user);
}

export function termShape(desk: Desk, call: Call, term: TermRecord): Shape {
	const shape = {
		id: term.id,
		count: desk.store.termCount(term),
		description: term.description,
		link: `${call.origin}/${term.taxonomy}/${term.slug}/`,
		name: term.name,
		slug: term.slug,
		taxonomy: term.taxonomy,
		parent: term.parent,
		meta: term.meta,
		...(term.color === undefined ? {} : { color: term.color }),
		_links: links(desk, call, `/${term.taxonomy}`, term.id),
	};
	return withOthers(desk, shape, termFields, term);
}

export function attachmentShape(desk: Desk, call: Call, attachment: AttachmentRecord): Shape {
	const url = `${call.origin}/files/${attachment.file}`;
	const shape = {
		id: attachment.id,
		date: attachment.date,
		date_gmt: attachment.date,
		guid: { raw: url, rendered: url },
		modified: attachment.modified,
		modified_gmt: attachment.modified,
		slug: attachment.slug,
		status: attachment.status,
		type: 'attachment',
		link: `${call.origin}/${attachment.slug}/`,
		title: { raw: attachment.title, rendered: escapeHtml(attachment.title) },
		author: attachment.author,
		comment_status: attachment.comment_status,
		ping_status: attachment.ping_status,
		template: attachment.template,
		meta: attachment.meta,
		alt_text: attachment.alt_text,
		caption: { raw: attachment.caption, rendered: paragraphs(attachment.caption) },
		description: { raw: attachment.description, rendered: paragraphs(attachment.description) },
		media_type: attachment.mime_type.startsWith('image/') ? 'image' : 'file',
		mime_type: attachment.mime_type,
		post: attachment.post,
		source_url: url,
		_links: links(desk, call, '/attachments', attachment.id),
	};
	return withOthers(desk, shape, attachmentFields, attachment);
}

/** The hash stands only where something is deleted for good: callers have to keep it off the screen. */
export function passwordShape(password: PasswordRecord, withHash = false): Shape {
	return {
		slug: password.slug,
		name: password.name,
		...(withHash ? { password: password.hash } : {}),
		created: password.created,
		last_used: password.last_used,
		last_ip: null,
	};
}

/** A custom field's HTML control, holding its value. */
export function customMarkup(field: CustomField, value: string): string {
	const attributes = `name="${field.name}" id="${field.name}"`;
	const text = escapeHtml(value);
	switch (field.control) {
		case 'textarea':
			return `<textarea ${attributes}>${text}</textarea>`;
		case 'checkbox':
			return `<input type="checkbox" ${attributes} value="1"${value === '1' ? ' checked' : ''}>`;
		case 'select': {
			const option = (each: string): string =>
				`<option value="${escapeHtml(each)}"${each === value ? ' selected' : ''}>${escapeHtml(each)}</option>`;
			return `<select ${attributes}>${(field.options ?? []).map(option).join('')}</select>`;
		}
		default:
			return `<input type="${field.control}" ${attributes} value="${text}">`;
	}
}

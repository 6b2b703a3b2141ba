/** The fields of each resource (interface section 2). */

import { type FieldKind, kinds } from './kinds.js';

export interface Field {
	readonly name: string;
	readonly kind: FieldKind;
	readonly help: string;
	/** By the service, which ignores what is written or keeps it until the next count. Exports leave it out. */
	readonly computed?: 'always' | 'unless written';
	/** Services show `null` for none, which says nothing about any other field. */
	readonly isNullable?: true;
}

function field(name: string, kind: FieldKind, help: string, computed?: Field['computed']): Field {
	return { name, kind, help, ...(computed && { computed }) };
}

const dates = [
	field('date', 'date', "Publication date in the site's timezone"),
	field('date_gmt', 'date', 'Publication date in GMT'),
];
const slug = field('slug', 'text', 'Alphanumeric identifier, unique within its type');
const author = field('author', 'user', 'ID of the author');
const meta = field('meta', 'map', 'Meta fields');

/** Section 2.1 without the ID, which is in the path. */
export const ticketFields: readonly Field[] = [
	...dates,
	slug,
	field('status', 'status', 'Named status'),
	field('title', 'text', 'Title of the ticket'),
	field('content', 'longtext', 'Content of the ticket'),
	field('ticket-tag', 'terms', 'Terms in the ticket-tag taxonomy'),
	field('product', 'term', 'Term in the product taxonomy'),
	field('department', 'term', 'Term in the department taxonomy'),
	field('ticket_priority', 'term', 'Term in the ticket_priority taxonomy'),
	field('ticket_channel', 'term', 'Term in the ticket_channel taxonomy'),
	field('state', 'state', 'State of the ticket'),
	author,
	field('assignee', 'user', 'Agent assigned: ID, username, @me or none'),
	field('secondary-assignee', 'user', 'Secondary assignee'),
	field('tertiary-assignee', 'user', 'Tertiary assignee'),
	field('customer-reply-count', 'integer', 'Number of customer replies', 'always'),
	field('agent-reply-count', 'integer', 'Number of agent replies', 'always'),
	field('total-reply-count', 'integer', 'Total number of replies', 'always'),
	field('time-calculated', 'integer', 'Gross time calculated, in minutes', 'unless written'),
	field('time-adjustments', 'integer', 'Time adjustments for the ticket, in minutes'),
	field('time-adjustments-type', 'adjustment', '+ adds the adjustment, - subtracts it (some services ignore -)'),
	field('time-notes', 'text', 'Notes about the time'),
];

/** Section 2.2 without the IDs, which are in the path. */
export const replyFields: readonly Field[] = [
	...dates,
	field('status', 'text', 'Named status'),
	field('content', 'longtext', 'Content of the reply'),
	author,
];

export const usernameField = field('username', 'text', 'Login name');
export const passwordField = field('password', 'secret', 'Password');
export const credentialFields: readonly Field[] = [usernameField, passwordField];

/** Section 2.3 without the ID. */
export const userFields: readonly Field[] = [
	usernameField,
	field('name', 'text', 'Display name'),
	field('first_name', 'text', 'First name'),
	field('last_name', 'text', 'Last name'),
	field('email', 'email', 'Email address of the user'),
	field('url', 'text', 'URL of the user'),
	field('description', 'text', 'Description of the user'),
	field('locale', 'text', 'Locale of the user'),
	field('nickname', 'text', 'Nickname'),
	field('slug', 'text', 'Alphanumeric identifier of the user'),
	field('roles', 'list', 'Roles assigned to the user'),
	passwordField,
	meta,
	field('support_can_be_assigned', 'boolean', 'Whether new tickets can be assigned to this user'),
	field('support_smart_tickets_order', 'switch', 'Whether tickets needing immediate attention are listed first'),
	field('support_after_reply', 'text', 'What happens after a reply, with Smart Tickets Order'),
];

/** Section 2.4 without the ID. */
export const attachmentFields: readonly Field[] = [
	...dates,
	slug,
	field('status', 'text', 'Named status'),
	field('title', 'text', 'Title'),
	author,
	field('comment_status', 'text', 'Whether comments are open'),
	field('ping_status', 'text', 'Whether the object can be pinged'),
	meta,
	field('template', 'text', 'Theme file used to display the object'),
	field('alt_text', 'text', 'Alternative text shown when the attachment is not displayed'),
	field('caption', 'text', 'Caption of the attachment'),
	field('description', 'text', 'Description of the attachment'),
	{ ...field('post', 'integer', 'ID of the post the attachment belongs to'), isNullable: true },
];

/** Section 2.5 without the ID. */
export const termFields: readonly Field[] = [
	field('description', 'text', 'HTML description'),
	field('name', 'text', 'HTML title'),
	slug,
	field('parent', 'integer', 'ID of the parent term'),
	meta,
];

/** Two of them have routes (sections 1 and 2.5). */
export const taxonomies = ['ticket-tag', 'product', 'department', 'ticket_priority', 'ticket_channel'] as const;

/** @param value as a service shows it: not every one says something about the field */
export function isValueOf({ kind, isNullable }: Pick<Field, 'kind' | 'isNullable'>, value: unknown): boolean {
	return value === null ? isNullable === true : kinds[kind].shows(value);
}

/** `ticket_priority` is set by `--ticket-priority`. */
export function flagName(fieldName: string): string {
	return fieldName.replaceAll('_', '-');
}

/** By its name or by the spelling of its flag. */
export function findField<Named extends Pick<Field, 'name'>>(
	fields: readonly Named[],
	name: string,
): Named | undefined {
	const wanted = flagName(name.trim().toLowerCase());
	return fields.find((each) => flagName(each.name) === wanted);
}

/** The custom fields of tickets. */

import { allowed, type Call, type Handler, type Service, signedIn } from '../call.js';
import { noPost, ok } from '../responses.js';
import type { TicketRecord } from '../store.js';
import { escapeAttribute } from '../text.js';
import { type CustomField, customFields } from '../words.js';

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

/** @param prefix what a write wants before the names that a read shows: `xx_` */
export function createCustomFields(service: Service, prefix: string): Record<'get' | 'set', Handler> {
	const { store } = service;

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
			store.setCustomValues(ticket.id, values);
			// Both were seen: null, and no body at all.
			return ok(ticket.id % 2 === 0 ? null : undefined);
		},
	};
}

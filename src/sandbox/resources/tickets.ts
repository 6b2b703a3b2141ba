/** What requests about tickets and their custom fields mean. */

import { endpoints } from '../../api/endpoints.js';
import { isObject } from '../../api/values.js';
import { type Acceptor, acceptRichText, createBodyReader, toInteger } from '../accept.js';
import { allowed, forbidden, may, signedIn } from '../access.js';
import {
	alreadyTrashed,
	invalidParameter,
	invalidParameters,
	missingParameters,
	noPost,
	type Reason,
	ServiceError,
} from '../answers.js';
import { type Call, type Desk, forced, idParameter, type Meaning, ok, parameter } from '../call.js';
import { ascending, integerQuery, pageOf } from '../lists.js';
import type { TicketRecord } from '../records.js';
import { slugify } from '../seed.js';
import { customMarkup, ticketShape } from '../shapes.js';
import { ticketTermFields } from '../store.js';
import { customFields } from '../words.js';
import { createSlugs } from './slugs.js';

const states = ['open', 'closed'];

/** Fields of a ticket that hold a user's id, and 0 for nobody. */
const assignees = ['assignee', 'secondary-assignee', 'tertiary-assignee'] as const;

export function createTickets(
	desk: Desk,
): Record<'update' | 'remove' | 'read' | 'list' | 'fieldsGet' | 'fieldsSet', Meaning> {
	const { store } = desk;
	const slugs = createSlugs(store.tickets);

	/** A term's id by its slug, or by its id in digits; 0 for the empty text. */
	function findTerm(taxonomy: string, text: string): number | undefined {
		if (text === '') return 0;
		const byId = store.terms.get(toInteger(text) ?? -1);
		if (byId?.taxonomy === taxonomy) return byId.id;
		for (const term of store.terms.values()) if (term.taxonomy === taxonomy && term.slug === text) return term.id;
		return undefined;
	}

	const acceptTerm =
		(taxonomy: string): Acceptor =>
		(value, name) => {
			if (typeof value !== 'string') return { code: 'rest_invalid_type', message: `${name} is not of type string.` };
			const id = findTerm(taxonomy, value);
			return id === undefined ? undefined : { value: id };
		};

	/** Term ids; those that are not tags are left out without a word. */
	const acceptTags: Acceptor = (value, name) => {
		const list = typeof value === 'string' ? value.split(',').filter((each) => each.trim() !== '') : value;
		if (!Array.isArray(list)) return { code: 'rest_invalid_type', message: `${name} is not of type array.` };
		const ids = new Set<number>();
		for (const [index, each] of list.entries()) {
			const id = toInteger(typeof each === 'string' ? each.trim() : each);
			if (id === undefined) {
				return { code: 'rest_invalid_type', message: `${name}[${index}] is not of type integer.` };
			}
			if (store.terms.get(id)?.taxonomy === 'ticket-tag') ids.add(id);
		}
		return { value: [...ids] };
	};

	/** A value outside the known ones is ignored without a word. */
	const acceptState: Acceptor = (value) => (states.includes(value as string) ? { value } : undefined);

	const acceptAssignee: Acceptor = (value, name) => {
		const id = toInteger(value);
		if (id === undefined) return { code: 'rest_invalid_type', message: `${name} is not of type integer.` };
		return id === 0 || store.users.get(id) !== undefined ? { value: id } : undefined;
	};

	const readBody = createBodyReader(endpoints['ticket.update'], desk.dialect, {
		title: acceptRichText,
		content: acceptRichText,
		state: acceptState,
		'ticket-tag': acceptTags,
		...Object.fromEntries(ticketTermFields.map((taxonomy) => [taxonomy, acceptTerm(taxonomy)])),
		...Object.fromEntries(assignees.map((name) => [name, acceptAssignee])),
	});

	function find(call: Call, name: string): TicketRecord {
		const ticket = store.tickets.get(idParameter(call, name));
		if (ticket === undefined) throw noPost();
		return ticket;
	}

	/** Only the author or an administrator reads or writes custom fields. */
	function findForFields(call: Call, name: string): TicketRecord {
		const id = idParameter(call, name);
		const caller = signedIn(call.caller);
		const ticket = store.tickets.get(id);
		if (ticket === undefined) throw noPost();
		if (ticket.author !== caller.id && !may(caller, 'manage_custom_fields')) {
			throw forbidden('rest_cannot_create', 'use the custom fields of this ticket');
		}
		return ticket;
	}

	function hasStatus(status: string | null): (ticket: TicketRecord) => boolean {
		if (status === null || status === '') return (ticket) => ticket.status !== 'trash';
		if (status === 'any') return () => true;
		const wanted = new Set(status.split(',').map((each) => desk.dialect.statusIn(each.trim())));
		return (ticket) => wanted.has(ticket.status);
	}

	/** The query's conditions as tests, all of which a ticket has to pass. */
	function conditions(call: Call): ((ticket: TicketRecord) => boolean)[] {
		const caller = allowed(call.caller, 'read_tickets', 'rest_forbidden_context', 'list tickets');
		const tests = [hasStatus(call.query.get('status'))];
		// By default only the caller's own; 0 stands for everyone's (section 2.1).
		const author = integerQuery(call, 'author') ?? caller.id;
		if (author !== 0) tests.push((ticket) => ticket.author === author);
		for (const name of assignees) {
			const id = integerQuery(call, name);
			if (id !== undefined && id !== 0) tests.push((ticket) => ticket[name] === id);
		}
		const state = call.query.get('state');
		if (state !== null && states.includes(state)) tests.push((ticket) => ticket.state === state);
		for (const taxonomy of ticketTermFields) {
			const text = call.query.get(taxonomy);
			if (text === null || text === '') continue;
			const id = findTerm(taxonomy, text) ?? -1;
			tests.push((ticket) => ticket[taxonomy] === id);
		}
		const tag = call.query.get('ticket-tag');
		if (tag !== null && tag !== '') {
			const id = findTerm('ticket-tag', tag) ?? -1;
			tests.push((ticket) => ticket['ticket-tag'].includes(id));
		}
		const search = call.query.get('search')?.toLowerCase();
		if (search) {
			tests.push(
				(ticket) => ticket.title.toLowerCase().includes(search) || ticket.content.toLowerCase().includes(search),
			);
		}
		return tests;
	}

	// Whoever pages through a list asks for the same one a hundred times.
	let last: { key: string; version: number; found: TicketRecord[] } | undefined;

	function findAll(call: Call): TicketRecord[] {
		const query = new URLSearchParams(call.query);
		query.delete('page');
		query.delete('per_page');
		const tests = conditions(call);
		const key = `${call.caller?.id} ${query}`;
		if (last?.key === key && last.version === store.version) return last.found;
		const found: TicketRecord[] = [];
		for (const ticket of store.tickets.values()) if (tests.every((test) => test(ticket))) found.push(ticket);
		if (!ascending(call, false)) found.reverse();
		last = { key, version: store.version, found };
		return found;
	}

	return {
		update(call) {
			const id = idParameter(call, 'id');
			const sent = readBody(call.body);
			allowed(call.caller, 'edit_tickets', 'rest_cannot_edit', 'edit this post');
			const ticket = store.tickets.get(id);
			if (ticket === undefined) throw noPost();
			if (sent.author !== undefined && store.users.get(sent.author as number) === undefined) {
				throw new ServiceError(400, 'rest_invalid_author', 'Invalid author ID.');
			}
			const { date, date_gmt, slug, ...rest } = sent;
			Object.assign(ticket, rest);
			if (date !== undefined || date_gmt !== undefined) ticket.date = (date ?? date_gmt) as string;
			if (slug !== undefined) ticket.slug = slugs.take(ticket, slugify(slug as string) || slugify(ticket.title));
			ticket.modified = desk.now();
			store.tickets.put(ticket);
			return ok(ticketShape(desk, call, ticket));
		},

		remove(call) {
			const force = forced(call);
			const id = idParameter(call, 'id');
			allowed(call.caller, 'delete_tickets', 'rest_cannot_delete', 'delete this post');
			const ticket = store.tickets.get(id);
			if (ticket === undefined) throw noPost();
			if (force) {
				const previous = ticketShape(desk, call, ticket);
				store.removeTicket(ticket);
				return ok({ deleted: true, previous });
			}
			if (ticket.status === 'trash') throw alreadyTrashed();
			ticket.status = 'trash';
			ticket.modified = desk.now();
			store.tickets.put(ticket);
			return ok(ticketShape(desk, call, ticket));
		},

		read(call) {
			const caller = signedIn(call.caller);
			const ticket = find(call, 'id');
			if (ticket.author !== caller.id) {
				allowed(caller, 'read_tickets', 'rest_forbidden', 'read this ticket');
			}
			return ok(ticketShape(desk, call, ticket));
		},

		list(call) {
			return pageOf(desk, call, findAll(call), (ticket) => ticketShape(desk, call, ticket), true);
		},

		fieldsGet(call) {
			const ticket = findForFields(call, 'id');
			const values = store.customValuesOf(ticket.id);
			const entries = customFields.map((field) => {
				const value = values[field.name] ?? '';
				return [field.name, { name: field.label, value, markup: customMarkup(field, value) }];
			});
			return ok(Object.fromEntries(entries));
		},

		fieldsSet(call) {
			const sent = parameter(call, 'custom_fields');
			if (sent === undefined) throw missingParameters(['custom_fields']);
			// An empty object is an empty list to the language that the live service is written in.
			if (!isObject(sent) && !(Array.isArray(sent) && sent.length === 0)) {
				throw invalidParameter('custom_fields', 'custom_fields is not of type object.', 'rest_invalid_type');
			}
			const reasons = new Map<string, Reason>();
			for (const [name, value] of Object.entries(sent)) {
				if (typeof value !== 'object' || value === null) continue;
				const message = `custom_fields[${name}] is not of type string.`;
				reasons.set(`custom_fields[${name}]`, { code: 'rest_invalid_type', message });
			}
			if (reasons.size > 0) throw invalidParameters(reasons);
			const ticket = findForFields(call, 'ticket_id');
			const values = { ...store.customValuesOf(ticket.id) };
			for (const { name } of customFields) {
				if (Object.hasOwn(sent, name)) values[name] = String((sent as Record<string, unknown>)[name] ?? '');
			}
			store.setCustomValues(ticket.id, values);
			return ok(null);
		},
	};
}

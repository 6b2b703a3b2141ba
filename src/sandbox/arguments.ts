/** The arguments of a route as data, and the check that turns what was sent into values. */

import type { Dialect } from '../api/dialect.js';
import type { Endpoint } from '../api/endpoints.js';
import { type FieldKind, ticketStatuses, ticketStatusGroups } from '../api/fields.js';
import { emptyRecord, isObject, readMoment } from '../api/values.js';
import { invalidArguments, type Reason, ServiceError } from './responses.js';
import { locales } from './samples.js';
import { stamp } from './text.js';

/** What an argument takes; the list of routes shows it as it is. */
export interface Argument {
	readonly type: 'string' | 'integer' | 'boolean' | 'array' | 'object';
	readonly description?: string;
	readonly required?: boolean;
	readonly format?: 'date-time' | 'email';
	readonly enum?: readonly string[];
	readonly items?: { readonly type: 'string' | 'integer' };
	readonly default?: unknown;
	readonly minimum?: number;
	readonly maximum?: number;
	/** Whether null is taken as if nothing was sent. */
	readonly ignoresNull?: boolean;
}

export type Arguments = Readonly<Record<string, Argument>>;

export const integer: Argument = { type: 'integer' };
export const text: Argument = { type: 'string' };
export const texts: Argument = { type: 'array', items: { type: 'string' } };
export const integers: Argument = { type: 'array', items: { type: 'integer' } };
export const date: Argument = { type: 'string', format: 'date-time' };
export const oneOf = (...values: readonly string[]): Argument => ({ type: 'string', enum: values });

/** Fields of other kinds are text. */
const byKind: Partial<Record<FieldKind, Argument>> = {
	integer,
	user: integer,
	boolean: { type: 'boolean' },
	switch: { type: 'boolean' },
	date,
	email: { type: 'string', format: 'email' },
	term: { type: 'string', ignoresNull: true },
	terms: integers,
	list: texts,
	map: { type: 'object' },
};

const openOrClosed = oneOf('open', 'closed');

/** What the interface does not show of some fields, as a live service had it. */
const known: Readonly<Record<string, Arguments>> = {
	'reply.update': { status: oneOf('read', 'unread') },
	'user.update': { locale: oneOf(...locales), support_after_reply: oneOf('stay', 'back', 'ask') },
	'attachment.update': {
		status: oneOf('inherit', ...ticketStatusGroups.general),
		comment_status: openOrClosed,
		ping_status: openOrClosed,
	},
};

/** The arguments of an endpoint, under the deployment's names. */
export function argumentsOf(endpoint: Endpoint, dialect: Dialect): Arguments {
	const found: Record<string, Argument> = {};
	for (const { name, kind } of endpoint.parameters) found[name] = kind === 'id' ? integer : text;
	for (const { name, kind, presence } of endpoint.query) {
		found[name] = kind === 'id' ? { ...integer, required: presence === 'must' } : { type: 'boolean', default: false };
	}
	const statuses = oneOf(...ticketStatuses.map(dialect.statusOut));
	for (const { name, kind, help } of endpoint.fields) {
		const argument = known[endpoint.name]?.[name] ?? (kind === 'status' ? statuses : (byKind[kind] ?? text));
		const required = endpoint.required.includes(name) ? { required: true } : {};
		found[dialect.fieldOut(name)] = { description: help, ...argument, ...required };
	}
	if (endpoint.body === 'custom_fields')
		found.custom_fields = { type: 'object', items: { type: 'string' }, required: true };
	if (endpoint.name === 'term.update.ticket_priority') found.color = text;
	return found;
}

type Checked = { value: unknown } | Reason;

function check(value: unknown, name: string, argument: Argument): Checked {
	const { type, minimum = -Infinity, maximum = Infinity } = argument;
	const wrong: Reason = { code: 'rest_invalid_type', message: `${name} is not of type ${type}.` };
	switch (type) {
		case 'integer': {
			// Digits in a string are accepted, and too many of them are the largest number.
			const isDigits = typeof value === 'string' && /^-?\d+$/.test(value);
			const number = isDigits ? Math.min(Number(value), Number.MAX_SAFE_INTEGER) : (value as number);
			if (!Number.isSafeInteger(number)) return wrong;
			if (number >= minimum && number <= maximum) return { value: number };
			const range = maximum === Infinity ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
			return { code: 'rest_out_of_bounds', message: `${name} must be ${range}` };
		}
		case 'boolean':
			if ([true, 1, '1', 'true'].includes(value as string)) return { value: true };
			return [false, 0, '0', 'false', ''].includes(value as string) ? { value: false } : wrong;
		case 'array': {
			const list = typeof value === 'string' ? value.split(',').filter((each) => each.trim() !== '') : value;
			if (!Array.isArray(list)) return wrong;
			const found: unknown[] = [];
			for (const [index, each] of list.entries()) {
				const trimmed = typeof each === 'string' ? each.trim() : each;
				const item = check(trimmed, `${name}[${index}]`, argument.items ?? text);
				if (!('value' in item)) return item;
				found.push(item.value);
			}
			return { value: found };
		}
		case 'object': {
			// An empty object is an empty list to the language that the live service is written in.
			if (Array.isArray(value) && value.length === 0) return { value: {} };
			if (!isObject(value)) return wrong;
			const deep =
				argument.items && Object.entries(value).find(([, each]) => typeof each === 'object' && each !== null);
			if (deep === undefined) return { value };
			return { code: 'rest_invalid_type', message: `${name}[${deep[0]}] is not of type string.` };
		}
		default: {
			// Text that a response shows as {raw, rendered} may be sent as {raw}.
			const raw = isObject(value) && 'raw' in value ? value.raw : value;
			if (typeof raw !== 'string') return wrong;
			if (argument.enum?.includes(raw) === false) {
				return { code: 'rest_not_in_enum', message: `${name} is not one of ${argument.enum.join(', ')}.` };
			}
			if (argument.format === 'email' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(raw)) {
				return { code: 'rest_invalid_email', message: 'Invalid email address.' };
			}
			if (argument.format !== 'date-time') return { value: raw };
			// GMT is the time zone of the sandbox.
			const moment = readMoment(raw);
			if (moment === undefined) return { code: 'rest_invalid_date', message: 'Invalid date.' };
			return { value: stamp(moment.ms) };
		}
	}
}

/**
 * Checks what was sent. Names that are no arguments are ignored; values leave under neutral names.
 * @param sources the later ones win: path, query, body
 * @throws ServiceError (400 with every reason)
 */
export function readArguments(
	takes: Arguments,
	sources: readonly Readonly<Record<string, unknown>>[],
	dialect: Dialect,
): Record<string, unknown> {
	const values = emptyRecord<unknown>();
	const missing: string[] = [];
	const reasons: [string, Reason][] = [];
	for (const [name, argument] of Object.entries(takes)) {
		const source = sources.findLast((each) => Object.hasOwn(each, name));
		if (source === undefined) {
			if (argument.required) missing.push(name);
			if (argument.default !== undefined) values[dialect.fieldIn(name)] = argument.default;
			continue;
		}
		if (argument.ignoresNull && source[name] === null) continue;
		const checked = check(source[name], name, argument);
		if ('value' in checked) values[dialect.fieldIn(name)] = checked.value;
		else reasons.push([name, checked]);
	}
	if (missing.length > 0) {
		const message = `Missing parameter(s): ${missing.join(', ')}`;
		throw new ServiceError(400, 'rest_missing_callback_param', message, { params: missing });
	}
	if (reasons.length > 0) throw invalidArguments(reasons);
	return values;
}

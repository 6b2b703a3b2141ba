/** The arguments of a route as data, and the check that turns what was sent into values. */

import type { Dialect } from '../api/dialect.js';
import type { Endpoint } from '../api/endpoints.js';
import type { Field } from '../api/fields.js';
import { emptyRecord } from '../api/record.js';
import { ticketStatuses, ticketStatusGroups } from '../api/statuses.js';
import { isIsoDate, isObject } from '../api/values.js';
import { invalidArguments, missingArguments, type Reason } from './responses.js';
import { stamp } from './text.js';
import { locales } from './words.js';

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
}

export type Arguments = Readonly<Record<string, Argument>>;

export const integer: Argument = { type: 'integer' };
export const text: Argument = { type: 'string' };
export const texts: Argument = { type: 'array', items: { type: 'string' } };
export const integers: Argument = { type: 'array', items: { type: 'integer' } };
export const date: Argument = { type: 'string', format: 'date-time' };
export const oneOf = (...values: readonly string[]): Argument => ({ type: 'string', enum: values });

/** What the interface does not show of some fields, as a live service had it. */
const knownValues: Readonly<Record<string, Readonly<Record<string, Argument>>>> = {
	'reply.update': { status: oneOf('read', 'unread') },
	'user.update': { locale: oneOf(...locales), support_after_reply: oneOf('stay', 'back', 'ask') },
	'attachment.update': {
		status: oneOf('inherit', ...ticketStatusGroups.general),
		comment_status: oneOf('open', 'closed'),
		ping_status: oneOf('open', 'closed'),
	},
};

function argumentOf(field: Field, dialect: Dialect): Argument {
	switch (field.kind) {
		case 'integer':
		case 'user':
			return integer;
		case 'boolean':
		case 'switch':
			return { type: 'boolean' };
		case 'date':
			return date;
		case 'status':
			return oneOf(...ticketStatuses.map(dialect.statusOut));
		case 'email':
			return { type: 'string', format: 'email' };
		case 'terms':
			return integers;
		case 'list':
			return texts;
		case 'map':
			return { type: 'object' };
		default:
			return text;
	}
}

/** The arguments of a documented endpoint, under the deployment's names. */
export function argumentsOf(endpoint: Endpoint, dialect: Dialect): Record<string, Argument> {
	const found: Record<string, Argument> = {};
	for (const { name, kind } of endpoint.parameters) found[name] = kind === 'id' ? integer : text;
	for (const { name, kind, presence } of endpoint.query) {
		found[name] =
			kind === 'id' ? { type: 'integer', required: presence === 'must' } : { type: 'boolean', default: false };
	}
	for (const field of endpoint.fields) {
		const known = knownValues[endpoint.name]?.[field.name] ?? argumentOf(field, dialect);
		const required = endpoint.required.includes(field.name);
		found[dialect.fieldOut(field.name)] = { description: field.help, ...known, ...(required ? { required } : {}) };
	}
	if (endpoint.body === 'custom_fields') found.custom_fields = { type: 'object', required: true };
	if (endpoint.name === 'term.update.ticket_priority') found.color = text;
	return found;
}

/** A whole number; digits in a string are accepted, and too many of them are the largest number. */
function toInteger(value: unknown): number | undefined {
	if (typeof value === 'string' && /^-?\d+$/.test(value)) {
		return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)));
	}
	return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** A date in GMT, which is the time zone of the sandbox, to the second. */
function toDate(value: string): string | undefined {
	if (!isIsoDate(value)) return undefined;
	const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value.slice(10));
	const ms = Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value.replace(',', '.') + (zoned ? '' : 'Z'));
	return Number.isNaN(ms) ? undefined : stamp(ms);
}

type Checked = { value: unknown } | Reason;

function checkText(value: string, name: string, argument: Argument): Checked {
	if (argument.enum !== undefined && !argument.enum.includes(value)) {
		return { code: 'rest_not_in_enum', message: `${name} is not one of ${argument.enum.join(', ')}.` };
	}
	if (argument.format === 'date-time') {
		const found = toDate(value);
		return found === undefined ? { code: 'rest_invalid_date', message: 'Invalid date.' } : { value: found };
	}
	if (argument.format === 'email' && !/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value)) {
		return { code: 'rest_invalid_email', message: 'Invalid email address.' };
	}
	return { value };
}

function check(value: unknown, name: string, argument: Argument): Checked {
	const { type, minimum = -Infinity, maximum = Infinity } = argument;
	const wrong: Reason = { code: 'rest_invalid_type', message: `${name} is not of type ${type}.` };
	switch (type) {
		case 'integer': {
			const number = toInteger(value);
			if (number === undefined) return wrong;
			if (number >= minimum && number <= maximum) return { value: number };
			const range =
				maximum === Infinity
					? `greater than or equal to ${minimum}`
					: `between ${minimum} (inclusive) and ${maximum} (inclusive)`;
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
				const item = check(trimmed, `${name}[${index}]`, { type: argument.items?.type ?? 'string' });
				if (!('value' in item)) return item;
				found.push(item.value);
			}
			return { value: found };
		}
		case 'object': {
			// An empty object is an empty list to the language that the live service is written in.
			if (Array.isArray(value) && value.length === 0) return { value: {} };
			if (!isObject(value)) return wrong;
			const deep = Object.entries(value).find(([, each]) => typeof each === 'object' && each !== null);
			return deep === undefined
				? { value }
				: { code: 'rest_invalid_type', message: `${name}[${deep[0]}] is not of type string.` };
		}
		default: {
			// Text that a response shows as {raw, rendered} may be sent as {raw}.
			const raw = isObject(value) && 'raw' in value ? value.raw : value;
			return typeof raw === 'string' ? checkText(raw, name, argument) : wrong;
		}
	}
}

/**
 * Checks what was sent. Names that are no arguments are ignored; values leave under neutral names.
 * @param sources the later ones win: path, query, body
 * @throws ServiceError (400 with every reason)
 */
export function readArguments(
	known: Arguments,
	sources: readonly Readonly<Record<string, unknown>>[],
	dialect: Dialect,
): Record<string, unknown> {
	const values = emptyRecord<unknown>();
	const missing: string[] = [];
	const reasons: [string, Reason][] = [];
	for (const [name, argument] of Object.entries(known)) {
		const source = sources.findLast((each) => Object.hasOwn(each, name));
		if (source === undefined) {
			if (argument.required) missing.push(name);
			if (argument.default !== undefined) values[dialect.fieldIn(name)] = argument.default;
			continue;
		}
		const checked = check(source[name], name, argument);
		if ('value' in checked) values[dialect.fieldIn(name)] = checked.value;
		else reasons.push([name, checked]);
	}
	if (missing.length > 0) throw missingArguments(missing);
	if (reasons.length > 0) throw invalidArguments(reasons);
	return values;
}

/** The arguments of a route as data, and the check that turns what was sent into values. */

import type { Dialect } from '../api/dialect.js';
import type { Endpoint } from '../api/endpoints.js';
import { type FieldKind, ticketStatuses, ticketStatusGroups } from '../api/fields.js';
import { emptyRecord, isObject, readMoment } from '../api/values.js';
import { invalidArguments, ServiceError } from './responses.js';
import { locales } from './samples.js';
import { stamp } from './text.js';

export interface Argument {
	/** The value to store; undefined if it is refused. */
	read(given: unknown): unknown;
	/** Why a value is refused, after the argument's name. */
	readonly refusal: string;
	readonly required?: boolean;
	readonly default?: unknown;
	/** Whether null counts as not sent. */
	readonly ignoresNull?: boolean;
}

export type Arguments = Readonly<Record<string, Argument>>;

/** Accepts digits in a string, too many of them as the largest number. */
function readInteger(given: unknown): number | undefined {
	const isDigits = typeof given === 'string' && /^-?\d+$/.test(given.trim());
	const number = isDigits ? Math.min(Number(given), Number.MAX_SAFE_INTEGER) : given;
	return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** Text that responses show as {raw, rendered} may be sent as {raw}. */
function readText(given: unknown): string | undefined {
	const raw = isObject(given) ? given.raw : given;
	return typeof raw === 'string' ? raw : undefined;
}

function readBoolean(given: unknown): boolean | undefined {
	if ([true, 1, '1', 'true'].some((each) => each === given)) return true;
	return [false, 0, '0', 'false', ''].some((each) => each === given) ? false : undefined;
}

/** Stored in GMT, the sandbox's timezone. */
function readDate(given: unknown): string | undefined {
	const moment = readMoment(readText(given) ?? '');
	return moment && stamp(moment.ms);
}

/** PHP doesn't tell an empty object from an empty list. */
function readObject(given: unknown): unknown {
	if (Array.isArray(given) && given.length === 0) return {};
	return isObject(given) ? given : undefined;
}

function listOf(item: Argument): Argument {
	return {
		...item,
		read(given) {
			const list = typeof given === 'string' ? given.split(',').filter((each) => each.trim() !== '') : given;
			if (!Array.isArray(list)) return undefined;
			const values = list.map(item.read);
			return values.includes(undefined) ? undefined : values;
		},
	};
}

const typed = (type: string, read: Argument['read']): Argument => ({ read, refusal: `is not of type ${type}.` });

export const integer = typed('integer', readInteger);
export const text = typed('string', readText);
const boolean = typed('boolean', readBoolean);
const object = typed('object', readObject);
export const integers = listOf(integer);
export const texts = listOf(text);
export const date: Argument = { read: readDate, refusal: 'is not a date.' };

export function between(least: number, most: number): Argument {
	const read = (given: unknown): number | undefined => {
		const number = readInteger(given);
		return number !== undefined && number >= least && number <= most ? number : undefined;
	};
	return { read, refusal: `must be from ${least} to ${most}.` };
}

export function oneOf(...values: readonly string[]): Argument {
	const read = (given: unknown): string | undefined => values.find((each) => each === given);
	return { read, refusal: `is not one of ${values.join(', ')}.` };
}

/** Fields of other kinds are text. */
const byKind: Partial<Record<FieldKind, Argument>> = {
	integer,
	user: integer,
	boolean,
	switch: boolean,
	date,
	term: { ...text, ignoresNull: true },
	terms: integers,
	list: texts,
	map: object,
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
		found[name] = kind === 'id' ? { ...integer, required: presence === 'must' } : { ...boolean, default: false };
	}
	const statuses = oneOf(...ticketStatuses.map(dialect.statusOut));
	for (const { name, kind } of endpoint.fields) {
		const argument = known[endpoint.name]?.[name] ?? (kind === 'status' ? statuses : (byKind[kind] ?? text));
		found[dialect.fieldOut(name)] = { ...argument, required: endpoint.required.includes(name) };
	}
	if (endpoint.body === 'custom_fields') found.custom_fields = { ...object, required: true };
	if (endpoint.name === 'term.update.ticket_priority') found.color = text;
	return found;
}

/**
 * Checks what was sent. Names that are no arguments are ignored; values leave under neutral names.
 * @param sources later ones take precedence: path, query, body
 * @throws ServiceError (400 with every reason)
 */
export function readArguments(
	takes: Arguments,
	sources: readonly Readonly<Record<string, unknown>>[],
	dialect: Dialect,
): Record<string, unknown> {
	const values = emptyRecord<unknown>();
	const missing: string[] = [];
	const reasons: Record<string, string> = {};
	for (const [name, argument] of Object.entries(takes)) {
		const given = sources.findLast((each) => Object.hasOwn(each, name))?.[name];
		if (given === undefined && argument.required) missing.push(name);
		if (given === null && argument.ignoresNull) continue;
		const value = given === undefined ? argument.default : argument.read(given);
		if (value !== undefined) values[dialect.fieldIn(name)] = value;
		else if (given !== undefined) reasons[name] = `${name} ${argument.refusal}`;
	}
	if (missing.length > 0) {
		const message = `Missing parameter(s): ${missing.join(', ')}`;
		throw new ServiceError(400, 'rest_missing_callback_param', message, { params: missing });
	}
	if (Object.keys(reasons).length > 0) throw invalidArguments(reasons);
	return values;
}

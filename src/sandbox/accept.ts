/** A request's body → the values that a resource takes; which fields there are comes from the endpoint table. */

import type { Dialect } from '../api/dialect.js';
import type { Endpoint } from '../api/endpoints.js';
import type { Field, FieldKind } from '../api/fields.js';
import { emptyRecord } from '../api/record.js';
import { ticketStatuses } from '../api/statuses.js';
import { isIsoDate, isObject } from '../api/values.js';
import { invalidParameters, type Reason } from './answers.js';

/** What a value becomes: one to store, a reason to refuse it, or nothing where it is ignored without a word. */
export type Accepted = { value: unknown } | Reason | undefined;

export type Acceptor = (value: unknown, name: string) => Accepted;

const wrongType = (name: string, type: string): Reason => ({
	code: 'rest_invalid_type',
	message: `${name} is not of type ${type}.`,
});

const notOneOf = (name: string, allowed: readonly string[]): Reason => ({
	code: 'rest_not_in_enum',
	message: `${name} is not one of ${allowed.join(', ')}.`,
});

export const acceptText: Acceptor = (value, name) =>
	typeof value === 'string' ? { value } : wrongType(name, 'string');

/** Text that is answered as `{raw, rendered}` may be sent as `{raw}`. */
export const acceptRichText: Acceptor = (value, name) =>
	acceptText(isObject(value) && 'raw' in value ? value.raw : value, name);

/** A whole number; digits in a string are accepted. */
export function toInteger(value: unknown): number | undefined {
	if (typeof value === 'string' && /^-?\d{1,16}$/.test(value)) value = Number(value);
	return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export const acceptInteger: Acceptor = (value, name) => {
	const number = toInteger(value);
	return number === undefined ? wrongType(name, 'integer') : { value: number };
};

export function toBoolean(value: unknown): boolean | undefined {
	if (value === true || value === 1 || value === '1' || value === 'true') return true;
	if (value === false || value === 0 || value === '0' || value === 'false') return false;
	return undefined;
}

const acceptBoolean: Acceptor = (value, name) => {
	const boolean = toBoolean(value);
	return boolean === undefined ? wrongType(name, 'boolean') : { value: boolean };
};

/** Stored in GMT, which is the sandbox's own timezone, to the second. */
const acceptDate: Acceptor = (value, name) => {
	if (typeof value !== 'string' || !isIsoDate(value)) return { code: 'rest_invalid_date', message: 'Invalid date.' };
	const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/.test(value.slice(10));
	const ms = Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value.replace(',', '.') + (zoned ? '' : 'Z'));
	return Number.isNaN(ms) ? wrongType(name, 'date') : { value: new Date(ms).toISOString().slice(0, 19) };
};

export function acceptOneOf(allowed: readonly string[]): Acceptor {
	return (value, name) => (typeof value === 'string' && allowed.includes(value) ? { value } : notOneOf(name, allowed));
}

const acceptEmail: Acceptor = (value, name) =>
	typeof value !== 'string'
		? wrongType(name, 'string')
		: /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value)
			? { value }
			: { code: 'rest_invalid_email', message: 'Invalid email address.' };

/** Anything but `+` counts as negative, as the live service had it. */
const acceptAdjustment: Acceptor = (value, name) =>
	typeof value === 'string' ? { value: value === '+' ? '+' : '-' } : wrongType(name, 'string');

const acceptList: Acceptor = (value, name) => {
	const list = typeof value === 'string' ? value.split(',').map((each) => each.trim()) : value;
	if (!Array.isArray(list)) return wrongType(name, 'array');
	const wrong = list.findIndex((each) => typeof each !== 'string');
	return wrong === -1 ? { value: list } : wrongType(`${name}[${wrong}]`, 'string');
};

/** Meta values are plain: that bounds how deep a stored body can be. */
const acceptMap: Acceptor = (value, name) => {
	// An empty map is an empty list to the language that the live service is written in.
	if (Array.isArray(value) && value.length === 0) return { value: {} };
	if (!isObject(value)) return wrongType(name, 'object');
	for (const [key, each] of Object.entries(value)) {
		if (typeof each === 'object' && each !== null) return wrongType(`${name}.${key}`, 'string');
	}
	return { value };
};

const byKind: Record<Exclude<FieldKind, 'status' | 'term' | 'terms'>, Acceptor> = {
	text: acceptText,
	longtext: acceptRichText,
	secret: acceptText,
	integer: acceptInteger,
	boolean: acceptBoolean,
	switch: acceptBoolean,
	date: acceptDate,
	email: acceptEmail,
	adjustment: acceptAdjustment,
	list: acceptList,
	map: acceptMap,
};

/** The statuses of section 3 as the deployment spells them; stored under their neutral names. */
function acceptStatus(dialect: Dialect): Acceptor {
	const own = new Map(ticketStatuses.map((status) => [dialect.statusOut(status), status]));
	return (value, name) => {
		const status = typeof value === 'string' ? own.get(value) : undefined;
		return status === undefined ? notOneOf(name, [...own.keys()]) : { value: status };
	};
}

/** Reads bodies of one endpoint. */
export type BodyReader = (body: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/**
 * Makes the reader of an endpoint's bodies: fields come in the deployment's names and leave under neutral ones;
 * fields that are not in the table are ignored.
 * @param own acceptors for fields whose values mean more than their kind says
 * @throws ServiceError (400 with every reason) from the reader
 */
export function createBodyReader(
	endpoint: Pick<Endpoint, 'fields'>,
	dialect: Dialect,
	own: Readonly<Record<string, Acceptor>> = {},
): BodyReader {
	const status = acceptStatus(dialect);
	const acceptorOf = (field: Field): Acceptor => {
		const mine = own[field.name];
		if (mine !== undefined) return mine;
		if (field.kind === 'status') return status;
		if (field.kind === 'term') return acceptText;
		if (field.kind === 'terms') return acceptList;
		return byKind[field.kind];
	};
	const known = new Map(
		endpoint.fields.map((field) => [dialect.fieldOut(field.name), { name: field.name, accept: acceptorOf(field) }]),
	);
	return (body) => {
		const values = emptyRecord<unknown>();
		let reasons: Map<string, Reason> | undefined;
		for (const wireName of Object.keys(body)) {
			const field = known.get(wireName);
			if (field === undefined) continue;
			const accepted = field.accept(body[wireName], wireName);
			if (accepted === undefined) continue;
			if ('value' in accepted) values[field.name] = accepted.value;
			else {
				reasons ??= new Map();
				reasons.set(wireName, accepted);
			}
		}
		if (reasons !== undefined) throw invalidParameters(reasons);
		return values;
	};
}

/** Adds what was sent to what was there; a null-prototype copy, so that any key is only a key. */
export function mergeMeta(earlier: Record<string, unknown>, sent: unknown): Record<string, unknown> {
	const result = emptyRecord<unknown>();
	for (const source of [earlier, sent as Record<string, unknown>]) {
		for (const [key, value] of Object.entries(source)) result[key] = value;
	}
	return result;
}

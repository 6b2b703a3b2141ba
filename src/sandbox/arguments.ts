/** The arguments of a route, and the check that turns what was sent into values. */

import type { Dialect } from '../api/dialect.js';
import { bodyKinds, type Endpoint } from '../api/endpoints.js';
import type { FieldKind } from '../api/kinds.js';
import { ticketStatuses } from '../api/statuses.js';
import { isObject, readMoment } from '../api/values.js';
import { stamp } from './generate.js';
import { ServiceError } from './responses.js';

/** @throws Refusal with the text after the argument's name */
export type Argument = (given: unknown) => unknown;

export type Arguments = Readonly<Record<string, Argument>>;

class Refusal extends Error {}

function refuse(why: string): never {
	throw new Refusal(why);
}

function listOf(item: Argument): Argument {
	return (given) => {
		const list = typeof given === 'string' ? given.split(',').filter((each) => each.trim() !== '') : given;
		return Array.isArray(list) ? list.map((each) => item(each)) : refuse('is not of type array.');
	};
}

const booleans = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }));

export const integer: Argument = (given) => {
	const isDigits = typeof given === 'string' && /^-?\d+$/.test(given.trim());
	const number = isDigits ? Number(given) : given;
	return Number.isInteger(number) ? number : refuse('is not of type integer.');
};
export const text: Argument = (given) => (typeof given === 'string' ? given : refuse('is not of type string.'));
const boolean: Argument = (given) => booleans.get(String(given)) ?? refuse('is not of type boolean.');
// PHP doesn't tell an empty object from an empty list.
const object: Argument = (given) =>
	isObject(given) || Array.isArray(given) ? given : refuse('is not of type object.');
export const integers = listOf(integer);
export const texts = listOf(text);
/** Stored in GMT, the sandbox's timezone. */
export const date: Argument = (given) => {
	const moment = typeof given === 'string' ? readMoment(given) : undefined;
	return moment === undefined ? refuse('is not a date.') : stamp(moment.ms);
};

/** What a service takes for a field; statuses have the deployment's names. */
const byKind: Readonly<Record<Exclude<FieldKind, 'status'>, Argument>> = {
	text,
	longtext: text,
	integer,
	user: integer,
	boolean,
	switch: boolean,
	date,
	state: text,
	adjustment: text,
	email: text,
	term: text,
	terms: integers,
	list: texts,
	map: object,
	secret: text,
};

/** Under the deployment's names. */
export function argumentsOf(endpoint: Endpoint, dialect: Dialect): Arguments {
	const { parameters, query, fields, cleared = [], body } = endpoint;
	const found: Record<string, Argument> = {};
	for (const { name, kind } of parameters) found[name] = kind === 'id' ? integer : text;
	for (const { name } of query) found[name] = name === 'reassign' ? integer : boolean;
	const statuses = new Map(ticketStatuses.map((status) => [dialect.toOwn(status), status]));
	const status: Argument = (given) =>
		statuses.get(String(given)) ?? refuse(`is not one of ${[...statuses.keys()].join(', ')}.`);
	for (const { name, kind } of fields) {
		found[dialect.toOwn(name)] = kind === 'status' ? status : byKind[kind];
	}
	for (const name of cleared) found[name] = text;
	const { under } = bodyKinds[body];
	if (under !== undefined) found[under] = object;
	return found;
}

/** @param sources later ones take precedence @returns values under neutral names @throws ServiceError with every reason */
export function readArguments(
	takes: Arguments,
	sources: readonly Readonly<Record<string, unknown>>[],
	dialect: Dialect,
): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	const reasons: Record<string, string> = {};
	for (const [name, read] of Object.entries(takes)) {
		const given = sources.findLast((each) => Object.hasOwn(each, name))?.[name];
		if (given === undefined) continue;
		try {
			values[dialect.toNeutral(name)] = read(given);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			reasons[name] = `${name} ${error.message}`;
		}
	}
	const refused = Object.keys(reasons);
	if (refused.length === 0) return values;
	throw new ServiceError(400, 'rest_invalid_param', `Invalid parameter(s): ${refused.join(', ')}`, { params: reasons });
}

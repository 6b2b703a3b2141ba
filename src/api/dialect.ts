/** A deployment's own abbreviations in place of the interface's neutral words, both ways (interface, "Naming convention"). */

import { userFields } from './fields.js';
import { ticketStatusGroups } from './statuses.js';
import { isObject } from './values.js';

/** What a deployment writes for `support`, `shop` and `shopm`. */
export interface Prefixes {
	product: string;
	shop: string;
	membership: string;
}

export const neutralPrefixes: Readonly<Prefixes> = { product: 'support', shop: 'shop', membership: 'shopm' };

/** Turns neutral names into the deployment's on the way out, and back on the way in. */
export interface Dialect {
	readonly prefixes: Readonly<Prefixes>;
	/** True if nothing is ever changed. */
	readonly neutral: boolean;
	/** The segment before the version: `support-api`. */
	readonly root: string;
	/** The deployment's name of a field or a status. */
	toOwn(name: string): string;
	toNeutral(name: string): string;
}

/** The words of the interface that begin with each prefix. */
const words: Readonly<Record<keyof Prefixes, readonly string[]>> = {
	product: userFields.map(({ name }) => name).filter((name) => name.startsWith(`${neutralPrefixes.product}_`)),
	shop: ticketStatusGroups.shop,
	membership: ticketStatusGroups.membership,
};

/** @param given a missing or empty prefix is the neutral word of the interface */
export function createDialect(given: Partial<Prefixes> = {}): Dialect {
	const prefixes = { ...neutralPrefixes };
	const out = new Map<string, string>();
	for (const key of ['product', 'shop', 'membership'] as const) {
		prefixes[key] = given[key] || neutralPrefixes[key];
		for (const word of words[key]) out.set(word, prefixes[key] + word.slice(neutralPrefixes[key].length));
	}
	const back = new Map([...out].map(([neutral, own]) => [own, neutral]));
	return {
		prefixes,
		neutral: [...out].every(([neutral, own]) => neutral === own),
		root: `${prefixes.product}-api`,
		toOwn: (name) => out.get(name) ?? name,
		toNeutral: (name) => back.get(name) ?? name,
	};
}

export const neutralDialect: Dialect = createDialect();

function translate(body: unknown, word: (name: string) => string): unknown {
	if (Array.isArray(body)) return body.map((each) => translate(each, word));
	if (!isObject(body)) return body;
	const entries = Object.entries(body).map(([name, value]) => {
		const isStatus = name === 'status' && typeof value === 'string';
		const own = isStatus ? word(value) : value;
		return [word(name), name === 'previous' ? translate(value, word) : own];
	});
	return Object.fromEntries(entries);
}

export function bodyIn({ neutral, toNeutral }: Dialect, body: unknown): unknown {
	return neutral ? body : translate(body, toNeutral);
}

export function bodyOut({ neutral, toOwn }: Dialect, body: unknown): unknown {
	return neutral ? body : translate(body, toOwn);
}

/** A deployment's own abbreviations in place of the interface's neutral words, both ways (interface, "Naming convention"). */

import { ticketStatusGroups, userFields } from './fields.js';

export interface Prefixes {
	product: string;
	shop: string;
	membership: string;
}

export const neutralPrefixes: Readonly<Prefixes> = { product: 'support', shop: 'shop', membership: 'shopm' };

export interface Dialect {
	readonly prefixes: Readonly<Prefixes>;
	readonly neutral: boolean;
	readonly root: string;
	/** Of a field or a status. */
	toOwn(name: string): string;
	toNeutral(name: string): string;
}

export function createDialect(given: Partial<Prefixes> = {}): Dialect {
	const prefixes: Prefixes = {
		product: given.product || neutralPrefixes.product,
		shop: given.shop || neutralPrefixes.shop,
		membership: given.membership || neutralPrefixes.membership,
	};
	const fields = userFields.map(({ name }) => name);
	const named = {
		product: fields.filter((name) => name.startsWith(`${neutralPrefixes.product}_`)),
		shop: ticketStatusGroups.shop,
		membership: ticketStatusGroups.membership,
	};
	const out = new Map<string, string>();
	for (const key of ['product', 'shop', 'membership'] as const) {
		for (const name of named[key]) out.set(name, prefixes[key] + name.slice(neutralPrefixes[key].length));
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

/** Other values are left alone. */
export function bodyIn(dialect: Dialect, body: unknown): unknown {
	if (dialect.neutral || typeof body !== 'object' || body === null) return body;
	if (Array.isArray(body)) return body.map((each) => bodyIn(dialect, each));
	const entries = Object.entries(body).map(([name, value]) => {
		const isStatus = name === 'status' && typeof value === 'string';
		const neutral = isStatus ? dialect.toNeutral(value) : value;
		return [dialect.toNeutral(name), name === 'previous' ? bodyIn(dialect, value) : neutral];
	});
	return Object.fromEntries(entries);
}

export function bodyOut(dialect: Dialect, fields: Record<string, unknown>): Record<string, unknown> {
	if (dialect.neutral) return fields;
	const entries = Object.entries(fields).map(([name, value]) => {
		const isStatus = name === 'status' && typeof value === 'string';
		return [dialect.toOwn(name), isStatus ? dialect.toOwn(value) : value];
	});
	return Object.fromEntries(entries);
}

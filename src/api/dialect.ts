/** A deployment's own abbreviations in place of the interface's neutral words, both ways (interface, "Naming convention"). */

import { ticketStatusGroups, userFields } from './fields.js';
import { emptyRecord } from './values.js';

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
	fieldOut(name: string): string;
	fieldIn(name: string): string;
	statusOut(status: string): string;
	statusIn(status: string): string;
}

export function createDialect(given: Partial<Prefixes> = {}): Dialect {
	const prefixes: Prefixes = {
		product: given.product || neutralPrefixes.product,
		shop: given.shop || neutralPrefixes.shop,
		membership: given.membership || neutralPrefixes.membership,
	};
	const fields = userFields.map(({ name }) => name).filter((name) => name.startsWith(`${neutralPrefixes.product}_`));
	const named: Record<keyof Prefixes, readonly string[]> = { ...ticketStatusGroups, product: fields };
	const out = new Map<string, string>();
	for (const key of ['product', 'shop', 'membership'] as const) {
		for (const name of named[key]) out.set(name, prefixes[key] + name.slice(neutralPrefixes[key].length));
	}
	const back = new Map([...out].map(([neutral, own]) => [own, neutral]));
	const translate = (map: Map<string, string>) => (name: string) => map.get(name) ?? name;
	return {
		prefixes,
		neutral: [...out].every(([neutral, own]) => neutral === own),
		root: `${prefixes.product}-api`,
		fieldOut: translate(out),
		fieldIn: translate(back),
		statusOut: translate(out),
		statusIn: translate(back),
	};
}

export const neutralDialect: Dialect = createDialect();

/** Other values are left alone. */
export function bodyIn(dialect: Dialect, body: unknown): unknown {
	if (dialect.neutral || typeof body !== 'object' || body === null) return body;
	if (Array.isArray(body)) return body.map((each) => bodyIn(dialect, each));
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => {
			const neutral = name === 'status' && typeof value === 'string' ? dialect.statusIn(value) : value;
			return [dialect.fieldIn(name), name === 'previous' ? bodyIn(dialect, value) : neutral];
		}),
	);
}

export function bodyOut(
	dialect: Dialect,
	fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	if (dialect.neutral) return fields;
	const body = emptyRecord<unknown>();
	for (const [name, value] of Object.entries(fields)) {
		body[dialect.fieldOut(name)] = name === 'status' && typeof value === 'string' ? dialect.statusOut(value) : value;
	}
	return body;
}

/** A deployment's own abbreviations in place of the interface's neutral words, both ways (interface, "Naming convention"). */

import { userFields } from './fields.js';
import { ticketStatusGroups } from './statuses.js';

/** What a deployment writes for `support`, `shop` and `shopm`. */
export interface Prefixes {
	product: string;
	shop: string;
	membership: string;
}

export const neutralPrefixes: Readonly<Prefixes> = { product: 'support', shop: 'shop', membership: 'shopm' };

/** Turns neutral names into a deployment's on the way out and back on the way in. */
export interface Dialect {
	readonly prefixes: Readonly<Prefixes>;
	/** True where nothing is ever changed. */
	readonly neutral: boolean;
	/** The path segment before the version: `support-api`. */
	readonly root: string;
	fieldOut(name: string): string;
	fieldIn(name: string): string;
	statusOut(status: string): string;
	statusIn(status: string): string;
}

/** What the user fields that a deployment names after itself begin with. */
const NEUTRAL_START = `${neutralPrefixes.product}_`;

/** Builds the dialect for some prefixes; a missing one is the interface's neutral word. */
export function createDialect(given: Partial<Prefixes> = {}): Dialect {
	const prefixes: Prefixes = { ...neutralPrefixes };
	for (const key of Object.keys(neutralPrefixes) as (keyof Prefixes)[]) {
		if (given[key]) prefixes[key] = given[key] as string;
	}
	const out = new Map<string, string>();
	for (const { name } of userFields) {
		if (name.startsWith(NEUTRAL_START)) out.set(name, `${prefixes.product}_${name.slice(NEUTRAL_START.length)}`);
	}
	for (const group of ['shop', 'membership'] as const) {
		for (const status of ticketStatusGroups[group]) {
			out.set(status, prefixes[group] + status.slice(neutralPrefixes[group].length));
		}
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

/** An answer's body with the neutral names of fields and statuses back in place; other values are left alone. */
export function bodyIn(dialect: Dialect, body: unknown): unknown {
	if (dialect.neutral || typeof body !== 'object' || body === null) return body;
	if (Array.isArray(body)) return body.map((each) => bodyIn(dialect, each));
	const result: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(body)) {
		const neutral = dialect.fieldIn(name);
		const translated =
			name === 'status' && typeof value === 'string'
				? dialect.statusIn(value)
				: name === 'previous'
					? bodyIn(dialect, value)
					: value;
		Object.defineProperty(result, neutral, { value: translated, enumerable: true, writable: true, configurable: true });
	}
	return result;
}

/** A body under neutral names in the deployment's own spelling; other names and values are left alone. */
export function bodyOut(
	dialect: Dialect,
	fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
	if (dialect.neutral) return fields;
	const body = Object.create(null) as Record<string, unknown>;
	for (const [name, value] of Object.entries(fields)) {
		body[dialect.fieldOut(name)] = name === 'status' && typeof value === 'string' ? dialect.statusOut(value) : value;
	}
	return body;
}

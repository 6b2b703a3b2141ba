/** Paths and parameters that a person typed: below the API's prefix, and nowhere else. */

import type { Dialect } from './dialect.js';

export interface Target {
	path: string;
	query: string;
}

/**
 * Understands `tickets`, `/tickets?page=2`, and a path that begins with the API's prefix (also the neutral one), with or
 * without the base URL's own path. @returns undefined for what leads, or could lead, elsewhere
 */
export function resolveTarget(text: string, baseUrl: string, root: string): Target | undefined {
	const prefix = `/${root}/v1`;
	const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
	const typed = text.startsWith('/') ? text : `/${text}`;
	const below = typed.startsWith(`${basePath}/`) ? typed.slice(basePath.length) : typed;
	const rest = below.replace(new RegExp(`^/(?:support-api|${root})/v1(?=[/?]|$)`), '');
	const isOther = below !== typed && rest === below;
	const { pathname, search, hash } = new URL(`http://localhost${prefix}${rest.replace(/^\/(?=\?|$)/, '')}`);
	// A proxy or the service may decode and normalize the path once more.
	const isUnclear = hash !== '' || /%2f|%5c|\/\/|\/\.\.?;/i.test(pathname) || /\p{Cc}/u.test(text);
	if (isOther || isUnclear || !`${pathname}/`.startsWith(`${prefix}/`)) return undefined;
	return { path: pathname, query: search.slice(1) };
}

/** PHP reads `_method` and `rest_route` with other marks for the `_` too. */
export function overridesRequest(text: string): boolean {
	// Byte by byte, as lenient servers decode.
	const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
	return /(?:^|[?&;])[^a-z/?&;=]+method|(?:^|[?&;])[^a-z/?&;=]*rest[^a-z/?&;=]route/i.test(decoded);
}

/** Names keep their brackets. */
export function withFields(
	query: string,
	fields: readonly (readonly [name: string, value: unknown])[],
	dialect: Dialect,
): string {
	const parts = fields.map(([name, value]) => {
		const text = name === 'status' ? dialect.toOwn(String(value)) : String(value ?? '');
		const shown = encodeURIComponent(dialect.toOwn(name)).replaceAll('%5B', '[').replaceAll('%5D', ']');
		return `${shown}=${encodeURIComponent(text)}`;
	});
	return [query, ...parts].filter((part) => part !== '').join('&');
}

/** What a person typed as a path → the path below the base URL that is asked for, never one outside the interface's prefix. */

import type { Dialect } from '../../api/dialect.js';
import { UsageError } from '../../errors.js';

export interface TargetRules {
	/** Without a trailing slash. */
	baseUrl: string;
	dialect: Pick<Dialect, 'root'>;
}

/** The neutral spelling of the prefix, which is understood whatever the deployment's own is. */
const NEUTRAL_ROOT = 'support-api';

/** How often a segment is decoded in search of dots and slashes: proxies and services each do it once. */
const DECODINGS = 3;

/** What a URL can't hold as it is; the rest, `[` and `]` of nested names among it, is left as it was typed. */
const TO_ENCODE = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

function refuse(text: string, why: string, hint?: string): never {
	throw new UsageError(`path ${JSON.stringify(text.slice(0, 200))} ${why}`, {
		code: 'invalid_path',
		...(hint === undefined ? {} : { hint }),
	});
}

/** Undoes percent signs byte by byte, as lenient servers do. */
function decodedOnce(text: string): string {
	return text.replace(/%([0-9a-f]{2})/gi, (_match, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)));
}

function decoded(segment: string): string {
	let text = segment;
	for (let round = 0; round < DECODINGS && text.includes('%'); round++) text = decodedOnce(text);
	return text;
}

/** Parameters by which WordPress takes another method or route than the request's own. */
const OVERRIDING = new Set(['_method', 'rest_route']);

/**
 * What PHP may make of a parameter's name: without leading spaces and what follows a NUL, with `_` for a space, a dot and
 * a bracket that is not closed; a name before `[` is that of a list.
 */
function phpNames(name: string): string[] {
	const read = (name.split('\0')[0] as string).replaceAll('+', ' ').trimStart().toLowerCase();
	return [read.replace(/[ .[]/g, '_'), (read.split('[')[0] as string).replace(/[ .]/g, '_')];
}

/** Refuses parameters that make another request of it. @throws UsageError */
export function checkOverrides(text: string): void {
	let each = text;
	for (let round = 0; round <= DECODINGS; round++) {
		for (const part of each.split(/[?&;]/)) {
			const found = phpNames(part.split('=')[0] as string).find((name) => OVERRIDING.has(name));
			if (found === undefined) continue;
			throw new UsageError(
				found === '_method'
					? `${JSON.stringify(text.slice(0, 200))} asks for another method with _method`
					: `${JSON.stringify(text.slice(0, 200))} asks for another path with rest_route`,
				{ code: 'invalid_parameter', hint: 'name method and path themselves: supportctl api DELETE tickets/14' },
			);
		}
		each = decodedOnce(each);
	}
}

/** The decoded names of a query's parameters, those in brackets too. */
export function parameterNames(query: string): string[] {
	return query.split('&').flatMap((part) => decoded(part.split('=')[0] as string).split(/[[\]]+/));
}

/** Refuses what could lead out of the prefix once somebody on the way has decoded or normalised it. */
function checkSegments(path: string, text: string): void {
	for (const segment of path.split('/')) {
		const plain = decoded(segment);
		if (/^\.\.?(?:;|$)|[/\\]/.test(plain)) {
			refuse(text, 'steps out of its folder with dots or hidden slashes, which is not sent');
		}
	}
}

/** The path of an absolute URL, if it is one of this service's. */
function pathOfUrl(text: string, baseUrl: string): string {
	const base = new URL(baseUrl);
	const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(text)?.[0];
	const url = origin !== undefined && URL.canParse(origin) ? new URL(origin) : undefined;
	if (url === undefined || origin === undefined) return refuse(text, 'is not a URL that can be asked');
	if (url.username !== '' || url.password !== '') refuse('…', 'must not carry a user name or password');
	if (url.origin !== base.origin) {
		refuse(
			text,
			`is on another origin than ${base.origin}, where the credentials do not go`,
			'use --profile or --base-url',
		);
	}
	return text.slice(origin.length) || '/';
}

/** What stands behind the prefix in a path that holds it; undefined where it does not. */
function behindPrefix(path: string, { baseUrl, dialect }: TargetRules, text: string): string | undefined {
	const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
	const below =
		basePath !== '' && (path === basePath || path.startsWith(`${basePath}/`)) ? path.slice(basePath.length) : path;
	for (const root of [dialect.root, NEUTRAL_ROOT]) {
		if (below !== `/${root}` && !below.startsWith(`/${root}/`)) continue;
		const version = /^\/v1(?=\/|$)/.exec(below.slice(root.length + 1));
		if (version === null) refuse(text, `is not below /${root}/v1`);
		return below.slice(root.length + 1 + '/v1'.length);
	}
	if (below !== path) refuse(text, `is not below ${basePath}/${dialect.root}/v1`);
	return undefined;
}

/**
 * Understands `tickets`, `/tickets?page=2`, a path that begins with the prefix, with or without the base URL's own path,
 * and whole URLs of this service. @throws UsageError for anything that leads, or could lead, elsewhere
 */
export function resolveTarget(text: string, rules: TargetRules): { path: string; query: string } {
	if (/[\p{Cc}\p{Cs}\\]/u.test(text)) refuse(text, 'has a control character or a backslash in it');
	if (text.includes('#')) refuse(text, 'has a fragment (#), which is never sent', 'write %23 for the character');
	const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(text);
	const given = isUrl ? pathOfUrl(text, rules.baseUrl) : text;
	if (!isUrl && given.startsWith('//')) refuse(text, 'begins with two slashes', 'begin it with one, or none');
	const mark = given.indexOf('?');
	const path = mark === -1 ? given : given.slice(0, mark);
	const query = mark === -1 ? '' : given.slice(mark + 1);
	const whole = path.startsWith('/') ? path : `/${path}`;
	checkSegments(whole.slice(1), text);
	const behind = behindPrefix(whole, rules, text);
	if (isUrl && behind === undefined) refuse(text, `is not below ${rules.baseUrl}/${rules.dialect.root}/v1`);
	const rest = (behind ?? whole) === '/' ? '' : (behind ?? whole);
	if (rest.includes('//')) refuse(text, 'has an empty segment (//) in it');
	return { path: encode(`/${rules.dialect.root}/v1${rest}`), query: encode(query) };
}

function encode(text: string): string {
	return text.replace(TO_ENCODE, (character) => encodeURIComponent(character));
}

/** Adds name and value pairs to a query, encoded. */
export function withQuery(query: string, pairs: readonly (readonly [string, string])[]): string {
	const encodeName = (name: string): string => encodeURIComponent(name).replace(/%5B/g, '[').replace(/%5D/g, ']');
	return [query, ...pairs.map(([name, value]) => `${encodeName(name)}=${encodeURIComponent(value)}`)]
		.filter((part) => part !== '')
		.join('&');
}

/** Path and query as one. */
export function joined({ path, query }: { path: string; query: string }): string {
	return query === '' ? path : `${path}?${query}`;
}

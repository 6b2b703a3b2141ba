/** What `api` accepts: requests below the API's prefix, with no secret from argv. */

import { bodyOut, type Dialect } from '../../../api/dialect.js';
import { PAGE_SIZE } from '../../../api/reads.js';
import { didYouMean } from '../../../api/suggest.js';
import { emptyRecord, hasInexactNumber, isObject, quote, widthProblem } from '../../../api/values.js';
import { UsageError } from '../../../errors.js';
import type { Context } from '../../../io/context.js';
import { readText } from '../../../io/files.js';
import { redactUrl } from '../../../output/redact.js';
import type { Invocation } from '../../command.js';
import { pairOf, parseJson, readNamedText, refuseSecrets } from '../../flag-values.js';
import { longName, options, pick, type ValuesOf } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

const fieldOf = (flag: string) => (text: string) => {
	const [name, value] = pairOf(flag, text, 'name=value');
	refuseOverride(name);
	return [name, value] as const;
};

export const apiOptions = [
	...options('Request', [
		{ flags: '-f, --raw-field <name=value>', help: 'Add a text field', repeatable: true, parse: fieldOf('-f') },
		{
			flags: '-F, --typed-field <name=value>',
			help: 'Add a typed field: true, false, null, a number or @file',
			repeatable: true,
			parse: fieldOf('-F'),
		},
		{
			flags: '--input <file>',
			help: 'Read the JSON body from a file, or - for stdin; fields are added to the query',
			completes: 'files',
		},
		{ flags: '--paginate', help: 'Read all pages of a list' },
		{ flags: '-i, --include', help: 'Print the status line and headers too', conflicts: ['paginate'] },
	]),
	...pick(guardOptions, 'dry-run', 'yes', 'confirm'),
	...pick(tuningOptions, 'retries'),
	...outputOptions.map((spec) => (longName(spec) === 'format' ? { ...spec, defaultText: 'json' } : spec)),
	...connectionOptions,
];

export type ApiInvocation = Invocation<ValuesOf<typeof apiOptions>, readonly [string, string, ...string[]]>;

export interface ApiCall {
	method: string;
	path: string;
	query: string;
	/** Where pages are asked for, the first one. */
	page: number;
	body: string | undefined;
	/** It changes nothing and may be sent again. */
	isRead: boolean;
}

const SECRET_WAY = 'use -F NAME=@file or -F NAME=@-';

export async function readCall(invocation: ApiInvocation, baseUrl: string, dialect: Dialect): Promise<ApiCall> {
	const { args, options, context } = invocation;
	const method = readMethod(invocation);
	const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
	const { rawField = [], typedField = [], input } = options;
	const { path, query } = resolveTarget(args[1], baseUrl, dialect.root);
	refuseOverride(`${path}?${query}`);
	refuseSecrets('the path', Object.fromEntries(new URLSearchParams(query)), SECRET_WAY);
	const fields: Field[] = [];
	for (const [name, value] of rawField) {
		refuseSecrets(`-f ${name}`, { [name]: value }, SECRET_WAY);
		fields.push([name, value]);
	}
	for (const [name, given] of typedField) {
		const value = await readNamedText('-F', name, given, context);
		fields.push([name, given.startsWith('@') ? value : typedValue(name, value)]);
	}
	// The API documents no body for a delete, and proxies drop one.
	if (!isRead && method !== 'DELETE' && input === undefined) {
		const body = fields.length === 0 ? undefined : JSON.stringify(bodyOut(dialect, bodyOf(fields)));
		return { method, path, query, page: 1, body, isRead };
	}
	const body = input === undefined ? undefined : await readBody(input, context, dialect);
	const all = withFields(query, fields, dialect);
	const target = options.paginate === true ? firstPage(all) : { query: all, page: 1 };
	return { method, path, ...target, body, isRead };
}

function readMethod({ args: [given], options }: ApiInvocation): string {
	const { typedField = [], input, paginate } = options;
	const method = given.toUpperCase();
	if (!methods.includes(method)) {
		throw new UsageError(`unknown method ${quote(given)}${didYouMean(method, methods)}`, {
			code: 'invalid_method',
			hint: 'the method comes first: supportctl api GET tickets/14',
		});
	}
	if (paginate === true && method !== 'GET') throw new UsageError('--paginate only works with GET');
	if (input !== undefined && !['POST', 'PUT', 'PATCH'].includes(method)) {
		throw new UsageError(`${method} has no body: remove --input`);
	}
	const readers = typedField.filter(([, value]) => value === '@-').length + (input === '-' ? 1 : 0);
	if (readers > 1) throw new UsageError('only one flag can read stdin');
	return method;
}

function firstPage(query: string): Pick<ApiCall, 'query' | 'page'> {
	const given = new URLSearchParams(query);
	const parts = query.split('&').filter((part) => part !== '' && !part.startsWith('page='));
	if (!given.has('per_page')) parts.push(`per_page=${PAGE_SIZE}`);
	return { query: parts.join('&'), page: Math.max(1, Math.trunc(Number(given.get('page'))) || 1) };
}

type Field = readonly [name: string, value: unknown];

async function readBody(input: string, context: Context, dialect: Dialect): Promise<string> {
	const text = (await readText(input, context)).replace(/^\uFEFF/, '');
	const name = input === '-' ? 'stdin' : input;
	const value = parseJson(text, name, 'invalid_input');
	const tooWide = isObject(value) ? widthProblem(Object.keys(value).length, 'keys') : undefined;
	if (tooWide !== undefined) throw new UsageError(`${name}: ${tooWide}`, { code: 'invalid_input' });
	// As it is, so that large numbers stay the same.
	return dialect.neutral || !isObject(value) ? text : JSON.stringify(bodyOut(dialect, value));
}

const invalidField = (message: string, hint: string) => new UsageError(message, { code: 'invalid_field', hint });

/** true, false, null and JSON's numbers are themselves. */
export function typedValue(name: string, text: string): unknown {
	if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text)) return text;
	const value: unknown = JSON.parse(text);
	if (!hasInexactNumber(value)) return value;
	throw invalidField(`-F ${name}: ${quote(text)} is too large to send exactly`, `send it as text: -f ${name}=…`);
}

/** @throws UsageError for a name that appears twice, or has brackets */
export function bodyOf(fields: readonly Field[]): Record<string, unknown> {
	const body = emptyRecord<unknown>();
	for (const [name, value] of fields) {
		if (/[[\]]/.test(name) || Object.hasOwn(body, name)) {
			const why = 'names in a body must be unique and without brackets';
			throw invalidField(`field ${quote(name)}: ${why}`, 'pass lists and objects with --input');
		}
		body[name] = value;
	}
	return body;
}

/** Names keep their brackets. */
export function withFields(query: string, fields: readonly Field[], dialect: Dialect): string {
	const parts = fields.map(([name, value]) => {
		const text = name === 'status' ? dialect.toOwn(String(value)) : String(value ?? '');
		const shown = encodeURIComponent(dialect.toOwn(name)).replaceAll('%5B', '[').replaceAll('%5D', ']');
		return `${shown}=${encodeURIComponent(text)}`;
	});
	return [query, ...parts].filter((part) => part !== '').join('&');
}

/** PHP reads `_method` and `rest_route` with other marks for the `_` too. */
export function refuseOverride(text: string): void {
	// Byte by byte, as lenient servers decode.
	const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
	if (!/(?:^|[?&;])[^a-z/?&;=]+method|(?:^|[?&;])[^a-z/?&;=]*rest[^a-z/?&;=]route/i.test(decoded)) return;
	throw new UsageError(`${quote(text)} would change the method or path of the request`, {
		code: 'invalid_parameter',
		hint: 'pass the method and path as arguments: supportctl api DELETE tickets/14',
	});
}

/**
 * Understands `tickets`, `/tickets?page=2`, and a path that begins with the API's prefix (also the neutral one), with or
 * without the base URL's own path. @throws UsageError for anything that leads, or could lead, elsewhere
 */
export function resolveTarget(text: string, baseUrl: string, root: string): { path: string; query: string } {
	const prefix = `/${root}/v1`;
	const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
	const typed = text.startsWith('/') ? text : `/${text}`;
	const below = typed.startsWith(`${basePath}/`) ? typed.slice(basePath.length) : typed;
	const rest = below.replace(new RegExp(`^/(?:support-api|${root})/v1(?=[/?]|$)`), '');
	const isOther = below !== typed && rest === below;
	const { pathname, search, hash } = new URL(`http://localhost${prefix}${rest.replace(/^\/(?=\?|$)/, '')}`);
	// A proxy or the service may decode and normalize the path once more, and Node 20 leaves `..` behind `.x/`.
	const isOpen = /%2f|%5c|\/\/|\/(?:\.|%2e){1,2}(?:[;/]|$)/i.test(pathname);
	const isUnclear = hash !== '' || isOpen || /\p{Cc}/u.test(text);
	if (isOther || isUnclear || !`${pathname}/`.startsWith(`${prefix}/`)) {
		throw new UsageError(`${quote(redactUrl(text))} is not a path below ${prefix}`, {
			code: 'invalid_path',
			hint: 'pass the part after /support-api/v1, such as tickets/14; write # as %23',
		});
	}
	return { path: pathname, query: search.slice(1) };
}

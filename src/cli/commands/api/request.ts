/** What `api` accepts: requests below the API's prefix, with no secret from argv. */

import { bodyOut, type Dialect } from '../../../api/dialect.js';
import { didYouMean } from '../../../api/suggest.js';
import { emptyRecord, isObject, nestingProblem, quote } from '../../../api/values.js';
import { UsageError } from '../../../errors.js';
import { isSecretName, redactUrl } from '../../../output/redact.js';
import type { Invocation } from '../../command.js';
import { longName, options, pick, type ValuesOf } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import { isFile, readText, readTextValue, refuseSecretNames } from '../../text-file.js';

const group = 'Request';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

export const apiOptions = [
	...options(group, [
		{ flags: '-f, --raw-field <name=value>', help: 'Add a text field', repeatable: true },
		{
			flags: '-F, --typed-field <name=value>',
			help: 'Add a typed field: true, false, null, a number or @file',
			repeatable: true,
		},
		{
			flags: '--input <file>',
			help: 'Read the JSON body from a file, or - for stdin; fields go to the query',
			completes: 'files',
		},
		{ flags: '--paginate', help: 'Read all pages of a list' },
		{ flags: '-i, --include', help: 'Print the status line and headers too', conflicts: ['paginate'] },
	]),
	...pick(guardOptions, 'dry-run', 'yes', 'confirm'),
	...pick(tuningOptions, 'retries').map((spec) => ({ ...spec, group, help: 'Retries per read' })),
	...outputOptions.map((spec) => (longName(spec) === 'format' ? { ...spec, defaultText: 'json' } : spec)),
	...connectionOptions,
];

export type ApiInvocation = Invocation<ValuesOf<typeof apiOptions>, readonly [string, string, ...string[]]>;

export type Call = Awaited<ReturnType<typeof readCall>>;

/** @returns `isRead`: it changes nothing and may be sent again. @throws UsageError */
export async function readCall({ args, options, context }: ApiInvocation, baseUrl: string, dialect: Dialect) {
	const method = args[0].toUpperCase();
	if (!methods.includes(method)) {
		throw new UsageError(`unknown method ${quote(args[0])}${didYouMean(method, methods)}`, {
			code: 'invalid_method',
			hint: 'the method comes first: supportctl api GET tickets/14',
		});
	}
	const { rawField = [], typedField = [], input, paginate } = options;
	const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
	// The API documents no body for a delete, and proxies drop one.
	const isBodiless = isRead || method === 'DELETE';
	if (paginate === true && method !== 'GET') throw new UsageError('--paginate only works with GET');
	if (input !== undefined && isBodiless) throw new UsageError(`${method} has no body: remove --input`);
	const readers = typedField.filter((each) => each.endsWith('=@-')).length + (input === '-' ? 1 : 0);
	if (readers > 1) throw new UsageError('only one flag can read stdin');
	const { path, query } = resolveTarget(args[1], baseUrl, dialect.root);
	refuseOverride(args[1]);
	for (const part of query.split('&')) refuseSecret('path', decoded(part.replace(/=.*/s, '')));
	const fields: Field[] = [];
	for (const text of rawField) {
		const field = splitField(text);
		refuseSecret('-f', field[0]);
		fields.push(field);
	}
	for (const text of typedField) fields.push(await readTyped(splitField(text), context));
	if (isBodiless || input !== undefined) {
		const body = input === undefined ? undefined : await readBody(input, context, dialect);
		return { method, path, isRead, query: withFields(query, fields, dialect), body };
	}
	const body = fields.length === 0 ? undefined : JSON.stringify(bodyOut(dialect, bodyOf(fields)));
	return { method, path, isRead, query, body };
}

function refuseSecret(flag: string, name: string): void {
	refuseSecretNames(flag, name.split(/[[\]]+/), 'use -F NAME=@file or -F NAME=@-');
}

type Field = readonly [name: string, value: unknown];

async function readTyped([name, text]: readonly [string, string], context: ApiInvocation['context']): Promise<Field> {
	if (!isFile(text)) refuseSecret('-F', name);
	if (!text.startsWith('@')) return [name, typedValue(name, text)];
	const value = await readTextValue(`-F ${name}`, text, context);
	// The file's last line break is not part of a password.
	return [name, isFile(text) && isSecretName(name) ? value.replace(/\r?\n$/, '') : value];
}

async function readBody(input: string, context: ApiInvocation['context'], dialect: Dialect): Promise<string> {
	const text = (await readText(input, context)).replace(/^\uFEFF/, '');
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's message quotes the text, which may be a password.
		throw new UsageError(`${input === '-' ? 'stdin' : input} is not valid JSON`, { code: 'invalid_input' });
	}
	const problem = nestingProblem(value);
	if (problem !== undefined) throw new UsageError(`${input}: ${problem}`, { code: 'invalid_input' });
	// As it is, so that large numbers stay the same.
	return dialect.neutral || !isObject(value) ? text : JSON.stringify(bodyOut(dialect, value));
}

const invalidField = (message: string, hint: string) => new UsageError(message, { code: 'invalid_field', hint });

/** @throws UsageError */
export function splitField(text: string): [name: string, value: string] {
	const at = text.indexOf('=');
	if (at < 1) throw invalidField(`field ${quote(text)} is not name=value`, 'example: -f title=Hello -F assignee=7');
	const name = text.slice(0, at);
	refuseOverride(name);
	return [name, text.slice(at + 1)];
}

/** true, false, null and JSON's numbers are themselves. @throws UsageError */
export function typedValue(name: string, text: string): unknown {
	if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text)) return text;
	const value: unknown = JSON.parse(text);
	if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
	throw invalidField(`-F ${name}: ${quote(text)} is too large to send exactly`, `send it as text: -f ${name}=…`);
}

/** @throws UsageError for a name that appears twice, or has brackets */
export function bodyOf(fields: readonly Field[]): Record<string, unknown> {
	const body = emptyRecord<unknown>();
	for (const [name, value] of fields) {
		const hint = 'pass lists and objects with --input';
		if (/[[\]]/.test(name)) throw invalidField(`field ${quote(name)}: brackets only work in a query`, hint);
		if (Object.hasOwn(body, name)) throw invalidField(`field ${quote(name)} appears twice`, hint);
		body[name] = value;
	}
	return body;
}

/** A query with fields behind it; names keep their brackets. */
export function withFields(query: string, fields: readonly Field[], dialect: Dialect): string {
	const parts = fields.map(([name, value]) => {
		const text = name === 'status' ? dialect.toOwn(String(value)) : String(value ?? '');
		const shown = encodeURIComponent(dialect.toOwn(name)).replaceAll('%5B', '[').replaceAll('%5D', ']');
		return `${shown}=${encodeURIComponent(text)}`;
	});
	return [query, ...parts].filter((part) => part !== '').join('&');
}

/** Byte by byte, as lenient servers decode. */
function decoded(text: string): string {
	return text.replace(/%([0-9a-f]{2})/gi, (_, byte) => String.fromCharCode(Number.parseInt(byte, 16)));
}

/** PHP reads `_method` and `rest_route` with other marks for the `_` too. @throws UsageError */
function refuseOverride(text: string): void {
	if (!/(?:^|[?&;])[^a-z/?&;=]+method|(?:^|[?&;])[^a-z/?&;=]*rest[^a-z/?&;=]route/i.test(decoded(text))) return;
	const what = `${JSON.stringify(text.slice(0, 200))} would change the method or path of the request`;
	const hint = 'pass the method and path as arguments: supportctl api DELETE tickets/14';
	throw new UsageError(what, { code: 'invalid_parameter', hint });
}

/** What a URL can't contain; `[` and `]` stay as typed. */
const TO_ENCODE = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/**
 * Understands `tickets`, `/tickets?page=2`, and a path that begins with the API's prefix (also the neutral one), with or
 * without the base URL's own path. @throws UsageError for anything that leads, or could lead, elsewhere
 */
export function resolveTarget(text: string, baseUrl: string, root: string): { path: string; query: string } {
	const refusal = (why: string, hint?: string): UsageError =>
		new UsageError(`path ${JSON.stringify(redactUrl(text).slice(0, 200))} ${why}`, { code: 'invalid_path', hint });
	if (/[\p{Cc}\p{Cs}\\]/u.test(text)) throw refusal('contains a control character or a backslash');
	if (text.includes('#')) throw refusal('has a fragment (#)', 'use %23 for the character');
	if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(text)) {
		throw refusal('is a URL, not a path', 'pass the part after /support-api/v1, such as tickets/14');
	}
	const [typed = '', ...queries] = text.split('?');
	const path = typed.startsWith('/') ? typed : `/${typed}`;
	// A proxy or the service may normalize the path.
	const leaves = (segment: string): boolean => /^\.\.?(?:;|$)|[/\\]/.test(decoded(segment));
	if (path.slice(1).split('/').some(leaves)) throw refusal('leaves its folder with dots or encoded slashes');
	const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
	const isInBase = basePath !== '' && `${path}/`.startsWith(`${basePath}/`);
	const below = isInBase ? path.slice(basePath.length) : path;
	const [prefix, version] = new RegExp(`^/(?:support-api|${root})(/v1)?(?=/|$)`).exec(below) ?? [''];
	if (version === undefined && (isInBase || prefix !== '')) {
		throw refusal(`is not below ${basePath}/${root}/v1`);
	}
	const rest = below.slice(prefix.length);
	if (rest.includes('//')) throw refusal('contains an empty segment (//)');
	const encode = (part: string): string => part.replace(TO_ENCODE, (character) => encodeURIComponent(character));
	return { path: encode(`/${root}/v1${rest === '/' ? '' : rest}`), query: encode(queries.join('?')) };
}

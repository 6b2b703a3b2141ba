/** What `api` accepts, and the request that it means: it never leaves the API's prefix, and its secrets never come from argv. */

import { bodyOut, type Dialect } from '../../../api/dialect.js';
import { didYouMean } from '../../../api/suggest.js';
import { emptyRecord, isObject, nestingProblem, quote } from '../../../api/values.js';
import { UsageError } from '../../../errors.js';
import { isSecretName, redactUrl } from '../../../output/redact.js';
import type { Invocation } from '../../command.js';
import { longName, options, pick, type ValuesOf } from '../../options/option.js';
import { connectionOptions, guardOptions, outputOptions, tuningOptions } from '../../options/shared.js';
import { isFile, readTextFile, readTextInput, readTextValue, refuseSecretNames } from '../../text-file.js';

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

const FROM_FILE = 'use -F NAME=@file or -F NAME=@-';

/**
 * @returns the path below the base URL; `isRead` changes nothing, so that it may be sent again and needs no confirmation
 * @throws UsageError
 */
export async function readCall({ args, options, context }: ApiInvocation, baseUrl: string, dialect: Dialect) {
	const method = args[0].toUpperCase();
	if (!methods.includes(method)) {
		throw new UsageError(`unknown method ${quote(args[0])}${didYouMean(method, methods)}`, {
			code: 'invalid_method',
			hint: 'the method comes first: supportctl api GET tickets/14',
		});
	}
	const { rawField = [], typedField = [], input } = options;
	const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
	// The API documents no body for a delete, and proxies drop one.
	const isBodiless = isRead || method === 'DELETE';
	if (options.paginate === true && method !== 'GET') throw new UsageError('--paginate only works with GET');
	if (input !== undefined && isBodiless) throw new UsageError(`${method} has no body: remove --input`);
	const { path, query } = resolveTarget(args[1], { baseUrl, dialect });
	checkOverrides(args[1]);
	const names = query.split('&').map((part) => decodings(part.split('=')[0] as string).at(-1) as string);
	refuseSecretNames(
		'path',
		names.flatMap((name) => name.split(/[[\]]+/)),
		FROM_FILE,
	);
	const readers = typedField.filter((each) => each.endsWith('=@-')).length + (input === '-' ? 1 : 0);
	if (readers > 1) throw new UsageError('only one flag can read stdin');

	const fields = rawField.map(splitField);
	for (const field of fields) refuseSecretNames('-f', [field.name, field.key ?? ''], FROM_FILE);
	for (const field of typedField.map(splitField)) {
		const { name, key = '', value } = field;
		const isFromFile = typeof value === 'string' && isFile(value);
		if (!isFromFile) refuseSecretNames('-F', [name, key], FROM_FILE);
		if (typeof value === 'string' && value.startsWith('@')) {
			const text = await readTextValue(`-F ${name}`, value, context);
			// The line's end of a file with a password in it is not part of the password.
			field.value = isFromFile && [name, key].some(isSecretName) ? text.replace(/\r?\n$/, '') : text;
		} else if (typeof value === 'string') field.value = typedValue(name, value);
		fields.push(field);
	}
	if (input === undefined && !isBodiless) {
		const body = fields.length === 0 ? undefined : JSON.stringify(bodyOut(dialect, bodyOf(fields)));
		return { method, path, isRead, query, body };
	}
	const body = input === undefined ? undefined : await readBody(input, context, dialect);
	return { method, path, isRead, query: withFields(query, fields, dialect), body };
}

async function readBody(input: string, { stdin, cwd }: ApiInvocation['context'], dialect: Dialect): Promise<string> {
	const name = input === '-' ? 'stdin' : input;
	const text = (input === '-' ? await readTextInput(stdin) : readTextFile(input, cwd)).replace(/^\uFEFF/, '');
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's message would quote the text, which may hold a password.
		throw new UsageError(`${name} is not valid JSON`, { code: 'invalid_input' });
	}
	const deep = nestingProblem(value);
	if (deep !== undefined) throw new UsageError(`${name}: ${deep}`, { code: 'invalid_input' });
	if (isObject(value)) Object.keys(value).forEach(checkOverrides);
	// What nothing has to be changed in is sent to the letter, so that large numbers stay what they are.
	return dialect.neutral || !isObject(value) ? text : JSON.stringify(bodyOut(dialect, value));
}

/** `meta[color]=red` has the name meta and the key color; `tags[]=a` has the empty key, and appends to a list. */
export interface GivenField {
	name: string;
	key: string | undefined;
	/** Undefined for a bare `tags[]`, an empty list. */
	value: unknown;
}

function fieldProblem(text: string, why: string): UsageError {
	return new UsageError(`field ${quote(text)} ${why}`, {
		code: 'invalid_field',
		hint: 'examples: -f title=Hello, -F assignee=7, -f meta[color]=red, -f roles[]=agent',
	});
}

/** Splits at the first `=` and the brackets, in the manner of `gh api`. @throws UsageError */
export function splitField(text: string): GivenField {
	const [, name = '', key, value] = /^([^[\]=]+)(?:\[([^[\]=]*)\])?(?:=([\s\S]*))?$/.exec(text) ?? [];
	if (name === '' || (value === undefined && key !== '')) throw fieldProblem(text, 'is not name=value');
	checkOverrides(name);
	return { name, key, value };
}

/** What `-F` makes of a text: true, false, null and JSON's numbers are themselves. @throws UsageError */
export function typedValue(name: string, text: string): unknown {
	if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text)) return text;
	const value: unknown = JSON.parse(text);
	if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
	throw new UsageError(`-F ${name}: ${quote(text)} is too large to send exactly`, {
		code: 'invalid_field',
		hint: `send it as text: -f ${name}=…`,
	});
}

/** A JSON object of fields. @throws UsageError where two do not fit together */
export function bodyOf(fields: readonly GivenField[]): Record<string, unknown> {
	const body = emptyRecord<unknown>();
	for (const { name, key, value } of fields) {
		const known = body[name] ?? (key === '' ? [] : {});
		const isFirst = !Object.hasOwn(body, name);
		if (key === undefined && isFirst) body[name] = value;
		else if (key === '' && Array.isArray(known)) body[name] = value === undefined ? known : [...known, value];
		else if (key && isObject(known) && !Object.hasOwn(known, key)) body[name] = { ...known, [key]: value };
		else throw fieldProblem(key === undefined ? name : `${name}[${key}]`, 'does not fit the fields before it');
	}
	return body;
}

/** A query with fields behind it, encoded; names keep their brackets. */
export function withFields(query: string, fields: readonly GivenField[], dialect: Dialect): string {
	const given = fields.filter(({ value }) => value !== undefined);
	const parts = given.map(({ name, key, value }) => {
		const brackets = key === undefined ? '' : `[${encodeURIComponent(key)}]`;
		const text = name === 'status' ? dialect.statusOut(String(value)) : String(value ?? '');
		return `${encodeURIComponent(dialect.fieldOut(name))}${brackets}=${encodeURIComponent(text)}`;
	});
	return [query, ...parts].filter((part) => part !== '').join('&');
}

/** How often a text is decoded in search of dots, slashes and names: proxies and services each do it once. */
const DECODINGS = 3;

/** A text, and what each round of decoding makes of it, byte by byte as lenient servers do. */
function decodings(text: string): string[] {
	const texts = [text];
	for (let round = 0; round < DECODINGS; round++) {
		const toCharacter = (_match: string, byte: string): string => String.fromCharCode(Number.parseInt(byte, 16));
		texts.push((texts[round] as string).replace(/%([0-9a-f]{2})/gi, toCharacter));
	}
	return texts;
}

/**
 * Refuses parameters by which WordPress takes another method or route than the request's own. PHP reads a name without
 * leading spaces and what follows a NUL, with `_` for a space, a dot and a bracket. @throws UsageError
 */
function checkOverrides(text: string): void {
	for (const part of decodings(text).flatMap((each) => each.split(/[?&;]/))) {
		const name = (part.split(/[=\0]/)[0] as string).replaceAll('+', ' ').trimStart().toLowerCase();
		if (!/^(?:_method|rest_route)(?:_|$)/.test(name.replace(/[ .[]/g, '_'))) continue;
		const what = `${JSON.stringify(text.slice(0, 200))} would change the method or path of the request`;
		const hint = 'pass the method and path as arguments: supportctl api DELETE tickets/14';
		throw new UsageError(what, { code: 'invalid_parameter', hint });
	}
}

/** The neutral spelling of the prefix, which is understood whatever the deployment's own is. */
const NEUTRAL_ROOT = 'support-api';

/** What a URL can't hold as it is; the rest, `[` and `]` of nested names among it, is left as it was typed. */
const TO_ENCODE = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/**
 * Understands `tickets`, `/tickets?page=2`, and a path that begins with the prefix, with or without the base URL's own
 * path. @throws UsageError for anything that leads, or could lead, elsewhere
 */
export function resolveTarget(
	text: string,
	{ baseUrl, dialect }: { baseUrl: string; dialect: Pick<Dialect, 'root'> },
): { path: string; query: string } {
	const refuse = (why: string, hint?: string): never => {
		const shown = JSON.stringify(redactUrl(text).slice(0, 200));
		throw new UsageError(`path ${shown} ${why}`, { code: 'invalid_path', hint });
	};
	if (/[\p{Cc}\p{Cs}\\]/u.test(text)) refuse('contains a control character or a backslash');
	if (text.includes('#')) refuse('has a fragment (#)', 'use %23 for the character');
	if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(text)) {
		refuse('is a URL, not a path', 'pass the part after /support-api/v1, such as tickets/14');
	}
	const [typed = '', ...queries] = text.split('?');
	const path = typed.startsWith('/') ? typed : `/${typed}`;
	// A proxy or the service may decode or normalise what is sent.
	const leaves = (segment: string): boolean => /^\.\.?(?:;|$)|[/\\]/.test(decodings(segment).at(-1) as string);
	if (path.slice(1).split('/').some(leaves)) {
		refuse('leaves its folder with dots or encoded slashes');
	}
	const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '');
	const roots = [`/${dialect.root}`, `/${NEUTRAL_ROOT}`];
	const isBelow = (folder: string): boolean => folder !== '' && (path === folder || path.startsWith(`${folder}/`));
	const prefix = roots.flatMap((root) => [`${basePath}${root}/v1`, `${root}/v1`]).find(isBelow);
	if (prefix === undefined && [...roots, basePath].some(isBelow)) refuse(`is not below ${basePath}/${dialect.root}/v1`);
	const rest = path.slice(prefix?.length ?? 0);
	if (rest.includes('//')) refuse('contains an empty segment (//)');
	const encode = (part: string): string => part.replace(TO_ENCODE, (character) => encodeURIComponent(character));
	return { path: encode(`/${dialect.root}/v1${rest === '/' ? '' : rest}`), query: encode(queries.join('?')) };
}

/** What `api` accepts: requests below the API's prefix, with no secret from argv. */

import { bodyOut, type Dialect } from '../../../api/dialect.js';
import { PAGE_SIZE } from '../../../api/reads.js';
import { didYouMean } from '../../../api/suggest.js';
import { overridesRequest, resolveTarget, type Target, withFields } from '../../../api/target.js';
import { emptyRecord, hasInexactNumber, isObject, quote } from '../../../api/values.js';
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
			help: 'Read the JSON body from a file, or - for stdin; fields go to the query',
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
	const { path, query } = readTarget(args[1], baseUrl, dialect.root);
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
	const value = parseJson(text, input === '-' ? 'stdin' : input, 'invalid_input');
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

export function bodyOf(fields: readonly Field[]): Record<string, unknown> {
	const body = emptyRecord<unknown>();
	for (const [name, value] of fields) {
		if (/[[\]]/.test(name) || Object.hasOwn(body, name)) {
			const why = 'a name in a body appears once, and has no brackets';
			throw invalidField(`field ${quote(name)}: ${why}`, 'pass lists and objects with --input');
		}
		body[name] = value;
	}
	return body;
}

function refuseOverride(text: string): void {
	if (!overridesRequest(text)) return;
	throw new UsageError(`${quote(text)} would change the method or path of the request`, {
		code: 'invalid_parameter',
		hint: 'pass the method and path as arguments: supportctl api DELETE tickets/14',
	});
}

function readTarget(text: string, baseUrl: string, root: string): Target {
	const target = resolveTarget(text, baseUrl, root);
	if (target === undefined) {
		throw new UsageError(`${quote(redactUrl(text))} is not a path below /${root}/v1`, {
			code: 'invalid_path',
			hint: 'pass the part after /support-api/v1, such as tickets/14; write # as %23',
		});
	}
	const { path, query } = target;
	refuseOverride(`${path}?${query}`);
	refuseSecrets('the path', Object.fromEntries(new URLSearchParams(query)), SECRET_WAY);
	return target;
}

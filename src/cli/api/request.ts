/** The command line of `api` → the request that it means, which never leaves the API's prefix, and whose secrets never come from argv. */

import { bodyOut, type Dialect, neutralDialect } from '../../api/dialect.js';
import { didYouMean } from '../../api/suggest.js';
import { emptyRecord, isObject, nestingProblem, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { isSecretName, redactUrl } from '../../output/redact.js';
import { isFile, readTextValue } from '../runs/fields.js';
import { refuseSecretNames } from '../secret-input.js';
import { readTextFile, readTextInput } from '../text-file.js';
import { type ApiInvocation, methods } from './options.js';

export interface Call {
	method: string;
	/** Below the base URL, without the query. */
	path: string;
	query: string;
	body: string | undefined;
	/** Changes nothing: it may be sent again, and needs no confirmation. */
	isRead: boolean;
}

/** How a secret can be given. */
const FROM_FILE = 'give it with -F NAME=@file or -F NAME=@-';

/** Reads arguments, fields and body. @throws UsageError */
export async function readCall(
	{ args, options, context }: ApiInvocation,
	baseUrl: string,
	dialect: Dialect,
): Promise<Call> {
	const method = args[0].toUpperCase();
	if (!methods.includes(method)) {
		throw new UsageError(`${quote(args[0])} is not a method: ${methods.join(', ')}${didYouMean(method, methods)}`, {
			code: 'invalid_method',
			hint: 'the method comes first: supportctl api GET tickets/14',
		});
	}
	const { rawField = [], typedField = [], input } = options;
	const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(method);
	// The API documents no body for a delete, and proxies drop one.
	const isBodiless = isRead || method === 'DELETE';
	if (options.paginate === true && method !== 'GET') throw new UsageError('--paginate goes with GET');
	if (input !== undefined && isBodiless)
		throw new UsageError(`${method} is sent without a body; --input can't be used`);
	const target = resolveTarget(args[1], { baseUrl, dialect });
	checkOverrides(args[1]);
	const names = target.query.split('&').flatMap((part) => decodings(part.split('=')[0] as string).at(-1) as string);
	refuseSecretNames(
		'path',
		names.flatMap((name) => name.split(/[[\]]+/)),
		FROM_FILE,
	);
	const readers = typedField.filter((each) => each.endsWith('=@-')).length + (input === '-' ? 1 : 0);
	if (readers > 1) throw new UsageError('standard input can be read once, and more than one flag asks for it');
	const fields: GivenField[] = [];
	for (const [index, text] of [...rawField, ...typedField].entries()) {
		const isTyped = index >= rawField.length;
		const field = splitField(text);
		const value = field.value as string | undefined;
		const isRead = isTyped && value !== undefined && isFile(value);
		if (!isRead) refuseSecretNames(isTyped ? '-F' : '-f', field.steps, FROM_FILE);
		checkOverrides(field.name);
		if (isTyped && value !== undefined) {
			const isText = value.startsWith('@');
			field.value = isText ? await readTextValue(`-F ${field.name}`, value, context) : typedValue(field.name, value);
			// The line's end of a file with a password in it is not part of the password.
			if (isRead && field.steps.some(isSecretName)) field.value = (field.value as string).replace(/\r?\n$/, '');
		}
		fields.push(field);
	}
	const call = { method, path: target.path, isRead };
	if (isBodiless || input !== undefined) {
		const body = input === undefined ? undefined : await readBody(input, context, dialect);
		return { ...call, query: withQuery(target.query, pairsOf(fields, dialect)), body };
	}
	const body = fields.length === 0 ? undefined : JSON.stringify(bodyOut(dialect, bodyOf(fields)));
	return { ...call, query: target.query, body };
}

async function readBody(input: string, { stdin, cwd }: ApiInvocation['context'], dialect: Dialect): Promise<string> {
	const name = input === '-' ? 'standard input' : input;
	const text = (input === '-' ? await readTextInput(stdin) : readTextFile(input, cwd)).replace(/^\uFEFF/, '');
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		// The parser's message would quote the text, which may hold a password.
		throw new UsageError(`${name} is not JSON`, { code: 'invalid_input' });
	}
	const deep = nestingProblem(value);
	if (deep !== undefined) throw new UsageError(`${name}: ${deep}`, { code: 'invalid_input' });
	if (isObject(value)) Object.keys(value).forEach(checkOverrides);
	// What nothing has to be changed in is sent to the letter, so that large numbers stay what they are.
	return dialect.neutral || !isObject(value) ? text : JSON.stringify(bodyOut(dialect, value));
}

/** `meta[color]=red` has the steps meta, color; an empty step stands for "append to the list". */
export interface GivenField {
	/** As it was typed, before the `=`. */
	name: string;
	steps: readonly string[];
	/** Undefined for a bare `tags[]`, an empty list. */
	value: unknown;
}

function fieldProblem(text: string, why: string): UsageError {
	return new UsageError(`field ${quote(text)} ${why}`, {
		code: 'invalid_field',
		hint: 'such as -f title=Hello, -F assignee=7, -f meta[color]=red, -f roles[]=agent',
	});
}

/** Splits at the first `=` and the brackets, in the manner of `gh api`. @throws UsageError */
export function splitField(text: string): GivenField {
	const [, name = '', first = '', brackets = '', value] =
		/^(([^[\]=]+)((?:\[[^[\]=]*\])*))(?:=([\s\S]*))?$/.exec(text) ?? [];
	const steps = [first, ...[...brackets.matchAll(/\[(.*?)\]/g)].map((each) => each[1] as string)];
	if (name === '' || (value === undefined && steps.at(-1) !== '')) throw fieldProblem(text, 'is not name=value');
	return { name, steps, value };
}

/** What `-F` makes of a text: true, false, null and JSON's numbers are themselves. @throws UsageError */
export function typedValue(name: string, text: string): unknown {
	const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
	if (!isNumber) return ['true', 'false', 'null'].includes(text) ? JSON.parse(text) : text;
	const number = Number(text);
	if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return number;
	throw new UsageError(`-F ${name}: ${quote(text)} is a number that can't be sent exactly`, {
		code: 'invalid_field',
		hint: `-f ${name}=… sends it as text`,
	});
}

type Branch = Record<string, unknown> | unknown[];

/** A JSON object of fields. @throws UsageError where two do not fit together */
export function bodyOf(fields: readonly GivenField[]): Record<string, unknown> {
	const body = emptyRecord<unknown>();
	for (const { name, steps, value } of fields) {
		let branch: Branch = body;
		for (const [index, step] of steps.slice(0, -1).entries()) {
			const next = steps[index + 1] as string;
			const known: unknown = Array.isArray(branch) ? branch.at(-1) : branch[step];
			// `a[][b]=1 a[][c]=2` fill the same object until a key comes a second time.
			const isFull = Array.isArray(branch) && (next === '' || !isObject(known) || next in known);
			if (known === undefined || isFull) {
				const made: Branch = next === '' ? [] : emptyRecord<unknown>();
				if (Array.isArray(branch)) branch.push(made);
				else branch[step] = made;
				branch = made;
			} else if (next === '' ? Array.isArray(known) : isObject(known)) branch = known as Branch;
			else throw fieldProblem(name, 'does not fit the fields before it');
		}
		const last = steps.at(-1) as string;
		if (!Array.isArray(branch)) {
			if (last in branch) throw fieldProblem(name, 'is given twice');
			branch[last] = value;
		} else if (value !== undefined) branch.push(value);
	}
	return body;
}

/** The same as pairs for a query; names keep their brackets. */
export function pairsOf(fields: readonly GivenField[], dialect: Dialect = neutralDialect): [string, string][] {
	return fields
		.filter((field) => field.value !== undefined)
		.map(({ name, steps: [first = ''], value }) => {
			const text = value === null ? '' : String(value);
			return [dialect.fieldOut(first) + name.slice(first.length), name === 'status' ? dialect.statusOut(text) : text];
		});
}

/** Adds name and value pairs to a query, encoded. */
export function withQuery(query: string, pairs: readonly (readonly [string, string])[]): string {
	const encodeName = (name: string): string => encodeURIComponent(name).replace(/%5B/g, '[').replace(/%5D/g, ']');
	const parts = pairs.map(([name, value]) => `${encodeName(name)}=${encodeURIComponent(value)}`);
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

/** Parameters by which WordPress takes another method or route than the request's own. */
const OVERRIDING: Readonly<Record<string, string>> = {
	_method: 'another method with _method',
	rest_route: 'another path with rest_route',
};

/**
 * What PHP may make of a parameter's name: without leading spaces and what follows a NUL, with `_` for a space, a dot and
 * a bracket that is not closed; a name before `[` is that of a list.
 */
function phpNames(name: string): string[] {
	const read = (name.split('\0')[0] as string).replaceAll('+', ' ').trimStart().toLowerCase();
	return [read.replace(/[ .[]/g, '_'), (read.split('[')[0] as string).replace(/[ .]/g, '_')];
}

/** Refuses parameters that make another request of it. @throws UsageError */
function checkOverrides(text: string): void {
	const parts = decodings(text).flatMap((each) => each.split(/[?&;]/));
	const names = parts.flatMap((part) => phpNames(part.split('=')[0] as string));
	const found = names.find((name) => Object.hasOwn(OVERRIDING, name));
	if (found === undefined) return;
	throw new UsageError(`${JSON.stringify(text.slice(0, 200))} asks for ${OVERRIDING[found]}`, {
		code: 'invalid_parameter',
		hint: 'name method and path themselves: supportctl api DELETE tickets/14',
	});
}

/** The neutral spelling of the prefix, which is understood whatever the deployment's own is. */
const NEUTRAL_ROOT = 'support-api';

/** What a URL can't hold as it is; the rest, `[` and `]` of nested names among it, is left as it was typed. */
const TO_ENCODE = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/**
 * Understands `tickets`, `/tickets?page=2`, a path that begins with the prefix, with or without the base URL's own path,
 * and whole URLs of this service. @throws UsageError for anything that leads, or could lead, elsewhere
 */
export function resolveTarget(
	text: string,
	{ baseUrl, dialect }: { baseUrl: string; dialect: Pick<Dialect, 'root'> },
): { path: string; query: string } {
	const refuse = (why: string, hint?: string): never => {
		const shown = JSON.stringify(redactUrl(text).slice(0, 200));
		throw new UsageError(`path ${shown} ${why}`, { code: 'invalid_path', ...(hint !== undefined && { hint }) });
	};
	if (/[\p{Cc}\p{Cs}\\]/u.test(text)) refuse('has a control character or a backslash in it');
	if (text.includes('#')) refuse('has a fragment (#), which is never sent', 'write %23 for the character');
	const base = new URL(baseUrl);
	const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(text);
	let given = text;
	if (isUrl) {
		const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(text)?.[0] ?? '';
		const url = URL.canParse(origin) ? new URL(origin) : refuse('is not a URL that can be requested');
		if (url.username !== '' || url.password !== '') refuse('must not have a user name or password in it');
		if (url.origin !== base.origin) {
			const why = `is on another origin than ${base.origin}, where the credentials do not go`;
			refuse(why, 'use --profile or --base-url');
		}
		given = text.slice(origin.length);
	} else if (text.startsWith('//')) refuse('begins with two slashes', 'begin it with one, or none');
	const [typed = '', ...queries] = given.split('?');
	const path = typed.startsWith('/') ? typed : `/${typed}`;
	// A proxy or the service may decode or normalise what is sent.
	const leaves = (segment: string): boolean => /^\.\.?(?:;|$)|[/\\]/.test(decodings(segment).at(-1) as string);
	if (path.slice(1).split('/').some(leaves)) {
		refuse('steps out of its folder with dots or hidden slashes, which is not sent');
	}
	const basePath = base.pathname.replace(/\/+$/, '');
	const roots = [`/${dialect.root}`, `/${NEUTRAL_ROOT}`];
	const isBelow = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
	const prefix = roots.flatMap((root) => [`${basePath}${root}/v1`, `${root}/v1`]).find(isBelow);
	const isElsewhere = isUrl || roots.some(isBelow) || (basePath !== '' && isBelow(basePath));
	if (prefix === undefined && isElsewhere) refuse(`is not below ${basePath}/${dialect.root}/v1`);
	const rest = path.slice(prefix?.length ?? 0);
	if (rest.includes('//')) refuse('has an empty segment (//) in it');
	const encode = (part: string): string => part.replace(TO_ENCODE, (character) => encodeURIComponent(character));
	return { path: encode(`/${dialect.root}/v1${rest === '/' ? '' : rest}`), query: encode(queries.join('?')) };
}

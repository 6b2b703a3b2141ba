/** The command line of `api` → the request that it means. */

import { bodyOut, type Dialect } from '../../api/dialect.js';
import { didYouMean } from '../../api/suggest.js';
import { isObject, nestingProblem, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import type { Invocation } from '../command.js';
import { readTextValue } from '../rows/field-flags.js';
import { readTextFile, readTextInput } from '../text-file.js';
import { bodyOf, type GivenField, pairsOf, splitField, typedValue } from './fields.js';
import { methods } from './methods.js';
import { joined, resolveTarget, withQuery } from './target.js';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The interface shows no body for these, and proxies drop one. */
const BODILESS = new Set([...READS, 'DELETE']);

/** How many rows a page is asked to have, where nothing else is said: the most that services give. */
const PER_PAGE = '100';

export interface Call {
	method: string;
	/** Below the base URL, with the query. */
	path: string;
	body: string | undefined;
	/** Changes nothing: it may be sent again, and nobody is asked. */
	isRead: boolean;
	/** The same path without the page size that was added here, where one was. */
	plainPath?: string;
}

/** @throws UsageError */
export function readMethod(text: string): string {
	const method = text.toUpperCase();
	if (methods.includes(method)) return method;
	throw new UsageError(`${quote(text)} is not a method: ${methods.join(', ')}${didYouMean(method, methods)}`, {
		code: 'invalid_method',
		hint: 'the method comes first: supportctl api GET tickets/14',
	});
}

/** Reads arguments, fields and body. @throws UsageError */
export async function readCall(invocation: Invocation, baseUrl: string, dialect: Dialect): Promise<Call> {
	const { args, options, context } = invocation;
	const [given = '', path = ''] = args;
	const method = readMethod(given);
	if (options.paginate === true && method !== 'GET') throw new UsageError('--paginate goes with GET');
	const input = options.input as string | undefined;
	if (input !== undefined && BODILESS.has(method))
		throw new UsageError(`${method} is sent without a body; --input has no place in it`);
	const target = resolveTarget(path, { baseUrl, dialect });
	const fields = await readFields(invocation);
	const toQuery = BODILESS.has(method) || input !== undefined;
	const query = toQuery ? withQuery(target.query, pairsOf(fields, dialect)) : target.query;
	checkMethodOverride(fields);
	const plainPath = joined({ path: target.path, query });
	const body =
		input !== undefined
			? await readBody(input, context, dialect)
			: toQuery || fields.length === 0
				? undefined
				: JSON.stringify(bodyOut(dialect, bodyOf(fields)));
	const call: Call = { method, path: plainPath, body, isRead: READS.has(method) };
	if (options.paginate !== true || /(?:^|&)per_page=/.test(query)) return call;
	return { ...call, path: joined({ path: target.path, query: withQuery(query, [['per_page', PER_PAGE]]) }), plainPath };
}

/** WordPress takes the method from a parameter of this name, which would go round every guard here. */
function checkMethodOverride(fields: readonly GivenField[]): void {
	if (!fields.some((field) => field.name.toLowerCase() === '_method')) return;
	throw new UsageError('the field _method asks for another method', {
		code: 'invalid_field',
		hint: 'name the method itself: supportctl api DELETE …',
	});
}

async function readFields({ options, context }: Invocation): Promise<GivenField[]> {
	const stdinWanted = ((options.typedField as string[] | undefined) ?? []).filter((each) => each.endsWith('=@-'));
	if (stdinWanted.length + (options.input === '-' ? 1 : 0) > 1) {
		throw new UsageError('standard input can be read once, and more than one flag asks for it');
	}
	const fields: GivenField[] = [];
	for (const text of (options.rawField as string[] | undefined) ?? []) {
		const { name, steps, text: value } = splitField('-f', text);
		fields.push({ flag: '-f', name, steps, value });
	}
	for (const text of (options.typedField as string[] | undefined) ?? []) {
		const { name, steps, text: value } = splitField('-F', text);
		fields.push({
			flag: '-F',
			name,
			steps,
			value: value === undefined ? undefined : await readTyped(name, value, context),
		});
	}
	return fields;
}

async function readTyped(name: string, text: string, context: Context): Promise<unknown> {
	return text.startsWith('@') ? readTextValue(`-F ${name}`, text, context) : typedValue(name, text);
}

async function readBody(input: string, context: Context, dialect: Dialect): Promise<string> {
	const name = input === '-' ? 'standard input' : input;
	const text = input === '-' ? await readTextInput(context.stdin) : readTextFile(input, context.cwd);
	let value: unknown;
	try {
		value = JSON.parse(text.replace(/^\uFEFF/, ''));
	} catch {
		// The parser's message would quote the text, which may hold a password.
		throw new UsageError(`${name} is not JSON`, { code: 'invalid_input' });
	}
	const deep = nestingProblem(value);
	if (deep !== undefined) throw new UsageError(`${name}: ${deep}`, { code: 'invalid_input' });
	// What nothing has to be changed in is sent to the letter, so that large numbers stay what they are.
	return dialect.neutral || !isObject(value) ? text.replace(/^\uFEFF/, '') : JSON.stringify(bodyOut(dialect, value));
}

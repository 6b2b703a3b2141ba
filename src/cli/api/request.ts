/** The command line of `api` → the request that it means. */

import { bodyOut, type Dialect } from '../../api/dialect.js';
import { didYouMean } from '../../api/suggest.js';
import { isObject, nestingProblem, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { isSecretName } from '../../output/redact.js';
import { refuseSecretNames } from '../argv-secrets.js';
import { readTextValue } from '../runs/fields.js';
import { readTextFile, readTextInput } from '../text-file.js';
import { bodyOf, type GivenField, pairsOf, splitField, typedValue } from './fields.js';
import { type ApiInvocation, methods } from './options.js';
import { checkOverrides, parameterNames, resolveTarget, withQuery } from './target.js';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** The API documents no body for these, and proxies drop one. */
const BODILESS = new Set([...READS, 'DELETE']);

/** How a secret can be given. */
const FROM_FILE = 'give it with -F NAME=@file or -F NAME=@-';

export interface Call {
	method: string;
	/** Below the base URL, without the query. */
	path: string;
	query: string;
	body: string | undefined;
	/** Changes nothing: it may be sent again, and nobody is asked. */
	isRead: boolean;
}

/** @throws UsageError */
function readMethod(text: string): string {
	const method = text.toUpperCase();
	if (methods.includes(method)) return method;
	throw new UsageError(`${quote(text)} is not a method: ${methods.join(', ')}${didYouMean(method, methods)}`, {
		code: 'invalid_method',
		hint: 'the method comes first: supportctl api GET tickets/14',
	});
}

/** Reads arguments, fields and body. @throws UsageError */
export async function readCall(invocation: ApiInvocation, baseUrl: string, dialect: Dialect): Promise<Call> {
	const { args, options, context } = invocation;
	const method = readMethod(args[0]);
	const { input } = options;
	if (options.paginate === true && method !== 'GET') throw new UsageError('--paginate goes with GET');
	if (input !== undefined && BODILESS.has(method)) {
		throw new UsageError(`${method} is sent without a body; --input has no place in it`);
	}
	const target = resolveTarget(args[1], { baseUrl, dialect });
	checkOverrides(args[1]);
	refuseSecretNames('path', parameterNames(target.query), FROM_FILE);
	const fields = await readFields(invocation);
	for (const { name } of fields) checkOverrides(name);
	const inQuery = BODILESS.has(method) || input !== undefined;
	const query = inQuery ? withQuery(target.query, pairsOf(fields, dialect)) : target.query;
	const fieldsBody = inQuery || fields.length === 0 ? undefined : JSON.stringify(bodyOut(dialect, bodyOf(fields)));
	const body = input === undefined ? fieldsBody : await readBody(input, context, dialect);
	return { method, path: target.path, query, body, isRead: READS.has(method) };
}

async function readFields({ options, context }: ApiInvocation): Promise<GivenField[]> {
	const { rawField = [], typedField = [], input } = options;
	const readers = typedField.filter((each) => each.endsWith('=@-')).length + (input === '-' ? 1 : 0);
	if (readers > 1) throw new UsageError('standard input can be read once, and more than one flag asks for it');
	const fields: GivenField[] = rawField.map((text) => {
		const { name, steps, text: value } = splitField('-f', text);
		refuseSecretNames('-f', steps, FROM_FILE);
		return { flag: '-f', name, steps, value };
	});
	for (const text of typedField) {
		const { name, steps, text: value } = splitField('-F', text);
		const isFile = value?.startsWith('@') === true && !value.startsWith('@@');
		if (!isFile) refuseSecretNames('-F', steps, FROM_FILE);
		const read =
			value === undefined
				? undefined
				: value.startsWith('@')
					? await readTextValue(`-F ${name}`, value, context)
					: typedValue(name, value);
		// The line's end of a file with a password in it is not part of the password.
		const isSecret = isFile && typeof read === 'string' && steps.some(isSecretName);
		fields.push({ flag: '-F', name, steps, value: isSecret ? read.replace(/\r?\n$/, '') : read });
	}
	return fields;
}

async function readBody(input: string, context: Context, dialect: Dialect): Promise<string> {
	const name = input === '-' ? 'standard input' : input;
	const given = input === '-' ? await readTextInput(context.stdin) : readTextFile(input, context.cwd);
	const text = given.replace(/^\uFEFF/, '');
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

/** A flag per documented field, and the body that the given ones make. */

import type { Endpoint } from '../../api/endpoints.js';
import { type Field, flagName } from '../../api/fields.js';
import { numberedIdNames } from '../../api/path-ids.js';
import { emptyRecord } from '../../api/record.js';
import { ticketStatuses } from '../../api/statuses.js';
import {
	checkTyped,
	findField,
	isObject,
	isProblem,
	mergeValues,
	nestingProblem,
	parseField,
	quote,
	type ValueRules,
} from '../../api/values.js';
import type { RowSource, SharedValues } from '../../bulk/run/plan.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { isSecretName } from '../../output/redact.js';
import { refuseSecretKeys, refuseSecretNames } from '../argv-secrets.js';
import { camelCase } from '../options/option.js';
import { readFirstLine } from '../secret-input.js';
import { dialectOf } from '../session.js';
import { readTextFile, readTextInput } from '../text-file.js';
import type { RunInvocation } from './job.js';
import { listFields } from './options.js';

/** Text as it is given, or from `@file`, or from stdin with `@-`; `@@` stands for a leading @. */
export async function readTextValue(flag: string, text: string, context: Context): Promise<string> {
	if (text.startsWith('@@')) return text.slice(1);
	if (!text.startsWith('@')) return text;
	if (text === '@-') return readTextInput(context.stdin, flag);
	return readTextFile(text.slice(1), context.cwd, flag);
}

/** How a secret in --data and in a map can be given instead. */
const DATA_FILE = 'give it with --data @file or --data @-';

/** Whether a value names a file or standard input. */
export function isFile(text: string): boolean {
	return text.startsWith('@') && !text.startsWith('@@');
}

/** The body that --data, field flags, --set and password flags make together, by wire name. @throws UsageError */
export async function readFields(
	endpoint: Endpoint,
	source: RowSource,
	ids: Readonly<Record<string, string>>,
	invocation: RunInvocation,
): Promise<Record<string, unknown>> {
	const { options } = invocation;
	// A look-up's field is its argument.
	if (endpoint.replay !== 'set') return {};
	const context =
		source.from === 'file' && source.path === '-' ? withTakenStdin(invocation.context) : invocation.context;
	// Settings are read only for words that are not the interface's.
	const dialect = () => dialectOf(invocation);
	const rules: ValueRules = {
		undocumented: options.undocumented === true,
		statusIn: (status) => (ticketStatuses.includes(status) ? status : dialect().statusIn(status)),
	};
	const values = await readData(endpoint, source, ids, options, rules, dialect, context);
	for (const [name, value] of Object.entries(await readFieldFlags(endpoint.fields, options, rules, context))) {
		const field = findField(endpoint.fields, name);
		const isMap = field?.kind === 'map' && isObject(values[name]) && isObject(value);
		if (Object.hasOwn(values, name) && !isMap && JSON.stringify(values[name]) !== JSON.stringify(value)) {
			throw new UsageError(`${name} is given by --data and by a flag of its own, with two values`, {
				code: 'contradiction',
			});
		}
		values[name] = isMap && field !== undefined ? mergeValues(field, values[name], value) : value;
	}
	for (const text of options.set ?? []) {
		const at = text.indexOf('=');
		if (at <= 0) throw new UsageError(`--set ${quote(text)} is not name=value`, { code: 'invalid_value' });
		const [name, value] = [text.slice(0, at), text.slice(at + 1)];
		if (!isFile(value)) refuseSecretNames('--set', [name], 'give it with --set NAME=@file or --set NAME=@-');
		const read = await readTextValue('--set', value, context);
		// The line end of a file with a password in it is no part of the password.
		values[name] = isSecretName(name) ? read.replace(/\r?\n$/, '') : read;
	}
	const password = await readPassword(options, context);
	if (password !== undefined) values.password = password;
	return values;
}

function withTakenStdin(context: Context): Context {
	const taken = (): never => {
		throw new UsageError('standard input holds the rows and cannot be a value too');
	};
	return { ...context, stdin: { isTTY: false, bytes: taken, text: async () => taken() } };
}

async function readPassword(
	{ passwordStdin, passwordPrompt }: RunInvocation['options'],
	{ stdin, prompts }: Context,
): Promise<string | undefined> {
	if (passwordStdin === true) return await readFirstLine(stdin, '--password-stdin');
	if (passwordPrompt !== true) return undefined;
	if (!prompts.available) throw new UsageError('--password-prompt needs a terminal; without one use --password-stdin');
	const password = await prompts.secret('New password');
	if (password === '') throw new UsageError('the password is empty; nothing was sent');
	return password;
}

/** Values that flags give. @throws UsageError that names the flag */
async function readFieldFlags(
	fields: readonly Field[],
	options: Readonly<Record<string, unknown>>,
	rules: ValueRules,
	context: Context,
): Promise<Record<string, unknown>> {
	const values = emptyRecord<unknown>();
	for (const field of fields) {
		const given = field.kind === 'secret' ? undefined : options[camelCase(flagName(field.name))];
		const flag = `--${flagName(field.name)}`;
		for (const text of (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String)) {
			const full = field.kind === 'longtext' ? await readTextValue(flag, text, context) : text;
			const parsed = parseField(field, full, rules);
			if (isProblem(parsed)) {
				const hint =
					field.kind === 'status' && !parsed.problem.includes('help statuses')
						? { hint: 'supportctl help statuses lists the allowed values' }
						: {};
				throw new UsageError(`${flag}: ${parsed.problem}`, { code: 'invalid_value', ...hint });
			}
			if (field.kind === 'map') refuseSecretKeys(flag, parsed.value, DATA_FILE);
			values[field.name] = field.name in values ? mergeValues(field, values[field.name], parsed.value) : parsed.value;
		}
	}
	return values;
}

/** Items that flags add to list fields and remove from them. @throws UsageError that names the flag */
export function readItems(
	endpoint: Endpoint,
	change: 'add' | 'remove',
	options: Readonly<Record<string, unknown>>,
): SharedValues['add'] {
	const items = emptyRecord<readonly (string | number)[]>();
	for (const field of listFields(endpoint)) {
		const flag = `--${change}-${flagName(field.name)}`;
		for (const text of (options[camelCase(flag.slice(2))] ?? []) as readonly string[]) {
			const parsed = parseField(field, text, { undocumented: options.undocumented === true });
			if (isProblem(parsed)) throw new UsageError(`${flag}: ${parsed.problem}`, { code: 'invalid_value' });
			const given = parsed.value as readonly (string | number)[];
			if (given.length === 0) throw new UsageError(`${flag} is empty`, { code: 'invalid_value' });
			items[field.name] = [...(items[field.name] ?? []), ...given];
		}
	}
	return items;
}

/** The object that --data gives, checked where its names are documented. @throws UsageError */
async function readData(
	{ fields, parameters, body }: Endpoint,
	source: RowSource,
	ids: Readonly<Record<string, string>>,
	{ data: given }: RunInvocation['options'],
	rules: ValueRules,
	dialect: () => { fieldIn(name: string): string },
	context: Context,
): Promise<Record<string, unknown>> {
	const values = emptyRecord<unknown>();
	if (given === undefined) return values;
	const data = parseData(await readTextValue('--data', given, context));
	const deep = nestingProblem(data);
	if (deep !== undefined) throw new UsageError(`--data: ${deep}`, { code: 'invalid_value' });
	if (!isFile(given)) refuseSecretKeys('--data', data, DATA_FILE);
	const isDocumented = (name: string) => fields.some((field) => field.name === name);
	for (const [key, value] of Object.entries(data)) {
		const name = isDocumented(key) ? key : dialect().fieldIn(key);
		const id = name.toLowerCase();
		if (numberedIdNames.has(id) || parameters.some((each) => each.kind === 'id' && each.name === id)) {
			checkSameId(id, value, source, ids);
			continue;
		}
		const field = findField(fields, name);
		// A service's own field may differ from a documented name by a dash.
		if (field === undefined || (rules.undocumented && field.name !== name)) {
			if (!rules.undocumented && body !== 'custom_fields') throw unknownField(name, fields);
			values[name] = value;
			continue;
		}
		const checked = checkTyped(field, value, rules);
		if (isProblem(checked)) throw new UsageError(`--data: ${checked.problem}`, { code: 'invalid_value' });
		values[field.name] = checked.value;
	}
	return values;
}

function parseData(text: string): Record<string, unknown> {
	let data: unknown;
	try {
		data = JSON.parse(text);
	} catch {
		// The parser's message quotes the text, which may hold a password.
		throw new UsageError('--data is not valid JSON', { code: 'invalid_value' });
	}
	if (!isObject(data)) throw new UsageError('--data takes a JSON object such as \'{"status": "hold"}\'');
	return data;
}

/** Ids never travel in the body: one in --data must be that of the path. @throws UsageError */
function checkSameId(name: string, value: unknown, source: RowSource, ids: Readonly<Record<string, string>>): void {
	const own = ids[name] ?? (source.from === 'ids' && source.ids.length === 1 ? source.ids[0] : undefined);
	if (String(value) === own) return;
	const path = own === undefined ? 'each row has its own' : `the path says ${own}`;
	throw new UsageError(`--data has ${name} ${JSON.stringify(value)}, but ${path}; ids belong in the path`, {
		code: 'contradiction',
	});
}

function unknownField(name: string, fields: readonly Field[]): UsageError {
	return new UsageError(
		`--data: there is no field ${quote(name)}; the fields are ${fields.map((each) => each.name).join(', ')}`,
		{
			code: 'unknown_field',
			hint: '--undocumented allows other names',
		},
	);
}

/** The body from the flags for fields, --data, --set and passwords. */

import { bodyKinds, type Endpoint, numberedIdNames } from '../../api/endpoints.js';
import { findField, flagName } from '../../api/fields.js';
import { checkTyped, kinds, mergeValues, parseField, type ValueRules } from '../../api/kinds.js';
import { ticketStatuses } from '../../api/statuses.js';
import { didYouMean } from '../../api/suggest.js';
import { emptyRecord, isObject, isProblem, quote, widthProblem } from '../../api/values.js';
import { listFields, type SharedValues } from '../../bulk/plan.js';
import { onlyId, type RowSource } from '../../bulk/sources.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { readFirstLine } from '../../io/files.js';
import { parseJson, readNamedText, readTextValue, refuseSecrets } from '../flag-values.js';
import { camelCase } from '../options/option.js';
import { dialectOf } from '../session.js';
import type { RunInvocation } from './options.js';

const DATA_FILE = 'pass it with --data @file or --data @-';

const invalid = (message: string, hint?: string): UsageError =>
	new UsageError(message, { code: 'invalid_value', hint });
const contradiction = (message: string): UsageError => new UsageError(message, { code: 'contradiction' });

type Values = Record<string, unknown>;

interface Body {
	endpoint: Endpoint;
	source: RowSource;
	ids: Readonly<Record<string, string>>;
	options: RunInvocation['options'];
	context: Context;
	rules: ValueRules;
	values: Values;
}

/** @param edited fields from an editor, in place of --data */
export async function readFields(given: Omit<Body, 'rules' | 'values'>, edited?: Readonly<Values>): Promise<Values> {
	const { source, options } = given;
	let { context } = given;
	if (source.from === 'file' && source.path === '-') {
		const taken = (): never => {
			throw new UsageError("stdin already contains the rows and can't be a value");
		};
		context = { ...context, stdin: { isTTY: false, bytes: taken, text: async () => taken() } };
	}
	const rules: ValueRules = {
		undocumented: options.undocumented === true,
		statusIn: (status) => (ticketStatuses.includes(status) ? status : dialectOf(given).toNeutral(status)),
	};
	const values = emptyRecord<unknown>();
	const body = { ...given, context, rules, values };
	if (edited !== undefined) takeData(body, edited, 'the edit');
	else if (options.data !== undefined) takeData(body, await readData(options.data, context), '--data');
	await readFlags(body);
	const set = new Set<string>();
	for (const [name, value] of options.set ?? []) {
		if (set.has(name)) throw contradiction(`--set has ${quote(name)} twice`);
		set.add(name);
		values[name] = await readNamedText('--set', name, value, context);
	}
	const { prompts } = context;
	if (options.passwordStdin === true) values.password = await readFirstLine(context, '--password-stdin');
	if (options.passwordPrompt === true) {
		if (!prompts.available) {
			throw new UsageError('--password-prompt needs a terminal; without one use --password-stdin');
		}
		values.password = await prompts.secret('New password');
	}
	return values;
}

async function readFlags({ endpoint, options, context, rules, values }: Body): Promise<void> {
	for (const field of endpoint.fields) {
		const { name, kind } = field;
		const flag = `--${flagName(name)}`;
		const { isSecret, readsFiles, many } = kinds[kind];
		const texts = isSecret ? [] : ([options[camelCase(flag.slice(2))] ?? []].flat() as string[]);
		let value: unknown;
		for (const text of texts) {
			const full = readsFiles ? await readTextValue(flag, text, context) : text;
			const parsed = parseField(field, full, rules);
			if (isProblem(parsed)) throw invalid(`${flag}: ${parsed.problem}`);
			if (many === 'entries') refuseSecrets(flag, parsed.value, DATA_FILE);
			value = value === undefined ? parsed.value : mergeValues(field, value, parsed.value);
		}
		if (texts.length === 0) continue;
		const data = values[name];
		const isMap = many === 'entries' && isObject(data) && isObject(value);
		if (Object.hasOwn(values, name) && !isMap && JSON.stringify(data) !== JSON.stringify(value)) {
			throw contradiction(`${name} has different values in --data and in its flag`);
		}
		values[name] = isMap ? mergeValues(field, data, value) : value;
	}
}

/** `--add-ticket-tag`, `--remove-roles` … @throws UsageError */
export function readItems(
	endpoint: Endpoint,
	options: RunInvocation['options'],
	fields: Readonly<Values>,
): Pick<SharedValues, 'add' | 'remove'> {
	const items = { add: emptyRecord<(string | number)[]>(), remove: emptyRecord<(string | number)[]>() };
	for (const field of listFields(endpoint)) {
		const { name } = field;
		for (const change of ['add', 'remove'] as const) {
			const flag = `--${change}-${flagName(name)}`;
			const texts = options[camelCase(flag.slice(2))] as readonly string[] | undefined;
			if (texts === undefined) continue;
			if (Object.hasOwn(fields, name)) throw contradiction(`${flag} can't be combined with a value for ${name}`);
			const rules = { undocumented: options.undocumented === true };
			items[change][name] = texts.flatMap((text) => {
				const parsed = parseField(field, text, rules);
				if (isProblem(parsed)) throw invalid(`${flag}: ${parsed.problem}`);
				return parsed.value as (string | number)[];
			});
			if (items[change][name].length === 0) throw invalid(`${flag} is empty`);
		}
		const both = items.add[name]?.find((item) => items.remove[name]?.map(String).includes(String(item)));
		if (both !== undefined) throw contradiction(`${quote(String(both))} can't be both added to ${name} and removed`);
	}
	return items;
}

async function readData(given: string, context: Context): Promise<Readonly<Values>> {
	const text = await readTextValue('--data', given, context);
	const data = parseJson(text, '--data', 'invalid_value');
	if (!isObject(data)) throw new UsageError('--data must be a JSON object such as \'{"status": "hold"}\'');
	const tooWide = widthProblem(Object.keys(data).length, 'keys');
	if (tooWide !== undefined) throw invalid(`--data: ${tooWide}`);
	if (!given.startsWith('@')) refuseSecrets('--data', data, DATA_FILE);
	return data;
}

function takeData(
	{ endpoint: { fields, parameters, body }, source, ids, options, context, rules, values }: Body,
	data: Readonly<Values>,
	from: '--data' | 'the edit',
): void {
	const label = from === '--data' ? '--data: ' : '';
	for (const [key, value] of Object.entries(data)) {
		const name = fields.some((field) => field.name === key) ? key : dialectOf({ options, context }).toNeutral(key);
		const id = name.toLowerCase();
		if (numberedIdNames.has(id) || parameters.some((each) => each.kind === 'id' && each.name === id)) {
			const own = ids[id] ?? onlyId(source);
			if (String(value) === own) continue;
			const path = own === undefined ? 'each row has its own' : `the path says ${own}`;
			throw contradiction(`${from} has ${id} ${JSON.stringify(value)}, but ${path}; pass IDs as arguments`);
		}
		const found = findField(fields, name);
		// A service's own field may differ from ours by a dash.
		const field = rules.undocumented && found?.name !== name ? undefined : found;
		if (field === undefined && !rules.undocumented && !bodyKinds[body].takesAnyName) {
			const names = fields.map((each) => each.name);
			throw new UsageError(`${label}unknown field ${quote(name)}${didYouMean(name, names)}`, {
				code: 'unknown_field',
				hint: `fields: ${names.join(', ')}; pass --undocumented to allow other names`,
			});
		}
		const checked = field === undefined ? { value } : checkTyped(field, value, rules);
		if (isProblem(checked)) throw invalid(label + checked.problem);
		values[field?.name ?? name] = checked.value;
	}
}

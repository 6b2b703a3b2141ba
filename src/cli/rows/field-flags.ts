/** A flag per documented field, and what the given ones put into the body. */

import type { PathParameter } from '../../api/endpoints.js';
import { type Field, flagName, isMany } from '../../api/fields.js';
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
	type ValueRules,
} from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Context } from '../../io/context.js';
import { refuseSecretKeys } from '../argv-secrets.js';
import { camelCase, type OptionSpec, type OptionValues } from '../options/option.js';
import { readTextFile, readTextInput } from '../text-file.js';

const group = 'Fields';

/** How a kind's value is named in help. */
const PLACEHOLDERS: Partial<Record<Field['kind'], string>> = {
	longtext: 'text|@file',
	integer: 'n',
	boolean: 'true|false',
	switch: 'true|false',
	date: 'date',
	status: 'status',
	adjustment: 'type',
	email: 'address',
	term: 'term',
	terms: 'terms',
	list: 'names',
	map: 'key=value',
};

const SUGGESTIONS: Partial<Record<Field['kind'], readonly string[]>> = {
	status: ticketStatuses,
	adjustment: ['positive', 'negative', '+', '-'],
	boolean: ['true', 'false'],
	switch: ['true', 'false'],
};

/** The flags of an endpoint's fields; secrets have none. */
export function fieldOptions(fields: readonly Field[]): OptionSpec[] {
	return fields
		.filter((field) => field.kind !== 'secret')
		.map((field) => {
			const suggests = SUGGESTIONS[field.kind];
			return {
				flags: `--${flagName(field.name)} <${PLACEHOLDERS[field.kind] ?? 'text'}>`,
				help: field.help,
				group,
				repeatable: isMany(field),
				...(suggests === undefined ? {} : { suggests }),
			};
		});
}

export const dataOption: OptionSpec = {
	flags: '--data <json|@file>',
	help: 'A JSON object merged into the body, for what flags cannot say',
	group,
};

/** Text as it is given, or from `@file`, or from stdin with `@-`; `@@` stands for a leading @. */
export async function readTextValue(flag: string, text: string, context: Context): Promise<string> {
	if (text.startsWith('@@')) return text.slice(1);
	if (!text.startsWith('@')) return text;
	if (text === '@-') return readTextInput(context.stdin, flag);
	return readTextFile(text.slice(1), context.cwd, flag);
}

/** Whether a value names a file or standard input. */
export function isFile(text: string): boolean {
	return text.startsWith('@') && !text.startsWith('@@');
}

function optionKey(field: Field): string {
	return camelCase(flagName(field.name));
}

/** Values that flags give, by wire name. @throws UsageError that names the flag. */
export async function readFieldFlags(
	fields: readonly Field[],
	options: OptionValues,
	rules: ValueRules,
	context: Context,
): Promise<Record<string, unknown>> {
	const values = emptyRecord<unknown>();
	for (const field of fields) {
		if (field.kind === 'secret') continue;
		const given = options[optionKey(field)];
		if (given === undefined) continue;
		const flag = `--${flagName(field.name)}`;
		for (const text of Array.isArray(given) ? (given as string[]) : [given as string]) {
			const full = field.kind === 'longtext' ? await readTextValue(flag, text, context) : text;
			const parsed = parseField(field, full, rules);
			if (isProblem(parsed)) throw new UsageError(`${flag}: ${parsed.problem}`, { code: 'invalid_value' });
			if (field.kind === 'map') refuseSecretKeys(flag, parsed.value, DATA_FILE);
			values[field.name] = field.name in values ? mergeValues(field, values[field.name], parsed.value) : parsed.value;
		}
	}
	return values;
}

/** How a secret can be given, where a flag would show it to others. */
const DATA_FILE = 'give it with --data @file or --data @-';

/**
 * The object that `--data` gives, checked where its names are documented. Ids never travel in the body: an id that names
 * the row is taken out, and the caller compares it with the path.
 */
export async function readData(
	fields: readonly Field[],
	parameters: readonly PathParameter[],
	options: OptionValues,
	rules: ValueRules,
	fieldIn: (name: string) => string,
	context: Context,
): Promise<{ values: Record<string, unknown>; ids: Record<string, unknown> }> {
	const values = emptyRecord<unknown>();
	const ids = emptyRecord<unknown>();
	if (options.data === undefined) return { values, ids };
	const text = await readTextValue('--data', options.data as string, context);
	let data: unknown;
	try {
		data = JSON.parse(text);
	} catch {
		// The parser's message is not used, nor kept as the cause: it quotes the text, which may hold a password.
		throw new UsageError('--data is not valid JSON', { code: 'invalid_value' });
	}
	const deep = nestingProblem(data);
	if (deep !== undefined) throw new UsageError(`--data: ${deep}`, { code: 'invalid_value' });
	if (!isFile(options.data as string)) refuseSecretKeys('--data', data, DATA_FILE);
	if (!isObject(data)) throw new UsageError('--data takes a JSON object such as \'{"status": "hold"}\'');
	for (const [given, value] of Object.entries(data)) {
		const name = fieldIn(given);
		const id = name.toLowerCase();
		if (numberedIdNames.has(id) || parameters.some((each) => each.kind === 'id' && each.name === id)) {
			ids[id] = value;
			continue;
		}
		const field = findField(fields, name);
		// What a desk has of its own may differ from a documented name by no more than a dash.
		if (field === undefined || (rules.undocumented === true && field.name !== name)) {
			values[name] = value;
			continue;
		}
		const checked = checkTyped(field, value, rules);
		if (isProblem(checked)) throw new UsageError(`--data: ${checked.problem}`, { code: 'invalid_value' });
		values[field.name] = checked.value;
	}
	return { values, ids };
}

/** `-f` and `-F`, in the manner of `gh api`: names with brackets and values → a JSON body, or pairs for the query. */

import { type Dialect, neutralDialect } from '../../api/dialect.js';
import { emptyRecord } from '../../api/record.js';
import { isObject, quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';

/** One flag: `meta[color]=red` is the path meta, color; an empty step stands for "append to the list". */
export interface GivenField {
	flag: '-f' | '-F';
	/** As it was typed, before the `=`. */
	name: string;
	steps: readonly string[];
	/** Undefined for a bare `tags[]`, an empty list. */
	value: unknown;
}

function problem(flag: string, text: string, why: string): UsageError {
	return new UsageError(`${flag} ${quote(text)} ${why}`, {
		code: 'invalid_field',
		hint: 'such as -f title=Hello, -F assignee=7, -f meta[color]=red, -f roles[]=agent',
	});
}

/** Splits at the `=` and the brackets. @throws UsageError */
export function splitField(
	flag: '-f' | '-F',
	text: string,
): { name: string; steps: string[]; text: string | undefined } {
	const at = text.indexOf('=');
	const name = at === -1 ? text : text.slice(0, at);
	const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
	if (match === null) throw problem(flag, text, 'is not name=value');
	const steps = [
		match[1] as string,
		...[...(match[2] as string).matchAll(/\[([^[\]]*)\]/g)].map((each) => each[1] as string),
	];
	if (at === -1 && steps.at(-1) !== '') throw problem(flag, text, 'is not name=value');
	return { name, steps, text: at === -1 ? undefined : text.slice(at + 1) };
}

/** What `-F` makes of a text: true, false, null and JSON's numbers are themselves. @throws UsageError */
export function typedValue(name: string, text: string): unknown {
	if (text === 'true') return true;
	if (text === 'false') return false;
	if (text === 'null') return null;
	if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return text;
	const number = Number(text);
	if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))) return number;
	throw new UsageError(`-F ${name}: ${quote(text)} is a number that can't be sent exactly`, {
		code: 'invalid_field',
		hint: `-f ${name}=… sends it as text`,
	});
}

type Branch = Record<string, unknown> | unknown[];

/** The list or object at a step, made where there is none yet. */
function branchAt(parent: Branch, step: string, next: string, field: GivenField): Branch {
	const wantsList = next === '';
	const known = Array.isArray(parent) ? lastOpen(parent, step, next) : parent[step];
	if (known !== undefined) {
		if (Array.isArray(known) === wantsList && (wantsList || isObject(known))) return known as Branch;
		throw problem(field.flag, field.name, 'does not fit the fields before it');
	}
	const made: Branch = wantsList ? [] : emptyRecord<unknown>();
	if (Array.isArray(parent)) parent.push(made);
	else parent[step] = made;
	return made;
}

/** `a[][b]=1 a[][c]=2` fill the same object until a key comes a second time. */
function lastOpen(list: unknown[], _step: string, next: string): unknown {
	const last = list.at(-1);
	return next !== '' && isObject(last) && !(next in last) ? last : undefined;
}

function put(body: Record<string, unknown>, field: GivenField): void {
	let branch: Branch = body;
	const { steps, value } = field;
	for (let index = 0; index < steps.length - 1; index++) {
		branch = branchAt(branch, steps[index] as string, steps[index + 1] as string, field);
	}
	const last = steps.at(-1) as string;
	if (Array.isArray(branch)) {
		if (value !== undefined) branch.push(value);
	} else if (last in branch) {
		throw problem(field.flag, field.name, 'is given twice');
	} else {
		branch[last] = value;
	}
}

/** A JSON object of fields. @throws UsageError where two do not fit together */
export function bodyOf(fields: readonly GivenField[]): Record<string, unknown> {
	const body = emptyRecord<unknown>();
	for (const field of fields) put(body, field);
	return body;
}

/** The same as pairs for a query; names keep their brackets. */
export function pairsOf(fields: readonly GivenField[], dialect: Dialect = neutralDialect): [string, string][] {
	return fields
		.filter((field) => field.value !== undefined)
		.map(({ name, steps, value }) => {
			const first = steps[0] as string;
			const own = dialect.fieldOut(first) + name.slice(first.length);
			const text = value === null ? '' : String(value);
			return [own, name === 'status' ? dialect.statusOut(text) : text];
		});
}

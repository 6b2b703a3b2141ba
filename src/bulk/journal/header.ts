/** Checks a journal's first line like a command line: it may come from anywhere. */

import { numberedIdNames } from '../../api/endpoints.js';
import { chooseEndpoint } from '../../api/plan.js';
import { checkTyped, findField, isObject, isProblem, parseSlug, quote } from '../../api/values.js';
import { inputFormats } from '../input/input.js';
import { hasRuns, type RunHeader, type RunPlan } from '../run/plan.js';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isItem: Check = (value) => isText(value) || isCount(value);
const isOneOf =
	(...values: readonly unknown[]): Check =>
	(value) =>
		values.includes(value);
const isMatch =
	(pattern: RegExp): Check =>
	(value) =>
		typeof value === 'string' && pattern.test(value);
const isMaybe =
	(check: Check): Check =>
	(value) =>
		value === undefined || check(value);
const isListOf =
	(check: Check): Check =>
	(value) =>
		Array.isArray(value) && value.every(check);
const isMapOf =
	(check: Check): Check =>
	(value) =>
		isObject(value) && Object.values(value).every(check);
const isShape =
	(shape: Readonly<Record<string, Check>>): Check =>
	(value) =>
		isObject(value) && Object.entries(shape).every(([name, check]) => check(value[name]));

/** Printed, and part of file names. */
const RUN_ID = /^\d{8}-\d{6}-[0-9a-z]{5}$/;

const PREFIX = isMatch(/^[A-Za-z][A-Za-z0-9_-]{0,31}$/);

const SOURCES: Readonly<Record<string, Check>> = {
	ids: isShape({ ids: isListOf(isText) }),
	file: isShape({ path: isText, name: isText, format: isMaybe(isOneOf(...inputFormats)) }),
	plan: isShape({ path: isText, sha256: isMatch(/^[0-9a-f]{64}$/), allowDrift: isFlag }),
	snapshots: isShape({ journal: isText, run: isMatch(RUN_ID), overwrite: isFlag }),
};

const isShard: Check = (value) =>
	isShape({ index: isCount, count: isCount })(value) &&
	isObject(value) &&
	Number(value.index) >= 1 &&
	Number(value.index) <= Number(value.count);

const PLAN: Readonly<Record<keyof RunPlan, Check>> = {
	endpoint: isText,
	source: (value) => isObject(value) && SOURCES[String(value.from)]?.(value) === true,
	columns: isShape({
		map: isMapOf(isText),
		ignore: isListOf(isText),
		ignoreOther: isFlag,
		idColumn: isMaybe(isText),
		blank: isOneOf('skip', 'clear'),
	}),
	values: isShape({
		ids: isMapOf(isText),
		fields: isObject,
		withheld: isListOf(isText),
		force: isFlag,
		reassign: isMaybe(isText),
		add: isMapOf(isListOf(isItem)),
		remove: isMapOf(isListOf(isItem)),
	}),
	checks: isShape({
		onlyChanged: isFlag,
		verify: isFlag,
		snapshot: isFlag,
		ifUnmodified: isFlag,
		conditions: isListOf(isShape({ field: isText, value: isText })),
		allowDiffers: (value) => isFlag(value) || isListOf(isText)(value),
		ignoreMissing: isFlag,
	}),
	stop: isShape({ onError: isFlag, maxFailures: isMaybe(isCount) }),
	skipInvalid: isFlag,
	undocumented: isFlag,
	shard: isMaybe(isShard),
	service: isShape({
		baseUrl: isText,
		prefixes: isShape({ product: PREFIX, shop: PREFIX, membership: PREFIX }),
		profile: isMaybe(isText),
		protected: isFlag,
	}),
};

const HEADER: Readonly<Record<keyof RunHeader, Check>> = {
	id: isMatch(RUN_ID),
	started: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
	tool: isText,
	concurrency: (value) => isCount(value) && Number(value) >= 1,
	who: isMaybe(isShape({ user: isText, host: isText, account: isMaybe(isText) })),
	note: isMaybe(isText),
	reports: isMaybe(isListOf(isText)),
	plan: isObject,
	input: isShape({ sha256: isText, rows: isCount, last: isMaybe(isCount), own: isCount, copied: isFlag }),
};

/** Undefined if a run can go on from it. */
export function headerProblem(header: Readonly<Record<string, unknown>>): string | undefined {
	const bad = firstBad(HEADER, header) ?? firstBad(PLAN, header.plan as Record<string, unknown>);
	if (bad !== undefined) return `its first line has no valid "${bad}"`;
	return valuesProblem((header as unknown as RunHeader).plan);
}

function firstBad(checks: Readonly<Record<string, Check>>, value: Readonly<Record<string, unknown>>) {
	return Object.keys(checks).find((name) => checks[name]?.(value[name]) === false);
}

/** It would change the path. */
const LEAVES_PATH = /^\.*$|[/\\]/;

/** As a command line would. */
function valuesProblem({ endpoint: name, values, undocumented }: RunPlan): string | undefined {
	if (!hasRuns(name)) return `${quote(name)} can't be a run`;
	const { taxonomy } = values.ids;
	if (taxonomy !== undefined && isProblem(parseSlug(taxonomy))) return `${quote(taxonomy)} isn't a taxonomy`;
	const { endpoint } = chooseEndpoint(name, taxonomy, true);
	for (const [id, value] of Object.entries(values.ids)) {
		if (LEAVES_PATH.test(value)) return `${quote(value)} isn't a ${id}`;
	}
	const names = [
		...Object.keys(values.fields),
		...values.withheld,
		...Object.keys({ ...values.add, ...values.remove }),
	];
	for (const each of names) {
		if (endpoint.body === 'custom_fields') continue;
		const field = findField(endpoint.fields, each);
		if (isIdName(each) || (field === undefined && !undocumented)) return `${quote(each)} isn't a field`;
		if (field === undefined || !Object.hasOwn(values.fields, each)) continue;
		const checked = checkTyped(field, values.fields[each], { undocumented });
		if (isProblem(checked)) return checked.problem;
	}
	return undefined;
}

/** Services prefer an ID in the body. */
export function isIdName(name: string): boolean {
	return numberedIdNames.has(name.toLowerCase());
}

/** Checks a journal's first line like a command line: it may come from anywhere. */

import { type Endpoint, endpoints, isEndpointName, numberedIdNames } from '../../api/endpoints.js';
import { parseTaxonomy } from '../../api/plan.js';
import { checkTyped, isObject, isProblem, quote } from '../../api/values.js';
import type { RunHeader, RunPlan } from '../run/plan.js';

export const RUN_ID = /^\d{8}-\d{6}-[0-9a-z]{5}$/;

/** What every header has; values are examples of their types. */
const HEADER = {
	id: '',
	started: '',
	tool: '',
	concurrency: 0,
	plan: {
		endpoint: '',
		source: { from: '' },
		columns: { map: {}, ignore: [], ignoreOther: false, blank: '' },
		values: { ids: {}, fields: {}, withheld: [], force: false, add: {}, remove: {} },
		checks: { onlyChanged: false, verify: false, snapshot: false, ifUnmodified: false, conditions: [] },
		stop: { onError: false },
		skipInvalid: false,
		undocumented: false,
		service: { baseUrl: '', prefixes: { product: '', shop: '', membership: '' }, protected: false },
	},
	input: { sha256: '', rows: 0, own: 0, copied: false },
};

const SOURCES: Readonly<Record<string, object>> = {
	ids: { ids: [] },
	file: { path: '', name: '' },
	plan: { path: '', sha256: '' },
	snapshots: { journal: '', run: '' },
};

function missingPart(model: unknown, value: unknown, name: string): string | undefined {
	if (!isObject(model)) {
		const isFitting = typeof value === typeof model && Array.isArray(value) === Array.isArray(model);
		return isFitting ? undefined : name;
	}
	if (!isObject(value)) return name;
	for (const [part, each] of Object.entries(model)) {
		const missing = missingPart(each, value[part], part);
		if (missing !== undefined) return missing;
	}
	return undefined;
}

export function headerProblem(value: object): string | undefined {
	const missing = missingPart(HEADER, value, 'header') ?? badText(value as RunHeader);
	if (missing !== undefined) return `its first line has no valid "${missing}"`;
	return valuesProblem((value as RunHeader).plan);
}

function badText({ id, started, plan: { source, service } }: RunHeader): string | undefined {
	if (!RUN_ID.test(id)) return 'id';
	if (Number.isNaN(Date.parse(started))) return 'started';
	if (!URL.canParse(service.baseUrl)) return 'baseUrl';
	const isPrefix = (prefix: string): boolean => /^[A-Za-z][\w-]*$/.test(prefix);
	if (!Object.values(service.prefixes).every(isPrefix)) return 'prefixes';
	return missingPart(SOURCES[source.from], source, 'source');
}

const LEAVES_PATH = /^\.*$|[/\\]/;

function valuesProblem(plan: RunPlan): string | undefined {
	const { endpoint: name, values, undocumented } = plan;
	if (!isEndpointName(name) || endpoints[name].replay === 'once') return `${quote(name)} can't be a run`;
	const endpoint = endpoints[name];
	const { taxonomy } = values.ids;
	if (taxonomy !== undefined && isProblem(parseTaxonomy(endpoint, taxonomy, undocumented))) {
		return `${quote(taxonomy)} isn't a taxonomy`;
	}
	for (const [id, value] of Object.entries(values.ids)) {
		if (LEAVES_PATH.test(value)) return `${quote(value)} isn't a ${id}`;
	}
	const { fields, withheld, add, remove } = values;
	for (const each of [...Object.keys({ ...fields, ...add, ...remove }), ...withheld]) {
		if (!mayBeSent(endpoint, each, plan)) return `${quote(each)} isn't a field`;
		const field = endpoint.fields.find((known) => known.name === each);
		if (field === undefined || !Object.hasOwn(fields, each)) continue;
		const checked = checkTyped(field, fields[each], { undocumented });
		if (isProblem(checked)) return checked.problem;
	}
	return undefined;
}

/** A foreign journal could name the ID, which services prefer to the path's. */
export function mayBeSent({ body, fields, cleared = [] }: Endpoint, name: string, { undocumented }: RunPlan): boolean {
	if (body === 'custom_fields') return true;
	if (numberedIdNames.has(name.toLowerCase())) return false;
	return undocumented || fields.some((each) => each.name === name) || cleared.includes(name);
}

/** Checks a journal's first line like a command line: it may come from anywhere. */

import {
	bodyKinds,
	type Endpoint,
	type EndpointName,
	endpointList,
	endpoints,
	isEndpointName,
	numberedIdNames,
	replayRules,
} from '../../api/endpoints.js';
import { checkTyped } from '../../api/kinds.js';
import { parsePathValue, parseTaxonomy } from '../../api/request.js';
import { isProblem, quote } from '../../api/values.js';
import { encodings } from '../../text.js';
import type { Part } from '../part.js';
import {
	checkable,
	checkNames,
	listFields,
	type RunHeader,
	type RunPlan,
	type Shard,
	takesUndocumented,
} from '../plan.js';
import { inputFormats, type Made, type Maker, type RowSource, sources } from '../sources.js';
import {
	amount,
	anything,
	either,
	fitting,
	flag,
	listOf,
	object,
	oneOf,
	optional,
	recordOf,
	type Shape,
	tagged,
	text,
	textThat,
	whole,
} from './shape.js';

export const RUN_ID = /^\d{8}-\d{6}-[0-9a-z]{5}$/;

export const runId = textThat((value) => RUN_ID.test(value));

/** As settings accept one: user info, a query or a fragment may be secret. */
const BASE_URL = /^https?:\/\/[^/?#@\s\\]+(?:\/[^?#\s\\]*)?(?:\?rest_route=[^&#\s]*)?$/;
const baseUrl = textThat((value) => BASE_URL.test(value) && URL.canParse(value));
const moment = textThat((value) => !Number.isNaN(Date.parse(value)));
const prefix = textThat((value) => /^[A-Za-z][\w-]*$/.test(value));

/** What `--shard` accepts. */
const MOST_SHARDS = 999_999;

const isRun = (value: unknown): boolean =>
	typeof value === 'string' && isEndpointName(value) && replayRules[endpoints[value].replay].repeats;

const endpointName: Shape<EndpointName> = fitting(isRun);

const part = object<Part>({ ids: optional(listOf(text)), except: optional(listOf(text)) });
const maker = object<Maker>({ user: text, host: text, account: optional(text) });

const source = tagged<'from', RowSource>('from', {
	ids: object({ ids: listOf(text) }),
	file: object({
		path: text,
		name: text,
		format: optional(oneOf(...inputFormats)),
		delimiter: optional(text),
		encoding: optional(oneOf(...encodings)),
	}),
	plan: object({
		path: text,
		sha256: text,
		allowDrift: flag,
		part: optional(part),
		taken: optional(listOf(text)),
		made: optional(object<Made>({ started: moment, who: optional(maker), note: optional(text) })),
	}),
	snapshots: object({
		journal: text,
		run: text,
		overwrite: flag,
		part: optional(part),
		fields: optional(listOf(text)),
	}),
});

const items = recordOf(listOf(either(text, amount)));

const plan = object<RunPlan>({
	endpoint: endpointName,
	source,
	columns: object<RunPlan['columns']>({
		map: recordOf(text),
		ignore: listOf(text),
		ignoreOther: flag,
		blank: oneOf('skip', 'clear'),
		clear: optional(listOf(text)),
	}),
	values: object<RunPlan['values']>({
		ids: recordOf(text),
		fields: recordOf(anything),
		withheld: listOf(text),
		force: flag,
		reassign: optional(text),
		add: items,
		remove: items,
	}),
	checks: object<RunPlan['checks']>({
		onlyChanged: flag,
		sendUnchanged: optional(flag),
		verify: flag,
		snapshot: flag,
		ifUnmodified: flag,
		conditions: listOf(object({ field: text, value: text })),
		allowDiffers: either(flag, listOf(text)),
		ignoreMissing: flag,
		moveTickets: optional(flag),
		expected: optional(recordOf(listOf(anything))),
	}),
	stop: object<RunPlan['stop']>({ onError: flag, maxFailures: optional(whole()) }),
	skipInvalid: flag,
	undocumented: flag,
	shard: optional(object<Shard>({ index: whole(1, MOST_SHARDS), count: whole(1, MOST_SHARDS) })),
	service: object<RunPlan['service']>({
		baseUrl,
		prefixes: object({ product: prefix, shop: prefix, membership: prefix }),
		profile: optional(text),
		protected: flag,
	}),
});

const header = object<RunHeader>({
	id: runId,
	started: moment,
	tool: text,
	concurrency: whole(1),
	who: optional(maker),
	note: optional(text),
	reports: optional(listOf(text)),
	plan,
	input: object<RunHeader['input']>({
		sha256: text,
		rows: whole(),
		last: optional(whole()),
		own: whole(),
		copied: flag,
	}),
});

/** @returns a clause about what is wrong with it */
export function headerProblem(value: object): string | undefined {
	const misfit = header(value);
	if (misfit !== undefined) return `its first line has no valid "${misfit}"`;
	return valuesProblem((value as RunHeader).plan);
}

/** A flag or argument that the endpoint's command doesn't take, by its name in the plan. */
function misplacedIn(
	{ source, columns, values, checks, undocumented }: RunPlan,
	endpoint: Endpoint,
): string | undefined {
	const { ids, fields, withheld, force, reassign, add, remove } = values;
	const owners = endpoint.parameters.slice(0, -1).map(({ name }) => name);
	const lists = listFields(endpoint).map(({ name }) => name);
	const hasFlag = (name: 'force' | 'reassign'): boolean => endpoint.query.some((each) => each.name === name);
	const given: readonly (readonly [name: string, isGiven: boolean, isTaken: boolean])[] = [
		['source', sources[source.from].restores, endpointList.some(({ restoredBy }) => restoredBy === endpoint.name)],
		['blank', columns.blank === 'clear', endpoint.updates],
		['fields', Object.keys(fields).length > 0, endpoint.updates],
		['withheld', withheld.length > 0, endpoint.updates],
		['force', force, hasFlag('force')],
		['reassign', reassign !== undefined, hasFlag('reassign')],
		['undocumented', undocumented, takesUndocumented(endpoint)],
		...Object.keys(ids).map((name) => [name, true, owners.includes(name)] as const),
		...Object.keys({ ...add, ...remove }).map((name) => [name, true, lists.includes(name)] as const),
		...checkNames.map((name) => [name, isSet(checks[name]), checkable[name](endpoint)] as const),
	];
	return given.find(([, isGiven, isTaken]) => isGiven && !isTaken)?.[0];
}

function isSet(value: unknown): boolean {
	return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** An ID like this would lead the request somewhere else. */
const LEAVES_PATH = /^\.*$|[/\\]/;

function valuesProblem(plan: RunPlan): string | undefined {
	const { values, undocumented, shard } = plan;
	const endpoint = endpoints[plan.endpoint];
	if (shard !== undefined && shard.index > shard.count) return `shard ${shard.index} of ${shard.count} does not exist`;
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
		if (field === undefined) continue;
		for (const values of [fields, add, remove]) {
			const checked = Object.hasOwn(values, each) ? checkTyped(field, values[each], { undocumented }) : undefined;
			if (checked !== undefined && isProblem(checked)) return checked.problem;
		}
	}
	const misplaced = misplacedIn(plan, endpoint);
	return misplaced && `${endpoint.name.replaceAll('.', ' ')} takes no ${quote(misplaced)}`;
}

/** A foreign journal could name the ID, which services prefer to the path's. */
export function mayBeSent({ body, fields, cleared = [] }: Endpoint, name: string, { undocumented }: RunPlan): boolean {
	if (bodyKinds[body].takesAnyName) return true;
	if (numberedIdNames.has(name.toLowerCase())) return false;
	return undocumented || fields.some((each) => each.name === name) || cleared.includes(name);
}

/** Of a line of a journal or a plan. */
export function areIds(
	ids: Readonly<Record<string, unknown>>,
	endpoint: Endpoint,
	{ undocumented }: RunPlan,
): ids is Record<string, string> {
	const isPath = endpoint.parameters.every((each) => {
		return !isProblem(parsePathValue(each, String(ids[each.name]), endpoint, undocumented));
	});
	const isText = Object.values(ids).every((each) => typeof each === 'string');
	return isPath && isText;
}

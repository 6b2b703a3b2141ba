/**
 * Reads the objects of many writes with few requests: `GET /tickets?include=1,2,…`.
 * Lists are not in the interface (section 4): what a list leaves out is read alone, and
 * where a service offers no list, or ignores `include`, so is everything else.
 */

import type { Dialect } from '../../api/dialect.js';
import type { Endpoint } from '../../api/endpoints.js';
import { createPlanner, type Planner, type Request } from '../../api/plan.js';
import { readEndpointOf, readOfWrite } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { inOrder } from '../run/engine.js';

/** The most objects that services show on a page. */
export const BATCH_SIZE = 100;

/** What names an object that is read: the write's endpoint and path IDs. */
export type Write = Pick<Request, 'endpoint' | 'ids'>;

export interface BatchOptions {
	dialect: Dialect;
	/** Sends a read, with retries; never rejects. */
	send(request: Request): Promise<Outcome>;
	/** How many objects are read at a time where they are read alone. */
	concurrency: number;
}

export interface BatchReader {
	/** What lists show of the objects; what they leave out is missing. */
	readLists(writes: readonly Write[]): Promise<ReadonlyMap<Write, Outcome>>;
	/** The outcome of reading each object, in the order of `writes`. */
	read(writes: readonly Write[]): Promise<Outcome[]>;
	/** The outcome of reading one object with a request of its own. */
	readAlone(write: Write): Promise<Outcome>;
}

export function createBatchReader({ dialect, send, concurrency }: BatchOptions): BatchReader {
	const plannerFor = createPlanners(dialect);
	/** Paths of lists that are not served, or that ignore `include`. */
	const unusable = new Set<string>();

	const readAlone = (write: Write): Promise<Outcome> => send(readRequest(plannerFor, write));

	/** The objects that a list shows, by ID; what it leaves out is missing. */
	async function readList(
		list: Request,
		query: Readonly<Record<string, string>>,
		ids: readonly string[],
	): Promise<Map<string, Outcome>> {
		const found = new Map<string, Outcome>();
		const parameters = new URLSearchParams({
			...query,
			include: ids.join(','),
			per_page: String(ids.length),
			orderby: 'include',
		});
		const outcome = await send({
			...list,
			path: `${list.path}?${parameters}`,
		});
		if (outcome.outcome !== 'ok' || !Array.isArray(outcome.body)) {
			if (outcome.outcome === 'failed') unusable.add(list.path);
			return found;
		}
		const wanted = new Set(ids);
		for (const body of outcome.body.filter(isObject)) {
			const id = String(body.id);
			if (wanted.has(id)) found.set(id, { ...outcome, body });
			else unusable.add(list.path);
		}
		return found;
	}

	async function readGroup({ list, query, writes }: Group, outcomes: Map<Write, Outcome>): Promise<void> {
		const ids = [...new Set(writes.map(({ ids }) => String(ids.id)))];
		for (let at = 0; at < ids.length; at += BATCH_SIZE) {
			if (unusable.has(list.path)) return;
			const batch = ids.slice(at, at + BATCH_SIZE);
			const found = await readList(list, query, batch);
			for (const write of writes) {
				const outcome = found.get(String(write.ids.id));
				if (outcome !== undefined) outcomes.set(write, outcome);
			}
		}
	}

	async function readLists(writes: readonly Write[]): Promise<Map<Write, Outcome>> {
		const outcomes = new Map<Write, Outcome>();
		for (const group of groupsOf(writes, plannerFor)) {
			// One object costs one request either way.
			if (group.writes.length > 1) await readGroup(group, outcomes);
		}
		return outcomes;
	}

	return {
		readAlone,
		readLists,
		async read(writes) {
			const outcomes = await readLists(writes);
			const left = writes.filter((write) => !outcomes.has(write));
			let at = 0;
			for await (const outcome of inOrder([left], concurrency, readAlone)) {
				outcomes.set(left[at++] as Write, outcome);
			}
			return writes.map((write) => outcomes.get(write) as Outcome);
		},
	};
}

/** Writes whose objects stand in one list. */
interface Group {
	list: Request;
	query: Readonly<Record<string, string>>;
	writes: Write[];
}

/** Replies are listed per ticket, and terms per taxonomy. */
function groupsOf(writes: readonly Write[], plannerFor: PlannerFor): Iterable<Group> {
	const groups = new Map<string, Group>();
	for (const write of writes) {
		const read = readOfWrite(write.endpoint);
		if (read === undefined || write.ids.id === undefined) continue;
		const list = plannerFor(read.list)({ ids: write.ids });
		const group = groups.get(list.path);
		if (group !== undefined) group.writes.push(write);
		else groups.set(list.path, { list, query: read.query, writes: [write] });
	}
	return groups.values();
}

export type PlannerFor = (endpoint: Endpoint) => Planner;

/** A run of terms has an endpoint for each taxonomy; each gets one planner. */
export function createPlanners(dialect: Dialect): PlannerFor {
	const planners = new Map<string, Planner>();
	return (endpoint) => {
		const key = `${endpoint.method} ${endpoint.path}`;
		const planner = planners.get(key) ?? createPlanner(endpoint, dialect);
		planners.set(key, planner);
		return planner;
	};
}

/** The read that shows the object of a write. @throws UsageError */
export function readRequest(plannerFor: PlannerFor, { endpoint, ids }: Write): Request {
	const read = readEndpointOf(endpoint);
	if (read === undefined) {
		throw new UsageError(`the API has no way to read ${endpoint.noun}s`);
	}
	// Custom fields are written below ticket_id and read below id.
	const id = ids.id ?? (ids.ticket_id as string);
	return plannerFor(read)({ ids: { ...ids, id } });
}

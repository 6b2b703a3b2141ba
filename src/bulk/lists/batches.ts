/** Reads the objects of many writes with few requests: `GET /tickets?include=1,2,…`. What lists leave out is read alone. */

import type { Dialect } from '../../api/dialect.js';
import type { Endpoint } from '../../api/endpoints.js';
import { createPlanner, type Planner, type Request } from '../../api/plan.js';
import { readEndpointOf, readOfWrite } from '../../api/reads.js';
import { isObject } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';

export const BATCH_SIZE = 100;

export type Write = Pick<Request, 'endpoint' | 'ids'>;

export interface BatchOptions {
	dialect: Dialect;
	/** Retries; never rejects. */
	send(request: Request): Promise<Outcome>;
	/** Of objects that are read alone. */
	concurrency: number;
}

export interface BatchReader {
	/** What lists leave out is missing. */
	readLists(writes: readonly Write[]): Promise<ReadonlyMap<Write, Outcome>>;
	/** In the order of `writes`. */
	read(writes: readonly Write[]): Promise<Outcome[]>;
	readAlone(write: Write): Promise<Outcome>;
}

export function createBatchReader({ dialect, send, concurrency }: BatchOptions): BatchReader {
	const plannerFor = createPlanners(dialect);
	/** Not served, or ignoring `include`. */
	const unusable = new Set<string>();

	const readAlone = (write: Write): Promise<Outcome> => send(readRequest(plannerFor, write));

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
			// One request either way.
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
			for await (const outcome of inOrder(left, concurrency, readAlone)) {
				outcomes.set(left[at++] as Write, outcome);
			}
			return writes.map((write) => outcomes.get(write) as Outcome);
		},
	};
}

interface Group {
	list: Request;
	query: Readonly<Record<string, string>>;
	writes: Write[];
}

/** Replies per ticket, terms per taxonomy. */
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

/** One for each taxonomy. */
export function createPlanners(dialect: Dialect): PlannerFor {
	const planners = new Map<string, Planner>();
	return (endpoint) => {
		const key = `${endpoint.method} ${endpoint.path}`;
		const planner = planners.get(key) ?? createPlanner(endpoint, dialect);
		planners.set(key, planner);
		return planner;
	};
}

/** @throws UsageError */
export function readRequest(plannerFor: PlannerFor, { endpoint, ids }: Write): Request {
	const read = readEndpointOf(endpoint);
	if (read === undefined) {
		throw new UsageError(`the API has no way to read ${endpoint.noun}s`);
	}
	// Written below ticket_id, read below id.
	const id = ids.id ?? (ids.ticket_id as string);
	return plannerFor(read)({ ids: { ...ids, id } });
}

/** In the items' order. @param work never rejects */
export async function* inOrder<T, R>(
	items: Iterable<T>,
	concurrency: number,
	work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
	const underWay: Promise<R>[] = [];
	try {
		for (const item of items) {
			underWay.push(work(item));
			if (underWay.length >= concurrency) yield await (underWay.shift() as Promise<R>);
		}
		while (underWay.length > 0) yield await (underWay.shift() as Promise<R>);
	} finally {
		await Promise.all(underWay);
	}
}

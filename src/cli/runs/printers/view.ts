/** Who reads a run's output, and what its messages are made of. */

import type { Complaint } from '../../../bulk/input/rows.js';
import type { RunHeader } from '../../../bulk/run/plan.js';
import { type RowOutcome, wentWrong } from '../../../http/outcome.js';
import { isOwnTable, wantsJson } from '../../results.js';
import type { RunJob } from '../plan.js';

/** Rows of a kind that are printed one by one. */
export const SHOWN = 20;

export type View = ReturnType<typeof viewOf>;

export function viewOf({ endpoint, plan, session, invocation }: RunJob) {
	const { context, options } = invocation;
	const json = wantsJson(options);
	const isTable = isOwnTable(invocation, session.connection.settings.format);
	/** Its failure is the error of the call. */
	const isLone = plan.source.from === 'ids' && plan.source.ids.length === 1;
	return {
		json,
		isTable,
		isRead: endpoint.replay === 'read',
		isLone,
		/** A table has the failures already. */
		listsFailures: isLone || context.env.GITHUB_ACTIONS === 'true' || !(json || isTable),
	};
}

/** What the messages of a run are made of; grows while it goes on. */
export interface Seen {
	header: RunHeader | undefined;
	inputName: string;
	/** A long table has only rows that need attention. */
	hidesGood: boolean;
	failures: number;
	readonly complaints: Complaint[];
	readonly reasons: Groups<Complaint>;
	readonly groups: Groups<RowOutcome>;
	readonly advices: Set<string>;
}

export function createSeen(): Seen {
	return {
		header: undefined,
		inputName: 'input',
		hidesGood: false,
		failures: 0,
		complaints: [],
		reasons: createGroups(({ column, message }) => `${column} ${message}`),
		groups: createGroups(({ outcome, status, code }) => `${outcome} ${status} ${code}`),
		advices: new Set(),
	};
}

export function needsAttention(outcome: RowOutcome): boolean {
	return wentWrong(outcome) || outcome.outcome === 'differs';
}

/** What happens to many rows is said once, with a count and the first of them. */
const MOST_GROUPS = 1000;
const NAMED = 4;

export interface Group<Item> {
	count: number;
	named: [Item, ...Item[]];
}

export interface Groups<Item> {
	add(item: Item): void;
	all(): Group<Item>[];
}

export function createGroups<Item>(keyOf: (item: Item) => string): Groups<Item> {
	const groups = new Map<string, Group<Item>>();
	return {
		add(item) {
			const key = keyOf(item);
			const group = groups.get(key);
			if (group === undefined) {
				if (groups.size < MOST_GROUPS) groups.set(key, { count: 1, named: [item] });
				return;
			}
			group.count++;
			if (group.named.length < NAMED) group.named.push(item);
		},
		all: () => [...groups.values()],
	};
}

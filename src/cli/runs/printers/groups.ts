/** What happens to many rows is said once, with a count and the first of them. */

const MOST_GROUPS = 1000;
const NAMED = 4;

export interface Group<Item> {
	count: number;
	/** The first ones. */
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

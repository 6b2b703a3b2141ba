/** The names of the ids that a row can have, all from the endpoint table, and what they say of the row. */

import { endpointList } from './endpoints.js';

const parameters = endpointList.flatMap((each) => each.parameters);

/** The names of path parameters, and of what stands for one: a term's taxonomy, the user name of a look-up. */
export const idNames: readonly string[] = [...new Set([...parameters.map(({ name }) => name), 'taxonomy', 'username'])];

/** Those of ids proper: a slug is a field of bodies too. */
export const numberedIdNames: ReadonlySet<string> = new Set(
	parameters.filter(({ kind }) => kind === 'id').map(({ name }) => name),
);

/** Whether an id is of what a row's thing belongs to, as `ticket_id` is of a reply's ticket. */
export function isOwnerId(name: string): boolean {
	return name.endsWith('_id');
}

/** Which of a row's ids is that of its own thing: an owner's is, where there is no other. */
export function ownIdName(names: readonly string[]): string | undefined {
	const things = names.filter((name) => name !== 'taxonomy' && name !== 'username');
	return things.find((name) => !isOwnerId(name)) ?? things[0];
}

/**
 * The id of a row's own thing; that of a user is the name where nothing else is known.
 * @param names which keys of the row are ids
 */
export function ownId(row: Readonly<Record<string, unknown>>, names: readonly string[] = idNames): unknown {
	const present = names.filter((name) => Object.hasOwn(row, name));
	const name = ownIdName(present) ?? present.find((each) => each === 'username');
	return name === undefined ? undefined : row[name];
}

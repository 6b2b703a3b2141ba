/** Values of filters that may be typos: a service lists nothing for them, and reports no error. */

import type { Dialect } from '../../api/dialect.js';
import { listRequest, PAGE_SIZE, type Read } from '../../api/reads.js';
import type { Request } from '../../api/request.js';
import { didYouMean } from '../../api/suggest.js';
import { quote } from '../../api/values.js';
import type { Outcome } from '../../http/outcome.js';
import { type ListedObject, objectsIn } from './pages.js';

export interface Doubt {
	/** Of the objects listed. */
	readonly field: string;
	/** As the service has it. */
	readonly value: string;
	/** One of several values: only an object that has it shows that it exists. */
	readonly isOneOf: boolean;
	/** A warning; undefined if the value turns out to exist. */
	explain(asked: Asked): Promise<string | undefined>;
}

interface Asked {
	readonly read: Read;
	readonly dialect: Dialect;
	sendRead(request: Request): Promise<Outcome>;
}

export function watchDoubts(doubts: readonly Doubt[]) {
	const open = new Set(doubts);
	return {
		see(objects: readonly ListedObject[]): void {
			for (const doubt of open) {
				const { field, value, isOneOf } = doubt;
				const shows = (object: ListedObject): boolean => !isOneOf || [object[field]].flat().includes(value);
				if (objects.some(shows)) open.delete(doubt);
			}
		},
		async explain(asked: Asked): Promise<string[]> {
			const texts: string[] = [];
			for (const doubt of open) {
				const text = await doubt.explain(asked);
				if (text !== undefined) texts.push(text);
			}
			return texts;
		},
	};
}

/** Which roles exist depends on the service, and no list has them: users show theirs. */
export async function roleProblem(flag: string, role: string, asked: Asked): Promise<string | undefined> {
	const withRole = await usersShown({ roles: role, per_page: '1' }, asked);
	if (withRole === undefined || withRole.length > 0) return undefined;
	const users = (await usersShown({ per_page: String(PAGE_SIZE) }, asked)) ?? [];
	const known = [...new Set(users.flatMap(({ roles }) => roles))].filter((each) => typeof each === 'string').sort();
	const ours = known.length > 0 ? `; roles in use: ${known.join(', ')}` : '';
	return `${flag}: no user has the role ${quote(role)}${didYouMean(role, known) || ours}`;
}

async function usersShown(query: Readonly<Record<string, string>>, { read, dialect, sendRead }: Asked) {
	const asked = { ...read.query, ...query, _fields: 'id,roles' };
	return objectsIn(await sendRead(listRequest(read, {}, asked, dialect)));
}

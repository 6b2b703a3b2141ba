/** A part of a saved plan or of an earlier run: some of its objects. */

import { ownId } from '../api/endpoints.js';
import { UsageError } from '../errors.js';

/** Objects by their own IDs, or users by their names; without `ids` all of them. */
export interface Part {
	readonly ids?: readonly string[] | undefined;
	readonly except?: readonly string[] | undefined;
}

export const LEFT_OUT = { code: 'left_out', message: 'left out by --ids or --except' } as const;

const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());

export class Chosen {
	readonly #ids: ReadonlySet<string> | undefined;
	readonly #except: ReadonlySet<string>;
	/** Those that no object had so far. */
	readonly #unseen: Set<string>;

	constructor({ ids, except = [] }: Part = {}) {
		this.#ids = ids && new Set(lower(ids));
		this.#except = new Set(lower(except));
		this.#unseen = new Set(lower([...(ids ?? []), ...except]));
	}

	has(ids: Readonly<Record<string, string>>): boolean {
		const names = [String(ownId(ids)).toLowerCase(), ids.username?.toLowerCase()].filter((name) => name !== undefined);
		for (const name of names) this.#unseen.delete(name);
		const isIn = (set: ReadonlySet<string>): boolean => names.some((name) => set.has(name));
		return (this.#ids === undefined || isIn(this.#ids)) && !isIn(this.#except);
	}

	/** Call it behind the last object. A mistyped ID must not pass for one that was left out. @throws UsageError */
	checkSeen(where: string): void {
		const unseen = [...this.#unseen];
		if (unseen.length === 0) return;
		const named = unseen.slice(0, 5).join(', ') + (unseen.length > 5 ? ', …' : '');
		throw new UsageError(`${named} ${unseen.length === 1 ? "isn't" : "aren't"} in ${where}; nothing was sent`, {
			code: 'not_in_part',
		});
	}
}

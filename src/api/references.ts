/** Names where IDs are expected: which texts have to be looked up, and how to write that one is an ID or a name. */

import { looksLikeNumber, looksLikeUrl, NOBODY, type Parsed, parseId, parseSlugOrName, quote } from './values.js';

export interface Reference {
	readonly by: 'id' | 'name' | 'either';
	/** Without the mark. */
	readonly text: string;
}

/** `id:14` and `#14` are IDs, `@14` is a name. */
export function readReference(text: string): Reference {
	const [, mark, rest] = /^(@|#(?=\d+$)|id:(?=\d+$))(.*)$/is.exec(text) ?? [];
	if (mark === undefined || rest === undefined) return { by: 'either', text };
	return { by: mark === '@' ? 'name' : 'id', text: rest };
}

interface NameRules {
	/** The column, and the ID of a path, that has a name beside the ID. Without one, a name stands in the place of the ID. */
	readonly ownColumn: 'username' | undefined;
	mayBeName(text: string): boolean;
	/** Of an argument or a cell; marks stay. */
	parse(text: string): Parsed<string>;
}

/** Whose names stand for IDs. */
export const named = {
	users: {
		ownColumn: 'username',
		mayBeName: (text) => !looksLikeNumber(text),
		parse: (text) => {
			if (text === NOBODY) return { problem: `${quote(text)} is nobody; a user of this name is @${NOBODY}` };
			return looksLikeNumber(text) || looksLikeUrl(text) ? parseId(text) : { value: text };
		},
	},
	/** A number may be the ID of one term and the name of another. */
	terms: {
		ownColumn: undefined,
		mayBeName: () => true,
		parse: (text) => ({ value: text }),
	},
	passwords: {
		ownColumn: undefined,
		mayBeName: (text) => !looksLikeNumber(text),
		parse: parseSlugOrName,
	},
} as const satisfies Record<string, NameRules>;

export type Named = keyof typeof named;

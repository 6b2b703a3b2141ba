/** The shells that are completed, and how each takes words. Their scripts are in completion/scripts/. */

export interface ShellFacts {
	/** Whether words come on stdin, a line each: as arguments, empty ones and quotes would be lost. */
	readonly wordsOnStdin: boolean;
	/** Whether it breaks words at = and : too, and keeps their quotation marks. */
	readonly breaksWords: boolean;
	/** Whether it chooses the words that fit; others are given those alone, matched whatever their case. */
	readonly choosesItself: boolean;
	/** Between a word and its help; undefined if it shows none. */
	readonly beforeHelp: string | undefined;
}

/** A member that lacks a column, or its script in cli/commands/completion.ts, does not compile. */
const shells = {
	bash: { wordsOnStdin: false, breaksWords: true, choosesItself: false, beforeHelp: undefined },
	zsh: { wordsOnStdin: false, breaksWords: false, choosesItself: true, beforeHelp: ':' },
	fish: { wordsOnStdin: false, breaksWords: false, choosesItself: true, beforeHelp: '\t' },
	powershell: { wordsOnStdin: true, breaksWords: false, choosesItself: false, beforeHelp: '\t' },
} as const satisfies Record<string, ShellFacts>;

export type ShellName = keyof typeof shells;

export const shellNames = Object.keys(shells) as ShellName[];

/** A script of an older version may name any. */
export function shellFacts(name: string | undefined): ShellFacts {
	const isKnown = (given: string): given is ShellName => Object.hasOwn(shells, given);
	return name !== undefined && isKnown(name) ? shells[name] : shells.fish;
}

/** A command line that is still being typed → what its last word is about to be. */

import type { CommandSpec } from '../command.js';
import { type CommandEntry, commands, startsWith } from '../manifest.js';
import { longFlag, longName, type OptionSpec, shortFlag, takesValue } from '../options/option.js';

/** What is known of the words before the one that is typed. */
export interface ReadLine {
	entry: CommandEntry;
	spec: CommandSpec;
	/** Positional words, in order. */
	args: string[];
	/** Values of the options so far, by long name; flags without a value have an empty list. */
	given: Map<string, string[]>;
	/** The option whose value is typed, as a word of its own. */
	pending: OptionSpec | undefined;
	/** Behind `--`, nothing is a flag any more. */
	flagsEnded: boolean;
}

export function findFlag(options: readonly OptionSpec[], flag: string): OptionSpec | undefined {
	return options.find((option) => longFlag(option) === flag || shortFlag(option) === flag);
}

/** Where the words lead: a command and the words behind it, or the beginning of several commands. */
export interface Route {
	entry: CommandEntry | undefined;
	/** The words of commands that are there, without flags. */
	words: string[];
	/** Flags before the command's last word, and everything behind it. */
	rest: string[];
	/** A word that no command has stands among them. */
	lost: boolean;
	/** A flag that stands before the command's last word and whose value is typed. */
	pending: OptionSpec | undefined;
}

/** Finds the command among words that may have the flags of `leading` before it and between its words. */
export function findRoute(typed: readonly string[], leading: readonly OptionSpec[]): Route {
	const route: Route = { entry: undefined, words: [], rest: [], lost: false, pending: undefined };
	let at = 0;
	for (; at < typed.length && route.entry === undefined; at++) {
		const word = typed[at] as string;
		if (word.startsWith('-')) {
			route.rest.push(word);
			const option = findFlag(leading, word);
			if (option === undefined || !takesValue(option)) continue;
			if (at + 1 === typed.length) return { ...route, pending: option };
			route.rest.push(typed[++at] as string);
		} else {
			const longer = [...route.words, word];
			if (!commands.some((each) => startsWith(each, longer))) break;
			route.words = longer;
			route.entry = commands.find((each) => each.words.length === longer.length && startsWith(each, longer));
		}
	}
	route.lost = route.entry === undefined && at < typed.length;
	route.rest.push(...typed.slice(at));
	return route;
}

/** Reads the words behind a command as commander would, without minding mistakes. */
export function readLine(entry: CommandEntry, spec: CommandSpec, rest: readonly string[]): ReadLine {
	const line: ReadLine = { entry, spec, args: [], given: new Map(), pending: undefined, flagsEnded: false };
	const note = (option: OptionSpec, value?: string): void => {
		const values = line.given.get(longName(option)) ?? [];
		line.given.set(longName(option), value === undefined ? values : [...values, value]);
	};
	for (let at = 0; at < rest.length; at++) {
		const word = rest[at] as string;
		if (line.flagsEnded || !word.startsWith('-') || word === '-') {
			line.args.push(word);
		} else if (word === '--') {
			line.flagsEnded = true;
		} else if (word.startsWith('--') && word.includes('=')) {
			const option = findFlag(spec.options, word.slice(0, word.indexOf('=')));
			if (option !== undefined) note(option, word.slice(word.indexOf('=') + 1));
		} else {
			const option = findFlag(spec.options, word.startsWith('--') ? word : word.slice(0, 2));
			if (option === undefined) continue;
			const attached = !word.startsWith('--') && word.length > 2;
			if (!takesValue(option)) note(option);
			else if (attached) note(option, word.slice(2));
			else if (at + 1 < rest.length) note(option, rest[++at]);
			else line.pending = option;
		}
	}
	return line;
}

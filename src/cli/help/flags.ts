/** How help shows flags: those of a command, and those that commands share. */

import { ticketStatuses } from '../../api/statuses.js';
import type { CommandSpec } from '../command.js';
import { connectionOptions } from '../options/connection.js';
import type { OptionSpec } from '../options/option.js';
import { outputOptions } from '../options/output.js';
import { guardOptions, tuningOptions } from '../options/run.js';
import { checkOptions, ignoreMissingOptions, inputOptions, journalOptions, stopOptions } from '../runs/options.js';
import { type Block, entries, heading, prose } from './page.js';

/** Flags that mean the same for every command that takes them, by the heading under which help lists them. */
export const sharedOptions: readonly OptionSpec[] = [
	...inputOptions,
	...checkOptions,
	...ignoreMissingOptions,
	...guardOptions,
	...tuningOptions,
	...stopOptions,
	...journalOptions,
	...outputOptions,
	...connectionOptions,
];

/** Which commands take the flags of a heading. */
const TAKEN_BY: Readonly<Record<string, string>> = {
	Input: 'Commands that take many ids or rows.',
	Checks: 'Updates; --verify, --if and --snapshot also deletes, --ignore-missing deletes alone.',
	Guards: 'Commands that write; --dry-run also reads of many ids.',
	Run: 'Commands that take many ids or rows, and run resume, retry and undo.',
	Output: 'Every command that prints results.',
	Connection: 'Every command that sends requests.',
};

/** The flags that the help of a command shows: all but those of a heading of which it takes at least half. */
export function ownOptions({ options }: CommandSpec): OptionSpec[] {
	const shared = sharedGroups(options);
	return options.filter((option) => !isShared(option) || !shared.includes(option.group));
}

/** The headings of "help flags" of which a command takes at least half of the flags. */
export function sharedGroups(options: readonly OptionSpec[]): string[] {
	const count = (list: readonly OptionSpec[], group: string): number =>
		list.filter((option) => option.group === group && isShared(option)).length;
	const groups = new Set(sharedOptions.map(({ group }) => group));
	return [...groups].filter((group) => count(options, group) * 2 >= count(sharedOptions, group));
}

function isShared({ flags, help }: OptionSpec): boolean {
	return sharedOptions.some((each) => each.flags === flags && each.help === help);
}

/** Flags under their headings, in the order in which the headings first come. */
export function optionBlocks(options: readonly OptionSpec[]): Block[] {
	const groups = [...new Set(options.map((option) => option.group))];
	return groups.flatMap((group) => [heading(group), flagList(options.filter((option) => option.group === group))]);
}

/** The shared flags under their headings. */
export function flagBlocks(): Block[] {
	const groups = [...new Set(sharedOptions.map((option) => option.group))];
	return groups.flatMap((group) => [
		heading(group),
		...(TAKEN_BY[group] === undefined ? [] : [prose(TAKEN_BY[group])]),
		flagList(sharedOptions.filter((option) => option.group === group)),
	]);
}

/** Flags without a short form line up with those that have one. */
function flagList(options: readonly OptionSpec[]): Block {
	const indent = options.some(({ flags }) => !flags.startsWith('--')) ? '    ' : '';
	return entries(
		options.map((option) => ({
			name: option.flags.startsWith('--') ? indent + option.flags : option.flags,
			text: flagText(option),
		})),
	);
}

function flagText(option: OptionSpec): string {
	const values = option.choices ?? option.suggests ?? [];
	let text = option.help.charAt(0).toUpperCase() + option.help.slice(1);
	if (values === ticketStatuses) text += ' (supportctl help statuses)';
	// `<true|false>` shows its values itself.
	else if (values.length > 0 && !option.flags.includes(values.join('|'))) text += `: {${values.join('|')}}`;
	if (option.repeatable === true) text += ' (repeatable)';
	return option.defaultText === undefined ? text : `${text} (default: ${option.defaultText})`;
}

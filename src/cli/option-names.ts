/** What an option is called, read off its description: how it is typed, its name among the values, and how others find it. */

import type { OptionSpec } from './command.js';

/** The long name without dashes and value: `--dry-run` of `-n, --dry-run` is `dry-run`. */
export function longName(option: OptionSpec): string {
	return (/--(?:no-)?([a-z0-9-]+)/.exec(option.flags)?.[1] ?? option.flags) as string;
}

/** The long flag as it is typed: `--no-color`. */
export function longFlag(option: OptionSpec): string {
	return (/--[a-z0-9-]+/.exec(option.flags)?.[0] ?? option.flags) as string;
}

/** Whether an option takes the next word as its value; that of `--name[=value]` stands behind the = alone. */
export function takesValue(option: OptionSpec): boolean {
	return option.flags.includes('<');
}

/** `-j` of `-j, --concurrency <n>`. */
export function shortFlag(option: OptionSpec): string | undefined {
	return /^(-[A-Za-z0-9]),/.exec(option.flags)?.[1];
}

/** `dry-run` → `dryRun`, as the values are named. */
export function camelCase(name: string): string {
	return name.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The options of these long names, in their own order. */
export function pick(options: readonly OptionSpec[], ...names: string[]): OptionSpec[] {
	return options.filter((option) => names.includes(longName(option)));
}

/** All options but those of these long names. */
export function allBut(options: readonly OptionSpec[], ...names: string[]): OptionSpec[] {
	return options.filter((option) => !names.includes(longName(option)));
}

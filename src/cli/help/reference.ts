/** The command reference of docs/reference.md and of the man page, made from the same descriptions as each command's help. */

import type { CommandSpec } from '../command.js';
import { type CommandEntry, commands } from '../manifest.js';
import type { OptionSpec } from '../options/option.js';
import { openingBlocks, optionBlocks } from './command-page.js';
import { orientation } from './overview.js';
import { heading, type Page, pageMarkdown, readPage } from './page.js';
import { manPage } from './roff.js';
import { topics } from './topics.js';

/** A flag that this many commands take is described once for all. */
const SHARED_BY = 5;

interface LoadedCommand {
	entry: CommandEntry;
	spec: CommandSpec;
}

function loadAll(): Promise<LoadedCommand[]> {
	return Promise.all(commands.map(async (entry) => ({ entry, spec: (await entry.load()).command })));
}

/** Commands under their headings, flags of their own with them, and those that many share at the end. */
export async function referenceMarkdown(): Promise<string> {
	const loaded = await loadAll();
	const shared = sharedOptions(loaded);
	const groups = [...new Set(commands.map((entry) => entry.group))];
	const sections = groups.map((group) => {
		const inside = loaded.filter(({ entry }) => entry.group === group);
		return [`### ${group}`, ...inside.map((each) => commandMarkdown(each, shared))].join('\n\n');
	});
	return `${[...sections, sharedMarkdown(loaded, shared)].join('\n\n')}\n`;
}

/** The man page: the orientation, every command with its own flags, the shared flags, and every topic. */
export async function manualRoff(version: string): Promise<string> {
	const loaded = await loadAll();
	const shared = sharedOptions(loaded);
	const sections: { title: string; page: Page }[] = [{ title: 'DESCRIPTION', page: orientation }];
	for (const { entry, spec } of loaded) {
		const own = spec.options.filter((option) => !shared.has(keyOf(option)));
		sections.push({
			title: `supportctl ${entry.words.join(' ')}`,
			page: [...openingBlocks(spec, entry.words), ...optionBlocks(own)],
		});
	}
	sections.push({ title: 'SHARED FLAGS', page: optionBlocks(sharedList(loaded, shared)) });
	for (const topic of topics) {
		sections.push({ title: topic.name, page: [heading(topic.summary), ...readPage((await topic.load()).text)] });
	}
	return manPage(version, sections);
}

/** What makes two flags of two commands the same flag. */
function keyOf(option: OptionSpec): string {
	return `${option.group} ${option.flags} ${option.help}`;
}

function sharedOptions(loaded: readonly LoadedCommand[]): ReadonlySet<string> {
	const counts = new Map<string, number>();
	for (const { spec } of loaded) {
		for (const option of spec.options) counts.set(keyOf(option), (counts.get(keyOf(option)) ?? 0) + 1);
	}
	return new Set([...counts].filter(([, count]) => count >= SHARED_BY).map(([key]) => key));
}

function commandMarkdown({ entry, spec }: LoadedCommand, shared: ReadonlySet<string>): string {
	const isShared = (option: OptionSpec): boolean => shared.has(keyOf(option));
	// A heading with a flag of the command's own is shown whole.
	const ownGroups = new Set(spec.options.filter((option) => !isShared(option)).map((option) => option.group));
	const own = spec.options.filter((option) => ownGroups.has(option.group));
	const others = new Set(spec.options.map((option) => option.group).filter((group) => !ownGroups.has(group)));
	const parts = [
		`#### supportctl ${entry.words.join(' ')}`,
		pageMarkdown([...openingBlocks(spec, entry.words), ...optionBlocks(own)], 5),
	];
	if (others.size > 0) parts.push(`And the shared flags: ${[...others].join(', ')}.`);
	return parts.join('\n\n');
}

function sharedList(loaded: readonly LoadedCommand[], shared: ReadonlySet<string>): OptionSpec[] {
	const options = new Map<string, OptionSpec>();
	for (const option of loaded.flatMap(({ spec }) => spec.options)) {
		if (shared.has(keyOf(option))) options.set(keyOf(option), option);
	}
	return [...options.values()];
}

function sharedMarkdown(loaded: readonly LoadedCommand[], shared: ReadonlySet<string>): string {
	return `### Shared flags\n\n${pageMarkdown(optionBlocks(sharedList(loaded, shared)), 4)}`;
}

/** The command reference of docs/reference.md and of the man page, made from the same descriptions as each command's help. */

import type { CommandSpec } from '../command.js';
import { type CommandEntry, commands } from '../manifest.js';
import { flagBlocks, optionBlocks, ownOptions, sharedGroups } from './flags.js';
import { heading, manPage, type Page, pageMarkdown } from './page.js';
import { openingBlocks, orientation } from './pages.js';
import { topics } from './topics.js';

interface LoadedCommand {
	entry: CommandEntry;
	spec: CommandSpec;
}

function loadAll(): Promise<LoadedCommand[]> {
	return Promise.all(commands.map(async (entry) => ({ entry, spec: await entry.load() })));
}

/** Commands under their headings, flags of their own with them, and those that many share at the end. */
export async function referenceMarkdown(): Promise<string> {
	const loaded = await loadAll();
	const groups = [...new Set(commands.map((entry) => entry.group))];
	const sections = groups.map((group) => {
		const inside = loaded.filter(({ entry }) => entry.group === group);
		return [`### ${group}`, ...inside.map((each) => commandMarkdown(each))].join('\n\n');
	});
	return `${[...sections, `### Shared flags\n\n${pageMarkdown(flagBlocks(), 4)}`].join('\n\n')}\n`;
}

/** The man page: the orientation, every command with its own flags, the shared flags, and every topic. */
export async function manualRoff(version: string): Promise<string> {
	const loaded = await loadAll();
	const sections: { title: string; page: Page }[] = [{ title: 'DESCRIPTION', page: orientation }];
	for (const { entry, spec } of loaded) {
		sections.push({
			title: `supportctl ${entry.words.join(' ')}`,
			page: [...openingBlocks(spec, entry.words), ...optionBlocks(ownOptions(spec))],
		});
	}
	sections.push({ title: 'SHARED FLAGS', page: flagBlocks() });
	for (const topic of topics.filter(({ name }) => name !== 'flags')) {
		sections.push({ title: topic.name, page: [heading(topic.summary), ...topic.page()] });
	}
	return manPage(version, sections);
}

function commandMarkdown({ entry, spec }: LoadedCommand): string {
	const shared = sharedGroups(spec.options);
	const parts = [
		`#### supportctl ${entry.words.join(' ')}`,
		pageMarkdown([...openingBlocks(spec, entry.words), ...optionBlocks(ownOptions(spec))], 5),
	];
	if (shared.length > 0) parts.push(`Shared flags: ${shared.join(', ')}.`);
	return parts.join('\n\n');
}

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeCommand } from '../../src/cli/help/topics.js';
import { commands } from '../../src/cli/manifest.js';
import { manualRoff, referenceMarkdown } from '../../src/tools/reference.js';

it('docs/reference.md is up to date', async () => {
	const page = readFileSync(new URL('../../docs/reference.md', import.meta.url), 'utf8');
	const text = (await referenceMarkdown()).replaceAll(/^#(?=##+ )/gm, '');
	expect(page.endsWith(`\n\n${text}`), 'out of date: npm run docs').toBe(true);
});

describe('the reference', () => {
	it('has a section for every command, with every flag of it there or among the shared ones', async () => {
		const text = await referenceMarkdown();
		const shared = text.slice(text.indexOf('### Shared flags'));
		for (const entry of commands) {
			const title = `#### supportctl ${entry.words.join(' ')}\n`;
			expect(text.split(title), title).toHaveLength(2);
			const start = text.indexOf(title) + title.length;
			const section = text.slice(start, text.indexOf('\n#### ', start));
			const command = await entry.load();
			expect(section).toContain(`${describeCommand(entry.words).summary}.`);
			for (const option of command.options.filter(({ hidden }) => hidden !== true)) {
				expect(section.includes(`\`${option.flags}\``) || shared.includes(`\`${option.flags}\``), option.flags).toBe(
					true,
				);
			}
		}
	});
});

it('the manual lists the commands first, and has the sections that readers look for', async () => {
	const sections = [...(await manualRoff('1.0.0')).matchAll(/^\.SH "?(.*?)"?$/gm)].map(([, title]) => title);
	expect(sections.slice(0, 4)).toEqual(['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS']);
	expect(sections.slice(-3)).toEqual(['ENVIRONMENT', 'EXIT STATUS', 'FILES']);
	expect(new Set(sections).size).toBe(sections.length);
});

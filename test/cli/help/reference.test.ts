import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referenceMarkdown, sectionMarkdown } from '../../../src/cli/help/reference.js';
import { commands } from '../../../src/cli/manifest.js';

it('README is in step with it', () => {
	execFileSync(process.execPath, ['src/tools/readme.mjs', '--check'], { cwd: new URL('../../..', import.meta.url) });
});

it('no recipe installs supportctl from a package registry, where it is not', async () => {
	const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
	for (const text of [readme, await sectionMarkdown('bulk', 'More than one machine')]) {
		expect(text).not.toMatch(
			/npx (?:-\S+ )*supportctl|npm (?:i|install|exec)(?: -\S+)* supportctl(?!-)|registry\.example/,
		);
	}
});

describe('the reference of the README', () => {
	it('has a section for every command, with every flag of it there or among the shared ones', async () => {
		const text = await referenceMarkdown();
		const shared = text.slice(text.indexOf('### Shared flags'));
		for (const entry of commands) {
			const title = `#### supportctl ${entry.words.join(' ')}\n`;
			expect(text.split(title), title).toHaveLength(2);
			const start = text.indexOf(title) + title.length;
			const section = text.slice(start, text.indexOf('\n#### ', start));
			const { command } = await entry.load();
			expect(section).toContain(command.summary);
			for (const option of command.options) {
				expect(section.includes(`\`${option.flags}\``) || shared.includes(`\`${option.flags}\``), option.flags).toBe(
					true,
				);
			}
		}
	});

	it('can show one section of a topic', async () => {
		const text = await sectionMarkdown('bulk', 'More than one machine');
		expect(text).toMatch(/^--shard K\/N takes the rows/);
		expect(text).toContain('completionMode: Indexed');
		expect(text).toContain('shard: [1, 2, 3, 4]');
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the matrix of a workflow is written so.
		expect(text).toContain('--shard ${{ matrix.shard }}/4');
		await expect(sectionMarkdown('bulk', 'Nothing')).rejects.toThrow('no section');
	});
});

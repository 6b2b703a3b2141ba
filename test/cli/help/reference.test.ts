import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { describeCommand } from '../../../src/cli/help/describe.js';
import { referenceMarkdown } from '../../../src/cli/help/reference.js';
import { commands } from '../../../src/cli/manifest.js';

it('docs/reference.md is up to date', () => {
	execFileSync(process.execPath, ['src/tools/docs.mjs', '--check'], { cwd: new URL('../../..', import.meta.url) });
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
			for (const option of command.options) {
				expect(section.includes(`\`${option.flags}\``) || shared.includes(`\`${option.flags}\``), option.flags).toBe(
					true,
				);
			}
		}
	});
});

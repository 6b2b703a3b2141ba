/** Completion with the built binary: what a press of Tab loads. Real shells are in test/system. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/manifest.js';
import { binary, isolatedEnvironment } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary.js';

describe('what a press of Tab loads', () => {
	/** Completes the flags of each command in one process; returns the text of all files of ours that Node evaluated. */
	function loaded(lines: readonly (readonly string[])[]): string {
		const traces = temporaryFolder();
		const script = `
			const { main } = require(process.argv[1]);
			(async () => {
				for (const words of JSON.parse(process.argv[2])) {
					process.argv = ['node', 'supportctl', '__complete', 'zsh', ...words, '--'];
					await main(process);
				}
			})();
		`;
		const program = join(binary, '../../dist/main.cjs');
		const stdout = execFileSync(process.execPath, ['-e', script, program, JSON.stringify(lines)], {
			encoding: 'utf8',
			env: { PATH: process.env.PATH, NODE_V8_COVERAGE: traces, ...isolatedEnvironment() },
		});
		const urls = readdirSync(traces).flatMap((file) =>
			(JSON.parse(readFileSync(join(traces, file), 'utf8')) as { result: { url: string }[] }).result.map(
				({ url }) => url,
			),
		);
		expect(stdout.match(/^--help\b/gm)).toHaveLength(lines.length);
		const own = urls.filter((url) => url.startsWith('file:') && url.includes('/dist/'));
		expect(own.length).toBeGreaterThan(1);
		return own.map((url) => readFileSync(new URL(url), 'utf8')).join('\n');
	}

	it('is neither the HTTP client nor a writer of profiles, whatever the command', () => {
		const text = loaded(commands.map(({ words }) => words));
		expect(text).not.toContain('http context');
		expect(text).not.toContain('projectName');
		expect(text).not.toContain('restoreDefaultPrompts');
	});
});

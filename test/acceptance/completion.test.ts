/** Completion with the built binary: what a press of Tab loads. Real shells are in test/system. */

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/manifest.js';
import { binary, isolatedEnvironment } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary.js';

describe('what a press of Tab loads', () => {
	/** The text of all files of ours that Node evaluated. */
	function loaded(words: readonly string[]): string {
		const traces = temporaryFolder();
		execFileSync(process.execPath, [binary, '__complete', 'zsh', ...words], {
			env: { PATH: process.env.PATH, NODE_V8_COVERAGE: traces, ...isolatedEnvironment() },
		});
		const urls = readdirSync(traces).flatMap((file) =>
			(JSON.parse(readFileSync(join(traces, file), 'utf8')) as { result: { url: string }[] }).result.map(
				({ url }) => url,
			),
		);
		rmSync(traces, { recursive: true });
		const own = urls.filter((url) => url.startsWith('file:') && url.includes('/dist/'));
		expect(own.length).toBeGreaterThan(1);
		return own.map((url) => readFileSync(new URL(url), 'utf8')).join('\n');
	}

	it.each(commands.map((entry) => entry.words.join(' ')))(
		'for %s is neither the HTTP client nor a writer of profiles',
		(name) => {
			const text = loaded([...name.split(' '), '--']);
			expect(text).not.toContain('http context');
			expect(text).not.toContain('projectName');
			expect(text).not.toContain('restoreDefaultPrompts');
		},
	);
});

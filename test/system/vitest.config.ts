/** How the system tests run: with shells, a keyring and other programs that have to be installed. */

import { defineConfig } from 'vitest/config';
import { textFiles } from '../../src/tools/bundle.mjs';

export default defineConfig({
	plugins: [textFiles],
	test: {
		root: new URL('../..', import.meta.url).pathname,
		include: ['test/system/**/*.test.ts'],
		globalSetup: ['test/system/programs.ts', 'test/support/build-once.ts'],
		pool: 'forks',
		testTimeout: 60_000,
		hookTimeout: 60_000,
		reporters: process.env.CI ? ['default', ['json', { outputFile: 'coverage/test-report-system.json' }]] : ['default'],
	},
});

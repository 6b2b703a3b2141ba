/** How the fault suite runs: slower than the other tests, against the built binary, two files at a time. */

import { defineConfig } from 'vitest/config';
import { textFiles } from '../../src/tools/bundle.mjs';

export default defineConfig({
	plugins: [textFiles],
	test: {
		root: new URL('../..', import.meta.url).pathname,
		include: ['test/faults/**/*.test.ts'],
		globalSetup: ['test/support/build-once.ts'],
		pool: 'forks',
		maxWorkers: 2,
		testTimeout: 60_000,
		hookTimeout: 60_000,
		reporters: process.env.CI ? ['default', ['json', { outputFile: 'coverage/test-report-faults.json' }]] : ['default'],
	},
});

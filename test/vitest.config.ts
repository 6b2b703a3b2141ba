/** How the tests run: every file in a process of its own, no network but loopback. */

import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		root: new URL('..', import.meta.url).pathname,
		include: ['test/**/*.test.ts'],
		exclude: ['test/faults/**'],
		globalSetup: ['test/support/build-once.ts'],
		pool: 'forks',
		testTimeout: 30_000,
		hookTimeout: 60_000,
		reporters: process.env.CI ? ['default', ['json', { outputFile: 'coverage/test-report.json' }]] : ['default'],
	},
});

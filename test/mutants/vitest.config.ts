/** How tests run against a planted bug: the first failure is enough. */

import { defineConfig } from 'vitest/config';

const root = new URL('../..', import.meta.url).pathname;

export default defineConfig({
	test: {
		root,
		// It would lie with the packages, which several runs share.
		cache: false,
		include: ['test/**/*.test.ts'],
		pool: 'forks',
		bail: 1,
		testTimeout: 10_000,
		reporters: ['json'],
	},
});

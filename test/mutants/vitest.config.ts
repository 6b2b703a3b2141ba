/** How tests run against a planted bug: nothing is built, and the first failure is enough. */

import { defineConfig } from 'vitest/config';

const root = new URL('../..', import.meta.url).pathname;

export default defineConfig({
	// The packages are a link to those of the checkout, which several runs share.
	cacheDir: `${root}/.cache`,
	test: {
		root,
		include: ['test/**/*.test.ts'],
		pool: 'forks',
		bail: 1,
		testTimeout: 10_000,
		reporters: ['json'],
	},
});

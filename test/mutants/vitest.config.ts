/** How tests run against a planted bug: one file has another text, which the environment brings. */

import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';
import { textFiles } from '../../src/tools/bundle.mjs';

const root = new URL('../..', import.meta.url).pathname;

interface Planted {
	file: string;
	text: string;
}

const given = process.env.PLANTED_BUG;
const bug: Planted | undefined = given === undefined ? undefined : JSON.parse(given);

const planted: Plugin = {
	name: 'planted-bug',
	enforce: 'pre',
	load: (id) => (bug !== undefined && id === root + bug.file ? bug.text : undefined),
};

export default defineConfig({
	plugins: [textFiles, planted],
	test: {
		root,
		// It would lie with the packages, which several runs share.
		cache: false,
		include: ['test/**/*.test.ts'],
		pool: 'forks',
		// With a bug, several runs are side by side.
		maxWorkers: bug === undefined ? availableParallelism() : 1,
		bail: bug === undefined ? 0 : 1,
		testTimeout: 30_000,
		reporters: ['json'],
	},
});

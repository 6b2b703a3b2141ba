/** How tests run against a planted bug: in one exported name of one file, named by the environment. */

import { defineConfig, type Plugin } from 'vitest/config';
import { textFiles } from '../../src/tools/bundle.mjs';

const root = new URL('../..', import.meta.url).pathname;

interface Planted {
	file: string;
	name: string;
	/** The source of a function from the real export to the one with the bug. */
	becomes: string;
}

/** Everyone who imports the name gets the one with the bug; the file's text does not matter. */
function planted({ file, name, becomes }: Planted): Plugin {
	const path = root + file;
	const real = JSON.stringify(`${path}?real`);
	return {
		name: 'planted-bug',
		enforce: 'pre',
		load(id) {
			if (id !== path) return undefined;
			return [
				`import * as real from ${real};`,
				`export * from ${real};`,
				`if (!('${name}' in real)) throw new Error('${file} exports no ${name}');`,
				`export const ${name} = (${becomes})(real.${name}, real);`,
			].join('\n');
		},
	};
}

const bug = process.env.PLANTED_BUG;

export default defineConfig({
	plugins: bug === undefined ? [textFiles] : [textFiles, planted(JSON.parse(bug))],
	test: {
		root,
		// It would lie with the packages, which several runs share.
		cache: false,
		include: ['test/**/*.test.ts'],
		pool: 'forks',
		maxWorkers: 1,
		bail: bug === undefined ? 0 : 1,
		testTimeout: 30_000,
		reporters: ['json'],
	},
});

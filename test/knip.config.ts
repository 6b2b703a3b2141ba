/** Where the search for dead code begins, and what it can't see; `npm run dead-code` fails for anything beyond, also for what only tests use. */

import type { KnipConfig } from 'knip';

export default {
	entry: [
		'src/main.ts!',
		'src/tools/*.mjs',
		// The tools bundle it and call what it exports, by its file's name.
		'src/tools/reference.ts!',
		'test/**/*.test.ts',
		'test/**/*.mjs',
		'test/**/vitest.config.ts',
	],
	project: ['src/**/*.ts!', 'src/**/*.mjs', 'test/**/*.{ts,mjs}'],
	ignoreExportsUsedInFile: true,
	// Tools of the system that tests and the benchmark start.
	ignoreBinaries: ['chromium', 'dbus-run-session', 'jq', 'mkfifo', 'nginx', 'shellcheck'],
	// The benchmark starts the one as a program; of the other, tests read files by a name that they put together.
	ignoreDependencies: ['autocannon', 'schemastore'],
} satisfies KnipConfig;

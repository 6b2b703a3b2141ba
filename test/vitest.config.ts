/** How the tests run: files side by side, in any order, no network but loopback; and how much of each room they have to reach. */

import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { textFiles } from '../src/tools/bundle.mjs';

/** Rooms that decide what is sent and what is said of it: a branch that no test takes there is a promise that nobody holds. */
const enough = { branches: 95 };

/** Tests about dates and times of day, once more where half an hour is part of the time zone. */
const dated = [
	'test/api/values.test.ts',
	'test/cli/options/times.test.ts',
	'test/http/retry.test.ts',
	'test/text.test.ts',
];

/** Those that take long run there only. */
const datedOnce = ['test/bulk/reports/html.test.ts', 'test/cli/commands/run/list.test.ts'];

/** Files that put something in the place of a Node module, which no other file may see. */
const alone = ['test/bulk/journal/write-faults.test.ts', 'test/lock-elsewhere.test.ts'];

/** Documents and the demo, whose commands run: a step of their own (`npm run test:docs`), since few changes reach them. */
const documents = [
	'test/docs.test.ts',
	'test/acceptance/readme.test.ts',
	'test/acceptance/examples.test.ts',
	'test/acceptance/demo.test.ts',
];

export default defineConfig({
	plugins: [textFiles],
	test: {
		root: new URL('..', import.meta.url).pathname,
		projects: [
			// Files share processes and what they have loaded: a process of its own costs each a third of a second.
			{
				extends: true,
				test: {
					name: 'together',
					include: ['test/**/*.test.ts'],
					exclude: ['test/faults/**', 'test/system/**', ...alone, ...datedOnce, ...documents],
					isolate: false,
				},
			},
			{
				extends: true,
				test: {
					name: 'in Kolkata',
					include: [...dated, ...datedOnce],
					isolate: false,
					env: { TZ: 'Asia/Kolkata' },
				},
			},
			{ extends: true, test: { name: 'alone', include: alone } },
			{ extends: true, test: { name: 'documents', include: documents, isolate: false, testTimeout: 60_000 } },
		],
		globalSetup: ['test/support/build-once.ts'],
		pool: 'forks',
		// Half of the time is spent waiting for child processes; the default is one file fewer at a time than there are cores.
		maxWorkers: availableParallelism() + 1,
		// Only what hangs takes that long, also on a busy machine.
		testTimeout: 30_000,
		hookTimeout: 30_000,
		// What is waited for comes, and a busy machine takes its time.
		expect: { poll: { timeout: 25_000 } },
		reporters: process.env.CI ? ['default', ['json', { outputFile: 'coverage/test-report.json' }]] : ['default'],
		coverage: {
			provider: 'v8',
			include: ['src/**/*.ts'],
			exclude: ['**/*.d.ts'],
			// A folder of its own: it is emptied before each run, and the reports of tests lie beside it.
			reportsDirectory: 'coverage/lines',
			reporter: [['text', { skipFull: true }], 'json'],
			thresholds: {
				// Screens are tested at real terminals, in processes that are not counted.
				'src/cli/**': { branches: 91 },
				'src/profile/**': { branches: 93 },
				'src/api/**': enough,
				'src/bulk/**': enough,
				'src/http/**': enough,
			},
		},
	},
});

/** Builds dist/: the program in few files that load when a command needs them, the library, and its type declarations. */

import { execFileSync } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { build } from 'rolldown';
import { root } from './bundle.mjs';
import { writeLicences, writeManPage } from './package-files.mjs';
import { leaveOut, readableAtOnce, startUpGroups } from './start-up.mjs';

const require = createRequire(import.meta.url);

const shared = {
	cwd: root,
	platform: 'node',
	external: ['@napi-rs/keyring'],
	logLevel: 'warn',
	onLog(level, log) {
		if (level === 'warn') throw new Error(log.message);
	},
	plugins: [leaveOut, readableAtOnce],
};

// A folder of its own until it is whole, so that nobody meets half a program.
const draft = `dist-${process.pid}`;
// CommonJS, since Node starts it sooner than modules: by 5 ms, and by half a millisecond for each further file.
const program = await build({
	...shared,
	input: { main: 'src/main.ts' },
	output: {
		dir: draft,
		format: 'cjs',
		dynamicImportInCjs: false,
		minify: true,
		codeSplitting: { groups: startUpGroups },
		entryFileNames: '[name].cjs',
		chunkFileNames: 'chunks/[name]-[hash].cjs',
	},
});
// Readable, since Node shows the line of an error that nobody caught: minified, that is a screen full.
const library = await build({
	...shared,
	input: { index: 'src/index.ts' },
	output: {
		dir: draft,
		format: 'esm',
		minify: 'dce-only',
		entryFileNames: '[name].js',
		chunkFileNames: 'chunks/[name]-[hash].js',
	},
});

const tsc = require.resolve('typescript/package.json').replace(/package\.json$/, 'bin/tsc');
execFileSync(process.execPath, [tsc, '--project', 'tsconfig.types.json', '--outDir', `${draft}/types`], {
	cwd: root,
	stdio: 'inherit',
});
await writeManPage(`${root}/${draft}`);
await writeLicences(
	`${root}/${draft}`,
	[...program.output, ...library.output].flatMap((chunk) => chunk.moduleIds ?? []),
);
await rm(`${root}/dist`, { recursive: true, force: true });
await rename(`${root}/${draft}`, `${root}/dist`);

/** Builds dist/: one bundle with chunks that load when a command needs them, and type declarations for the library. */

import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

await rm(`${root}/dist`, { recursive: true, force: true });
await build({
	cwd: root,
	input: { main: 'src/main.ts', index: 'src/index.ts' },
	platform: 'node',
	external: ['@napi-rs/keyring'],
	logLevel: 'warn',
	output: {
		dir: 'dist',
		format: 'esm',
		minify: true,
		entryFileNames: '[name].js',
		chunkFileNames: 'chunks/[name]-[hash].js',
	},
});

const tsc = createRequire(import.meta.url)
	.resolve('typescript/package.json')
	.replace(/package\.json$/, 'bin/tsc');
execFileSync(process.execPath, [tsc, '--project', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });

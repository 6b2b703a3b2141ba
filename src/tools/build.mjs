/** Builds dist/: one bundle with chunks that load when a command needs them, and type declarations for the library. */

import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

await rm(`${root}/dist`, { recursive: true, force: true });
await build({
	cwd: root,
	input: { main: 'src/main.ts' },
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

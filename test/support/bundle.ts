/** Makes a source file one that a child process of plain Node can import. */

import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { temporaryFolder } from './temporary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles `src/…` into a folder that goes away after the test; returns the file's URL. */
export async function bundleForChild(source: string): Promise<string> {
	const dir = temporaryFolder();
	const bundle = await rolldown({
		cwd: root,
		input: { entry: source },
		platform: 'node',
		external: ['@napi-rs/keyring'],
	});
	await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
	await bundle.close();
	return pathToFileURL(`${dir}/entry.mjs`).href;
}

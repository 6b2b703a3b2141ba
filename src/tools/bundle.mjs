/** Bundles a source file into a temporary one that plain Node can import, and gives what it exports. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string} source below the root @param {(module: any) => Promise<T>} use @template T @returns {Promise<T>} */
export async function withModule(source, use) {
	const folder = await mkdtemp(join(tmpdir(), 'supportctl-tools-'));
	try {
		const bundle = await rolldown({
			cwd: root,
			input: { module: source },
			platform: 'node',
			external: ['@napi-rs/keyring'],
			logLevel: 'silent',
		});
		await bundle.write({
			dir: folder,
			format: 'esm',
			entryFileNames: '[name].mjs',
			chunkFileNames: '[name]-[hash].mjs',
		});
		await bundle.close();
		return await use(await import(pathToFileURL(join(folder, 'module.mjs')).href));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

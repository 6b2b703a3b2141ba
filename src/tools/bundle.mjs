/** How the program is bundled: which files are one, and a source file that plain Node can import. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const shared = {
	cwd: root,
	platform: 'node',
	external: ['@napi-rs/keyring'],
	// A busy machine is no reason to fail.
	checks: { pluginTimings: false },
};

const isText = /\.(md|css|bash|zsh|fish|ps1)$|\/browser\.js$/;

/** `import text from './file' with { type: 'text' }`, for rolldown and vite, which do not know the attribute. */
export const textFiles = {
	name: 'text-files',
	enforce: 'pre',
	resolveId: {
		filter: { id: isText },
		// Under a name of its own, or a style sheet would be taken for one.
		handler: (source, importer) => `\0text:${join(dirname(importer), source)}.txt`,
	},
	load: {
		filter: { id: /^\0text:/ },
		async handler(id) {
			const text = await readFile(id.slice('\0text:'.length, -'.txt'.length), 'utf8');
			return { code: `export default ${JSON.stringify(text)}`, moduleType: 'js' };
		},
	},
};

/** @param {string} source below the root @param {(module: any) => Promise<T>} use @template T @returns {Promise<T>} */
export async function withModule(source, use) {
	const folder = await mkdtemp(join(tmpdir(), 'supportctl-tools-'));
	try {
		const bundle = await rolldown({ ...shared, input: { module: source }, logLevel: 'silent', plugins: [textFiles] });
		await bundle.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
		await bundle.close();
		return await use(await import(pathToFileURL(join(folder, 'module.mjs')).href));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * What runs together is one file, since each further one costs half a millisecond. The first that fits counts, and a
 * file's imports come with it. Whatever is not named here is a chunk of its own, loaded by what needs it.
 * test/tools/chunks.test.ts says which of these a command loads: a file that two of them import belongs into the earlier one.
 */
const together = {
	main: /src\/(main|version)\.ts$/,
	start: /src\/(errors|api\/(suggest|values)|io\/pager|output\/(sanitise|colour)|cli\/(wrap|program))\.ts$/,
	help: /src\/cli\/help\/(help|topics)\.ts$/,
	command: /src\/(cli\/(parse|options\/shared|commands\/objects)|output\/errors)\.ts$/,
	request: /src\/(cli\/session|http\/(send|problem)|output\/render)\.ts$/,
	http: /src\/http\/client\.ts$/,
	run: /src\/cli\/runs\/run\.ts$/,
	input: /src\/(bulk\/input\/(source|csv)|output\/progress|cli\/runs\/printers\/screen)\.ts$/,
};

export const startUpGroups = Object.entries(together).map(([name, test], index, all) => ({
	name,
	test,
	priority: all.length - index,
}));

const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Escapes characters beyond ASCII: V8 keeps a source with any of them at two bytes a character and reads it half as fast.
 */
export const asciiOnly = {
	name: 'ascii-only',
	generateBundle(_options, bundle) {
		for (const chunk of Object.values(bundle)) {
			if (chunk.type !== 'chunk') continue;
			chunk.code = chunk.code.replace(/[^\x00-\x7f]/g, toEscape);
		}
	},
};

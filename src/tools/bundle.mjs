/** How the program is bundled: which files are one, and a source file that plain Node can import. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { Visitor } from 'rolldown/utils';

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

/** HTTP/2, which undici loads and nobody asks it for; bodies of fetch; the parser for processors without SIMD. */
const seldomUsed = /undici\/lib\/(?:dispatcher\/client-h2|web\/fetch\/body|llhttp\/llhttp-wasm)\.js$/;

/**
 * What undici seldom runs is a file of its own, required when it does. undici itself requires the latter two only then; its
 * HTTP/2 client, which it requires at once, loads TLS and ten more modules of Node.
 */
export const loadedLater = {
	name: 'loaded-later',
	resolveId: {
		filter: { id: /\/(?:client-h2|body|llhttp-wasm)(?:\.c?js)?$/ },
		async handler(source, importer) {
			if (source.endsWith('.cjs')) return { id: source, external: true };
			const found = await this.resolve(source, importer, { skipSelf: true });
			if (importer === undefined || !seldomUsed.test(found?.id)) return found;
			const file = `${basename(found.id, '.js')}.cjs`;
			this.emitFile({ type: 'chunk', id: found.id, fileName: `chunks/${file}` });
			const isRequiredAtOnce = file === 'client-h2.cjs';
			return isRequiredAtOnce ? `\0later:${file}` : { id: `./${file}`, external: true };
		},
	},
	load: {
		filter: { id: /^\0later:/ },
		handler: (id) => `module.exports = (...given) => require('./${id.slice('\0later:'.length)}')(...given);`,
	},
};

/** The minifier writes `text` for 'text', of which V8 keeps both what is written and what it means. */
function inQuotes(code) {
	const templates = [];
	const tagged = new Set();
	new Visitor({
		TaggedTemplateExpression: ({ quasi }) => tagged.add(quasi.start),
		TemplateLiteral(node) {
			if (node.expressions.length === 0 && !tagged.has(node.start)) templates.push(node);
		},
	}).visit(parseAst(code, { sourceType: 'script' }));
	templates.sort((one, other) => one.start - other.start);
	let end = 0;
	const parts = templates.map((node) => {
		const before = code.slice(end, node.start);
		end = node.end;
		return before + JSON.stringify(node.quasis[0].value.cooked);
	});
	return parts.join('') + code.slice(end);
}

/** In parentheses, V8 compiles a function at once, as the function around a module should be; an arrow function it parses twice. */
const compiledAtOnce = (code) =>
	code.replace(/(\/\* @__PURE__ \*\/ [\w$.]+\(\()\(?([\w,]*)\)?=>\{/g, '$1function($2){');

const toEscape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** V8 keeps a source with any character beyond ASCII at two bytes a character and reads it half as fast. */
const asciiOnly = (code) => code.replace(/[^\x00-\x7f]/g, toEscape);

/** The same program, as V8 reads it soonest. */
export const soonRead = {
	name: 'soon-read',
	generateBundle(_options, bundle) {
		for (const chunk of Object.values(bundle)) {
			if (chunk.type === 'chunk') chunk.code = asciiOnly(compiledAtOnce(inQuotes(chunk.code)));
		}
	},
};

/** Of the program, and of what is measured beside it. */
export const plugins = [textFiles, loadedLater, soonRead];

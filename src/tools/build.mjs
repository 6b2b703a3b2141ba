/** Builds dist/: the program in few files that load when a command needs them, the man page, and the licenses of bundled packages. */

import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';
import { plugins, root, shared, startUpGroups, withModule } from './bundle.mjs';

const require = createRequire(import.meta.url);

const settings = {
	...shared,
	logLevel: 'warn',
	onLog(level, log) {
		if (level === 'warn') throw new Error(log.message);
	},
	plugins,
};

// A folder of its own until it is whole, so that no other process loads half a program.
const draft = `dist-${process.pid}`;
// CommonJS, since Node starts it sooner than modules: by 5 ms, and by half a millisecond for each further file.
const program = await build({
	...settings,
	preserveEntrySignatures: 'allow-extension',
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
const folder = join(root, draft);
const { version } = require('../../package.json');
const manual = await withModule('src/tools/reference.ts', ({ manualRoff }) => manualRoff(version));
await writeFile(join(folder, 'supportctl.1'), manual);
await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), await licences(program.output));
await rm(join(root, 'dist'), { recursive: true, force: true });
await rename(folder, join(root, 'dist'));

/** The license of every package of which a module was bundled, and where its source is, which the MPL requires. */
async function licences(chunks) {
	const inPackage = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;
	const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds.map((id) => id.replaceAll('\\', '/')));
	const folders = [...new Set(modules.map((id) => inPackage.exec(id)?.[1]).filter(Boolean))].sort();
	const texts = folders.map(async (each) => {
		const { name, version, license, repository } = JSON.parse(await readFile(join(each, 'package.json'), 'utf8'));
		const file = (await readdir(each)).find((entry) => /^licen[cs]e(?:-mit)?(?:\.(?:md|txt))?$/i.test(entry));
		const text = file === undefined ? `Licence: ${license}` : (await readFile(join(each, file), 'utf8')).trim();
		return `${name} ${version} (${license})\nSource: ${sourceOf(repository)}\n\n${text}\n`;
	});
	return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

/** The `repository` of a package.json, however it is written, as a browser opens it. */
function sourceOf(repository) {
	const url = repository.url ?? repository;
	const [, name] = /(?:github(?:\.com)?[:/]|^)([\w-]+\/[\w.-]+?)(?:\.git)?$/.exec(url) ?? [];
	return name === undefined ? url : `https://github.com/${name}`;
}

/** Keeps the generated parts of README.md in step with the program: `--check` fails where they are stale. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = join(root, 'README.md');

/** The program's own descriptions, bundled so that plain Node can read them. */
async function loadReference() {
	const folder = await mkdtemp(join(tmpdir(), 'supportctl-readme-'));
	try {
		const bundle = await rolldown({
			cwd: root,
			input: { reference: 'src/cli/help/reference.ts' },
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
		const { referenceMarkdown, sectionMarkdown } = await import(pathToFileURL(join(folder, 'reference.mjs')).href);
		return {
			reference: await referenceMarkdown(),
			'more-than-one-machine': await sectionMarkdown('bulk', 'More than one machine'),
		};
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Puts each part between its `<!-- begin NAME -->` and `<!-- end NAME -->`. */
function fill(text, parts) {
	let filled = text;
	for (const [name, part] of Object.entries(parts)) {
		const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`];
		const [from, to] = [filled.indexOf(begin), filled.indexOf(end)];
		if (from < 0 || to < from) throw new Error(`README.md has no place for "${name}": it needs ${begin} and ${end}`);
		filled = `${filled.slice(0, from + begin.length)}\n\n${part}\n${filled.slice(to)}`;
	}
	return filled;
}

const before = await readFile(readme, 'utf8');
const after = fill(before, await loadReference());
if (process.argv.includes('--check')) {
	if (before !== after) {
		console.error('README.md is not in step with the program: npm run docs');
		process.exitCode = 1;
	}
} else if (before !== after) {
	await writeFile(readme, after);
}

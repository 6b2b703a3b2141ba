/** Keeps the generated parts of README.md in step with the program: `--check` fails where they are stale. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, withModule } from './bundle.mjs';

const readme = join(root, 'README.md');

/** The parts, made from the program's own descriptions. */
function loadParts() {
	return withModule('src/cli/help/reference.ts', async ({ referenceMarkdown, sectionMarkdown }) => ({
		reference: await referenceMarkdown(),
		'more-than-one-machine': await sectionMarkdown('bulk', 'More than one machine'),
	}));
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
const after = fill(before, await loadParts());
if (process.argv.includes('--check')) {
	if (before !== after) {
		console.error('README.md is not in step with the program: npm run docs');
		process.exitCode = 1;
	}
} else if (before !== after) {
	await writeFile(readme, after);
}

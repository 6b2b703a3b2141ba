/** Writes docs/reference.md from the program's own descriptions; `--check` fails where it is out of date. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, withModule } from './bundle.mjs';

const file = join(root, 'docs/reference.md');
const head = `# Reference

Every command and flag. This page is generated: \`npm run docs\`.`;

const reference = await withModule('src/tools/reference.ts', ({ referenceMarkdown }) => referenceMarkdown());
const text = `${head}\n\n${reference.replaceAll(/^#(?=##+ )/gm, '')}`;
if (!process.argv.includes('--check')) {
	await writeFile(file, text);
} else if (text !== (await readFile(file, 'utf8').catch(() => ''))) {
	console.error('docs/reference.md is out of date: npm run docs');
	process.exitCode = 1;
}

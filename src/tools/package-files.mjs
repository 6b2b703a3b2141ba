/** What a package needs beside its code: a man page, and the licences of what is bundled. */

import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { withModule } from './bundle.mjs';

const require = createRequire(import.meta.url);

/** Writes `supportctl.1`. */
export async function writeManPage(folder) {
	const { version } = require('../../package.json');
	const text = await withModule('src/cli/help/reference.ts', ({ manualRoff }) => manualRoff(version));
	await writeFile(join(folder, 'supportctl.1'), text);
}

/** The folder of the package that a bundled module belongs to. */
function packageFolder(moduleId) {
	const match = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId.replaceAll('\\', '/'));
	return match?.[1];
}

async function licenceText(folder) {
	for (const name of [
		'LICENSE',
		'LICENSE.md',
		'LICENSE.txt',
		'license',
		'license.md',
		'LICENCE',
		'License',
		'LICENSE-MIT',
	]) {
		const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
		if (text !== undefined) return text.trim();
	}
	return undefined;
}

/** Writes the licence of every package of which a module was bundled. */
export async function writeLicences(folder, moduleIds) {
	const folders = [...new Set(moduleIds.map(packageFolder).filter(Boolean))].sort();
	const parts = [];
	for (const each of folders) {
		const { name, version, license } = JSON.parse(await readFile(join(each, 'package.json'), 'utf8'));
		const text = (await licenceText(each)) ?? `Licence: ${license}`;
		parts.push(`${name} ${version} (${license})\n\n${text}\n`);
	}
	await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), parts.join(`\n${'-'.repeat(80)}\n\n`));
	return parts.length;
}

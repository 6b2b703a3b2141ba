/** Makes the private folders that settings, journals and spooled input lie in. */

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, 0700. Node's own recursive way never returns where a file system such as /proc
 * says of a folder in a parent that is there that there is no such parent.
 */
export function makeFolder(path: string): void {
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'EEXIST' && isFolder(path)) return;
		const parent = dirname(path);
		if (code !== 'ENOENT' || isFolder(parent)) throw error;
		makeFolder(parent);
		makeFolder(path);
	}
}

function isFolder(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

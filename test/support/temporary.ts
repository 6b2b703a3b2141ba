/** Folders that go away when the test that asked for them ends. */

import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenTestEnds } from './test-end.js';

/** Files in the folder that this process has open; elsewhere than on Linux nobody says. */
function openFilesOf(folder: string): string[] {
	let descriptors: string[] = [];
	try {
		descriptors = readdirSync('/proc/self/fd');
	} catch {}
	return descriptors.flatMap((descriptor) => {
		try {
			const path = readlinkSync(`/proc/self/fd/${descriptor}`);
			return path.startsWith(`${folder}/`) ? [path] : [];
		} catch {
			// The one that the listing itself had open.
			return [];
		}
	});
}

/** A new empty folder, 0700, removed after the test. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'supportctl-test-'));
	whenTestEnds(() => {
		const open = openFilesOf(folder);
		rmSync(folder, { recursive: true, force: true });
		if (open.length > 0) throw new Error(`files were left open: ${open.join(', ')}`);
	});
	return folder;
}

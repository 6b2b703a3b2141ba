/** Folders that go away when the test that asked for them ends. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenTestEnds } from './test-end.js';

/** A new empty folder, 0700, removed after the test. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'supportctl-test-'));
	whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

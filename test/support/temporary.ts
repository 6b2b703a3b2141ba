/** Folders that go away when the test that asked for them ends. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new empty folder, 0700, removed after the test. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'supportctl-test-'));
	onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

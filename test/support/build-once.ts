/** Builds the binary before any test runs it, so that tests never run yesterday's program. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

/** Vitest calls this for the whole and for each of its projects. */
export default function setup(project: TestProject): void {
	if (!project.isRootProject()) return;
	const root = fileURLToPath(new URL('../..', import.meta.url));
	execFileSync(process.execPath, ['src/tools/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

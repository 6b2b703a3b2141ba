/** Builds the binary before any test runs it, so that tests never run yesterday's program. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function setup(): void {
	const root = fileURLToPath(new URL('../..', import.meta.url));
	execFileSync(process.execPath, ['src/tools/build.mjs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

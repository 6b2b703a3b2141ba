/** Programs that tests need from the system's packages. */

import { execFileSync } from 'node:child_process';

/** The path of a program; where it is missing, the error says how to get it, so that no test passes by not running. */
export function requireTool(name: string, debianPackage = name): string {
	try {
		return execFileSync('sh', ['-c', 'command -v -- "$1"', 'sh', name], { encoding: 'utf8' }).trim();
	} catch {
		throw new Error(`${name} is needed for this test and is not installed: apt-get install ${debianPackage}`);
	}
}

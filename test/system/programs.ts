/** The programs that these tests run, and a check that they are installed. */

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Program and the Debian package that it is in. */
const programs: Record<string, string> = {
	bash: 'bash',
	chromium: 'chromium',
	'dbus-run-session': 'dbus',
	fish: 'fish',
	'gnome-keyring-daemon': 'gnome-keyring',
	jq: 'jq',
	mlr: 'miller',
	parallel: 'parallel',
	python3: 'python3',
	setpriv: 'util-linux',
	shellcheck: 'shellcheck',
	zsh: 'zsh',
};

function isInstalled(program: string): boolean {
	return (process.env.PATH ?? '').split(delimiter).some((folder) => {
		try {
			accessSync(join(folder, program), constants.X_OK);
			return true;
		} catch {
			return false;
		}
	});
}

/** Vitest calls this before the first test. @throws Error with the command that installs what is missing. */
export default function requirePrograms(): void {
	const missing = Object.keys(programs).filter((program) => !isInstalled(program));
	if (missing.length === 0) return;
	const packages = missing.map((program) => programs[program]).join(' ');
	throw new Error(
		`the system tests need programs that are not installed: ${missing.join(', ')}\napt-get install -y --no-install-recommends ${packages}`,
	);
}

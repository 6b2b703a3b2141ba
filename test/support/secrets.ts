/** A secret to look for, the folders in which it may turn up, and the spellings in which it would. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporary.js';

/** The secret that is looked for; fit for a header, for basic it gets awkward letters too. */
export const MARKER = 'mk7Qz-marker-19xV';
export const AWKWARD = ` ${MARKER} "ä%:' `;

/** Another, which is the password of a user whom commands are about. */
export const OTHER = 'w3Xp-other-marker-R8k';

/** The marker as it is, or the core of it in any spelling in which a secret leaks. */
export function findLeak(text: string): string | undefined {
	const pairs = [MARKER, AWKWARD, OTHER].flatMap((secret) => [secret, `anna:${secret}`]);
	const spellings = [
		MARKER,
		OTHER,
		...pairs.map((each) => Buffer.from(each).toString('base64').replace(/=+$/, '')),
		...pairs.map((each) => Buffer.from(each).toString('hex')),
		encodeURIComponent(AWKWARD),
	];
	const found = spellings.find((each) => text.includes(each));
	if (found === undefined) return undefined;
	const at = text.indexOf(found);
	return text.slice(Math.max(0, at - 100), at + found.length + 60);
}

/** Every file below a folder whose content is like that. */
export function filesThat(hold: (text: string) => boolean, folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((name) => join(folder, name))
		.filter((path) => statSync(path).isFile() && hold(readFileSync(path, 'latin1')));
}

/** Every file below a folder that holds the marker. */
export function leakyFiles(folder: string): string[] {
	return filesThat((text) => findLeak(text) !== undefined, folder);
}

export interface Stage {
	home: string;
	config: string;
	state: string;
	cwd: string;
	secretFile: string;
	env: Record<string, string>;
}

/** Folders of their own for a run of commands, with a file that holds the secret outside all of them. */
export function setStage(baseUrl: string, secret: string): Stage {
	const home = temporaryFolder();
	const [config, state, cwd, tmp] = ['config', 'state', 'cwd', 'tmp'].map((name) => join(home, name)) as [
		string,
		string,
		string,
		string,
	];
	for (const folder of [config, state, cwd, tmp]) mkdirSync(folder, { mode: 0o700 });
	const secretFile = join(temporaryFolder(), 'secret');
	writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
	const env = {
		PATH: process.env.PATH as string,
		HOME: home,
		TMPDIR: tmp,
		SUPPORTCTL_CONFIG_DIR: config,
		SUPPORTCTL_STATE_DIR: state,
		SUPPORTCTL_BASE_URL: baseUrl,
		SECRET_FILE: secretFile,
		// What is edited stays in TMPDIR where the service refuses it.
		EDITOR: 'echo "slug: other" >',
	};
	return { home, config, state, cwd, secretFile, env };
}

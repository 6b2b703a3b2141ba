/** What the environment says: the folders of settings and state, the SUPPORTCTL_… variables and the files that they name. */

import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileProblem, UsageError } from '../errors.js';
import { readSmallFile } from '../folder.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Place {
	env: Environment;
	/** What relative paths start from; by default the process's folder. */
	cwd?: string;
	platform?: NodeJS.Platform;
}

/** The folder that a variable names, else the platform's own; the XDG specification says to ignore relative paths. */
function folderOf(
	{ env, cwd = '.', platform = process.platform }: Place,
	names: { own: string; windows: string; xdg: string },
	windowsPath: string[],
	unixPath: string[],
): string {
	const own = env[names.own];
	if (own) return resolve(cwd, own);
	const windows = env[names.windows];
	if (platform === 'win32' && windows) return join(windows, ...windowsPath);
	const xdg = env[names.xdg];
	const home = env.HOME || env.USERPROFILE || homedir();
	return join(xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, ...unixPath), 'supportctl');
}

/** The folder of config.json. */
export function configFolder(place: Place): string {
	const names = { own: 'SUPPORTCTL_CONFIG_DIR', windows: 'APPDATA', xdg: 'XDG_CONFIG_HOME' };
	return folderOf(place, names, ['supportctl'], ['.config']);
}

/** The folder of journals. */
export function stateFolder(place: Place): string {
	const names = { own: 'SUPPORTCTL_STATE_DIR', windows: 'LOCALAPPDATA', xdg: 'XDG_STATE_HOME' };
	return folderOf(place, names, ['supportctl', 'state'], ['.local', 'state']);
}

/** Variables that say where the service is and who signs in, after SUPPORTCTL_. */
const CONNECTION = ['BASE_URL', 'USERNAME', 'PASSWORD', 'TOKEN'] as const;

/** The connection variables that are set, by their whole names. */
export function connectionVariables(env: Environment): string[] {
	return CONNECTION.flatMap((name) => [`SUPPORTCTL_${name}`, `SUPPORTCTL_${name}_FILE`]).filter((name) => env[name]);
}

/** The environment without its connection variables. */
export function withoutConnection(env: Environment): Environment {
	const names = new Set(connectionVariables(env));
	return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** `A`, `A and B`, `A, B and C`. */
export function listed(names: readonly string[]): string {
	return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** No secret or URL is larger; a file that is was named by mistake. */
export const MAX_SECRET_BYTES = 64 * 1024;

/** The text of bytes, without the one line break that editors and `echo` leave at its end; undefined where it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
	} catch {
		return undefined;
	}
}

function readNamedFile(path: string, variable: string): string {
	const refuse = (why: string, cause?: unknown): never => {
		const hint = `${variable} must name a file that holds the value and that you can read; or unset it`;
		throw new UsageError(`${variable}: ${path} can't be used: ${why}`, { code: 'unreadable_file', hint, cause });
	};
	let bytes: Buffer;
	try {
		bytes = readSmallFile(path, MAX_SECRET_BYTES);
	} catch (error) {
		return refuse(fileProblem(error), error);
	}
	const text = textOf(bytes);
	if (text === undefined) return refuse('it is not UTF-8 text');
	return text === '' ? refuse('it is empty') : text;
}

export interface EnvironmentValue {
	value: string;
	/** The variable that it came from: `SUPPORTCTL_TOKEN` or `SUPPORTCTL_TOKEN_FILE`. */
	name: string;
}

/**
 * SUPPORTCTL_<name>, or the contents of the file that SUPPORTCTL_<name>_FILE names. An empty variable counts as not
 * set, which is how CI systems pass what is not configured. Throws UsageError where both are set.
 */
export function readVariable(
	env: Environment,
	name: 'PROFILE' | (typeof CONNECTION)[number],
	cwd = '.',
): EnvironmentValue | undefined {
	const plain = `SUPPORTCTL_${name}`;
	const file = `${plain}_FILE`;
	const [value, path] = [env[plain], env[file]];
	if (value && path) throw new UsageError(`${plain} and ${file} are both set`, { hint: 'unset one of them' });
	if (path) return { value: readNamedFile(resolve(cwd, path), file), name: file };
	return value ? { value, name: plain } : undefined;
}

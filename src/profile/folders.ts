/** Where settings and state live, by platform and environment. */

import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Place {
	env: Environment;
	/** What a relative SUPPORTCTL_CONFIG_DIR starts from; by default the process's folder. */
	cwd?: string;
	platform?: NodeJS.Platform;
}

/** The XDG specification says that a relative path is to be ignored. */
function xdg(env: Environment, name: string): string | undefined {
	const value = env[name];
	return value !== undefined && isAbsolute(value) ? value : undefined;
}

function home(env: Environment): string {
	return env.HOME || env.USERPROFILE || homedir();
}

function named(place: Place, variable: string): string | undefined {
	const value = place.env[variable];
	return value ? resolve(place.cwd ?? '.', value) : undefined;
}

/** The folder of config.json: SUPPORTCTL_CONFIG_DIR, else the platform's own place. */
export function configFolder(place: Place): string {
	const { env, platform = process.platform } = place;
	const explicit = named(place, 'SUPPORTCTL_CONFIG_DIR');
	if (explicit !== undefined) return explicit;
	if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'supportctl');
	return join(xdg(env, 'XDG_CONFIG_HOME') ?? join(home(env), '.config'), 'supportctl');
}

/** The folder of journals: SUPPORTCTL_STATE_DIR, else the platform's own place. */
export function stateFolder(place: Place): string {
	const { env, platform = process.platform } = place;
	const explicit = named(place, 'SUPPORTCTL_STATE_DIR');
	if (explicit !== undefined) return explicit;
	if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'supportctl', 'state');
	return join(xdg(env, 'XDG_STATE_HOME') ?? join(home(env), '.local', 'state'), 'supportctl');
}

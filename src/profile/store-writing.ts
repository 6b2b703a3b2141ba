/** How the file of profiles is changed: one writer at a time, atomically, and never over a damaged file. */

import { chmod, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import Conf from 'conf';
import lockfile from 'proper-lockfile';
import { FailedError, SupportctlError } from '../errors.js';
import { makeFolder } from '../folder.js';
import {
	ConfigDamaged,
	configFile,
	parseText,
	readStore,
	type Store,
	type StoreUpdate,
	type UpdateOptions,
} from './store.js';

/** A writer that died leaves its lock; after this many milliseconds the next one takes it. */
const STALE_MS = 10_000;

function explain(error: unknown, file: string): unknown {
	if (error instanceof SupportctlError) return error;
	const code = (error as NodeJS.ErrnoException).code;
	if (code === 'ELOCKED') {
		return new FailedError(`${file} is being written by another supportctl`, {
			code: 'config_locked',
			hint: `try again; if no other is running, remove ${file}.lock`,
			cause: error,
		});
	}
	return code === undefined
		? error
		: new FailedError(`${file} can't be written (${code})`, {
				code: 'config_unwritable',
				hint: 'let SUPPORTCTL_CONFIG_DIR name a folder that you can write to',
				cause: error,
			});
}

/** Makes the folder for nobody else, and closes one that holds nothing but our files. */
async function prepareFolder(folder: string): Promise<void> {
	makeFolder(folder);
	if (process.platform === 'win32') return;
	const { mode, uid } = await stat(folder);
	if ((mode & 0o077) === 0 || uid !== process.getuid?.()) return;
	const ours = basename(configFile(folder));
	const others = (await readdir(folder)).filter((name) => !name.startsWith(ours));
	if (others.length === 0) await chmod(folder, 0o700);
}

/** `config.json.damaged-20261121T075000Z`, with a number where that name is taken. */
async function keepAside(file: string, now: number): Promise<string> {
	const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
	const taken = new Set(await readdir(dirname(file)));
	let path = `${file}.damaged-${stamp}`;
	for (let number = 2; taken.has(basename(path)); number++) path = `${file}.damaged-${stamp}-${number}`;
	await rename(file, path);
	await chmod(path, 0o600);
	return path;
}

/** Removes what a writer that was killed half-way left: it holds a copy of the secrets. */
async function sweep(file: string): Promise<void> {
	const folder = dirname(file);
	for (const name of await readdir(folder)) {
		if (name.startsWith(`${basename(file)}.tmp-`)) await unlink(join(folder, name)).catch(() => {});
	}
}

/** The store, and, where the file is damaged and may be replaced, what is wrong with it. */
function readForChange(folder: string, replaceDamaged: boolean): { store: Store; damage?: ConfigDamaged } {
	try {
		return { store: readStore(folder).store };
	} catch (error) {
		if (!replaceDamaged || !(error instanceof ConfigDamaged)) throw error;
		return { store: { profiles: Object.create(null) }, damage: error };
	}
}

export async function lockAndWrite<T>(
	folder: string,
	version: number,
	change: (store: Store, notices: string[]) => T | Promise<T>,
	options: UpdateOptions,
): Promise<StoreUpdate<T>> {
	const file = configFile(folder);
	const notices: string[] = [];
	try {
		await prepareFolder(folder);
		const release = await lockfile.lock(file, {
			realpath: false,
			stale: STALE_MS,
			retries: { retries: 200, factor: 1.2, minTimeout: 10, maxTimeout: 150, randomize: true },
		});
		try {
			await sweep(file);
			const { store, damage } = readForChange(folder, options.replaceDamaged === true);
			const result = await change(store, notices);
			if (damage !== undefined) {
				const aside = await keepAside(file, (options.now ?? Date.now)());
				notices.unshift(`${damage.message}; it was kept as ${aside} and a new one begun`);
			}
			const conf = new Conf<Record<string, unknown>>({
				cwd: folder,
				configName: basename(file, '.json'),
				configFileMode: 0o600,
				accessPropertiesByDotNotation: false,
				deserialize: (text) => parseText(text) as Record<string, unknown>,
			});
			conf.store = {
				version,
				...(store.current === undefined ? {} : { current: store.current }),
				profiles: store.profiles,
			};
			// Inside a snap conf writes into the file that is there, whose mode it leaves as it was.
			await chmod(file, 0o600);
			return { result, notices, file };
		} finally {
			await release();
		}
	} catch (error) {
		throw explain(error, file);
	}
}

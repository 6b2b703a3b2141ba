/** Bulk input for tests: opens text or bytes as a source and reads it whole. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InputSource, RawRow } from '../../src/bulk/input/input.js';
import { type OpenInputOptions, openInput } from '../../src/bulk/input/source.js';
import { temporaryFolder } from './temporary.js';

/** Bytes as a stream in pieces of `size`. */
export async function* streamOf(bytes: string | Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
	const all = Buffer.from(bytes as Uint8Array);
	for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

export async function openText(
	name: string,
	bytes: string | Uint8Array,
	options: Partial<OpenInputOptions> = {},
): Promise<InputSource> {
	const folder = temporaryFolder();
	const path = join(folder, name);
	writeFileSync(path, bytes);
	return await openInput({ path, name, stdin: streamOf(''), stateDir: join(folder, 'state'), ...options });
}

export async function readAll(source: InputSource): Promise<RawRow[]> {
	const rows: RawRow[] = [];
	for await (const batch of source.read()) rows.push(...batch);
	return rows;
}

/** All rows of a file with this name and content; the source is closed. */
export async function rowsOf(
	name: string,
	bytes: string | Uint8Array,
	options: Partial<OpenInputOptions> = {},
): Promise<{ rows: RawRow[]; columns: readonly string[] | undefined }> {
	const source = await openText(name, bytes, options);
	try {
		return { rows: await readAll(source), columns: source.columns };
	} finally {
		await source.dispose();
	}
}

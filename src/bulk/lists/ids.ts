/** The IDs that arguments and filters of reads mean. */

import type { PathParameter } from '../../api/endpoints.js';
import type { Read } from '../../api/reads.js';
import { isProblem, parseId } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import type { Ids } from '../run/plan.js';
import type { Directories, Found } from './directory.js';

interface Asked {
	read: Read;
	directories: Directories;
}

/** The path IDs before objects' own: none, or one for each text. @throws UsageError */
export async function ownerIds(texts: readonly string[], { read, directories }: Asked): Promise<Ids[]> {
	const [parameter] = read.list.parameters;
	if (parameter === undefined) return [{}];
	const owners: Ids[] = [];
	for (const text of new Set(texts)) owners.push({ [parameter.name]: await pathId(parameter, text, {}, directories) });
	return owners;
}

/** @throws UsageError */
export async function objectId(owners: Ids, text: string, { read, directories }: Asked): Promise<string> {
	return await pathId(read.get?.parameters.at(-1) as PathParameter, text, owners, directories);
}

async function pathId(
	{ name, kind, names }: PathParameter,
	text: string,
	{ taxonomy = '' }: Ids,
	directories: Directories,
): Promise<string> {
	if (kind === 'taxonomy') return text;
	if (names === 'users') return await userId('user', text, directories);
	return readId(name.replaceAll('_', ' '), names === 'terms' ? await termId(taxonomy, text, directories) : text);
}

/** @throws UsageError */
export function readId(label: string, text: string): string {
	const parsed = parseId(text);
	if (isProblem(parsed)) throw new UsageError(`${label}: ${parsed.problem}`, { code: 'invalid_id' });
	return parsed.value;
}

/** @throws UsageError */
export async function userId(label: string, text: string, { users }: Directories): Promise<string> {
	return readId(label, idIn(await users.id(text), label, text));
}

export async function termId(taxonomy: string, text: string, { terms }: Directories): Promise<string> {
	return /^\d+$/.test(text) ? text : idIn(await terms(taxonomy).id(text), taxonomy, text);
}

function idIn(found: Found, label: string, text: string): string {
	if ('problem' in found) throw new UsageError(`${label}: ${found.problem}`, { code: 'unknown_name' });
	return 'id' in found ? found.id : text;
}

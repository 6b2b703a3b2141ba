/** `--ids` and `--except`: a part of a plan or of an earlier run. */

import type { Part } from '../../bulk/part.js';
import type { Context } from '../../io/context.js';
import { readIdList } from '../flag-values.js';
import type { ValuesOf } from '../options/option.js';
import type { partOptions } from './options.js';

export async function readPart(given: ValuesOf<typeof partOptions>, context: Context): Promise<Part | undefined> {
	const ids = await readIdList('--ids', given.ids, context);
	const except = await readIdList('--except', given.except, context);
	return ids === undefined && except === undefined ? undefined : { ids, except };
}

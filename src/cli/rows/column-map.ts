/** What flags say of the input's columns by their names. */

import { isObject } from '../../api/values.js';
import type { IsTaken } from '../../bulk/input/added-columns.js';
import type { RunHeader } from '../../bulk/records.js';
import { UsageError } from '../../errors.js';

/** Column → field, as `--map COLUMN=FIELD` says. @throws UsageError */
export function readMap(pairs: readonly string[] | undefined): Map<string, string> {
	const map = new Map<string, string>();
	for (const pair of pairs ?? []) {
		const at = pair.lastIndexOf('=');
		if (at <= 0 || at === pair.length - 1) throw new UsageError(`--map ${JSON.stringify(pair)} is not COLUMN=FIELD`);
		map.set(pair.slice(0, at), pair.slice(at + 1));
	}
	return map;
}

/** What a past run's flags made of the input's columns. */
export interface ColumnsOfRun {
	isSent: IsTaken;
	isLeftOut: IsTaken;
	/** The field that a column's values were sent as, where a flag says so. */
	fieldOf(name: string): string;
}

export function columnsOfRun({ settings }: Pick<RunHeader, 'settings'>): ColumnsOfRun {
	const { map, idColumn, ignoreColumn } = isObject(settings.options) ? settings.options : {};
	const mapped = readMap(Array.isArray(map) ? map.map(String) : undefined);
	const ignored: readonly unknown[] = Array.isArray(ignoreColumn) ? ignoreColumn : [];
	return {
		isSent: (name) => mapped.has(name) || name === idColumn,
		isLeftOut: (name) => ignored.includes(name),
		fieldOf: (name) => mapped.get(name) ?? name,
	};
}

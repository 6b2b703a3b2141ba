/** The row of a call for one object: no survey, journal or engine. */

import type { TermIndex } from '../../api/applied.js';
import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner, type RowValues } from '../../api/plan.js';
import type { Directories } from '../lists/directory.js';
import { comparedTerms, hasNames, isNamed, namedValues, resolveRow, withIds } from './names.js';
import { comparesFirst, type Fields, type Ids, type RunPlan, rowIdName } from './plan.js';
import type { RunRow } from './rows.js';

export interface OneRow {
	/** With IDs in the place of names. */
	plan: RunPlan;
	row: RunRow;
	terms?: TermIndex;
}

/** @param open is called if there are names to look up @returns a problem if there is no such user or term @throws UsageError */
export async function planOne(
	given: RunPlan,
	secrets: Fields,
	dialect: Dialect,
	open: () => Promise<Directories>,
): Promise<OneRow | { ids: Ids; problem: string }> {
	const endpoint = endpoints[given.endpoint];
	const name = rowIdName(endpoint);
	const [id = ''] = given.source.from === 'ids' ? given.source.ids : [];
	const named = isNamed(id) ? { [name]: id } : undefined;
	const isCompared = comparesFirst(given) || given.checks.verify;
	const { fields: shared, add, remove } = given.values;
	const compared = isCompared ? comparedTerms(given, endpoint, Object.keys({ ...shared, ...add, ...remove })) : [];
	let plan = given;
	let terms: TermIndex | undefined;
	let values: RowValues = { ids: { ...plan.values.ids, [name]: id } };
	if (
		compared.length > 0 ||
		named !== undefined ||
		namedValues(plan, endpoint).some((each) => hasNames(endpoint, each))
	) {
		const directories = await open();
		plan = await withIds(plan, endpoint, directories);
		for (const taxonomy of compared) await directories.terms(taxonomy).list();
		values = { ids: { ...plan.values.ids, [name]: id }, names: named };
		const [first] = await resolveRow(endpoint, values, directories);
		if (first !== undefined) return { ids: values.ids, problem: first.problem };
		terms = directories.terms;
	}
	const { ids } = values;
	const { force, reassign, fields } = plan.values;
	const sent = endpoint.returns === 'user-id' ? { username: ids.username } : { ...fields, ...secrets };
	const request = createPlanner(endpoint, dialect)({ ids, force, reassign, fields: sent });
	return { plan, row: { row: 1, reassign, request }, terms };
}

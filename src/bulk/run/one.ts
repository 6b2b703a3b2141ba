/** The row of a call for one object: no survey, journal or engine. */

import type { TermIndex } from '../../api/compare.js';
import type { Dialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner, type RowValues } from '../../api/plan.js';
import type { Directories } from '../lists/directory.js';
import { comparedTerms, hasNames, isNamed, namedValues, resolveRow, withIds } from './names.js';
import { comparesFirst, type Fields, type RunPlan, rowIdName } from './plan.js';
import type { RunRow } from './rows.js';

/** @param open is called if there are names to look up @returns the plan with IDs, or what is wrong with the object's name */
export async function planOne(given: RunPlan, secrets: Fields, dialect: Dialect, open: () => Promise<Directories>) {
	const endpoint = endpoints[given.endpoint];
	const name = rowIdName(endpoint);
	const [id = ''] = given.source.from === 'ids' ? given.source.ids : [];
	const isCompared = comparesFirst(given) || given.checks.verify;
	const { fields: shared, add, remove } = given.values;
	const compared = isCompared ? comparedTerms(given, endpoint, Object.keys({ ...shared, ...add, ...remove })) : [];
	let plan = given;
	let terms: TermIndex | undefined;
	const values: RowValues = { ids: { ...plan.values.ids, [name]: id } };
	if (isNamed(id)) values.names = { [name]: id };
	const areNamed = [values, ...namedValues(plan, endpoint)].some((each) => hasNames(endpoint, each));
	if (areNamed || compared.length > 0) {
		const directories = await open();
		plan = await withIds(plan, endpoint, directories);
		for (const taxonomy of compared) await directories.terms(taxonomy).list();
		values.ids = { ...plan.values.ids, [name]: id };
		const [first] = await resolveRow(endpoint, values, directories);
		if (first !== undefined) return { ids: values.ids, problem: first.problem };
		terms = directories.terms;
	}
	const { ids } = values;
	const { force, reassign, fields } = plan.values;
	const sent = endpoint.returns === 'user-id' ? { username: ids.username } : { ...fields, ...secrets };
	const request = createPlanner(endpoint, dialect)({ ids, force, reassign, fields: sent });
	const row: RunRow = { row: 1, reassign, request };
	return { plan, row, terms };
}

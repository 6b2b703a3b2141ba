/** Custom fields go by the names that the service writes; services ignore unknown names. */

import type { Dialect } from '../../api/dialect.js';
import { createPlanner, type Request } from '../../api/plan.js';
import { didYouMean } from '../../api/suggest.js';
import { quote } from '../../api/values.js';
import type { Outcome } from '../../http/outcome.js';
import type { Held } from './held.js';
import type { RunRow } from './rows.js';
import type { Seen } from './settle.js';

/** As one read of the run shows them. @returns them, and a notice for the first row if they can't be read */
export function createCustomNames(look: (row: RunRow) => Promise<Seen>) {
	let known: Promise<Held | undefined> | undefined;
	let isRefused = false;
	return async (row: RunRow, seen: Seen | undefined): Promise<{ held?: Held; notice?: string }> => {
		if (seen?.held !== undefined) return { held: seen.held };
		if (isRefused) return {};
		const isFirst = known === undefined;
		known ??= look(row).then(({ result, held }) => {
			// The next row's ticket may exist.
			if (result.gone) known = undefined;
			else if (held === undefined) isRefused = true;
			return held;
		});
		const held = await known;
		if (held !== undefined || !isFirst || !isRefused) return { held };
		return { notice: "custom fields can't be read here, so nothing confirms that they were saved" };
	};
}

export function hasAll(held: Held, { sent = {} }: Request): boolean {
	return Object.keys(sent).every((name) => held.has(name));
}

/** Under the names that the deployment writes. */
export function renamed(request: Request, held: Held, dialect: Dialect): Request {
	const { endpoint, ids, sent = {} } = request;
	const fields = Object.fromEntries(Object.entries(sent).map(([name, value]) => [held.writtenAs(name), value]));
	return { ...createPlanner(endpoint, dialect)({ ids, fields }), sent };
}

const NAMED_FIELDS = 10;

export function withUnknownNames(result: Outcome, held: Held): Outcome {
	const unknown = result.differs?.find(({ field }) => !held.has(field))?.field;
	if (result.outcome !== 'differs' || unknown === undefined) return result;
	const near = didYouMean(unknown, held.names);
	const all = near === '' && held.names.length > 0 ? `; fields: ${held.names.slice(0, NAMED_FIELDS).join(', ')}` : near;
	return { ...result, code: 'no_such_field', message: `custom field ${quote(unknown)} not found${all}` };
}

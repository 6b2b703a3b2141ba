/** Custom fields go by the names that the service writes; services ignore unknown names. */

import type { Dialect } from '../../api/dialect.js';
import { createPlanner, type Request } from '../../api/plan.js';
import { didYouMean } from '../../api/suggest.js';
import { quote } from '../../api/values.js';
import type { Outcome } from '../../http/outcome.js';
import type { Held } from './held.js';
import type { Seen } from './settle.js';

/** Finds the custom fields that a service has, as one read of the run shows them. */
export function createCustomNames() {
	let known: Promise<Held | undefined> | undefined;
	let isRefused = false;

	async function read(look: () => Promise<Seen>): Promise<Held | undefined> {
		const { result, held } = await look();
		// The next row's ticket may exist.
		if (result.gone) known = undefined;
		else if (held === undefined) isRefused = true;
		return held;
	}

	/** @returns them, and a notice for the first row if they can't be read */
	return async (look: () => Promise<Seen>): Promise<{ names?: Held; notice?: string }> => {
		if (isRefused) return {};
		const isFirst = known === undefined;
		known ??= read(look);
		const names = await known;
		if (names !== undefined || !isFirst || !isRefused) return { names };
		return { notice: "custom fields can't be read here, so nothing confirms that they were saved" };
	};
}

/** Under the names that the deployment writes. */
export function renamed(request: Request, names: Held, dialect: Dialect): Request {
	const { endpoint, ids, sent = {} } = request;
	const fields = Object.fromEntries(Object.entries(sent).map(([name, value]) => [names.writtenAs(name), value]));
	return { ...createPlanner(endpoint, dialect)({ ids, fields }), sent };
}

const NAMED_FIELDS = 10;

export function withUnknownNames(result: Outcome, names: Held): Outcome {
	const unknown = result.differs?.find(({ field }) => !names.has(field))?.field;
	if (result.outcome !== 'differs' || unknown === undefined) return result;
	const near = didYouMean(unknown, names.names);
	const all = names.names.slice(0, NAMED_FIELDS).join(', ');
	const hint = near === '' && all !== '' ? `; fields: ${all}` : near;
	return { ...result, code: 'no_such_field', message: `custom field ${quote(unknown)} not found${hint}` };
}

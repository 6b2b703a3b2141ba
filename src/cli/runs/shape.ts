/** How the outcomes of a command are printed: which columns they have, and what is removed from them because it is secret. */

import { readCustomFields } from '../../api/applied.js';
import { idNames } from '../../api/choose.js';
import type { Result } from '../../http/outcome.js';
import type { Column } from '../../output/columns.js';
import {
	customFieldColumns,
	customFieldNamed,
	deletionColumn,
	fieldColumns,
	outcomeColumns,
	outcomeKeys,
} from '../../output/outcome-view.js';
import { redact, redactName, redactNames, redactTexts } from '../../output/redact.js';
import { paletteFor } from '../notices.js';
import type { ResultShape } from '../results.js';
import { positionalsOf } from './options.js';
import type { RunJob } from './plan.js';

/** Outcomes whose ids are printed by --format ids: the next command takes them. */
const WENT_WELL: ReadonlySet<unknown> = new Set(['ok', 'differs', 'skipped']);

/** Every key that an outcome can have, whichever its command. */
const RESERVED = outcomeKeys(idNames);

/** The shape of the results of a job. @param fields that its rows set */
export async function outcomeShape(
	{ endpoint, plan, session, invocation }: RunJob,
	fields: readonly string[],
): Promise<ResultShape> {
	const palette = await paletteFor(invocation, 'stdout');
	const ids = positionalsOf(plan.endpoint, endpoint).map((each) => each.name);
	const last = ids.at(-1) as string;
	const idName = last === 'username' ? 'id' : last;
	const keys = outcomeKeys(ids);
	const shape = (columns: Column[]): ResultShape => ({
		...{ keys, columns, holdsResponses: true, profileFormat: session.connection.defaults.format },
		idOf: (row) => (WENT_WELL.has(row.outcome) ? row[idName] : undefined),
	});
	const plain = shape(outcomeColumns(ids, palette));
	if (endpoint.returns === 'user-id') return shape(outcomeColumns(['username', 'id'], palette));
	if (endpoint.returns === 'fields-set') return { ...plain, aliases: { id: 'ticket_id' } };
	if (endpoint.returns === 'fields') {
		return {
			...plain,
			more: customFieldColumns(readCustomFields, RESERVED),
			resolve: customFieldNamed(readCustomFields, keys, RESERVED),
			aliases: { ticket_id: 'id' },
		};
	}
	const own = endpoint.replay === 'delete' ? [deletionColumn] : fieldColumns(fields, RESERVED);
	return shape(outcomeColumns(ids, palette, own));
}

/**
 * An outcome without the secrets of its request; a value under a secret name is hidden, whether it was sent or is shown.
 * Our own words stay: a secret that is an ordinary word must not change an outcome.
 */
export function withoutSecretsOf<R extends Result>(outcome: R, secrets: readonly string[]): R {
	const { code, reasons, body, differs } = outcome;
	const clean = { ...outcome };
	if (differs !== undefined) {
		const clear = (value: unknown): unknown => (secrets.length === 0 ? value : redactTexts(value, secrets));
		const shown = (field: string, value: unknown): unknown => redact({ [field]: clear(value) })[field];
		clean.differs = differs.map((each) => {
			return { ...each, sent: shown(each.field, each.sent), shown: shown(each.field, each.shown) };
		});
	}
	if (secrets.length === 0) return clean;
	if (code !== undefined) clean.code = redactName(code, secrets);
	if (reasons !== undefined) clean.reasons = redactNames(reasons, secrets);
	if (body !== undefined) clean.body = redactTexts(body, secrets);
	return clean;
}

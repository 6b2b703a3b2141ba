/** How the outcomes of a command are printed: which columns they have, and what is removed from them because it is secret. */

import { chooseEndpoint } from '../../api/choose.js';
import { readCustomFields } from '../../api/custom-fields.js';
import { idNames } from '../../api/path-ids.js';
import type { RowRedactor } from '../../bulk/run/execute.js';
import type { RunRow } from '../../bulk/run/rows.js';
import type { Outcome, Result } from '../../http/outcome.js';
import type { Palette } from '../../output/colour.js';
import type { Column } from '../../output/columns.js';
import {
	customFieldColumns,
	customFieldNamed,
	deleteColumns,
	lookupColumns,
	outcomeKeys,
	plainColumns,
	updateColumns,
} from '../../output/outcome-view.js';
import { createTextRedactor, redact, redactName, redactNames, redactTexts, secretValues } from '../../output/redact.js';
import type { ResultShape } from '../results.js';
import type { RunJob } from './job.js';
import { positionalsOf } from './options.js';

/** Outcomes whose ids are printed by --format ids: the next command takes them. */
const WENT_WELL: ReadonlySet<unknown> = new Set(['ok', 'differs', 'skipped']);

/** Every key that an outcome can have, whichever its command. */
const RESERVED = outcomeKeys(idNames);

/** The shape of the results of a plan. @param fields that its rows set */
export function outcomeShape({ plan, session }: RunJob, fields: readonly string[], palette: Palette): ResultShape {
	const { endpoint } = chooseEndpoint(plan.endpoint, plan.values.ids.taxonomy, true);
	const ids = positionalsOf(plan.endpoint, endpoint).map((each) => each.name);
	const last = ids.at(-1) as string;
	const idName = last === 'username' ? 'id' : last;
	const base = {
		palette,
		profileFormat: session.connection.defaults.format,
		keys: outcomeKeys(ids),
		answers: true,
		idOf: (row: Record<string, unknown>) => (WENT_WELL.has(row.outcome) ? row[idName] : undefined),
	};
	const shape = (columns: Column[]): ResultShape => ({ ...base, columns });
	switch (endpoint.answer) {
		case 'user-id':
			return shape(lookupColumns({ ids, palette }));
		case 'fields':
			return {
				...shape(plainColumns({ ids, palette })),
				more: customFieldColumns(readCustomFields, RESERVED),
				resolve: customFieldNamed(readCustomFields, base.keys, RESERVED),
				aliases: { ticket_id: 'id' },
			};
		case 'fields-set':
			return { ...shape(plainColumns({ ids, palette })), aliases: { id: 'ticket_id' } };
		default:
			return endpoint.replay === 'delete'
				? shape(deleteColumns({ ids, palette }))
				: shape(updateColumns({ ids, palette }, fields, RESERVED));
	}
}

/** Removes the secrets of a row's request from its outcome. @param hasSecrets whether any row has some */
export function rowRedactor({ hasSecrets }: { hasSecrets: boolean }): RowRedactor {
	if (!hasSecrets) return { text: () => undefined, outcome: withoutNamed };
	const secretsOf = ({ request }: RunRow): string[] => secretValues(request.sent);
	return {
		text(row) {
			const secrets = secretsOf(row);
			return secrets.length === 0 ? undefined : createTextRedactor(secrets);
		},
		outcome(outcome, row) {
			const secrets = secretsOf(row);
			return withoutNamed(secrets.length === 0 ? outcome : withoutValues(outcome, secrets));
		},
	};
}

/** A value under a secret name is hidden, whether it was sent or is shown. */
function withoutNamed(outcome: Outcome): Outcome {
	if (outcome.differs === undefined) return outcome;
	const differs = outcome.differs.map(({ field, sent, shown }) => ({
		field,
		sent: redact({ [field]: sent })[field],
		shown: redact({ [field]: shown })[field],
	}));
	return { ...outcome, differs };
}

/** Our own words stay: a secret that is an ordinary word must not change an outcome. */
export function withoutValues<R extends Result>(outcome: R, secrets: readonly string[]): R {
	const { code, reasons, body, differs } = outcome;
	const clean = { ...outcome };
	if (code !== undefined) clean.code = redactName(code, secrets);
	if (reasons !== undefined) clean.reasons = redactNames(reasons, secrets);
	if (body !== undefined) clean.body = redactTexts(body, secrets);
	if (differs !== undefined) {
		clean.differs = differs.map(({ field, sent, shown }) => ({
			field,
			sent: redactTexts(sent, secrets),
			shown: redactTexts(shown, secrets),
		}));
	}
	return clean;
}

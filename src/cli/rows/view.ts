/** Which columns the results of a row command have. */

import { readCustomFields } from '../../api/custom-fields.js';
import { idNames } from '../../api/path-ids.js';
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
import type { ResultShape } from '../results.js';
import type { PreparedRun } from './prepare.js';
import type { Survey } from './survey.js';

const WENT_WELL: ReadonlySet<unknown> = new Set(['ok', 'skipped']);

/** Every key that an outcome can have, whichever its command. */
const RESERVED = outcomeKeys(idNames);

/** The shape of the results of a run. */
export function outcomeShape(run: PreparedRun, survey: Survey, palette: Palette): ResultShape {
	const { definition, endpoint, session } = run;
	const ids = definition.positionals.map((each) => each.name);
	const last = ids.at(-1) as string;
	const idName = last === 'username' ? 'id' : last;
	const base = {
		palette,
		profileFormat: session.connection.defaults.format,
		keys: outcomeKeys(ids),
		answers: true,
		// Ids are the next command's input, which a row that did not go well is none of.
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
				: shape(updateColumns({ ids, palette }, [...survey.fields], RESERVED));
	}
}

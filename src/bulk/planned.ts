/** A row of a plan or of a dry run: what it does, and what a plan's file keeps of it. */

import type { Request } from '../api/request.js';
import type { Change } from './change.js';
import type { KnownFields } from './held.js';
import type { Fields, Ids } from './plan.js';

export interface Planned {
	readonly row: number;
	readonly line?: number | undefined;
	/** Undefined for a row that is not sent. */
	readonly request?: Request;
	/** Undefined if nothing was read: then the request says all. */
	readonly change?: Change;
	readonly write?: PlannedWrite;
}

export interface PlannedWrite {
	readonly row: number;
	readonly line?: number | undefined;
	readonly ids: Ids;
	/** A title, a username or the name of a term. */
	readonly label?: string | undefined;
	readonly force?: true | undefined;
	readonly reassign?: string | undefined;
	readonly modified?: string | undefined;
	readonly fields: Fields;
	readonly before: KnownFields;
}

/** What a request came to. */

import type { AppliedDifference } from '../api/applied.js';

export type OutcomeName = 'ok' | 'differs' | 'failed' | 'invalid' | 'unknown' | 'skipped' | 'not-sent';

/** `later`: the service says so; `lost`: it is unknown; `unsent`: no connection; `once`: the service failed. */
export type Retry = 'once' | 'later' | 'lost' | 'unsent';

export interface History {
	/** Without a response that shows it. */
	mayBeApplied?: boolean;
	/** After an error of the service. */
	mayBePartly?: boolean;
}

/** After all attempts. */
export interface Outcome extends History {
	outcome: OutcomeName;
	/** Of the last response. */
	status?: number;
	/** The service's, such as `rest_post_invalid_id`, or ours. */
	code?: string;
	message?: string;
	/** By field. */
	reasons?: Record<string, string>;
	attempts: number;
	/** From the first attempt to the last response. */
	ms: number;
	/** Under the interface's names. */
	body?: unknown;
	warnings?: string[];
	differs?: AppliedDifference[];
	/** Sent fields that aren't shown, or can't be compared. */
	open?: readonly string[];
	retry?: Retry;
	/** The service itself says so. */
	gone?: boolean;
	/** 401. */
	signedOut?: boolean;
	/** 403. */
	forbidden?: boolean;
	/** Not the service, or not its path. */
	notServed?: boolean;
	/** The service, or a gateway without it. */
	busy?: boolean;
	/** By the service, with a code. */
	refused?: boolean;
	location?: string;
}

export interface RowOutcome extends Outcome {
	/** From 1. */
	row: number;
	/** From 1. */
	line?: number;
	/** By name: `ticket_id`, `slug`, `taxonomy`; `username` for lookups. */
	ids: Readonly<Record<string, string>>;
}

export function wentWrong({ outcome }: Pick<Outcome, 'outcome'>): boolean {
	return outcome === 'failed' || outcome === 'unknown' || outcome === 'not-sent';
}

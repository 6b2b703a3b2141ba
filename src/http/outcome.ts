/** What a request came to: the outcome, what the service said, and what that leaves open. */

import type { AppliedDifference } from '../api/applied.js';

export type OutcomeName = 'ok' | 'differs' | 'failed' | 'invalid' | 'unknown' | 'skipped' | 'not-sent';

/**
 * Whether sending again could help. `later`: the service asks to come back;
 * `lost`: nobody knows what became of it; `unsent`: no connection;
 * `once`: the service failed, and may not the second time.
 */
export type Retry = 'once' | 'later' | 'lost' | 'unsent';

/** What the attempts of a request leave open. */
export interface History {
	/** One may have been applied: no response came, or none that shows what was done. */
	mayBeApplied?: boolean;
	/** One got an error of the service, which may have come when part was done. */
	mayBePartly?: boolean;
}

/** One request after all its attempts. */
export interface Outcome extends History {
	outcome: OutcomeName;
	/** HTTP status of the last response; absent if none came. */
	status?: number;
	/** The service's code, such as `rest_post_invalid_id`, or ours, such as `html_response`, `timeout`. */
	code?: string;
	/** One sentence for a person. */
	message?: string;
	/** The service's reason for each field. */
	reasons?: Record<string, string>;
	/** How many times the request was sent or tried. */
	attempts: number;
	/** From the first attempt to the last response, in milliseconds. */
	ms: number;
	/** The response's JSON, under neutral names; absent if it wasn't JSON. */
	body?: unknown;
	/** What is odd about a response that counts all the same. */
	warnings?: string[];
	/** Fields that the response shows with a different value. */
	differs?: AppliedDifference[];
	/** Sent fields that the response doesn't show, or not so that they can be compared. */
	open?: readonly string[];
	/** Absent if sending again can't help. */
	retry?: Retry;
	/** The service itself says that the object doesn't exist. */
	gone?: boolean;
	/** The credentials are refused (401). */
	signedOut?: boolean;
	/** The account lacks the right (403). */
	forbidden?: boolean;
	/** Something else than the service responded, or it doesn't serve the path. */
	notServed?: boolean;
	/** The service asks to come back later, or a gateway couldn't reach it. */
	busy?: boolean;
	/** The service's own refusal, with a code: nothing else needs to be read. */
	refused?: boolean;
	/** The target of a redirect. */
	location?: string;
}

/** One row's outcome, as it is printed, reported and journaled. */
export interface RowOutcome extends Outcome {
	/** 1-based place in the input. */
	row: number;
	/** 1-based line of the input file, if there is one. */
	line?: number;
	/** Path IDs by name: `id`, `ticket_id`, `user_id`, `slug`, `taxonomy`; `username` for lookups. */
	ids: Readonly<Record<string, string>>;
}

/** Whether the request wasn't carried out, or nobody knows. */
export function wentWrong({ outcome }: Pick<Outcome, 'outcome'>): boolean {
	return outcome === 'failed' || outcome === 'unknown' || outcome === 'not-sent';
}

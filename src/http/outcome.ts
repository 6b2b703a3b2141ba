/** What a request came to: the outcome, and what the service said. */

import type { AppliedDifference } from '../api/applied.js';

export type OutcomeName = 'ok' | 'differs' | 'failed' | 'invalid' | 'unknown' | 'skipped' | 'not-sent';

/** The result of one request after all its attempts. */
export interface Outcome {
	outcome: OutcomeName;
	/** HTTP status of the last response; absent where none came. */
	status?: number;
	/** The service's code such as `rest_post_invalid_id`, or ours such as `html_answer`, `timeout`, `connect_refused`. */
	code?: string;
	/** One sentence for a person. */
	message?: string;
	/** The service's reason for each field. */
	reasons?: Record<string, string>;
	/** How many times the request was sent or tried. */
	attempts: number;
	/** From the first attempt to the last response, in milliseconds. */
	ms: number;
	/** The response's JSON, under neutral names; absent where it was not JSON. */
	body?: unknown;
	/** What is odd about a response that counts all the same, for instance text before the JSON. */
	warnings?: string[];
	/** Fields that the response shows with another value than the one sent. */
	differs?: AppliedDifference[];
}

/** One row's result, as it is printed, reported and journalled. */
export interface RowOutcome extends Outcome {
	/** 1-based place in the input. */
	row: number;
	/** 1-based line of the input file, where there is one. */
	line?: number;
	/** Path ids by name: `id`, `ticket_id`, `user_id`, `slug`, `taxonomy`; `username` for look-ups. */
	ids: Readonly<Record<string, string>>;
}

/** Whether what was asked for was not done, or it is unknown. */
export function wentWrong({ outcome }: Pick<Outcome, 'outcome'>): boolean {
	return outcome === 'failed' || outcome === 'unknown' || outcome === 'not-sent';
}

/** What a request came to. */

import type { AppliedDifference } from '../api/applied.js';
import { type OutcomeName, outcomes, type ReasonCode, reasons } from './outcomes.js';
import type { ResponseHeaders } from './response.js';

export type { OutcomeName };

/**
 * `later`: the service says so; `lost`: no usable response; `unsent`: no connection; `once`: the service failed;
 * `odd`: a read got something that is no answer to it.
 */
export type Retry = 'once' | 'later' | 'lost' | 'unsent' | 'odd';

/** What earlier attempts of the same request leave open. */
export interface History {
	/** Sent, and no response shows what became of it. */
	mayBeApplied?: boolean;
	/** The service failed, perhaps halfway. */
	mayBePartly?: boolean;
}

export interface Outcome extends History {
	outcome: OutcomeName;
	/** Of the last response. */
	status?: number;
	/** The service's, such as `rest_post_invalid_id`, or ours. */
	code?: string;
	message?: string;
	/** By field. */
	reasons?: Record<string, string>;
	/** Times that it was sent or tried. */
	attempts: number;
	/** From the first attempt to the last response. */
	ms: number;
	/** Under the interface's names. */
	body?: unknown;
	/** What is odd about a response that counts all the same, such as text before the JSON. */
	warnings?: string[];
	/** Fields that the response shows with a different value than was sent. */
	differs?: AppliedDifference[];
	/** The fields that were written, where the outcome does not speak for all that the row asks for. */
	applied?: readonly string[];
	retry?: Retry;
	/** The service itself refused the request as it is. */
	refused?: boolean;
	/** The service itself says that the object doesn't exist, or is in the trash. */
	gone?: 'missing' | 'trashed';
	/** 401: nothing else is worth sending. */
	signedOut?: boolean;
	/** The account lacks the right (403). */
	forbidden?: boolean;
	/** Only of a credential check. */
	wrongCredentials?: boolean;
	/** Something other than the service responded, or the service doesn't know the path. */
	notServed?: boolean;
	/** The service is overloaded, or a gateway can't reach it. */
	busy?: boolean;
	/** The target of a redirect; credentials never follow it. */
	location?: string;
	/** Of a list. */
	headers?: ResponseHeaders;
}

/** As it is printed, reported and recorded in the journal. */
export interface RowOutcome extends Outcome {
	row: number;
	/** From 1. */
	line?: number;
	/** By name: `ticket_id`, `slug`, `taxonomy`; `username` for lookups. */
	ids: Readonly<Record<string, string>>;
	/** Of a delete: for good where there is a trash, and who receives what the object leaves. */
	force?: true | undefined;
	reassign?: string | undefined;
	/** A title, where it was known before the row was sent. */
	label?: string | undefined;
}

export function wentWrong({ outcome }: Pick<Outcome, 'outcome'>): boolean {
	return outcomes[outcome].wrong;
}

/** Whether a read may succeed later: there was no response, or one that doesn't answer the request. */
export function isLost({ retry, status }: Outcome): boolean {
	return (retry !== undefined && retry !== 'odd') || status === undefined;
}

export function unsent(outcome: OutcomeName, code: string, message: string): Outcome {
	return { outcome, code, message, attempts: 0, ms: 0 };
}

/** A row that is not written for a reason. */
export function skipped({ code, message }: { code: ReasonCode; message: string }): Outcome {
	return unsent(reasons[code].outcome, code, message);
}

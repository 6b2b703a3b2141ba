/** What a read says about one question: shown, absent, or not known. Not known is never "no value", "no such name" or "no change". */

import { isObject } from '../api/values.js';
import type { Outcome } from './outcome.js';

export type Known<T> =
	| { readonly is: 'shown'; readonly value: T }
	/** The service says itself that there is none, or a complete list has none. */
	| { readonly is: 'absent'; readonly why: Outcome }
	/** Everything else: a page, another object, a 403, a list that broke off, an object without the field. */
	| { readonly is: 'unknown'; readonly why: Outcome };

export type Shown = Readonly<Record<string, unknown>>;

/** @param outcome of the read of one object; it was judged against the object that was asked for */
export function knownObject(outcome: Outcome): Known<Shown> {
	if (outcome.outcome === 'ok' && isObject(outcome.body)) return { is: 'shown', value: outcome.body };
	return { is: outcome.gone === undefined ? 'unknown' : 'absent', why: outcome };
}

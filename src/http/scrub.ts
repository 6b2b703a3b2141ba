/** Blacks out the caller's own credentials where a service repeats them, before anything else sees the answer. */

import type { AnswerHeaders, Attempt } from './client.js';
import type { ConnectionOptions } from './options.js';

/** The function that every attempt goes through. */
export function createScrubber({
	mayHold,
	clean,
}: NonNullable<ConnectionOptions['hide']>): (attempt: Attempt) => Attempt {
	function scrubHeaders(headers: AnswerHeaders): AnswerHeaders {
		let cleaned: Record<string, string | string[] | undefined> | undefined;
		for (const name in headers) {
			const value = headers[name];
			if (value === undefined || !(Array.isArray(value) ? value.some(mayHold) : mayHold(value))) continue;
			cleaned ??= { ...headers };
			cleaned[name] = Array.isArray(value) ? value.map(clean) : clean(value);
		}
		return cleaned ?? headers;
	}

	return (attempt) => {
		if (attempt.kind !== 'answer') return attempt;
		const { answer } = attempt;
		const headers = scrubHeaders(answer.headers);
		if (!mayHold(answer.body))
			return headers === answer.headers ? attempt : { ...attempt, answer: { ...answer, headers } };
		const text = answer.body.toString('utf8');
		const cleaned = clean(text);
		const body = cleaned === text ? answer.body : Buffer.from(cleaned);
		return { ...attempt, answer: { ...answer, headers, body } };
	};
}

/** Blacks out the caller's own credentials where a service repeats them, before anything else sees the answer. */

import { decodeBody } from './coding.js';
import type { ConnectionOptions } from './options.js';
import type { Attempt, RawResponse, ResponseHeaders } from './types.js';

/** The function that every attempt goes through; a promise only where an answer has to be unpacked to be searched. */
export function createScrubber({
	mayHold,
	clean,
}: NonNullable<ConnectionOptions['hide']>): (attempt: Attempt) => Attempt | Promise<Attempt> {
	function scrubHeaders(headers: ResponseHeaders): ResponseHeaders {
		let cleaned: Record<string, string | string[] | undefined> | undefined;
		for (const name in headers) {
			const value = headers[name];
			if (value === undefined || !(Array.isArray(value) ? value.some(mayHold) : mayHold(value))) continue;
			cleaned ??= { ...headers };
			cleaned[name] = Array.isArray(value) ? value.map(clean) : clean(value);
		}
		return cleaned ?? headers;
	}

	function scrubAnswer(answer: RawResponse): RawResponse {
		const headers = scrubHeaders(answer.headers);
		if (!mayHold(answer.body)) return headers === answer.headers ? answer : { ...answer, headers };
		const text = answer.body.toString('utf8');
		const cleaned = clean(text);
		const body = cleaned === text ? answer.body : Buffer.from(cleaned);
		return { ...answer, headers, body };
	}

	return (attempt) => {
		if (attempt.kind !== 'answer') return attempt;
		const { answer } = attempt;
		if (answer.headers['content-encoding'] !== undefined)
			return unpacked(answer).then((plain) => ({ ...attempt, answer: scrubAnswer(plain) }));
		const scrubbed = scrubAnswer(answer);
		return scrubbed === answer ? attempt : { ...attempt, answer: scrubbed };
	};
}

/** The answer as it was before it was packed; as it came where that can't be undone. */
async function unpacked(answer: RawResponse): Promise<RawResponse> {
	const body = await decodeBody(answer);
	if (!Buffer.isBuffer(body)) return answer;
	const { 'content-encoding': _, ...headers } = answer.headers;
	return { ...answer, headers, body };
}

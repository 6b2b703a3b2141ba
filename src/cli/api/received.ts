/** What a parser changes in a response: numbers are held as 64-bit floats. */

import type { RawAnswer } from '../../http/client.js';
import { decodeBody } from '../../http/coding.js';
import { jsonIn } from '../../http/content.js';
import { unsafeIntegers } from '../../output/sanitise.js';

/** A warning where integers of the response can't be held exactly. */
export async function numberWarnings(answer: RawAnswer | undefined): Promise<string[]> {
	if (answer === undefined) return [];
	const bytes = await decodeBody(answer);
	const json = Buffer.isBuffer(bytes) ? jsonIn(bytes) : undefined;
	const [first, ...more] = json === undefined ? [] : unsafeIntegers(json);
	if (first === undefined) return [];
	const shown = first.length > 60 ? `${first.slice(0, 60)}…` : first;
	const others = more.length === 0 ? '' : `, and so are ${more.length} more`;
	return [`the integer ${shown} can't be held exactly: it is printed as ${JSON.stringify(Number(first))}${others}`];
}

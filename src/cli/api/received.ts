/** The JSON of an answer as it was received, for what a parser would change in it: numbers are held as 64-bit floats. */

import type { RawAnswer } from '../../http/client.js';
import { decodeBody } from '../../http/coding.js';
import { jsonIn } from '../../http/content.js';
import type { Palette } from '../../output/colour.js';
import { countTokens, hasOddNumber, inexactNumber, layOut } from '../../output/json-text.js';
import { paintJson } from '../../output/paint.js';
import { redact } from '../../output/redact.js';
import { escapeJson } from '../../output/sanitise.js';

/** The JSON's own text where it writes numbers in another way than we would; undefined where nothing is lost by parsing it. */
export async function oddJson(answer: RawAnswer | undefined): Promise<string | undefined> {
	if (answer === undefined) return undefined;
	const bytes = await decodeBody(answer);
	const json = Buffer.isBuffer(bytes) ? jsonIn(bytes) : undefined;
	return json !== undefined && hasOddNumber(json) ? json : undefined;
}

/** The text that shows `body` to the letter; undefined where it has more in it, secrets or a deployment's own words. */
export function letterOf(
	json: string,
	body: unknown,
	{ isTTY, palette }: { isTTY: boolean; palette: Palette },
): string | undefined {
	const parsed = JSON.stringify(JSON.parse(json));
	// Of a key that comes twice only the last value was looked at for secrets.
	if (JSON.stringify(redact(body)) !== parsed || countTokens(json) !== countTokens(parsed)) return undefined;
	const text = escapeJson(layOut(json, isTTY));
	return `${isTTY ? paintJson(text, palette) : text}\n`;
}

/** What is to be said where such JSON is not printed to the letter. */
export function numberWarnings(json: string | undefined): string[] {
	const number = json === undefined ? undefined : inexactNumber(json);
	if (number === undefined) return [];
	const shown = number.length > 60 ? `${number.slice(0, 60)}…` : number;
	return [`the answer's number ${shown} can't be held exactly: it is printed as ${JSON.stringify(Number(number))}`];
}

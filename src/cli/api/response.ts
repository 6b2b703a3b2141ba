/** A response as it came: its status line and headers for `-i`, the text of a body that is not JSON, and what JSON's numbers lose. */

import { STATUS_CODES } from 'node:http';
import { FailedError } from '../../errors.js';
import { decodeBody, jsonIn } from '../../http/content.js';
import type { RawResponse } from '../../http/types.js';
import { redactBody, redactHeaders } from '../../output/redact.js';
import { sanitise, sanitiseLines, unsafeIntegers } from '../../output/sanitise.js';

type Clean = (text: string) => string;

/** Status line, headers without secrets, and the empty line that ends them. */
export function headText({ status, headers }: Pick<RawResponse, 'status' | 'headers'>, clean: Clean): string {
	const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()];
	for (const [name, value] of redactHeaders(headers)) lines.push(sanitise(`${name}: ${clean(value)}`));
	return `${lines.join('\n')}\n\n`;
}

export function contentType({ headers }: Pick<RawResponse, 'headers'>): string {
	const value = headers['content-type'];
	return ((Array.isArray(value) ? value[0] : value) ?? '').toLowerCase();
}

/**
 * The body's text without secrets: made safe for a terminal, and as it is for a program.
 * @throws FailedError for a body that is no text
 */
export async function rawText(response: RawResponse, isTTY: boolean, cleanText: Clean): Promise<string> {
	const bytes = await decodeBody(response);
	const why = (reason: string): FailedError =>
		new FailedError(`the response is not printed: ${reason}`, { code: 'unprintable_answer' });
	if (!Buffer.isBuffer(bytes)) throw why(bytes.why);
	let text: string;
	try {
		text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw why(`${bytes.length} bytes of ${contentType(response) || 'an unknown type'} that are not text`);
	}
	const clean = cleanText(redactBody(text));
	if (!isTTY) return clean;
	const shown = sanitiseLines(clean);
	return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`;
}

/** A warning where integers of the response can't be held exactly. */
export async function numberWarnings(response: RawResponse | undefined, clean: Clean): Promise<string[]> {
	if (response === undefined) return [];
	const bytes = await decodeBody(response);
	const json = Buffer.isBuffer(bytes) ? jsonIn(bytes) : undefined;
	const [first, ...more] = json === undefined ? [] : unsafeIntegers(json);
	if (first === undefined) return [];
	if (clean(first) !== first) return [];
	const shown = first.length > 60 ? `${first.slice(0, 60)}…` : first;
	const others = more.length === 0 ? '' : `, and so are ${more.length} more`;
	return [`the integer ${shown} can't be held exactly: it is printed as ${JSON.stringify(Number(first))}${others}`];
}

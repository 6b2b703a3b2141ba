/** An answer as it came: its status line and headers for `-i`, and the text of a body that is not JSON. */

import { STATUS_CODES } from 'node:http';
import { FailedError } from '../../errors.js';
import type { RawAnswer } from '../../http/client.js';
import { decodeBody } from '../../http/coding.js';
import { redactBody, redactHeaders } from '../../output/redact.js';
import { sanitise, sanitiseLines } from '../../output/sanitise.js';

/** Status line, headers without secrets, and the empty line that ends them. */
export function headText({ status, headers }: Pick<RawAnswer, 'status' | 'headers'>): string {
	const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()];
	for (const [name, value] of redactHeaders(headers)) lines.push(sanitise(`${name}: ${value}`));
	return `${lines.join('\n')}\n\n`;
}

export function contentType({ headers }: Pick<RawAnswer, 'headers'>): string {
	const value = headers['content-type'];
	return ((Array.isArray(value) ? value[0] : value) ?? '').toLowerCase();
}

/**
 * The body's text without secrets: made safe for a terminal, and as it is for a program.
 * @throws FailedError for a body that is no text
 */
export async function rawText(answer: RawAnswer, isTTY: boolean): Promise<string> {
	const bytes = await decodeBody(answer);
	const why = (reason: string): FailedError =>
		new FailedError(`the answer is not printed: ${reason}`, { code: 'unprintable_answer' });
	if (!Buffer.isBuffer(bytes)) throw why(bytes.why);
	let text: string;
	try {
		text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw why(`${bytes.length} bytes of ${contentType(answer) || 'an unknown type'} that are not text`);
	}
	const clean = redactBody(text);
	if (!isTTY) return clean;
	const shown = sanitiseLines(clean);
	return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`;
}

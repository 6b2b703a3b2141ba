/** `-v` and `-vv`: requests and responses on stderr, without secrets. */

import type { TraceEvent } from '../http/types.js';
import type { Palette } from '../output/colour.js';
import { createTextRedactor, REDACTED, redactBody, redactHeaders, redactUrl, secretValues } from '../output/redact.js';
import { sanitise, sanitiseLines } from '../output/sanitise.js';

const BODY_SHOWN = 4_096;

/** A response may repeat them under a different name. */
function secretsIn(body: string | undefined): string[] {
	if (body === undefined || !body.startsWith('{')) return [];
	try {
		return secretValues(JSON.parse(body));
	} catch {
		return [];
	}
}

/** @param verbosity 2 shows headers and bodies */
export function createTrace(
	print: (text: string) => void,
	{ verbosity, palette, secrets: own }: { verbosity: number; palette: Palette; secrets: readonly string[] },
): (event: TraceEvent) => void {
	const write = (lines: readonly string[]): void => print(lines.map((line) => `${line}\n`).join(''));

	function shownLines(
		mark: string,
		headers: Parameters<typeof redactHeaders>[0],
		body: string,
		clean: (text: string) => string,
		hasSecret: (value: string) => boolean,
	): string[] {
		if (verbosity < 2) return [];
		const lines = redactHeaders(headers).map(([name, value]) => {
			return sanitise(`${name}: ${hasSecret(value) ? REDACTED : clean(value)}`);
		});
		// A cut never leaves part of a secret.
		const text = clean(redactBody(body));
		if (text !== '') lines.push(...sanitiseLines(text.slice(0, BODY_SHOWN)).split('\n'));
		const more = text.length - BODY_SHOWN;
		if (more > 0) lines.push(`(${more} of ${text.length} characters not shown)`);
		return lines.map((line) => palette.faint(`${mark} ${line}`.trimEnd()));
	}

	return (event) => {
		const isRequest = event.type === 'request';
		const sent = isRequest ? event.body : event.requestBody;
		const secrets = verbosity >= 2 ? secretsIn(sent) : [];
		const hasSecret = (value: string): boolean => own.includes(value);
		// Redacting our own words would reveal a short secret.
		const cleanOwn = createTextRedactor([...own, ...secrets]);
		const what = sanitise(cleanOwn(`${event.method} ${redactUrl(event.url)}`));
		if (isRequest) {
			const { headers, body = '' } = event;
			const lines = shownLines('>', headers, body, cleanOwn, hasSecret);
			return write([`${palette.faint('>')} ${what}`, ...lines]);
		}
		const { status, headers, body, problem, ms } = event.response;
		const time = `${Math.round(ms)} ms`;
		if (status === 0) {
			const message = sanitise(cleanOwn(problem?.message ?? ''));
			return write([`${palette.bad('!')} ${what}: ${message}, ${time}`]);
		}
		const style = status < 300 ? palette.good : status < 500 ? palette.bad : palette.doubtful;
		const line = `${palette.faint('<')} ${style(String(status))} ${what}, ${body.length} bytes, ${time}`;
		const clean = createTextRedactor([], [...own, ...secrets]);
		return write([line, ...shownLines('<', headers, body.toString('utf8'), clean, hasSecret)]);
	};
}

/** `-v` and `-vv`: requests and responses on stderr, without secrets. */

import type { TraceEvent } from '../http/client.js';
import type { Palette } from '../output/colour.js';
import { createTextRedactor, REDACTED, redactBody, redactHeaders, secretValues } from '../output/redact.js';
import { sanitise, sanitiseLines } from '../output/sanitise.js';

const BODY_SHOWN = 4_096;

type Headers = Parameters<typeof redactHeaders>[0];

/** @param verbosity 2 shows headers and bodies */
export function createTrace(
	print: (text: string) => void,
	{ verbosity, palette, secrets: own }: { verbosity: number; palette: Palette; secrets: readonly string[] },
): (event: TraceEvent) => void {
	return (event) => {
		const isRequest = event.type === 'request';
		const sent = (isRequest ? event.body : event.requestBody) ?? '';
		// A response may repeat the request's secrets under a different name.
		const secrets = [...own, ...(sent === '' ? [] : secretValues(JSON.parse(sent)))];
		// Redacting our own words would reveal a short secret.
		const cleanOwn = createTextRedactor(secrets);
		const what = sanitise(cleanOwn(`${event.method} ${event.url}`));

		const show = (line: string, mark: string, headers: Headers, body: string, clean: (text: string) => string) => {
			const pairs = verbosity < 2 ? [] : redactHeaders(headers);
			const heads = pairs.map(([name, value]) =>
				sanitise(`${name}: ${secrets.includes(value) ? REDACTED : clean(value)}`),
			);
			const more = verbosity < 2 ? heads : [...heads, ...bodyLines(clean(redactBody(body)))];
			print([line, ...more.map((each) => palette.faint(`${mark} ${each}`.trimEnd())), ''].join('\n'));
		};

		if (isRequest) return show(`${palette.faint('>')} ${what}`, '>', event.headers, sent, cleanOwn);
		const { status, headers, body, problem, ms } = event.response;
		const time = `${Math.round(ms)} ms`;
		if (status === 0) {
			return print(`${palette.bad('!')} ${what}: ${sanitise(cleanOwn(problem?.message ?? ''))}, ${time}\n`);
		}
		const style = status < 300 ? palette.good : status < 500 ? palette.bad : palette.doubtful;
		const line = `${palette.faint('<')} ${style(String(status))} ${what}, ${body.length} bytes, ${time}`;
		show(line, '<', headers, body.toString('utf8'), createTextRedactor([], secrets));
	};
}

/** Cut after secrets were removed, so that no part of one is left. */
function bodyLines(text: string): string[] {
	if (text === '') return [];
	const lines = sanitiseLines(text.slice(0, BODY_SHOWN)).split('\n');
	const more = text.length - BODY_SHOWN;
	return more > 0 ? [...lines, `(${more} of ${text.length} characters not shown)`] : lines;
}

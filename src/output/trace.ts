/** `-v` and `-vv`: requests and responses, without secrets. */

import type { TraceEvent } from '../http/client.js';
import type { ResponseHeaders } from '../http/response.js';
import { formatCount } from '../text.js';
import type { Palette } from './colour.js';
import { createTextRedactor, REDACTED, redactBody, redactHeaders, secretValues } from './redact.js';
import { sanitise, sanitiseLines } from './sanitise.js';

interface TraceView {
	/** 2 shows headers and bodies. */
	verbosity: number;
	palette: Palette;
	secrets: readonly string[];
}

/** Names alone: an update may send a field that nobody passed, such as the color that it would clear. */
function fieldsOf(sent: string): string {
	const body: unknown = sent === '' ? undefined : JSON.parse(sent);
	const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
	return names.length === 0 ? '' : sanitise(` (${names.join(', ')})`);
}

export function renderTrace(event: TraceEvent, { verbosity, palette, secrets: own }: TraceView): string {
	const sent = (event.type === 'request' ? event.body : event.requestBody) ?? '';
	// A response may repeat the request's secrets under a different name.
	const secrets = [...own, ...(sent === '' ? [] : secretValues(JSON.parse(sent)))];
	// Redacting our own words would reveal a short secret.
	const cleanOwn = createTextRedactor(secrets);
	const what = sanitise(cleanOwn(`${event.method} ${event.url}`));

	const details = (mark: string, headers: ResponseHeaders, body: string, clean: (text: string) => string): string => {
		if (verbosity < 2) return '';
		const heads = redactHeaders(headers).map(([name, value]) =>
			sanitise(`${name}: ${secrets.includes(value) ? REDACTED : clean(value)}`),
		);
		const lines = body === '' ? heads : [...heads, ...sanitiseLines(clean(redactBody(body))).split('\n')];
		return lines.map((line) => `${palette.faint(`${mark} ${line}`.trimEnd())}\n`).join('');
	};

	if (event.type === 'request') {
		return `${palette.faint('>')} ${what}${verbosity < 2 ? fieldsOf(sent) : ''}\n${details('>', event.headers, sent, cleanOwn)}`;
	}
	const { status, headers, body, problem, ms } = event.response;
	const time = `${Math.round(ms)} ms`;
	if (status === 0) return `${palette.bad('!')} ${what}: ${sanitise(cleanOwn(problem?.message ?? ''))}, ${time}\n`;
	const style = status < 300 ? palette.good : status < 500 ? palette.bad : palette.doubtful;
	const line = `${palette.faint('<')} ${style(String(status))} ${what}, ${formatCount(body.length)} bytes, ${time}\n`;
	return line + details('<', headers, body.toString('utf8'), createTextRedactor([], secrets));
}

/** `-v` and `-vv`: requests and responses as lines for stderr, without secrets and without raw escapes. */

import { type Palette, plainPalette } from './colour.js';
import {
	createTextRedactor,
	isDistinct,
	REDACTED,
	redactBody,
	redactHeaders,
	redactUrl,
	secretValues,
} from './redact.js';
import { sanitise, sanitiseLines } from './sanitise.js';

type Headers = readonly string[] | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the HTTP layer reports of an attempt. */
export interface TraceLike {
	readonly type: 'request' | 'response' | 'problem';
	readonly method: string;
	readonly url: string;
	readonly headers?: Headers | undefined;
	readonly body?: string | undefined;
	/** The body of the request that a response belongs to. */
	readonly requestBody?: string | undefined;
	/** HTTP status of a response. */
	readonly status?: number | undefined;
	/** Bytes of the response's body before decoding. */
	readonly bytes?: number | undefined;
	readonly ms?: number | undefined;
	readonly message?: string | undefined;
}

export interface TraceView {
	/** 1: a line each; 2: headers and bodies too. */
	readonly verbosity: number;
	readonly palette?: Palette | undefined;
	/** Values that must not be seen, whatever they stand under. */
	readonly secrets?: readonly string[] | undefined;
}

/** How much of a body is shown, in characters. */
const BODY_SHOWN = 4_096;

/** The lines of one event, each ending in a line break; empty where this verbosity does not show it. */
export function renderTrace(event: TraceLike, { verbosity, palette = plainPalette, secrets = [] }: TraceView): string {
	if (verbosity < 1) return '';
	const { type, method, url, status = 0, bytes, ms, message = 'no response', headers = [], body = '' } = event;
	// Our own words hold a short secret only by chance, and redacting it there would reveal it.
	const cleanOwn = createTextRedactor(secrets.filter(isDistinct));
	const what = sanitise(cleanOwn(`${method} ${redactUrl(url)}`));
	const time = ms === undefined ? '' : `, ${Math.round(ms)} ms`;
	if (type === 'problem') return `${palette.bad('!')} ${what}: ${sanitise(cleanOwn(message))}${time}\n`;
	const isRequest = type === 'request';
	const mark = isRequest ? '>' : '<';
	const style = status < 300 ? palette.good : status < 500 ? palette.bad : palette.doubtful;
	const size = bytes === undefined ? '' : `, ${bytes} bytes`;
	const result = isRequest ? what : `${style(String(status))} ${what}${size}${time}`;
	const lines = [`${palette.faint(mark)} ${result}`];
	if (verbosity >= 2) {
		const clean = isRequest ? cleanOwn : createTextRedactor(secrets);
		for (const [name, value] of redactHeaders(headers)) {
			const shown = secrets.includes(value) ? REDACTED : clean(value);
			lines.push(palette.faint(`${mark} ${sanitise(`${cleanOwn(name)}: ${shown}`)}`));
		}
		// Redacted first and cut afterwards, so that a cut never lays a secret bare.
		const text = clean(redactBody(body));
		const shown = text === '' ? [] : sanitiseLines(text.slice(0, BODY_SHOWN)).split('\n');
		if (text.length > BODY_SHOWN) shown.push(`(${text.length - BODY_SHOWN} of ${text.length} characters not shown)`);
		lines.push(...shown.map((line) => palette.faint(`${mark} ${line}`.trimEnd())));
	}
	return lines.map((line) => `${line}\n`).join('');
}

/** Secrets that a request carries, such as a user's new password: its response may repeat them under another name. */
function secretsIn(body: string | undefined): string[] {
	if (body === undefined || !body.startsWith('{')) return [];
	try {
		return secretValues(JSON.parse(body));
	} catch {
		return [];
	}
}

/** A listener for the HTTP layer that writes what a verbosity asks for. */
export function createTrace(write: (text: string) => void, view: TraceView): (event: TraceLike) => void {
	const own = view.secrets ?? [];
	return (event) => {
		const sent = event.type === 'request' ? event.body : event.requestBody;
		const secrets = view.verbosity >= 2 ? [...own, ...secretsIn(sent)] : own;
		write(renderTrace(event, { ...view, secrets }));
	};
}

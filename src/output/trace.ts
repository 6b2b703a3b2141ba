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
	readonly type: 'request' | 'answer' | 'problem';
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
export const BODY_SHOWN = 4_096;

/** The lines of one event, each ending in a line break; empty where this verbosity does not show it. */
export function renderTrace(event: TraceLike, { verbosity, palette = plainPalette, secrets = [] }: TraceView): string {
	if (verbosity < 1) return '';
	// Our own words hold a short secret only by chance, and redacting it there would reveal it.
	const cleanOwn = createTextRedactor(secrets.filter(isDistinct));
	const lines = [headline(event, palette, cleanOwn)];
	if (verbosity >= 2 && event.type !== 'problem') {
		const mark = event.type === 'request' ? '>' : '<';
		const clean = event.type === 'request' ? cleanOwn : createTextRedactor(secrets);
		for (const [name, value] of redactHeaders(event.headers ?? [])) {
			const shown = secrets.includes(value) ? REDACTED : clean(value);
			lines.push(palette.faint(`${mark} ${sanitise(`${cleanOwn(name)}: ${shown}`)}`));
		}
		lines.push(...bodyLines(event.body ?? '', clean).map((line) => palette.faint(`${mark} ${line}`.trimEnd())));
	}
	return lines.map((line) => `${line}\n`).join('');
}

function headline(event: TraceLike, palette: Palette, clean: (text: string) => string): string {
	const what = sanitise(clean(`${event.method} ${redactUrl(event.url)}`));
	const time = event.ms === undefined ? '' : `, ${Math.round(event.ms)} ms`;
	switch (event.type) {
		case 'request':
			return `${palette.faint('>')} ${what}`;
		case 'answer': {
			const status = event.status ?? 0;
			const style = status < 300 ? palette.good : status < 500 ? palette.bad : palette.doubtful;
			const size = event.bytes === undefined ? '' : `, ${event.bytes} bytes`;
			return `${palette.faint('<')} ${style(String(status))} ${what}${size}${time}`;
		}
		case 'problem':
			return `${palette.bad('!')} ${what}: ${sanitise(clean(event.message ?? 'no response'))}${time}`;
	}
}

/** Redacted first and cut afterwards, so that a cut never lays a secret bare. */
function bodyLines(body: string, clean: (text: string) => string): string[] {
	if (body === '') return [];
	const text = clean(redactBody(body));
	const shown = sanitiseLines(text.slice(0, BODY_SHOWN)).split('\n');
	if (text.length > BODY_SHOWN) shown.push(`(${text.length - BODY_SHOWN} of ${text.length} characters not shown)`);
	return shown;
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

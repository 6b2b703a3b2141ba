/** `-v` and `-vv`: requests and responses as lines for stderr, without secrets and without raw escapes. */

import type { TraceEvent } from '../http/types.js';
import type { Palette } from '../output/colour.js';
import {
	createTextRedactor,
	isDistinct,
	REDACTED,
	redactBody,
	redactHeaders,
	redactUrl,
	secretValues,
} from '../output/redact.js';
import { sanitise, sanitiseLines } from '../output/sanitise.js';

/** How much of a body is shown, in characters. */
const BODY_SHOWN = 4_096;

/** Secrets that a request carries, such as a user's new password: its response may repeat them under another name. */
function secretsIn(body: string | undefined): string[] {
	if (body === undefined || !body.startsWith('{')) return [];
	try {
		return secretValues(JSON.parse(body));
	} catch {
		return [];
	}
}

/**
 * A listener for the HTTP layer that writes lines for each event.
 * @param verbosity 1: a line each; 2: headers and bodies too
 * @param own values that must not be seen, whatever they stand under
 */
export const createTrace =
	(
		write: (text: string) => void,
		{ verbosity, palette, secrets: own }: { verbosity: number; palette: Palette; secrets: readonly string[] },
	) =>
	(event: TraceEvent): void => {
		const isRequest = event.type === 'request';
		const sent = isRequest ? event.body : event.type === 'response' ? event.requestBody : undefined;
		const secrets = verbosity >= 2 ? [...own, ...secretsIn(sent)] : own;
		// Our own words hold a short secret only by chance, and redacting it there would reveal it.
		const cleanOwn = createTextRedactor(secrets.filter(isDistinct));
		const what = sanitise(cleanOwn(`${event.method} ${redactUrl(event.url)}`));
		const time = isRequest ? '' : `, ${Math.round(event.ms)} ms`;
		if (event.type === 'problem') {
			write(`${palette.bad('!')} ${what}: ${sanitise(cleanOwn(event.message))}${time}\n`);
			return;
		}
		const mark = isRequest ? '>' : '<';
		let result = what;
		if (!isRequest) {
			const { status, bytes } = event;
			const style = status < 300 ? palette.good : status < 500 ? palette.bad : palette.doubtful;
			result = `${style(String(status))} ${what}, ${bytes} bytes${time}`;
		}
		const lines = [`${palette.faint(mark)} ${result}`];
		if (verbosity >= 2) {
			const clean = isRequest ? cleanOwn : createTextRedactor(secrets);
			for (const [name, value] of redactHeaders(event.headers)) {
				const shown = secrets.includes(value) ? REDACTED : clean(value);
				lines.push(palette.faint(`${mark} ${sanitise(`${cleanOwn(name)}: ${shown}`)}`));
			}
			// Redacted first and cut afterwards, so that a cut never lays a secret bare.
			const text = clean(redactBody(event.body ?? ''));
			const shown = text === '' ? [] : sanitiseLines(text.slice(0, BODY_SHOWN)).split('\n');
			if (text.length > BODY_SHOWN) shown.push(`(${text.length - BODY_SHOWN} of ${text.length} characters not shown)`);
			lines.push(...shown.map((line) => palette.faint(`${mark} ${line}`.trimEnd())));
		}
		write(lines.map((line) => `${line}\n`).join(''));
	};

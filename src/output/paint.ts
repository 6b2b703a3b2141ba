/** Colours for JSON that a person reads. */

import type { Palette } from './colour.js';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;

/** Keys stand out, strings are green, the rest is left alone. */
export function paintJson(json: string, palette: Palette): string {
	if (!palette.enabled) return json;
	return json.replace(TOKEN, (token, text: string | undefined, colon: string | undefined) => {
		if (text === undefined) return palette.doubtful(token);
		return colon === undefined ? palette.good(text) : `${palette.strong(text)}${colon}`;
	});
}

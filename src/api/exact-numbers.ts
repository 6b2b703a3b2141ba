/** Numbers of a JSON text that JavaScript would change: they are kept as they were written. */

import { isObject } from './values.js';

/** Under this key stands the text of such a number. */
const WRITTEN = 'supportctl:number';

/** A string, or a number, of a JSON text. */
const STRING_OR_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g;

/** Finds whatever may be such a number, and perhaps text that looks like one: most texts have none. */
const SUSPECT = /(?:^|[:,[])\s*(?:-0|-?\d{16}|-?\d+[.eE])/;

/** Reads JSON; a number such as 12345678901234567890 or 1.10 becomes an object that `inexactNumberIn` knows. @param json valid JSON */
export function parseExact(json: string): unknown {
	if (!SUSPECT.test(json)) return JSON.parse(json);
	return JSON.parse(
		json.replace(STRING_OR_NUMBER, (token) =>
			token.startsWith('"') || String(Number(token)) === token ? token : `{"${WRITTEN}":"${token}"}`,
		),
	);
}

/** The text of a number that can't be held exactly; undefined for any other value. */
export function inexactNumberIn(value: unknown): string | undefined {
	return isObject(value) && typeof value[WRITTEN] === 'string' ? value[WRITTEN] : undefined;
}

/** Whether a value of `parseExact` has such a number in it, however deep. */
export function holdsInexactNumber(value: unknown): boolean {
	return typeof value === 'object' && value !== null && JSON.stringify(value).includes(`"${WRITTEN}"`);
}

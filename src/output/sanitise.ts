/** Makes text from the service safe for a terminal: what could move the cursor or reorder the line is shown as an escape. */

/**
 * C0 and C1 controls, DEL, bidirectional marks, overrides and isolates, line and paragraph separators, characters
 * without a width, blanks that pass for letters, tags.
 */
const UNSAFE =
	/[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/u;

/**
 * The same, one at a time. Joiners stay between two characters beyond ASCII, where emoji and several scripts need
 * them, and tags stay in the flags of regions.
 */
const EACH =
	/\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}|(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])|[\x00-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOne(character: string): string {
	if (character.length > 2 || character === '\u200c' || character === '\u200d') return character;
	const short = SHORT[character];
	if (short !== undefined) return short;
	const point = character.codePointAt(0) as number;
	if (point < 0x100) return `\\x${point.toString(16).padStart(2, '0')}`;
	return point < 0x10000 ? `\\u${point.toString(16).padStart(4, '0')}` : `\\u{${point.toString(16)}}`;
}

/** A joiner that the pattern did not accept stands next to ASCII, where it only hides something. */
function escapeStrayJoiners(text: string): string {
	return text.replace(/(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])/gu, (character) =>
		character === '\u200c' ? '\\u200c' : '\\u200d',
	);
}

/** Most text holds none of these, and looking for them is much quicker than for all that is unsafe. */
const BEYOND_PRINTABLE_ASCII = /[^\x20-\x7e]/;

/** One line of text in which nothing but printable characters is left: `\n`, `\x1b`, `\u202e` stand for the rest. */
export function sanitise(text: string): string {
	if (!BEYOND_PRINTABLE_ASCII.test(text) || !UNSAFE.test(text)) return text;
	return escapeStrayJoiners(text).replace(EACH, escapeOne);
}

/** The same for text of several lines: line breaks stay, a carriage return before one goes, tabs become blanks. */
export function sanitiseLines(text: string): string {
	if (!UNSAFE.test(text)) return text;
	return text
		.split(/\r?\n/)
		.map((line) => sanitise(line.replaceAll('\t', '    ')))
		.join('\n');
}

/** Characters that JSON lets stand but a terminal should not get. */
const UNSAFE_IN_JSON =
	/[\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

const NOT_PLAIN = /[^\n\x20-\x7e]/;

/** JSON text with those characters as `\u` escapes: the same value to every reader, and nothing for a terminal to obey. */
export function escapeJson(json: string): string {
	if (!NOT_PLAIN.test(json)) return json;
	return json.replace(UNSAFE_IN_JSON, (character) => {
		let escaped = '';
		for (let index = 0; index < character.length; index++) {
			escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
		}
		return escaped;
	});
}

/** Whether a text holds anything that is not simply printable. */
export function hasUnsafe(text: string): boolean {
	return UNSAFE.test(text);
}

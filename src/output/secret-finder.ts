/** Finds given secrets in text however they are escaped: in JSON (also JSON in JSON), HTML, a URL, base64 or hex. */

export interface SecretFinder {
	/** False where the text certainly holds none of them; quick enough for every response. */
	mayHold(text: string | Uint8Array): boolean;
	/** The text with `stand-in` in place of each. */
	replace(text: string, standIn: string): string;
}

/** The shortest run of plain characters that is worth looking for by itself. */
const SHORTEST_RUN = 3;
/** The shortest secret whose encodings are looked for; those of shorter ones turn up by chance. */
const SHORTEST_ENCODED = 6;

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const NAMED_IN_HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function percentEncoded(char: string): string {
	return [...Buffer.from(char, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** One character in all its spellings, as a regular expression. Backslashes before it are its own: JSON in JSON doubles them. */
function spellings(char: string): string {
	const ways = new Set([char, JSON.stringify(char).slice(1, -1).replace(/^\\+/, ''), percentEncoded(char)]);
	const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index));
	ways.add(units.map((unit) => `u${unit.toString(16).padStart(4, '0')}`).join('\\'));
	const code = char.codePointAt(0) as number;
	for (const html of [`&#${code};`, `&#0${code};`, `&#x${code.toString(16)};`]) ways.add(html);
	if (NAMED_IN_HTML[char] !== undefined) ways.add(NAMED_IN_HTML[char]);
	if (char === ' ') ways.add('+');
	const any = [...ways].map((way) => escapeRegExp(way).replaceAll('\\\\u', '\\\\{1,8}u')).join('|');
	if (char === '\\') return '(?:\\\\{1,8}|%5c|&#0?92;|&#x5c;)';
	return `(?:\\\\{0,8}(?:${any}))`;
}

/** Matches a secret however its characters are written; letters and digits are written as themselves. */
function patternOf(secret: string): string {
	// Services leave out the spaces of application passwords, which are only there for readers.
	const optional = secret.replaceAll(' ', '').length >= SHORTEST_ENCODED ? '?' : '';
	const pattern = [...secret]
		.map((char) => (/[A-Za-z0-9]/.test(char) ? char : spellings(char) + (char === ' ' ? optional : '')))
		.join('');
	// A short one of digits stands in longer numbers by chance.
	return /^\d+$/.test(secret) && secret.length < SHORTEST_ENCODED ? `(?<!\\d)${pattern}(?!\\d)` : pattern;
}

/** What a secret is turned into as a whole. */
function encodings(secret: string): string[] {
	const bytes = Buffer.from(secret, 'utf8');
	const hex = bytes.toString('hex');
	return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), hex, hex.toUpperCase()];
}

/** The longest run of characters that no escaping changes. */
function plainRun(secret: string): string {
	const runs = secret.match(/[A-Za-z0-9]+/g) ?? [];
	return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '');
}

/** Makes a finder; undefined where there is nothing to find. */
export function createSecretFinder(secrets: readonly string[]): SecretFinder | undefined {
	const whole = secrets.filter((each) => each !== '');
	if (whole.length === 0) return undefined;
	const all = [...new Set([...whole, ...whole.filter((each) => each.length >= SHORTEST_ENCODED).flatMap(encodings)])];
	// The longest first, so that no secret is left in halves by a shorter one inside it.
	all.sort((left, right) => right.length - left.length);
	// Made when it is first needed, which for most processes is never.
	let pattern: RegExp | undefined;
	const runs = all.map(plainRun);
	// Without a plain run in each of them, every text is looked at in full.
	const probe = runs.every((run) => run.length >= SHORTEST_RUN) ? new RegExp([...new Set(runs)].join('|')) : undefined;
	return {
		mayHold(text) {
			if (probe === undefined) return true;
			if (typeof text === 'string') return probe.test(text);
			// One character a byte will do: the runs are letters and digits.
			return probe.test(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1'));
		},
		replace(text, standIn) {
			pattern ??= new RegExp(all.map((each) => `${patternOf(each)}(?:=|%3d)*`).join('|'), 'gi');
			return text.replace(pattern, standIn);
		},
	};
}

/**
 * Keeps secrets out of whatever is printed or kept: values under keys that are named like one, header lists, URLs, and
 * text that repeats a known secret. Which secrets are known comes with each call: those of the row's own request and
 * the caller's credentials. Nothing is remembered between rows.
 */

/** What stands in a secret's place. */
export const REDACTED = '[redacted]';

/** Objects and lists nested deeper than this are cut, with a note in their place. */
const MAX_DEPTH = 200;
const TOO_DEEP = `[nested deeper than ${MAX_DEPTH} levels]`;

/** Names that hold a secret wherever the word stands in them: `userpassword`, `X-Authorization`. */
const ANYWHERE = /passw(?:or)?d|passphrase|passcode|authori[sz]ation|credential|cookie|api[-_ ]?key/i;

/** Single words that mean a secret on their own or at the end, and pairs: `user_pass`, `clientsecret`, `private key`. */
const WORD =
	/(?:^| )(?:pass|pwd|otp|totp|jwt|nonce|bearer)(?= |$)|(?:token|secret)s?(?= |$)|(?:^| )(?:(?:api|auth|access|private|secret|encryption|license|signing|session) key|session id)(?= |$)/;

/** A last word that describes a secret without being one: `secretSource`, `token_type`. */
const ABOUT = /(?:^| )(?:sources?|store|storage|type|kind|location|expir[a-z]*|count|length|file|url|uri)$/;

/** Whether a key, header, field or column is named like a secret. */
export function isSecretName(name: string): boolean {
	if (name.length > 200) return ANYWHERE.test(name);
	const words = name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, ' ');
	return !ABOUT.test(words) && (ANYWHERE.test(name) || WORD.test(words));
}

/** A value without its secrets; the same object where it holds none. */
export type Redactor = <T>(value: T) => T;

/** `{name: 'token', value: 'abc'}`: the name is in a value, as in custom fields and header lists. */
function isSecretPair(value: object, isSecret: (name: string) => boolean): boolean {
	return 'name' in value && typeof value.name === 'string' && 'value' in value && isSecret(value.name);
}

/** How many names a redactor remembers, since a service chooses the names. */
const MAX_NAMES = 5_000;

/** Makes a redactor that remembers which of the names that it has met mean secrets, for many rows with the same keys. */
export function createRedactor(): Redactor {
	const known = new Map<string, boolean>();
	function isSecret(name: string): boolean {
		let secret = known.get(name);
		if (secret === undefined) {
			secret = isSecretName(name);
			if (known.size < MAX_NAMES) known.set(name, secret);
		}
		return secret;
	}
	function walk(value: unknown, depth: number): unknown {
		if (typeof value !== 'object' || value === null) return value;
		if (depth > MAX_DEPTH) return TOO_DEEP;
		if (Array.isArray(value)) {
			const list = value.map((inner) => walk(inner, depth + 1));
			return list.every((inner, index) => inner === value[index]) ? value : list;
		}
		const isPair = isSecretPair(value, isSecret);
		const given = value as Record<string, unknown>;
		let copy: Record<string, unknown> | undefined;
		for (const key in given) {
			const inner = given[key];
			if (inner === null || inner === undefined || !Object.hasOwn(given, key)) continue;
			const clean = isSecret(key) || (isPair && key !== 'name') ? REDACTED : walk(inner, depth + 1);
			if (clean === inner) continue;
			// The copy has each key as its own, `__proto__` too.
			copy ??= { ...given };
			copy[key] = clean;
		}
		return copy ?? value;
	}
	return <T>(value: T): T => walk(value, 1) as T;
}

/** One value without its secrets; for many, make a redactor once. */
export function redact<T>(value: T): T {
	return createRedactor()(value);
}

/**
 * Texts and numbers that stand below secret names, at any depth: what a response to the request must not repeat. Numbers
 * are given as their digits.
 */
export function secretValues(sent: unknown): string[] {
	const found = new Set<string>();
	const open = [{ value: sent, secret: false }];
	for (let each = open.pop(); each !== undefined; each = open.pop()) {
		const { value, secret } = each;
		if (typeof value === 'object' && value !== null) {
			const isPair = isSecretPair(value, isSecretName);
			for (const [key, inner] of Object.entries(value)) {
				open.push({ value: inner, secret: secret || isSecretName(key) || (isPair && key !== 'name') });
			}
		} else if (secret && (typeof value === 'number' || (typeof value === 'string' && value !== ''))) {
			found.add(String(value));
		}
	}
	return [...found];
}

/** Headers as a flat list of name, value, name, value, or as an object → pairs fit for a log. */
export function redactHeaders(
	headers: readonly string[] | Readonly<Record<string, string | readonly string[] | undefined>>,
): [name: string, value: string][] {
	const pairs: [string, string][] = Array.isArray(headers)
		? headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : []))
		: Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]));
	return pairs.map(([name, value]) => {
		if (!isSecretName(name)) return [name, redactUrl(value)];
		// The scheme helps to see what was tried.
		const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^(?:basic|bearer|digest)\s/i.exec(value) : null;
		return [name, (scheme?.[0] ?? '') + REDACTED];
	});
}

/**
 * A URL, or text with some in it, without the user info, up to the last @ of the authority, and without the values of
 * parameters named like a secret: `token=abc&x=1`, in a form too.
 */
export function redactUrl(text: string): string {
	if (!text.includes('://') && !text.includes('=')) return text;
	return text
		.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s"<>]*@/gi, `$1${REDACTED}@`)
		.replace(/([?&;\s]|^)([^=&?#;\s"'<>]{1,200})=([^&#;\s"'<>\\]*)/g, (whole, before: string, name: string) =>
			isSecretName(decoded(name.replaceAll('+', ' '), decodeURIComponent)) ? `${before}${name}=${REDACTED}` : whole,
		);
}

/** What an encoded name stands for; the name itself where it can't be decoded. */
function decoded(name: string, decode: (text: string) => string): string {
	try {
		return decode(name);
	} catch {
		return name;
	}
}

/**
 * A base URL as a setting gives it, which is not checked yet: whatever stands before an @ may be a password, with a
 * scheme or without one, and nothing that stands behind a ? or a # has a place there.
 */
export function redactBaseUrl(text: string): string {
	return text
		.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, (_, scheme = '') => `${scheme}${REDACTED}@`)
		.replace(/([?#]).+$/s, `$1${REDACTED}`);
}

/** A request or response body for a log: JSON and forms lose the values under secret names, JSON that is cut off too. */
export function redactBody(text: string): string {
	const start = text.trimStart();
	if (!start.startsWith('{') && !start.startsWith('[')) return redactUrl(redactJsonText(text));
	try {
		const value: unknown = JSON.parse(text);
		const clean = redact(value);
		if (clean !== value) return JSON.stringify(clean);
	} catch {
		// Cut off, or not JSON: what follows needs no parser.
	}
	// Also after a parser, which sees only the last of the values under one key.
	return redactJsonText(text);
}

/** Without a parser: each `"name": value` whose name is one of a secret, up to the value's end or the text's. */
function redactJsonText(text: string): string {
	const names = /"((?:[^"\\]|\\[\s\S]){1,200})"\s*:\s*/g;
	let clean = '';
	let from = 0;
	for (let match = names.exec(text); match !== null; match = names.exec(text)) {
		if (!isSecretName(decoded(match[1] as string, (text) => JSON.parse(`"${text}"`) as string))) continue;
		const start = names.lastIndex;
		names.lastIndex = endOfValue(text, start);
		if (text.slice(start, names.lastIndex) === 'null') continue;
		clean += `${text.slice(from, start)}"${REDACTED}"`;
		from = names.lastIndex;
	}
	return clean + text.slice(from);
}

/** Where the JSON value that begins at `start` ends: behind its quotation mark, its last bracket, or its last character. */
function endOfValue(text: string, start: number): number {
	const tokens = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[{[]|[}\]]|,|[^\s"{}[\],]+|\s+/y;
	tokens.lastIndex = start;
	let depth = 0;
	for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
		const [token] = match;
		if (token === '{' || token === '[') depth++;
		else if (depth === 0) return /^[,}\]]/.test(token) ? match.index : tokens.lastIndex;
		else if ((token === '}' || token === ']') && --depth === 0) return tokens.lastIndex;
	}
	return text.length;
}

/** Finds given secrets in text however they are escaped: in JSON (also JSON in JSON), HTML, a URL, base64 or hex. */
export interface SecretFinder {
	/** False where the text certainly holds none of them; quick enough for every response. */
	mayHold(text: string | Uint8Array): boolean;
	/** The text with a note in place of each. */
	clean(text: string): string;
}

/** The shortest secret that is looked for in text; a shorter one would take ordinary words with it. */
const SHORTEST = 3;
/** The shortest secret whose encodings are looked for; those of shorter ones turn up by chance. */
const SHORTEST_ENCODED = 6;
/** The shortest secret that can't be taken for a word, a name or an id. */
const SHORTEST_DISTINCT = 8;

/** A shorter secret may be an ordinary word or an id: redacting those would change the message, and reveal them. */
export function isDistinct(secret: string): boolean {
	return secret.length >= SHORTEST_DISTINCT;
}

const NAMED_IN_HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** One character in all its spellings, as a regular expression. Backslashes before it are its own: JSON in JSON doubles them. */
function spellings(char: string): string {
	if (char === '\\') return '(?:\\\\{1,8}|%5c|&#0?92;|&#x5c;)';
	const hex = (number: number, width: number): string => number.toString(16).padStart(width, '0');
	const code = char.codePointAt(0) as number;
	const units = Array.from({ length: char.length }, (_, index) => `u${hex(char.charCodeAt(index), 4)}`);
	const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	const ways = [
		escapeRegExp(char),
		escapeRegExp(JSON.stringify(char).slice(1, -1).replace(/^\\+/, '')),
		[...Buffer.from(char, 'utf8')].map((byte) => `%${hex(byte, 2)}`).join(''),
		units.join('\\\\{1,8}'),
		`&#0?${code};`,
		`&#x${hex(code, 0)};`,
		NAMED_IN_HTML[char],
		char === ' ' ? '\\+' : undefined,
	];
	return `(?:\\\\{0,8}(?:${ways.filter((way) => way !== undefined).join('|')}))`;
}

/** Matches a secret however its characters are written; letters and digits are written as themselves. */
function patternOf(secret: string): string {
	// Services leave out the spaces of application passwords, which are only there for readers.
	const optional = secret.replaceAll(' ', '').length >= SHORTEST_ENCODED ? '?' : '';
	const characters = [...secret].map((char) =>
		/[A-Za-z0-9]/.test(char) ? char : spellings(char) + (char === ' ' ? optional : ''),
	);
	const pattern = `${characters.join('')}(?:=|%3d)*`;
	// A short one of digits stands in longer numbers by chance.
	return /^\d+$/.test(secret) && secret.length < SHORTEST_ENCODED ? `(?<!\\d)${pattern}(?!\\d)` : pattern;
}

/** Makes a finder; undefined where there is nothing to find. */
export function createSecretFinder(secrets: readonly string[]): SecretFinder | undefined {
	const whole = secrets.filter((each) => each.length >= SHORTEST);
	if (whole.length === 0) return undefined;
	const encoded = whole.filter((each) => each.length >= SHORTEST_ENCODED).map((each) => Buffer.from(each, 'utf8'));
	const all = new Set([
		...whole,
		...encoded.flatMap((bytes) => [
			bytes.toString('base64').replace(/=+$/, ''),
			bytes.toString('base64url'),
			bytes.toString('hex'),
			bytes.toString('hex').toUpperCase(),
		]),
	]);
	// The longest first, so that no secret is left in halves by a shorter one inside it.
	const ordered = [...all].sort((left, right) => right.length - left.length);
	// The longest run of each that no escaping changes. Without one, every text is looked at in full.
	const runs = ordered.map(
		(each) => each.match(/[A-Za-z0-9]+/g)?.sort((left, right) => right.length - left.length)[0] ?? '',
	);
	const probe = runs.every((run) => run.length >= SHORTEST) ? new RegExp([...new Set(runs)].join('|')) : undefined;
	// Made when it is first needed, which for most processes is never.
	let pattern: RegExp | undefined;
	return {
		mayHold(text) {
			if (probe === undefined) return true;
			if (typeof text === 'string') return probe.test(text);
			// One character a byte will do: the runs are letters and digits.
			return probe.test(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1'));
		},
		clean(text) {
			pattern ??= new RegExp(ordered.map(patternOf).join('|'), 'gi');
			return text.replace(pattern, REDACTED);
		},
	};
}

/** A function for many texts that makes each free of the secrets, in any of their usual spellings, and of URLs' secrets. */
export function createTextRedactor(secrets: readonly string[]): (text: string) => string {
	const finder = createSecretFinder(secrets);
	return (text) => {
		const clean = redactUrl(text);
		const whole = finder?.mayHold(clean) === true ? finder.clean(clean) : clean;
		return whole.includes('…') ? withoutBeginning(whole, secrets) : whole;
	};
}

/** The first words of a response may end within a secret. */
function withoutBeginning(text: string, secrets: readonly string[]): string {
	const spellings = secrets
		.filter((secret) => secret.length >= SHORTEST_ENCODED)
		.flatMap((secret) => [
			secret,
			JSON.stringify(secret).slice(1, -1),
			encodeURIComponent(secret),
			Buffer.from(secret).toString('base64'),
		]);
	let clean = text;
	for (const each of new Set(spellings)) {
		for (let length = each.length; length >= SHORTEST; length--) {
			clean = clean.replaceAll(`${each.slice(0, length)}…`, `${REDACTED}…`);
		}
	}
	return clean;
}

/** What a service said about a request, and what it showed. */
interface Said {
	outcome?: string;
	code?: string;
	message?: string;
	reasons?: Record<string, string>;
	warnings?: string[];
	body?: unknown;
	differs?: { field: string; sent: unknown; shown: unknown }[];
}

/**
 * Makes the function that removes secrets from an outcome before it is printed or kept: the
 * caller's credentials from texts, and the secrets of the request from everything. What was only
 * shown stays as it is, since a password may be an ordinary word.
 * @param own the caller's credentials
 */
export function createOutcomeRedactor(
	own: readonly string[],
): <Outcome extends Said>(outcome: Outcome, secrets: readonly string[]) => Outcome {
	const distinct = own.filter(isDistinct);
	const cleanOwn = createTextRedactor(distinct);
	return (given, secrets) => {
		const { code, message, reasons, warnings, body, differs } = given;
		const outcome = { ...given };
		const clean = secrets.length === 0 ? cleanOwn : createTextRedactor([...distinct, ...secrets]);
		if (code !== undefined) outcome.code = clean(code);
		// A message may quote the first words of a response.
		if (message !== undefined) outcome.message = redactJsonText(clean(message));
		if (warnings !== undefined) outcome.warnings = warnings.map(clean);
		if (reasons !== undefined) {
			const entries = Object.entries(reasons).map(([name, why]) => [clean(name), clean(why)]);
			outcome.reasons = Object.fromEntries(entries);
		}
		if (differs !== undefined) {
			outcome.differs = differs.map(({ field, sent, shown }) => {
				const kept = (value: unknown): unknown => redact({ [field]: redactTexts(value, secrets) })[field];
				return { field, sent: kept(sent), shown: kept(shown) };
			});
		}
		// The body of a refusal is a message too.
		const isData = given.outcome === 'ok' || given.outcome === 'differs';
		const hidden = isData ? secrets : [...distinct, ...secrets];
		if (body !== undefined && hidden.length > 0) outcome.body = redactTexts(body, hidden);
		return outcome;
	};
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;

/**
 * A value in whose texts and numbers none of the secrets is left, nor in its keys one that is no word. A number is a
 * secret where it is equal to one that is written in digits.
 */
export function redactTexts(value: unknown, secrets: readonly string[]): unknown {
	const clean = createTextRedactor(secrets);
	const cleanKey = createTextRedactor(secrets.filter(isDistinct));
	const numbers = new Set(secrets.filter((secret) => secret.length >= SHORTEST && NUMBER.test(secret)).map(Number));
	const walk = (each: unknown, depth: number): unknown => {
		if (typeof each === 'string') return clean(each);
		if (typeof each === 'number') return numbers.has(each) ? REDACTED : each;
		if (typeof each !== 'object' || each === null) return each;
		if (depth >= MAX_DEPTH) return TOO_DEEP;
		if (Array.isArray(each)) return each.map((inner) => walk(inner, depth + 1));
		return Object.fromEntries(Object.entries(each).map(([key, inner]) => [cleanKey(key), walk(inner, depth + 1)]));
	};
	return walk(value, 0);
}

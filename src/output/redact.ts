/** Keeps secrets out of what is printed or kept. Secrets come with each call; nothing is remembered between rows. */

export const REDACTED = '[redacted]';

const MAX_DEPTH = 200;
const TOO_DEEP = `[nested deeper than ${MAX_DEPTH} levels]`;

/** Anywhere in a name: `userpassword`, `X-Authorization`. */
const ANYWHERE = /passw(?:or)?d|passphrase|passcode|authori[sz]ation|credential|cookie|api[-_ ]?key/i;

/** Alone or at the end, and pairs: `user_pass`, `clientsecret`, `private key`. */
const WORD =
	/(?:^| )(?:pass|pwd|otp|totp|jwt|nonce|bearer)(?= |$)|(?:token|secret)s?(?= |$)|(?:^| )(?:(?:api|auth|access|private|secret|encryption|license|signing|session) key|session id)(?= |$)/;

/** About a secret: `secretSource`, `token_type`. */
const ABOUT = /(?:^| )(?:sources?|store|storage|type|kind|location|expir[a-z]*|count|length|file|url|uri)$/;

export function isSecretName(name: string): boolean {
	if (name.length > 200) return ANYWHERE.test(name);
	const words = name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, ' ');
	return !ABOUT.test(words) && (ANYWHERE.test(name) || WORD.test(words));
}

/** The same object if there are none. */
export type Redactor = <T>(value: T) => T;

/** `{name: 'token', value: 'abc'}`, as in custom fields and header lists. */
function isSecretPair(value: object, isSecret: (name: string) => boolean): boolean {
	return 'name' in value && typeof value.name === 'string' && 'value' in value && isSecret(value.name);
}

/** The service chooses the names. */
const MAX_NAMES = 5_000;

/** Remembers which names mean secrets. */
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
			// `__proto__` too.
			copy ??= { ...given };
			copy[key] = clean;
		}
		return copy ?? value;
	}
	return <T>(value: T): T => walk(value, 1) as T;
}

/** For many values, make a redactor once. */
export function redact<T>(value: T): T {
	return createRedactor()(value);
}

/** Values under secret names at any depth, which a response must not repeat. */
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

/** A flat list or an object → pairs. */
export function redactHeaders(
	headers: readonly string[] | Readonly<Record<string, string | readonly string[] | undefined>>,
): [name: string, value: string][] {
	const pairs: [string, string][] = Array.isArray(headers)
		? headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : []))
		: Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]));
	return pairs.map(([name, value]) => {
		if (!isSecretName(name)) return [name, redactUrl(value)];
		// It shows what was tried.
		const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^(?:basic|bearer|digest)\s/i.exec(value) : null;
		return [name, (scheme?.[0] ?? '') + REDACTED];
	});
}

/** Without user info, and values of parameters named like secrets. */
export function redactUrl(text: string): string {
	if (!text.includes('://') && !text.includes('=')) return text;
	return text
		.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s"<>]*@/gi, `$1${REDACTED}@`)
		.replace(/([?&;\s]|^)([^=&?#;\s"'<>]{1,200})=([^&#;\s"'<>\\]*)/g, (whole, before: string, name: string) =>
			isSecretName(decoded(name.replaceAll('+', ' '), decodeURIComponent)) ? `${before}${name}=${REDACTED}` : whole,
		);
}

/** The name itself if it can't be decoded. */
function decoded(name: string, decode: (text: string) => string): string {
	try {
		return decode(name);
	} catch {
		return name;
	}
}

/** Not checked yet: what is before an @ may be a password. */
export function redactBaseUrl(text: string): string {
	return text
		.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, (_, scheme = '') => `${scheme}${REDACTED}@`)
		.replace(/([?#]).+$/s, `$1${REDACTED}`);
}

/** JSON and forms, also cut off. */
export function redactBody(text: string): string {
	const start = text.trimStart();
	if (!start.startsWith('{') && !start.startsWith('[')) return redactUrl(redactJsonText(text));
	try {
		const value: unknown = JSON.parse(text);
		const clean = redact(value);
		if (clean !== value) return JSON.stringify(clean);
	} catch {
		// What follows needs no parser.
	}
	// A parser sees only the last value of a key.
	return redactJsonText(text);
}

/** Each `"name": value` with a secret's name. */
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

/** However they are escaped: JSON, JSON in JSON, HTML, URL, base64, hex. */
export interface SecretFinder {
	/** False if there are certainly none; quick. */
	mayHold(text: string | Uint8Array): boolean;
	clean(text: string): string;
}

/** Shorter ones would take ordinary words with them. */
const SHORTEST = 3;
/** Encodings of shorter ones turn up by chance. */
const SHORTEST_ENCODED = 6;
/** Can't be a word, a name or an ID. */
const SHORTEST_DISTINCT = 8;

/** Redacting a word would change the message, and reveal it. */
export function isDistinct(secret: string): boolean {
	return secret.length >= SHORTEST_DISTINCT;
}

const NAMED_IN_HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** JSON in JSON doubles backslashes. */
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

function patternOf(secret: string): string {
	// Spaces of application passwords are optional.
	const optional = secret.replaceAll(' ', '').length >= SHORTEST_ENCODED ? '?' : '';
	const characters = [...secret].map((char) =>
		/[A-Za-z0-9]/.test(char) ? char : spellings(char) + (char === ' ' ? optional : ''),
	);
	const pattern = `${characters.join('')}(?:=|%3d)*`;
	// Short digits are in longer numbers by chance.
	return /^\d+$/.test(secret) && secret.length < SHORTEST_ENCODED ? `(?<!\\d)${pattern}(?!\\d)` : pattern;
}

/** Undefined without secrets. */
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
	// Longest first: a shorter one may be inside.
	const ordered = [...all].sort((left, right) => right.length - left.length);
	// The longest run that no escaping changes.
	const runs = ordered.map(
		(each) => each.match(/[A-Za-z0-9]+/g)?.sort((left, right) => right.length - left.length)[0] ?? '',
	);
	const probe = runs.every((run) => run.length >= SHORTEST) ? new RegExp([...new Set(runs)].join('|')) : undefined;
	// Most processes never need it.
	let pattern: RegExp | undefined;
	return {
		mayHold(text) {
			if (probe === undefined) return true;
			if (typeof text === 'string') return probe.test(text);
			// The runs are letters and digits.
			return probe.test(Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1'));
		},
		clean(text) {
			pattern ??= new RegExp(ordered.map(patternOf).join('|'), 'gi');
			return text.replace(pattern, REDACTED);
		},
	};
}

/** For many texts. */
export function createTextRedactor(secrets: readonly string[]): (text: string) => string {
	const finder = createSecretFinder(secrets);
	return (text) => {
		const clean = redactUrl(text);
		const whole = finder?.mayHold(clean) === true ? finder.clean(clean) : clean;
		return whole.includes('…') ? withoutBeginning(whole, secrets) : whole;
	};
}

/** A text may end within a secret. */
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

interface Said {
	outcome?: string;
	code?: string;
	message?: string;
	reasons?: Record<string, string>;
	warnings?: string[];
	body?: unknown;
	differs?: { field: string; sent: unknown; shown: unknown }[];
}

/** Removes credentials from texts, and secrets of the request from everything. Shown data stays: a password may be an ordinary word. */
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
		// It may quote the response.
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
		// A refusal's body is a message.
		const isData = given.outcome === 'ok' || given.outcome === 'differs';
		const hidden = isData ? secrets : [...distinct, ...secrets];
		if (body !== undefined && hidden.length > 0) outcome.body = redactTexts(body, hidden);
		return outcome;
	};
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;

/** A number is a secret if it equals one written in digits. */
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

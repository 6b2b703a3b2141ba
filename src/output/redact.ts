/** Keeps secrets out of what is printed or kept. Secrets come with each call; nothing is remembered between rows. */

import type { Outcome } from '../http/outcome.js';
import { outcomes } from '../http/outcomes.js';
import { escapeHtml } from '../text.js';

export const REDACTED = '[redacted]';

/** Anywhere in a name: `userpassword`, `X-Authorization`. */
const ANYWHERE = /passw(?:or)?d|passphrase|passcode|authori[sz]ation|credential|cookie|api[-_ ]?key/i;

/** Alone or at the end, and pairs: `user_pass`, `clientsecret`, `private key`. */
const WORD =
	/(?:^| )(?:pass|pwd|otp|totp|jwt|nonce|bearer)(?= |$)|(?:token|secret)s?(?= |$)|(?:^| )(?:(?:api|auth|access|private|secret|encryption|license|signing|session) key|session id)(?= |$)/;

/** About a secret: `secretSource`, `token_type`. */
const ABOUT = /(?:^| )(?:sources?|store|storage|type|kind|location|expir[a-z]*|count|length|file|url|uri)$/;

/** Of a key, a header, a field or a column. */
export function isSecretName(name: string): boolean {
	const words = name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, ' ');
	return !ABOUT.test(words) && (ANYWHERE.test(name) || WORD.test(words));
}

/** Replaces values under secret names in a copy; a value without any stays the same object. */
export function createRedactor(): <T>(value: T) => T {
	const known = new Map<string, boolean>();
	function isSecret(name: string): boolean {
		let secret = known.get(name);
		if (secret === undefined) {
			secret = isSecretName(name);
			known.set(name, secret);
		}
		return secret;
	}
	function walk(value: unknown): unknown {
		if (typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) {
			const list = value.map(walk);
			return list.every((inner, index) => inner === value[index]) ? value : list;
		}
		// `{name: 'token', value: 'abc'}`, as in custom fields and header lists.
		const isPair = 'name' in value && typeof value.name === 'string' && 'value' in value && isSecret(value.name);
		let copy: Record<string, unknown> | undefined;
		const record = value as Readonly<Record<string, unknown>>;
		for (const key of Object.keys(record)) {
			const inner = record[key];
			if (inner === null || inner === undefined) continue;
			const clean = isSecret(key) || (isPair && key !== 'name') ? REDACTED : walk(inner);
			if (clean === inner) continue;
			// `__proto__` too.
			copy ??= { ...value };
			copy[key] = clean;
		}
		return copy ?? value;
	}
	return <T>(value: T): T => walk(value) as T;
}

/** For many values, make a redactor once. */
export function redact<T>(value: T): T {
	return createRedactor()(value);
}

/** What a response must not repeat, at any depth. */
export function secretValues(sent: unknown, isSecret = false): string[] {
	if (typeof sent !== 'object' || sent === null) {
		const isValue = typeof sent === 'number' || (typeof sent === 'string' && sent !== '');
		return isSecret && isValue ? [String(sent)] : [];
	}
	return Object.entries(sent).flatMap(([key, inner]) => secretValues(inner, isSecret || isSecretName(key)));
}

/** Headers → pairs fit for a log; a header that came twice is two. */
export function redactHeaders(
	headers: Readonly<Record<string, string | string[] | undefined>>,
): [name: string, value: string][] {
	return Object.entries(headers).flatMap(([name, values]) =>
		[values ?? []].flat().map((value): [string, string] => [name, redactHeader(name, value)]),
	);
}

function redactHeader(name: string, value: string): string {
	if (!isSecretName(name)) return redactUrl(value);
	// The scheme shows what was tried.
	const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^(?:basic|bearer|digest)\s/i.exec(value) : null;
	return (scheme?.[0] ?? '') + REDACTED;
}

/** Without user info, and values of parameters named like secrets. */
export function redactUrl(text: string): string {
	if (!text.includes('://') && !text.includes('=')) return text;
	return text
		.replace(/:\/\/[^/?#\s"<>]*@/g, `://${REDACTED}@`)
		.replace(/([?&;\s]|^)([^=&?#;\s"'<>]{1,200})=([^&#;\s"'<>\\]*)/g, (whole, before: string, name: string) => {
			const [decoded = name] = new URLSearchParams(name).keys();
			return isSecretName(decoded) ? `${before}${name}=${REDACTED}` : whole;
		});
}

/** Not checked yet: what is before an @ may be a password. */
export function redactBaseUrl(text: string): string {
	return text
		.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, (_, scheme = '') => `${scheme}${REDACTED}@`)
		.replace(/([?#]).+$/s, `$1${REDACTED}`);
}

/** JSON and forms, also cut off. */
export function redactBody(text: string): string {
	try {
		const value: unknown = JSON.parse(text);
		const clean = redact(value);
		return clean === value ? text : JSON.stringify(clean);
	} catch {
		return redactUrl(redactQuoted(text));
	}
}

/** Each `"name": value` with a secret's name. Where an object or a list begins, the rest is left out. */
function redactQuoted(text: string): string {
	const pairs = /("(?:[^"\\]|\\.){0,200}")(\s*:\s*)(?!null\b)("(?:[^"\\]|\\.)*(?:"|\\?$)|[^\s"{}[\],]+|[{[].*)/gs;
	return text.replace(pairs, (whole, name: string, colon: string) =>
		isSecretName(name.slice(1, -1)) ? `${name}${colon}"${REDACTED}"` : whole,
	);
}

/** Shorter ones would take ordinary words with them. */
const SHORTEST = 3;
/** Encodings of shorter ones turn up by chance. */
const SHORTEST_ENCODED = 6;
/** Shorter credentials of our own may be a word or an ID: redacting it would change a message, and reveal it. */
const SHORTEST_OWN = 8;

/** As PHP writes JSON. */
function escapeUnicode(json: string): string {
	return json.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** All the ways in which a message may repeat a text. */
function encodingsOf(text: string): string[] {
	const inJson = JSON.stringify(text).slice(1, -1);
	const base64 = Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, '');
	return [
		text,
		inJson,
		escapeUnicode(inJson),
		// A message that quotes JSON, printed as JSON.
		JSON.stringify(inJson).slice(1, -1),
		escapeHtml(text),
		encodeURIComponent(text),
		new URLSearchParams({ '': text }).toString().slice(1),
		base64,
		encodeURIComponent(base64),
	];
}

/** Short digits are in longer numbers by chance: part of an ID would be hidden, and the rest would tell the secret. */
function patternOf(spelling: string): string {
	const source = spelling.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	const isShortNumber = /^\d+$/.test(spelling) && spelling.length < SHORTEST_ENCODED;
	return isShortNumber ? `(?<!\\d)${source}(?!\\d)` : source;
}

type TextRedactor = (text: string) => string;

/** For many texts. @param own the caller's credentials @param sent secrets of the request */
export function createTextRedactor(own: readonly string[], sent: readonly string[] = []): TextRedactor {
	const secrets = [...own.filter((each) => each.length >= SHORTEST_OWN), ...sent];
	const found = secrets.flatMap((secret) => {
		if (secret.length < SHORTEST_ENCODED) return [secret];
		// Spaces are optional in application passwords, and cut at the ends of texts.
		return [secret, secret.trim(), secret.replaceAll(' ', '')].flatMap(encodingsOf);
	});
	const long = [...new Set(found)].filter((each) => each.length >= SHORTEST);
	// A shorter one may be inside.
	const spellings = long.sort((left, right) => right.length - left.length);
	if (spellings.length === 0) return redactUrl;
	const pattern = new RegExp(`(?:${spellings.map(patternOf).join('|')})(?:=|%3d)*`, 'gi');
	return (text) => {
		let clean = redactUrl(text).replace(pattern, REDACTED);
		if (!clean.includes('…')) return clean;
		// The text was cut, perhaps within a secret.
		for (const each of spellings) {
			for (let length = each.length - 1; length >= SHORTEST; length--) {
				clean = clean.replaceAll(`${each.slice(0, length)}…`, `${REDACTED}…`);
			}
		}
		return clean;
	};
}

/** Each text, and each number that is a secret. */
export function redactTexts(value: unknown, clean: TextRedactor, secrets: readonly string[] = []): unknown {
	if (typeof value === 'string') return clean(value);
	if (typeof value === 'number') return secrets.includes(String(value)) ? REDACTED : value;
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((each) => redactTexts(each, clean, secrets));
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, redactTexts(inner, clean, secrets)]));
}

/**
 * Removes our credentials from texts, and secrets of the request from everything. Data stays: a password may be an
 * ordinary word.
 * @param hasSecrets whether requests can have any
 */
export function createOutcomeRedactor(
	own: readonly string[],
	hasSecrets = true,
): <Said extends Partial<Outcome>>(outcome: Said, request: { sent?: unknown }) => Said {
	const cleanOwn = createTextRedactor(own);
	return (given, request) => {
		const sent = hasSecrets ? secretValues(request.sent) : [];
		const { code, message, reasons, warnings, body, differs } = given;
		const isData = given.outcome !== undefined && outcomes[given.outcome].written === true;
		if (isData && sent.length === 0 && (message ?? code ?? warnings ?? differs) === undefined) return given;
		const outcome = { ...given };
		const clean = sent.length === 0 ? cleanOwn : createTextRedactor(own, sent);
		if (code !== undefined) outcome.code = clean(code);
		// It may quote the response.
		if (message !== undefined) outcome.message = redactQuoted(clean(message));
		if (warnings !== undefined) outcome.warnings = warnings.map(clean);
		if (reasons !== undefined) outcome.reasons = redactTexts(reasons, clean) as typeof reasons;
		// A refusal's body is a message.
		const cleanData = isData ? createTextRedactor([], sent) : clean;
		if (body !== undefined && (!isData || sent.length > 0)) outcome.body = redactTexts(body, cleanData, sent);
		if (differs !== undefined) {
			outcome.differs = differs.map(({ field, ...values }) => {
				const kept = (value: unknown): unknown => redact({ [field]: redactTexts(value, cleanData, sent) })[field];
				return { field, sent: kept(values.sent), shown: kept(values.shown) };
			});
		}
		return outcome;
	};
}

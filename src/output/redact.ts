/**
 * Keeps secrets out of whatever is printed or kept: values under keys that are named like one, header lists, URLs, and
 * text that repeats a known secret. Which secrets are known comes with each call: those of the row's own request and
 * the caller's credentials. Nothing is remembered between rows.
 */

import { createSecretFinder, type SecretFinder } from './secret-finder.js';

/** What stands in a secret's place. */
export const REDACTED = '[redacted]';

/** Objects and lists nested deeper than this are cut, with a note in their place. */
const MAX_DEPTH = 200;
const TOO_DEEP = `[nested deeper than ${MAX_DEPTH} levels]`;

/** How many names a redactor remembers its verdict on, since a service chooses the names. */
const MAX_NAMES = 5_000;

/** Names that hold a secret wherever the word stands in them: `userpassword`, `X-Authorization`. */
const ANYWHERE = /passw(?:or)?d|passphrase|passcode|authori[sz]ation|credential|cookie|api[-_ ]?key/i;

/** Single words that mean a secret on their own or at the end: `user_pass`, `accessToken`, `clientsecret`. */
const WORD = /^(?:pass|pwd|otp|totp|jwt|nonce|bearer)$|(?:token|secret)s?$/;

/** A last word that describes a secret without being one: `secretSource`, `token_type`. */
const ABOUT = /^(?:sources?|store|storage|type|kind|location|expir[a-z]*|count|length|file|url|uri)$/;

/** `key` alone is harmless; after one of these it is not. */
const KEY_OWNER = /^(?:api|auth|access|private|secret|encryption|license|signing|session)$/;

function wordsOf(name: string): string[] {
	return name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.toLowerCase()
		.split(/[^a-z0-9]+/);
}

/** Whether a key, header, field or column is named like a secret. */
export function isSecretName(name: string): boolean {
	if (name.length > 200) return ANYWHERE.test(name);
	const words = wordsOf(name);
	if (ABOUT.test(words.at(-1) as string)) return false;
	if (ANYWHERE.test(name)) return true;
	return words.some((word, index) => {
		if (WORD.test(word)) return true;
		return (word === 'key' || word === 'id') && isOwnerOf(word, words[index - 1]);
	});
}

function isOwnerOf(word: string, owner: string | undefined): boolean {
	if (owner === undefined) return false;
	return word === 'id' ? owner === 'session' : KEY_OWNER.test(owner);
}

/** A value without its secrets; the same object where it holds none. */
export type Redactor = <T>(value: T) => T;

/** Sets a key even where its name is `__proto__`. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
	if (key === '__proto__') {
		Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
	} else {
		target[key] = value;
	}
}

/** Makes a redactor that remembers its verdict on the names it has met, for many rows with the same keys. */
export function createRedactor(): Redactor {
	const verdicts = new Map<string, boolean>();
	const ancestors: object[] = [];

	function isSecret(name: string): boolean {
		const known = verdicts.get(name);
		if (known !== undefined) return known;
		const verdict = isSecretName(name);
		if (verdicts.size < MAX_NAMES) verdicts.set(name, verdict);
		return verdict;
	}

	/** `{name: 'token', value: 'abc'}`: the name is in a value, as in custom fields and header lists. */
	function isSecretPair(value: Record<string, unknown>): boolean {
		return typeof value.name === 'string' && 'value' in value && isSecret(value.name);
	}

	function redactList(list: readonly unknown[]): readonly unknown[] {
		let copy: unknown[] | undefined;
		for (let index = 0; index < list.length; index++) {
			const value = list[index];
			if (typeof value !== 'object' || value === null) continue;
			const clean = walk(value);
			if (clean === value) continue;
			copy ??= [...list];
			copy[index] = clean;
		}
		return copy ?? list;
	}

	function redactObject(object: Record<string, unknown>): Record<string, unknown> {
		let copy: Record<string, unknown> | undefined;
		const pair = isSecretPair(object);
		for (const key in object) {
			if (!Object.hasOwn(object, key)) continue;
			const value = object[key];
			const secret = isSecret(key) || (pair && key !== 'name');
			const clean = secret
				? value === null || value === undefined
					? value
					: REDACTED
				: typeof value === 'object' && value !== null
					? walk(value)
					: value;
			if (clean === value) continue;
			if (copy === undefined) {
				copy = {};
				for (const each of Object.keys(object)) put(copy, each, object[each]);
			}
			put(copy, key, clean);
		}
		return copy ?? object;
	}

	function walk(value: object): unknown {
		if (ancestors.includes(value)) return '[circular]';
		if (ancestors.length >= MAX_DEPTH) return TOO_DEEP;
		ancestors.push(value);
		try {
			return Array.isArray(value) ? redactList(value) : redactObject(value as Record<string, unknown>);
		} finally {
			ancestors.pop();
		}
	}

	return <T>(value: T): T => (typeof value === 'object' && value !== null ? (walk(value) as T) : value);
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
	const open: { value: unknown; secret: boolean }[] = [{ value: sent, secret: false }];
	for (let each = open.pop(); each !== undefined; each = open.pop()) {
		const { value, secret } = each;
		if (typeof value === 'object' && value !== null) {
			const { name } = value as { name?: unknown };
			const isPair = typeof name === 'string' && 'value' in value && isSecretName(name);
			for (const [key, inner] of Object.entries(value)) {
				open.push({ value: inner, secret: secret || isSecretName(key) || (isPair && key !== 'name') });
			}
		} else if (secret && (typeof value === 'string' || typeof value === 'number')) {
			if (value !== '') found.add(String(value));
		}
	}
	return [...found];
}

/** Headers as a flat list of name, value, name, value, as an object, or as pairs → pairs fit for a log. */
export function redactHeaders(
	headers: readonly string[] | Readonly<Record<string, string | readonly string[] | undefined>>,
): [name: string, value: string][] {
	const pairs: [string, string][] = [];
	const add = (name: string, value: string): void => {
		pairs.push([name, isSecretName(name) ? redactHeaderValue(name, value) : redactUrls(value)]);
	};
	if (Array.isArray(headers)) {
		for (let index = 0; index + 1 < headers.length; index += 2) add(headers[index], headers[index + 1]);
		return pairs;
	}
	for (const [name, value] of Object.entries(headers as Record<string, string | readonly string[] | undefined>)) {
		for (const each of Array.isArray(value) ? value : value === undefined ? [] : [value as string]) add(name, each);
	}
	return pairs;
}

/** `Basic abc` keeps its scheme, which helps to see what was tried. */
function redactHeaderValue(name: string, value: string): string {
	const scheme = /^(?:proxy-)?authorization$/i.test(name) ? /^(basic|bearer|digest)\s/i.exec(value)?.[1] : undefined;
	return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
}

/** A URL without its user info, up to the last @ of the authority, and without the values of parameters named like a secret. */
export function redactUrl(url: string): string {
	return redactParameters(url.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/?#\s"<>]*@/gi, `$1${REDACTED}@`));
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

/** Every URL in a text. */
function redactUrls(text: string): string {
	return text.includes('://') || text.includes('=') ? redactUrl(text) : text;
}

/** `token=abc&x=1`, in a query string or a form: the values under secret names. */
function redactParameters(text: string): string {
	return text.replace(/([?&;\s]|^)([^=&?#;\s"'<>]{1,200})=([^&#;\s"'<>\\]*)/g, (whole, before: string, name: string) =>
		isSecretName(decodeName(name)) ? `${before}${name}=${REDACTED}` : whole,
	);
}

function decodeName(name: string): string {
	try {
		return decodeURIComponent(name.replaceAll('+', ' '));
	} catch {
		return name;
	}
}

/** The shortest secret that is looked for in text; a shorter one would take ordinary words with it. */
const SHORTEST = 3;

function finderFor(secrets: readonly string[]): SecretFinder | undefined {
	return createSecretFinder(secrets.filter((secret) => secret.length >= SHORTEST));
}

function redactFound(text: string, finder: SecretFinder | undefined): string {
	const clean = redactUrls(text);
	return finder?.mayHold(clean) === true ? finder.replace(clean, REDACTED) : clean;
}

/** A function for many texts that makes each free of the secrets, in any of their usual spellings. */
export function createTextRedactor(secrets: readonly string[]): (text: string) => string {
	const finder = finderFor(secrets);
	return (text) => redactFound(text, finder);
}

/** Text in which none of the secrets is left, in any of their usual spellings. */
export function redactText(text: string, secrets: readonly string[]): string {
	return redactFound(text, finderFor(secrets));
}

/** The shortest secret that can't be taken for a word, a name or an id. */
const SHORTEST_DISTINCT = 8;

/** A shorter secret may be an ordinary word or an id: redacting those would change the message, and reveal them. */
export function isDistinct(secret: string): boolean {
	return secret.length >= SHORTEST_DISTINCT;
}

/** A key, a code or a text of our own, in which a secret is found only where it can't be a word by chance. */
export function redactName(name: string, secrets: readonly string[]): string {
	return redactText(name, secrets.filter(isDistinct));
}

/** Texts by name, with the secrets taken out of the names alone. */
export function redactNames<T>(texts: Readonly<Record<string, T>>, secrets: readonly string[]): Record<string, T> {
	return Object.fromEntries(Object.entries(texts).map(([name, text]) => [redactName(name, secrets), text]));
}

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
		const copy: Record<string, unknown> = {};
		for (const [key, inner] of Object.entries(each)) put(copy, cleanKey(key), walk(inner, depth + 1));
		return copy;
	};
	return walk(value, 0);
}

const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i;

/** A request or response body for a log: JSON and forms lose the values under secret names, JSON that is cut off too. */
export function redactBody(text: string): string {
	const start = text.trimStart();
	if (!start.startsWith('{') && !start.startsWith('[')) return redactUrls(redactJsonText(text));
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
		if (!isSecretName(unescaped(match[1] as string))) continue;
		const start = names.lastIndex;
		names.lastIndex = endOfValue(text, start);
		if (text.slice(start, names.lastIndex) === 'null') continue;
		clean += `${text.slice(from, start)}"${REDACTED}"`;
		from = names.lastIndex;
	}
	return clean + text.slice(from);
}

function unescaped(name: string): string {
	try {
		return JSON.parse(`"${name}"`) as string;
	} catch {
		return name;
	}
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

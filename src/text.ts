/** How text is written: encodings, hidden characters, cells of CSV, capitals, HTML, durations and times. */

export const encodings = ['utf-8', 'utf-16le', 'utf-16be'] as const;

export type Encoding = (typeof encodings)[number];

/** As other tools write them; without a byte order mark, UTF-16 is nearly always that of Windows. */
const SPELLED: Readonly<Record<string, Encoding>> = {
	utf8: 'utf-8',
	utf16: 'utf-16le',
	utf16le: 'utf-16le',
	utf16be: 'utf-16be',
	unicode: 'utf-16le',
};

export function encodingNamed(text: string): Encoding | undefined {
	const name = text.toLowerCase().replace(/[\s_-]+/g, '');
	return Object.hasOwn(SPELLED, name) ? SPELLED[name] : undefined;
}

/** By the byte order mark. @param start the first bytes */
export function markedEncoding(start: Uint8Array): Encoding | undefined {
	const mark = Buffer.from(start.subarray(0, 3)).toString('hex');
	if (mark === 'efbbbf') return 'utf-8';
	if (mark.startsWith('fffe')) return 'utf-16le';
	return mark.startsWith('feff') ? 'utf-16be' : undefined;
}

/** Of a whole file or pipe, without its byte order mark. @throws TypeError */
export function decodedText(bytes: Uint8Array): string {
	return new TextDecoder(markedEncoding(bytes) ?? 'utf-8', { fatal: true }).decode(bytes);
}

/** What a terminal obeys or does not show, as the source of a regular expression, which takes 1 ms to compile. */
export const HIDDEN_CHARACTER =
	'[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Noncharacter_Code_Point}\\p{Default_Ignorable_Code_Point}]';

/** Most text, and quick to find. */
const PLAIN = /^[\x20-\x7e]*$/;

/** First what may stay: flags of regions, and joiners and variation selectors where scripts and emoji need them. */
const EACH_SOURCE = [
	'(\\u{1f3f4}[\\u{e0020}-\\u{e007e}]+\\u{e007f}',
	'(?<=[^\\x00-\\x7f\\u200b-\\u200f])[\\u200c\\u200d](?=[^\\x00-\\x7f\\u200b-\\u200f])',
	'(?<=\\p{Emoji})[\\ufe0e\\ufe0f]',
	'(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}])',
	HIDDEN_CHARACTER,
].join('|');

export const eachHidden = (): RegExp => new RegExp(EACH_SOURCE, 'gu');

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

export const hexOf = (point: number, width: number): string => point.toString(16).padStart(width, '0');

function escapeOne(character: string): string {
	const point = character.codePointAt(0) as number;
	if (point < 0x100) return SHORT[character] ?? `\\x${hexOf(point, 2)}`;
	return point < 0x10000 ? `\\u${hexOf(point, 4)}` : `\\u{${hexOf(point, 0)}}`;
}

/** One line; `\n`, `\x1b`, `\u202e` replace what is hidden, except inside emoji and scripts that need it. */
export function showHidden(text: string): string {
	if (PLAIN.test(text)) return text;
	return text.replace(eachHidden(), (character, kept?: string) => kept ?? escapeOne(character));
}

/** Everything but plain ASCII and single spaces, in quotes: for texts that look the same. */
export function escapeUnseen(text: string): string {
	const spaced = text.replace(/ {2,}/g, (spaces) => ` ${'\\x20'.repeat(spaces.length - 1)}`);
	const escaped = spaced.replace(/[^\x20-\x7e]/gu, escapeOne);
	return escaped.startsWith('"') ? escaped : `"${escaped}"`;
}

const HAS_QUOTE_OR_BREAK = /["\r\n]/;

/** One cell, in quotation marks where a reader needs them. */
function formatCell(cell: string, delimiter: string): string {
	const isPlain = !cell.includes(delimiter) && !HAS_QUOTE_OR_BREAK.test(cell) && cell.trim().length === cell.length;
	return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

/** A reader gives the same cells back: a formula stays a formula. */
export function formatCsvRecord(cells: readonly string[], delimiter = ','): string {
	// Readers skip empty lines.
	if (cells.length === 1 && cells[0] === '') return '""\n';
	return `${cells.map((cell) => (cell === '' ? cell : formatCell(cell, delimiter))).join(delimiter)}\n`;
}

/** `{raw, rendered}` as its raw text, lists with commas, other objects as JSON. */
export function cellText(value: unknown): string {
	if (value === null || value === undefined) return '';
	if (typeof value !== 'object') return String(value);
	if (Array.isArray(value)) {
		const isFlat = value.every((each) => typeof each !== 'object' || each === null);
		return isFlat ? value.map(cellText).join(',') : JSON.stringify(value);
	}
	const { raw, rendered }: { raw?: unknown; rendered?: unknown } = value;
	const text = [raw, rendered].find((each) => typeof each === 'string' || typeof each === 'number');
	return text === undefined ? JSON.stringify(value) : String(text);
}

export function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

export function escapeHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** `350 ms`, `3.4 s`, `42 s`, `4 min 12 s`, `2 h 5 min`. */
export function durationText(ms: number): string {
	if (ms < 1000) return `${Math.round(ms)} ms`;
	if (ms < 9950) return `${Number((ms / 1000).toFixed(1))} s`;
	const seconds = Math.round(ms / 1000);
	const parts = [
		[Math.floor(seconds / 3600), 'h'],
		[Math.floor((seconds % 3600) / 60), 'min'],
		[seconds % 60, 's'],
	] as const;
	const from = parts.findIndex(([value]) => value > 0);
	return parts
		.slice(from, from + 2)
		.filter(([value]) => value > 0)
		.map((part) => part.join(' '))
		.join(' ');
}

const DAY_MS = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };

/** `90m`, `1h30m`, `8w` → milliseconds. */
export function readDuration(text: string): number | undefined {
	const given = text.trim().toLowerCase();
	if (!/^(?:\d{1,7}(?:\.\d+)?[smhdw])+$/.test(given)) return undefined;
	let ms = 0;
	for (const [, count, unit = ''] of given.matchAll(/([\d.]+)([smhdw])/g)) ms += Number(count) * (UNIT_MS[unit] ?? 0);
	return ms;
}

const UNITS = [
	['y', 365 * 24 * 60],
	['mo', 30 * 24 * 60],
	['d', 24 * 60],
	['h', 60],
	['min', 1],
] as const;

/** `2 h ago`, `in 3 d`, `just now`. Both are milliseconds since 1970. */
export function relativeTime(ms: number, now: number): string {
	const minutes = Math.abs(now - ms) / 60_000;
	const unit = UNITS.find(([, least]) => minutes >= least);
	if (unit === undefined) return 'just now';
	const [name, least] = unit;
	const amount = `${Math.floor(minutes / least)} ${name}`;
	return ms > now ? `in ${amount}` : `${amount} ago`;
}

/** Of one object on a terminal: `2 h ago (2026-11-28 18:49 GMT)`. */
export function momentText(ms: number, now: number): string {
	const [day = '', time = ''] = new Date(ms).toISOString().split('T');
	return `${relativeTime(ms, now)} (${day} ${time.slice(0, 5)} GMT)`;
}

/**
 * `1,234`: every number of things that a person reads. Values in JSON and CSV, and commands, have bare digits. Not by
 * `toLocaleString`, whose first call loads the languages: 20 ms and 6 MB at each start.
 */
export function formatCount(count: number): string {
	return String(count).replace(/(?<!\.\d*)\B(?=(?:\d{3})+$)/g, ',');
}

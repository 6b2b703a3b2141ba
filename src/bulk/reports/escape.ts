/** Escaping: text inside a report can't become markup or a formula. */

import { HIDDEN_CHARACTER } from '../../text.js';

const HIDDEN = new RegExp(`${HIDDEN_CHARACTER}+`, 'gu');
const NOT_IN_XML = /[^\t\n\r\u{20}-\u{7E}\u{A0}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|\p{Bidi_Control}/gu;

/** Without what XML can't contain, and what controls a terminal or the direction of text. */
export function escapeXml(text: string): string {
	return text
		.replace(NOT_IN_XML, '\uFFFD')
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('>', '&gt;')
		.replaceAll('"', '&quot;')
		.replaceAll("'", '&#39;')
		.replaceAll('\n', '&#10;')
		.replaceAll('\r', '&#13;')
		.replaceAll('\t', '&#9;');
}

/** Hidden characters could reverse the text beside them. */
export function plainText(text: string, limit: number): string {
	const short = text.length > limit ? `${text.slice(0, limit)}…` : text;
	return short.replace(HIDDEN, ' ');
}

/** No markup, no mentions, no new cells. */
export function escapeMarkdown(text: string): string {
	return text
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;')
		.replaceAll('@', '&#64;')
		.replace(/[\\`*_{}[\]()#+!|~>]/g, '\\$&');
}

/** A spreadsheet runs a cell that begins so as a formula. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u;

/** A CSV cell for spreadsheets: an apostrophe in front makes a formula text; our own numbers stay numbers. */
export function spreadsheetCell(cell: string | number | undefined): string {
	return typeof cell === 'string' && FORMULA.test(cell) ? `'${cell}` : String(cell ?? '');
}

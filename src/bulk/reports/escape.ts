/** Escaping: text inside a report can't become markup. */

import { startOf } from '../../api/values.js';
import { escapeHtml, showHidden } from '../../text.js';

const NOT_IN_XML = /[^\t\n\r\u{20}-\u{7E}\u{A0}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]|\p{Bidi_Control}/gu;

function entity(character: string): string {
	return `&#${character.charCodeAt(0)};`;
}

/** Without what XML can't contain, and what controls a terminal or the direction of text. */
export function escapeXml(text: string): string {
	return escapeHtml(text.replace(NOT_IN_XML, '\uFFFD')).replace(/['\n\r\t]/g, entity);
}

/** No markup, no mentions, no new cells. */
export function escapeMarkdown(text: string): string {
	return text.replace(/[\\`*_{}[\]()#+!|~>]/g, '\\$&').replace(/[&<@]/g, entity);
}

/** One line; hidden characters, which could reverse the text beside them, are shown: `\u200b`. */
export function plainText(text: string, limit: number): string {
	return showHidden(text.length > limit ? `${startOf(text, limit)}…` : text);
}

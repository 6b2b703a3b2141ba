/** Control characters, which no setting has any use for. */

/** Spelled out: what `\p{Cc}` means is looked up in Unicode's tables at each start, which takes half a millisecond. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

export function hasControlCharacter(text: string): boolean {
	return CONTROL.test(text);
}

/** Texts of any code points, for property tests. */

import fc from 'fast-check';

const codePoint = fc.oneof(fc.nat(0xff), fc.nat(0xffff), fc.nat(0x10_ffff));

/** With halves of pairs, and controls. The unit `binary` of fast-check takes a second to begin with. */
export function textOf(maxLength = 20): fc.Arbitrary<string> {
	return fc.array(codePoint, { maxLength }).map((codes) => String.fromCodePoint(...codes));
}

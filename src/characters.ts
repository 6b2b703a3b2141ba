/** The one list of characters that a terminal obeys or does not show, for whoever prints or refuses text. */

/** Controls, formats (bidirectional marks among them), halves of surrogate pairs, line separators, and what has no glyph. */
export const hiddenCharacter = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** A command line as bash was given it → its words without their quotes, and where the one that is typed begins for readline. */

export interface TypedWord {
	/** Without quotes and backslashes. */
	text: string;
	/** The quotation mark that is still open. */
	quote: '"' | "'" | undefined;
	/** How much of `text` stands before what readline will replace: it breaks words at `=` and `:` too. */
	kept: number;
}

export interface TypedLine {
	/** Whole words before the one that is typed, the command's name first. */
	words: string[];
	current: TypedWord;
}

const BLANK = /\s/;

/** Reads a line up to the cursor. @param breaks the characters at which readline ends a word, as COMP_WORDBREAKS has them */
export function readTypedLine(line: string, breaks: string): TypedLine {
	const words: string[] = [];
	let text = '';
	let kept = 0;
	let quote: TypedWord['quote'];
	let inWord = false;
	/** The next word is where output goes to or input comes from, not an argument. */
	let redirected = false;

	function endWord(): void {
		if (inWord && !redirected) words.push(text);
		if (inWord) redirected = false;
		text = '';
		kept = 0;
		inWord = false;
	}

	for (let at = 0; at < line.length; at++) {
		const character = line[at] as string;
		if (quote !== undefined) {
			if (character === quote) quote = undefined;
			else if (character === '\\' && quote === '"' && /["\\$`]/.test(line[at + 1] ?? '')) text += line[++at];
			else text += character;
		} else if (character === '"' || character === "'") {
			quote = character;
			inWord = true;
			kept = text.length;
		} else if (character === '\\' && at + 1 < line.length) {
			text += line[++at];
			inWord = true;
		} else if (BLANK.test(character)) {
			endWord();
		} else if (character === '<' || character === '>') {
			if (/^\d*$/.test(text)) {
				text = '';
				inWord = false;
			}
			endWord();
			redirected = true;
		} else {
			text += character;
			inWord = true;
			// At an @ readline breaks the word too, but replaces it with what follows.
			if (breaks.includes(character)) kept = text.length - (character === '@' ? 1 : 0);
		}
	}
	return { words, current: { text, quote, kept } };
}

/** A value as it has to be typed behind what is there already. */
export function quoteForBash(text: string, quote: TypedWord['quote']): string | undefined {
	if (quote === "'") return text.includes("'") ? undefined : text;
	if (quote === '"') return text.replace(/["\\$`]/g, '\\$&');
	return text.replace(/[^A-Za-z0-9_@%+=:,./~-]/g, (character) => (character > '\x7f' ? character : `\\${character}`));
}

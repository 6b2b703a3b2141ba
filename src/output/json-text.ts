/** JSON as text: laid out anew to the letter, and searched for numbers that would not survive a parser. */

/** Strings, numbers, words and punctuation, without the blanks between them. @param json Valid JSON. */
function* tokensOf(json: string): Generator<string> {
	const word = /[^\s{}[\],:"]+/y;
	for (let at = 0; at < json.length; ) {
		const start = at;
		const character = json[at] as string;
		if (character === '"') at = endOfString(json, at);
		else {
			word.lastIndex = at;
			at += word.exec(json)?.[0].length ?? 1;
		}
		if (!/\s/.test(character)) yield json.slice(start, at);
	}
}

function endOfString(json: string, start: number): number {
	for (let at = start + 1; at < json.length; at++) {
		if (json[at] === '\\') at++;
		else if (json[at] === '"') return at + 1;
	}
	return json.length;
}

/** The same JSON, each token as it was: indented, or a line for each element of a list. */
export function layOut(json: string, isIndented: boolean): string {
	const isList = json.trimStart().startsWith('[');
	let text = '';
	let depth = 0;
	let last = '';
	const lineBreak = (): string => {
		if (isIndented) return `\n${'  '.repeat(depth)}`;
		return isList && depth < 2 ? '\n' : '';
	};
	for (const token of tokensOf(json)) {
		const wasOpened = last === '{' || last === '[';
		const breaks = wasOpened || last === ',';
		last = token;
		if (token === '}' || token === ']') {
			const isOuter = depth === 1;
			depth--;
			text += wasOpened || !(isIndented || isOuter) ? token : lineBreak() + token;
			continue;
		}
		if (breaks) text += lineBreak();
		if (token === '{' || token === '[') depth++;
		text += token === ':' && isIndented ? ': ' : token;
	}
	return text;
}

/** How much a JSON text says: less than before where a parser dropped the first of two values under a key. */
export function countTokens(json: string): number {
	let count = 0;
	for (const _ of tokensOf(json)) count++;
	return count;
}

/** The numbers of a JSON text, as they are written. */
function* numbersIn(json: string): Generator<string> {
	for (const token of tokensOf(json)) if (/^[-\d]/.test(token)) yield token;
}

/** Whether a parser and a printer would write some number in another way than it is written. */
export function hasOddNumber(json: string): boolean {
	for (const number of numbersIn(json)) if (String(Number(number)) !== number) return true;
	return false;
}

/** The first number that a parser takes for another one: with too many digits, or too large. */
export function inexactNumber(json: string): string | undefined {
	for (const number of numbersIn(json)) if (decimalOf(String(Number(number))) !== decimalOf(number)) return number;
	return undefined;
}

/** One spelling for each number: its digits without outer zeros, and the power of ten that they are to be taken by. */
function decimalOf(number: string): string | undefined {
	const [, sign, whole = '', fraction = '', power = '0'] =
		/^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
	const digits = whole + fraction;
	let [first, end] = [0, digits.length];
	while (digits[first] === '0') first++;
	while (end > first && digits[end - 1] === '0') end--;
	if (sign === undefined) return undefined;
	if (first === end) return '0';
	return `${sign}${digits.slice(first, end)}e${Number(power) - fraction.length + digits.length - end}`;
}

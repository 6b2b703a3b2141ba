/** Of two long texts what differs, with a few words around it: `…floor is on fire again…` → `…floor is on WATER again…`. */

/** Characters around a difference. */
const CONTEXT = 24;

/** Fewer characters are not worth an ellipsis. */
const SLACK = 16;

/** What both texts have is left out from this length on. */
const LEFT_OUT = 2 * CONTEXT + 8;

/** More pairs of words would take too long to compare. */
const MOST_PAIRS = 250_000;

interface Span {
	readonly from: number;
	readonly to: number;
}

interface Difference {
	readonly left: Span;
	readonly right: Span;
}

export function changedPart(left: string, right: string): [left: string, right: string] {
	const found = differencesIn(left, right);
	return [
		around(
			left,
			found.map((each) => each.left),
		),
		around(
			right,
			found.map((each) => each.right),
		),
	];
}

function around(text: string, spans: readonly Span[]): string {
	let shown = 0;
	let all = '';
	for (const { from, to } of spans) {
		const start = from - shown <= CONTEXT + SLACK ? shown : wordStart(text, from - CONTEXT);
		const end = text.length - to <= CONTEXT + SLACK ? text.length : wordEnd(text, to + CONTEXT);
		all += `${start > shown ? '…' : ''}${slice(text, start, end)}`;
		shown = end;
	}
	return shown < text.length ? `${all}…` : all;
}

/** A cut word could be read as another one; a long one is cut all the same. */
function wordStart(text: string, at: number): number {
	const word = /\S*$/.exec(text.slice(at - SLACK, at))?.[0] ?? '';
	return word.length < SLACK ? at - word.length : at;
}

function wordEnd(text: string, at: number): number {
	const word = /^\S*/.exec(text.slice(at, at + SLACK))?.[0] ?? '';
	return word.length < SLACK ? at + word.length : at;
}

function differencesIn(left: string, right: string): Difference[] {
	const most = Math.min(left.length, right.length);
	let start = 0;
	while (start < most && left[start] === right[start]) start++;
	let end = 0;
	while (end < most - start && left.at(-1 - end) === right.at(-1 - end)) end++;
	return split(left, right, {
		left: { from: start, to: left.length - end },
		right: { from: start, to: right.length - end },
	});
}

/** At the longest run of words that both have, as long as that is worth it. */
function split(left: string, right: string, whole: Difference): Difference[] {
	const words = { left: wordsIn(left, whole.left), right: wordsIn(right, whole.right) };
	const run = longestRun(words.left, words.right);
	if (run === undefined) return [whole];
	const { from, to } = run;
	return [
		{ left: { from: whole.left.from, to: from.left }, right: { from: whole.right.from, to: from.right } },
		{ left: { from: to.left, to: whole.left.to }, right: { from: to.right, to: whole.right.to } },
	]
		.filter((part) => part.left.from < part.left.to || part.right.from < part.right.to)
		.flatMap((part) => split(left, right, part));
}

interface Word extends Span {
	readonly text: string;
}

function wordsIn(text: string, { from, to }: Span): Word[] {
	const found = text.slice(from, to).matchAll(/\S+\s*|\s+/g);
	return [...found].map(({ 0: word, index }) => ({ text: word, from: from + index, to: from + index + word.length }));
}

/** By its characters. Undefined if it is too short. */
function longestRun(left: readonly Word[], right: readonly Word[]) {
	if (left.length * right.length > MOST_PAIRS) return undefined;
	let best = { length: LEFT_OUT - 1, left: -1, right: -1 };
	let above: number[] = [];
	for (const [row, word] of left.entries()) {
		const lengths = right.map(({ text }, at) => (text === word.text ? (above[at - 1] ?? 0) + text.length : 0));
		for (const [at, length] of lengths.entries()) if (length > best.length) best = { length, left: row, right: at };
		above = lengths;
	}
	const last = { left: left[best.left], right: right[best.right] };
	if (last.left === undefined || last.right === undefined) return undefined;
	const to = { left: last.left.to, right: last.right.to };
	return { from: { left: to.left - best.length, right: to.right - best.length }, to };
}

/** Never half of a character. */
export function slice(text: string, from: number, to: number): string {
	const isHalf = (at: number): boolean => (text.codePointAt(at - 1) ?? 0) > 0xffff;
	return text.slice(isHalf(from) ? from - 1 : from, isHalf(to) ? to + 1 : to);
}

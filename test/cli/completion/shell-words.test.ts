/** bash's line is read as bash reads it, and nothing of it is ever run. */

import { describe, expect, it } from 'vitest';
import { quoteForBash, readBashLine } from '../../../src/cli/completion/complete.js';

/** COMP_WORDBREAKS as bash has it by default. */
const BREAKS = ' \t\n"\'@><=;|&(:';
const read = (line: string) => readBashLine(line, BREAKS);

describe('words', () => {
	it.each([
		['supportctl tic', ['supportctl'], 'tic'],
		['supportctl ticket ', ['supportctl', 'ticket'], ''],
		['supportctl  "two words" x', ['supportctl', 'two words'], 'x'],
		["supportctl 'a\\b' x", ['supportctl', 'a\\b'], 'x'],
		['supportctl my\\ file.csv x', ['supportctl', 'my file.csv'], 'x'],
		['supportctl "a\\"b\\$c\\d" x', ['supportctl', 'a"b$c\\d'], 'x'],
		['supportctl a"b c"d', ['supportctl'], 'ab cd'],
		['supportctl "" x', ['supportctl', ''], 'x'],
		['supportctl $(rm -rf x) `y` x', ['supportctl', '$(rm', '-rf', 'x)', '`y`'], 'x'],
		['supportctl x\\', ['supportctl'], 'x\\'],
		['', [], ''],
	])('of %j', (line, words, current) => {
		const found = read(line);
		expect({ words: found.words, current: found.current.text }).toEqual({ words, current });
	});
});

describe('what readline replaces', () => {
	it.each([
		['supportctl --status=ho', '--status=ho', '--status='],
		['supportctl junit:re', 'junit:re', 'junit:'],
		['supportctl a:b=c', 'a:b=c', 'a:b='],
		['supportctl a\\:b', 'a:b', ''],
		['supportctl @fi', '@fi', ''],
		['supportctl x=@fi', 'x=@fi', 'x='],
		['supportctl "a=b', 'a=b', ''],
		['supportctl --x="my fi', '--x=my fi', '--x='],
		["supportctl 'a:b", 'a:b', ''],
		['supportctl plain', 'plain', ''],
	])('of %j leaves %j but for %j', (line, text, kept) => {
		const { current } = read(line);
		expect({ text: current.text, kept: current.text.slice(0, current.kept) }).toEqual({ text, kept });
	});

	it('is the whole word where bash was told not to break words', () => {
		expect(readBashLine('supportctl --status=ho', ' \t\n').current.kept).toBe(0);
	});
});

describe('a value behind what is typed', () => {
	it.each([
		['plain-1.csv', '', 'plain-1.csv'],
		['Ticket Id', '', 'Ticket\\ Id'],
		['$(touch x)', '', '\\$\\(touch\\ x\\)'],
		["it's;`a`&|<>*?[]{}~!#", '', "it\\'s\\;\\`a\\`\\&\\|\\<\\>\\*\\?\\[\\]\\{\\}~\\!\\#"],
		['größe', '', 'größe'],
		['a "b" $c `d` \\e', '"', 'a \\"b\\" \\$c \\`d\\` \\\\e'],
		['a $b', "'", 'a $b'],
		["it's", "'", undefined],
	] as const)('%j in %s is %j', (value, quote, typed) => {
		expect(quoteForBash(value, quote)).toBe(typed);
	});
});

import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { foldLines } from '../../src/output/fold.js';

const LONG =
	'error: row 3 (edits.csv line 4): column "Assigned To": user "jdeo" not found; did you mean "jdoe"? Nothing was sent.';
const SHOW = 'supportctl run show 20261128-144130-lm82b --outcome failed --outcome unknown --format csv';

describe('a message on a terminal', () => {
	it.each([20, 40, 60, 80])('breaks between words at %i columns', (columns) => {
		const lines = foldLines(`${LONG}\n`, columns).trimEnd().split('\n');
		expect(lines.every((line) => stringWidth(line) <= columns)).toBe(true);
		expect(lines.map((line) => line.trim()).join(' ')).toBe(LONG);
		expect(lines.slice(1).every((line) => line.startsWith('  '))).toBe(true);
	});

	it('keeps a command on a line of its own, if it fits there', () => {
		const said = 'Undo: supportctl run undo 20261128-144130-lm82b';
		expect(foldLines(`54 rows are not shown. ${said}\n`, 60)).toBe(
			'54 rows are not shown. Undo:\n  supportctl run undo 20261128-144130-lm82b\n',
		);
	});

	it('breaks a command that is longer as a shell reads it', () => {
		const folded = foldLines(`54 rows are not shown; list all 74: ${SHOW}\n`, 60);
		expect(folded.split('\n').every((line) => line.length <= 60)).toBe(true);
		const [, ...command] = folded.trimEnd().split('\n');
		expect(command.slice(0, -1).every((line) => line.endsWith(' \\'))).toBe(true);
		expect(folded.replaceAll(/ \\\n */g, ' ').replaceAll(/\n */g, ' ')).toContain(SHOW);
	});

	it('counts wide characters as two, and colors as none', () => {
		expect(foldLines(`\x1b[31merror:\x1b[39m ${'猫'.repeat(10)} ${'猫'.repeat(10)}`, 30)).toBe(
			`\x1b[31merror:\x1b[39m ${'猫'.repeat(10)}\n  ${'猫'.repeat(10)}`,
		);
	});

	it('that fits, redraws its line, or is of a log stays as it is', () => {
		const progress = `\r${'x '.repeat(60)}\x1b[K`;
		const log = `\x1b[2m>\x1b[22m {"title":"${'a '.repeat(30)}"}\n`;
		const given = ['short\nlines\n', progress, log];
		expect(given.map((text) => foldLines(text, 20))).toEqual(given);
	});

	it('does not break within a word that is too long for a line', () => {
		const url = `https://desk.example.com/${'a'.repeat(50)}`;
		expect(foldLines(`no API at ${url}: route not found`, 40)).toBe(`no API at\n  ${url}:\n  route not found`);
	});
});

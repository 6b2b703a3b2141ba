/** Command lines in the words of other tools, misspelled, or with flags in wrong places: each hint is a line that runs. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { flagsMeant, nouns, verbs } from '../../src/cli/words.js';
import { expectTaken, hintFor, wordsOf } from './wrong-lines.js';

const typed = readFileSync(fileURLToPath(new URL('wrong-lines.txt', import.meta.url)), 'utf8')
	.trimEnd()
	.split('\n')
	.map((line) => line.split(' →').map((part) => part.trim()) as [line: string, meant: string]);

test('the list is long, and most lines lead to a command', () => {
	expect(typed.length).toBeGreaterThan(300);
	expect(typed.filter(([, meant]) => meant === '').length).toBeLessThan(typed.length / 6);
});

test.each(typed)('%s → %s', async (line, meant) => {
	const hint = await hintFor(line.split(' '));
	const [, command = ''] = /(?:did you mean|custom fields): supportctl (.*)$/.exec(hint ?? '') ?? [];
	expect(hint).toBeDefined();
	expect(command.includes('NAME=VALUE') ? '' : command).toBe(meant);
	await expectTaken(line, hint);
});

/** Behind words of all tables. */
const behind = ['', '14', '14 15', '14 VIP', 'jose.kaya', 'edits.csv', 'list', '--status hold', '14 --state open'];

test.each([...verbs.keys()])('the verb %s leads to a valid command line, in any position', async (verb) => {
	for (const group of ['', 'ticket', 'user', 'reply', 'run', 'profile']) {
		for (const rest of behind) {
			const line = `${group} ${verb} ${rest}`.trim();
			await expectTaken(line, await hintFor(line.split(/ +/)));
		}
	}
});

test.each([...nouns.keys()])('the noun %s leads to a valid command line, in any position', async (noun) => {
	const lines = [noun, `${noun}s list`, `${noun} 14`, `show ${noun} 14`, `ticket ${noun} 14`, `delete ${noun} 14`];
	for (const line of lines) await expectTaken(line, await hintFor(line.split(' ')));
});

const commands = ['ticket list', 'ticket update 14', 'ticket update 14 --status hold', 'user list', 'run list'];

test.each([...flagsMeant.keys()])('the flag %s of other tools leads to a valid command line', async (flag) => {
	for (const command of [...commands, 'run show last', 'user delete 6 --reassign 2', 'login']) {
		for (const value of ['', ' x', ' 2026-03-01', ' status=hold', '=title']) {
			const line = `${command} ${flag}${value}`;
			await expectTaken(line, await hintFor(line.split(' ')));
		}
	}
});

test('a printed line is read as a shell does', () => {
	expect(wordsOf("supportctl ticket list --query '[0]'")).toEqual(['ticket', 'list', '--query', '[0]']);
});

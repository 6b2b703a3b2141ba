/** Complaints about the words behind a command: each in our words, whatever the words contain. */

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { defineCommand } from '../../src/cli/command.js';
import { options } from '../../src/cli/options/option.js';
import { outputOptions } from '../../src/cli/options/shared.js';
import { parseWords } from '../../src/cli/parse.js';
import { type Format, factsOf } from '../../src/output/formats.js';
import { asksForJson } from '../../src/output/sanitise.js';
import { runHere } from '../support/cli.js';

const command = defineCommand({
	arguments: [
		{ name: 'from', help: 'Where', required: true },
		{ name: 'to', help: 'Where to', required: true },
	],
	options: options('Test', [
		{ flags: '-c, --color <word>', help: 'Color', conflicts: ['plain'] },
		{ flags: '--plain', help: 'None' },
		{ flags: '--ticket-tag <word>', help: 'With a word of another tool', conflicts: ['no-news'] },
		{ flags: '--no-news', help: 'A flag that negates', conflicts: ['plain'] },
	]),
	run: async () => undefined,
});

function complaintOf(words: readonly string[]): object {
	try {
		return parseWords(command, ['tool', 'move'], words) ?? {};
	} catch (error) {
		return { ...(error as object), message: (error as Error).message };
	}
}

const flagsPage = 'run "supportctl tool move --help" to see the flags';
const page = 'run "supportctl tool move --help"';
const usage = `usage: supportctl tool move <from> <to>; ${page}`;

describe('a command line is rejected with our own message:', () => {
	test.each([
		[['a', 'b', "--it's"], { message: "unknown flag --it's", code: 'unknown_flag', hint: flagsPage }],
		[['a', 'b', '--blue=no'], { message: 'unknown flag --blue', code: 'unknown_flag', hint: flagsPage }],
		[[], { message: 'missing <from>', code: 'missing_argument', hint: usage }],
		[['a'], { message: 'missing <to> ("a" is the <from>)', code: 'missing_argument', hint: usage }],
		[
			['a', 'b', "it's 'so'", 'd'],
			{
				message: `unexpected argument "it's 'so'": supportctl tool move takes two arguments`,
				code: 'excess_argument',
				hint: page,
			},
		],
		[
			['a', 'b', '-c', '--plain'],
			{
				message: '-c needs a value before --plain',
				hint: 'if "--plain" is the value: -c=--plain',
			},
		],
		[['a', 'b', '-c'], { message: '--color needs a value', hint: '-c, --color <word>: Color' }],
		[
			['a', 'b', '--tag'],
			{ message: '--ticket-tag needs a value', hint: '--tag, --ticket-tag <word>: With a word of another tool' },
		],
		[
			['a', 'b', '--color', 'red', '--plain'],
			{ message: "--color can't be used with --plain", code: 'conflicting_flags', hint: flagsPage },
		],
		[
			['a', 'b', '--plain', '--no-news'],
			{ message: "--no-news can't be used with --plain", code: 'conflicting_flags', hint: flagsPage },
		],
	])('%j', (words, complaint) => {
		expect(complaintOf(words)).toMatchObject(complaint);
	});

	test('and a request for help is not an error', () => {
		expect(complaintOf(['--help'])).toEqual({});
	});
});

describe('a flag whose meaning became the default', () => {
	it.each(['--only-changed', '--snapshot', '--diff'])('%s is accepted, and help does not list it', async (flag) => {
		const line = `ticket update 14 --status hold --dry-run ${flag}`;
		const accepted = await runHere(line, { env: { SUPPORTCTL_BASE_URL: 'http://127.0.0.1:9' } });
		expect(accepted.stderr).not.toContain('unknown flag');
		for (const page of ['help flags', 'help ticket update', 'help ticket update --json']) {
			const { stdout } = await runHere(page);
			expect(stdout).toContain('status');
			expect(stdout).not.toMatch(new RegExp(`(^|[^-\\w])${flag}\\b`, 'm'));
		}
	});

	it('is never suggested for a mistyped flag', async () => {
		expect((await runHere('ticket update 14 --only-chaged')).stderr).not.toContain('--only-changed');
	});
});

it('--id-column is rejected with its replacement', async () => {
	const { exitCode, stderr } = await runHere('ticket update --input e.csv --id-column No');
	const says =
		'error: unknown flag --id-column\nhint: did you mean: supportctl ticket update --input e.csv --map No=id';
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(says)]);
});

describe('whether messages are JSON', () => {
	const spec = defineCommand({
		arguments: [{ name: 'ids', help: 'Which', required: false, variadic: true }],
		options: [
			...options('Test', [
				{ flags: '--note <text>', help: 'A text' },
				{ flags: '--title <text>', help: 'Another' },
			]),
			...outputOptions,
		],
		run: async () => undefined,
	});
	const words = fc.constantFrom(
		'--json',
		'--format',
		'json',
		'csv',
		'--format=ndjson',
		'--note',
		'--title',
		'--',
		'-q',
		'x',
	);

	test('is read from the words as from the flags, whatever stands where (property)', () => {
		let read = 0;
		fc.assert(
			fc.property(fc.array(words, { maxLength: 7 }), (line) => {
				let parsed: ReturnType<typeof parseWords>;
				try {
					parsed = parseWords(spec, ['tool', 'look'], line);
				} catch {
					return;
				}
				read++;
				const { format, json } = (parsed?.options ?? {}) as { format?: Format; json?: boolean };
				expect(asksForJson(line), line.join(' ')).toBe(json === true || factsOf(format).isJson);
			}),
			{ numRuns: 3000 },
		);
		expect(read).toBeGreaterThan(100);
	});
});

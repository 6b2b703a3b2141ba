/** Flags that stand before the command, and those that stand for one. */

import { expect, test } from 'vitest';
import { version } from '../../src/version.js';
import { runHere } from '../support/cli.js';

test.each(['--version', '-V', '--no-color --version', '--profile desk -V', '--version ticket update'])(
	'%s prints the version alone',
	async (line) => {
		expect(await runHere(line.split(' '))).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
	},
);

test.each([
	['--help ticket update', ['ticket', 'update']],
	['-h ticket update 14', ['ticket', 'update']],
	['--no-color --help ticket update', ['ticket', 'update']],
	['--help ticket', ['ticket']],
	['--help', []],
	['--json --help', []],
])('%s prints that help', async (line, words) => {
	expect(await runHere(line.split(' '))).toEqual(await runHere(['help', ...words]));
});

test('a flag that no command shares is named, with the nearest', async () => {
	expect(await runHere(['--versoin'])).toMatchObject({
		exitCode: 2,
		stderr: expect.stringContaining('unknown flag --versoin; did you mean "--version"?'),
	});
});

/** Flags that stand before a command and between its words, and those that stand for one. */

import { describe, expect, it, test } from 'vitest';
import { version } from '../../src/version.js';
import { runHere } from '../support/cli.js';
import { json, startRecorder } from '../support/recorder.js';

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

const UPDATE = ['update', '14', '--status', 'hold', '-q'];

describe('a shared flag', () => {
	it.each([
		['before the command', ['--timeout', '9', 'ticket', ...UPDATE]],
		['between its words', ['ticket', '--timeout', '9', ...UPDATE]],
		['with its value attached', ['ticket', '--timeout=9', ...UPDATE]],
		['that takes none', ['ticket', '-vv', ...UPDATE]],
		['on both sides of a word', ['--no-color', 'ticket', '--json', '--timeout', '9', ...UPDATE]],
	])('%s belongs to it: %j', async (_where, argv) => {
		const recorder = await startRecorder(json(200, { id: 14, status: 'hold' }));
		expect(await runHere(argv, { env: recorder.env })).toMatchObject({ exitCode: 0 });
		expect(recorder.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
			['POST', '/wp-json/support-api/v1/tickets/14', '{"status":"hold"}'],
		]);
	});

	it('stands between any two words of a command, and does there what it does behind them', async () => {
		const fields = { id: 14, custom_fields: { colour: 'red' } };
		const recorder = await startRecorder(json(200, fields));
		const behind = await runHere(['ticket', 'fields', 'get', '14', '--format', 'count'], { env: recorder.env });
		const between = ['ticket', '--format', 'count', 'fields', '--no-color', 'get', '14'];
		expect(behind).toMatchObject({ exitCode: 0, stdout: '1\n' });
		expect(await runHere(between, { env: recorder.env })).toEqual(behind);
		expect((await runHere(['run', '--json', 'list'])).stdout).toBe('[]\n');
	});
});

describe('a flag behind a group', () => {
	it.each([
		[['ticket', '--nope', ...UPDATE], 'unknown flag --nope', 'supportctl ticket --help lists the commands'],
		[['ticket', '--profle', 'x', ...UPDATE], 'unknown flag --profle; did you mean "--profile"?', ''],
		[
			['ticket', '--status', 'hold', 'update', '14'],
			'unknown flag --status',
			'a command takes its flags behind its name',
		],
		[['run', '--json', 'lsit'], 'unknown command \\"lsit\\" under \\"run\\"; did you mean \\"list\\"?', ''],
		[['ticket', '--profile', ...UPDATE], 'unknown command "14" under "ticket"', 'supportctl ticket --help'],
		[
			['ticket', '-v'],
			'"ticket" alone is no command; it goes on with one of update, delete, fields',
			'supportctl ticket --help',
		],
		[
			['--no-color', 'ticket', 'fields', '--profile', 'x'],
			'"ticket fields" alone is no command',
			'supportctl ticket fields --help',
		],
		[['ticket', '--', ...UPDATE], 'unknown flag --', 'supportctl ticket --help'],
	])('without a command is no success: %j', async (argv, message, hint) => {
		const recorder = await startRecorder();
		const { exitCode, stdout, stderr } = await runHere(argv, { env: recorder.env });
		expect({ exitCode, stdout, requests: recorder.requests }).toEqual({ exitCode: 2, stdout: '', requests: [] });
		expect(stderr).toContain(message);
		expect(stderr).toContain(hint);
	});

	it.each([
		[['ticket', '-h']],
		[['ticket', '--no-color', '--help']],
		[['--no-color', 'ticket']],
		[['ticket', '--help', 'x']],
	])('that asks for help gets the list of its commands: %j', async (argv) => {
		const { exitCode, stdout } = await runHere(argv);
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: (await runHere(['help', 'ticket'])).stdout });
	});
});

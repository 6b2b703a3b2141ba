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

test('version takes no argument, prints JSON where that is asked for, and has help', async () => {
	expect(await runHere(['version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
	expect(await runHere(['version', 'ticket'])).toMatchObject({
		...{ exitCode: 2, stdout: '' },
		stderr: 'error: unexpected argument "ticket": supportctl version takes none\n',
	});
	expect(JSON.parse((await runHere(['version', '--json'])).stdout)).toEqual({ version });
	expect(await runHere(['version', '--help'])).toEqual(await runHere(['help']));
});

test.each([
	['--help ticket update', ['ticket', 'update']],
	['-h ticket update 14', ['ticket', 'update']],
	['--no-color --help ticket update', ['ticket', 'update']],
	['--help ticket', ['ticket']],
	['--help', []],
	['--quiet --help', []],
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
			'"ticket" alone is not a command; it continues with one of update, edit, delete, fields',
			'supportctl ticket --help',
		],
		[
			['--no-color', 'ticket', 'fields', '--profile', 'x'],
			'"ticket fields" alone is not a command',
			'supportctl ticket fields --help',
		],
		[['ticket', '--', ...UPDATE], '"--status" is not an id', ''],
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

describe('a command line that says too much is refused, and nothing is sent:', () => {
	it.each([
		[['ticket', ...UPDATE, '--status', 'pending'], '--status is given twice'],
		[['--timeout', '9', 'ticket', ...UPDATE, '--timeout', '8'], '--timeout is given twice'],
		[['ticket', '--base-url', 'http://127.0.0.1:1', ...UPDATE, '--base-url=http://127.0.0.1:2'], '--base-url is given'],
		[['ticket', ...UPDATE, '-j', '1', '-j2'], '--concurrency is given twice'],
		[['user', 'delete', '7', '--reassign', '1', '--reassign', '2', '--yes'], '--reassign is given twice'],
		[['api', 'GET', 'tickets', '--field', 'id', '--field', 'title'], '--field is given twice'],
		[['doctor', 'foo'], 'unexpected argument "foo": supportctl doctor takes no arguments'],
		[['logout', 'a', 'b'], 'unexpected argument "b": supportctl logout takes one'],
		[['profile', 'list', 'x'], 'unexpected argument "x"'],
		[['run', 'list', 'x'], 'unexpected argument "x"'],
		[['run', 'resume', 'last', 'x'], 'unexpected argument "x"'],
		[['sandbox', 'x'], 'unexpected argument "x"'],
		[['ticket', ...UPDATE, '--json', '--format', 'csv'], "flag '--format <format>' cannot be used with flag '--json'"],
		[['--json', 'ticket', ...UPDATE, '--format', 'csv'], "flag '--format <format>' cannot be used with flag '--json'"],
		[['ticket', ...UPDATE, '--field', 'id', '--fields', 'id'], "'--field <name>' cannot be used with"],
		[['ticket', ...UPDATE, '--json', '--field', 'id'], "'--field <name>' cannot be used with"],
		[['ticket', ...UPDATE, '--field', 'id', '--format', 'csv'], "'--format <format>' cannot be used with"],
	])('%j', async (argv, message) => {
		const recorder = await startRecorder();
		const { exitCode, stdout, stderr } = await runHere(argv, { env: recorder.env });
		expect({ exitCode, stdout, requests: recorder.requests }).toEqual({ exitCode: 2, stdout: '', requests: [] });
		expect(argv.includes('--json') ? JSON.parse(stderr).error.message : stderr).toContain(message);
	});
});

describe('a command of another tool', () => {
	it.each([
		['ticket change 14', 'supportctl ticket update does that'],
		['ticket rm 14', 'supportctl ticket delete does that'],
		['profile ls', 'supportctl profile list does that'],
		['profile delete desk', 'supportctl profile remove does that'],
		['run view last', 'supportctl run show does that'],
		['run continue last', 'supportctl run resume does that'],
		['user verify ada', 'supportctl user check does that'],
		['tickets', 'supportctl ticket --help lists what there is'],
		['users', 'supportctl user --help lists what there is'],
		['ticket show 14', 'supportctl ticket get does that'],
		['ticket ls', 'supportctl ticket list does that'],
		['auth login', 'supportctl login does that'],
		['undo last', 'supportctl run undo does that'],
		['run logs', 'supportctl run show does that'],
		['me', 'supportctl whoami does that'],
		['ticket fields set 14 --severity high', '--set NAME=VALUE sets custom fields'],
		['ticket update 14 --set a=b', '--set NAME=VALUE sets custom fields'],
		['term update 5 --name x', 'missing <taxonomy> before 5: ticket_priority'],
		['ticket update 14 --status open', 'supportctl help statuses lists them'],
		['ticket update 14 --format jsn', 'did you mean "json"? it takes table, json'],
		['users list', 'supportctl user list does that'],
		['view 14', 'a command begins with what it is about: '],
		['edit 14', 'a command begins with what it is about: ticket update, '],
		['replies update 14 2', 'supportctl reply update does that'],
		['signin', 'supportctl login does that'],
	])('%s is named', async (line, hint) => {
		const { exitCode, stderr } = await runHere(line.split(' '));
		expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(hint) });
	});

	it.each(['ticket create', 'user new', 'term add', 'ticket fields create'])(
		'%s is not in the documented API',
		async (line) => {
			const { exitCode, stderr } = await runHere(line.split(' '));
			expect(exitCode).toBe(2);
			expect(stderr).toMatch(/the documented API has no request for it|unknown command/);
		},
	);
});

test.each([
	['--severity', 'high'],
	['--set', 'a=b'],
	['--colour', 'red'],
])('no other kind of flag is suggested for %s', async (flag, value) => {
	const { exitCode, stderr } = await runHere(['ticket', 'update', '14', flag, value]);
	expect(exitCode).toBe(2);
	expect(stderr).toContain(`unknown flag ${flag}\n`);
});

test.each(['--password', '--token', '--api-key', '--user-pass', '--secret'])(
	'%s says that secrets do not come from flags',
	async (flag) => {
		const { exitCode, stderr } = await runHere(['user', 'update', '7', flag, 'hunter2']);
		expect(exitCode).toBe(2);
		expect(stderr).toContain(
			`a secret never comes from a flag, where other users of the machine could read it: ${flag}\n`,
		);
		expect(stderr).not.toContain('hunter2');
	},
);

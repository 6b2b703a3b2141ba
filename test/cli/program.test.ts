/** Flags that stand before a command and between its words, and those that stand for one. */

import { describe, expect, it, test } from 'vitest';
import { version } from '../../src/version.js';
import { runHere } from '../support/cli.js';
import { done, json, startRecorder } from '../support/recorder.js';

test.each(['--version', '-V', '--no-color --version', '--profile desk -V', '--version ticket update'])(
	'%s prints the version alone',
	async (line) => {
		expect(await runHere(line.split(' '))).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
	},
);

test('version takes no argument, and prints JSON where that is asked for', async () => {
	expect(await runHere(['version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
	expect(await runHere(['version', 'ticket'])).toMatchObject({
		...{ exitCode: 2, stdout: '' },
		stderr: expect.stringContaining('unexpected argument "ticket": supportctl version takes no arguments'),
	});
	expect(JSON.parse((await runHere(['version', '--json'])).stdout)).toEqual({ version });
});

test.each([
	['-', 'unknown command "-"'],
	['ticket -', 'unknown command "-" under "ticket"'],
	['ticket -5', 'unknown command "-5" under "ticket"'],
	['user password - --yes', 'unknown command "-" under "user password"'],
])('%s is no flag: - stands for stdin, and -5 is a number', async (line, message) => {
	expect(await runHere(line)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(`error: ${message}\n`) });
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

test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
	'%s is treated as an ordinary word',
	async (word) => {
		for (const line of [word, `ticket ${word}`, `show user ${word}`, `ticket update ${word} --status hold`]) {
			const { exitCode, stderr } = await runHere(line);
			expect({ line, exitCode, stderr }).toEqual({ line, exitCode: 2, stderr: expect.stringContaining(word) });
			expect(stderr).not.toContain('unexpected error');
		}
	},
);

test('an unknown flag is named, with the nearest one', async () => {
	expect(await runHere(['--versoin'])).toMatchObject({
		exitCode: 2,
		stderr: 'error: unknown flag --versoin\nhint: did you mean: supportctl --version\n',
	});
});

test.each([
	['tickets -L 3', 'put flags after the command, such as: supportctl ticket list -L 3'],
	['replies 14', 'did you mean: supportctl reply list 14'],
	['reply 14 73', 'did you mean: supportctl reply get 14 73'],
	['tickets 14 15', 'did you mean: supportctl ticket get 14 15'],
	['ticket count', 'did you mean: supportctl ticket list --format count'],
	['auth login', 'did you mean: supportctl login\n'],
	['auth logout', 'did you mean: supportctl logout\n'],
	['ticket restore 41', 'did you mean: supportctl ticket update 41 --status queued'],
	['ticket list --newest', 'did you mean: supportctl ticket list --sort -id'],
	['ticket list --since 2026-03-01', 'did you mean: supportctl ticket list --created-after 2026-03-01'],
])('%s is refused with the command to type', async (line, hint) => {
	const { exitCode, stderr } = await runHere(line);
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

const UPDATE = ['update', '14', '--status', 'hold', '-q'];

describe('a shared flag', () => {
	it.each([
		['before the command', ['--timeout', '9', 'ticket', ...UPDATE]],
		['between its words', ['ticket', '--timeout', '9', ...UPDATE]],
		['with its value attached', ['ticket', '--timeout=9', ...UPDATE]],
		['that takes none', ['ticket', '-vv', ...UPDATE]],
		['on both sides of a word', ['--no-color', 'ticket', '--json', '--timeout', '9', ...UPDATE]],
	])('%s applies to the command: %j', async (_where, argv) => {
		const recorder = await startRecorder(done({ status: 'hold' }));
		expect(await runHere([...argv, '--no-snapshot'], { env: recorder.env })).toMatchObject({ exitCode: 0 });
		expect(recorder.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
			['POST', '/wp-json/support-api/v1/tickets/14', '{"status":"hold"}'],
		]);
	});

	it('stands between any two words of a command, and does there what it does behind them', async () => {
		const fields = { colour: { name: 'Colour', value: 'red' } };
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
		[['ticket', '--nope', ...UPDATE], 'unknown flag --nope', 'run "supportctl ticket --help"'],
		[
			['ticket', '--profle', 'x', ...UPDATE],
			'unknown flag --profle',
			'did you mean: supportctl ticket --profile x update 14',
		],
		[['ticket', '--status', 'hold', 'update', '14'], 'unknown flag --status', 'put flags after the command'],
		[['run', '--json', 'lsit'], 'unknown command \\"lsit\\" under \\"run\\"', 'did you mean: supportctl run list'],
		[['ticket', '--profile', ...UPDATE], 'unknown command "14" under "ticket"', 'supportctl ticket get 14'],
		[['ticket', '-v'], '"ticket" needs a command: update, edit, delete, fields', 'supportctl ticket --help'],
		[
			['--no-color', 'ticket', 'fields', '--profile', 'x'],
			'"ticket fields" needs a command: set, get',
			'supportctl ticket fields --help',
		],
		[['ticket', '--', ...UPDATE], 'invalid ID "--status"', ''],
	])('without a command fails: %j', async (argv, message, hint) => {
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
		[['tickets']],
		[['ticket', '--help', 'x']],
	])('that asks for help gets the list of its commands: %j', async (argv) => {
		const { exitCode, stdout } = await runHere(argv);
		expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: (await runHere(['help', 'ticket'])).stdout });
	});
});

describe('a command line with extra words is rejected, and nothing is sent:', () => {
	it.each([
		[['ticket', ...UPDATE, '--status', 'pending'], '--status was passed twice'],
		[['--timeout', '9', 'ticket', ...UPDATE, '--timeout', '8'], '--timeout was passed twice'],
		[
			['ticket', '--base-url', 'http://127.0.0.1:1', ...UPDATE, '--base-url=http://127.0.0.1:2'],
			'--base-url was passed twice',
		],
		[['ticket', ...UPDATE, '-j', '1', '-j2'], '--concurrency was passed twice'],
		[['user', 'delete', '7', '--reassign', '1', '--reassign', '2', '--yes'], '--reassign was passed twice'],
		[['api', 'GET', 'tickets', '--field', 'id', '--field', 'title'], '--field was passed twice'],
		[['doctor', 'foo'], 'unexpected argument "foo": supportctl doctor takes no arguments'],
		[['logout', 'a', 'b'], 'unexpected argument "b": supportctl logout takes one argument'],
		[['profile', 'list', 'x'], 'unexpected argument "x"'],
		[['run', 'list', 'x'], 'unexpected argument "x"'],
		[['run', 'resume', 'last', 'x'], 'unexpected argument "x"'],
		[['sandbox', 'x'], 'unexpected argument "x"'],
		[['ticket', ...UPDATE, '--no-snapshot', '--fields'], '--fields needs a value'],
		[['ticket', ...UPDATE, '--json', '--format', 'csv'], "--format can't be used with --json"],
		[['--json', 'ticket', ...UPDATE, '--format', 'csv'], "--format can't be used with --json"],
		[['ticket', ...UPDATE, '--field', 'id', '--fields', 'id'], "--field can't be used with --"],
		[['ticket', ...UPDATE, '--json', '--field', 'id'], "--field can't be used with --"],
		[['ticket', ...UPDATE, '--field', 'id', '--format', 'csv'], "--format can't be used with --field"],
	])('%j', async (argv, message) => {
		const recorder = await startRecorder();
		const { exitCode, stdout, stderr } = await runHere(argv, { env: recorder.env });
		expect({ exitCode, stdout, requests: recorder.requests }).toEqual({ exitCode: 2, stdout: '', requests: [] });
		expect(argv.includes('--json') ? JSON.parse(stderr).error.message : stderr).toContain(message);
	});
});

const missing = json(404, { code: 'rest_post_invalid_id', message: 'Invalid.', data: { status: 404 } });

describe('words of other tools run:', () => {
	it.each([
		['tickets list', 'ticket list'],
		['tickets ls', 'ticket list'],
		['ticket show 14', 'ticket get 14'],
		['users view 7', 'user get 7'],
		['ticket rm 14 --yes', 'ticket delete 14 --yes'],
		[
			'ticket update 14 --subject x --body=y --priority 21',
			'ticket update 14 --title x --content=y --ticket-priority 21',
		],
		[
			'ticket update 14 --tag 5 --channel 8 --customer 7',
			'ticket update 14 --ticket-tag 5 --ticket-channel 8 --author 7',
		],
		['ticket update 14 --add-tag 5', 'ticket update 14 --add-ticket-tag 5'],
		['ticket update 14 --remove-tag 5', 'ticket update 14 --remove-ticket-tag 5'],
		['ticket list --tag 5 -L 3', 'ticket list --ticket-tag 5 --limit 3'],
		['ticket update 14 --title --body', 'ticket update 14 --title=--body'],
		['runs ls', 'run list'],
		['run view last', 'run show last'],
		['profiles rm desk', 'profile remove desk'],
	])('%s is %s', async (theirs, ours) => {
		const sent = async (line: string): Promise<unknown> => {
			const recorder = await startRecorder(missing);
			const { stderr, ...run } = await runHere(line.split(' '), { env: recorder.env });
			// --tag says more: see below.
			const said = stderr.replace(/\d+ ms/, '').replace(/^--tag replaces .*\n/, '');
			return [run, said, recorder.requests.map(({ method, url, body }) => [method, url, body])];
		};
		expect(await sent(theirs)).toEqual(await sent(ours));
	});

	it('--tag says that it replaces all tags, and --add-tag says nothing', async () => {
		const { env } = await startRecorder(missing);
		const note = '--tag replaces all; to keep the others: --add-tag\n';
		expect((await runHere('ticket update 14 --tag 5', { env })).stderr).toContain(note);
		expect((await runHere('ticket update 14 --add-tag 5', { env })).stderr).not.toContain('replaces');
		expect((await runHere('ticket list --tag 5', { env })).stderr).not.toContain('replaces');
	});

	it('help shows our word alone', async () => {
		const { stdout } = await runHere('ticket update --help');
		expect(stdout).toContain('--ticket-priority');
		expect(stdout).not.toMatch(/--(?:priority|subject|tag|customer) /);
	});
});

describe('for other words the command to type is named:', () => {
	it.each([
		['show 14', 'ticket get 14'],
		['view 14', 'ticket get 14'],
		['edit 14', 'ticket edit 14'],
		['list', 'ticket list'],
		['ls', 'ticket list'],
		['list users', 'user list'],
		['get users 7', 'user get 7'],
		['show ticket 14', 'ticket get 14'],
		['close 14', 'ticket update 14 --state closed'],
		['ticket close 14 15', 'ticket update 14 15 --state closed'],
		['ticket assign 14 jdoe', 'ticket update 14 --assignee jdoe'],
		['search printer', 'ticket list --search printer'],
		['ticket change 14', 'ticket edit 14'],
		['issues ls', 'ticket list'],
		['comment list 14', 'reply list 14'],
		['media', 'attachment --help'],
		['profile switch desk', 'profile use desk'],
		['profile delete desk', 'profile remove desk'],
		['run continue last', 'run resume last'],
		['undo last', 'run undo last'],
		['run logs last', 'run show last'],
		['user verify ada', 'user check ada'],
		['tiket list', 'ticket list'],
		['tiket lst', 'ticket list'],
		['run lsit', 'run list'],
		['history', 'run list'],
		['status 14', 'ticket get 14'],
		['auth', 'login'],
		['me', 'whoami'],
		['ticket assign 14 a;b', "ticket update 14 --assignee 'a;b'"],
		['show 14 --password hunter2', 'ticket get 14'],
	])('%s → %s', async (line, command) => {
		const { exitCode, stderr } = await runHere(line.split(' '));
		expect({ exitCode, hint: /^hint: .*/m.exec(stderr)?.[0] }).toEqual({
			exitCode: 2,
			hint: `hint: did you mean: supportctl ${command}`,
		});
	});

	it.each([
		['ticket list --unassigned', 'ticket list --assignee none'],
		['ticket list --mine', 'ticket list --assignee @me'],
		['ticket list -o json', 'ticket list --format json'],
		['ticket update 14 --stauts hold', 'ticket update 14 --status hold'],
		['user list --priority 3', undefined],
	])('%s → %s', async (line, command) => {
		const { exitCode, stderr } = await runHere(line.split(' '));
		expect(exitCode).toBe(2);
		const hint = command === undefined ? 'run "supportctl user list --help"' : `did you mean: supportctl ${command}`;
		expect(stderr).toContain(`hint: ${hint}`);
	});

	it.each([
		['ticket fields set 14 --severity high', 'did you mean: supportctl ticket fields set 14 --set severity=high'],
		['ticket update 14 --set a=b', 'custom fields: supportctl ticket fields set 14 --set a=b'],
		['term update 5 --name x', 'missing <taxonomy> before 5: ticket_priority'],
		['term update - --name x', 'missing <taxonomy> before -: ticket_priority'],
		['ticket update 14 --status open', 'use --state'],
		['ticket update 14 --status trash', 'status "trash" is not set by updates; use the delete command'],
		['ticket update 14 --tags VIP', 'did you mean: supportctl ticket update 14 --add-ticket-tag VIP'],
		['term list priorities', 'did you mean "ticket_priority"? use ticket-tag, product'],
		['term list', 'missing <taxonomy>: ticket-tag, product, department'],
		['completion', 'missing <shell>: bash, zsh, fish, powershell'],
		['ticket update 14 --format jsn', 'did you mean "json"? use table, json'],
	])('%s is explained', async (line, hint) => {
		const { exitCode, stderr } = await runHere(line.split(' '));
		expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(hint) });
	});

	it.each(['ticket create', 'user new', 'term add'])('%s is not in the documented API', async (line) => {
		const { exitCode, stderr } = await runHere(line.split(' '));
		expect({ exitCode, stderr }).toEqual({
			exitCode: 2,
			stderr: expect.stringContaining('s: the API has no endpoint for it. Create them in your help desk.'),
		});
	});
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
	'%s is rejected because secrets are not passed as flags',
	async (flag) => {
		const { exitCode, stderr } = await runHere(['user', 'update', '7', flag, 'hunter2']);
		expect(exitCode).toBe(2);
		expect(stderr).toContain(`${flag} is not supported: flags are visible to other users\n`);
		expect(stderr).not.toContain('hunter2');
	},
);

test.each(['--password-stdin', '--password-prompt', '--secret-command'])(
	'%s of another command is an unknown flag, not a secret',
	async (flag) => {
		const { exitCode, stderr } = await runHere(['ticket', 'update', '7', flag]);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`unknown flag ${flag}\n`)]);
		expect(stderr).not.toContain('visible to other users');
	},
);

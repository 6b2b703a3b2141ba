/** What is offered at each place of a command line. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { taxonomies } from '../../../src/api/fields.js';
import { ticketStatuses } from '../../../src/api/statuses.js';
import { commands } from '../../../src/cli/manifest.js';
import { shownOptions } from '../../../src/cli/options/option.js';
import { formatNames as formats } from '../../../src/output/formats.js';
import { schemeNames } from '../../../src/profile/settings.js';
import { saveProfile } from '../../../src/profile/store.js';
import { runHere } from '../../support/cli.js';
import { startSandbox } from '../../support/sandbox.js';
import { temporaryFolder } from '../../support/temporary.js';

interface Place {
	cwd?: string;
	env?: Record<string, string>;
}

/** What fish gets at the end of these words: the first line, and the values. */
async function ask(words: readonly string[], place: Place = {}) {
	const { stdout, stderr, exitCode } = await runHere(['__complete', 'fish', ...words], place);
	expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
	const [kind, ...lines] = stdout.split('\n').slice(0, -1);
	return { kind, lines, values: lines.map((line) => line.split('\t')[0] as string) };
}
/** The words that commands of a group go on with. */
const wordsBehind = (group: string) => {
	const inGroup = commands.filter(({ words }) => words.join(' ').startsWith(`${group} `));
	return [...new Set(inGroup.map(({ words }) => words[group.split(' ').length]))];
};
const values = async (line: string, place: Place = {}) => (await ask(line.split(' '), place)).values;

describe('commands', () => {
	it('are offered word by word, with what they do', async () => {
		const { values: first, lines } = await ask(['']);
		expect(first).toEqual([...new Set(commands.map((entry) => entry.words[0])), 'help']);
		expect(lines).toContain('login\tSign in to a help desk');
		for (const group of ['ticket', 'ticket fields', 'user password']) {
			expect(await values(`${group} `)).toEqual(wordsBehind(group));
		}
	});

	it('are found behind flags that stand before them or between their words', async () => {
		expect(await values('--profile desk --json ticket fields ')).toEqual(wordsBehind('ticket fields'));
		expect(await values('--no-color --scheme ')).toEqual(schemeNames);
		expect(await values('term update -j4 ')).toEqual(await values('term update '));
		expect(await values('ticket --profile desk fields --json ')).toEqual(wordsBehind('ticket fields'));
		expect(await values('ticket --scheme ')).toEqual(schemeNames);
	});

	it('are not offered after an unknown word', async () => {
		expect(await values('tiket ')).toEqual([]);
		expect(await values('ticket updat ')).toEqual([]);
	});

	it('are what help is about, and so are its topics', async () => {
		expect(await values('help ')).toEqual(expect.arrayContaining(['ticket', 'login', 'bulk', 'exit-codes', 'safety']));
		expect(await values('help ticket fields ')).toEqual(wordsBehind('ticket fields'));
		expect(await values('help bulk ')).toEqual([]);
	});
});

describe('flags', () => {
	it('are those of the command, and not those that are there already', async () => {
		const all = await values('ticket update 14 --');
		expect(all).toEqual(
			expect.arrayContaining(['--status', '--ticket-tag', '--data', '--dry-run', '--profile', '--help']),
		);
		const left = await values('ticket update 14 --status hold -n --ticket-tag 3 --');
		for (const gone of ['--status', '--dry-run']) expect(left).not.toContain(gone);
		for (const there of ['--ticket-tag', '--title']) expect(left).toContain(there);
	});

	it('are offered if nothing else fits, but not after --', async () => {
		expect(await values('ticket update 14 ')).toContain('--status');
		expect(await values('ticket update -- ')).toEqual([]);
		expect(await values('ticket update -- --')).toEqual([]);
	});

	it.each(commands.map((entry) => entry.words.join(' ')))('of %s are all offered', async (name) => {
		const entry = commands.find((each) => each.words.join(' ') === name);
		const command = await (entry as NonNullable<typeof entry>).load();
		const flags = shownOptions(command.options).map((option) => /--[a-z0-9-]+/.exec(option.flags)?.[0]);
		expect(await values(`${name} --`)).toEqual([...flags, '--help']);
	});
});

describe('values', () => {
	it.each([
		['ticket update --status ', [...ticketStatuses]],
		['ticket update 14 --time-adjustments-type ', ['positive', 'negative', '+', '-']],
		['ticket update --format ', [...formats]],
		['ticket update --blank ', ['skip', 'clear']],
		['ticket update --format=', formats.map((format) => `--format=${format}`)],
		['user update --support-can-be-assigned ', ['true', 'false']],
		['term delete ', ['product', 'ticket_priority']],
		['term update ', ['ticket_priority']],
		['completion ', ['bash', 'zsh', 'fish', 'powershell']],
		['api ', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']],
		['api GET ', ['tickets', 'users', 'users/me', 'attachments', ...taxonomies]],
	])('of %j', async (line, expected) => {
		expect(await values(line)).toEqual(expected);
	});

	it('of a flag without a value are none', async () => {
		expect(await values('ticket update --dry-run=')).toEqual([]);
	});

	it('of free text are none, and no flags either', async () => {
		expect(await ask(['ticket', 'update', '--title', ''])).toEqual({ kind: 'words', lines: [], values: [] });
		expect(await values('ticket update --title=')).toEqual([]);
		for (const line of ['--content @no', '--report junit:o']) {
			expect(await ask(['ticket', 'update', ...line.split(' ')])).toEqual({ kind: 'words', lines: [], values: [] });
		}
	});
});

describe('paths are left to the shell', () => {
	it.each([
		['ticket update --input ', '', ''],
		['ticket update --input my', '', 'my'],
		['ticket update --input=my', '--input=', 'my'],
		['ticket update --ca-file ', '', ''],
	])('in %j', async (line, before, path) => {
		expect(await ask(line.split(' '))).toMatchObject({ kind: 'files', lines: [before, path] });
	});
});

describe('names of this machine', () => {
	it('are those of profiles, with their base URLs', async () => {
		const folder = temporaryFolder();
		const env = { SUPPORTCTL_CONFIG_DIR: folder };
		for (const name of ['desk', 'staging']) {
			await saveProfile({
				folder,
				name,
				settings: { baseUrl: `https://${name}.example/wp-json` },
				secret: { store: 'file', value: 'hunter2' },
				insecureStorage: true,
			});
		}
		const { lines } = await ask(['profile', 'use', ''], { env });
		expect(lines).toEqual(['desk\thttps://desk.example/wp-json', 'staging\thttps://staging.example/wp-json']);
		for (const line of [
			'ticket update --profile ',
			'ticket delete --confirm ',
			'logout ',
			'profile show ',
			'--profile ',
		]) {
			expect(await values(line, { env }), line).toEqual(['desk', 'staging']);
		}
		expect(await values('ticket update --profile=', { env })).toEqual(['--profile=desk', '--profile=staging']);
	});

	it('are none, and no error, where the profile file is damaged', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'config.json'), '{"profiles": [');
		expect(await values('ticket update --profile ', { env: { SUPPORTCTL_CONFIG_DIR: folder } })).toEqual([]);
	});

	it('are the ids of runs, the newest first', async () => {
		const state = temporaryFolder();
		mkdirSync(join(state, 'runs'));
		for (const id of ['20260101-000000-aaaaa', '20260202-000000-bbbbb'])
			writeFileSync(join(state, 'runs', `${id}.ndjson`), '');
		for (const line of ['run resume ', 'run show ', 'run rejects ', 'run undo ']) {
			expect(await values(line, { env: { SUPPORTCTL_STATE_DIR: state } }), line).toEqual([
				'last',
				'20260202-000000-bbbbb',
				'20260101-000000-aaaaa',
			]);
		}
	});
});

it('runs have their age, state and command, and those that can be resumed come first', async () => {
	const { env: own } = await startSandbox();
	const env = { ...own, SUPPORTCTL_STATE_DIR: temporaryFolder() };
	await runHere('ticket update 14 15 16 --title a --first 1', { env });
	await runHere('ticket update 14 15 --title b', { env });
	const lines = (await runHere(['__complete', 'fish', 'run', 'resume', ''], { env })).stdout.split('\n').slice(1, -1);
	expect(lines.map((line) => line.replace(/^.*\t/, '').replace(/^\S+-\S+, /, ''))).toEqual([
		'just now, finished, ticket update',
		'just now, stopped, ticket update',
		'just now, finished, ticket update',
	]);
});

describe('each shell gets its own format:', () => {
	const bash = async (...words: string[]) =>
		(await runHere(['__complete', 'bash', ...words])).stdout.split('\n').slice(0, -1);

	it.each([
		[['tick'], ['ticket']],
		[['ticket', 'update', '--title', '"two words"', '--status', 'ho'], ['hold']],
		[['ticket', 'update', '--status', '"ho'], ['hold']],
		[['ticket', 'update', '--status=ho'], ['--status=hold']],
		[['ticket', 'update', '--status', '=', 'ho'], ['--status=hold']],
		[
			['ticket', 'update', '--blank', '='],
			['--blank=skip', '--blank=clear'],
		],
		[['ticket', 'update', '--title', 'a', ':', 'b', '--status', 'ho'], ['hold']],
	])('bash from words that it broke at = and :, as in %j', async (words, offered) => {
		expect(await bash(...words)).toEqual(['words', ...offered]);
	});

	it('bash completes paths itself', async () => {
		expect((await bash('ticket', 'update', '--input', '=', 'dir/a', '=', 'b'))[0]).toBe('files');
	});

	it('none gets a value that it would have to quote, such as a name in a profile file that was edited by hand', async () => {
		const folder = temporaryFolder();
		const names = ['two words', '$(touch x)', 'two\nlines', 'esc\x1b[31m', 'desk-1'];
		const profiles = Object.fromEntries(names.map((name) => [name, {}]));
		writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
		const env = { SUPPORTCTL_CONFIG_DIR: folder };
		for (const shell of ['bash', 'zsh', 'fish']) {
			const { stdout } = await runHere(['__complete', shell, 'profile', 'use', ''], { env });
			expect(stdout).toBe('words\ndesk-1\n');
		}
	});

	it('PowerShell from words on stdin, matched whatever their case', async () => {
		const complete = async (...words: string[]) =>
			(await runHere(['__complete', 'powershell'], { input: `${words.join('\r\n')}\r\n` })).stdout;
		expect(await complete('ticket', 'update', '--status', 'HO')).toBe('words\nhold\n');
		expect(await complete('ticket', 'update', '--status', '')).toContain('\nhold\n');
		expect(await complete('tick')).toMatch(/^words\nticket\t.+\n$/);
	});

	it('zsh with a colon behind the value', async () => {
		const { stdout } = await runHere(['__complete', 'zsh', 'att']);
		expect(stdout).toMatch(/^attachment:update, edit, list, get, history$/m);
	});
});

describe('completion', () => {
	it.each([
		['bash', /^complete -F _supportctl supportctl$/m],
		['zsh', /^#compdef supportctl$/m],
		['fish', /^complete -c supportctl /m],
		['powershell', /^Register-ArgumentCompleter -Native -CommandName supportctl/m],
	])('%s prints its script', async (shell, pattern) => {
		const { exitCode, stdout, stderr } = await runHere(['completion', shell]);
		expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
		expect(stdout).toMatch(pattern);
	});

	it.each([
		[[], /missing <shell>/],
		[['bahs'], /"bahs" is not allowed; did you mean "bash"\? use bash, zsh, fish, powershell/],
		[['bash', 'zsh'], /unexpected argument "zsh": supportctl completion takes one argument/],
	])('%j is a usage error', async (argv, message) => {
		const { exitCode, stdout, stderr } = await runHere(['completion', ...argv]);
		expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
		expect(stderr).toMatch(message);
	});

	it('the hidden command that scripts call is not listed in help', async () => {
		for (const argv of [['--help'], ['help', 'completion']])
			expect((await runHere(argv)).stdout).not.toContain('__complete');
	});
});

describe('the plans of run apply', () => {
	it('are those of the folder, with their age, command and note', async () => {
		const { env } = await startSandbox();
		const cwd = temporaryFolder();
		mkdirSync(join(cwd, 'plans'));
		writeFileSync(join(cwd, 'edits.csv'), 'id,status\n14,hold\n');
		for (const [file, note] of [
			['plans/july.plan', 'clean-up'],
			['hold.plan', 'for Anna'],
		] as const) {
			const words = ['ticket', 'update', '14', '--status', 'hold', '--plan', file, '--note', note];
			expect((await runHere(words, { env, cwd })).exitCode).toBe(0);
		}
		expect((await ask(['run', 'apply', ''], { cwd })).lines).toEqual([
			expect.stringMatching(/^hold\.plan\t.*, ticket update, for Anna$/),
		]);
		expect(await values('run apply plans/j', { cwd })).toEqual(['plans/july.plan']);
	});

	it('give way to all files where there are none', async () => {
		expect(await ask(['run', 'apply', ''], { cwd: temporaryFolder() })).toMatchObject({ kind: 'files' });
	});
});

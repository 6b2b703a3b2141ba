import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandSpec } from '../../../src/cli/command.js';
import { command as doctor } from '../../../src/cli/commands/doctor.js';
import { list, logout, path, remove, rename, set, show, use } from '../../../src/cli/commands/profile.js';
import { longName } from '../../../src/cli/options/option.js';
import { settingSpecs } from '../../../src/profile/settings.js';
import type { Store } from '../../../src/profile/store.js';
import type { MemoryOptions } from '../../support/context.js';
import { runCommand } from '../../support/run-command.js';
import { scriptedPrompts } from '../../support/scripted-prompts.js';
import { temporaryFolder } from '../../support/temporary.js';

const commands: Record<string, CommandSpec> = { list, path, remove, rename, set, show, use };
const SECRET = 'hunter2 äß:%"';

/** A config folder and the commands on it. */
function desk() {
	const folder = temporaryFolder();
	const file = join(folder, 'config.json');
	const run = (words: string, argv: string[] = [], options: MemoryOptions = {}) =>
		runCommand(words === 'logout' ? logout : (commands[words.split(' ')[1] as string] as CommandSpec), words, argv, {
			...options,
			env: { SUPPORTCTL_CONFIG_DIR: folder, ...options.env },
		});
	return {
		folder,
		file,
		run,
		stored: () => JSON.parse(readFileSync(file, 'utf8')) as Store,
		/** Stores a profile with a secret in the file. */
		make(name: string, ...more: string[]) {
			const url = `https://${name}.example.com/wp-json/`;
			const flags = ['--username', 'anna', '--password-stdin', '--insecure-storage'];
			return run('profile set', [name, '--base-url', url, ...flags, ...more], { stdin: `${SECRET}\n` });
		},
	};
}

it('each setting of a profile has a flag of profile set', () => {
	const flags = set.options.map((option) => `--${longName(option)}`);
	expect(settingSpecs.map(({ flag }) => flag).filter((flag) => !flags.includes(flag))).toEqual([]);
});

describe('profile set', () => {
	it('stores base URL, username and secret as they were given, at 0600', async () => {
		const { make, stored, file } = desk();
		expect((await make('live')).exitCode).toBe(0);
		expect(stored().profiles.live).toEqual({
			baseUrl: 'https://live.example.com/wp-json',
			username: 'anna',
			secret: { store: 'file', value: SECRET, origin: 'https://live.example.com' },
		});
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});

	it('keeps --format for later commands, and takes a rate however small', async () => {
		const { run, stored } = desk();
		const set = await run('profile set', ['live', '--format', 'count', '--rate', '0.0001']);
		expect(set).toMatchObject({ exitCode: 0, stdout: '' });
		expect(stored().profiles.live).toEqual({ format: 'count', rate: 0.0001 });
	});

	it('stores defaults and guards, and forgets them again', async () => {
		const { run, stored, folder } = desk();
		writeFileSync(join(folder, 'ca.pem'), '');
		const argv =
			'--concurrency 9 --rate 2.5 --timeout 7 --format json --protected --ca-file ca.pem --shop-prefix store';
		await run('profile set', ['live', ...argv.split(' ')], { cwd: folder });
		expect(stored().profiles.live).toEqual({
			concurrency: 9,
			rate: 2.5,
			timeout: 7,
			format: 'json',
			protected: true,
			caFile: join(folder, 'ca.pem'),
			shopPrefix: 'store',
		});
		await run('profile set', 'live --no-protected --unset rate --unset ca-file --unset format'.split(' '));
		expect(stored().profiles.live).toEqual({ concurrency: 9, timeout: 7, protected: false, shopPrefix: 'store' });
	});

	it.each([
		[['../x', '--timeout', '5'], /invalid profile name/],
		[['live'], /nothing to set/],
		[[], /missing <name>/],
		[['live', '--timeout', '0'], /--timeout: "0" is not/],
		[['live', '--concurrency', 'many'], /--concurrency: "many" is not a whole number/],
		[['live', '--scheme', 'digest'], /--scheme: "digest" is not allowed; use basic, bearer/],
		[['live', '--product-prefix', 'a b'], /--product-prefix: "a b" is not/],
		[['live', '--base-url', 'http://live.example.com'], /unencrypted/],
		[['live', '--secret-command', ''], /--secret-command is empty/],
		[['live', '--header-name', 'X Key'], /--header-name: "X Key" is not a header name/],
		[['live', '--unset', 'tiemout'], /--unset: "tiemout" is not allowed; did you mean "timeout"\? use base-url, /],
	])('refuses %j and stores nothing', async (argv, message) => {
		const { run, folder } = desk();
		const { exitCode, error } = await run('profile set', argv);
		expect(error?.message).toMatch(message);
		expect(exitCode).toBe(2);
		expect(readdirSync(folder)).toEqual([]);
	});

	it('lets http through only with --allow-http', async () => {
		const { run, stored } = desk();
		await run('profile set', ['lan', '--base-url', 'http://desk.lan/', '--allow-http']);
		expect(stored().profiles.lan).toMatchObject({ baseUrl: 'http://desk.lan', allowHttp: true });
	});
});

describe('profile list', () => {
	it('marks the one in use and shows no secret in any format', async () => {
		const { make, run } = desk();
		await make('live');
		await make('staging', '--protected');
		const { stdout } = await run('profile list');
		expect(stdout).toBe(
			'*\tlive\thttps://live.example.com/wp-json\tbasic\tanna\tprofile file\tfalse\n' +
				'\tstaging\thttps://staging.example.com/wp-json\tbasic\tanna\tprofile file\ttrue\n',
		);
		for (const format of ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml']) {
			expect((await run('profile list', ['--format', format])).stdout).not.toContain('hunter2');
		}
		expect((await run('profile list', ['--field', 'profile'])).stdout).toBe('live\nstaging\n');
	});

	it('marks the profile that commands use, and says what selected it', async () => {
		const { make, run } = desk();
		await make('live');
		await make('two');
		const list = async (argv: string[], env: Record<string, string> = {}) => {
			const { exitCode, stdout, stderr } = await run('profile list', ['--json', ...argv], { env });
			expect(exitCode).toBe(0);
			const rows = JSON.parse(stdout) as { profile: string; current: boolean; chosen_by: string | null }[];
			const notice = stderr === '' ? '' : Object.values(JSON.parse(stderr)).join();
			return { marked: rows.map(({ profile, current, chosen_by }) => [profile, current, chosen_by]), stderr: notice };
		};
		const plain = [
			['live', true, 'current'],
			['two', false, null],
		];
		const nothing = plain.map(([profile]) => [profile, false, null]);
		const other = (by: string) => [
			['live', false, null],
			['two', true, by],
		];
		const by = 'SUPPORTCTL_PROFILE';
		const elsewhere = { SUPPORTCTL_BASE_URL: 'https://elsewhere.example.com' };
		for (const [argv, env, marked, stderr] of [
			[[], {}, plain, ''],
			[[], { [by]: 'two' }, other(by), `Using "two" (${by}).`],
			[['--profile', 'two', '-q'], { [by]: 'live' }, other('--profile'), ''],
			[[], { [by]: 'live' }, [['live', true, by], plain[1]], ''],
			[[], { [by]: 'tow' }, nothing, `Using "tow" (${by}).`],
			[[], elsewhere, nothing, 'Profile "live" is not used: SUPPORTCTL_BASE_URL points to a different host.'],
		] as const) {
			expect(await list([...argv], env)).toEqual({ marked, stderr });
		}
		await run('profile remove', ['live', '--yes']);
		expect(await list([], { SUPPORTCTL_PROFILE: 'two' })).toEqual({
			marked: [['two', true, 'SUPPORTCTL_PROFILE']],
			stderr: 'Using "two" (SUPPORTCTL_PROFILE).',
		});
		const { stdout } = await run('profile list', [], { env: { SUPPORTCTL_PROFILE: 'two' } });
		expect(stdout).toMatch(/^\*\ttwo\t/);
	});

	it('says how to start without a profile', async () => {
		const { exitCode, stderr } = await desk().run('profile list');
		expect({ exitCode, stderr }).toEqual({
			exitCode: 0,
			stderr: 'No profiles yet. Create one: supportctl login\n',
		});
	});

	it.each([
		[60, 'https://live.example.co…', 'https://staging.example…'],
		[80, 'https://live.example.com/wp-json   ', 'https://staging.example.com/wp-json'],
	])('is a table of %d columns', async (columns, live, staging) => {
		const { run, make } = desk();
		await make('live');
		await make('staging');
		const space = ' '.repeat(live.length - 'base_url'.length);
		expect((await run('profile list', [], { columns, env: { NO_COLOR: '1' } })).stdout).toBe(
			[
				`   PROFILE  BASE_URL${space}  USERNAME  STORED_IN`,
				`*  live     ${live}  anna      profile file`,
				`   staging  ${staging}  anna      profile file`,
				'',
			].join('\n'),
		);
	});

	it('shows scheme and protection on a terminal if they differ from the defaults, and always to programs', async () => {
		const { run, make } = desk();
		await make('live', '--protected');
		await make('staging');
		await run('profile set', ['open', '--scheme', 'none']);
		expect((await run('profile list', [], { columns: 120, env: { NO_COLOR: '1' } })).stdout).toBe(
			[
				'   PROFILE  BASE_URL                             USERNAME  STORED_IN     SCHEME  PROTECTED',
				'*  live     https://live.example.com/wp-json     anna      profile file  basic   true',
				'   staging  https://staging.example.com/wp-json  anna      profile file  basic   false',
				'   open                                                    nowhere       none    false',
				'',
			].join('\n'),
		);
		const keys = ['current', 'profile', 'base_url', 'scheme', 'username', 'stored_in', 'protected'];
		const csv = await run('profile list', ['--format', 'csv'], { columns: 80 });
		expect(csv.stdout.split('\n')[0]).toBe(keys.join());
		expect(Object.keys(JSON.parse((await run('profile list', ['--json'])).stdout)[0])).toEqual([...keys, 'chosen_by']);
	});
});

describe('--format ids', () => {
	it('prints the name of the profile that a command is about', async () => {
		const { make, run, file } = desk();
		await make('live');
		await make('staging');
		const ids = async (words: string, ...argv: string[]) => {
			const { stdout, exitCode } = await run(words, [...argv, '--format', 'ids']);
			expect({ words, exitCode }).toEqual({ words, exitCode: 0 });
			return stdout;
		};
		expect(await ids('profile list')).toBe('live\nstaging\n');
		expect(await ids('profile show')).toMatch(/^profile\nconfig-file\n/);
		expect(await ids('profile show', '--query', "[?setting=='username']")).toBe('username\n');
		expect(await ids('profile use', 'staging')).toBe('staging\n');
		expect(await ids('logout', 'staging')).toBe('staging\n');
		expect(await ids('profile remove', 'live', '--yes')).toBe('live\n');
		expect(await ids('profile path')).toBe(`${file}\n`);
	});
});

describe('profile show', () => {
	const rows = (stdout: string) =>
		Object.fromEntries(
			(JSON.parse(stdout) as { setting: string; value: unknown; source: string }[]).map((row) => [
				row.setting,
				[row.value, row.source],
			]),
		);

	it('names each value in force and where it came from, and where the secret lives', async () => {
		const { make, run } = desk();
		await make('live', '--rate', '5');
		const env = { SUPPORTCTL_USERNAME: 'anna' };
		const { stdout } = await run('profile show', ['--json', '--timeout', '9'], { env });
		expect(rows(stdout)).toMatchObject({
			profile: ['live', 'current'],
			'base-url': ['https://live.example.com/wp-json', 'profile live'],
			username: ['anna', 'environment SUPPORTCTL_USERNAME'],
			timeout: [9, 'flag --timeout'],
			rate: [5, 'profile live'],
			'shop-prefix': ['shop', 'default'],
			password: ['set', 'profile file (profile live)'],
		});
		expect(stdout).not.toContain('hunter2');
	});

	it('says that a stored secret is not used, and why, when another host or a variable comes first', async () => {
		const { make, run } = desk();
		await make('live');
		const other = await run('profile show', ['live', '--json', '--base-url', 'https://other.example.com']);
		expect(rows(other.stdout).password).toEqual([
			'not used',
			'the secret stored in profile "live" is for https://live.example.com',
		]);
		const env = { SUPPORTCTL_PASSWORD: 'from-env-secret' };
		const variable = await run('profile show', ['--json'], { env });
		expect(rows(variable.stdout).password).toEqual(['set', 'environment SUPPORTCTL_PASSWORD']);
		expect(variable.stdout).not.toContain('from-env-secret');
	});

	it('does not show a secret command, which may hold a secret', async () => {
		const { run } = desk();
		await run('profile set', ['live', '--username', 'anna', '--secret-command', 'echo hunter2']);
		const { stdout } = await run('profile show', ['live']);
		expect(stdout).toContain('secret command');
		expect(stdout).not.toContain('hunter2');
		expect((await run('logout')).stderr).toBe('Signed out of profile "live": removed its secret (secret command).\n');
	});

	it.each([
		[0o640, 'read', '0640'],
		[0o604, 'read', '0604'],
		[0o620, 'change', '0620'],
		[0o606, 'change', '0606'],
	])('warns at each use of a file that others can read or change: %o', async (mode, can, octal) => {
		const { make, run, file } = desk();
		await make('live');
		chmodSync(file, mode);
		const warning = new RegExp(`^warning: other users can ${can} .*\\(mode ${octal}\\); fix: chmod 600`);
		for (const words of ['profile show', 'profile list']) expect((await run(words)).stderr).toMatch(warning);
	});
});

describe('a column that no profile and no setting has', () => {
	it.each(['profile list', 'profile show', 'profile path'])(
		'is refused by %s before a line is printed',
		async (words) => {
			const { make, run } = desk();
			await make('live');
			for (const flag of ['--fields', '--field']) {
				expect(await run(words, [flag, 'nope'])).toMatchObject({
					exitCode: 2,
					stdout: '',
					error: { message: 'no row has a column "nope"' },
				});
			}
		},
	);
});

describe('a change to a profile', () => {
	const changes: [words: string, argv: string[]][] = [
		['profile use', ['staging']],
		['profile set', ['live', '--rate', '7']],
		['profile remove', ['live', '--yes']],
		['logout', ['live']],
	];

	it.each(changes)('by %s is not made where a column or a query can not be used', async (words, argv) => {
		const { make, run, stored } = desk();
		await make('live');
		await make('staging');
		const before = stored();
		for (const flags of [
			['--fields', 'nope'],
			['--query', 'foo['],
		]) {
			expect(await run(words, [...argv, ...flags])).toMatchObject({ exitCode: 2, stdout: '', error: {} });
		}
		expect(stored()).toEqual(before);
	});

	it.each(changes)('by %s is reported where only its output fails', async (words, argv) => {
		const { make, run, stored } = desk();
		await make('live');
		await make('staging');
		const before = stored();
		const { exitCode, error } = await run(words, [...argv, '--query', 'sum(profile)']);
		expect({ exitCode, message: error?.message }).toEqual({
			exitCode: 1,
			message: expect.stringMatching(/^the change was saved; only the output failed: /),
		});
		expect(stored()).not.toEqual(before);
	});
});

describe('a secret in a base URL', () => {
	it.each([
		['http://ann:s3cretpw99@127.0.0.1:1/ok', 'http://[redacted]@127.0.0.1:1/ok'],
		['http://ann:s3/cret@pw99@desk.example', 'http://[redacted]@desk.example'],
		['ann:s3cretpw99@desk.example', '[redacted]@desk.example'],
		['https://desk.example/x?token=s3cretpw99', 'https://desk.example/x?[redacted]'],
		['desk.example#s3cretpw99', 'desk.example#[redacted]'],
	])('is shown by neither profile show nor profile list: %s', async (baseUrl, shown) => {
		const { run, file } = desk();
		const env = { SUPPORTCTL_BASE_URL: baseUrl };
		const byVariable = await run('profile show', ['--json'], { env });
		expect(byVariable.stdout).toContain(JSON.stringify(shown));
		writeFileSync(file, JSON.stringify({ version: 1, current: 'x', profiles: { x: { baseUrl } } }), { mode: 0o600 });
		const byProfile = await run('profile show', ['x']);
		expect(byProfile.stdout).toContain(`base-url\t${shown}\tprofile x\n`);
		const listed = await run('profile list');
		expect(listed.stdout).toContain(`\t${shown}\t`);
		for (const { stdout, stderr } of [byVariable, byProfile, listed]) {
			expect(stdout + stderr).not.toMatch(/s3[c/]|cret@|pw99/);
		}
	});

	it('is not in what doctor says to write in its place', async () => {
		const env = { SUPPORTCTL_CONFIG_DIR: temporaryFolder(), SUPPORTCTL_BASE_URL: 'desk.example/x?token=s3cretpw99' };
		const { stdout } = await runCommand(doctor, 'doctor', ['--json'], { env });
		expect(stdout).toContain('"use https://desk.example/x?token=[redacted]"');
		expect(stdout).not.toContain('s3cretpw99');
	});

	it('is not printed by profile list if the stored value is not text', async () => {
		const { run, file } = desk();
		const profiles = { x: { baseUrl: ['http://ann:s3cretpw99@desk.example'] } };
		writeFileSync(file, JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
		expect((await run('profile list', ['--field', 'base_url'])).stdout).toBe('http://[redacted]@desk.example\n');
	});
});

describe('profile use, remove and path, and logout', () => {
	it('use chooses, and warns if SUPPORTCTL_PROFILE overrides the choice', async () => {
		const { make, run, stored } = desk();
		await make('live');
		await make('staging');
		const { stderr } = await run('profile use', ['staging'], { env: { SUPPORTCTL_PROFILE: 'live' } });
		expect(stored().current).toBe('staging');
		expect(stderr).toContain('warning: SUPPORTCTL_PROFILE overrides profile "staging"');
		expect((await run('profile use', ['nope'])).error).toMatchObject({
			exitCode: 2,
			hint: expect.stringContaining('live, staging'),
		});
	});

	it('rename keeps settings, secret and choice, and refuses a name that is taken', async () => {
		const { make, run, stored } = desk();
		await make('live', '--rate', '7');
		await make('staging');
		const { live } = stored().profiles;
		const { stdout, stderr } = await run('profile rename', ['live', 'desk', '--json']);
		expect(JSON.parse(stdout)).toEqual({ profile: 'desk', renamed_from: 'live', current: true });
		expect(stderr).toBe(`${JSON.stringify({ message: 'Profile "live" is now "desk".' })}\n`);
		expect(stored()).toMatchObject({ current: 'desk', profiles: { desk: live } });
		expect(Object.keys(stored().profiles).sort()).toEqual(['desk', 'staging']);
		await run('profile set', ['staging', '--secret-command', 'echo hunter2']);
		await run('profile rename', ['staging', 'live']);
		expect(stored().profiles.live?.secret).toMatchObject({ store: 'command', command: 'echo hunter2' });
		expect(stored().current).toBe('desk');
		expect((await run('profile rename', ['live', 'desk'])).error).toMatchObject({
			exitCode: 2,
			code: 'profile_exists',
		});
		expect((await run('profile rename', ['live', '../x'])).exitCode).toBe(2);
		expect((await run('profile rename', ['nope', 'x'])).exitCode).toBe(2);
	});

	it('remove takes the profile and its secret out of the file', async () => {
		const { make, run, file } = desk();
		await make('live');
		await run('profile remove', ['live', '--yes']);
		expect(readFileSync(file, 'utf8')).not.toMatch(/hunter2|live/);
		expect((await run('profile remove', ['live', '--yes'])).exitCode).toBe(2);
		await make('first');
		await make('other');
		const { stderr } = await run('profile remove', ['first', '--yes']);
		expect(stderr).toMatch(/Removed profile "first". Choose a new current one: supportctl profile use NAME/);
		expect((await run('profile remove', ['other', '-y'])).stderr).toBe('Removed profile "other".\n');
	});

	it('remove asks, and without a terminal needs --yes', async () => {
		const { make, run, stored } = desk();
		await make('live');
		const refused = await run('profile remove', ['live']);
		expect([refused.exitCode, refused.error?.message]).toEqual([
			2,
			'refusing to remove profile "live" without confirmation; pass --yes',
		]);
		const no = await run('profile remove', ['live'], { prompts: scriptedPrompts([/^Remove profile "live"/, false]) });
		expect([no.exitCode, no.error?.message]).toEqual([2, 'canceled; nothing was removed']);
		expect(stored().profiles.live).toBeDefined();
		const yes = await run('profile remove', ['live'], { prompts: scriptedPrompts([/^Remove profile "live"/, true]) });
		expect([yes.exitCode, stored().profiles.live]).toEqual([0, undefined]);
	});

	it('logout takes only the secret, and warns of one that is left in the environment', async () => {
		const { make, run, stored } = desk();
		await make('live');
		const { stderr } = await run('logout', [], { env: { SUPPORTCTL_TOKEN_FILE: '/x' } });
		expect(stored().profiles.live).toEqual({ baseUrl: 'https://live.example.com/wp-json', username: 'anna' });
		expect(stderr).toMatch(/^Signed out of profile "live": removed its secret \(profile file\)\.$/m);
		expect(stderr).toMatch(/SUPPORTCTL_TOKEN_FILE is still set/);
		expect((await run('logout', ['live'])).stderr).toContain('has no stored secret');
		expect((await desk().run('logout')).exitCode).toBe(2);
	});

	it('path prints the file, which need not exist, and the folders by name', async () => {
		const { run, file } = desk();
		expect((await run('profile path')).stdout).toBe(`${file}\n`);
		const env = { SUPPORTCTL_STATE_DIR: '/somewhere' };
		expect((await run('profile path', ['--field', 'state'], { env })).stdout).toBe('/somewhere\n');
	});

	it.each(['profile list', 'profile show', 'profile use', 'profile remove', 'logout'])(
		'%s names a damaged file and leaves it alone',
		async (words) => {
			const { run, file, folder } = desk();
			writeFileSync(file, '{"profiles": {"x": hunter2');
			const { exitCode, error } = await run(words, words === 'profile list' ? [] : ['x']);
			expect({ exitCode, code: error?.code }).toEqual({ exitCode: 2, code: 'config_damaged' });
			expect(error?.message).toBe(`${file} is damaged: it is not JSON`);
			expect(readdirSync(folder)).toEqual(['config.json']);
		},
	);
});

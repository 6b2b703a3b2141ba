import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Words } from '../support/cli.js';
import { json, startRecorder } from '../support/recorder.js';
import { startSandbox, type TestSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { runInTerminal } from '../support/terminal.js';

const ENTER = '\r';
const CTRL_C = '\x03';
/** Spaces at both ends, quotes, percent signs, colons, backslashes, and letters of two and four bytes. */
const AWKWARD = ` it's "50%" of: %s\\n $HOME \`x\` äöß ключ 🔑 `;

let desk: TestSandbox;
beforeAll(async () => {
	desk = await startSandbox({ seed: 20 });
});
afterAll(() => desk.stop());

/** A service that accepts one user and one password, both as UTF-8, and remembers what it was sent. */
async function serveFor(username: string, password: string) {
	const expected = `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
	const bodies: unknown[] = [];
	const { baseUrl } = await startRecorder(({ headers: { authorization }, body }) => {
		bodies.push(JSON.parse(body || 'null'));
		const code = authorization === undefined ? 'rest_not_logged_in' : 'incorrect_password';
		return authorization === expected
			? json(200, { id: 1 })
			: json(401, { code, message: 'No.', data: { status: 401 } });
	});
	return { baseUrl, bodies };
}

/** Runs the program in a pseudo-terminal, and types what the script says. */
const converse = (argv: Words, script: [question: RegExp, typed: string][], env: Record<string, string> = {}) =>
	runInTerminal(argv, { columns: 120, script, env: { SUPPORTCTL_STATE_DIR: temporaryFolder(), ...env } });

describe('login in a terminal', () => {
	it('takes a pasted secret as it is, shows none of it, and sends it as UTF-8', async () => {
		const { baseUrl } = await serveFor('änna', AWKWARD);
		const config = temporaryFolder();
		const { exitCode, raw } = await converse(
			['login', '--insecure-storage'],
			[
				[/Help desk address/, `${baseUrl}/${ENTER}`],
				[/Username:/, `änna${ENTER}`],
				[/password \(hidden/, AWKWARD + ENTER],
			],
			{ SUPPORTCTL_CONFIG_DIR: config },
		);
		expect(exitCode, raw).toBe(0);
		expect(raw).toContain(`Signed in to ${baseUrl} as änna.`);
		const { profiles } = JSON.parse(readFileSync(join(config, 'config.json'), 'utf8'));
		expect(profiles.default).toMatchObject({ username: 'änna', secret: { store: 'file', value: AWKWARD } });
		for (const word of ['50%', 'ключ', 'HOME', '🔑']) expect(raw).not.toContain(word);
	});

	it('does not show how long the secret is', async () => {
		const { baseUrl } = await serveFor('anna', 'sesam');
		const screens = ['x', 'a much longer one'].map(async (secret) => {
			const { raw } = await converse(
				['login', '--base-url', baseUrl, '--username', 'anna', '--insecure-storage'],
				[[/password \(hidden/, `${secret}${CTRL_C}`]],
				{ SUPPORTCTL_CONFIG_DIR: temporaryFolder() },
			);
			return raw.split('\x1b[2K').at(-1);
		});
		const [short, long] = await Promise.all(screens);
		expect(short).toBe(long);
	});

	it('asks again after a refusal and stores only what was accepted', async () => {
		const { baseUrl } = await serveFor('anna', 'sesam');
		const config = temporaryFolder();
		const { exitCode, raw } = await converse(
			['login', '--base-url', baseUrl, '--scheme', 'basic', '--insecure-storage', '--quiet'],
			[
				[/Username:/, `anna${ENTER}`],
				[/password \(hidden/, `${ENTER}`],
				[/password \(hidden/, `wrong${ENTER}`],
				[/wrong username or password[\s\S]*Try\s+again/, ''],
				[/password \(hidden/, `sesam${ENTER}`],
			],
			{ SUPPORTCTL_CONFIG_DIR: config },
		);
		expect(exitCode, raw).toBe(0);
		expect(readFileSync(join(config, 'config.json'), 'utf8')).not.toContain('wrong');
	});

	it.each([
		['at the base URL', [], [[/Help desk address/, CTRL_C]]],
		['at the user name', ['--base-url', '--scheme', 'basic'], [[/Username:/, `an${CTRL_C}`]]],
		['in the password', ['--base-url', '--username', 'anna'], [[/password \(hidden/, `half-typed${CTRL_C}`]]],
		['by Ctrl-D', ['--base-url', '--username', 'anna'], [[/password \(hidden/, '\x04']]],
	] as const)('ends with 130 when it is interrupted %s, and leaves nothing behind', async (_, words, script) => {
		const { baseUrl } = await serveFor('anna', 'sesam');
		const argv = words.flatMap((word) => (word === '--base-url' ? [word, baseUrl] : [word]));
		const config = join(temporaryFolder(), 'config');
		const { exitCode, raw, lines } = await converse(
			['login', ...argv],
			script.map(([question, typed]) => [question, typed]),
			{ SUPPORTCTL_CONFIG_DIR: config },
		);
		expect(exitCode, raw).toBe(130);
		expect(lines.join('\n')).toMatch(/error: canceled; nothing was changed/);
		expect(raw).not.toMatch(/half-typed| at .*\.m?js/);
		expect(raw.lastIndexOf('\x1b[?25h')).toBeGreaterThanOrEqual(raw.lastIndexOf('\x1b[?25l'));
		expect(existsSync(config)).toBe(false);
	});
});

describe('user check in a terminal', () => {
	it('asks for the password, hidden, and sends it exactly as it was pasted', async () => {
		const { baseUrl, bodies } = await serveFor('anna', AWKWARD);
		const env = { SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_USERNAME: 'anna', SUPPORTCTL_PASSWORD: AWKWARD };
		const { exitCode, raw } = await converse(['user', 'check', 'bob'], [[/Password/, AWKWARD + ENTER]], env);
		expect(exitCode, raw).toBe(0);
		expect(bodies).toEqual([{ username: 'bob', password: AWKWARD }]);
		for (const word of ['50%', 'ключ', 'HOME', '🔑']) expect(raw).not.toContain(word);
	});

	it('ends with 0 or 10 for right and wrong, and asks for the name too', async () => {
		const account = `desk-${desk.store.users.get(3)?.username}`;
		const script = (password: string): [RegExp, string][] => [
			[/Username:/, `${desk.store.users.get(3)?.username}${ENTER}`],
			[/Password/, `${password}${ENTER}`],
		];
		expect((await converse(['user', 'check'], script(account), desk.env)).exitCode).toBe(0);
		expect((await converse(['user', 'check'], script('wrong'), desk.env)).exitCode).toBe(10);
	});

	it('sends nothing when it is interrupted in the password', async () => {
		const { baseUrl, bodies } = await serveFor('anna', 'sesam');
		const env = { SUPPORTCTL_BASE_URL: baseUrl, SUPPORTCTL_USERNAME: 'anna', SUPPORTCTL_PASSWORD: 'sesam' };
		const { exitCode, raw } = await converse(['user', 'check', 'bob'], [[/Password/, `half-typed${CTRL_C}`]], env);
		expect(exitCode).toBe(130);
		expect(raw).not.toContain('half-typed');
		expect(bodies).toEqual([]);
	});
});

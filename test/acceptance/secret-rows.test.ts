/** The secrets of rows are in no output, journal or report; those of the caller in no process and no file. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { startCli, type Words } from '../support/cli.js';
import { done, idOf, json, type Responder, startRecorder } from '../support/recorder.js';
import { AWKWARD, findLeak, leakyFiles, OTHER, setStage } from '../support/secrets.js';
import { temporaryFolder } from '../support/temporary.js';
import { runInTerminal } from '../support/terminal.js';
import { hastyClock, startWorkplace } from '../support/workplace.js';

const ROWS = 300;

describe('a row with a secret', () => {
	/** Repeats the values of a request's body under harmless names, as text and as numbers, in good and bad responses. */
	const echo: Responder = ({ body, url }, _response, count) => {
		const texts = [...body.matchAll(/"((?:S|\d{4,})[^"]*)"|\b(\d{10})\b/g)].map((match) => match[1] ?? match[2] ?? '');
		const values = texts.flatMap((each) => (/^\d+$/.test(each) ? [each, Number(each)] : [each]));
		const note = `you sent ${texts.join(' and ')}`;
		const good = { id: Number(url.split('/').pop()), first_name: note, echo: values, token: { of: [values] } };
		return count % 2 === 0
			? json(400, { code: 'no', message: note, data: { params: { email: note } } })
			: json(200, good);
	};

	it.each([
		['a number', '{"id":ID,"password":SECRET}', (id: number) => `${4_815_160_000 + id}`],
		['a number in meta', '{"id":ID,"meta":{"api_key":SECRET}}', (id: number) => `${4_815_160_000 + id}`],
		[
			'text below a secret name',
			'{"id":ID,"meta":{"api_keys":{"a":[{"b":"SECRET"}]}}}',
			(id: number) => `Sx${id}marker`,
		],
	])('that is %s shows it nowhere, however many rows there are', async (_what, row, secretOf) => {
		const { recorder, work } = await startWorkplace(echo);
		const ids = Array.from({ length: ROWS }, (_, index) => index + 1);
		const lines = ids.map((id) => row.replace('ID', String(id)).replace('SECRET', secretOf(id)));
		work.write('rows.ndjson', `${lines.join('\n')}\n`);
		const args = 'user update --input rows.ndjson -vv --json --journal j -j 8 --retries 0 --no-snapshot'.split(' ');
		const reports = ['html', 'markdown', 'junit'].flatMap((format) => ['--report', `${format}:r.${format}`]);
		const result = await work.run([...args, ...reports, '--max-failures', '2000']);
		expect(recorder.requests.length).toBe(ROWS);
		expect(recorder.requests.every(({ body }) => /48151\d{5}|Sx\d+marker/.test(body))).toBe(true);
		const files = ['j', 'r.html', 'r.markdown', 'r.junit'].map((name) => work.read(name));
		for (const text of [result.stdout, result.stderr, ...files]) {
			expect(text.length).toBeGreaterThan(1_000);
			expect(/.{0,60}(?:48151\d{5}|Sx\d+marker)/.exec(text)?.[0]).toBeUndefined();
		}
	});
});

test('a password that is an ordinary word stays in data, and is in no message or journal', async () => {
	const roles: Record<string, string[]> = { 7: ['customer'], 8: ['customer'] };
	let isRefusing = false;
	const { recorder, work } = await startWorkplace((request) => {
		const id = String(idOf(request));
		if (isRefusing) return json(400, { code: 'rest_no', message: 'not customer, ada:customer' });
		if (request.method === 'POST') roles[id] = JSON.parse(request.body).roles;
		return json(200, { id: Number(id), roles: roles[id] });
	});
	const env = { SUPPORTCTL_PASSWORD: 'customer' };
	const run = (words: string) => work.run(`${words} -vv`, { env, clock: hastyClock(100) });
	expect((await run('user get 7 --format json')).stdout).toContain('"customer"');
	expect(await run('user update 7 8 --add-roles editor --snapshot --verify')).toMatchObject({ exitCode: 0 });
	expect(roles).toEqual({ 7: ['customer', 'editor'], 8: ['customer', 'editor'] });
	expect(await run('run undo last --yes')).toMatchObject({ exitCode: 0 });
	expect(roles).toEqual({ 7: ['customer'], 8: ['customer'] });
	isRefusing = true;
	const refused = await run('user update 7 8 --roles editor --json');
	expect(refused.exitCode).toBe(1);
	expect(refused.stdout + refused.stderr + JSON.stringify(work.records())).not.toContain('customer');
	expect(recorder.requests.length).toBeGreaterThan(0);
});

/** The command lines of all processes at this moment. */
function commandLines(): string {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map((pid) => {
			try {
				return readFileSync(join('/proc', pid, 'cmdline'), 'utf8').replaceAll('\0', ' ');
			} catch {
				return '';
			}
		})
		.join('\n');
}

/** A kind service that looks at all command lines while a request is under way; `hold` never responds. */
async function startWatcher(hold = false) {
	const seen: string[] = [];
	const { baseUrl, reached } = await startRecorder(({ headers }) => {
		seen.push(commandLines());
		if (hold) return;
		return headers.authorization === undefined ? json(401, { code: 'rest_not_logged_in', message: 'no' }) : done();
	});
	return { baseUrl, seen, arrival: reached(1) };
}

const table = ['id,title', ...Array.from({ length: 20 }, (_, row) => `${row + 1},x`)].join('\n');

describe('the program as a process', () => {
	it('has no secret in its arguments or those of its children, nor in what it leaves behind', async () => {
		const { baseUrl, seen } = await startWatcher();
		const stage = setStage(baseUrl, AWKWARD);
		const run = async (args: Words, input?: string, env: Record<string, string> = {}) => {
			const options = { env: { ...stage.env, ...env }, cwd: stage.cwd, ...(input !== undefined && { input }) };
			return startCli(args, options).ended;
		};
		const dump = join(temporaryFolder(), 'during-command');
		const spy = `cat /proc/[0-9]*/cmdline > '${dump}' 2>/dev/null; cat "$SECRET_FILE"`;
		const login = ['login', baseUrl, '--username', 'anna', '--no-input', '-vv', '--debug'];
		const results = [
			await run([...login, '--password-stdin', '--insecure-storage'], `${AWKWARD}\n`),
			await run('profile set default --password-stdin --insecure-storage', `${AWKWARD}\n`),
			await run('ticket update --input - --input-format csv -vv', table),
			await run([...login, '--secret-command', spy]),
			await run('ticket update 14 --status hold -vv'),
			await run('logout'),
			await run('ticket update 14 --title x', undefined, {
				SUPPORTCTL_USERNAME: 'anna',
				SUPPORTCTL_PASSWORD_FILE: stage.secretFile,
			}),
		];
		expect(results.map(({ exitCode, stderr }) => [exitCode, exitCode === 0 ? '' : stderr])).toEqual(
			results.map(() => [0, '']),
		);
		expect(seen.length).toBeGreaterThan(20);
		expect([...seen, readFileSync(dump, 'latin1')].map(findLeak).filter(Boolean)).toEqual([]);
		expect(results.map(({ stdout, stderr }) => findLeak(stdout + stderr)).filter(Boolean)).toEqual([]);
		expect(leakyFiles(stage.home)).toEqual([]);
	});

	it('prints none under NODE_DEBUG', async () => {
		const { baseUrl } = await startWatcher();
		const stage = setStage(baseUrl, AWKWARD);
		const { exitCode, stdout, stderr } = await startCli('ticket update 14 --status hold', {
			env: {
				...stage.env,
				SUPPORTCTL_USERNAME: 'anna',
				SUPPORTCTL_PASSWORD: AWKWARD,
				NODE_DEBUG: 'http,https,net,tls,undici,fetch',
			},
			cwd: stage.cwd,
		}).ended;
		expect(exitCode).toBe(0);
		expect(stderr).toContain('FETCH');
		expect(findLeak(stdout + stderr)).toBeUndefined();
	});

	it('leaves none behind when it is killed while a request is under way', async () => {
		const { baseUrl, arrival } = await startWatcher(true);
		const stage = setStage(baseUrl, AWKWARD);
		const running = startCli('user update --input - --input-format csv -vv', {
			env: { ...stage.env, SUPPORTCTL_USERNAME: 'anna', SUPPORTCTL_PASSWORD: AWKWARD },
			cwd: stage.cwd,
			input: `id,password\n3,${OTHER}\n4,${OTHER}\n`,
		});
		await arrival;
		running.child.kill('SIGKILL');
		const { stdout, stderr } = await running.ended;
		expect(findLeak(stdout + stderr)).toBeUndefined();
		expect(leakyFiles(stage.home)).toEqual([]);
	});

	it('shows none that is typed in a terminal, and keeps it only in the file that was asked for', async () => {
		const { baseUrl } = await startWatcher();
		const stage = setStage(baseUrl, AWKWARD);
		const typed = async (argv: string[]): Promise<string> => {
			const { raw, exitCode } = await runInTerminal(argv, {
				env: stage.env,
				script: [[/assword \(hidden/, `${AWKWARD}\r`]],
			});
			expect(exitCode, raw).toBe(0);
			return raw;
		};
		const login = await typed(['login', baseUrl, '--username', 'anna', '--insecure-storage', '-vv']);
		const check = await typed(['user', 'check', 'bob', '-vv']);
		expect([login, check].map(findLeak)).toEqual([undefined, undefined]);
		expect(leakyFiles(stage.home)).toEqual([join(stage.config, 'config.json')]);
	});
});

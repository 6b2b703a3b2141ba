import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { commands } from '../../src/cli/manifest.js';
import { type Clock, systemClock } from '../../src/io/context.js';
import { runMain } from '../../src/main.js';
import { startCli, type Words } from '../support/cli.js';
import { memoryContext } from '../support/context.js';
import { listen } from '../support/listen.js';
import { done, idOf, json, type Responder, startRecorder } from '../support/recorder.js';
import { temporaryFolder } from '../support/temporary.js';
import { runInTerminal } from '../support/terminal.js';
import { startWorkplace } from '../support/workplace.js';

/** The secret that is looked for; fit for a header, for basic it gets awkward letters too. */
const MARKER = 'mk7Qz-marker-19xV';
const AWKWARD = ` ${MARKER} "ä%:' `;

/** Another, which is the password of a user whom commands are about. */
const OTHER = 'w3Xp-other-marker-R8k';

/** The marker as it is, or the core of it in any spelling in which a secret leaks. */
function findLeak(text: string): string | undefined {
	const pairs = [MARKER, AWKWARD, OTHER].flatMap((secret) => [secret, `anna:${secret}`]);
	const spellings = [
		MARKER,
		OTHER,
		...pairs.map((each) => Buffer.from(each).toString('base64').replace(/=+$/, '')),
		...pairs.map((each) => Buffer.from(each).toString('hex')),
		encodeURIComponent(AWKWARD),
	];
	const found = spellings.find((each) => text.includes(each));
	if (found === undefined) return undefined;
	const at = text.indexOf(found);
	return text.slice(Math.max(0, at - 100), at + found.length + 60);
}

/** Every file below a folder that holds the marker. */
function leakyFiles(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.map((name) => join(folder, name))
		.filter((path) => statSync(path).isFile() && findLeak(readFileSync(path, 'latin1')) !== undefined);
}

type Service = 'kind' | 'cruel';

/** A response that repeats what was sent, in a different form each time. */
function repeat(
	request: IncomingMessage,
	body: string,
	count: number,
): { status: number; type: string; text: string; location?: string } {
	const header = request.headers.authorization ?? String(request.headers['x-desk-key'] ?? '');
	const decoded = header.startsWith('Basic ') ? Buffer.from(header.slice(6), 'base64').toString() : header;
	const type = 'application/json';
	const words = `no entry for ${decoded} (${header})`;
	switch (count % 7) {
		case 0:
			return {
				status: 400,
				type,
				text: JSON.stringify({
					code: 'rest_invalid_param',
					message: words,
					data: { status: 400, params: { title: words, password: words } },
				}),
			};
		case 1:
			return {
				status: 403,
				type,
				text: JSON.stringify({ code: decoded.replace(/\W/g, '_'), message: words, data: { sent: body, header } }),
			};
		case 2:
			return {
				status: 500,
				type: 'text/html',
				text: `<html><title>${decoded}</title><body>${header} ${decoded}</body></html>`,
			};
		case 3:
			return { status: 200, type, text: `{"id": 1, "title": ${JSON.stringify(words)}, "cut` };
		case 4:
			return {
				status: 302,
				type: 'text/plain',
				text: decoded,
				location: `https://elsewhere.example/?u=${encodeURIComponent(decoded)}&h=${encodeURIComponent(header)}`,
			};
		case 5:
			return { status: 404, type: 'text/plain', text: words };
		default:
			return { status: 401, type, text: JSON.stringify({ code: 'incorrect_password', message: words }) };
	}
}

/** A service that repeats what was sent: in good responses, or in errors of every kind. */
async function startEcho(service: Service): Promise<string> {
	let count = 0;
	const server = createServer(async (request, response) => {
		let body = '';
		for await (const chunk of request) body += chunk;
		const { authorization } = request.headers;
		if (service === 'kind') {
			const decoded = authorization?.startsWith('Basic ')
				? Buffer.from(authorization.slice(6), 'base64').toString()
				: authorization;
			response.setHeader('content-type', 'application/json');
			response.setHeader('x-echo', encodeURIComponent(decoded ?? ''));
			const sent = body === '' ? {} : JSON.parse(body);
			response.end(
				JSON.stringify({
					...sent,
					id: 7,
					title: { raw: sent.title },
					password: decoded,
					custom: { name: 'api_key', value: decoded },
				}),
			);
			return;
		}
		const repeated = repeat(request, body, count++);
		if (repeated.location !== undefined) response.setHeader('location', repeated.location);
		response.writeHead(repeated.status, { 'content-type': repeated.type }).end(repeated.text);
	});
	return `http://127.0.0.1:${await listen(server)}`;
}

interface Call {
	argv: string[];
	stdin?: string;
}

/** A call of every command; a new command has to be added here. */
const calls: Record<string, Call[]> = {
	'ticket update': [
		{ argv: ['14', '15', '--status', 'hold', '--title', 'x'] },
		{
			argv: ['--input', '-', '--input-format', 'csv', '--report', 'junit:report.xml', '--report', 'json:report.json'],
			stdin: 'id,title\n1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n',
		},
		{ argv: ['14', '--status', 'hold', '-n'] },
	],
	'ticket delete': [{ argv: ['14', '--yes'] }],
	'ticket fields set': [{ argv: ['14', '--set', 'a=b', '--verify', '--snapshot'] }],
	'ticket fields get': [{ argv: ['14', '15'] }],
	'ticket list': [{ argv: ['--status', 'hold', '--search', 'x'] }],
	'ticket get': [{ argv: ['14', '15'] }],
	'reply list': [{ argv: ['14'] }],
	'reply get': [{ argv: ['14', '3'] }],
	'user list': [{ argv: ['--format', 'csv'] }],
	'user get': [{ argv: ['3', '@me'] }],
	'user password list': [{ argv: ['3'] }],
	whoami: [{ argv: [] }],
	'attachment list': [{ argv: [] }],
	'attachment get': [{ argv: ['3'] }],
	'term list': [{ argv: ['product'] }],
	'term get': [{ argv: ['product', '3'] }],
	'reply update': [{ argv: ['14', '3', '--content', 'x'] }],
	'reply delete': [{ argv: ['14', '3', '--yes'] }],
	'user update': [
		{ argv: ['3', '--data', '@-'], stdin: `{"meta": ${OTHER}}` },
		{ argv: ['3', '--password-stdin', '--name', 'x'], stdin: `${OTHER}\n` },
		{ argv: ['--input', '-', '--input-format', 'csv'], stdin: `id,password\n3,${OTHER}\n4,${OTHER}\nx,${OTHER}\n` },
	],
	'user delete': [{ argv: ['3', '--reassign', '1', '--yes'] }],
	'user password delete': [{ argv: ['3', 'laptop', '--yes'] }],
	'user id': [{ argv: ['anna', 'bob'] }],
	'user check': [{ argv: ['bob', '--password-stdin'], stdin: `${OTHER}\n` }],
	'attachment update': [{ argv: ['3', '--title', 'x'] }],
	'term update': [{ argv: ['ticket_priority', '3', '--name', 'x'] }],
	'term delete': [{ argv: ['product', '3', '--force', '--yes'] }],
	'ticket edit': [{ argv: ['14'] }],
	'reply edit': [{ argv: ['14', '3'] }],
	'user edit': [{ argv: ['3'] }],
	'attachment edit': [{ argv: ['9'] }],
	'term edit': [{ argv: ['ticket_priority', '5'] }],
	api: [
		{ argv: ['GET', 'tickets', '-i'] },
		{ argv: ['POST', 'users/3', '--input', '-'], stdin: `{"password": ${OTHER}}` },
		{ argv: ['POST', 'users/3', '-F', 'password=@-', '-f', 'name=x'], stdin: `${OTHER}\n` },
		{ argv: ['POST', 'users/3', '--input', '-'], stdin: JSON.stringify({ password: OTHER }) },
	],
	login: [{ argv: ['$BASE_URL', '--no-input', '--secret-command', 'cat "$SECRET_FILE"', '--profile', 'other'] }],
	logout: [{ argv: ['other'] }],
	doctor: [{ argv: [] }],
	'profile list': [{ argv: [] }],
	'profile show': [{ argv: [] }],
	'profile use': [{ argv: ['other'] }],
	'profile set': [{ argv: ['other', '--timeout', '5'] }],
	'profile rename': [{ argv: ['nobody', 'other'] }],
	'profile remove': [{ argv: ['nobody'] }],
	'profile path': [{ argv: [] }],
	'run list': [{ argv: [] }],
	'run show': [{ argv: ['last'] }],
	'run rejects': [{ argv: ['last', '--format', 'csv'] }],
	'run resume': [{ argv: ['last'] }],
	'run retry': [{ argv: ['last'] }],
	'run undo': [{ argv: ['last', '--yes'] }],
	'run prune': [{ argv: ['--older-than', '0h', '--yes', '--force'] }],
};

/** Time passes, but a wait for a retry is over at once. */
const hurried: Clock = { ...systemClock, sleep: () => new Promise((resolve) => void setImmediate(resolve)) };

/** Commands that neither have nor get the caller's credentials. */
const withoutSecrets = new Set(['sandbox', 'completion', 'help']);

/** Hundreds of commands, or rows, on a busy machine. */
const LONG = { timeout: 120_000 };

const verbosities = [[], ['-v'], ['-vv', '--debug'], ['-vv', '--json', '--debug']];

/** The ways that are tried at every verbosity; the less verbose print nothing that these do not. */
const thorough = new Set(['SUPPORTCTL_PASSWORD', 'a header']);

interface Stage {
	home: string;
	config: string;
	state: string;
	cwd: string;
	secretFile: string;
	env: Record<string, string>;
}

/** Folders of their own for a run of commands, with a file that holds the secret outside all of them. */
function setStage(baseUrl: string, secret: string): Stage {
	const home = temporaryFolder();
	const [config, state, cwd, tmp] = ['config', 'state', 'cwd', 'tmp'].map((name) => join(home, name)) as [
		string,
		string,
		string,
		string,
	];
	for (const folder of [config, state, cwd, tmp]) mkdirSync(folder, { mode: 0o700 });
	const secretFile = join(temporaryFolder(), 'secret');
	writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 });
	const env = {
		PATH: process.env.PATH as string,
		HOME: home,
		TMPDIR: tmp,
		SUPPORTCTL_CONFIG_DIR: config,
		SUPPORTCTL_STATE_DIR: state,
		SUPPORTCTL_BASE_URL: baseUrl,
		SECRET_FILE: secretFile,
		// What is edited stays in TMPDIR where the service refuses it.
		EDITOR: 'echo "slug: other" >',
	};
	return { home, config, state, cwd, secretFile, env };
}

/** The ways in which a secret comes in; `only` is the file that may hold it. */
const ways: Record<string, { secret: string; prepare(stage: Stage): { env?: Record<string, string>; only?: string } }> =
	{
		SUPPORTCTL_PASSWORD: {
			secret: AWKWARD,
			prepare: () => ({ env: { SUPPORTCTL_USERNAME: 'anna', SUPPORTCTL_PASSWORD: AWKWARD } }),
		},
		SUPPORTCTL_TOKEN: { secret: MARKER, prepare: () => ({ env: { SUPPORTCTL_TOKEN: MARKER } }) },
		SUPPORTCTL_PASSWORD_FILE: {
			secret: AWKWARD,
			prepare: ({ secretFile }) => ({ env: { SUPPORTCTL_USERNAME: 'anna', SUPPORTCTL_PASSWORD_FILE: secretFile } }),
		},
		'a header': {
			secret: MARKER,
			prepare(stage) {
				store(stage, { scheme: 'header', headerName: 'X-Desk-Key' });
				return { env: { SUPPORTCTL_TOKEN: MARKER } };
			},
		},
		'the profile file': {
			secret: AWKWARD,
			prepare(stage) {
				store(stage, { username: 'anna', secret: { store: 'file', value: AWKWARD } });
				return { only: join(stage.config, 'config.json') };
			},
		},
		'a secret command': {
			secret: AWKWARD,
			prepare(stage) {
				store(stage, { username: 'anna', secret: { store: 'command', command: 'cat "$SECRET_FILE"' } });
				return {};
			},
		},
	};

function store(stage: Stage, profile: Record<string, unknown>): void {
	const baseUrl = stage.env.SUPPORTCTL_BASE_URL;
	const config = { version: 1, current: 'desk', profiles: { desk: { baseUrl, ...profile } } };
	writeFileSync(join(stage.config, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

describe('a secret', () => {
	it('is looked for in the output of every command', () => {
		const missing = commands.map(({ words }) => words.join(' ')).filter((words) => !withoutSecrets.has(words));
		expect(missing.filter((words) => !Object.hasOwn(calls, words))).toEqual([]);
	});

	for (const [way, { secret, prepare }] of Object.entries(ways)) {
		for (const service of ['kind', 'cruel'] as const) {
			it(`that comes from ${way} is nowhere else after every command against a ${service} service`, LONG, async () => {
				const stage = setStage(await startEcho(service), secret);
				const { env = {}, only } = prepare(stage);
				const leaks: string[] = [];
				let redacted = 0;
				for (const verbosity of thorough.has(way) ? verbosities : [['-vv', '--debug']]) {
					for (const [words, each] of Object.entries(calls)) {
						for (const { argv, stdin } of each) {
							const context = memoryContext({
								argv: [
									...words.split(' '),
									...argv.map((word) => (word === '$BASE_URL' ? (stage.env.SUPPORTCTL_BASE_URL as string) : word)),
									...verbosity,
								],
								clock: hurried,
								env: { ...stage.env, ...env },
								cwd: stage.cwd,
								...(stdin !== undefined && { stdin }),
							});
							await runMain(context);
							redacted += context.stderr.text.split('[redacted]').length - 1;
							for (const stream of ['stdout', 'stderr'] as const) {
								const leak = findLeak(context[stream].text);
								if (leak !== undefined) leaks.push(`${context.argv.join(' ')}: ${stream}: …${leak}…`);
							}
						}
					}
				}
				expect(leaks).toEqual([]);
				// The service did repeat it, or there would have been nothing to find.
				expect(redacted).toBeGreaterThan(20);
				expect(leakyFiles(stage.home).filter((path) => path !== only)).toEqual([]);
			});
		}
	}
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
	])('that is %s shows it nowhere, however many rows there are', LONG, async (_what, row, secretOf) => {
		const { recorder, work } = await startWorkplace(echo);
		const ids = Array.from({ length: 1_100 }, (_, index) => index + 1);
		const lines = ids.map((id) => row.replace('ID', String(id)).replace('SECRET', secretOf(id)));
		work.write('rows.ndjson', `${lines.join('\n')}\n`);
		const args = 'user update --input rows.ndjson -vv --json --journal j -j 8 --retries 0'.split(' ');
		const reports = ['json', 'csv', 'markdown', 'junit'].flatMap((format) => ['--report', `${format}:r.${format}`]);
		const result = await work.run([...args, ...reports, '--max-failures', '2000']);
		expect(recorder.requests.length).toBe(1_100);
		expect(recorder.requests.every(({ body }) => /48151\d{5}|Sx\d+marker/.test(body))).toBe(true);
		const files = ['j', 'r.json', 'r.csv', 'r.markdown', 'r.junit'].map((name) => work.read(name));
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
	const run = (words: string) => work.run(`${words} -vv`, { env });
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

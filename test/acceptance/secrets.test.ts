/** After every command, the caller's secret is nowhere but where it belongs. */

import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/manifest.js';
import type { Clock } from '../../src/io/context.js';
import { runMain } from '../../src/main.js';
import { memoryContext } from '../support/context.js';
import { listen } from '../support/listen.js';
import { AWKWARD, findLeak, leakyFiles, MARKER, OTHER, type Stage, setStage } from '../support/secrets.js';
import { hastyClock } from '../support/workplace.js';

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
			argv: ['--input', '-', '--input-format', 'csv', '--report', 'junit:report.xml', '--report', 'html:report.html'],
			stdin: 'id,title\n1,a\n2,b\n3,c\n4,d\n5,e\n6,f\n7,g\n',
		},
		{ argv: ['14', '--status', 'hold', '-n'] },
		{ argv: ['14', '15', '--status', 'hold', '--plan', 'changes.plan'] },
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
	'ticket history': [{ argv: ['14'] }],
	'reply history': [{ argv: ['14', '3'] }],
	'user history': [{ argv: ['3'] }],
	'attachment history': [{ argv: ['3'] }],
	'term history': [{ argv: ['ticket_priority', '3'] }],
	'run list': [{ argv: [] }],
	'run show': [{ argv: ['last'] }, { argv: ['last', '--changes'] }],
	'run rejects': [{ argv: ['last', '--format', 'csv'] }],
	'run resume': [{ argv: ['last'] }],
	'run retry': [{ argv: ['last'] }],
	'run apply': [{ argv: ['changes.plan', '--yes'] }],
	'run undo': [{ argv: ['last', '--yes'] }],
	'run prune': [{ argv: ['--older-than', '0h', '--yes', '--force'] }],
};

/** Time passes, but a wait for a retry is over at once. */
const hurried: Clock = hastyClock(100);

/** Commands that neither have nor get the caller's credentials. */
const withoutSecrets = new Set(['sandbox', 'completion', 'help', 'version']);

const verbosities = [
	['-vv', '--debug'],
	['-vv', '--json', '--debug'],
];

/** The way that is tried with JSON too. Runs that are less verbose print nothing that these do not. */
const thorough = 'SUPPORTCTL_PASSWORD';

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
			it(`that comes from ${way} is nowhere else after every command against a ${service} service`, async () => {
				const stage = setStage(await startEcho(service), secret);
				const { env = {}, only } = prepare(stage);
				const leaks: string[] = [];
				let redacted = 0;
				for (const verbosity of way === thorough ? verbosities : [['-vv', '--debug']]) {
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

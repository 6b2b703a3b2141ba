/** Input at random: no crash whatever comes, and never a request from what is not valid. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/manifest.js';
import { jsonLines, runHere } from '../support/cli.js';
import { anyText, expectSane, holds, mutated, nasty } from '../support/fuzz.js';
import { shownTo, startOf } from '../support/objects.js';
import { done, json, type RecordedRequest, type Recorder, startRecorder } from '../support/recorder.js';
import { temporaryFolder } from '../support/temporary.js';
import { createWorkplace } from '../support/workplace.js';

let recorder: Recorder;

beforeEach(async () => {
	const desk = done();
	recorder = await startRecorder(({ url }) => {
		if (url.endsWith('/users/username')) return json(400, { code: 'invalid_username', message: 'Invalid username.' });
		const listed = /\/tickets\?.*include=([^&]+)/.exec(url)?.[1]?.split('%2C');
		if (listed !== undefined)
			return json(
				200,
				listed.map((id) => shownTo(startOf(`/tickets/${id}`), Number(id))),
			);
		return /\/users\?/.test(url) ? json(200, []) : desk;
	});
});

/** Requests since the last call. */
function takeRequests(): Recorder['requests'] {
	return recorder.requests.splice(0);
}

const isWrite = ({ method, url }: RecordedRequest): boolean => method !== 'GET' && !url.endsWith('/users/username');

/** Requests since the last call that change something: names may be looked up before. */
function takeWrites(): Recorder['requests'] {
	return takeRequests().filter(isWrite);
}

const TICKET = /^\/wp-json\/support-api\/v1\/tickets\/[1-9]\d{0,15}$/;

/** Updates from a file; each request has to come from a row that is reported as done. */
async function updateFrom(name: string, content: string | Uint8Array, more: readonly string[] = []): Promise<void> {
	const work = createWorkplace(recorder.env);
	work.write(name, content);
	const result = await work.run([
		...`ticket update --input ${name} --format ndjson -q --retries 0`.split(' '),
		...more,
	]);
	const requests = takeWrites();
	expectSane(result, { name, content: Buffer.from(content as Uint8Array).toString('base64'), more });
	for (const { method, url, body } of requests) {
		expect([method, TICKET.test(url)]).toEqual(['POST', true]);
		const sent = JSON.parse(body) as object;
		expect(Object.keys(sent).length).toBeGreaterThan(0);
		expect(sent).not.toHaveProperty('id');
	}
	if (result.exitCode === 2) expect(requests).toEqual([]);
	const outcomes = jsonLines<{ outcome: string }>(result.stdout);
	expect(requests).toHaveLength(outcomes.filter(({ outcome }) => outcome === 'ok' || outcome === 'differs').length);
}

const column = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.constantFrom('id', 'status', 'title', 'content', 'assignee', 'ticket-tag', 'product', 'date'),
	},
	{ weight: 1, arbitrary: anyText },
);
const cell = fc.oneof(
	{ weight: 3, arbitrary: fc.integer({ min: 1, max: 999 }).map(String) },
	{ weight: 2, arbitrary: fc.constantFrom('hold', 'read', 'hodl', '', '0', '-1', '2026-01-01', '2026-02-30') },
	{ weight: 1, arbitrary: anyText },
);
const quoted = (text: string): string => (/["\n\r,;\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const table = fc
	.tuple(
		fc.uniqueArray(column, { maxLength: 4 }),
		fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 8 }),
		fc.constantFrom(',', ';', '\t'),
		fc.constantFrom('\n', '\r\n', '\r'),
	)
	.map(([columns, rows, separator, end]) =>
		[['id', 'status', ...columns], ...rows].map((row) => row.map(quoted).join(separator)).join(end),
	);

describe('a table', () => {
	it('of any kind', async () => {
		await holds('tables', 400, table, fc.constantFrom([], ['--skip-invalid'], ['--blank', 'clear']), (text, more) =>
			updateFrom('edits.csv', text, more),
		);
	});

	it('with damage', async () => {
		await holds('damaged tables', 300, mutated(table), fc.boolean(), (bytes, skip) =>
			updateFrom('edits.csv', bytes, skip ? ['--skip-invalid'] : []),
		);
	});

	it('of bytes at random, in any format', async () => {
		await holds(
			'bytes',
			300,
			fc.uint8Array({ maxLength: 200 }),
			fc.constantFrom('edits.csv', 'edits.tsv', 'edits.ndjson', 'edits.json', 'edits.ids', 'edits.csv.gz', 'edits'),
			(bytes, name) => updateFrom(name, bytes, ['--status', 'hold', '--skip-invalid']),
		);
	});
});

describe('NDJSON', () => {
	const object = fc.dictionary(
		fc.oneof(
			fc.constantFrom(...'id ticket_id status title assignee meta ticket-tag __proto__ constructor'.split(' ')),
			anyText,
		),
		fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 1, max: 99 }), cell),
		{ maxKeys: 4, noNullPrototype: true },
	);
	const lines = fc
		.array(
			fc.oneof(
				{ weight: 4, arbitrary: object.map((each) => JSON.stringify({ id: 7, ...each })) },
				{ weight: 1, arbitrary: fc.json() },
				{ weight: 1, arbitrary: anyText },
			),
			{ maxLength: 8 },
		)
		.map((each) => each.join('\n'));

	it('of any kind', async () => {
		await holds(
			'NDJSON',
			400,
			lines,
			fc.constantFrom([], ['--skip-invalid'], ['--undocumented', '--skip-invalid']),
			(text, more) => updateFrom('edits.ndjson', text, more),
		);
	});

	it('with damage', async () => {
		await holds('damaged NDJSON', 300, mutated(lines), (bytes) =>
			updateFrom('edits.ndjson', bytes, ['--skip-invalid']),
		);
	});

	it('nested beyond all measure', async () => {
		const deep = `{"id":1,"meta":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`;
		await updateFrom('edits.ndjson', deep);
		await updateFrom('edits.ndjson', deep, ['--undocumented']);
		await updateFrom('edits.ndjson', `{"id":1,"meta":${'['.repeat(100_000)}}`);
	});
});

describe('a command line', () => {
	const words = commands.map((each) => each.words).filter(([first]) => first !== 'sandbox' && first !== 'login');
	const flag = fc.constantFrom(
		...'--status --json --format --fields --query --input --set --data --meta --map --shard --rate -j --max --expect --report --journal --timeout --profile --confirm --username --scheme --header-name --product-prefix --content -n -y -v -vv -q --force --reassign --no-color --debug -f -F --paginate -i --help -- - --undocumented'.split(
			' ',
		),
	);
	const word = fc.oneof(
		{ weight: 4, arbitrary: flag },
		{
			weight: 3,
			arbitrary: fc.constantFrom('14', '7', 'hold', 'ticket_priority', 'product', 'last', 'a=b', 'bash', 'csv:r.csv'),
		},
		{ weight: 2, arbitrary: anyText },
	);
	const line = fc.tuple(fc.constantFrom(...words, ['help'], [], ['ticket'], ['run']), fc.array(word, { maxLength: 7 }));

	it('of any kind', async () => {
		await holds('command lines', 1200, line, async ([command, rest]) => {
			const args = [...command, ...rest];
			const result = await createWorkplace(recorder.env).run(args, { stdin: '14\n' });
			const requests = takeRequests();
			if (!args.includes('--debug')) expectSane(result, args);
			// doctor only looks, and only an object shows which columns it has.
			const isLook = command[0] === 'doctor' || result.stderr.includes('no row has a column');
			if (result.exitCode === 2 && !isLook) expect(requests.filter(isWrite), JSON.stringify(args)).toEqual([]);
			for (const { url } of requests) expect(url).toMatch(/^\/wp-json\/[a-z0-9_-]+-api\/v1(?:[/?]|$)/);
		});
	});
});

describe('an environment', () => {
	const value = fc.oneof(
		anyText,
		fc.constantFrom('', 'http://127.0.0.1:9', 'https://x y', 'basic', '0', '/dev/null', '/proc/x'),
	);
	const variables = fc.dictionary(
		fc.constantFrom(
			...'SUPPORTCTL_PROFILE SUPPORTCTL_BASE_URL SUPPORTCTL_USERNAME SUPPORTCTL_PASSWORD SUPPORTCTL_TOKEN SUPPORTCTL_PASSWORD_FILE SUPPORTCTL_TOKEN_FILE SUPPORTCTL_BASE_URL_FILE SUPPORTCTL_CONFIG_DIR SUPPORTCTL_STATE_DIR XDG_CONFIG_HOME HTTP_PROXY HTTPS_PROXY NO_PROXY NO_COLOR FORCE_COLOR TERM HOME GITHUB_ACTIONS'.split(
				' ',
			),
		),
		value.map((text) => text.replaceAll('\0', '')),
		{ maxKeys: 5 },
	);
	const calls = [
		'ticket update 14 --status hold --retries 0 --timeout 2',
		'ticket update 14 15 --status hold --retries 0 --timeout 2 --json',
		'profile show',
		'profile list --json',
		'run list',
	];

	it('of any kind', async () => {
		await holds('environments', 500, variables, fc.constantFrom(...calls), async (given, args) => {
			const folder = temporaryFolder();
			const kept = { ...given };
			// A folder of state below a random place must not be made outside of the test's own.
			for (const name of ['SUPPORTCTL_CONFIG_DIR', 'SUPPORTCTL_STATE_DIR', 'XDG_CONFIG_HOME', 'HOME']) {
				const path = kept[name];
				if (path !== undefined && path !== '' && !/^\/(?:dev|proc)\//.test(path)) {
					kept[name] = join(folder, path.replaceAll('..', '_'));
				}
			}
			const result = await runHere(args, { cwd: folder, env: { ...recorder.env, ...kept } });
			takeRequests();
			expectSane(result, { given, args });
		});
	});
});

describe('a configuration', () => {
	const good = JSON.stringify({
		current: 'desk',
		profiles: {
			desk: {
				baseUrl: 'http://127.0.0.1:9/wp-json',
				scheme: 'basic',
				username: 'ada',
				secret: { store: 'file', value: 'secret' },
				concurrency: 4,
				timeout: 1,
			},
		},
	});
	const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), anyText, fc.constantFrom(0, -1, 1e99, null, true));
	const shaped = fc
		.dictionary(
			fc.constantFrom(
				...'baseUrl scheme username secret timeout concurrency rate format protected caFile headerName productPrefix __proto__'.split(
					' ',
				),
			),
			value,
		)
		.map((profile) =>
			JSON.stringify({ current: 'desk', profiles: { desk: { baseUrl: 'http://127.0.0.1:9', ...profile } } }),
		);
	const calls = [
		'profile list',
		'profile show --json',
		'ticket update 14 --status hold --retries 0 --timeout 1',
		'profile set other --base-url https://desk.example --username ada',
		'profile use desk',
	];

	it.each<[string, fc.Arbitrary<string | Buffer>]>([
		['with values of any kind', shaped],
		['with damage', mutated(fc.constant(good))],
		['of bytes at random', fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes))],
		['of any JSON', fc.json()],
	])('%s', async (name, contents) => {
		await holds(`configurations ${name}`, 250, contents, fc.constantFrom(...calls), async (content, args) => {
			const folder = temporaryFolder();
			mkdirSync(join(folder, 'config'), { mode: 0o700 });
			writeFileSync(join(folder, 'config', 'config.json'), content, { mode: 0o600 });
			const result = await runHere(args, {
				cwd: folder,
				env: { SUPPORTCTL_CONFIG_DIR: `${folder}/config`, SUPPORTCTL_STATE_DIR: `${folder}/state` },
			});
			expectSane(result, { content: content.toString(), args });
			// Nothing that could not be understood is lost.
			if (result.exitCode !== 0 && !/^profile (?:set|use)/.test(args)) {
				expect(readFileSync(join(folder, 'config', 'config.json'))).toEqual(Buffer.from(content));
			}
		});
	});
});

describe('a journal', () => {
	it('with damage is never believed to hold more than it does, and sends no row that the input lacks', async () => {
		const work = createWorkplace(recorder.env);
		work.write('edits.csv', `id,status\n${Array.from({ length: 12 }, (_, index) => `${index + 1},hold\n`).join('')}`);
		await work.run('ticket update --input edits.csv -q');
		takeRequests();
		const [path] = work.journals() as [string];
		const good = readFileSync(path);
		const calls = [
			'run list',
			'run show last',
			'run show last --json',
			'run rejects last --format csv',
			'run resume last -q --retries 0',
			'run undo --yes last',
		];
		const contents = fc.oneof(
			{ weight: 5, arbitrary: mutated(fc.constant(good)) },
			{ weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
			{
				weight: 1,
				arbitrary: fc
					.array(fc.oneof(fc.json(), anyText), { maxLength: 5 })
					.map((lines) => Buffer.from(`${good.toString().split('\n')[0]}\n${lines.join('\n')}\n`)),
			},
		);
		await holds('journals', 400, contents, fc.constantFrom(...calls), async (content, args) => {
			writeFileSync(path, content);
			const result = await work.run(args);
			const requests = takeWrites();
			expectSane(result, { content: content.toString('base64'), args });
			for (const { method, url } of requests) {
				expect(method).toBe('POST');
				expect(url).toMatch(/^\/wp-json\/support-api\/v1\/tickets\/(?:[1-9]|1[0-2])$/);
			}
			expect(requests.length).toBeLessThanOrEqual(12);
			if (!args.startsWith('run resume')) expect(requests).toEqual([]);
		});
	});
});

describe('a trick in a path', () => {
	const tricks = [
		'..',
		'.',
		'../1',
		'1/../2',
		'1/2',
		'%2e%2e',
		'%2F',
		'1%00',
		'1?force=true',
		'1#x',
		'1;x',
		'1\\2',
		'1&a=b',
		'//x',
		'\u2024\u2024',
		'．．',
		'1\r\nx: y',
		'1 HTTP/1.1',
		'',
	];

	it.each(tricks)('%j reaches no request as an id, a slug or a taxonomy, from wherever it comes', async (trick) => {
		const calls: [args: string[], files?: Record<string, string>, input?: string][] = [
			[['ticket', 'update', '--status', 'hold', '--', trick]],
			[['ticket', 'delete', '--yes', '--', trick]],
			[['ticket', 'fields', 'get', '--', trick]],
			[['reply', 'update', '--status', 'read', '--', '1', trick]],
			[['reply', 'delete', '--yes', '--', trick, '1']],
			[['user', 'delete', '--yes', '--reassign', trick, '--', '5']],
			[['user', 'password', 'delete', '--yes', '--', '5', trick]],
			[['term', 'update', '--undocumented', '--name', 'x', '--', trick, '1']],
			[['term', 'delete', '--undocumented', '--yes', '--', trick, '1']],
			[['ticket', 'update', '--input', 'a.csv'], { 'a.csv': `id,status\n${quoted(trick)},hold\n` }],
			[['user', 'password', 'delete', '--yes', '--input', 'a.csv'], { 'a.csv': `user_id,slug\n5,${quoted(trick)}\n` }],
			[['ticket', 'update', '--input', 'a.ndjson'], { 'a.ndjson': JSON.stringify({ id: trick, status: 'hold' }) }],
			[
				['term', 'update', '--undocumented', '--input', 'a.ndjson'],
				{ 'a.ndjson': JSON.stringify({ taxonomy: trick, id: 1, name: 'x' }) },
			],
			[['user', 'delete', '--yes', '--input', 'a.ndjson'], { 'a.ndjson': JSON.stringify({ id: 5, reassign: trick }) }],
		];
		for (const [args, files = {}] of calls) {
			const work = createWorkplace(recorder.env);
			for (const [name, content] of Object.entries(files)) work.write(name, content);
			const result = await work.run(args);
			expectSane(result, args);
			expect([result.exitCode, takeWrites()], JSON.stringify(args)).toEqual([2, []]);
		}
	});

	it.each(['..', 'a/b', 'x y', 'x?y', '%2e'])('%j reaches no request as a deployment prefix', async (prefix) => {
		const result = await runHere([...'ticket update 14 --status hold --product-prefix'.split(' '), prefix], {
			env: recorder.env,
		});
		expect([result.exitCode, takeRequests()]).toEqual([2, []]);
	});
});

describe('names of the prototype', () => {
	const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

	it.each(names)('%s is a custom field like any other', async (name) => {
		const work = createWorkplace(recorder.env);
		work.write('a.csv', `ticket_id,${name}\n15,red\n`);
		work.write('a.ndjson', `{"ticket_id":16,"${name}":"red"}\n`);
		for (const input of [`14 --set ${name}=red`, '--input a.csv', '--input a.ndjson']) {
			const result = await work.run(`ticket fields set ${input} --json`);
			expect(result.exitCode, result.stderr).toBe(0);
			expect(takeWrites().map(({ body }) => body)).toEqual([`{"custom_fields":{"${name}":"red"}}`]);
		}
		expect(({} as Record<string, unknown>).red).toBeUndefined();
	});

	it.each(names)('%s is an unknown column or key of a ticket, and a key of meta like any other', async (name) => {
		const work = createWorkplace(recorder.env);
		work.write('a.csv', `id,${name}\n14,red\n`);
		work.write('a.ndjson', `{"id":14,"${name}":"red"}\n`);
		for (const file of ['a.csv', 'a.ndjson']) {
			const result = await work.run(`ticket update --input ${file}`);
			expectSane(result, file);
			expect([result.exitCode, takeRequests()]).toEqual([2, []]);
		}
		expect(await work.run(`user update 7 --meta ${name}=1`)).toMatchObject({ exitCode: 0 });
		expect(takeWrites().map(({ body }) => body)).toEqual([`{"meta":{"${name}":"1"}}`]);
	});

	it('in a response change nothing but what is printed of it', async () => {
		const hostile = await startRecorder(({ method }, response) => {
			response.setHeader('content-type', 'application/json');
			const status = method === 'GET' ? 'queued' : 'hold';
			response.end(
				`{"id":14,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"status":"${status}"}`,
			);
		});
		for (const format of ['json', 'ndjson', 'csv', 'yaml', 'table', 'tsv']) {
			const result = await runHere(`ticket update 14 --status hold --format ${format}`, { env: hostile.env });
			expectSane(result, format);
			expect(result.exitCode).toBe(0);
		}
		expect(hostile.requests.filter(({ method }) => method === 'POST')).toHaveLength(6);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});
});

describe('a value', () => {
	const values = [
		'=HYPERLINK("http://x","y")',
		"=cmd|' /C calc'!A0",
		'+1+2',
		'-1',
		'@SUM(A1)',
		'\u001b[31mred\u001b[0m',
		'a\tb',
		'a\r\nb',
		'\u202egnp',
		'\u0001',
		'"',
		'""',
		"'",
		',',
		'ünï😀',
		'<b>&amp;</b>',
		'$(x) $y `z`',
		'\\n',
		'{"a":1}',
		'[1]',
		'%41%00',
	];

	it.each(values)('%j reaches the service as it was given, by flag, file and --data', async (value) => {
		const work = createWorkplace(recorder.env);
		work.write('a.csv', `id,content\n14,${quoted(value)}\n`);
		work.write('a.tsv', `id\tcontent\n14\t${quoted(value)}\n`);
		work.write('a.ndjson', JSON.stringify({ id: 14, content: value }));
		work.write('fields.csv', `ticket_id,note\n15,${quoted(value)}\n`);
		// As a flag's value, `@file` stands for a file's text, and `@@` for an @.
		const asFlag = value.replace(/^@/, '@@');
		const bodies: [args: string[], body: unknown][] = [
			[['ticket', 'update', '14', `--content=${asFlag}`], { content: value }],
			[['ticket', 'update', '14', '--data', JSON.stringify({ content: value })], { content: value }],
			[['ticket', 'update', '--input', 'a.csv'], { content: value }],
			[['ticket', 'update', '--input', 'a.tsv'], { content: value }],
			[['ticket', 'update', '--input', 'a.ndjson'], { content: value }],
			[['ticket', 'fields', 'set', '14', '--set', `note=${asFlag}`], { custom_fields: { note: value } }],
			[['ticket', 'fields', 'set', '--input', 'fields.csv'], { custom_fields: { note: value } }],
		];
		for (const [args, body] of bodies) {
			const result = await work.run(args);
			expect(result.exitCode, `${args.join(' ')}\n${result.stderr}`).toBe(0);
			expect(
				takeWrites().map((request) => JSON.parse(request.body) as unknown),
				args.join(' '),
			).toEqual([body]);
		}
	});

	it('of any kind comes through a table unchanged', async () => {
		const text = fc
			.array(fc.oneof(nasty, fc.string({ maxLength: 5 })), { minLength: 1, maxLength: 5 })
			.map((parts) => parts.join('').replaceAll('\0', ''))
			.filter((each) => each.trim() !== '' && Buffer.from(each).toString() === each);
		await holds('values', 200, text, async (value) => {
			const work = createWorkplace(recorder.env);
			work.write('a.csv', `id,content\n14,"${value.replaceAll('"', '""')}"\n`);
			const result = await work.run('ticket update --input a.csv -q');
			expect(result.exitCode, result.stderr).toBe(0);
			expect(takeWrites().map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ content: value }]);
		});
	});
});

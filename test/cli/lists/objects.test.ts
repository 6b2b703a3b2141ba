/** What lists print, and what they say. */

import { describe, expect, test } from 'vitest';
import { runHere } from '../../support/cli.js';
import { startListService, ticket, tickets } from '../../support/list-service.js';
import { json, startRecorder } from '../../support/recorder.js';
import { startSandbox } from '../../support/sandbox.js';

describe('--format count', () => {
	test('costs one request if the total is reliable', async () => {
		const service = await startListService({ objects: tickets(250) });
		expect(await service.run('ticket list --format count')).toEqual({ exitCode: 0, stdout: '250\n', stderr: '' });
		expect(await service.run('ticket list --format count --limit 120')).toMatchObject({ stdout: '120\n' });
		expect(service.requests).toHaveLength(2);
	});

	test('reads all pages if one is shorter than requested, since the total counts hidden objects', async () => {
		const service = await startListService({ objects: tickets(17), total: 2014, totalPages: 21 });
		expect((await service.run('ticket list --format count')).stdout).toBe('17\n');
	});

	test('reads all where the total does not fit the pages', async () => {
		const service = await startListService({ objects: tickets(250), total: 900 });
		expect((await service.run('ticket list --format count')).stdout).toBe('250\n');
	});
});

describe('a list without objects', () => {
	test.each([
		['ticket list --state open', 'no tickets match\n'],
		['ticket list', 'no tickets\n'],
		['ticket list --state open -q', ''],
		['ticket list --state open --json', '{"message":"no tickets match"}\n'],
	])('%s says so on stderr', async (line, stderr) => {
		const service = await startListService({ objects: [] });
		const stdout = line.includes('--json') ? '[]\n' : '';
		expect(await service.run(line)).toEqual({ exitCode: 0, stdout, stderr });
	});
});

describe('application passwords', () => {
	const passwords = {
		'0758e859a3a2': { name: 'CI', slug: '0758e859a3a2' },
		'92bbd263db1b': { name: 'Laptop', slug: '92bbd263db1b' },
	};

	test('are listed where the service shows an object with one under each slug', async () => {
		const service = await startRecorder(json(200, passwords));
		const run = await runHere('user password list 7 --format csv', { env: service.env });
		expect(run).toEqual({
			exitCode: 0,
			stdout: 'user_id,slug,name,created,last_used\n7,0758e859a3a2,CI,,\n7,92bbd263db1b,Laptop,,\n',
			stderr: '',
		});
	});

	test('may be none', async () => {
		const service = await startRecorder(json(200, []));
		const run = await runHere('user password list 7 --format ids', { env: service.env });
		expect(run).toEqual({ exitCode: 0, stdout: '', stderr: 'no application passwords\n' });
	});

	test.each([
		[{ code: 'oops', message: 'Sorry.' }, 1],
		['text', 5],
	])('are not read from %j', async (body, expected) => {
		const service = await startRecorder(json(200, body));
		const { exitCode, stdout } = await runHere('user password list 7 --format ids', { env: service.env });
		expect({ exitCode, stdout }).toEqual({ exitCode: expected, stdout: '' });
	});
});

describe('reply list', () => {
	test('accepts several tickets, as arguments or on stdin, and prints one header', async () => {
		const sandbox = await startSandbox();
		const one = await runHere('reply list 14 --format csv', { env: sandbox.env });
		const other = await runHere('reply list 15 --format csv', { env: sandbox.env });
		const both = await runHere('reply list 14 15 --format csv', { env: sandbox.env });
		expect(both.stdout).toBe(one.stdout + other.stdout.replace(/^.*\n/, ''));
		expect(await runHere('reply list - --format csv', { env: sandbox.env, input: '14\n15\n' })).toEqual(both);
		await sandbox.stop();
	});

	test('--limit applies to all of them together', async () => {
		const sandbox = await startSandbox();
		const { stdout } = await runHere('reply list 14 15 --format ids --limit 2', { env: sandbox.env });
		expect(stdout.trim().split('\n')).toHaveLength(2);
		const before = sandbox.requests.length;
		expect((await runHere('reply list 14 15 --format ids --limit 1', { env: sandbox.env })).stdout).toMatch(/^\d+\n$/);
		expect(sandbox.requests.length - before).toBe(1);
		await sandbox.stop();
	});
});

test('--bom marks CSV and TSV as UTF-8 for Excel, and is refused for other formats', async () => {
	const service = await startListService({ objects: [ticket(14, { title: 'Ä' })] });
	for (const format of ['csv', 'tsv']) {
		const plain = await service.run(`ticket list --fields id,title --format ${format}`);
		const marked = await service.run(`ticket list --fields id,title --bom --format ${format}`);
		expect(marked).toEqual({ ...plain, stdout: `\ufeff${plain.stdout}` });
	}
	expect(await service.run('ticket list --bom --format json')).toMatchObject({
		...{ exitCode: 2, stdout: '' },
		stderr: expect.stringContaining('--bom works with --format csv or tsv'),
	});
});

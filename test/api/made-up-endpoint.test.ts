/** A row that the interface does not have, added to the table: its flags, checks, requests and help follow without another line. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Endpoint, endpoints } from '../../src/api/endpoints.js';
import type { Field } from '../../src/api/fields.js';
import { createPlanner } from '../../src/api/request.js';
import { compileColumns } from '../../src/bulk/input/rows.js';
import type { CommandSpec } from '../../src/cli/command.js';
import { writeCommand } from '../../src/cli/commands/objects.js';
import { command as runRejects } from '../../src/cli/commands/run/rejects.js';
import { command as runShow } from '../../src/cli/commands/run/show.js';
import { commandPage } from '../../src/cli/help/commands.js';
import { pageText } from '../../src/cli/help/page.js';
import { plainPalette } from '../../src/output/colour.js';
import { memoryContext } from '../support/context.js';
import { parseWords } from '../support/parse-words.js';
import { json, type Responder, startRecorder } from '../support/recorder.js';
import { temporaryFolder } from '../support/temporary.js';

const fields: readonly Field[] = [
	{ name: 'macro_name', kind: 'text', help: 'Name of the macro' },
	{ name: 'enabled', kind: 'boolean', help: 'Whether it may be used' },
];

const endpoint: Endpoint = {
	name: 'macro.update',
	method: 'POST',
	path: '/macros/<id>',
	parameters: [{ name: 'id', kind: 'id', help: 'Macro ids' }],
	query: [],
	fields,
	body: 'fields',
	replay: 'set',
	updates: true,
	deletes: false,
	reads: false,
	returns: 'object',
	trash: false,
	noun: 'macro',
	verb: 'update',
	documented: false,
};

const table = endpoints as Record<string, Endpoint>;
afterEach(() => {
	delete table[endpoint.name];
});

/** The command of a row that is in the table until the test is over. */
function commandOf(row: Endpoint): CommandSpec {
	table[row.name] = row;
	return writeCommand(row.name.replaceAll('.', ' '));
}

const words = ['macro', 'update'];

/** A service, and calls of commands to it in a folder of their own. */
async function start(responder: Responder = json(200, { id: 3 }), stdin = '') {
	const recorder = await startRecorder(responder);
	const folder = temporaryFolder();
	const env = { ...recorder.env, SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_STATE_DIR: folder };
	const context = memoryContext({ env, cwd: folder, stdin });
	const call = (command: CommandSpec, own: readonly string[], given: readonly string[]) =>
		command.run({ context, ...parseWords(command, own, given) });
	return { recorder, folder, context, call };
}

test('its request is planned', () => {
	const request = createPlanner(endpoint)({ ids: { id: '3' }, fields: { macro_name: 'Thanks' } });
	expect(request).toMatchObject({ method: 'POST', path: '/support-api/v1/macros/3', body: '{"macro_name":"Thanks"}' });
});

test('its fields are flags in help', () => {
	const command = commandOf(endpoint);
	const page = commandPage({ words, load: async () => command }, command);
	const text = pageText(page, 80, plainPalette);
	expect(text).toContain('--macro-name <text>');
	expect(text).toMatch(/--enabled <true\|false>\s+Whether it may be used/);
});

test('its fields are columns of a spreadsheet, checked by their kind', () => {
	const { read } = compileColumns({
		name: 'macros.csv',
		columns: ['id', 'macro-name', 'enabled'],
		endpoint,
		rules: { undocumented: false },
	});
	expect(read({ row: 1, line: 2, cells: ['3', 'Thanks', 'true'] })).toMatchObject({
		ids: { id: '3' },
		fields: { macro_name: 'Thanks', enabled: true },
	});
	expect(read({ row: 2, line: 3, cells: ['3', 'Thanks', 'yes'] })).toEqual([
		{ row: 2, line: 3, column: 'enabled', message: 'enabled "yes" is not true or false', ids: { id: '3' } },
	]);
});

test('the whole way from flags to the wire and back', async () => {
	const { recorder, context, call } = await start(json(200, { id: 3, macro_name: 'Thanks', enabled: false }));
	const exitCode = await call(commandOf(endpoint), words, ['3', '--macro-name', 'Thanks', '--enabled', 'true']);
	expect({ exitCode, stdout: context.stdout.text, stderr: context.stderr.text }).toEqual({
		exitCode: 6,
		stdout: '3\tdiffers\tThanks\tfalse\tthe service returned a different enabled; enabled is false, not true\n',
		stderr:
			'error: macro 3 updated, but the service returned a different enabled\n' +
			'  enabled is false, not true\nhint: to accept different values: --allow-differs=FIELDS\n',
	});
	expect(recorder.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
		['POST', '/wp-json/support-api/v1/macros/3', '{"macro_name":"Thanks","enabled":true}'],
	]);
});

test('a row with fewer fields makes fewer flags and columns', async () => {
	const narrow = commandOf({ ...endpoint, fields: fields.slice(0, 1) });
	const flags = narrow.options.map((each) => each.flags);
	expect(flags).toContain('--macro-name <text>');
	expect(flags).not.toContain('--enabled <true|false>');
	const { call } = await start(undefined, 'id,macro_name,enabled\n3,Thanks,true\n');
	const line = ['--input', '-', '--input-format', 'csv', '--dry-run'];
	await expect(call(narrow, words, line)).rejects.toThrow('unknown column "enabled"');
});

describe('an id of what a thing belongs to', () => {
	const row: Endpoint = {
		...endpoint,
		name: 'member.update',
		path: '/teams/<team_id>/members/<id>',
		parameters: [
			{ name: 'team_id', kind: 'id', help: 'The team of the members' },
			{ name: 'id', kind: 'id', help: 'Member ids' },
		],
		fields: [{ name: 'role', kind: 'text', help: 'Role in the team' }],
		noun: 'member',
	};

	async function runMember(responder: Responder, line: readonly string[]) {
		const started = await start(responder);
		return { ...started, exitCode: await started.call(commandOf(row), ['member', 'update'], line) };
	}

	test('names failed rows, and stands in the journal, reports and what is read from them', async () => {
		const { folder, context, call, exitCode } = await runMember(json(404, { code: 'no_member', message: 'Gone.' }), [
			...['9', '3', '--role', 'lead', '--journal', 'run.ndjson', '--report', 'markdown:report.md'],
		]);
		expect({ exitCode, stdout: context.stdout.text, stderr: context.stderr.text }).toEqual({
			exitCode: 1,
			stdout: '9\t3\tfailed\t\tGone.\n',
			stderr: expect.stringContaining('error: member 3 of team 9 not found (HTTP 404 no_member): Gone.\n'),
		});
		expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('| 1 |  | member 3 of team 9 | failed |');
		expect(await call(runShow, ['run', 'show'], ['run.ndjson', '--outcome', 'failed'])).toBeUndefined();
		expect(context.stdout.text).toMatch(/\n1\t9\t3\tfailed\tGone\.\n$/);
		expect(await call(runRejects, ['run', 'rejects'], ['run.ndjson', '--format', 'ids'])).toBeUndefined();
		expect(context.stdout.text).toMatch(/\n3\n$/);
	});
});

test('it is asked about before it is sent where its row deletes', async () => {
	const { recorder, call } = await start();
	const asking = commandOf({ ...endpoint, replay: 'delete', updates: false, deletes: true, body: 'none', fields: [] });
	await expect(call(asking, words, ['3'])).rejects.toThrow(
		expect.objectContaining({
			code: 'needs_yes',
			message: expect.stringMatching(/refusing to permanently delete 1 macro on 127\.0\.0\.1/),
		}),
	);
	expect(recorder.requests).toEqual([]);
});

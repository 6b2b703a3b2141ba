/** A row that the interface does not have, added to the table: its flags, checks, requests and help follow without another line. */

import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/api/endpoints.js';
import type { Field } from '../../src/api/fields.js';
import { createPlanner } from '../../src/api/plan.js';
import { compileColumns } from '../../src/bulk/rows.js';
import { commandPage } from '../../src/cli/help/command-page.js';
import { pageText } from '../../src/cli/help/page.js';
import { parseLine } from '../../src/cli/parse.js';
import { endpointCommand } from '../../src/cli/rows/row-command.js';
import { plainPalette } from '../../src/output/colour.js';
import { memoryContext } from '../support/context.js';
import { json, startRecorder } from '../support/recorder.js';
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
	required: [],
	body: 'fields',
	replay: 'set',
	answer: 'object',
	confirm: false,
	noun: 'macro',
};

const commandOf = (row: Endpoint) =>
	endpointCommand(row, { summary: 'Change fields of macros.', examples: [], verb: 'update', nouns: 'macros' });
const command = commandOf(endpoint);

const words = ['macro', 'update'];

test('its request is planned', () => {
	const request = createPlanner(endpoint)({ ids: { id: '3' }, fields: { macro_name: 'Thanks' } });
	expect(request).toMatchObject({ method: 'POST', path: '/support-api/v1/macros/3', body: '{"macro_name":"Thanks"}' });
});

test('its fields are flags in help', () => {
	const text = pageText(commandPage(command, words), 80, plainPalette);
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
	const recorder = await startRecorder(json(200, { id: 3, macro_name: 'Thanks', enabled: false }));
	const folder = temporaryFolder();
	const context = memoryContext({
		env: { ...recorder.env, SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_STATE_DIR: folder },
		cwd: folder,
	});
	const { args, options } = parseLine(command, words, ['3', '--macro-name', 'Thanks', '--enabled', 'true']);
	const exitCode = await command.run({ context, words, args, options });
	expect({ exitCode, stdout: context.stdout.text, stderr: context.stderr.text }).toEqual({
		exitCode: 0,
		stdout: '3\tok\tThanks\tfalse\tenabled is false, not true\n',
		stderr: 'warning: macro 3: enabled is false, not true\n',
	});
	expect(recorder.requests.map(({ method, url, body }) => [method, url, body])).toEqual([
		['POST', '/wp-json/support-api/v1/macros/3', '{"macro_name":"Thanks","enabled":true}'],
	]);
});

test('it is asked about before it is sent where its row says so', async () => {
	const recorder = await startRecorder(json(200, { id: 3 }));
	const folder = temporaryFolder();
	const context = memoryContext({
		env: { ...recorder.env, SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_STATE_DIR: folder },
		cwd: folder,
	});
	const asking = commandOf({ ...endpoint, confirm: true });
	const { args, options } = parseLine(asking, words, ['3', '--macro-name', 'Thanks']);
	await expect(asking.run({ context, words, args, options })).rejects.toThrow(
		expect.objectContaining({
			code: 'needs_yes',
			message: expect.stringMatching(/^to update 1 macro on 127\.0\.0\.1/),
		}),
	);
	expect(recorder.requests).toEqual([]);
});

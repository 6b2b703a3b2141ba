/** Flags that could have no effect are refused before any request: those for input without input, and names of no column. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { camelCase, longName, type OptionSpec } from '../../src/cli/options/option.js';
import { inputOptions } from '../../src/cli/runs/options.js';
import { runHere } from '../support/cli.js';
import { done, startRecorder } from '../support/recorder.js';
import { temporaryFolder } from '../support/temporary.js';

const values: Readonly<Record<string, string>> = {
	inputFormat: ' csv',
	encoding: ' utf-16le',
	map: ' Subject=title',
	ignoreColumn: ' Notes',
	ignoreOtherColumns: '',
	blank: ' clear',
};

const flags = (inputOptions as readonly OptionSpec[]).filter(({ needsInput }) => needsInput === true).map(longName);

const commands = [
	'ticket update 14 --title new',
	'ticket delete 14 --yes',
	'ticket fields get 14',
	'ticket fields set 14 --set a=b',
	'reply update 14 3 --status read',
	'user update 3 --name New',
	'user id ada',
	'user delete 3 --reassign 1 --yes',
	'user password delete 7 0758e859a3a2 --yes',
	'attachment update 8 --title new',
	'term update ticket_priority 22 --name New',
	'term delete product 9 --force --yes',
];

test.each(commands)(
	'%s refuses every flag that says how input is read, for IDs on the command line',
	async (command) => {
		const { env, requests } = await startRecorder(done());
		const updates = command.includes('update') || command.includes('set');
		for (const flag of flags) {
			if (flag === 'blank' && !updates) continue;
			const { exitCode, stderr } = await runHere(`${command} --${flag}${values[camelCase(flag)]}`, { env });
			expect([exitCode, stderr]).toEqual([
				2,
				expect.stringContaining(`error: --${flag} is for rows from a file or stdin`),
			]);
			expect(stderr).toContain('pass the rows with --input FILE');
		}
		expect(requests).toEqual([]);
	},
);

test.each([
	['e.csv', 'id,title\n14,a\n', '--ignore-column nope', '--ignore-column nope: no such column (columns: id, title)'],
	[
		'e.csv',
		'id,title\n14,a\n',
		'--ignore-column titel',
		'--ignore-column titel: no such column; did you mean "title"?',
	],
	['e.csv', 'id,title\n14,a\n', '--map nope=status', '--map nope=status: no such column'],
	['e.csv', 'id,title\n14,a\n', '--blank clear=nope', '--blank clear=nope: no such column'],
	[
		'e.ndjson',
		'{"id":14,"title":"a"}\n',
		'--ignore-column nope',
		'--ignore-column nope: no object of e.ndjson has this key',
	],
	['e.json', '[{"id":14,"title":"a"}]', '--map nope=status', '--map nope=status: no object of e.json has this key'],
	['e.ndjson', '{"id":14,"title":"a"}\n', '--blank clear=nope', '--blank: e.ndjson is JSON, which has no cells'],
	['e.ids', '14\n', '--title x --ignore-column nope', '--ignore-column: e.ids is a list of IDs, which has no columns'],
	['e.ids', '14\n', '--title x --map a=title', '--map: e.ids is a list of IDs, which has no columns'],
	['e.ids', '14\n', '--title x --blank clear', '--blank: e.ids is a list of IDs, which has no columns'],
	['e.ids', '14\n', '--title x --ignore-other-columns', '--ignore-other-columns: e.ids is a list of IDs'],
])('in %s with %j, %s is refused', async (file, text, given, message) => {
	const { env, requests } = await startRecorder(done());
	const cwd = temporaryFolder();
	writeFileSync(join(cwd, file), text);
	const { exitCode, stderr } = await runHere(`ticket update --input ${file} ${given}`, { env, cwd });
	expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
	expect(requests).toEqual([]);
});

test('a key counts if any object has it', async () => {
	const { env, requests } = await startRecorder(done());
	const cwd = temporaryFolder();
	writeFileSync(join(cwd, 'e.ndjson'), '{"id":14,"title":"a"}\n{"id":15,"Subject":"b","note":"c"}\n');
	const words = 'ticket update --input e.ndjson --no-snapshot --map Subject=title --ignore-column note';
	expect(await runHere(words, { env, cwd })).toMatchObject({ exitCode: 0 });
	expect(requests).toHaveLength(2);
});

test('from a pipe, flags for columns need a format that has some', async () => {
	const { env, requests } = await startRecorder(done());
	const ids = await runHere('ticket update - --title x --ignore-column b', { env, input: '14\n' });
	expect([ids.exitCode, ids.stderr]).toEqual([2, expect.stringContaining('standard input is a list of IDs')]);
	expect(ids.stderr).toContain('hint: if it has a header with columns: --input-format csv');
	const words = 'ticket update - --title x --no-snapshot --input-format csv --ignore-column b';
	expect(await runHere(words, { env, input: 'id,b\n14,x\n' })).toMatchObject({ exitCode: 0 });
	expect(requests).toHaveLength(1);
});

/** Forms of input: lists from a pipe, several IDs in a word, delimiters, and empty cells of some columns. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../support/cli.js';
import { done, startRecorder } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

test('a list from a pipe goes into an update: first cells count, and # begins a comment', async () => {
	const { env, store } = await startSandbox();
	const { stdout } = await runHere('ticket list -L 2', { env });
	expect(stdout).toContain('\t');
	const stdin = `# tickets of today\n${stdout}  # and this one\n\n5\tanything\n`;
	const run = await runHere('ticket update - --title new', { env, input: stdin });
	expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 ok') });
	expect([...store.tickets.values()].filter(({ title }) => title === 'new').map(({ id }) => id)).toEqual([1, 2, 5]);
	const got = await runHere('ticket get - --field id', { env, input: stdin });
	expect(got).toMatchObject({ exitCode: 0, stdout: '1\n2\n5\n' });
});

test.each([['11,12,13'], ['#11', '12,#13'], ['11', '12', '13']])('%s are three tickets', async (...ids: string[]) => {
	const { env, store } = await startSandbox();
	expect(await runHere(['ticket', 'update', ...ids, '--title', 'new'], { env })).toMatchObject({ exitCode: 0 });
	expect([11, 12, 13].map((id) => store.tickets.get(id)?.title)).toEqual(['new', 'new', 'new']);
	expect((await runHere(['ticket', 'get', ...ids, '--field', 'id'], { env })).stdout).toBe('11\n12\n13\n');
});

test('--delimiter separates the cells of an export, and of the input of an update and its resume', async () => {
	const { env: own, store } = await startSandbox();
	const env = { ...own, SUPPORTCTL_STATE_DIR: temporaryFolder() };
	const cwd = temporaryFolder();
	const { stdout } = await runHere(['ticket', 'list', '-L', '2', '--format', 'csv', '--delimiter', ';'], { env });
	expect(stdout).toMatch(/^id;date;.*\n1;2025/);
	writeFileSync(join(cwd, 'e.csv'), 'id|title\n11|a,b;c\n12|d\n');
	const words = ['ticket', 'update', '--input', 'e.csv', '--delimiter', '|', '--first', '1'];
	expect(await runHere(words, { env, cwd })).toMatchObject({ exitCode: 0 });
	expect(await runHere('run resume last', { env, cwd })).toMatchObject({ exitCode: 0 });
	expect([11, 12].map((id) => store.tickets.get(id)?.title)).toEqual(['a,b;c', 'd']);
	const odd = await runHere(['ticket', 'list', '--delimiter', 'ab'], { env });
	expect([odd.exitCode, odd.stderr]).toEqual([
		2,
		expect.stringContaining("--delimiter takes one character, such as ';'"),
	]);
});

test('--blank clear=COLUMN clears the empty cells of that column alone', async () => {
	const { env, store } = await startSandbox();
	const cwd = temporaryFolder();
	writeFileSync(join(cwd, 'e.csv'), 'id,Content,title\n11,,\n12,text,\n');
	const { title } = store.tickets.get(11) ?? {};
	const words = 'ticket update --input e.csv --blank';
	const run = await runHere(`${words} clear=content`, { env, cwd });
	expect(run).toMatchObject({ exitCode: 0 });
	expect(store.tickets.get(11)).toMatchObject({ content: '', title });
	expect(store.tickets.get(12)).toMatchObject({ content: 'text' });
	const typo = await runHere(`${words} clear=contnt`, { env, cwd });
	expect([typo.exitCode, typo.stderr]).toEqual([
		2,
		expect.stringContaining('--blank clear=contnt: no such column; did you'),
	]);
	expect((await runHere(`${words} clera`, { env, cwd })).stderr).toContain('use skip, clear or clear=COLUMN');
});

test('--quiet silences the rows of a plan, and an empty base URL is no other host', async () => {
	const { env } = await startSandbox();
	const cwd = temporaryFolder();
	const plan = await runHere('ticket update 11 12 --title new --plan p.plan -q', { env, cwd });
	expect(plan).toEqual({ exitCode: 0, stdout: '', stderr: '' });
	expect(readFileSync(join(cwd, 'p.plan'), 'utf8')).toContain('new');
	const { SUPPORTCTL_BASE_URL: url = '', ...others } = env as Record<string, string>;
	const rest = { ...others, SUPPORTCTL_CONFIG_DIR: cwd };
	await runHere(`profile set desk --base-url ${url} --username ada`, { env: rest });
	const lost = await runHere('ticket list', { env: { ...rest, SUPPORTCTL_BASE_URL: '' } });
	expect([lost.exitCode, lost.stderr]).toEqual([
		2,
		expect.stringContaining('SUPPORTCTL_BASE_URL is empty; the current profile "desk"'),
	]);
	expect(
		(await runHere('ticket list --profile desk -L 1', { env: { ...rest, SUPPORTCTL_BASE_URL: '' } })).stderr,
	).not.toContain('is empty');
});

test('bad values and unknown names of one row are complained about together', async () => {
	const { env } = await startSandbox();
	const cwd = temporaryFolder();
	writeFileSync(join(cwd, 'e.csv'), 'id,assignee,status\n11,jose.kay,hodl\n12,jose.kaya,hold\n');
	const { exitCode, stderr } = await runHere('ticket update --input e.csv', { env, cwd });
	expect(exitCode).toBe(2);
	expect(stderr).toContain('status "hodl" is unknown; did you mean "hold"?');
	expect(stderr).toContain('user "jose.kay" not found; did you mean "jose.kaya"?');
	expect(stderr).toContain('1 of 2 rows is invalid');
});

test('a sheet in UTF-16, as Excel and PowerShell write it, is read by an update, its resume and its rejects', async () => {
	const { env: own, store } = await startSandbox();
	const env = { ...own, SUPPORTCTL_STATE_DIR: temporaryFolder() };
	const cwd = temporaryFolder();
	const sheet = 'ID\tSubject\tStatus\r\n11\tCaf\u00e9 \u4f60\t\r\n12\tb\t\r\n13\tc\thodl\r\n';
	writeFileSync(join(cwd, 'sheet.txt'), `\uFEFF${sheet}`, 'utf16le');
	writeFileSync(join(cwd, 'bare-sheet.txt'), sheet, 'utf16le');
	writeFileSync(join(cwd, 'ids.txt'), '\uFEFF11\r\n12\r\n', 'utf16le');
	const update = 'ticket update --skip-invalid --first 1 --input';
	for (const words of [`${update} sheet.txt`, `${update} bare-sheet.txt --encoding UTF-16`]) {
		for (const id of [11, 12]) Object.assign(store.tickets.get(id) ?? {}, { title: 'old' });
		const run = await runHere(words, { env, cwd });
		expect(run).toMatchObject({ stderr: expect.stringContaining('sheet.txt line 4') });
		await runHere('run resume last', { env, cwd });
		expect([11, 12].map((id) => store.tickets.get(id)?.title)).toEqual(['Caf\u00e9 \u4f60', 'b']);
		const rejects = await runHere('run rejects last', { env, cwd });
		expect(rejects).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('hodl') });
	}
	const got = await runHere('ticket get - --field id', { env, cwd, input: Buffer.from('\uFEFF11\n', 'utf16le') });
	expect(got).toMatchObject({ exitCode: 0, stdout: '11\n' });
	const undone = await runHere('run undo last --ids @ids.txt --yes', { env, cwd });
	expect(undone).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('2 ok') });
	const other = await runHere(`${update} bare-sheet.txt --encoding latin1`, { env, cwd });
	expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('use utf-8, utf-16le, utf-16be')]);
});

test.each([
	['ticket update', 'id', '--title new'],
	['ticket delete', 'id', '--yes'],
	['user update', 'id', '--name new'],
	['user update', 'user_id', '--name new'],
])(
	'%s says what a text in the place of an ID looks like, in a column %s and as an argument',
	async (words, column, flags) => {
		const { env, requests } = await startRecorder(done());
		const cwd = temporaryFolder();
		const shown: Record<string, string> = {
			'14.0': 'looks like a decimal number; write 14',
			'https://desk.example/wp-admin/post.php?post=14': 'looks like a URL; write 14',
			'https://desk.example/tickets/14': 'looks like a URL; write 14',
		};
		writeFileSync(join(cwd, 'e.csv'), [column, ...Object.keys(shown), ''].join('\n'));
		const file = await runHere(`${words} --input e.csv ${flags}`, { env, cwd });
		expect(file.exitCode).toBe(2);
		for (const [text, what] of Object.entries(shown)) {
			const message = `invalid ID "${text}" (${what})`;
			expect(file.stderr).toContain(message);
			const one = await runHere([...words.split(' '), text, ...flags.split(' ')], { env });
			expect([one.exitCode, one.stderr]).toEqual([2, expect.stringContaining(message)]);
			expect(one.stderr).not.toContain('--input http');
		}
		expect(requests).toEqual([]);
	},
);

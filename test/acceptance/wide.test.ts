/** Input and responses of very many fields: refused where they are no edit, and read in a time that grows with them. */

import { expect, test } from 'vitest';
import { startDesk } from '../support/desk.js';
import { json, startRecorder } from '../support/recorder.js';
import { createWorkplace } from '../support/workplace.js';

const named = (count: number, value: unknown): [string, unknown][] =>
	Array.from({ length: count }, (_, at) => [`key${at}`, value]);

const wide = (first: object, count = 10_000): string =>
	JSON.stringify({ ...first, ...Object.fromEntries(named(count, 'x')) });

const header = (first: string, separator: string, count = 10_000): string =>
	[first, ...named(count, '').map(([name]) => name)].join(separator);

test.each([
	['w.csv', `${header('id', ',')}\n5,x\n`, 'w.csv line 1: 10,001 columns: more than 10,000 are not read'],
	['w.tsv', `${header('id', '\t')}\n5\tx\n`, 'w.tsv line 1: 10,001 columns: more than 10,000 are not read'],
	['w.json', `[{"id":4,"status":"hold"},${wide({ id: 5 })}]`, '10,001 keys: more than 10,000 are not read'],
	['w.ndjson', `${wide({ id: 5 })}\n`, '10,001 keys: more than 10,000 are not read'],
])('%s of more than 10,000 columns is refused before anything is sent', async (name, text, message) => {
	const { recorder, work } = await startDesk();
	work.write(name, text);
	for (const command of [`ticket update --input ${name}`, `ticket update --input ${name} --plan p.plan`]) {
		const { exitCode, stderr } = await work.run(command);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
	}
	expect(recorder.requests).toEqual([]);
});

test('--data of more than 10,000 keys is refused, whatever the write', async () => {
	const { recorder, work } = await startDesk();
	work.write('data.json', wide({ status: 'hold' }));
	for (const command of ['ticket update 5', 'user update 5', 'reply update 5 6']) {
		const { exitCode, stderr } = await work.run(`${command} --data @data.json --undocumented`);
		expect([exitCode, stderr]).toEqual([2, 'error: --data: 10,001 keys: more than 10,000 are not read\n']);
	}
	expect(recorder.requests).toEqual([]);
});

test('a body of more than 10,000 keys is refused by api, too', async () => {
	const { recorder, work } = await startDesk();
	work.write('data.json', wide({ status: 'hold' }));
	const { exitCode, stderr } = await work.run('api POST tickets/5 --input data.json');
	expect([exitCode, stderr]).toEqual([2, 'error: data.json: 10,001 keys: more than 10,000 are not read\n']);
	expect(recorder.requests).toEqual([]);
	work.write('data.json', wide({ status: 'hold' }, 9999));
	expect((await work.run('api POST tickets/5 --input data.json')).exitCode).toBe(0);
});

test('keys that differ from row to row are ignored in each of them', async () => {
	const { recorder, work } = await startDesk();
	const rows = Array.from({ length: 3000 }, (_, at) => `{"id":5,"title":"t${at}","own${at}":1}`);
	work.write('rows.ndjson', rows.join('\n'));
	const command = 'ticket update --input rows.ndjson -n -v --format count';
	const { exitCode, stdout, stderr } = await work.run(`${command} --ignore-other-columns`);
	expect([exitCode, stdout], stderr).toEqual([0, '3000\n']);
	const refused = await work.run(command);
	expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('unknown column "own0"')]);
	expect(refused.stderr).toContain('3,000 of 3,000 rows are invalid; nothing was sent');
	expect(recorder.writes).toEqual([]);
});

test('10,000 columns are read, and of those that are unknown twenty are named', async () => {
	const { recorder, work } = await startDesk();
	const cells = ',x'.repeat(9998);
	work.write('w.csv', `${header('id,status', ',', 9998)}\n5,hold${cells}\n`);
	const { exitCode, stderr } = await work.run('ticket update --input w.csv');
	expect(exitCode, stderr).toBe(2);
	expect(stderr.match(/unknown column/g)).toHaveLength(20);
	expect(stderr).toMatch(/… and 9,978 more\n.*to ignore them: --ignore-other-columns;/);
	expect(recorder.requests).toEqual([]);
	const ignoring = await work.run('ticket update --input w.csv --ignore-other-columns');
	expect(ignoring.exitCode, ignoring.stderr).toBe(0);
	expect(recorder.object('/tickets/5')).toMatchObject({ status: 'hold' });
});

test('a ticket with thousands of custom fields is printed, a column each', async () => {
	const fields = Object.fromEntries(named(3000, 'x').map(([name, value]) => [name, { name, value }]));
	const recorder = await startRecorder(json(200, fields));
	const work = createWorkplace(recorder.env);
	for (const format of ['table', 'csv']) {
		const { exitCode, stdout, stderr } = await work.run(`ticket fields get 6 --format ${format}`);
		expect(exitCode, stderr).toBe(0);
		expect(stdout.match(/\bx\b/g)).toHaveLength(3000);
	}
});

test('a plan of thousands of changed fields is made and shown, a line each', async () => {
	const held = Object.fromEntries(named(3000, 'old'));
	const { work } = await startDesk(undefined, ({ url }) =>
		/\/tickets\/5\b/.test(url) ? json(200, { id: 5, title: 't5', ...held }) : undefined,
	);
	work.write('data.json', JSON.stringify(Object.fromEntries(named(3000, 'new'))));
	for (const command of [
		'ticket update 5 --data @data.json --undocumented --plan p.plan',
		'run show p.plan',
		'ticket update 5 --data @data.json --undocumented --dry-run',
	]) {
		const { exitCode, stdout, stderr } = await work.run(command);
		expect(exitCode, stderr).toBe(0);
		expect(stdout.match(/\told\tnew\b/g), command).toHaveLength(3000);
	}
});

/** What a resume keeps of the run that it goes on with, and what each part of a sharded run counts. */

import { describe, expect, it } from 'vitest';
import { startClosing } from '../support/closing-service.js';
import { startDesk } from '../support/desk.js';
import { done, json, type Responder } from '../support/recorder.js';

const ok = done();

it('rows that can not be sent are counted by the first shard alone', async () => {
	const { recorder, work } = await startDesk(ok);
	work.sheet('edits.csv', 'id,status', 40, (row) => `${row},${row % 10 === 0 ? 'hodl' : 'hold'}`);
	const counts: unknown[] = [];
	for (const [shard, exitCode] of [
		['1/2', 3],
		['2/2', 0],
	] as const) {
		const args = ['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', '--shard', shard, '-q'];
		expect((await work.run(args)).exitCode).toBe(exitCode);
		counts.push(work.records().at(-1)?.counts);
		const [run] = JSON.parse((await work.run('run list --json')).stdout) as [Record<string, number>];
		expect(run).toMatchObject({ shard, input_rows: 40, open: 0 });
		expect((run.ok as number) + (run.invalid as number)).toBe(run.rows);
	}
	expect(counts).toMatchObject([
		{ invalid: 4, 'not-sent': 0 },
		{ invalid: 0, 'not-sent': 0 },
	]);
	expect(recorder.writes).toHaveLength(36);
});

describe('a resumed run', () => {
	it('counts an invalid row once', async () => {
		const { work, open } = await startClosing(3);
		work.sheet('edits.csv', 'id,status', 10, (row) => `${row},${row === 2 ? 'hodl' : 'hold'}`);
		const args = ['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', '-j', '1', '-q'];
		expect((await work.run(args)).exitCode).toBe(4);
		open();
		expect((await work.run('run resume last -q')).exitCode).toBe(3);
		expect(work.records().at(-1)?.counts).toMatchObject({ ok: 9, invalid: 1, 'not-sent': 0 });
		expect(work.records().filter(({ type, row }) => type === 'row' && row === 2)).toHaveLength(1);
	});

	it('sends every secret that was given again', async () => {
		const { recorder, work, open } = await startClosing(1);
		const fields = { password: 'new pass', api_key: 'new key', locale: 'de' };
		work.write('new.json', JSON.stringify(fields));
		const data = ['--data', '@new.json', '--undocumented', '--no-snapshot'];
		expect((await work.run(['user', 'update', '1', '2', '3', ...data, '-j', '1', '-q'])).exitCode).toBe(4);
		open();
		expect((await work.run('run resume last -q --data @new.json')).exitCode).toBe(0);
		expect(recorder.writes.map(({ body }) => JSON.parse(body))).toEqual([fields, fields]);
	});

	it('of a protected profile has to be confirmed again; another profile is its own', async () => {
		const { recorder, work, open } = await startClosing(1);
		const bare = { SUPPORTCTL_USERNAME: '', SUPPORTCTL_PASSWORD: '' };
		const store = (name: string, ...more: string[]) => {
			const flags = ['--base-url', recorder.baseUrl, '--username', name, '--password-stdin', '--insecure-storage'];
			return work.run(['profile', 'set', name, ...flags, ...more], { stdin: `pw of ${name}`, env: bare });
		};
		await store('live', '--protected');
		await store('other');
		const update = ['ticket', 'update', '1', '2', '3', '--status', 'hold', '-j', '1', '-q'];
		expect((await work.run([...update, '--profile', 'live', '--confirm=live'], { env: bare })).exitCode).toBe(4);
		open();
		const unconfirmed = await work.run('run resume last -q', { env: bare });
		expect([unconfirmed.exitCode, recorder.writes.length]).toEqual([2, 0]);
		expect(unconfirmed.stderr).toContain('pass --confirm=live');
		const other = await work.run('run resume last -q --profile other', { env: bare });
		expect(other.exitCode).toBe(0);
		const sent = Buffer.from('other:pw of other').toString('base64');
		expect(recorder.writes[0]?.headers.authorization).toBe(`Basic ${sent}`);
	});
});

it('no copy of standard input is left where its header can not be used', async () => {
	const { work } = await startDesk(ok);
	const args = ['ticket', 'update', '--input', '-', '--input-format', 'csv'];
	expect((await work.run(args, { stdin: 'id,nonsense\n1,2\n' })).exitCode).toBe(2);
	expect(work.spooled()).toEqual([]);
});

describe('standard input as the input of a resume', () => {
	const lost: Responder = (_request, response) =>
		response.writeHead(504, { 'content-type': 'text/html' }).end('<html></html>');

	it('is not kept where rows hold secrets, though rows are open', async () => {
		const { recorder, work } = await startDesk(lost);
		const stdin = 'id,password\n7,hunter2hunter2\n';
		const update = ['user', 'update', '--input', '-', '--input-format', 'csv', '--retries', '0', '-q'];
		expect((await work.run(update, { stdin })).exitCode).toBe(5);
		expect((await work.run('run resume last --input - --retries 0 -q', { stdin })).exitCode).toBe(5);
		expect(recorder.writes.filter(({ method }) => method === 'POST')).toHaveLength(2);
		expect(work.spooled()).toEqual([]);
	});

	it('is not kept beside the copy that the journal names, which stays', async () => {
		const { work } = await startDesk(lost);
		const update = ['ticket', 'update', '--input', '-', '--input-format', 'csv', '--retries', '0', '-q'];
		expect((await work.run(update, { stdin: 'id,status\n7,hold\n' })).exitCode).toBe(5);
		const kept = work.spooled();
		expect(kept).toHaveLength(1);
		const resume = ['run', 'resume', 'last', '--input', '-', '--retries', '0', '-q'];
		expect((await work.run(resume, { stdin: 'id,status\n8,hold\n' })).exitCode).toBe(2);
		expect((await work.run(resume, { stdin: 'id,status\n7,hold\n' })).exitCode).toBe(5);
		expect(work.spooled()).toEqual(kept);
	});
});

it('run rejects prints no value that a column with another name sent as a secret', async () => {
	const { recorder, work } = await startDesk(json(400, { code: 'no', message: 'weak' }));
	work.write('users.csv', 'id,pw\n7,hunter2hunter2\n');
	expect((await work.run('user update --input users.csv --map pw=password -q')).exitCode).toBe(1);
	expect(recorder.writes[0]?.body).toBe('{"password":"hunter2hunter2"}');
	const { stdout } = await work.run('run rejects last --format csv');
	expect(stdout).toBe('id,pw,error\n7,[redacted],400 no: weak\n');
});

it('a failed row of standard input can be retried; a copy is kept only where rows failed or are open', async () => {
	let responder = json(400, { code: 'no', message: 'busy' });
	const { recorder, work } = await startDesk(() => responder);
	expect((await work.run('ticket update - --title x -q', { stdin: '7\n8\n' })).exitCode).toBe(1);
	expect(work.spooled()).toHaveLength(1);
	responder = ok;
	expect((await work.run('run retry last -q')).exitCode).toBe(0);
	expect(recorder.writes.slice(2).map(({ url }) => url.split('/').at(-1))).toEqual(['7', '8']);
	expect(work.spooled()).toEqual([]);
	expect((await work.run('ticket update - --title x -q', { stdin: '7\n8\n' })).exitCode).toBe(0);
	expect(work.spooled()).toEqual([]);
});

it('what stands below a secret name is a secret too', async () => {
	const { work } = await startDesk(json(400, { code: 'no', message: 'bad value marker-deep' }));
	work.write('rows.ndjson', `${JSON.stringify({ id: 1, meta: { credentials: { inner: 'marker-deep' } } })}\n`);
	const { stdout, stderr } = await work.run('user update --input rows.ndjson --format json');
	expect(stdout + stderr + JSON.stringify(work.records())).not.toContain('marker-deep');
});

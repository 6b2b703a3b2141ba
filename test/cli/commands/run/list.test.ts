import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonLines, type Words } from '../../../support/cli.js';
import { headerOf, outcomeOf, planOf, startJournal } from '../../../support/journal.js';
import { startSandbox, type TestSandbox } from '../../../support/sandbox.js';
import { createWorkplace, type Workplace } from '../../../support/workplace.js';

let sandbox: TestSandbox;
beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

const place = (): Workplace => createWorkplace(sandbox.env);
/** Paths of all requests but reads. */
const writes = (): string[] =>
	sandbox.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path.replace(/^.*\/v1/, ''));
const journalsOf = ({ env }: Workplace): string => env.SUPPORTCTL_STATE_DIR as string;
const output = async (work: Workplace, words: Words): Promise<string> => (await work.run(words)).stdout;
const jsonOf = async (work: Workplace, words: Words) => JSON.parse(await output(work, words));
const lastRun = (work: Workplace) => jsonOf(work, 'run show last --json');

const EDITS = 'id,status,title,note\n1,hold,"a, b",x\n999901,hold,"two\nlines",y\n2,read,c,z\n999902,hold,=1+1, w \n';

/** A place with a run whose second and fourth row failed. */
async function edited(): Promise<Workplace> {
	const work = place();
	work.write('edits.csv', EDITS);
	const { exitCode } = await work.run('ticket update --input edits.csv --ignore-column note -q');
	expect(exitCode).toBe(3);
	return work;
}

describe('run rejects', () => {
	it('prints failed rows with the columns of the input plus error, and an update accepts them once they are fixed', async () => {
		const work = await edited();
		const { exitCode, stdout, stderr } = await work.run('run rejects last --format csv');
		const error = (id: number): string => `404 rest_post_invalid_id: ticket ${id} not found; nothing was written`;
		expect({ exitCode, stdout, stderr }).toEqual({
			exitCode: 0,
			stderr: '',
			stdout: `id,status,title,note,error\n999901,hold,"two\nlines",y,${error(999901)}\n999902,hold,=1+1," w ",${error(999902)}\n`,
		});
		work.write('again.csv', stdout.replace('999901,', '3,').replace('999902,', '4,'));
		expect((await work.run('ticket update --input again.csv --ignore-column note -q')).exitCode).toBe(0);
		expect(writes().slice(-2)).toEqual(['/tickets/3', '/tickets/4']);
	});

	it('uses the format of the input by default', async () => {
		const work = place();
		work.write('edits.ndjson', '{"id":999901,"ticket-tag":[1,2],"title":"x"}\n{"id":1,"title":"y"}\n');
		await work.run('ticket update --input edits.ndjson -q');
		expect(await jsonOf(work, 'run rejects last')).toEqual({
			id: 999901,
			'ticket-tag': [1, 2],
			title: 'x',
			error: expect.stringContaining('404 rest_post_invalid_id'),
		});
		work.write('edits.ndjson', '{"id":999901,"title":"x"}\n{"id":999902,"status":"hold"}\n');
		await work.run('ticket update --input edits.ndjson -q -j 1');
		expect(await output(work, 'run rejects last --format csv')).toMatch(
			/^id,title,status,error\n999901,x,,404 .*\n999902,,hold,404 .*\n$/,
		);
		await work.run('ticket delete 999901 999902 --yes -q');
		expect(await output(work, 'run rejects last')).toMatch(/^id,error\n999901,404 .*\n999902,404 .*\n$/);
	});

	it('prints invalid rows with all of their problems', async () => {
		const work = place();
		work.write('edits.csv', 'id,status,assignee\n1,hold,3\n2,hodl,1.5\n');
		expect((await work.run('ticket update --input edits.csv --skip-invalid -q')).exitCode).toBe(3);
		const error = 'status "hodl" is unknown; did you mean "hold"?; assignee "1.5" is not a username, an ID or none';
		expect(await jsonOf(work, 'run rejects last --json')).toEqual([
			{ id: '2', status: 'hodl', assignee: '1.5', error },
		]);
	});

	it('as ids names the rows themselves, whatever the input calls its columns, and counts those without an id', async () => {
		const work = place();
		const ids = 'run rejects last --format ids';
		work.write('edits.csv', 'No,status,assignee\n999901,hold,3\n7,hodl,2\n1,hold,4\n');
		expect((await work.run('ticket update --input edits.csv --map No=id --skip-invalid -q')).exitCode).toBe(3);
		expect(await output(work, ids)).toBe('999901\n7\n');
		work.write('edits.ndjson', '{"id":999902,"assignee":3}\n');
		await work.run('ticket update --input edits.ndjson -q');
		expect(await output(work, ids)).toBe('999902\n');
		expect(await output(work, `${ids} --query [].assignee`)).toBe('3\n');
		work.write('edits.csv', 'id,status\n999901,hold\nxx,hold\n999902,hold\n');
		await work.run('ticket update --input edits.csv --skip-invalid -q -j 1');
		expect(await work.run(ids)).toEqual({
			exitCode: 0,
			stdout: '999901\n999902\n',
			stderr: 'warning: 1 row without a readable ID; use --format csv to print all of them\n',
		});
	});

	it('adds a column that fields set does not send, and says so', async () => {
		const work = place();
		work.write('again.csv', 'ticket_id,color,error,rejected_because\n1,red,404 x,y\n');
		const set = 'ticket fields set --input again.csv --dry-run --json';
		const plain = await work.run(set);
		expect(JSON.parse(plain.stdout)[0].body).toEqual({ custom_fields: { color: 'red' } });
		for (const name of ['error', 'rejected_because']) {
			expect(plain.stderr).toContain(`column ${name} is not sent; to send it: --map ${name}=${name}`);
		}
		const [mapped] = await jsonOf(work, `${set} --map error=error`);
		expect(mapped.body).toEqual({ custom_fields: { color: 'red', error: '404 x' } });
	});

	it.each([
		['csv', 'ticket_id,color,error\n999901,red,E7\n'],
		['ndjson', '{"ticket_id":999901,"color":"red","error":"E7"}\n'],
	])('leaves the input’s own column error as it is where it is sent, and sends no reason: %s', async (format, text) => {
		const work = place();
		const set = (file: string, flags = '') => work.run(`ticket fields set --input ${file} -q${flags}`);
		const bodyOf = async (flags = '') =>
			JSON.parse((await set(`again.${format}`, `${flags} --dry-run --json`)).stdout)[0].body;
		const rejects = `run rejects last --format ${format}`;
		const mapped = ' --map error=error';
		work.write(`fields.${format}`, text);
		expect((await set(`fields.${format}`, mapped)).exitCode).toBe(1);
		const first = await output(work, rejects);
		const [, reason] = /(404 rest_post_invalid_id: [^\n"]*)/.exec(first) as RegExpExecArray;
		expect(first).toBe(
			format === 'csv'
				? `ticket_id,color,error,rejected_because\n999901,red,E7,${reason}\n`
				: `{"ticket_id":999901,"color":"red","error":"E7","rejected_because":"${reason}"}\n`,
		);
		work.write(`again.${format}`, first.replace('999901', '1'));
		expect(await bodyOf(mapped)).toEqual({ custom_fields: { color: 'red', error: 'E7' } });
		expect(await bodyOf()).toEqual({ custom_fields: { color: 'red' } });
		work.write(`again.${format}`, first);
		// The second reason takes the first one's place.
		expect((await set(`again.${format}`, mapped)).exitCode).toBe(1);
		expect(await output(work, rejects)).toBe(first);
	});

	it('prints empty cells for a row with a wrong number of them, and its text under error unless a column is secret', async () => {
		const work = place();
		const update = (...flags: string[]) => work.run(['ticket', 'update', '-q', '--json', ...flags]);
		work.write('edits.csv', 'id,title,assignee\n14,Printer, 3rd floor,7\n999901,x,3\n15,Toner\n');
		expect((await update('--input', 'edits.csv', '--skip-invalid')).exitCode).toBe(1);
		const rejects = await work.run('run rejects last --format csv');
		const [gone] = /404 rest_post_invalid_id: [^\n"]*/.exec(rejects.stdout) as RegExpExecArray;
		expect(rejects).toEqual({
			exitCode: 0,
			stdout: [
				'id,title,assignee,error',
				',,,"line 2: 4 cells where the header has 3 columns: 14,Printer,"" 3rd floor"",7"',
				`999901,x,3,${gone}`,
				',,,"line 4: 2 cells where the header has 3 columns: 15,Toner"',
				'',
			].join('\n'),
			stderr: '',
		});
		// Such a row has no id, so that it is not sent before it is fixed.
		const before = sandbox.requests.length;
		work.write('again.csv', rejects.stdout);
		expect([(await update('--input', 'again.csv')).exitCode, sandbox.requests.length]).toEqual([2, before]);
		work.write('users.csv', 'id,password\n1,hunter22,x\n');
		await work.run('user update --input users.csv --skip-invalid -q');
		expect(await output(work, 'run rejects last --format csv')).toBe(
			'id,password,error\n,[redacted],line 2: 3 cells where the header has 2 columns\n',
		);
	});

	it('never prints a secret, and its placeholder is never sent as a value', async () => {
		const work = place();
		work.write('users.csv', 'id,password\n999901,hunter22\n');
		await work.run('user update --input users.csv -q');
		const rejects = await output(work, 'run rejects last --format csv');
		expect(rejects).toMatch(/^id,password,error\n999901,\[redacted\],404 /);
		work.write('again.csv', rejects);
		const before = sandbox.requests.length;
		const again = await work.run('user update --input again.csv -q');
		expect(again.exitCode).toBe(2);
		expect(again.stderr).toContain('password is the placeholder [redacted]; replace it with the actual value');
		expect(sandbox.requests.length).toBe(before);
		expect(work.journals()).toHaveLength(1);
		expect(JSON.stringify(work.records())).not.toContain('hunter22');
	});

	it('of a run over standard input exports its copy, and ids alone where that is gone', async () => {
		const work = place();
		const first = await work.run('ticket update --input - -q', { stdin: 'id,title\n999901,x\n1,y\n' });
		expect(first.exitCode).toBe(3);
		expect(await output(work, 'run rejects last')).toMatch(/^id,title,error\n999901,x,404 .*\n$/);
		rmSync(join(journalsOf(work), 'spool'), { recursive: true });
		const { stdout, stderr } = await work.run('run rejects last');
		expect(stdout).toMatch(/^id,error\n999901,404 .*\n$/);
		expect(stderr).toContain('exporting only IDs');
	});

	it.each([
		['5,hold,x,\n', 'run rejects last --format csv'],
		['number,nonsense\n1,x\n', 'run rejects last --outcome not-sent'],
	])('rejects an input that changed since the run: %j', async (more, words) => {
		const work = await edited();
		appendFileSync(join(work.folder, 'edits.csv'), more);
		const { exitCode, stdout, stderr } = await work.run(words);
		expect([exitCode, stdout]).toEqual([2, '']);
		expect(stderr).toMatch(/^error: the input changed since run \S+ was started/);
	});
});

describe('rows that a run ended without', () => {
	const STOPPED = ' --stop-on-error -j 1 -q';
	const unreached = 'run rejects last --outcome not-sent';
	const WHY = 'the run ended before this row';
	const SHORT = 'id,status\n1,hold\n999901,hold\n3,hold\n4,hold\n';

	it('are printed from the input with --outcome not-sent', async () => {
		const work = place();
		work.write('edits.csv', 'id,status,title\n1,hold,a\n999901,hold,b\n3,hold,"c, d"\n4,hodl,e\n5,hold\n6,hold,g\n');
		await work.run(`ticket update --input edits.csv --skip-invalid${STOPPED}`);
		// Rows that can't be sent were read ahead, and have a record.
		const { exitCode, stdout } = await work.run(`${unreached} --format csv`);
		expect([exitCode, stdout]).toEqual([0, `id,status,title,error\n3,hold,"c, d",${WHY}\n6,hold,g,${WHY}\n`]);
		const both = jsonLines(await output(work, `${unreached},failed --format ndjson`));
		expect(both.map(({ id }) => id)).toEqual(['999901', '3', '6']);
		expect(await output(work, `${unreached} --format ids`)).toBe('3\n6\n');
		const before = writes().length;
		work.write('again.csv', stdout);
		expect((await work.run('ticket update --input again.csv -q')).exitCode).toBe(0);
		expect(writes().slice(before)).toEqual(['/tickets/3', '/tickets/6']);
		expect(await work.run(`${unreached} --format ids`)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
	});

	it('are those of its own shard', async () => {
		const work = place();
		work.sheet('edits.csv', 'id,status', 40, (row) => `${999900 + row},hold`);
		const found: string[] = [];
		for (const shard of ['1/2', '2/2']) {
			await work.run(`ticket update --input edits.csv --shard ${shard}${STOPPED}`);
			const own = (await output(work, `${unreached} --outcome failed --format ids`)).trim().split('\n');
			const run = await lastRun(work);
			expect([own.length, run.failed]).toEqual([run.failed + run.not_sent, 1]);
			found.push(...own);
		}
		expect(found.sort()).toEqual(Array.from({ length: 40 }, (_, index) => String(999901 + index)));
	});

	it('are those of its own shard in the words of its profile, also where that is gone and the input elsewhere', async () => {
		const work = place();
		const profile = `profile set other --base-url ${sandbox.baseUrl} --product-prefix fluent --username ${sandbox.username}`;
		const secret = ['--secret-command', `echo '${sandbox.password}'`];
		expect((await work.run([...profile.split(' '), ...secret])).exitCode).toBe(0);
		work.edits(40);
		await work.run(`ticket update --input edits.csv --profile other --shard 1/2${STOPPED}`);
		const rejects = `${unreached} --outcome failed --format ids`;
		const all = await output(work, rejects);
		rmSync(join(work.folder, 'config'), { recursive: true });
		renameSync(join(work.folder, 'edits.csv'), join(work.folder, 'moved.csv'));
		expect(await work.run(`${rejects} --input moved.csv`)).toEqual({ exitCode: 0, stdout: all, stderr: '' });
		const run = await lastRun(work);
		expect([run.failed, run.not_sent]).toEqual([1, all.split('\n').length - 2]);
	});

	it.each([
		['ids as arguments', 'ticket update 999901 2 3 --status hold'],
		['a list of ids', 'ticket update --input list.ids --status hold'],
	])('are given back of a run over %s', async (_, words) => {
		const work = place();
		work.write('list.ids', '999901\n2\n3\n');
		await work.run(words + STOPPED);
		expect(await output(work, `${unreached} --format csv`)).toBe(`id,error\n2,${WHY}\n3,${WHY}\n`);
	});

	it('are given back with every id of their path also of a run that reached no row', async () => {
		const work = place();
		await work.run(`reply update 3 999901 4 --content x${STOPPED}`);
		const { journal } = await lastRun(work);
		const lines = readFileSync(journal, 'utf8').split('\n');
		writeFileSync(journal, lines.filter((line) => !line.startsWith('{"type":"row"')).join('\n'));
		expect(await output(work, `${unreached} --format csv`)).toBe(`ticket_id,id,error\n3,999901,${WHY}\n3,4,${WHY}\n`);
	});

	it('are known by their ids also where the run’s values were secret and not kept', async () => {
		const work = place();
		work.write('list.ids', Array.from({ length: 20 }, (_, index) => 999900 + index).join('\n'));
		const words = `user update --input list.ids --password-stdin --shard 2/2${STOPPED}`;
		await work.run(words, { stdin: 'hunter22-hunter22' });
		const run = await lastRun(work);
		const rejects = jsonLines(await output(work, `${unreached} --format ndjson`));
		expect([run.failed, rejects.length]).toEqual([1, run.not_sent]);
		expect(run.not_sent).toBeGreaterThan(0);
	});

	it('are counted beside the list of a journal, which can not have them, and where the input was not kept', async () => {
		const work = place();
		work.write('edits.csv', SHORT);
		await work.run(`ticket update --input edits.csv${STOPPED}`);
		const { run } = await lastRun(work);
		const note = '2 rows were not sent; send them: supportctl run resume ';
		expect(await work.run('run show last --outcome not-sent --format ids')).toEqual({
			exitCode: 0,
			stdout: '',
			stderr: `${note}${run}\n`,
		});
		expect((await work.run('run show last --outcome ok --format ids')).stderr).toBe('');
		const stdin = 'id,password\n999901,hunter22\n2,hunter33\n3,hunter44\n';
		await work.run(`user update --input -${STOPPED}`, { stdin });
		const { stdout, stderr } = await work.run(`${unreached} --format csv`);
		expect([stdout, stderr]).toEqual(['error\n', expect.stringContaining(note)]);
	});

	// A row was never under way if its old values should be in the journal and are not.
	it.each([
		['', '3,hold,the run ended before this row\n4,hold,the run ended before this row\n'],
		[' --no-snapshot', '4,hold,the run ended before this row\n'],
	])(
		'are listed after a kill only if they can not have been sent, and after damage not at all:%s',
		async (flag, unsent) => {
			const work = place();
			work.write('edits.csv', SHORT);
			await work.run(`ticket update --input edits.csv${STOPPED}${flag}`);
			const { run, journal } = await lastRun(work);
			const [head, ...records] = readFileSync(journal, 'utf8').trimEnd().split('\n');
			const end = records.pop() as string;
			const resume = `may have been sent; check and continue: supportctl run resume ${run}\n`;
			const stderr = `2 rows without an outcome ${resume}`;
			const ends = [[], ['rubbish', end], ['{"type":"resume","at":"","tool":"0.1.0"}', end]];
			for (const last of ends) {
				writeFileSync(journal, `${[head, ...records, ...last].join('\n')}\n`);
				const rejects = await work.run(`${unreached} --format csv`);
				// One row at a time was under way; after damage it may have been any.
				const rest = last.length === 0 ? unsent : '';
				const others = [stderr, `1 row without an outcome ${resume}`, ''][rest.split('\n').length - 1];
				expect(rejects).toEqual({ exitCode: 0, stdout: `id,status,error\n${rest}`, stderr: others });
				expect((await work.run('run show last --outcome not-sent')).stderr).toBe(stderr);
			}
		},
	);
});

it('an invalid row has its ids wherever its outcome is shown, as far as they could be read', async () => {
	const work = place();
	work.write('edits.csv', 'id,status\n1,hodl\nx,hold\n2,read\n');
	const flags = '--skip-invalid --format ndjson -q';
	const printed = jsonLines(await output(work, `ticket update --input edits.csv ${flags}`));
	expect(printed.map(({ row, id, outcome }) => [row, id, outcome])).toEqual([
		[1, 1, 'invalid'],
		[2, undefined, 'invalid'],
		[3, 2, 'ok'],
	]);
	const shown = jsonLines(await output(work, 'run show last --outcome ok,invalid --format ndjson'));
	expect(shown.map(({ row, line, id, outcome }) => [row, line, id, outcome])).toEqual([
		[1, 2, 1, 'invalid'],
		[2, 3, undefined, 'invalid'],
		[3, 4, 2, 'ok'],
	]);
	expect(await output(work, 'run show last --outcome ok --format csv')).toMatch(/^row,id,/);
});

describe('run list and run show', () => {
	it('show what became of each run, the newest first', async () => {
		const work = await edited();
		const killed = startJournal(journalsOf(work), 5, undefined, { id: '20980101-000000-aaaaa' });
		await killed.outcome(outcomeOf(1, { outcome: 'unknown' }));
		killed.close();
		const running = startJournal(journalsOf(work), 5, undefined, { id: '20990101-000000-aaaaa' });
		await running.outcome(outcomeOf(1));
		writeFileSync(join(journalsOf(work), 'runs', '20000101-000000-aaaaa.ndjson'), 'rubbish\n');
		const list = (await jsonOf(work, 'run list --json')) as Record<string, unknown>[];
		expect(list.map((each) => [each.state, each.command, each.rows, each.ok, each.failed, each.unknown])).toEqual([
			['running', 'ticket update', 5, 1, 0, 0],
			['crashed', 'ticket update', 5, 0, 0, 1],
			['finished', 'ticket update', 4, 2, 2, 0],
			['damaged', null, null, null, null, null],
		]);
		running.close();
		expect(await output(work, 'run list --format ids')).toMatch(/^20990101-000000-aaaaa\n/);
	});

	it('show as many runs as --limit says, and prune old ones but for those with open rows', async () => {
		const work = await edited();
		await startJournal(journalsOf(work), 5, undefined, { id: '20000101-000000-aaaaa' }).close();
		const states = async () =>
			((await jsonOf(work, 'run list --json')) as { state: string }[]).map(({ state }) => state).sort();
		expect(await output(work, 'run list --limit 1 --format count')).toBe('1\n');
		const prune = (flags: string) => work.run(`run prune ${flags}`);
		expect(await prune('--older-than 0h')).toMatchObject({
			exitCode: 2,
			stderr: expect.stringContaining('without confirmation; pass --yes'),
		});
		expect((await prune('--older-than 0h --yes --fields nope')).exitCode).toBe(2);
		await prune('--older-than 0h --dry-run');
		expect(await states()).toEqual(['crashed', 'finished']);
		expect((await prune('--yes')).stderr).toMatch(/^no finished runs from before \d{4}-\d\d-\d\d\n$/);
		await prune('--older-than 0h --yes');
		expect(await states()).toEqual(['crashed']);
		await prune('--older-than 0h --yes --force');
		expect(await states()).toEqual([]);
	});

	it('refuse a column that no run has before a line is printed', async () => {
		const work = await edited();
		for (const words of ['run list --fields nope', 'run list --field nope', 'run show last --field nope']) {
			expect(await work.run(words)).toMatchObject({ exitCode: 2, stdout: '' });
		}
		expect(await work.run('run list --fields state,problem')).toMatchObject({ exitCode: 0, stdout: 'finished\t\n' });
	});

	it('show the run, its counts, its first bad rows and what to do next', async () => {
		const work = await edited();
		const run = await lastRun(work);
		expect(run).toMatchObject({
			...{ state: 'finished', command: 'ticket update', service: sandbox.baseUrl, input: 'edits.csv' },
			...{ rows: 4, ok: 2, failed: 2, exit_code: 3, done: 4, in_flight: 0, damaged_lines: 0 },
			next: [`supportctl run rejects ${run.run} --format csv`, `supportctl run undo ${run.run}`],
			plan: { endpoint: 'ticket.update', columns: { ignore: ['note'] } },
		});
		expect(run.failures.map((each: Record<string, unknown>) => [each.row, each.line, each.id, each.status])).toEqual([
			[2, 3, 999901, 404],
			[4, 6, 999902, 404],
		]);
		const plain = await work.run(['run', 'show', run.run.slice(0, 17)]);
		expect(plain.stdout).toContain('state\tfinished\n');
		expect(plain.stdout).toMatch(/\n\n2\t999901\tfailed\t.*\n4\t999902\tfailed\t/);
		expect(plain.stderr).toBe(run.next.map((next: string) => `next: ${next}\n`).join(''));
		expect(await output(work, 'run show last --format ids')).toBe(`${run.run}\n`);
		expect(await output(work, 'run show last --outcome ok --format ids')).toBe('1\n2\n');
	});

	it('print a table of 80 columns with time, user, input, result and note', async () => {
		const work = place();
		const { checks } = planOf();
		const plan = { endpoint: 'ticket.fields.set', checks: { ...checks, snapshot: true } } as const;
		await startJournal(journalsOf(work), 5, undefined, { ...plan, id: '20261121-210332-c0spc' }).close();
		const source = { from: 'snapshots', journal: 'x', run: '20261121-210332-c0spc', overwrite: false } as const;
		await startJournal(journalsOf(work), 5, undefined, { ...plan, id: '20261121-210334-d5rea', source }).close();
		await work.run(['ticket', 'update', '1', '2', '--status', 'read', '--note', 'a note that is rather long to read']);
		const at = async (columns: number) => (await work.run('run list --no-color', { columns })).stdout;
		const lines = (await at(80)).split('\n');
		expect(lines.every((line) => line.length <= 80)).toBe(true);
		const { username } = userInfo();
		expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
			['RUN', 'WHEN', 'WHO', 'COMMAND', 'FROM', 'RESULT', 'NOTE'],
			[
				expect.stringMatching(/^\w{5}$/),
				'just now',
				username,
				'ticket update',
				'1 2',
				'2 ok',
				expect.stringMatching(/^a .*…$/),
			],
			['d5rea', expect.stringMatching(/ ago$/), 'run undo', 'run c0spc', 'crashed: 5 unfinished'],
			[
				'c0spc',
				expect.stringMatching(/ ago$/),
				expect.stringMatching(/^ticket field/),
				'edits.csv',
				'crashed: 5 unfinished',
			],
			[''],
		]);
		expect((await at(60)).split('\n').every((line) => line.length <= 60)).toBe(true);
		expect(await output(work, 'run list --field undoes')).toBe('\n20261121-210332-c0spc\n\n');
		const shown = await jsonOf(work, `run show ${lines[1]?.slice(0, 5)} --json`);
		expect(shown).toMatchObject({ command: 'ticket update', note: 'a note that is rather long to read' });
	});

	it('prints whole values to a pipe, and all that is known with names to csv', async () => {
		const work = await edited();
		const run = await lastRun(work);
		const [id, started, , command, input, state, result, note, ...more] = (await output(work, 'run list'))
			.replace('\n', '')
			.split('\t');
		expect({ id, started, command, input, state, result, note, more }).toEqual({
			...{ id: run.run, started: run.started, command: 'ticket update', input: 'edits.csv' },
			...{ state: 'finished', result: '2 ok, 2 failed', note: '', more: [] },
		});
		expect((await output(work, 'run list --format csv')).split('\n')[0]).toMatch(
			/^run,state,result,.*,note,.*,started,/,
		);
	});

	it('lists runs that wrote an object, of one user, or since an age or a date', async () => {
		const work = place();
		await work.run('ticket update 3 4 --status hold -q');
		const old = startJournal(journalsOf(work), 3, undefined, { id: '20200101-000000-aaaaa' });
		await old.outcome(outcomeOf(3));
		await old.close();
		writeFileSync(join(journalsOf(work), 'runs', '20200101-000000-bbbbb.ndjson'), 'rubbish\n');
		const ids = async (flags: string) => {
			const { stdout, stderr, exitCode } = await work.run(`run list ${flags} --format ids`);
			return {
				runs: stdout
					.split('\n')
					.slice(0, -1)
					.map((id) => id.slice(0, 4)),
				stderr,
				exitCode,
			};
		};
		const year = (await lastRun(work)).started.slice(0, 4);
		const stderr = expect.stringContaining('skipped 1 journal: 20200101-000000-bbbbb (its first line is damaged');
		expect(await ids('--id 3')).toEqual({ runs: [year, '2020'], stderr, exitCode: 0 });
		expect((await ids('--id 99')).runs).toEqual([]);
		for (const same of ['#3', 'id:3', '99,3', '3,4']) expect((await ids(`--id ${same}`)).runs).toEqual([year, '2020']);
		expect((await ids('--id 4 -L 1')).runs).toEqual([year]);
		expect((await ids(`--user ${userInfo().username.toUpperCase()}`)).runs).toEqual([year]);
		expect((await ids('--user admin')).runs).toEqual([year]);
		expect(await ids('--since 7d')).toEqual({ runs: [year], stderr: '', exitCode: 0 });
		expect((await ids('--since 2019-12-31')).runs).toEqual([year, '2020', '2020']);
		expect((await ids('--since 9999999w9999999w')).runs).toEqual([year, '2020', '2020']);
		expect((await ids('--since 2020-01-01T00:00:01')).runs).toEqual([year]);
		for (const wrong of ['never', '-1d', '2026-13-40', '0']) {
			expect(await ids(`--since ${wrong}`)).toMatchObject({
				exitCode: 2,
				stderr: expect.stringContaining(`--since: "${wrong}" is not an age or a date\nhint: use an age such as 7d`),
			});
		}
	});

	it('says why a run stopped, and what to do next', async () => {
		const work = place();
		work.write('edits.csv', 'id,status\n999901,hold\n1,hold\n2,hold\n');
		await work.run('ticket update --input edits.csv --stop-on-error -j 1 -q');
		const failed = await lastRun(work);
		const reason = 'stopped at row 1: it failed (--stop-on-error)';
		expect(failed).toMatchObject({ state: 'stopped', stopped: 'failure', reason });
		expect(failed.next[0]).toMatch(/^supportctl run (resume|retry) /);
		expect(await output(work, 'run show last')).toContain(`\nreason\t${reason}\n`);
		await work.run('ticket update 1 2 3 --status hold --first 1 -q');
		expect(await lastRun(work)).toMatchObject({ reason: 'stopped after the first 1 rows (--first)' });
		const [run] = await jsonOf(work, 'run list --json');
		expect(run).toMatchObject({
			result: 'stopped: 1 ok, 2 not sent',
			next: [`supportctl run resume ${run.run}`, `supportctl run undo ${run.run}`],
		});
		await startJournal(journalsOf(work), 5, undefined, { id: '20990101-000000-aaaaa' }).close();
		expect(await lastRun(work)).toMatchObject({ state: 'crashed', reason: expect.stringContaining('killed') });
	});

	it('show who started a run, where, and why', async () => {
		const work = place();
		await work.run(['ticket', 'update', '1', '--status', 'hold', '--note', 'Monday\u001b[31m cleanup', '-q']);
		const [run] = (await jsonOf(work, 'run list --json')) as Record<string, unknown>[];
		const { username } = userInfo();
		const who = { user: username, host: hostname(), account: 'admin', note: 'Monday\u001b[31m cleanup' };
		expect(run).toMatchObject({ ...who, account: expect.any(String), can_undo: true });
		expect(await output(work, 'run show last')).toMatch(/\nnote\tMonday.*cleanup\n/);
		expect(await output(work, 'run show last')).not.toContain('\u001b');
	});

	it('show which shard a run is, and count the rows that are its own', async () => {
		const work = place();
		const update = async (flags = '', status = 'read') =>
			await work.run(`ticket update - --status ${status} -q${flags}`, { stdin: '1\n2\n3\n4\n5\n' });
		const table = async () => (await work.run('run list --no-color', { columns: 80 })).stdout.split('\n');
		await update();
		expect((await table())[0]).toMatch(/^RUN .* RESULT$/);
		expect(await output(work, 'run show last')).not.toMatch(/shard|input_rows/);
		for (const shard of ['1/2', '2/2']) await update(` --shard ${shard} --report markdown:out.md`, 'in-progress');
		const [second, first, all] = await jsonOf(work, 'run list --json');
		expect([all.shard, first.shard, second.shard]).toEqual([null, '1/2', '2/2']);
		expect([all.rows, first.rows + second.rows]).toEqual([5, 5]);
		for (const run of [all, first, second]) expect(run).toMatchObject({ input_rows: 5, ok: run.rows, open: 0 });
		const list = await table();
		expect(list[0]).toMatch(/^RUN .* RESULT {2,}SHARD$/);
		expect(list[1]).toMatch(new RegExp(` ${second.rows} ok +2/2$`));
		expect(await output(work, 'run show last')).toContain(
			`\ninput_rows\t5\nshard\t2/2\nrows\t${second.rows}\nok\t${second.rows}\n`,
		);
		const together = await output(work, `run show ${first.run} ${second.run}`);
		expect(together).toContain('\nrows\t5\nok\t5\n');
		expect(work.read('out.md')).toContain(` · ${second.rows} of 5 rows \\(shard 2/2\\) from `);
	});

	it('show how much of a shard is open that was killed', async () => {
		const work = place();
		const journal = startJournal(journalsOf(work), 50, undefined, { shard: { index: 2, count: 4 }, own: 12 });
		await journal.outcome(outcomeOf(7));
		await journal.outcome(outcomeOf(9, { outcome: 'failed' }));
		await journal.close();
		expect(await lastRun(work)).toMatchObject({
			...{ state: 'crashed', input_rows: 50, shard: '2/4', rows: 12, ok: 1, failed: 1, open: 10 },
		});
	});

	it('show rows that differ from what was sent with those that need attention, and list them by themselves', async () => {
		const work = place();
		const journal = startJournal(journalsOf(work), 4);
		const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];
		await journal.outcome(outcomeOf(1, { outcome: 'differs', code: 'differs', message: 'done', differs }));
		await journal.outcome(outcomeOf(2));
		await journal.outcome(outcomeOf(3, { differs }));
		await journal.outcome(outcomeOf(4, { outcome: 'failed', status: 400, message: 'bad' }));
		await journal.close();
		expect((await output(work, 'run show last')).split('\n\n')[1]).toBe(
			'1\t1\tdiffers\tdone; status is "read", not "hold"\n4\t4\tfailed\tbad\n',
		);
		const rowsOf = (list: Record<string, unknown>[]) => list.map(({ row }) => row);
		const run = await lastRun(work);
		expect([run.differs, run.open, rowsOf(run.failures)]).toEqual([1, 0, [1, 4]]);
		for (const [outcome, rows] of [
			['differs', [1]],
			['ok', [2, 3]],
			['ok,failed', [2, 3, 4]],
		] as const) {
			const list = await output(work, `run show last --format ndjson --outcome ${outcome}`);
			expect(rowsOf(jsonLines(list))).toEqual(rows);
		}
	});

	it('count the unfinished rows of a killed run, and report none of them as not sent', async () => {
		const work = place();
		const journal = startJournal(journalsOf(work), 5);
		await journal.outcome(outcomeOf(1));
		await journal.outcome(outcomeOf(2, { outcome: 'unknown', status: undefined, message: 'no response' }));
		expect(await lastRun(work)).toMatchObject({ state: 'running', next: [] });
		await journal.close();
		const run = await lastRun(work);
		expect(run).toMatchObject({
			...{ state: 'crashed', ok: 1, unknown: 1, not_sent: 0, open: 4, done: 1, in_flight: null },
			next: [`supportctl run resume ${run.run}`],
		});
		const { stdout, stderr } = await work.run('run show last');
		expect(stdout).toMatch(/\n\n2\t2\tunknown\tno response\n$/);
		expect(stderr).toBe(`next: supportctl run resume ${run.run}\n`);
	});

	it('find a run by its path, and report no match or several', async () => {
		const work = place();
		const show = (name: string) => work.run(`run show ${name}`);
		const none = expect.stringMatching(/^error: no runs yet/);
		expect(await show('last')).toMatchObject({ exitCode: 2, stdout: '', stderr: none });
		await startJournal(journalsOf(work), 5, undefined, { id: '20990101-000000-aaaaa' }).close();
		const mine = join(work.folder, 'mine.log');
		await startJournal(journalsOf(work), 5, mine, { id: '20990101-000000-bbbbb' }).close();
		for (const name of ['./mine.log', 'last']) {
			expect((await show(`${name} --field run`)).stdout).toBe('20990101-000000-bbbbb\n');
		}
		expect((await show('20990101')).stderr).toContain('2 runs match "20990101"');
		expect((await show('1999')).stderr).toContain('run "1999" not found');
		expect((await show('./none.ndjson')).exitCode).toBe(2);
		work.write('edits.csv', EDITS);
		expect(await show('./edits.csv')).toMatchObject({ exitCode: 1, stdout: '' });
		expect(headerOf(1).id).not.toBe('');
	});
});

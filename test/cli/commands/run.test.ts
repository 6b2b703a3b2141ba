import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runMain } from '../../../src/main.js';
import { memoryContext } from '../../support/context.js';
import { headerOf, outcomeOf, startJournal } from '../../support/journal.js';
import { startSandbox, type TestSandbox } from '../../support/sandbox.js';
import { temporaryFolder } from '../../support/temporary.js';

let sandbox: TestSandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

/** Runs the program in a folder of its own. */
function createDesk() {
	const cwd = temporaryFolder();
	const env = { ...sandbox.env, SUPPORTCTL_STATE_DIR: join(cwd, 'state'), SUPPORTCTL_CONFIG_DIR: join(cwd, 'config') };
	return {
		cwd,
		stateDir: join(cwd, 'state'),
		write: (name: string, text: string) => writeFileSync(join(cwd, name), text),
		async run(argv: string[], stdin = '', columns?: number) {
			const context = memoryContext({ argv, env, cwd, stdin, columns });
			const exit = await runMain(context);
			return { exit, out: context.stdout.text, err: context.stderr.text };
		},
	};
}

const EDITS = 'id,status,title,note\n1,hold,"a, b",x\n999901,hold,"two\nlines",y\n2,read,c,z\n999902,hold,=1+1, w \n';

describe('run rejects', () => {
	it('gives failed rows in the columns of the input plus error, and takes them back when they are fixed', async () => {
		const desk = createDesk();
		desk.write('edits.csv', EDITS);
		const first = await desk.run(['ticket', 'update', '--input', 'edits.csv', '--ignore-column', 'note', '-q']);
		expect(first.exit).toBe(3);
		const { exit, out, err } = await desk.run(['run', 'rejects', 'last', '--format', 'csv']);
		const [error] = /404 rest_post_invalid_id: [^\n"]*/.exec(out) as RegExpExecArray;
		expect({ exit, out, err }).toEqual({
			exit: 0,
			err: '',
			out: `id,status,title,note,error\n999901,hold,"two\nlines",y,${error}\n999902,hold,=1+1," w ",${error}\n`,
		});
		desk.write('again.csv', out.replace('999901', '3').replace('999902', '4'));
		const again = await desk.run(['ticket', 'update', '--input', 'again.csv', '--ignore-column', 'note', '-q']);
		expect(again.exit).toBe(0);
		expect(sandbox.requests.slice(-2).map((each) => each.path.replace(/^.*\/v1/, ''))).toEqual([
			'/tickets/3',
			'/tickets/4',
		]);
	});

	it('keeps the format of the input where no other is asked for', async () => {
		const desk = createDesk();
		desk.write('edits.ndjson', '{"id":999901,"ticket-tag":[1,2],"title":"x"}\n{"id":1,"title":"y"}\n');
		await desk.run(['ticket', 'update', '--input', 'edits.ndjson', '-q']);
		const { out } = await desk.run(['run', 'rejects', 'last']);
		expect(JSON.parse(out)).toEqual({
			id: 999901,
			'ticket-tag': [1, 2],
			title: 'x',
			error: expect.stringContaining('404 rest_post_invalid_id'),
		});
		desk.write('edits.ndjson', '{"id":999901,"title":"x"}\n{"id":999902,"status":"hold"}\n');
		await desk.run(['ticket', 'update', '--input', 'edits.ndjson', '-q', '-j', '1']);
		expect((await desk.run(['run', 'rejects', 'last', '--format', 'csv'])).out).toMatch(
			/^id,title,status,error\n999901,x,,404 .*\n999902,,hold,404 .*\n$/,
		);
		await desk.run(['ticket', 'delete', '999901', '999902', '--yes', '-q']);
		expect((await desk.run(['run', 'rejects', 'last'])).out).toMatch(/^id,error\n999901,404 .*\n999902,404 .*\n$/);
	});

	it('gives back invalid rows, with every complaint', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status,assignee\n1,hold,3\n2,hodl,x\n');
		const first = await desk.run(['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', '-q']);
		expect(first.exit).toBe(3);
		const { out } = await desk.run(['run', 'rejects', 'last', '--json']);
		expect(JSON.parse(out)).toEqual([
			{
				id: '2',
				status: 'hodl',
				assignee: 'x',
				error:
					'status "hodl" is not a documented ticket status; did you mean "hold"?; assignee "x" is not a whole number of 0 or more',
			},
		]);
	});

	it('as ids names the rows themselves, whatever the input calls its columns', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'No,status,assignee\n999901,hold,3\n7,hodl,2\n1,hold,4\n');
		const flags = ['--id-column', 'No', '--skip-invalid', '-q'];
		expect((await desk.run(['ticket', 'update', '--input', 'edits.csv', ...flags])).exit).toBe(3);
		expect((await desk.run(['run', 'rejects', 'last', '--format', 'ids'])).out).toBe('999901\n7\n');
		desk.write('edits.ndjson', '{"id":999902,"assignee":3}\n');
		await desk.run(['ticket', 'update', '--input', 'edits.ndjson', '-q']);
		expect((await desk.run(['run', 'rejects', 'last', '--format', 'ids'])).out).toBe('999902\n');
		expect((await desk.run(['run', 'rejects', 'last', '--format', 'ids', '--query', '[].assignee'])).out).toBe('3\n');
	});

	it('as ids leaves out rows without one, and says so', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status\n999901,hold\nxx,hold\n999902,hold\n');
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', '-q', '-j', '1']);
		expect(await desk.run(['run', 'rejects', 'last', '--format', 'ids'])).toEqual({
			exit: 0,
			out: '999901\n999902\n',
			err: 'warning: 1 row has no id that could be read; --format csv prints all of them\n',
		});
	});

	it('adds a column that is no custom field, and the command says so', async () => {
		const desk = createDesk();
		desk.write('again.csv', 'ticket_id,color,error\n1,red,404 x\n');
		const plain = await desk.run(['ticket', 'fields', 'set', '--input', 'again.csv', '--dry-run', '--json']);
		expect(JSON.parse(plain.out)[0].body).toEqual({ custom_fields: { color: 'red' } });
		expect(plain.err).toContain('{"warning":"the column error is not sent; --map error=error sends it"}');
		const mapped = ['ticket', 'fields', 'set', '--input', 'again.csv', '--map', 'error=error', '--dry-run', '--json'];
		expect(JSON.parse((await desk.run(mapped)).out)[0].body).toEqual({
			custom_fields: { color: 'red', error: '404 x' },
		});
	});

	it.each([
		['csv', 'ticket_id,color,error\n999901,red,E7\n'],
		['ndjson', '{"ticket_id":999901,"color":"red","error":"E7"}\n'],
	])('leaves the input’s own column error as it is where it is sent, and sends no reason: %s', async (format, text) => {
		const desk = createDesk();
		const set = (file: string, ...flags: string[]) =>
			desk.run(['ticket', 'fields', 'set', '--input', file, '-q', ...flags]);
		const bodyOf = async (...flags: string[]) =>
			JSON.parse((await set(`again.${format}`, ...flags, '--dry-run', '--json')).out)[0].body;
		const mapped = ['--map', 'error=error'];
		desk.write(`fields.${format}`, text);
		expect((await set(`fields.${format}`, ...mapped)).exit).toBe(1);
		const first = await desk.run(['run', 'rejects', 'last', '--format', format]);
		const [, reason] = /(404 rest_post_invalid_id: [^\n"]*)/.exec(first.out) as RegExpExecArray;
		expect(first.out).toBe(
			format === 'csv'
				? `ticket_id,color,error,rejected_because\n999901,red,E7,${reason}\n`
				: `{"ticket_id":999901,"color":"red","error":"E7","rejected_because":"${reason}"}\n`,
		);
		desk.write(`again.${format}`, first.out);
		expect(await bodyOf(...mapped)).toEqual({ custom_fields: { color: 'red', error: 'E7' } });
		expect(await bodyOf()).toEqual({ custom_fields: { color: 'red' } });
		// The second reason takes the first one's place.
		expect((await set(`again.${format}`, ...mapped)).exit).toBe(1);
		expect((await desk.run(['run', 'rejects', 'last', '--format', format])).out).toBe(first.out);
	});

	it('says of its other column for the reason, too, that it is not sent', async () => {
		const desk = createDesk();
		desk.write('again.csv', 'ticket_id,color,rejected_because\n1,red,404 x\n');
		const { err } = await desk.run(['ticket', 'fields', 'set', '--input', 'again.csv', '--dry-run']);
		expect(err).toContain(
			'note: the column rejected_because is not sent; --map rejected_because=rejected_because sends it\n',
		);
	});

	it('gives a row with a wrong number of cells empty cells, and its text under error', async () => {
		const desk = createDesk();
		const update = (...flags: string[]) => desk.run(['ticket', 'update', '-q', '--json', ...flags]);
		desk.write('edits.csv', 'id,title,assignee\n14,Printer, 3rd floor,7\n999901,x,3\n15,Toner\n');
		expect((await update('--input', 'edits.csv', '--skip-invalid')).exit).toBe(1);
		const rejects = await desk.run(['run', 'rejects', 'last', '--format', 'csv']);
		const [gone] = /404 rest_post_invalid_id: [^\n"]*/.exec(rejects.out) as RegExpExecArray;
		expect(rejects).toEqual({
			exit: 0,
			out: [
				'id,title,assignee,error',
				',,,"line 2: 4 cells where the header has 3 columns: 14,Printer,"" 3rd floor"",7"',
				`999901,x,3,${gone}`,
				',,,"line 4: 2 cells where the header has 3 columns: 15,Toner"',
				'',
			].join('\n'),
			err: '',
		});
		// Such a row has no id, so that it is not sent before it is fixed.
		const before = sandbox.requests.length;
		desk.write('again.csv', rejects.out);
		expect([(await update('--input', 'again.csv')).exit, sandbox.requests.length]).toEqual([2, before]);
	});

	it('prints no cell of such a row where a column is secret', async () => {
		const desk = createDesk();
		desk.write('users.csv', 'id,password\n1,hunter22,x\n');
		await desk.run(['user', 'update', '--input', 'users.csv', '--skip-invalid', '-q']);
		const { out } = await desk.run(['run', 'rejects', 'last', '--format', 'csv']);
		expect(out).toBe('id,password,error\n,[redacted],line 2: 3 cells where the header has 2 columns\n');
	});

	it('refuses an input that has changed', async () => {
		const desk = createDesk();
		desk.write('edits.csv', EDITS);
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--ignore-column', 'note', '-q']);
		appendFileSync(join(desk.cwd, 'edits.csv'), '5,hold,x,\n');
		const { exit, out, err } = await desk.run(['run', 'rejects', 'last', '--format', 'csv']);
		expect([exit, out]).toEqual([2, '']);
		expect(err).toMatch(/^error: edits\.csv is not what run \S+ read\n/);
	});

	it('never prints a secret, and what it prints in its place is not taken for a value', async () => {
		const desk = createDesk();
		desk.write('users.csv', 'id,password\n999901,hunter22\n');
		await desk.run(['user', 'update', '--input', 'users.csv', '-q']);
		const { out } = await desk.run(['run', 'rejects', 'last', '--format', 'csv']);
		expect(out).toMatch(/^id,password,error\n999901,\[redacted\],404 /);
		desk.write('again.csv', out);
		const before = sandbox.requests.length;
		const again = await desk.run(['user', 'update', '--input', 'again.csv', '-q']);
		expect(again.exit).toBe(2);
		expect(again.err).toContain('password is the placeholder [redacted]; put the value itself there');
		expect(sandbox.requests.length).toBe(before);
		for (const name of readdirSync(join(desk.stateDir, 'runs'))) {
			expect(readFileSync(join(desk.stateDir, 'runs', name), 'utf8')).not.toContain('hunter22');
		}
	});

	it('of a run over standard input exports its copy, and ids alone where that is gone', async () => {
		const desk = createDesk();
		const first = await desk.run(['ticket', 'update', '--input', '-', '-q'], 'id,title\n999901,x\n1,y\n');
		expect(first.exit).toBe(3);
		expect((await desk.run(['run', 'rejects', 'last'])).out).toMatch(/^id,title,error\n999901,x,404 .*\n$/);
		rmSync(join(desk.stateDir, 'spool'), { recursive: true });
		const { out, err } = await desk.run(['run', 'rejects', 'last']);
		expect(out).toMatch(/^id,error\n999901,404 .*\n$/);
		expect(err).toContain('only ids can be exported');
	});
});

describe('rows that a run ended without', () => {
	const STOPPED = ['--stop-on-error', '-j', '1', '-q'];
	const unreached = ['run', 'rejects', 'last', '--outcome', 'not-sent'];
	const WHY = 'the run ended before it was reached';

	it('are given back from the input where the rows that were not sent are asked for', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status,title\n1,hold,a\n999901,hold,b\n3,hold,"c, d"\n4,hodl,e\n5,hold\n6,hold,g\n');
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', ...STOPPED]);
		// Rows that can't be sent were read ahead, and have a record.
		const { exit, out } = await desk.run([...unreached, '--format', 'csv']);
		expect([exit, out]).toEqual([0, `id,status,title,error\n3,hold,"c, d",${WHY}\n6,hold,g,${WHY}\n`]);
		const both = await desk.run([...unreached, '--outcome', 'failed', '--format', 'ndjson']);
		expect(both.out.split('\n').map((line) => /"id":"(\d+)"/.exec(line)?.[1])).toEqual(['999901', '3', '6', undefined]);
		expect((await desk.run([...unreached, '--format', 'ids'])).out).toBe('3\n6\n');
		const before = sandbox.requests.length;
		desk.write('again.csv', out);
		expect((await desk.run(['ticket', 'update', '--input', 'again.csv', '-q'])).exit).toBe(0);
		expect(sandbox.requests.slice(before).map(({ path }) => path.replace(/^.*\/tickets\//, ''))).toEqual(['3', '6']);
		expect(await desk.run([...unreached, '--format', 'ids'])).toEqual({ exit: 0, out: '', err: '' });
	});

	it('are those of its own shard', async () => {
		const desk = createDesk();
		const ids = Array.from({ length: 40 }, (_, index) => 999900 + index);
		desk.write('edits.csv', `id,status\n${ids.map((id) => `${id},hold\n`).join('')}`);
		const found: string[] = [];
		for (const shard of ['1/2', '2/2']) {
			await desk.run(['ticket', 'update', '--input', 'edits.csv', '--shard', shard, ...STOPPED]);
			const flags = ['--outcome', 'failed', '--format', 'ids'];
			const own = (await desk.run([...unreached, ...flags])).out.trim().split('\n');
			const run = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
			expect([own.length, run.failed]).toEqual([run.failed + run.not_sent, 1]);
			found.push(...own);
		}
		expect(found.sort()).toEqual(ids.map(String));
	});

	it('are those of its own shard in the words of its profile, also where that is gone and the input elsewhere', async () => {
		const desk = createDesk();
		const profile = ['profile', 'set', 'other', '--base-url', sandbox.baseUrl, '--product-prefix', 'fluent'];
		const secret = ['--username', sandbox.username, '--secret-command', `echo '${sandbox.password}'`];
		expect((await desk.run([...profile, ...secret])).exit).toBe(0);
		desk.write('edits.csv', `id,status\n${Array.from({ length: 40 }, (_, index) => `${index + 1},hold\n`).join('')}`);
		const argv = ['ticket', 'update', '--input', 'edits.csv', '--profile', 'other', '--shard', '1/2', ...STOPPED];
		await desk.run(argv);
		const all = (await desk.run([...unreached, '--outcome', 'failed', '--format', 'ids'])).out;
		rmSync(join(desk.cwd, 'config'), { recursive: true });
		renameSync(join(desk.cwd, 'edits.csv'), join(desk.cwd, 'moved.csv'));
		expect(await desk.run([...unreached, '--outcome', 'failed', '--format', 'ids', '--input', 'moved.csv'])).toEqual({
			exit: 0,
			out: all,
			err: '',
		});
		const run = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		expect([run.failed, run.not_sent]).toEqual([1, all.split('\n').length - 2]);
	});

	it.each([
		['ids as arguments', ['ticket', 'update', '999901', '2', '3', '--status', 'hold'], ''],
		['a list of ids', ['ticket', 'update', '--input', 'list.ids', '--status', 'hold'], '999901\n2\n3\n'],
	])('are given back of a run over %s', async (_, argv, text) => {
		const desk = createDesk();
		desk.write('list.ids', text);
		await desk.run([...argv, ...STOPPED]);
		expect((await desk.run([...unreached, '--format', 'csv'])).out).toBe(`id,error\n2,${WHY}\n3,${WHY}\n`);
	});

	it('are given back with every id of their path also of a run that reached no row', async () => {
		const desk = createDesk();
		await desk.run(['reply', 'update', '3', '999901', '4', '--content', 'x', ...STOPPED]);
		const { journal } = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		const lines = readFileSync(journal, 'utf8').split('\n');
		writeFileSync(journal, lines.filter((line) => !line.startsWith('{"type":"row"')).join('\n'));
		expect((await desk.run([...unreached, '--format', 'csv'])).out).toBe(
			`ticket_id,id,error\n3,999901,${WHY}\n3,4,${WHY}\n`,
		);
	});

	it('are known by their ids also where the run’s values were secret and not kept', async () => {
		const desk = createDesk();
		const ids = Array.from({ length: 20 }, (_, index) => 999900 + index);
		desk.write('list.ids', ids.join('\n'));
		const argv = ['user', 'update', '--input', 'list.ids', '--password-stdin', '--shard', '2/2', ...STOPPED];
		await desk.run(argv, 'hunter22-hunter22');
		const run = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		const { out } = await desk.run([...unreached, '--format', 'ndjson']);
		expect([run.failed, out.split('\n').length - 1]).toEqual([1, run.not_sent]);
		expect(run.not_sent).toBeGreaterThan(0);
	});

	it('are counted beside the list of a journal, which can not have them', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status\n1,hold\n999901,hold\n3,hold\n4,hold\n');
		await desk.run(['ticket', 'update', '--input', 'edits.csv', ...STOPPED]);
		const { run } = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		expect(await desk.run(['run', 'show', 'last', '--outcome', 'not-sent', '--format', 'ids'])).toEqual({
			exit: 0,
			out: '',
			err: `note: 2 rows have no record, because the run ended before; supportctl run resume ${run} sends what is not done\n`,
		});
		expect((await desk.run(['run', 'show', 'last', '--outcome', 'ok', '--format', 'ids'])).err).toBe('');
	});

	it('are not taken for rows that were not sent where the run was killed or its journal is damaged', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status\n1,hold\n999901,hold\n3,hold\n4,hold\n');
		await desk.run(['ticket', 'update', '--input', 'edits.csv', ...STOPPED]);
		const { run, journal } = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		const whole = readFileSync(journal, 'utf8');
		const [head, ...records] = whole.trimEnd().split('\n');
		const end = records.pop() as string;
		const note = `note: 2 rows have no record and may have been sent; supportctl run resume ${run} sends what is not done\n`;
		const ends = [[], ['rubbish', end], ['{"type":"resume","at":"","tool":"0.1.0"}', end]];
		for (const last of ends) {
			writeFileSync(journal, `${[head, ...records, ...last].join('\n')}\n`);
			expect(await desk.run([...unreached, '--format', 'csv'])).toEqual({
				exit: 0,
				out: 'id,status,error\n',
				err: note,
			});
			expect((await desk.run(['run', 'show', 'last', '--outcome', 'not-sent'])).err).toBe(note);
		}
	});

	it('are not looked for in an input that has changed, whatever it is now', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status\n999901,hold\n2,hold\n');
		await desk.run(['ticket', 'update', '--input', 'edits.csv', ...STOPPED]);
		desk.write('edits.csv', 'number,nonsense\n1,x\n');
		const { exit, out, err } = await desk.run(unreached);
		expect([exit, out]).toEqual([2, '']);
		expect(err).toMatch(/^error: edits\.csv is not what run \S+ read\n/);
	});

	it('are counted also where the input was not kept', async () => {
		const desk = createDesk();
		await desk.run(
			['user', 'update', '--input', '-', ...STOPPED],
			'id,password\n999901,hunter22\n2,hunter33\n3,hunter44\n',
		);
		const { out, err } = await desk.run([...unreached, '--format', 'csv']);
		expect(out).toBe('error\n');
		expect(err).toContain('note: 2 rows have no record, because the run ended before; supportctl run resume ');
	});
});

describe('a row that is invalid', () => {
	it('has its ids wherever its outcome is told, as far as they could be read', async () => {
		const desk = createDesk();
		desk.write('edits.csv', 'id,status\n1,hodl\nx,hold\n2,hold\n');
		const flags = ['--skip-invalid', '--report', 'csv:out.csv', '--format', 'ndjson', '-q'];
		const { out } = await desk.run(['ticket', 'update', '--input', 'edits.csv', ...flags]);
		const printed = out
			.trimEnd()
			.split('\n')
			.map((line) => JSON.parse(line) as Record<string, unknown>);
		expect(printed.map(({ row, id, outcome }) => [row, id, outcome])).toEqual([
			[1, 1, 'invalid'],
			[2, undefined, 'invalid'],
			[3, 2, 'ok'],
		]);
		const report = readFileSync(join(desk.cwd, 'out.csv'), 'utf8').split('\n');
		expect(report.slice(0, 4).map((line) => line.split(',').slice(0, 4).join())).toEqual([
			'row,line,id,outcome',
			'1,2,1,invalid',
			'2,3,,invalid',
			'3,4,2,ok',
		]);
		const shown = await desk.run(['run', 'show', 'last', '--outcome', 'ok', '--format', 'csv']);
		expect(shown.out.split('\n')[0]).toMatch(/^row,id,/);
	});
});

describe('run list and run show', () => {
	it('tell what became of each run, the newest first', async () => {
		const desk = createDesk();
		desk.write('edits.csv', EDITS);
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--ignore-column', 'note', '-q']);
		const killed = startJournal(desk.stateDir, 5, undefined, { id: '20980101-000000-aaaaa' });
		await killed.outcome(outcomeOf(1, { outcome: 'unknown' }));
		killed.close();
		const running = startJournal(desk.stateDir, 5, undefined, { id: '20990101-000000-aaaaa' });
		await running.outcome(outcomeOf(1));
		writeFileSync(join(desk.stateDir, 'runs', '20000101-000000-aaaaa.ndjson'), 'rubbish\n');
		const { exit, out } = await desk.run(['run', 'list', '--json']);
		expect(exit).toBe(0);
		const list = JSON.parse(out) as Record<string, unknown>[];
		expect(list.map((each) => [each.state, each.command, each.rows, each.ok, each.failed, each.unknown])).toEqual([
			['running', 'ticket update', 5, 1, 0, 0],
			['broken-off', 'ticket update', 5, 0, 0, 1],
			['finished', 'ticket update', 4, 2, 2, 0],
			['damaged', null, null, null, null, null],
		]);
		running.close();
		expect((await desk.run(['run', 'list', '--format', 'ids'])).out.split('\n')[0]).toBe('20990101-000000-aaaaa');
	});

	it('show as many runs as --limit says, and prune old ones but for those with open rows', async () => {
		const desk = createDesk();
		desk.write('edits.csv', EDITS);
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--ignore-column', 'note', '-q']);
		const killed = startJournal(desk.stateDir, 5, undefined, { id: '20000101-000000-aaaaa' });
		killed.close();
		const states = async () =>
			(JSON.parse((await desk.run(['run', 'list', '--json'])).out) as { state: string }[]).map(({ state }) => state);
		expect((await desk.run(['run', 'list', '--limit', '1', '--format', 'count'])).out).toBe('1\n');
		const unasked = await desk.run(['run', 'prune', '--older-than', '0h']);
		expect({ exit: unasked.exit, err: unasked.err }).toEqual({ exit: 2, err: expect.stringContaining('give --yes') });
		await desk.run(['run', 'prune', '--older-than', '0h', '--dry-run']);
		expect((await states()).sort()).toEqual(['broken-off', 'finished']);
		expect((await desk.run(['run', 'prune', '--yes'])).err).toBe('0 runs removed\n');
		await desk.run(['run', 'prune', '--older-than', '0h', '--yes']);
		expect(await states()).toEqual(['broken-off']);
		await desk.run(['run', 'prune', '--older-than', '0h', '--yes', '--force']);
		expect(await states()).toEqual([]);
	});

	it('refuse a column that no run has before a line is printed', async () => {
		const desk = createDesk();
		desk.write('edits.csv', EDITS);
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--ignore-column', 'note', '-q']);
		for (const argv of [
			['run', 'list', '--fields', 'nope'],
			['run', 'list', '--field', 'nope'],
			['run', 'show', 'last', '--field', 'nope'],
		]) {
			expect(await desk.run(argv)).toMatchObject({ exit: 2, out: '' });
		}
		const problem = await desk.run(['run', 'list', '--fields', 'state,problem']);
		expect(problem).toMatchObject({ exit: 0, out: 'finished\t\n' });
	});

	it('show the run, its counts, its first bad rows and what to do next', async () => {
		const desk = createDesk();
		desk.write('edits.csv', EDITS);
		await desk.run(['ticket', 'update', '--input', 'edits.csv', '--ignore-column', 'note', '-q']);
		const { exit, out } = await desk.run(['run', 'show', 'last', '--json']);
		expect(exit).toBe(0);
		const run = JSON.parse(out);
		expect(run).toMatchObject({
			state: 'finished',
			command: 'ticket update',
			service: sandbox.baseUrl,
			input: 'edits.csv',
			rows: 4,
			ok: 2,
			failed: 2,
			exit_code: 3,
			done: 4,
			in_flight: 0,
			damaged_lines: 0,
			next: [`supportctl run rejects ${run.run} --format csv`],
			plan: { endpoint: 'ticket.update', columns: { ignore: ['note'] } },
		});
		expect(run.failures.map((each: Record<string, unknown>) => [each.row, each.line, each.id, each.status])).toEqual([
			[2, 3, 999901, 404],
			[4, 6, 999902, 404],
		]);
		const plain = await desk.run(['run', 'show', run.run.slice(0, 17)]);
		expect(plain.out).toContain('state\tfinished\n');
		expect(plain.out).toMatch(/\n\n2\t999901\tfailed\t.*\n4\t999902\tfailed\t/);
		expect(plain.err).toBe(`next: supportctl run rejects ${run.run} --format csv\n`);
		expect((await desk.run(['run', 'show', 'last', '--format', 'ids'])).out).toBe(`${run.run}\n`);
		const rows = await desk.run(['run', 'show', 'last', '--outcome', 'ok', '--format', 'ids']);
		expect(rows.out).toBe('1\n2\n');
	});

	it('is a table of 80 columns, and shows date and host where there is room', async () => {
		const desk = createDesk();
		const plan = { endpoint: 'ticket.fields.set' };
		startJournal(desk.stateDir, 5, undefined, { ...plan, id: '20261121-210332-c0spc' }).close();
		const source = { from: 'snapshots', journal: 'x', run: '20261121-210332-c0spc', overwrite: false } as const;
		startJournal(desk.stateDir, 5, undefined, { ...plan, id: '20261121-210334-d5rea', source }).close();
		const lines = (await desk.run(['run', 'list', '--no-color'], '', 80)).out.split('\n');
		expect(lines.map((line) => line.split(/ {2,}/))).toEqual([
			['RUN', 'INPUT', 'COMMAND', 'STATE', 'ROWS', 'OK', 'FAILED', 'OPEN'],
			['20261121-210334-d5rea', expect.any(String), 'run undo', expect.any(String), '5', '0', '0', '5'],
			['20261121-210332-c0spc', expect.any(String), expect.any(String), expect.any(String), '5', '0', '0', '5'],
			[''],
		]);
		const wide = await desk.run(['run', 'list', '--no-color'], '', 160);
		expect(wide.out).toMatch(/^RUN +STARTED +HOST +INPUT /);
		expect((await desk.run(['run', 'list', '--field', 'undoes'], '', 80)).out).toBe('20261121-210332-c0spc\n\n');
	});

	it('tell which shard a run is, and count the rows that are its own', async () => {
		const desk = createDesk();
		const update = ['ticket', 'update', '-', '--status', 'hold', '-q'];
		const ids = '1\n2\n3\n4\n5\n';
		await desk.run(update, ids);
		const whole = (await desk.run(['run', 'list', '--no-color'], '', 80)).out;
		expect(whole.split('\n')[0]).toMatch(/^RUN .* OPEN$/);
		expect((await desk.run(['run', 'show', 'last'])).out).not.toMatch(/shard|input_rows/);
		for (const shard of ['1/2', '2/2'])
			await desk.run([...update, '--shard', shard, '--report', 'markdown:out.md'], ids);
		const [second, first, all] = JSON.parse((await desk.run(['run', 'list', '--json'])).out);
		expect([all.shard, first.shard, second.shard]).toEqual([null, '1/2', '2/2']);
		expect([all.rows, first.rows + second.rows]).toEqual([5, 5]);
		for (const run of [all, first, second]) expect(run).toMatchObject({ input_rows: 5, ok: run.rows, open: 0 });
		const list = (await desk.run(['run', 'list', '--no-color'], '', 80)).out.split('\n');
		expect(list[0]).toMatch(/^RUN .* OPEN {2}SHARD$/);
		expect(list[1]).toMatch(new RegExp(` ${second.rows} +${second.rows} +0 +0 +2/2$`));
		const shown = (await desk.run(['run', 'show', 'last'])).out;
		expect(shown).toContain(`\ninput_rows\t5\nshard\t2/2\nrows\t${second.rows}\nok\t${second.rows}\n`);
		expect(readFileSync(join(desk.cwd, 'out.md'), 'utf8')).toContain(
			`, ${second.rows} of 5 rows \\(shard 2/2\\) from `,
		);
	});

	it('tell how much of a shard is open that was killed', async () => {
		const desk = createDesk();
		const journal = startJournal(desk.stateDir, 50, undefined, { shard: { index: 2, count: 4 }, own: 12 });
		await journal.outcome(outcomeOf(7));
		await journal.outcome(outcomeOf(9, { outcome: 'failed' }));
		journal.close();
		expect(JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out)).toMatchObject({
			state: 'broken-off',
			input_rows: 50,
			shard: '2/4',
			rows: 12,
			ok: 1,
			failed: 1,
			open: 10,
		});
	});

	it('show rows that differ from what was sent with those that did not go well, and list them by themselves', async () => {
		const desk = createDesk();
		const journal = startJournal(desk.stateDir, 4);
		const differs = [{ field: 'status', sent: 'hold', shown: 'read' }];
		await journal.outcome(outcomeOf(1, { outcome: 'differs', code: 'differs', message: 'done', differs }));
		await journal.outcome(outcomeOf(2));
		await journal.outcome(outcomeOf(3, { differs }));
		await journal.outcome(outcomeOf(4, { outcome: 'failed', status: 400, message: 'bad' }));
		journal.close();
		const { out } = await desk.run(['run', 'show', 'last']);
		expect(out.split('\n\n')[1]).toBe(
			['1\t1\tdiffers\tdone; status is "read", not "hold"', '4\t4\tfailed\tbad\n'].join('\n'),
		);
		const run = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		const rowsOf = (list: { row: number }[]) => list.map(({ row }) => row);
		expect([run.differs, run.open, rowsOf(run.failures)]).toEqual([1, 0, [1, 4]]);
		const list = async (...flags: string[]) => {
			const { out } = await desk.run(['run', 'show', 'last', '--format', 'ndjson', ...flags]);
			return rowsOf(
				out
					.split('\n')
					.slice(0, -1)
					.map((line) => JSON.parse(line)),
			);
		};
		expect(await list('--outcome', 'differs')).toEqual([1]);
		expect(await list('--outcome', 'ok')).toEqual([2, 3]);
	});

	it('of a run that was killed tell how many rows are open, and take none of them for not sent', async () => {
		const desk = createDesk();
		const journal = startJournal(desk.stateDir, 5);
		await journal.outcome(outcomeOf(1));
		await journal.outcome(outcomeOf(2, { outcome: 'unknown', status: undefined, message: 'no answer' }));
		expect(JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out)).toMatchObject({
			state: 'running',
			next: [],
		});
		journal.close();
		const run = JSON.parse((await desk.run(['run', 'show', 'last', '--json'])).out);
		expect(run).toMatchObject({
			state: 'broken-off',
			ok: 1,
			unknown: 1,
			not_sent: 0,
			open: 4,
			done: 1,
			in_flight: null,
		});
		expect(run.next).toEqual([`supportctl run resume ${run.run}`]);
		const { out, err } = await desk.run(['run', 'show', 'last']);
		expect(out).toMatch(/\n\n2\t2\tunknown\tno answer\n$/);
		expect(err).toBe(`next: supportctl run resume ${run.run}\n`);
	});

	it('find a run by its path, and say so where there is none or more than one', async () => {
		const desk = createDesk();
		expect(await desk.run(['run', 'show', 'last'])).toMatchObject({
			exit: 2,
			out: '',
			err: expect.stringMatching(/^error: there is no run yet/),
		});
		startJournal(desk.stateDir, 5, undefined, { id: '20990101-000000-aaaaa' }).close();
		startJournal(desk.stateDir, 5, join(desk.cwd, 'mine.log'), { id: '20990101-000000-bbbbb' }).close();
		expect((await desk.run(['run', 'show', './mine.log', '--field', 'run'])).out).toBe('20990101-000000-bbbbb\n');
		expect((await desk.run(['run', 'show', 'last', '--field', 'run'])).out).toBe('20990101-000000-bbbbb\n');
		expect((await desk.run(['run', 'show', '20990101'])).err).toContain('2 runs start with "20990101"');
		expect((await desk.run(['run', 'show', '1999'])).err).toContain('there is no run "1999"');
		expect((await desk.run(['run', 'show', './none.ndjson'])).exit).toBe(2);
		desk.write('edits.csv', EDITS);
		expect(await desk.run(['run', 'show', './edits.csv'])).toMatchObject({ exit: 1, out: '' });
		expect(headerOf(1).id).not.toBe('');
	});
});

/** Reports of runs, read back by standard readers, and annotations for GitHub. */

import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { done, idOf, json, type Responder, startRecorder } from '../support/recorder.js';
import { createWorkplace, startWorkplace } from '../support/workplace.js';
import { elementsOf, readXml } from '../support/xml.js';

const ok = done({ status: 'hold' });
const nasty = '<p>no &lt;b&gt;&amp; &#34;x"\r\n::error::| `y` ]]&gt; \u0007</p>';
/** The same as text. */
const shown = 'no <b>& "x"\r\n::error::| `y` ]]> \u0007';

/** Ticket 2 fails with reasons, 3 gets no response, 5 shows another value. */
const mixed: Responder = (request, response) => {
	switch (idOf(request)) {
		case 2:
			return json(400, { code: 'rest_invalid_param', message: nasty, data: { params: { title: nasty } } });
		case 3:
			return void response.destroy();
		case 5:
			return done({ status: 'read' });
		default:
			return ok;
	}
};

async function reported(...more: string[]) {
	const { recorder, work } = await startWorkplace(mixed);
	work.write('edits.csv', 'id,status,title\n1,hold,a\n2,hold,b\n3,hold,c\n4,hodl,d\n5,hold,e\n');
	const args = ['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', '--retries', '0', '-q', ...more];
	const result = await work.run(args);
	expect(result.exitCode).toBe(3);
	return { work, recorder, result };
}

/** A workplace with a sheet of one row, whose service takes everything. */
async function oneEdit() {
	const { recorder, work } = await startWorkplace(ok);
	work.write('edits.csv', 'id,status\n1,hold\n');
	return { recorder, work };
}

/** The root's attributes and the test cases of a JUnit report. */
function readJunit(text: string) {
	const root = readXml(text);
	const cases = elementsOf(root, 'testcase').map(({ attributes, children: [first] }) => ({
		...attributes,
		verdict: first?.name ?? null,
		message: first?.attributes.message,
	})) as { name: string; verdict: string | null; message?: string }[];
	return { suites: root.attributes, cases };
}

describe('--report', () => {
	it('writes all four formats of one run, each whole and for its own reader', async () => {
		const formats = { junit: 'out.xml', json: 'out.json', markdown: 'out.md', csv: 'out.csv' };
		const { work } = await reported(
			...Object.entries(formats).flatMap(([format, file]) => ['--report', `${format}:${file}`]),
		);

		const xml = readJunit(work.read('out.xml'));
		expect(xml.suites).toMatchObject({ tests: '5', failures: '3', errors: '1' });
		expect(xml.cases.map(({ name, verdict }) => [name, verdict]).sort()).toEqual([
			['row 1: ticket 1', null],
			['row 2: ticket 2', 'failure'],
			['row 3: ticket 3', 'error'],
			['row 4: ticket 4', 'failure'],
			['row 5: ticket 5', 'failure'],
		]);
		expect(xml.cases.find(({ name }) => name === 'row 2: ticket 2')?.message).toContain(
			'no <b>& "x"\r\n::error::| `y` ]]> ',
		);

		const report = JSON.parse(work.read('out.json')) as { rows: { row: number; outcome: string }[] } & Record<
			string,
			unknown
		>;
		expect(report).toMatchObject({
			command: 'ticket update',
			exit: 3,
			counts: { ok: 1, failed: 1, unknown: 1, invalid: 1, 'not-sent': 0, differs: 1 },
			input: { name: 'edits.csv', rows: 5 },
		});
		expect(report.rows.find(({ row }) => row === 5)).toMatchObject({
			differs: [{ field: 'status', sent: 'hold', shown: 'read' }],
		});

		const rows = parse(work.read('out.csv'), { columns: true }) as Record<string, string>[];
		expect(rows.map(({ row, outcome, status }) => [row, outcome, status]).sort()).toEqual([
			['1', 'ok', '200'],
			['2', 'failed', '400'],
			['3', 'unknown', ''],
			['4', 'invalid', ''],
			['5', 'differs', '200'],
		]);
		expect(rows.find(({ row }) => row === '2')?.message).toBe(shown);

		const markdown = work.read('out.md');
		expect(markdown).toContain('## 4 of 5 tickets need attention\n');
		expect(markdown).toContain('| ok | 1 |\n| differs | 1 |\n| failed | 1 |\n| invalid | 1 |\n| unknown | 1 |\n');
		expect(markdown.split('\n').filter((line) => /^\| [2-5] \| [3-6] \|/.test(line))).toHaveLength(4);
		expect(markdown).toContain('; status is "read", not "hold" |\n');
		expect(markdown).toMatch(/supportctl run resume \S+`\n.*supportctl run rejects \S+ --format csv`/s);
	});

	it('counts rows that were never reached, and is complete where a resume writes it again', async () => {
		let closed = true;
		const { work } = await startWorkplace((_request, _response, count) =>
			closed && count > 3 ? json(401, { code: 'no', message: 'no' }) : ok,
		);
		work.edits(10);
		await work.run('ticket update --input edits.csv -q -j 1 --report junit:out.xml');
		const first = readJunit(work.read('out.xml'));
		expect(first.cases.at(-1)).toMatchObject({ name: 'rows that were not sent', verdict: 'error' });
		expect(first.cases.at(-1)?.message).toContain('6 rows were not sent');
		closed = false;
		expect((await work.run('run resume last -q --report junit:out.xml')).exitCode).toBe(0);
		expect(readJunit(work.read('out.xml'))).toMatchObject({ suites: { tests: '10', failures: '0', errors: '0' } });
	});

	it('that can not be written keeps no other from being written', async () => {
		let folder = '';
		const recorder = await startRecorder((request, response, count) => {
			for (const name of ['one.json', 'three.csv']) mkdirSync(join(folder, name), { recursive: true });
			done({ status: 'hold' })(request, response, count);
		});
		const work = createWorkplace(recorder.env);
		folder = work.folder;
		const reports = ['json:one.json', 'json:two.json', 'csv:three.csv', 'csv:four.csv'].flatMap((each) => [
			'--report',
			each,
		]);
		const result = await work.run(['ticket', 'update', '1', '--status', 'hold', '-q', ...reports]);
		expect(result.exitCode).toBe(1);
		expect(result.stderr).toMatch(/2 reports could not be written\n.*one\.json: .*\n.*three\.csv: /);
		expect(JSON.parse(work.read('two.json')).rows).toHaveLength(1);
		expect(work.read('four.csv').split('\n')).toHaveLength(3);
	});

	it.each([
		['no/such/folder/out.json', 'directory not found: no/such/folder'],
		['.', 'it is a directory'],
		['edits.csv/out.json', 'directory not found: edits.csv'],
	])('is refused before anything is sent where it can not be written: %s', async (path, why) => {
		const { recorder, work } = await oneEdit();
		const result = await work.run(['ticket', 'update', '--input', 'edits.csv', '--report', `json:${path}`]);
		expect(result).toMatchObject({
			exitCode: 2,
			stderr: `error: --report json:${path}: ${why}; nothing was sent\n`,
		});
		expect([recorder.requests, work.journals()]).toEqual([[], []]);
		const stream = await work.run('ticket update 1 --status hold --report json:-');
		expect(stream.stderr).toBe('error: --report needs a file: stdout is for results\n');
	});

	it.each([
		['json:edits.csv', "it is the run's input"],
		['json:./folder/../linked.csv', "it is the run's input"],
		['json:journal.ndjson', "it is the run's journal"],
		['csv:out.json', 'it is the file of another report'],
	])('is refused where it would overwrite another file: %s', async (report, why) => {
		const { recorder, work } = await oneEdit();
		mkdirSync(join(work.folder, 'folder'));
		symlinkSync('edits.csv', join(work.folder, 'linked.csv'));
		const reports = ['--report', 'json:out.json', '--report', report];
		const result = await work.run([
			...['ticket', 'update', '--input', 'edits.csv', '--journal', 'journal.ndjson'],
			...reports,
		]);
		expect(result).toMatchObject({ exitCode: 2, stderr: `error: --report ${report}: ${why}; nothing was sent\n` });
		expect([recorder.requests, work.journals(), work.read('edits.csv')]).toEqual([[], [], 'id,status\n1,hold\n']);
	});

	it('is written through a link', async () => {
		const { work } = await startWorkplace(ok);
		work.write('real.json', '');
		symlinkSync('real.json', join(work.folder, 'linked.json'));
		await work.run('ticket update 1 2 --status hold -q --report json:linked.json');
		expect(lstatSync(join(work.folder, 'linked.json')).isSymbolicLink()).toBe(true);
		expect(JSON.parse(work.read('real.json'))).toMatchObject({ exit: 0 });
	});

	it('any number of them go to one device', async () => {
		const { work } = await startWorkplace(ok);
		const reports = ['--report', 'json:/dev/null', '--report', 'csv:/dev/null'];
		expect(await work.run(['ticket', 'update', '1', '2', '--status', 'hold', '-q', ...reports])).toMatchObject({
			exitCode: 0,
			stderr: '',
		});
	});

	it('that can not be written is an error after the summary, exit code 1, and the run itself is as it is', async () => {
		const recorder = await startRecorder(() => {
			rmSync(join(work.folder, 'reports'), { recursive: true, force: true });
			return ok;
		});
		const work = createWorkplace(recorder.env);
		mkdirSync(join(work.folder, 'reports'));
		const result = await work.run('ticket update 1 2 --status hold --report json:reports/out.json');
		expect(result.exitCode).toBe(1);
		expect(result.stderr).toMatch(/: 2 rows in .*: 2 ok\nerror: can't write the report reports\/out.json: /);
		expect(recorder.requests).toHaveLength(2);
		expect(work.records().at(-1)).toMatchObject({ type: 'end', exit: 0 });
	});

	it('in csv holds no formula that the service chose', async () => {
		const messages = ['=HYPERLINK("https://x.example")', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', 'fine'];
		const { work } = await startWorkplace((request) =>
			json(400, { code: '=code', message: messages[idOf(request) - 1] }),
		);
		const ids = messages.map((_, index) => String(index + 1));
		await work.run(['ticket', 'delete', ...ids, '--yes', '-j1', '--report', 'csv:r.csv', '--max-failures', '100']);
		const rows = parse(work.read('r.csv'), { columns: true }) as Record<string, string>[];
		expect(rows.map(({ message }) => message?.replace(/ \(HTTP.*/, ''))).toEqual([
			...messages.slice(0, 7).map((each) => `'${each}`),
			'fine',
		]);
		expect(rows[0]?.code).toBe("'=code");
		expect(rows[0]?.id).toBe('1');
	});

	it('is refused in an unknown format, before anything is sent', async () => {
		const { recorder, work } = await startWorkplace(ok);
		const result = await work.run('ticket update 1 2 --status hold --report junti:out.xml');
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain('did you mean "junit"?');
		expect(recorder.requests).toEqual([]);
	});
});

/** Workflow commands as GitHub's runner reads them: one a line, with escapes. */
function annotations(stderr: string): { level: string; properties: Record<string, string>; message: string }[] {
	return stderr.split('\n').flatMap((line) => {
		const match = /^::(error|warning)(?: ([^:]*))?::(.*)$/.exec(line);
		if (match === null) return [];
		const unescaped = (text: string): string =>
			text.replace(/%(0D|0A|3A|2C|25)/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
		const pairs = (match[2] ?? '').split(',').map((pair) => pair.split('=') as [string, string]);
		const properties = Object.fromEntries(pairs.map(([name, value]) => [name, unescaped(value)]));
		return [{ level: match[1] as string, properties, message: unescaped(match[3] as string) }];
	});
}

describe('under GitHub Actions', () => {
	const env = { GITHUB_ACTIONS: 'true' };

	it('failures are annotations with the file and line of the input, whatever the service says', async () => {
		const { work } = await startWorkplace(mixed);
		work.write('a,b:c.csv', 'id,status,title\n1,hold,a\n2,hold,b\n3,hold,"c\nd"\n4,hold,e\n');
		const args = ['ticket', 'update', '--input', 'a,b:c.csv', '--retries', '0', '-j', '1'];
		expect(annotations((await work.run(args, { env })).stderr)).toEqual([
			{
				level: 'error',
				properties: { file: 'a,b:c.csv', line: '3', title: 'row 2: failed' },
				message: 'no <b>& "x"\n\\::error::| `y` ]]> \\x07',
			},
			{
				level: 'warning',
				properties: { file: 'a,b:c.csv', line: '4', title: 'row 3: unknown' },
				message: expect.stringContaining('connection'),
			},
		]);
		for (const more of [['--json'], ['--format', 'ndjson']]) {
			const { stderr } = await work.run([...args, ...more], { env });
			expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([]);
		}
	});

	it('complaints are annotations, and so is a header that can not be used', async () => {
		const { recorder, work } = await startWorkplace(ok);
		work.write('edits.csv', 'id,status\n1,hold\n2,hodl\n');
		expect(annotations((await work.run('ticket update --input edits.csv', { env })).stderr)).toEqual([
			{
				level: 'error',
				properties: { file: 'edits.csv', line: '3', title: 'row 2 is invalid' },
				message: 'status "hodl" is not a documented ticket status; did you mean "hold"?',
			},
		]);
		work.write('edits.csv', '\nid,statuss\n1,hold\n');
		expect(annotations((await work.run('ticket update --input edits.csv', { env })).stderr)).toEqual([
			{
				level: 'error',
				properties: { file: 'edits.csv', line: '2', title: 'the input is invalid' },
				message: 'edits.csv line 2: unknown column "statuss"; did you mean "status"?',
			},
		]);
		expect(recorder.requests).toEqual([]);
	});

	it('standard input is named by no file', async () => {
		const { work } = await startWorkplace(mixed);
		const { stderr } = await work.run('ticket update - --title x', { env, stdin: '1\n2\n' });
		expect(annotations(stderr).map(({ properties }) => properties)).toEqual([{ title: 'row 2: failed' }]);
		const bad = await work.run('ticket update --input -', { env, stdin: 'id,foo\n1,2\n' });
		expect(annotations(bad.stderr).map(({ properties }) => properties)).toEqual([{ title: 'the input is invalid' }]);
	});

	it('there are none elsewhere', async () => {
		const { result } = await reported();
		expect(annotations(result.stderr)).toEqual([]);
	});
});

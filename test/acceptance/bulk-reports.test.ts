/** Reports of runs, read back by standard readers, and annotations for GitHub. */

import { existsSync, lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { startDesk } from '../support/desk.js';
import { done, idOf, json, type Responder } from '../support/recorder.js';
import { startSandboxUser } from '../support/sandbox-user.js';
import { elementsOf, readXml } from '../support/xml.js';

const ok = done({ status: 'hold' });
const nasty = '<p>no &lt;b&gt;&amp; &#34;x"\r\n::error::| `y` ]]&gt; \u0007</p>';

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
	const { recorder, work } = await startDesk(mixed);
	work.write('edits.csv', 'id,status,title\n1,hold,a\n2,hold,b\n3,hold,c\n4,hodl,d\n5,hold,e\n');
	const args = ['ticket', 'update', '--input', 'edits.csv', '--skip-invalid', '--retries', '0', '-q', ...more];
	const result = await work.run(args);
	expect(result.exitCode).toBe(3);
	return { work, recorder, result };
}

/** A workplace with a sheet of one row, whose service takes everything. */
async function oneEdit() {
	const { recorder, work } = await startDesk(ok);
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
	it('writes a JUnit and a markdown report of one run, each whole', async () => {
		const formats = { junit: 'out.xml', markdown: 'out.md' };
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

		const markdown = work.read('out.md');
		expect(markdown).toContain('## 4 of 5 tickets need attention\n');
		expect(markdown).toContain('| ok | 1 |\n| differs | 1 |\n| failed | 1 |\n| invalid | 1 |\n| unknown | 1 |\n');
		expect(markdown.split('\n').filter((line) => /^\| [2-5] \| [3-6] \|/.test(line))).toHaveLength(4);
		expect(markdown).toContain('; status is "read", not "hold" |\n');
		expect(markdown).toMatch(/supportctl run resume \S+`\n.*supportctl run rejects \S+ --format csv`/s);
	});

	it('counts rows that were never reached, and is complete where a resume writes it again', async () => {
		let closed = true;
		const { work } = await startDesk((_request, _response, count) =>
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
		const { work } = await startDesk((request, response, count) => {
			mkdirSync(join(folder, 'one.xml'), { recursive: true });
			done({ status: 'hold' })(request, response, count);
		});
		folder = work.folder;
		const reports = ['junit:one.xml', 'junit:two.xml'].flatMap((each) => ['--report', each]);
		const result = await work.run(['ticket', 'update', '1', '--status', 'hold', '-q', ...reports]);
		expect(result.exitCode).toBe(1);
		expect(result.stderr).toMatch(/can't write the report one\.xml: /);
		expect(work.read('two.xml')).toContain('tests="1"');
	});

	it.each([
		['no/such/folder/out.xml', 'directory not found: no/such/folder'],
		['.', "it isn't a regular file"],
		['edits.csv/out.xml', 'directory not found: edits.csv'],
		['/dev/null', "it isn't a regular file"],
	])('is refused before anything is sent where it can not be written: %s', async (path, why) => {
		const { recorder, work } = await oneEdit();
		const result = await work.run(['ticket', 'update', '--input', 'edits.csv', '--report', `junit:${path}`]);
		expect(result).toMatchObject({
			exitCode: 2,
			stderr: `error: --report junit:${path}: ${why}; nothing was sent\n`,
		});
		expect([recorder.writes, work.journals()]).toEqual([[], []]);
		const stream = await work.run('ticket update 1 --status hold --report junit:-');
		expect(stream.stderr).toBe('error: --report junit needs a file, as in --report junit:FILE\n');
	});

	it.each([
		['junit:edits.csv', "it is the run's input"],
		['junit:./folder/../linked.csv', "it is the run's input"],
		['junit:journal.ndjson', "it is the run's journal"],
		['markdown:out.xml', 'it is the file of another report'],
	])('is refused where it would overwrite another file: %s', async (report, why) => {
		const { recorder, work } = await oneEdit();
		mkdirSync(join(work.folder, 'folder'));
		symlinkSync('edits.csv', join(work.folder, 'linked.csv'));
		const reports = ['--report', 'junit:out.xml', '--report', report];
		const result = await work.run([
			...['ticket', 'update', '--input', 'edits.csv', '--journal', 'journal.ndjson'],
			...reports,
		]);
		expect(result).toMatchObject({ exitCode: 2, stderr: `error: --report ${report}: ${why}; nothing was sent\n` });
		expect([recorder.writes, work.journals(), work.read('edits.csv')]).toEqual([[], [], 'id,status\n1,hold\n']);
	});

	it('is written through a link', async () => {
		const { work } = await startDesk(ok);
		work.write('real.xml', '');
		symlinkSync('real.xml', join(work.folder, 'linked.xml'));
		await work.run('ticket update 1 2 --status hold -q --report junit:linked.xml');
		expect(lstatSync(join(work.folder, 'linked.xml')).isSymbolicLink()).toBe(true);
		expect(work.read('real.xml')).toContain('tests="2"');
	});

	it('that can not be written is an error after the summary, exit code 1, and the run itself is as it is', async () => {
		const { recorder, work } = await startDesk(() => {
			rmSync(join(work.folder, 'reports'), { recursive: true, force: true });
			return ok;
		});
		mkdirSync(join(work.folder, 'reports'));
		const result = await work.run('ticket update 1 2 --status hold --report junit:reports/out.xml');
		expect(result.exitCode).toBe(1);
		expect(result.stderr).toMatch(/: 2 rows in .*: 2 ok\nerror: can't write the report reports\/out.xml: /);
		expect(recorder.writes).toHaveLength(2);
		expect(work.records().at(-1)).toMatchObject({ type: 'end', exit: 0 });
	});

	it('is refused in an unknown format, before anything is sent', async () => {
		const { recorder, work } = await startDesk(ok);
		const result = await work.run('ticket update 1 2 --status hold --report junti:out.xml');
		expect(result.exitCode).toBe(2);
		expect(result.stderr).toContain('did you mean "junit"?');
		expect(recorder.writes).toEqual([]);
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
		const { work } = await startDesk(mixed);
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
		const { recorder, work } = await startDesk(ok);
		work.write('edits.csv', 'id,status\n1,hold\n2,hodl\n');
		expect(annotations((await work.run('ticket update --input edits.csv', { env })).stderr)).toEqual([
			{
				level: 'error',
				properties: { file: 'edits.csv', line: '3', title: 'row 2 is invalid' },
				message: 'status "hodl" is unknown; did you mean "hold"?',
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
		expect(recorder.writes).toEqual([]);
	});

	it('standard input is named by no file', async () => {
		const { work } = await startDesk(mixed);
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

test('a run that is refused as a whole writes its reports, too', async () => {
	const at = await startSandboxUser();
	at.file('leavers.csv', 'username\nemeka.park\namir.rossi\n');
	const words = 'user delete --input leavers.csv --yes --report markdown:summary.md --report junit:users.xml';
	for (const [flags, why] of [
		['--reassign sofia.bauer --max 1', '--max 1, but there are 2 rows; nothing was sent'],
		['--reassign emeka.park', 'who is also being deleted; nothing was sent'],
	]) {
		const { exitCode, stderr } = await at.run(`${words} ${flags}`);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining(why as string)]);
		expect(at.read('summary.md').replaceAll('\\', '')).toContain(why);
		expect(at.read('users.xml')).toContain(why);
	}
	const dry = await at.run('user delete --input leavers.csv --reassign emeka.park -n --report markdown:dry.md');
	expect(dry.exitCode).toBe(2);
	expect(existsSync(at.path('dry.md'))).toBe(false);
});

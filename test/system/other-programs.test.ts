/** Results that other programs read, and what other programs make of a run. */

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { binary, jsonLines, runCli } from '../support/cli.js';
import { json, startRecorder } from '../support/recorder.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { createWorkplace, startWorkplace } from '../support/workplace.js';

const cells = ['A, "quoted"\ttitle', 'two\nlines 日本', '=1+1'];

describe('results', () => {
	const print = async (format: string): Promise<string> => {
		const recorder = await startRecorder(
			json(
				200,
				cells.map((title, index) => ({ id: index + 1, title })),
			),
		);
		const { exitCode, stdout } = await runCli(['api', 'GET', 'things', '--format', format], { env: recorder.env });
		expect(exitCode).toBe(0);
		return stdout;
	};

	it.each([
		['json', '.[].title'],
		['ndjson', '.title'],
	])('in %s are read by jq', async (format, filter) => {
		const out = execFileSync('jq', ['-c', filter], { input: await print(format), encoding: 'utf8' });
		expect(jsonLines(out)).toEqual(cells);
	});

	it.each([
		['csv', 'excel'],
		['tsv', 'excel-tab'],
	])('in %s are read by Python', async (format, dialect) => {
		const program = 'import csv,json,sys; print(json.dumps(list(csv.reader(sys.stdin, dialect=sys.argv[1]))))';
		const out = execFileSync('python3', ['-X', 'utf8', '-c', program, dialect], {
			input: await print(format),
			encoding: 'utf8',
		});
		expect(JSON.parse(out)).toEqual([['id', 'title'], ...cells.map((title, index) => [String(index + 1), title])]);
	});
});

it('a JUnit report is read by Python', async () => {
	const { work } = await startWorkplace(json(400, { code: 'no', message: 'no <b>&amp; "x"\r\n| ]]> \u0007' }));
	const args = ['ticket', 'update', '1', '2', '--status', 'hold', '--report', 'junit:out.xml'];
	expect((await work.run(args)).exitCode).toBe(1);
	const program =
		'import sys, xml.etree.ElementTree as tree; print(tree.parse(sys.argv[1]).find(".//failure").get("message"))';
	const out = execFileSync('python3', ['-c', program, `${work.folder}/out.xml`], { encoding: 'utf8' });
	expect(out).toContain('no & "x"');
});

it('GNU parallel runs the shards of one input, each row once', async () => {
	const desk = await startSandbox({ seed: 40 });
	const work = createWorkplace(desk.env);
	work.edits(40);
	const words = ['ticket', 'update', '--input', 'edits.csv', '--shard', '{}/4', '--quiet', '--format', 'ids'];
	const { stdout } = await promisify(execFile)(
		'parallel',
		['--jobs', '2', '--will-cite', process.execPath, binary, ...words, ':::', '1', '2', '3', '4'],
		{ cwd: work.folder, env: { ...process.env, ...work.env } },
	);
	const ids = stdout.trim().split('\n').map(Number);
	expect(ids.sort((left, right) => left - right)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
	await desk.stop();
});

it('a state folder that may not be written stops a run before its first write', async () => {
	const { recorder, work } = await startWorkplace(json(200, { id: 1, status: 'hold' }));
	const state = temporaryFolder();
	chmodSync(state, 0o500);
	// Root may write anywhere, unless that capability is dropped.
	const through = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
	const args = ['ticket', 'update', '1', '2', '--status', 'hold'];
	const { exitCode, stderr } = await work.spawn(args, {
		env: { SUPPORTCTL_STATE_DIR: state },
		through,
	}).ended;
	expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('permission denied') });
	// It reads an object first, to find out whether old values can be kept.
	expect(recorder.requests.filter(({ method }) => method !== 'GET')).toHaveLength(0);
});

it('a page of a report works in a browser that loads nothing else, and is as wide as a phone', async () => {
	const { work } = await startWorkplace((_request, _response, count) =>
		count % 3 === 0
			? json(400, { code: 'rest_no', message: '&lt;script&gt;document.title="changed"&lt;/script&gt;' })
			: json(200, { id: 1, status: 'hold' }),
	);
	work.edits(30);
	await work.run('ticket update --input edits.csv -q --report html:run.html'.split(' '));
	const browser = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${temporaryFolder()}`];
	const page = `file://${work.folder}/run.html`;
	const dom = execFileSync('chromium', [...browser, '--window-size=390,800', '--dump-dom', page], { encoding: 'utf8' });
	// The script ran: it counts the rows. That of the service did not.
	expect(dom).toContain('>30 rows</output>');
	expect(dom).not.toContain('<title>changed');
	expect(dom).toContain('&lt;script&gt;');
});

/** Which files of the bundle a command loads: each further one costs time, and what it never uses should not be parsed. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

async function chunksOf(line: string, expected = 0) {
	const desk = await startSandbox();
	const folder = temporaryFolder();
	const log = join(folder, 'loaded.json');
	const hook = join(folder, 'hook.cjs');
	writeFileSync(
		hook,
		`process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(log)}, JSON.stringify(Object.keys(require.cache))))`,
	);
	try {
		const env = { ...desk.env, NODE_OPTIONS: `--require ${hook}` };
		const { exitCode, stderr } = await runCli(line, { env });
		expect(exitCode, stderr).toBe(expected);
	} finally {
		await desk.stop();
	}
	const files = (JSON.parse(readFileSync(log, 'utf8')) as string[]).filter((file) => /dist.(?:chunks|main)/.test(file));
	const names = files.map((file) => /([\w-]+?)(?:-[\w-]{8})?\.cjs$/.exec(file)?.[1] ?? file);
	return { names: names.sort(), text: files.map((file) => readFileSync(file, 'utf8')).join('\n') };
}

describe('the bundle', () => {
	it('loads for one update what is listed in src/tools/bundle.mjs: no help, no readers of files, no prompts', async () => {
		const { names, text } = await chunksOf('ticket update 14 --status hold');
		expect(names).toEqual(['command', 'http', 'main', 'request', 'rolldown-runtime', 'run', 'start']);
		// A sentence of help, an option of csv-parse, a class of conf.
		for (const unused of ['Changes only the fields you pass', 'relax_column_count', 'projectName']) {
			expect(text).not.toContain(unused);
		}
	});

	it('loads for a file of rows its readers and the screen of runs besides', async () => {
		const folder = temporaryFolder();
		writeFileSync(join(folder, 'edits.csv'), 'id,status\n14,hold\n15,hold\n');
		const { names, text } = await chunksOf(`ticket update --input ${folder}/edits.csv`);
		expect(names).toContain('input');
		expect(text).not.toContain('Changes only the fields you pass');
	});

	it('loads for help neither commander nor the client', async () => {
		const { names, text } = await chunksOf('ticket update --help');
		expect(text).toContain('Changes only the fields you pass');
		expect(names).not.toContain('http');
		expect(names).not.toContain('run');
	});
});

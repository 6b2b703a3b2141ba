/** Which files of the bundle a command loads: each further one costs time, and what it never uses should not be parsed. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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
		`process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(log)}, JSON.stringify(
			{ files: Object.keys(require.cache), ofNode: process.moduleLoadList })))`,
	);
	try {
		const env = { ...desk.env, NODE_OPTIONS: `--require ${hook}` };
		const { exitCode, stderr } = await runCli(line, { env });
		expect(exitCode, stderr).toBe(expected);
	} finally {
		await desk.stop();
	}
	const loaded = JSON.parse(readFileSync(log, 'utf8')) as { files: string[]; ofNode: string[] };
	const files = loaded.files.filter((file) => /dist.(?:chunks|main)/.test(file));
	const names = files.map((file) => /([\w-]+?)(?:-[\w-]{8})?\.cjs$/.exec(file)?.[1] ?? file);
	const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
	return { names: names.sort(), text, ofNode: loaded.ofNode };
}

describe('the bundle', () => {
	it('loads for one update what is listed in src/tools/bundle.mjs: no help, no readers of files, no prompts', async () => {
		const { names, text } = await chunksOf('ticket update 14 --status hold');
		expect(names).toEqual(['command', 'http', 'main', 'request', 'rolldown-runtime', 'run', 'start']);
		// A sentence of help, an option of csv-parse, a class of conf, a method whose first call takes 20 ms.
		for (const unused of ['Changes only the fields you pass', 'relax_column_count', 'projectName', 'toLocaleString']) {
			expect(text).not.toContain(unused);
		}
	});

	it('loads neither HTTP/2 for one update, nor TLS for http://', async () => {
		const { ofNode } = await chunksOf('ticket update 14 --status hold');
		expect(ofNode).toContain('NativeModule net');
		expect(ofNode).not.toContain('NativeModule http2');
		expect(ofNode).not.toContain('NativeModule tls');
	});

	it('keeps what undici seldom runs in files of their own, which export what undici expects', () => {
		const load = createRequire(new URL('../../dist/chunks/', import.meta.url));
		expect(load('./body.cjs')).toHaveProperty('extractBody', expect.any(Function));
		expect(load('./client-h2.cjs')).toBeTypeOf('function');
		expect((load('./llhttp-wasm.cjs') as Buffer).toString('latin1', 0, 4)).toBe('\0asm');
	});

	it('has no strings as templates, which V8 reads slowly, and its modules are functions in parentheses', async () => {
		const { text } = await chunksOf('ticket update 14 --status hold');
		expect(text).toContain('Symbol("close")');
		expect(text).toContain('((function(');
		expect(text).not.toMatch(/__PURE__ \*\/ [\w.]+\(\(\(?[\w,]*\)?=>/);
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

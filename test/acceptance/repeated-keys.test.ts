/** JSON with a key twice is refused: the parser would take the later one, which can be another object. */

import { describe, expect, it } from 'vitest';
import { repeatedKey } from '../../src/api/values.js';
import { runHere } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { whenTestEnds } from '../support/test-end.js';

describe('a key twice', () => {
	it.each([
		['ndjson', '{"id":14,"id":15}\n'],
		['json', '[{"id":14,"status":"hold","i\\u0064":15}]'],
	])('in a row of %s keeps a delete from the wrong object', async (format, input) => {
		const { env, stop, requests } = await startSandbox();
		whenTestEnds(stop);
		const line = ['ticket', 'delete', '--input', '-', '--input-format', format, '--yes'];
		const { exitCode, stderr } = await runHere(line, { env, input });
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the key "id" appears twice')]);
		expect(requests).toEqual([]);
	});

	it('in --data is refused', async () => {
		const { exitCode, stderr } = await runHere(['ticket', 'update', '14', '--data', '{"title":"a","title":"b"}']);
		expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--data: the key "title" appears twice')]);
	});

	it.each([
		['{"a":{"x":1},"b":{"x":2}}', undefined],
		['[{"x":1},{"x":2}]', undefined],
		['{"a":"b\\":1,\\"a","b":"a"}', undefined],
		['{"a":[{"b":1,"b":2}]}', 'b'],
		[`{"${'k'.repeat(1_000_000)}":"${'\\"'.repeat(500_000)}"}`, undefined],
	])('is told from the same key in two objects, and from text: %#', (text, key) => {
		expect(repeatedKey(text)).toBe(key);
	});
});

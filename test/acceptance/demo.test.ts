/** `npm run demo` shows only what is true: it ends well on its own file, and fails where the desk is not what a file says. */

import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Ended {
	code: number | null;
	stdout: string;
	stderr: string;
	/** What it left in its folder for temporary files. */
	left: string[];
}

function demo(...args: string[]): Promise<Ended> {
	const folder = temporaryFolder();
	const env = { PATH: process.env.PATH, TMPDIR: folder };
	const child = spawn(process.execPath, [join(root, 'test/demo/demo.mjs'), ...args], { env, stdio: 'pipe' });
	const output = { stdout: '', stderr: '' };
	for (const name of ['stdout', 'stderr'] as const) {
		child[name].setEncoding('utf8').on('data', (chunk: string) => {
			output[name] += chunk;
		});
	}
	return new Promise((resolve) => {
		child.on('close', (code) => resolve({ code, ...output, left: readdirSync(folder) }));
	});
}

/** The processes whose addresses the demo printed are gone. */
async function expectNothingListens(stdout: string): Promise<void> {
	const baseUrl = /tickets runs at (http\S+)/.exec(stdout)?.[1] ?? '';
	expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/wp-json$/);
	await expect(fetch(baseUrl)).rejects.toThrow();
}

test('the demo edits, kills, resumes and undoes 320 tickets in sixty lines, checks every cell, and leaves nothing behind', async () => {
	const { code, stdout, stderr, left } = await demo();
	expect([code, stderr, left]).toEqual([0, '', []]);
	expect(stdout).toMatch(/^320 tickets edited and restored, all 10 checks passed, in [\d.]+ s\.$/m);
	// Names, not numbers, and short enough to be read.
	expect(stdout).toMatch(/^ {2}1 .* amir\.rossi +emeka\.park$/m);
	expect(stdout).toMatch(/^ {2}dry run on .*: 320 tickets would change: /m);
	expect(stdout).toMatch(/^ {2}run \S+ on .*: 320 rows in .*: 320 ok$/m);
	expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
	await expectNothingListens(stdout);
});

test('the demo fails where the desk does not hold what the file says, and still leaves nothing behind', async () => {
	const file = join(temporaryFolder(), 'edits.csv');
	// The service ignores a state that it does not know, and says nothing.
	writeFileSync(file, 'id,status,state\n14,hold,ajar\n15,hold,open\n');
	const { code, stdout, stderr, left } = await demo(file);
	expect(code).toBe(1);
	expect(stderr).toContain('ended with 6, not 0');
	expect(left).toEqual([]);
	await expectNothingListens(stdout);
});

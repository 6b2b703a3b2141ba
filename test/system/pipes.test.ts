/** docs/recipes.md, run as a reader would: against a sandbox, with the programs that it names. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { binary, isolatedEnvironment } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';

const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');
const recipes = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);

it('the recipes with pipes work, one after the other', async () => {
	const sandbox = await startSandbox();
	const folder = temporaryFolder();
	const env = { PATH: process.env.PATH, HOME: folder, ...isolatedEnvironment(), ...sandbox.env };
	const run = (text: string): string =>
		execFileSync(
			'bash',
			['-eo', 'pipefail', '-c', `supportctl() { '${process.execPath}' '${binary}' "$@"; }\n${text}`],
			{
				cwd: folder,
				env,
				encoding: 'utf8',
				stdio: ['ignore', 'pipe', 'pipe'],
			},
		);
	const titles = (): string => run('supportctl ticket list --field title');
	const before = titles();
	const [rename = '', back = ''] = recipes;
	run(rename);
	expect(titles()).toContain('Pocket Reader 2');
	run(back);
	expect(titles()).toBe(before);
	const outputs = recipes.slice(2).map(run);
	expect(run('supportctl ticket list --ticket-tag Refund --format count').trim()).toBe('0');
	expect(run('supportctl ticket list --assignee jose.kaya --state open --format count').trim()).toBe('0');
	expect(outputs.some((text) => /^emeka\.park +\d+$/m.test(text))).toBe(true);
	await sandbox.stop();
	expect(recipes).toHaveLength(8);
});

/** docs/recipes.md, run as a reader would: against a sandbox, with the programs that it names. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
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
	const functions = `supportctl() { '${process.execPath}' '${binary}' "$@"; }`;
	async function run(text: string): Promise<string> {
		const script = ['-eo', 'pipefail', '-c', `${functions}\n${text}`];
		return (await promisify(execFile)('bash', script, { cwd: folder, env })).stdout;
	}
	const titles = (): Promise<string> => run('supportctl ticket list --field title');
	const before = await titles();
	const [rename = '', back = '', ...others] = recipes;
	await run(rename);
	expect(await titles()).toContain('Pocket Reader 2');
	await run(back);
	expect(await titles()).toBe(before);
	const outputs: string[] = [];
	for (const recipe of others) outputs.push(await run(recipe));
	expect((await run('supportctl ticket list --ticket-tag Refund --format count')).trim()).toBe('0');
	expect((await run('supportctl ticket list --assignee jose.kaya --state open --format count')).trim()).toBe('0');
	expect(outputs.some((text) => /\bemeka\.park\b/.test(text))).toBe(true);
	await sandbox.stop();
	expect(recipes).toHaveLength(8);
});

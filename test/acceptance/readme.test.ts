/** README's recipes, typed at a real terminal against a real sandbox: what README shows is what comes. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { runInTerminal } from '../support/terminal.js';

interface Step {
	command: string;
	/** The lines that README shows below it. */
	shown: string[];
}

/** What README shows of each recipe: below its own command, or below the first one of the block before. */
function readRecipes(): { files: [name: string, text: string][]; steps: Step[] } {
	const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
	const recipes = readme.slice(readme.indexOf('## Recipes'), readme.indexOf('## Why trust it'));
	const files: [string, string][] = [];
	const steps: Step[] = [];
	for (const [, language, file = '', text = ''] of recipes.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```/gms)) {
		const [first = '', ...others] = text.trimEnd().split('\n');
		if (file !== '') files.push([file, text]);
		if (language === 'sh') steps.push({ command: first, shown: [] });
		if (language !== 'console') continue;
		if (first.startsWith('$ ')) steps.push({ command: first.slice(2), shown: others });
		else steps.at(-1)?.shown.push(first, ...others);
	}
	const last = steps.findLastIndex(({ shown }) => shown.length > 0);
	return { files, steps: steps.slice(0, last + 1) };
}

/** What stays in view, without what differs from run to run: IDs of runs, times, ports, and how wide a column is. */
function steady(line: string): string {
	return line
		.replace(/^.*\r/s, '')
		.replace(/\d{8}-\d{6}-[0-9a-z]{5}/, 'RUN')
		.replace(/\d+(?:\.\d+)? s\b/, 'SOME s')
		.replace(/127\.0\.0\.1:\d+/, 'HOST')
		.replace(/\s+/g, ' ')
		.trim();
}

it("README's recipes show what comes", async () => {
	const sandbox = await startSandbox();
	const folder = temporaryFolder();
	const { files, steps } = readRecipes();
	for (const [name, text] of files) writeFileSync(join(folder, name), text);
	for (const { command, shown } of steps) {
		const { lines } = await runInTerminal([], {
			columns: 130,
			env: { ...sandbox.env, SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_STATE_DIR: folder },
			shell: `cd '${folder}'; ${command}`,
		});
		const came = lines.map(steady);
		const missing = shown.map(steady).filter((line) => !came.some((each) => each.includes(line)));
		expect({ command, came, missing }).toEqual({ command, came, missing: [] });
		expect(
			lines.filter((line) => line.startsWith('error')),
			command,
		).toEqual([]);
	}
	expect(steps.length).toBeGreaterThanOrEqual(4);
	await sandbox.stop();
});

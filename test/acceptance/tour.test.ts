/** README's tour, typed at a real terminal against a real sandbox: what it shows is what comes. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { runInTerminal } from '../support/terminal.js';

interface Step {
	command: string;
	/** The lines that README shows below it. */
	shown: string[];
}

/** The console blocks of README's tour, a list of steps each. */
function readTour(): Step[][] {
	const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
	const tour = readme.slice(readme.indexOf('## Two minutes'), readme.indexOf('## Install'));
	return [...tour.matchAll(/^```console\n(.*?)^```/gms)].map(([, block = '']) =>
		block
			.split(/^\$ /m)
			.slice(1)
			.map((text) => {
				const [command = '', ...shown] = text.trimEnd().split('\n');
				return { command, shown };
			}),
	);
}

/** What stays in view, without what differs from run to run: ids of runs, times, ports, and how wide a column is. */
function steady(line: string): string {
	return line
		.replace(/^.*\r/s, '')
		.replace(/\d{8}-\d{6}-[0-9a-z]{5}/, 'RUN')
		.replace(/\d+(?:\.\d+)? s\b/, 'SOME s')
		.replace(/127\.0\.0\.1:\d+/, 'HOST')
		.replace(/\s+/g, ' ')
		.trim();
}

/** What is typed where the tour ends with a question. */
const replies: Record<string, string> = { '(y/N)': 'n\r', Password: '\x03' };

describe("README's tour", () => {
	it('shows what comes', async () => {
		const sandbox = await startSandbox();
		const folder = temporaryFolder();
		const [, ...blocks] = readTour();
		let commands = 0;
		for (const { command, shown } of blocks.flat()) {
			commands++;
			if (command === 'cat edits.csv') writeFileSync(join(folder, 'edits.csv'), `${shown.join('\n')}\n`);
			const replied = new Set<string>();
			const { lines } = await runInTerminal([], {
				columns: 120,
				env: { ...sandbox.env, SUPPORTCTL_CONFIG_DIR: folder, SUPPORTCTL_STATE_DIR: folder },
				shell: `cd '${folder}'; ${command}`,
				onOutput(text, terminal) {
					for (const [question, reply] of Object.entries(replies)) {
						if (!text.includes(question) || replied.has(question)) continue;
						replied.add(question);
						terminal.write(reply);
					}
				},
			});
			const came = lines.map(steady);
			const missing = shown.map(steady).filter((line) => !came.some((each) => each.includes(line)));
			expect({ command, came, missing }).toEqual({ command, came, missing: [] });
			// A command below which nothing is shown has nothing to complain about.
			if (shown.length === 0)
				expect(
					lines.filter((line) => line.startsWith('error')),
					command,
				).toEqual([]);
		}
		expect(commands).toBeGreaterThan(10);
		await sandbox.stop();
	});
});

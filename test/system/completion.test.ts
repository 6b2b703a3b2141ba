/** Completion in real bash, zsh and fish: what stands on the line after Tab, and what Tab shows. */

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary.js';
import { openShell, type Shell, type ShellName } from './shell.js';

const TAB = '\t';

/** How a person would switch completion on for one session. */
const setups: Record<ShellName, string> = {
	bash: 'source <(supportctl completion bash)',
	zsh: 'source <(supportctl completion zsh)',
	fish: 'supportctl completion fish | source',
};

async function openDesk(name: ShellName, setup = setups[name]): Promise<Shell> {
	const shell = await openShell(name, { setup });
	mkdirSync(join(shell.home, 'supportctl'), { mode: 0o700 });
	writeFileSync(
		join(shell.home, 'supportctl', 'config.json'),
		JSON.stringify({
			version: 1,
			current: 'desk',
			profiles: { desk: { baseUrl: 'https://desk.example' }, 'odd $(touch owned)': {} },
		}),
		{ mode: 0o600 },
	);
	mkdirSync(join(shell.home, 'state', 'runs'), { recursive: true });
	writeFileSync(join(shell.home, 'state', 'runs', '20260101-000000-aaaaa.ndjson'), '');
	writeFileSync(join(shell.cwd, 'my edits.csv'), 'id\n');
	writeFileSync(join(shell.cwd, 'other.csv'), 'id\n');
	mkdirSync(join(shell.cwd, 'sheets'));
	writeFileSync(join(shell.cwd, 'sheets', 'a=b.csv'), 'id\n');
	return shell;
}

/** What is typed before Tab, and the line after it; the same in every shell. */
const completed: [typed: string, line: string][] = [
	['supportctl att', 'supportctl attachment '],
	['supportctl ticket fi', 'supportctl ticket fields '],
	['supportctl ticket fields g', 'supportctl ticket fields get '],
	['supportctl --no-color tick', 'supportctl --no-color ticket '],
	['supportctl help saf', 'supportctl help safety '],
	['supportctl completion pow', 'supportctl completion powershell '],
	['supportctl ticket update 14 --time-adjustments-t', 'supportctl ticket update 14 --time-adjustments-type '],
	['supportctl ticket update --status ho', 'supportctl ticket update --status hold '],
	['supportctl ticket update --status=ho', 'supportctl ticket update --status=hold '],
	['supportctl ticket update --status shopm-f', 'supportctl ticket update --status shopm-free_trial '],
	['supportctl term delete prod', 'supportctl term delete product '],
	['supportctl ticket update --format nd', 'supportctl ticket update --format ndjson '],
	['supportctl ticket update --profile de', 'supportctl ticket update --profile desk '],
	['supportctl profile use de', 'supportctl profile use desk '],
	['supportctl run resume 2026', 'supportctl run resume 20260101-000000-aaaaa '],
	['supportctl api GET users/m', 'supportctl api GET users/me '],
	['supportctl ticket update --input oth', 'supportctl ticket update --input other.csv '],
	['supportctl ticket update --input my', 'supportctl ticket update --input my\\ edits.csv '],
	['supportctl ticket update --input "my', 'supportctl ticket update --input "my edits.csv" '],
	['supportctl ticket update --input=my', 'supportctl ticket update --input=my\\ edits.csv '],
	['supportctl ticket update --input ~/edits/oth', 'supportctl ticket update --input ~/edits/other.csv '],
	['supportctl ticket update --input she', 'supportctl ticket update --input sheets/'],
];

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (name) => {
	it('a word with one way to go on is completed, quoted as it has to be', async () => {
		const shell = await openDesk(name);
		const lines: [string, string][] = [];
		for (const [typed] of completed) lines.push([typed, await shell.line(typed + TAB)]);
		expect(lines).toEqual(completed);
	});

	it('several ways to go on are shown', async () => {
		const shell = await openDesk(name);
		const shown = await shell.screen(`supportctl ticket update --status shop-p${TAB}${TAB}`);
		for (const status of ['shop-pending', 'shop-pending-cancel', 'shop-processing']) expect(shown).toContain(status);
		const words = await shell.screen(`supportctl term ${TAB}${TAB}`);
		for (const word of ['update', 'delete']) expect(words).toContain(word);
		if (name !== 'bash') expect(words).toContain('Update terms');
	});

	it('nothing on the line, in a file or in a profile is ever run', async () => {
		const shell = await openDesk(name);
		for (const typed of [
			'supportctl ticket update $(touch owned) --sta',
			'supportctl ticket update `touch owned` --status ho',
			'supportctl ticket update "$(touch owned)" ; --sta',
			'supportctl ticket update --profile ',
			'supportctl ticket update --profile odd',
		]) {
			await shell.line(typed + TAB + TAB);
		}
		expect(readdirSync(shell.cwd).sort()).toEqual(['my edits.csv', 'other.csv', 'sheets']);
	});

	it('a copy that is called by its path completes itself', async () => {
		const shell = await openDesk(name);
		mkdirSync(join(shell.cwd, 'copy'));
		const copy = join(shell.cwd, 'copy', 'supportctl');
		writeFileSync(copy, '#!/bin/sh\nprintf "words\\nfrom-the-copy\\n"\n', { mode: 0o755 });
		expect(await shell.line(`./copy/supportctl fr${TAB}`)).toBe('./copy/supportctl from-the-copy ');
	});

	it('a line that nothing is known about stays as it is, without a word of error', async () => {
		const shell = await openDesk(name);
		for (const typed of ['supportctl tiket up', 'supportctl ticket updat ', 'supportctl ticket update --title ']) {
			expect(await shell.line(typed + TAB)).toBe(typed);
		}
		writeFileSync(join(shell.home, 'supportctl', 'config.json'), '{');
		const screen = await shell.screen(`supportctl ticket update --profile x${TAB}`);
		expect(screen).not.toMatch(/error|damaged/i);
	});
});

it('zsh finds the script in a folder of $fpath by itself', async () => {
	const folder = temporaryFolder();
	const { stdout } = await runCli('completion zsh');
	writeFileSync(join(folder, '_supportctl'), stdout);
	const shell = await openShell('zsh', { before: `fpath=(${folder} $fpath)` });
	expect(await shell.line(`supportctl att${TAB}`)).toBe('supportctl attachment ');
	expect(await shell.line(`supportctl ticket update --status ho${TAB}`)).toBe(
		'supportctl ticket update --status hold ',
	);
});

it('fish finds the script in its folder of completions by itself', async () => {
	const { stdout } = await runCli('completion fish');
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'supportctl.fish'), stdout);
	const shell = await openShell('fish', { setup: `set -p fish_complete_path ${folder}` });
	expect(await shell.line(`supportctl att${TAB}`)).toBe('supportctl attachment ');
});

it('bash completes where words are not broken at = and :, and the script can be read twice', async () => {
	const shell = await openDesk('bash', `COMP_WORDBREAKS=$' \\t\\n'\nset -u\n${setups.bash}\n${setups.bash}`);
	expect(await shell.line(`supportctl ticket update --status=ho${TAB}`)).toBe(
		'supportctl ticket update --status=hold ',
	);
	expect(await shell.line(`supportctl tiket ${TAB}`)).toBe('supportctl tiket ');
});

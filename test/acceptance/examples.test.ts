import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeCommand } from '../../src/cli/help/topics.js';
import { commands } from '../../src/cli/manifest.js';
import { binary, isolatedEnvironment, runHere } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { temporaryFolder } from '../support/temporary.js';
import { whenTestEnds } from '../support/test-end.js';

/** The files that examples read. */
const FILES: Readonly<Record<string, string>> = {
	'edits.csv': 'id,status,assignee\n14,hold,3\n15,queued,\n',
	'fields.csv': 'id,severity\n14,major\n15,minor\n',
	'leavers.csv': 'id,reassign\n10,2\n11,3\n',
	'users.csv': 'id,nickname\n7,Erik\n',
	'gone.csv': 'id\n12\n',
	'terms.csv': 'id,name\n21,Lowest\n',
	'replies.csv': 'ticket_id,id,status\n14,74,read\n',
	'spam.csv': 'ticket_id,id\n14,73\n',
	'attachments.csv': 'id,title\n51,Photo\n',
	'new-password.txt': 'Xk3f 9aQz Lm2P vR7t\n',
	'passwords.csv': 'user_id,slug\n3,bf7ff80e7ef5\n',
};

/** The words of a line that needs no shell. */
function plainWords(line: string): string[] | undefined {
	if (!/^supportctl [^|<>$;&*`\\]+$/.test(line)) return undefined;
	const [, ...words] = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
	return words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'));
}

/** Runs a line of help on a fresh sandbox. */
async function runExample(line: string): Promise<{ exitCode: unknown; stderr: string }> {
	// Lookups of usernames by request.
	const sandbox = await startSandbox({ lenient: true });
	whenTestEnds(() => sandbox.stop());
	const folder = temporaryFolder();
	for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
	const words = plainWords(line);
	if (words !== undefined) return await runHere(words, { env: sandbox.env, cwd: folder });
	mkdirSync(join(folder, 'bin'));
	const program = join(folder, 'bin', 'supportctl');
	writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${binary}" "$@"\n`);
	chmodSync(program, 0o755);
	const env = {
		...isolatedEnvironment(),
		...sandbox.env,
		HOME: folder,
		PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
	};
	return await new Promise((resolve) => {
		execFile('sh', ['-c', line], { cwd: folder, env }, (error, _stdout, stderr) =>
			resolve({ exitCode: error?.code ?? 0, stderr }),
		);
	});
}

const entries = await Promise.all(
	commands.map(async ({ words, load }) => {
		const { examples } = describeCommand(words);
		return { name: words.join(' '), examples, command: await load() };
	}),
);

describe.each(entries.filter(({ command }) => command.requests !== undefined))('examples of $name', ({ examples }) => {
	it.each(examples)('$command works', async ({ command: line, note }) => {
		if (/supportctl user check \S+$/.test(line)) return; // Asks for a password on a terminal.
		const asks = /asks first/.test(note) || /^supportctl user delete 6 /.test(line);
		const { exitCode, stderr } = await runExample(asks ? `${line} --yes` : line);
		expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
	});
});

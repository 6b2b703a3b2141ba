/** Hints for command lines that the program doesn't know: each is one that it takes. */

import { expect, test } from 'vitest';
import { runHere } from '../support/cli.js';
import { startSandbox } from '../support/sandbox.js';
import { wordsOf } from './wrong-lines.js';

/** @returns the command that the hint says to type, if it names one */
async function hintOf(line: string): Promise<string | undefined> {
	const { exitCode, stderr } = await runHere(line.split(' '));
	expect({ line, exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('hint: ') });
	expect(stderr).not.toMatch(/unexpected error|undefined|\{|ID\b…/);
	return /(?:did you mean|such as): (supportctl [^\n;]+)/.exec(stderr)?.[1]?.replace(' --no-snapshot', '');
}

test.each([
	['revoke anna Laptop', 'supportctl user password delete anna Laptop'],
	['export --state open', 'supportctl ticket list --state open --format csv'],
	['user export', 'supportctl user list --format csv'],
	['import edits.csv', 'supportctl ticket update --input edits.csv'],
	['ticket list --csv', 'supportctl ticket list --format csv'],
	[
		'ticket update 14 --status hold --junit out.xml',
		'supportctl ticket update 14 --status hold --report junit:out.xml',
	],
	['ticket update -f edits.csv', 'supportctl ticket update --input edits.csv'],
	['ticket list -f csv', 'supportctl ticket list --format csv'],
	['ticket update --ids 14 --status hold', 'supportctl ticket update 14 --status hold'],
	['ticket update 14 --where status=hold --state open', 'supportctl ticket update 14 --if status=hold --state open'],
	['ticket list --filter [0]', "supportctl ticket list --query '[0]'"],
	['ticket list --label vip', 'supportctl ticket list --ticket-tag vip'],
	['auth status', 'supportctl whoami'],
	['auth login', 'supportctl login'],
	['init', 'supportctl login'],
	['plan', 'supportctl help plan'],
	['apply changes.plan', 'supportctl run apply changes.plan'],
	['rerun', 'supportctl run retry last'],
	['diff', 'supportctl run show last --changes'],
	['disable anna', 'supportctl user delete --help'],
	['run search 17', 'supportctl run list --id 17'],
	['history 17', 'supportctl ticket history 17'],
	['tag list', 'supportctl term list ticket-tag'],
	['tag 14 VIP', 'supportctl ticket update 14 --add-ticket-tag VIP'],
	['edit 14', 'supportctl ticket edit 14'],
	['update 14', 'supportctl ticket edit 14'],
	['modify 14 --status hold', 'supportctl ticket update 14 --status hold'],
	['ticket update 14 --set status=hold', 'supportctl ticket update 14 --status hold'],
	['ticket list --assigne=sofia', 'supportctl ticket list --assignee sofia'],
	['close', 'supportctl ticket update --help'],
	['issue list --foo', 'supportctl ticket list'],
	['issue', 'supportctl ticket --help'],
])('%s → %s', async (line, hint) => {
	expect(await hintOf(line)).toBe(hint);
});

test.each([
	'logn --secret-command x --set api_key=hunter2',
	'ticket lst --password=hunter2',
	'ticket update 14 --valu password=hunter2',
	'modify 14 --content {"password":"hunter2"}',
])('%s does not repeat what may be secret', async (line) => {
	expect((await runHere(line.split(' '))).stderr).not.toContain('hunter2');
});

test('a flag without its value is named, not a line that fails', async () => {
	expect((await runHere('ticket list --assigne')).stderr).toBe(
		'error: unknown flag --assigne\nhint: did you mean --assignee? run "supportctl ticket list --help" to see the flags\n',
	);
});

test('every suggested command line is accepted', async () => {
	const { env } = await startSandbox();
	for (const line of ['export', 'auth status', 'tag list', 'show ticket 14', 'modify 14 --status hold', 'close 14']) {
		const hint = wordsOf((await hintOf(line)) ?? '');
		expect({ line, hint, ...(await runHere(hint, { env })) }).toMatchObject({ exitCode: 0 });
	}
});

/** Nothing malformed reaches the network: ids, slugs, values and flags are refused with exit code 2 and no request. */

import { expect, test } from 'vitest';
import { runCli, runHere, type Words, wordsOf } from '../support/cli.js';
import { done, startRecorder } from '../support/recorder.js';

async function refused(args: Words, input?: string | Buffer): Promise<string> {
	const recorder = await startRecorder(done());
	const { exitCode, stdout, stderr } = await runHere(args, {
		env: recorder.env,
		...(input === undefined ? {} : { input }),
	});
	// Names of application passwords are looked up in the list.
	const requests = recorder.requests.filter(({ method, url }) => method !== 'GET' || !url.endsWith('/passwords'));
	expect({ exitCode, stdout, requests }).toEqual({ exitCode: 2, stdout: '', requests: [] });
	expect(stderr).not.toMatch(/\n\s+at /);
	return stderr;
}

test.each([
	'0',
	'-1',
	'1e3',
	'12abc',
	'../users/1',
	'1'.repeat(30),
	'1.5',
	'+7',
	'007',
	' 7',
	'%37',
	'７',
	'',
	'9007199254740993',
])('the id %j never reaches the network', async (id) => {
	await refused(['ticket', 'update', '--status', 'hold', '--', id]);
	await refused(['reply', 'delete', '--yes', '--', id, '3']);
	await refused('ticket update - --status hold', `5\n${id === '' ? 'x' : id === ' 7' ? '7 7' : id}\n`);
});

test.each(['..', '.', 'a/b', '%2e%2e', '', '?x', '#'])('the slug %j never reaches the network', async (slug) => {
	await refused(['user', 'password', 'delete', '7', '--yes', '--', slug]);
});

const hodl = 'status "hodl" is unknown; did you mean "hold"?';

test.each<[args: Words, says: string, input?: string]>([
	['ticket update 14 --status hodl', hodl],
	['ticket update 14 --time-adjustments-type plus', 'is not positive, negative, + or -'],
	['ticket update 14 --date 2026-02-30', 'is not an ISO 8601 date'],
	['ticket update 14 --data [1]', '--data must be a JSON object'],
	['ticket update 14 --data {"status":"hodl"}', 'status "hodl" is unknown'],
	['ticket update 14 --data {', 'not valid JSON'],
	['ticket update 14 --content @missing.txt', "error: --content can't read missing.txt: file not found\n"],
	['ticket update 14 --content @/', "error: --content can't read /: it is a directory\n"],
	['ticket update 14 --data @missing.json', "error: --data can't read missing.json: file not found\n"],
	['ticket fields set 14 --set note=@missing.txt', "error: --set can't read missing.txt: file not found\n"],
	['ticket update 14', 'nothing to change'],
	['ticket update 14 --statsu hold', 'unknown flag --statsu\nhint: did you mean: supportctl ticket update 14 --status'],
	['ticket update 14 --status hold --concurrency 0', '--concurrency: "0" is not a whole number of 1 or more'],
	['ticket update 14 --status hold --report pdf:x', '--report'],
	...['5/4', '0/4', '1', '1/0', '1/4/2', 'a/b'].map((shard): [string, string] => [
		`ticket update 14 --status hold --shard ${shard}`,
		'is not K/N with K from 1 to N',
	]),
	['ticket update 7 --status hold --data {"status":"read"}', 'status has different values in --data and in its flag'],
	[
		'ticket update - --status hold',
		'for a file with columns use --input FILE, or --input - --input-format csv',
		'id,status\n5,hold\n',
	],
	[
		'ticket update --input - --input-format csv',
		`row 2 (standard input line 3): ${hodl}`,
		'id,status\n1,hold\n2,hodl\n3,hold\n',
	],
	['user update 7 --support-can-be-assigned yes', 'not true or false'],
	['user update 7 --email ada', 'is not an email address'],
	['user update 7 --password x', '--password is not supported: flags are visible to other users'],
	['term delete product 9 --yes', "terms can't be trashed"],
	[
		'term update ticket-priority 3 --name x',
		'update "ticket-priority" terms: the API documents this for ticket_priority only; did you mean "ticket_priority"?\n',
	],
	[
		'term update product 9 --name x',
		'update "product" terms: the API documents this for ticket_priority only; pass --undocumented',
	],
	[
		'term delete department 9 --yes',
		`can't delete "department" terms: the API documents this for product and ticket_priority only; pass`,
	],
	['user delete 21 --yes --reassign=', '--reassign'],
	['user delete 21 --yes', '--reassign USER is required'],
	['user delete 21 22 23 --reassign 22 --yes', 'who is also being deleted'],
	['user delete --input - --input-format csv --yes', 'row 3 reassigns to user 21', 'id,reassign\n21,2\n22,2\n23,21\n'],
	...[
		'ticket update 5 --content @',
		'ticket update 5 --data @',
		'api POST tickets/5 --input ',
		'ticket update 5 --status hold --ca-file ',
	].map((command): [string, string] => [`${command}/dev/zero`, 'it is larger than']),
])('%s is refused', async (args, says, input) => {
	expect(await refused(args, input)).toContain(says);
});

test.each<[args: string, request: object, input?: string]>([
	['ticket update 14 --status escalated --undocumented', { body: '{"status":"escalated"}' }],
	['term update department 9 --name x --undocumented', { method: 'POST', url: '/wp-json/support-api/v1/department/9' }],
	['ticket update 7 --data {"ticket-priority":"high"}', { body: '{"ticket_priority":"high"}' }],
	[
		'ticket update 7 --data {"ticket-priority":"high"} --undocumented --no-snapshot',
		{ body: '{"ticket-priority":"high"}' },
	],
	[
		'user update 7 --meta a=1 --data {"meta":{"c":3},"nickname":"z"}',
		{ body: '{"meta":{"c":3,"a":"1"},"nickname":"z"}' },
	],
	['ticket update 7 --status hold --data {"status":"hold"}', { body: '{"status":"hold"}' }],
	['ticket fields set 7 --set password=@-', { body: '{"custom_fields":{"password":"hunter2"}}' }, 'hunter2\n'],
	['user update 7 --data @-', { body: '{"password":"piped"}' }, '{"password":"piped"}'],
	['user update 7 --data @-', { body: '{"meta":{"api_key":"hunter2"}}' }, '{"meta":{"api_key":"hunter2"}}'],
	['api POST users/7 -F password=@-', { body: '{"password":"hunter2"}' }, 'hunter2\n'],
])('%s is sent', async (args, request, input) => {
	const recorder = await startRecorder(done());
	await runHere(args, { env: recorder.env, ...(input === undefined ? {} : { input }) });
	expect(recorder.requests.filter(({ method }) => method === 'POST')).toMatchObject([request]);
});

test.each([
	['ticket update 14 --content @-', '--content '],
	['ticket update 14 --data @-', '--data '],
	['api POST tickets/14 --input -', ''],
	['user check ada --password-stdin', '--password-stdin '],
])('bytes that are no text are refused on standard input: %s', async (line, flag) => {
	const { env, requests } = await startRecorder();
	const result = await runCli(line, { env, input: Buffer.from('{"content":"caf\xe9"}\n', 'latin1') });
	expect(result).toMatchObject({
		exitCode: 2,
		stderr: `error: ${flag}can't read stdin: it is not UTF-8 text\n`,
	});
	expect(requests).toEqual([]);
});

test.each<[Words]>([
	['user update 7 --meta password=hunter2'],
	['user update 7 --meta api_key=hunter2 --name x'],
	['user update 7 --data {"Password":"hunter2"}'],
	['user update 7 --data {"password":4815162342}'],
	['user update 7 --data {"meta":{"deep":[{"clientSecret":"hunter2"}]}}'],
	['user update 7 --data {"meta":[{"name":"auth_token","value":"hunter2"}]} --undocumented'],
	['user update 7 --data {"PASSWORD":"hunter2"} -n'],
	['ticket update 7 --data {"secret":"hunter2"} --undocumented'],
	['ticket fields set 7 --set password=hunter2'],
	['ticket fields set 7 --set FTP-Password=hunter2'],
	[[...wordsOf('ticket fields set 7 --set a=1 --set'), 'wifi passphrase=hunter2']],
])('a secret on the command line is refused: %j', async (args) => {
	const stderr = await refused(args);
	expect(stderr).toMatch(
		/is not accepted on the command line, where other users can see it\nhint: pass it with --.*@-/,
	);
	expect(stderr).not.toMatch(/hunter2|4815162342/);
});

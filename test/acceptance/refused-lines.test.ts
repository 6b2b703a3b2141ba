/** Command lines that contradict themselves or tell a secret: refused before anything is sent, with the same words in JSON. */

import { expect, test } from 'vitest';
import { startWorkplace } from '../support/workplace.js';

type Line = readonly [line: string, says: string, code: string];

/** What is refused for its values: on one object, on several, and below an object's owner. */
const ofValues: readonly Line[] = [
	['ticket update 14 --data {"id":15}', '--data has id 15, but the path says 14; pass IDs', 'contradiction'],
	['ticket update 14 15 --data {"id":15}', '--data has id 15, but each row has its own', 'contradiction'],
	['ticket update --input edits.csv --data {"id":1}', '--data has id 1, but each row has its own', 'contradiction'],
	['reply update 14 21 --data {"ticket_id":15}', '--data has ticket_id 15, but the path says 14', 'contradiction'],
	['ticket update 14 --ticket-tag 3 --add-ticket-tag 4', "--add-ticket-tag can't be combined", 'contradiction'],
	['ticket update 14 --ticket-tag 3 --remove-ticket-tag 4', "--remove-ticket-tag can't be combined", 'contradiction'],
	[
		'ticket update 14 --add-tag 3 --remove-tag 4,3',
		'"3" can\'t be both added to ticket-tag and removed',
		'contradiction',
	],
	['user update 7 --add-roles a --remove-roles a', '"a" can\'t be both added to roles and removed', 'contradiction'],
	['ticket update 14 --add-ticket-tag ,', '--add-ticket-tag is empty', 'invalid_value'],
	['ticket update 14 --remove-ticket-tag ,', '--remove-ticket-tag is empty', 'invalid_value'],
	['ticket update 14 --status hold --allow-differs=', '--allow-differs= needs field names', 'invalid_value'],
	['ticket update 14 --status hold --allow-differs=a', '--allow-differs: no field "a"', 'invalid_value'],
	['ticket update 14 --status hold --if a=1', '--if: a ticket has no field "a"', 'invalid_value'],
	['user update 7 --email a@b.example --if password=x', '--if: a user has no field "password"', 'invalid_value'],
	['ticket update --input edits.csv --blank clear=id,', '--blank: "clear=id," is not allowed', 'invalid_value'],
	['ticket update --input edits.csv --until 2020-01-01', '"2020-01-01" is not a time in the future', 'invalid_value'],
	['ticket update --input edits.csv --delimiter ab', '--delimiter takes one character', 'invalid_value'],
	['ticket update 14 --status hold --status read', '--status was passed twice', 'repeated_flag'],
	['api POST tickets/14 -F a=12345678901234567890', 'is too large to send exactly', 'invalid_field'],
	['api POST tickets/14 -f a[]=1', 'field "a[]": names in a body must be unique and without', 'invalid_field'],
	['api POST tickets/14 -f a=1 -F a=2', 'field "a": names in a body must be unique', 'invalid_field'],
	['run list --since yesterday', '--since: "yesterday" is not an age or a date', 'invalid_value'],
];

/** What another part of the line contradicts. */
const ofParts: readonly Line[] = [
	['ticket update 14 --status hold --diff', '--diff requires --dry-run', 'usage'],
	['ticket update 14 --status hold --if-unmodified', '--if-unmodified requires --input', 'contradiction'],
	['user update 7 --password-prompt', '--password-prompt needs a terminal', 'usage'],
	['ticket update --input edits.csv 15', '"15": pass rows with --input or as arguments, not both', 'usage'],
	['ticket update - 15 --status hold', "- reads IDs from stdin and can't be combined", 'usage'],
	['api GET tickets --input edits.csv', 'GET has no body: remove --input', 'usage'],
	['api DELETE tickets/14 --input edits.csv', 'DELETE has no body: remove --input', 'usage'],
	['api POST tickets/14 --paginate', '--paginate only works with GET', 'usage'],
	['api POST tickets/14 -F a=@- -F b=@-', 'only one flag can read stdin', 'usage'],
	['api POST tickets/14 --input - -F b=@-', 'only one flag can read stdin', 'usage'],
	['user check @me --password-stdin', 'user check takes a username', 'usage'],
	['user check --password-stdin', 'missing <username>', 'missing_argument'],
	['user check ada', "can't ask for a password without a terminal", 'usage'],
	['profile show a --profile b', 'the argument is a, but --profile is b', 'usage'],
	['logout a --profile b', 'the argument is a, but --profile is b', 'usage'],
	['login https://a.example --base-url https://b.example', 'pass the base URL once', 'usage'],
	['login --no-input', 'missing help desk address', 'usage'],
];

const secret = (line: string, where: string): Line => [line, `${where}: a secret is not`, 'secret_on_command_line'];

const ofSecrets: readonly Line[] = [
	secret('ticket update 14 --data {"meta":{"api_token":"abcdefgh"}}', '--data'),
	secret('user update 7 --data {"password":"abcdefgh"}', '--data'),
	secret('term update ticket_priority 3 --meta api_token=abcdefgh', '--meta'),
	secret('user update 7 --meta a=b --meta api_token=abcdefgh', '--meta'),
	secret('ticket fields set 14 --set api_token=abcdefgh', '--set api_token'),
	secret('api POST tickets/14 -f password=abcdefgh', '-f password'),
	secret('api POST tickets/14 -F password=abcdefgh', '-F password'),
	secret('api GET tickets?password=abcdefgh', 'the path'),
];

test.each([...ofValues, ...ofParts, ...ofSecrets])('%s is refused', async (line, says, code) => {
	const { recorder, work } = await startWorkplace();
	work.edits(2);
	const { exitCode, stdout, stderr } = await work.run(line);
	const first = stderr.split('\n')[0] ?? '';
	expect({ exitCode, stdout, first }).toEqual({ exitCode: 2, stdout: '', first: expect.stringContaining(says) });
	expect(stderr).not.toContain('abcdefgh');
	const asJson = await work.run(`${line} --json`);
	const { error } = JSON.parse(asJson.stderr);
	expect([asJson.exitCode, asJson.stdout, error.code]).toEqual([2, '', code]);
	expect(`error: ${error.message}`).toBe(first);
	expect(recorder.requests).toEqual([]);
});

/** `user check`: whether a user name and a password belong together (interface section 4, POST /users/check); sent once, kept nowhere. */

import { endpoints } from '../../../api/endpoints.js';
import { createPlanner } from '../../../api/plan.js';
import { isObject, quote } from '../../../api/values.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Outcome } from '../../../http/outcome.js';
import { createTextRedactor } from '../../../output/redact.js';
import { defineCommand } from '../../command.js';
import { connectionOptions, outputOptions } from '../../options/shared.js';
import { createSentResults, onlyOutputFailed, openResults } from '../../results.js';
import { withoutSecretsOf } from '../../runs/outcomes.js';
import { openSession } from '../../session.js';
import { readFirstLine } from '../../text-file.js';

export const command = defineCommand({
	description:
		'Exit code 0: valid. 10: invalid. 5: the response says neither. 4: the account that is signed in was refused. 1: not sent, or only the output failed. The check is never retried and leaves no journal.',
	examples: {
		'supportctl user check sofia.bauer': 'asks for the password, hidden',
		'echo desk-sofia.bauer | supportctl user check sofia.bauer --password-stdin': 'from a pipe',
	},
	requests: [endpoints['user.check']],
	exitCodes: [0, 1, 2, 4, 5, 10, 130],
	arguments: [{ name: 'username', help: 'The user name; asks if it is left out', required: false }],
	options: [
		{ flags: '--password-stdin', help: 'Read the password from stdin', group: 'Fields' },
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		const { context, options } = invocation;
		const { prompts } = context;
		const session = await openSession(invocation);
		// Columns and queries that can't be used are found before anything is asked for or sent.
		const results = createSentResults(
			await openResults(invocation, {
				single: true,
				profileFormat: session.connection.settings.format,
				columns: [{ path: 'username' }, { path: 'verdict' }, { path: 'id', optional: true }],
				keys: ['username', 'verdict', 'id', 'status', 'code'],
			}),
		);
		let [username] = invocation.args;
		if (username === undefined && prompts.available) {
			username = await prompts.text('Username:', { check: (text) => text !== '' || 'enter a username' });
		}
		if (!username) throw new UsageError('missing <username>', { code: 'missing_argument' });
		if (options.passwordStdin !== true && !prompts.available) {
			const hint = 'use --password-stdin';
			throw new UsageError('a password is needed, and there is no terminal to ask on', { hint });
		}
		const password = await (options.passwordStdin === true
			? readFirstLine(context.stdin, '--password-stdin')
			: prompts.secret('Password (hidden):'));
		if (password === '') throw new UsageError('the password is empty; nothing was sent');
		const { createInterruptibleSend } = await import('../../interruption.js');
		const plan = createPlanner(endpoints['user.check'], session.dialect);
		const client = await session.openClient(1);
		const who = `the credentials of ${quote(username)}`;
		const send = createInterruptibleSend(context, client, ({ outcome }) =>
			outcome === 'not-sent'
				? `${who} were not sent`
				: `${who} were sent without a response: whether they are valid is not known`,
		);
		let result: Outcome;
		try {
			const request = plan({ ids: { username }, fields: { username, password } });
			result = await send(request, { ...session.sending, retries: 0, clean: createTextRedactor([password]) });
		} finally {
			await client.close();
		}
		// Judged as it came: a password such as "user" stands in the service's codes too.
		const shown = withoutPassword(result, password);
		const { verdict, exitCode, message, hint } = judgeCheck(result, shown, username);
		const { status, code, reasons = {} } = shown;
		const data = { verdict, username, status };
		if (result.outcome !== 'not-sent') {
			const id = verdict === 'valid' && isObject(shown.body) ? (shown.body.id ?? null) : null;
			await results.row({ username, verdict, id, status: status ?? null, code: code ?? null });
			const trouble = await results.end();
			const says = hint === undefined ? message : `${message}; ${hint}`;
			if (trouble !== undefined) throw onlyOutputFailed(trouble, says, exitCode, data);
		}
		if (verdict === 'valid') return ExitCode.ok;
		throw new SupportctlError(message, exitCode, {
			code: code ?? verdict,
			details: Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`),
			data,
			hint,
		});
	},
});

/** The code that only the check itself gives. The others come with 401, too, where the caller's own password is wrong. */
const CHECK_CODE = 'invalid_user_credentials';
/** Codes with which services say that name and password do not belong together. */
const INVALID_CODES = new Set([
	CHECK_CODE,
	// Ours, for a response such as {"valid": false}.
	'credentials_invalid',
	'invalid_credentials',
	'invalid_username',
	'invalid_password',
	'incorrect_password',
	'invalid_email',
	'invalidcombo',
	'authentication_failed',
]);
/** Codes with which they say that the caller may not ask. */
const CALLER_CODES = new Set(['invalid_username_access', 'rest_forbidden', 'rest_not_logged_in', 'rest_cannot_create']);

/** The result without the password that was checked; codes that mean something to us, and our own, stay whole. */
function withoutPassword(result: Outcome, password: string): Outcome {
	const { code } = result;
	const isOurs = code !== undefined && (!('body' in result) || INVALID_CODES.has(code) || CALLER_CODES.has(code));
	return { ...withoutSecretsOf(result, [password]), ...(isOurs && { code }) };
}

/**
 * Reads the verdict from what came back (section 4 shows the request; section 7 shows no responses). `valid` and
 * `invalid` are the service's word; everything else is `unknown`.
 * @param shown the result as it may be repeated
 */
function judgeCheck({ outcome, status = 0, code = '', message }: Outcome, shown: Outcome, username: string) {
	const who = `the credentials of ${quote(username)}`;
	if (outcome === 'ok') return { verdict: 'valid', exitCode: ExitCode.ok, message: `${who} are valid` };
	const verdict = 'unknown';
	if (outcome === 'not-sent') {
		return { verdict, exitCode: ExitCode.failed, message: `could not check ${quote(username)}: ${message ?? code}` };
	}
	const words = [shown.code, message].filter((each) => each !== undefined).join(': ');
	const body = JSON.stringify(shown.body);
	const refusesCaller = status === 401 || status === 403;
	const isInvalid = refusesCaller ? code === CHECK_CODE : INVALID_CODES.has(code);
	if (outcome === 'failed' && status < 500 && isInvalid) {
		const doubt = refusesCaller ? 'with this status the account that is signed in may be the one refused; ' : '';
		return {
			verdict: 'invalid',
			exitCode: ExitCode.wrongCredentials,
			message: `${who} are invalid (HTTP ${status} ${code === 'credentials_invalid' ? body : words})`,
			hint: `${doubt}some services take only login names here, not e-mail addresses, and change quotes, backslashes and outer spaces in passwords`,
		};
	}
	if (refusesCaller || CALLER_CODES.has(code)) {
		const refused = `the service refused the account that is signed in (HTTP ${status} ${words})`;
		const hint = `some services respond so when ${who} are invalid; another call with the same profile shows which it is`;
		return { verdict, exitCode: ExitCode.refused, message: refused, hint: CALLER_CODES.has(code) ? undefined : hint };
	}
	const http = status === 0 ? '' : ` (HTTP ${status})`;
	const odd = code === 'unexpected_shape' && shown.body !== undefined ? `: ${body.slice(0, 200)}` : '';
	const unclear = `sent, but whether ${who} are valid is not known${http}: ${words}${odd}`;
	return { verdict, exitCode: ExitCode.unknown, message: unclear };
}

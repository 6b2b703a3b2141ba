/** `user check`: whether a username and a password belong together (interface section 4); sent once, kept nowhere. */

import { endpoints } from '../../../api/endpoints.js';
import { createPlanner } from '../../../api/plan.js';
import { isObject, OWN_ID, quote } from '../../../api/values.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Outcome } from '../../../http/outcome.js';
import { createOutcomeRedactor } from '../../../output/redact.js';
import { defineCommand } from '../../command.js';
import { connectionOptions, outputOptions } from '../../options/shared.js';
import { createSentResults, onlyOutputFailed, openResults } from '../../results.js';
import { openSession } from '../../session.js';
import { readFirstLine } from '../../text-file.js';

export const command = defineCommand({
	requests: [endpoints['user.check']],
	exitCodes: [0, 1, 2, 4, 5, 10, 130],
	arguments: [{ name: 'username', help: 'The username (default: ask)', required: false }],
	options: [
		{ flags: '--password-stdin', help: 'Read the password from stdin', group: 'Fields' },
		...outputOptions,
		...connectionOptions,
	],
	async run(invocation) {
		const { context, options } = invocation;
		const { prompts } = context;
		const session = await openSession(invocation);
		// Before anything is asked or sent.
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
		if (username === OWN_ID) throw new UsageError('user check takes a username', { hint: 'yours: supportctl whoami' });
		username = username?.replace(/^@/, '');
		if (!username) throw new UsageError('missing <username>', { code: 'missing_argument' });
		if (options.passwordStdin !== true && !prompts.available) {
			const hint = 'use --password-stdin';
			throw new UsageError("can't ask for a password without a terminal", { hint });
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
				: `${who} were sent, but got no response: it is unknown whether they are valid`,
		);
		let result: Outcome;
		try {
			const request = plan({ ids: { username }, fields: { username, password } });
			result = await send(request, { ...session.sending, retries: 0 });
		} finally {
			await client.close();
		}
		// Service codes contain words such as "user", which may be the password.
		const redacted = createOutcomeRedactor(session.secrets)(result, [password]);
		const isKnown = INVALID_CODES.has(result.code ?? '') || CALLER_CODES.has(result.code ?? '');
		const shown = isKnown ? { ...redacted, code: result.code } : redacted;
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

/** For wrong credentials. */
const INVALID_CODES = new Set([
	// Ours, for a bare `false`.
	'credentials_invalid',
	'invalid_user_credentials',
	'invalid_username',
	'invalid_email',
	'incorrect_password',
]);
/** For callers without the right. */
const CALLER_CODES = new Set(['invalid_username_access', 'rest_forbidden', 'rest_not_logged_in', 'rest_cannot_create']);

/** The service must say `valid` or `invalid`. */
function judgeCheck({ outcome, status, code = '', forbidden, signedOut }: Outcome, shown: Outcome, username: string) {
	const who = `the credentials of ${quote(username)}`;
	const { message = shown.code ?? '' } = shown;
	if (outcome === 'ok') {
		return { verdict: 'valid', exitCode: ExitCode.ok, message: `${who} are valid` };
	}
	const verdict = 'unknown';
	if (outcome === 'not-sent') {
		return { verdict, exitCode: ExitCode.failed, message: `could not check ${quote(username)}: ${message}` };
	}
	const words = [shown.code, shown.message].filter((each) => each !== undefined).join(': ');
	const http = status === undefined ? '' : ` (HTTP ${status})`;
	if (code === 'credentials_invalid' || (status === 400 && INVALID_CODES.has(code))) {
		return {
			verdict: 'invalid',
			exitCode: ExitCode.wrongCredentials,
			message: `${who} are invalid (HTTP ${status} ${words})`,
			hint: 'some services accept only usernames here, not email addresses, and change quotes, backslashes and outer spaces in passwords',
		};
	}
	const refusesCaller = forbidden || signedOut;
	if (refusesCaller || CALLER_CODES.has(code)) {
		return {
			verdict,
			exitCode: ExitCode.refused,
			message: `the service refused your account${http}: ${words}`,
			hint: CALLER_CODES.has(code)
				? undefined
				: `some services respond like this if ${who} are invalid; try another command with this profile to find out`,
		};
	}
	const odd = code === 'unexpected_shape' && shown.body !== undefined;
	const body = odd ? `: ${JSON.stringify(shown.body).slice(0, 200)}` : '';
	return {
		verdict,
		exitCode: ExitCode.unknown,
		message: `it is unknown whether ${who} are valid${http}: ${words}${body}`,
	};
}

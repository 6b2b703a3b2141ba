/** `user check`: whether a username and a password belong together (interface section 4); sent once, kept nowhere. */

import { endpoints } from '../../../api/endpoints.js';
import { createPlanner } from '../../../api/request.js';
import { isObject, OWN_ID, quote } from '../../../api/values.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Outcome } from '../../../http/outcome.js';
import { readFirstLine } from '../../../io/files.js';
import { createOutcomeRedactor } from '../../../output/redact.js';
import { defineCommand, type Invocation } from '../../command.js';
import { leaveOnSignal } from '../../interruption.js';
import { connectionOptions, outputOptions } from '../../options/shared.js';
import { openResults, printDone } from '../../results.js';
import { verdictOf } from '../../runs/failures.js';
import { openSession, sendOnce } from '../../session.js';

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
		const session = await openSession(invocation);
		// Before anything is asked or sent.
		const results = await openResults(
			{ ...invocation, session },
			{
				single: true,
				columns: [{ path: 'username' }, { path: 'verdict' }, { path: 'id', optional: true }],
				keys: ['username', 'verdict', 'id', 'status', 'code'],
			},
		);
		const { username, password } = await readCredentials(invocation);
		const plan = createPlanner(endpoints['user.check'], session.dialect);
		const request = plan({ ids: { username }, fields: { username, password } });
		const unlisten = leaveOnSignal(invocation, `it is unknown whether the credentials of ${quote(username)} are valid`);
		const result = await sendOnce(invocation, session.connection, request).finally(unlisten);
		const shown = createOutcomeRedactor(session.secrets)(result, request);
		// Known codes contain words such as "user", which may be the password.
		if (result.wrongCredentials || result.code === FOR_CALLER) shown.code = result.code;
		const { verdict, exitCode, message, hint } = judgeCheck(shown, username);
		const { status, code, reasons = {} } = shown;
		const data = { verdict, username, status };
		if (result.outcome !== 'not-sent') {
			const id = verdict === 'valid' && isObject(shown.body) ? (shown.body.id ?? null) : null;
			const row = { username, verdict, id, status: status ?? null, code: code ?? null };
			await printDone(results, row, hint === undefined ? message : `${message}; ${hint}`, exitCode, data);
		}
		if (verdict === 'valid') return;
		const details = Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`);
		throw new SupportctlError(message, exitCode, { code: code ?? verdict, details, data, hint });
	},
});

async function readCredentials({ args, options, context }: Invocation) {
	const { prompts } = context;
	let [username] = args;
	if (username === undefined && prompts.available) {
		username = await prompts.text('Username:', { check: (text) => text !== '' || 'enter a username' });
	}
	if (username === OWN_ID) throw new UsageError('user check takes a username', { hint: 'yours: supportctl whoami' });
	username = username?.replace(/^@/, '');
	if (!username) {
		const hint = 'usage: supportctl user check <username>; run "supportctl user check --help"';
		throw new UsageError('missing <username>', { code: 'missing_argument', hint });
	}
	if (options.passwordStdin === true) return { username, password: await readFirstLine(context, '--password-stdin') };
	if (!prompts.available) {
		throw new UsageError("can't ask for a password without a terminal", { hint: 'use --password-stdin' });
	}
	return { username, password: await prompts.secret('Password (hidden):') };
}

/** For callers who may only check themselves. */
const FOR_CALLER = 'invalid_username_access';

/** @param shown the outcome without the password */
function judgeCheck(
	shown: Outcome,
	username: string,
): { verdict: 'valid' | 'invalid' | 'unknown'; exitCode: ExitCode; message: string; hint?: string } {
	const { outcome, code, forbidden, signedOut, wrongCredentials } = shown;
	const who = `the credentials of ${quote(username)}`;
	const say = (what: string): string => verdictOf(shown, what, '');
	if (outcome === 'ok') return { verdict: 'valid', exitCode: ExitCode.ok, message: `${who} are valid` };
	if (wrongCredentials) {
		const hint =
			'some services accept only usernames here, not email addresses, and change quotes, backslashes and outer spaces in passwords';
		return { verdict: 'invalid', exitCode: ExitCode.wrongCredentials, message: say(`${who} are invalid`), hint };
	}
	const verdict = 'unknown';
	if (outcome === 'not-sent') {
		return { verdict, exitCode: ExitCode.failed, message: say(`could not check ${quote(username)}`) };
	}
	if (forbidden || signedOut || code === FOR_CALLER) {
		const hint = `some services respond like this if ${who} are invalid; try another command with this profile to find out`;
		return { verdict, exitCode: ExitCode.refused, message: say('the service refused your account'), hint };
	}
	const body = code === 'unexpected_shape' ? `: ${JSON.stringify(shown.body).slice(0, 200)}` : '';
	return { verdict, exitCode: ExitCode.unknown, message: say(`it is unknown whether ${who} are valid`) + body };
}

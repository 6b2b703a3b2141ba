/** `user check`: whether a user name and a password belong together (interface section 4, POST /users/check); sent once, kept nowhere. */

import { endpoints } from '../../../api/endpoints.js';
import { createPlanner } from '../../../api/plan.js';
import { isObject, quote } from '../../../api/values.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Result } from '../../../http/outcome.js';
import { createTextRedactor, redactName, redactNames, redactTexts } from '../../../output/redact.js';
import { defineCommand, type Invocation } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { outputOptions } from '../../options/output.js';
import { stdoutPalette } from '../../palette.js';
import { createSentResults, onlyOutputFailed, openResults, type SentResults, wantsJson } from '../../results.js';
import { readFirstLine } from '../../secret-input.js';
import { openSession, type Session } from '../../session.js';

/** What a check came to. `valid` and `invalid` are the service's word; everything else is `unknown`. */
export interface CheckVerdict {
	verdict: 'valid' | 'invalid' | 'unknown';
	exitCode: ExitCode;
	/** One sentence. */
	message: string;
	hint?: string;
}

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

const INVALID_HINT =
	'some services take only login names here, not e-mail addresses, and change quotes, backslashes and outer spaces in passwords';

/** The delivery without the password that was checked; codes that mean something to us, and our own, stay whole. */
function withoutPassword(delivery: Result, password: string): Result {
	const { code, reasons, body } = delivery;
	const clean = { ...delivery };
	if (code !== undefined && 'body' in delivery && !INVALID_CODES.has(code) && !CALLER_CODES.has(code)) {
		clean.code = redactName(code, [password]);
	}
	if (reasons !== undefined) clean.reasons = redactNames(reasons, [password]);
	if ('body' in delivery) clean.body = redactTexts(body, [password]);
	return clean;
}

/**
 * Reads the verdict from what came back (section 4 shows the request; section 7 shows no responses).
 * @param shown The delivery as it may be repeated.
 */
export function judgeCheck(delivery: Result, username: string, shown: Result): CheckVerdict {
	const { outcome, status, code, message, body } = delivery;
	const who = quote(username);
	const words = [shown.code, message].filter((each) => each !== undefined).join(': ');
	if (outcome === 'ok')
		return { verdict: 'valid', exitCode: ExitCode.ok, message: `the credentials of ${who} are valid` };
	if (outcome === 'not-sent') {
		return {
			verdict: 'unknown',
			exitCode: ExitCode.failed,
			message: `could not check ${who}: ${message ?? shown.code}`,
		};
	}
	const refusesCaller = status === 401 || status === 403;
	const isInvalid =
		outcome === 'failed' &&
		(status ?? 0) < 500 &&
		code !== undefined &&
		(refusesCaller ? code === CHECK_CODE : INVALID_CODES.has(code));
	if (isInvalid) {
		const why = code === 'credentials_invalid' ? JSON.stringify(shown.body) : words;
		const also = refusesCaller ? 'with this status it could also mean that the caller was refused; ' : '';
		return {
			verdict: 'invalid',
			exitCode: ExitCode.wrongCredentials,
			message: `the credentials of ${who} are invalid (HTTP ${status} ${why})`,
			hint: also + INVALID_HINT,
		};
	}
	if (refusesCaller || (code !== undefined && CALLER_CODES.has(code))) {
		const isKnown = code !== undefined && CALLER_CODES.has(code);
		return {
			verdict: 'unknown',
			exitCode: ExitCode.refused,
			message: `the service refused the caller (HTTP ${status} ${words})`,
			...(!isKnown && {
				hint: `some services respond so when the credentials of ${who} are invalid; another call with the same profile shows which it is`,
			}),
		};
	}
	const http = status === undefined ? '' : ` (HTTP ${status})`;
	const shownBody =
		code === 'unexpected_shape' && body !== undefined ? `: ${JSON.stringify(shown.body).slice(0, 200)}` : '';
	return {
		verdict: 'unknown',
		exitCode: ExitCode.unknown,
		message: `sent, but whether the credentials of ${who} are valid is not known${http}: ${words}${shownBody}`,
	};
}

async function readUsername({ context, args }: Invocation): Promise<string> {
	const [given] = args;
	if (given !== undefined && given !== '') return given;
	if (given === undefined && context.prompts.available) {
		return context.prompts.text('User name', { check: (answer) => answer !== '' || 'a user name is needed' });
	}
	throw new UsageError('missing <username>', { code: 'missing_argument' });
}

async function readPassword({ context, options }: Invocation): Promise<string> {
	if (options.passwordStdin === true) return readFirstLine(context.stdin, '--password-stdin');
	if (context.prompts.available) return context.prompts.secret('Password');
	throw new UsageError('a password is needed, and there is no terminal to ask on', { hint: 'use --password-stdin' });
}

export const command = defineCommand({
	summary: "Check a user's name and password, once.",
	description:
		'Exit code 0: valid. 10: invalid. 5: the response says neither. 4: the caller was refused. 1: not sent, or only the output failed. The check is never retried and leaves no journal.',
	examples: [
		{ command: 'supportctl user check sofia.bauer', note: 'asks for the password, hidden' },
		{ command: 'echo desk-sofia.bauer | supportctl user check sofia.bauer --password-stdin', note: 'from a pipe' },
	],
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
		const session = await openSession(invocation);
		// Columns and queries that can't be used are found before anything is asked for or sent.
		const results = await openVerdict(invocation, session);
		const username = await readUsername(invocation);
		const password = await readPassword(invocation);
		if (password === '') throw new UsageError('the password is empty; nothing was sent');
		const { createInterruptibleSend } = await import('../../interruption.js');
		const request = createPlanner(
			endpoints['user.check'],
			session.dialect,
		)({
			ids: { username },
			fields: { username, password },
		});
		const client = await session.openClient(1);
		let delivery: Result;
		try {
			const clean = createTextRedactor([password]);
			const send = createInterruptibleSend(context, client, (given) => whatIsKnown(given, username));
			delivery = await send(request, { retries: 0, clock: context.clock, random: context.random, clean });
		} finally {
			await client.close();
		}
		// Judged as it came: a password such as "user" stands in the service's codes too.
		const shown = withoutPassword(delivery, password);
		const verdict = judgeCheck(delivery, username, shown);
		let trouble: SupportctlError | undefined;
		if (delivery.outcome !== 'not-sent') {
			const id = verdict.verdict === 'valid' && isObject(shown.body) ? (shown.body.id ?? null) : null;
			await results.row({
				username,
				verdict: verdict.verdict,
				id,
				status: shown.status ?? null,
				code: shown.code ?? null,
			});
			trouble = await results.end();
		}
		const error = errorOf(verdict, shown, username, trouble);
		if (error === undefined) return verdict.exitCode;
		const { renderError } = await import('../../../output/errors.js');
		context.stderr.write(renderError(error, { json: wantsJson(options), debug: options.debug === true }));
		return error.exitCode;
	},
});

function whatIsKnown({ outcome }: Result, username: string): string {
	const credentials = `the credentials of ${quote(username)} were`;
	return outcome === 'not-sent'
		? `${credentials} not sent`
		: `${credentials} sent without a response: whether they are valid is not known`;
}

async function openVerdict(invocation: Invocation, { connection }: Session): Promise<SentResults> {
	const results = await openResults(invocation, {
		single: true,
		profileFormat: connection.defaults.format,
		palette: await stdoutPalette(invocation),
		columns: [{ path: 'username' }, { path: 'verdict' }, { path: 'id', optional: true }],
		keys: ['username', 'verdict', 'id', 'status', 'code'],
	});
	return createSentResults(results);
}

/** What stderr says of any verdict but `valid`, and of that too where it could not be printed. */
function errorOf(
	{ verdict, exitCode, message, hint }: CheckVerdict,
	{ code, status, reasons = {} }: Result,
	username: string,
	trouble: SupportctlError | undefined,
): SupportctlError | undefined {
	const data = { verdict, username, ...(status === undefined ? {} : { status }) };
	if (trouble !== undefined) {
		return onlyOutputFailed(trouble, hint === undefined ? message : `${message}; ${hint}`, exitCode, data);
	}
	if (verdict === 'valid') return undefined;
	return new SupportctlError(message, exitCode, {
		code: code ?? verdict,
		details: Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`),
		data,
		...(hint === undefined ? {} : { hint }),
	});
}

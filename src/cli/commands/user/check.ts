/** `user check`: whether a user name and a password belong together (interface section 4, POST /users/check); sent once, kept nowhere. */

import { endpoints } from '../../../api/endpoints.js';
import { createPlanner } from '../../../api/plan.js';
import { isObject, quote } from '../../../api/values.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Delivery } from '../../../http/outcome.js';
import { createTextRedactor, redactName, redactNames, redactTexts } from '../../../output/redact.js';
import { defineCommand, type Invocation } from '../../command.js';
import { connectionOptions } from '../../options/connection.js';
import { outputOptions } from '../../options/output.js';
import { stdoutPalette } from '../../palette.js';
import { openResults, wantsJson } from '../../results.js';
import { readFirstLine } from '../../secret-input.js';
import { createSentResults, onlyOutputFailed, type SentResults } from '../../sent-results.js';
import { openSession, type Session } from '../../session.js';

/** What a check came to. `right` and `wrong` are the service's word; the others leave the question open. */
export interface CheckVerdict {
	verdict: 'right' | 'wrong' | 'caller-refused' | 'not-checked' | 'unknown';
	exitCode: ExitCode;
	/** One sentence. */
	says: string;
	/** The other reading of the same answer, where there is one. */
	but?: string;
}

/** The code that only the check itself gives. The others come with 401, too, where the caller's own password is wrong. */
const CHECK_CODE = 'invalid_user_credentials';
/** Codes with which services say that name and password do not belong together. */
const WRONG_CODES = new Set([
	CHECK_CODE,
	'invalid_username',
	'invalid_password',
	'incorrect_password',
	'invalid_email',
]);
/** Codes with which they say that the caller may not ask. */
const CALLER_CODES = new Set(['invalid_username_access', 'rest_forbidden', 'rest_not_logged_in', 'rest_cannot_create']);

/** The delivery without the password that was checked; codes that mean something to us, and our own, stay whole. */
function withoutPassword(delivery: Delivery, password: string): Delivery {
	const { code, reasons, body } = delivery;
	const clean = { ...delivery };
	if (code !== undefined && 'body' in delivery && !WRONG_CODES.has(code) && !CALLER_CODES.has(code)) {
		clean.code = redactName(code, [password]);
	}
	if (reasons !== undefined) clean.reasons = redactNames(reasons, [password]);
	if ('body' in delivery) clean.body = redactTexts(body, [password]);
	return clean;
}

/**
 * Reads the verdict from what came back (section 4 shows the request; section 7 shows no answers).
 * @param shown The delivery as it may be repeated.
 */
export function judgeCheck(delivery: Delivery, username: string, shown: Delivery): CheckVerdict {
	const { outcome, status, code, message, body } = delivery;
	const who = quote(username);
	const words = [shown.code, message].filter((each) => each !== undefined).join(': ');
	if (outcome === 'not-sent') {
		return {
			verdict: 'not-checked',
			exitCode: ExitCode.failed,
			says: `could not check ${who}: ${message ?? shown.code}`,
		};
	}
	if (outcome === 'unknown') {
		return {
			verdict: 'unknown',
			exitCode: ExitCode.unknown,
			says: `sent, but whether ${who} is right is not known${status === undefined ? '' : ` (HTTP ${status})`}: ${words}`,
		};
	}
	if (outcome === 'ok') {
		if (body === false || (isObject(body) && [body.valid, body.success].includes(false))) {
			const says = `the service answered ${JSON.stringify(shown.body)}: the credentials of ${who} are wrong`;
			return { verdict: 'wrong', exitCode: ExitCode.wrongCredentials, says };
		}
		return { verdict: 'right', exitCode: ExitCode.ok, says: `the credentials of ${who} are right` };
	}
	if (code !== undefined && CALLER_CODES.has(code)) {
		return {
			verdict: 'caller-refused',
			exitCode: ExitCode.refused,
			says: `the service refused the caller (HTTP ${status} ${words})`,
		};
	}
	const refusesCaller = status === 401 || status === 403;
	if (code !== undefined && (refusesCaller ? code === CHECK_CODE : WRONG_CODES.has(code))) {
		const verdict: CheckVerdict = {
			verdict: 'wrong',
			exitCode: ExitCode.wrongCredentials,
			says: `the credentials of ${who} are wrong (HTTP ${status} ${words})`,
		};
		if (refusesCaller) verdict.but = 'with this status it could also mean that the caller was refused';
		return verdict;
	}
	if (refusesCaller) {
		return {
			verdict: 'caller-refused',
			exitCode: ExitCode.refused,
			says: `the service refused the caller (HTTP ${status} ${words})`,
			but: `some services answer so when the credentials of ${who} are wrong; another call with the same profile tells the two apart`,
		};
	}
	return {
		verdict: 'not-checked',
		exitCode: ExitCode.failed,
		says: `could not check ${who} (HTTP ${status} ${words})`,
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
		'Exit code 0: right. 10: wrong. 4: the caller was refused. 1: could not be checked, or only the output failed. 5: sent, and no answer. The check is never retried and leaves no journal.',
	examples: [
		{ command: 'supportctl user check ada', note: 'asks for the password, hidden' },
		{ command: 'pass show desk/ada | supportctl user check ada --password-stdin', note: 'from a pipe' },
	],
	arguments: [{ name: 'username', help: 'The user name; asked for where it is left out', required: false }],
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
		const { createInterruptibleDeliver } = await import('../../interruption.js');
		const request = createPlanner(
			endpoints['user.check'],
			session.dialect,
		)({
			ids: { username },
			fields: { username, password },
		});
		const client = await session.openClient(1);
		let delivery: Delivery;
		try {
			const clean = createTextRedactor([password]);
			const deliver = createInterruptibleDeliver(context, client, (given) => whatIsKnown(given, username));
			delivery = await deliver(request, { retries: 0, clock: context.clock, random: context.random, clean });
		} finally {
			await client.close();
		}
		// Judged as it came: a password such as "user" stands in the service's codes too.
		const shown = withoutPassword(delivery, password);
		const verdict = judgeCheck(delivery, username, shown);
		let trouble: SupportctlError | undefined;
		if (verdict.verdict === 'right' || verdict.verdict === 'wrong') {
			const id = isObject(shown.body) ? (shown.body.id ?? null) : null;
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

function whatIsKnown({ outcome }: Delivery, username: string): string {
	const credentials = `the credentials of ${quote(username)} were`;
	return outcome === 'not-sent'
		? `${credentials} not sent`
		: `${credentials} sent and not answered: whether they are right is not known`;
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

/** What is told on stderr of any verdict but "right", and of that too where it could not be printed. */
function errorOf(
	{ verdict, exitCode, says, but }: CheckVerdict,
	{ code, status, reasons = {} }: Delivery,
	username: string,
	trouble: SupportctlError | undefined,
): SupportctlError | undefined {
	const data = { verdict, username, ...(status === undefined ? {} : { status }) };
	if (trouble !== undefined) {
		return onlyOutputFailed(trouble, but === undefined ? says : `${says}; ${but}`, exitCode, data);
	}
	if (verdict === 'right') return undefined;
	return new SupportctlError(says, exitCode, {
		code: code ?? verdict,
		details: Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`),
		data,
		...(but === undefined ? {} : { hint: but }),
	});
}

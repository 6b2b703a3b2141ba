/** What went wrong with a row, as a person reads it on stderr: what happened to what, why, and the next step. */

import type { Endpoint } from '../../api/endpoints.js';
import { readEndpointOf } from '../../api/reads.js';
import { differences, fullMessage } from '../../bulk/journal/records.js';
import { fileOf } from '../../bulk/run/plan.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { nextStepFor } from '../../http/problem.js';
import type { Palette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { annotate, sanitise } from '../../output/sanitise.js';
import type { Connection } from '../../profile/resolve.js';
import { onlyOutputFailed, wantsJson } from '../results.js';
import type { RunJob } from './plan.js';
import { printedIds } from './shape.js';

/** `ticket 14`, `reply 3 of ticket 14`, `product term 9`, `password 0123456789ab of user 7`. */
export function nameRow(ids: Readonly<Record<string, string>>, noun: string): string {
	const { taxonomy, username } = ids;
	if (username !== undefined) return `user name ${JSON.stringify(username)}`;
	const owners = Object.keys(ids).filter((name) => name.endsWith('_id') && (ids.id ?? ids.slug) !== undefined);
	const own = ids.id ?? ids.slug ?? Object.values(ids)[0] ?? '';
	return [
		taxonomy === undefined ? noun : `${taxonomy} term`,
		own,
		...owners.map((name) => `of ${name.slice(0, -'_id'.length)} ${ids[name]}`),
	]
		.filter((part) => part !== '')
		.join(' ');
}

/** `ticket` → `tickets`, `reply` → `replies`. */
export function plural(noun: string, count: number): string {
	if (count === 1) return noun;
	return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The service's own code for a path, or a method on it, that it does not have. */
export const NO_ROUTE = 'rest_no_route';

/** What to do where credentials are refused; those that a profile holds may have expired. */
export function signInAgain({ profileName: name, secretSource }: Caller): string {
	const stored =
		name !== undefined &&
		`the credentials of profile "${name}" may have expired: supportctl login --profile ${name} stores others`;
	const login = secretSource.startsWith('SUPPORTCTL_')
		? `the credentials are from ${secretSource}, not from a profile: correct it, or unset it and use supportctl login`
		: stored || 'supportctl login stores other credentials';
	return `${login}; supportctl doctor checks whether the host drops them`;
}

/** Who sends the requests. */
export type Caller = Pick<Connection, 'profileName' | 'secretSource'>;

/**
 * The next step after an outcome, where there is one.
 * @param request Whether it changes nothing, and whether the command has --verify.
 */
export function nextStep(
	outcome: Outcome,
	{ isRead = false, canVerify = false }: { isRead?: boolean; canVerify?: boolean },
	caller: Caller,
): string | undefined {
	switch (true) {
		case outcome.status === 401:
			return signInAgain(caller);
		case outcome.status === 403 && outcome.code !== 'html_answer':
			return 'the account that is signed in lacks the right; use a profile that has it';
		case outcome.code === NO_ROUTE:
			return 'the service has no such path or method: supportctl doctor checks the base URL and the prefixes';
		case outcome.status === 404 && outcome.code === 'html_answer':
			return 'nothing serves that path: check the base URL (is /wp-json missing?) with supportctl doctor';
		case outcome.code === 'redirect':
			return 'supportctl profile set NAME --base-url URL changes it in a profile';
		case nextStepFor(outcome.code) !== undefined:
			return nextStepFor(outcome.code);
		case outcome.status === 429 || outcome.status === 503:
			return 'try again later; where there are many rows, --rate asks for fewer a second';
		case outcome.outcome === 'differs':
			return '--allow-differs=FIELDS takes other values of these fields for ok';
		case outcome.outcome === 'unknown' && isRead:
			return 'a read changes nothing: try again';
		case outcome.outcome === 'unknown':
			return `the service may have done it: check before you send it again${canVerify ? ', or use --verify' : ''}`;
		default:
			return undefined;
	}
}

const VERDICTS: Partial<Record<Outcome['outcome'], string>> = {
	failed: 'failed',
	differs: 'was carried out and differs',
	unknown: 'is unknown',
	'not-sent': 'was not sent',
	invalid: 'is invalid',
};

/** What happened, in one line and a further one for each reason. @param what was asked for: "update ticket 14" */
export function whatFailed(outcome: Outcome, what: string): { message: string; details: string[] } {
	const verdict = outcome.code === 'wait_too_long' ? 'was put off' : (VERDICTS[outcome.outcome] ?? outcome.outcome);
	const status =
		outcome.status === undefined || outcome.outcome === 'differs'
			? ''
			: ` (HTTP ${outcome.status}${outcome.code?.startsWith('http_') || outcome.code === undefined ? '' : ` ${outcome.code}`})`;
	const why = outcome.message ?? outcome.code ?? '';
	const reasons = Object.entries(outcome.reasons ?? {}).map(([name, reason]) => `${name}: ${reason}`);
	const tries = outcome.attempts > 1 ? `, after ${outcome.attempts} attempts` : '';
	return {
		message: `${what} ${verdict}${status}${tries}${why === '' ? '' : `: ${why}`}`,
		details: [...reasons, ...differences(outcome)],
	};
}

/** The error that a row stands for: what happened to what, why, and the next step. */
export function failureOf(outcome: Outcome, endpoint: Endpoint, caller: Caller): SupportctlError {
	const { verb, noun, replay } = endpoint;
	const request = { isRead: replay === 'read', canVerify: readEndpointOf(endpoint) !== undefined };
	return errorOf(outcome, `${verb} ${nameRow(outcome.ids, noun)}`, nextStep(outcome, request, caller));
}

/** The error of an outcome. @param what was asked for: "update ticket 14" */
export function errorOf(outcome: Outcome, what: string, hint: string | undefined): SupportctlError {
	const { message, details } = whatFailed(outcome, what);
	return new SupportctlError(message, exitCodeOfOutcome(outcome), {
		code: outcome.code ?? outcome.outcome,
		details,
		data: {
			...printedIds(outcome.ids),
			...(outcome.status === undefined ? {} : { status: outcome.status }),
			outcome: outcome.outcome,
			attempts: outcome.attempts,
			...(outcome.reasons === undefined ? {} : { reasons: outcome.reasons }),
			...(outcome.differs === undefined ? {} : { differs: outcome.differs }),
		},
		...(hint === undefined ? {} : { hint }),
	});
}

/** The exit code of a single outcome. */
export function exitCodeOfOutcome(outcome: Outcome): ExitCode {
	if (outcome.outcome === 'ok' || outcome.outcome === 'skipped') return ExitCode.ok;
	if (outcome.outcome === 'unknown') return ExitCode.unknown;
	if (outcome.outcome === 'differs') return ExitCode.differs;
	return outcome.status === 401 || outcome.status === 403 ? ExitCode.refused : ExitCode.failed;
}

/** What a person has to know of a row that went well; differences are those that --allow-differs allows. */
export function warningsOf(outcome: Outcome): string[] {
	return [...differences(outcome), ...(outcome.warnings ?? [])];
}

/** Prints what went wrong with a row, or its warnings. @param isLone Whether it is the only row of the call */
export function printTrouble(job: RunJob, outcome: Outcome, palette: Palette, isLone: boolean): void {
	const { endpoint, plan, session, invocation } = job;
	const { context, options } = invocation;
	const { stderr } = context;
	const { row, line, outcome: name } = outcome;
	if (name !== 'ok' && name !== 'skipped') {
		const level = name === 'unknown' || name === 'differs' ? 'warning' : 'error';
		const message = [fullMessage(outcome) ?? name, ...differences(outcome)].join('; ');
		annotate(context, { level, file: fileOf(plan), line, title: `row ${row}: ${name}`, message });
	}
	const json = wantsJson(options);
	// Of several rows a program gets one object at the end.
	if (json && !isLone) return;
	if (exitCodeOfOutcome(outcome) !== ExitCode.ok) {
		const error = failureOf(outcome, endpoint, session.connection);
		stderr.write(renderError(error, { json, debug: options.debug === true, palette }));
		return;
	}
	const object = nameRow(outcome.ids, endpoint.noun);
	const where = isLone ? object : `row ${row} (${object})`;
	for (const warning of warningsOf(outcome)) stderr.write(`warning: ${sanitise(`${where}: ${warning}`)}\n`);
}

/** The error where results could not be printed. @param trouble Why they could not */
export function lostResults(trouble: SupportctlError, { endpoint }: RunJob, exitCode: ExitCode): SupportctlError {
	if (exitCode !== ExitCode.ok) return onlyOutputFailed(trouble, 'the outcomes of the rows stand', exitCode);
	// What was only read can be read again.
	return endpoint.replay === 'read' ? trouble : onlyOutputFailed(trouble, 'every row is ok', exitCode);
}

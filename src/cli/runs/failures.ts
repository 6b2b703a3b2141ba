/** What went wrong with a row, as a person reads it on stderr: what happened to what, why, and the next step. */

import type { Endpoint } from '../../api/endpoints.js';
import { readEndpointOf } from '../../api/reads.js';
import { differences } from '../../bulk/journal/records.js';
import { outcomeAnnotation, writeAnnotation } from '../../bulk/reports/annotations.js';
import { fileOf } from '../../bulk/run/plan.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { nextStepFor } from '../../http/problem.js';
import type { Palette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { sanitise } from '../../output/sanitise.js';
import type { Connection } from '../../profile/resolve.js';
import { onlyOutputFailed, wantsJson } from '../results.js';
import type { RunJob } from './plan.js';
import { printedIds } from './shape.js';

/** `ticket 14`, `reply 3 of ticket 14`, `product term 9`, `password 0123456789ab of user 7`. */
export function nameRow(ids: Readonly<Record<string, string>>, noun: string): string {
	const { taxonomy, username, id, slug } = ids;
	if (username !== undefined) return `user name ${JSON.stringify(username)}`;
	const own = id ?? slug;
	const owners = Object.keys(ids).filter((name) => name.endsWith('_id') && own !== undefined);
	const parts = [
		taxonomy === undefined ? noun : `${taxonomy} term`,
		own ?? Object.values(ids)[0] ?? '',
		...owners.map((name) => `of ${name.slice(0, -'_id'.length)} ${ids[name]}`),
	];
	return parts.filter((part) => part !== '').join(' ');
}

/** `ticket` → `tickets`, `reply` → `replies`. */
export function plural(noun: string, count: number): string {
	if (count === 1) return noun;
	return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The service's own code for a path, or a method on it, that it does not have. */
export const NO_ROUTE = 'rest_no_route';

/** Who sends the requests. */
export type Caller = Pick<Connection, 'profileName' | 'secretSource'>;

/** What to do where credentials are refused; those that a profile holds may have expired. */
export function signInAgain({ profileName: name, secretSource }: Caller): string {
	let login = 'supportctl login stores other credentials';
	if (secretSource.startsWith('SUPPORTCTL_')) {
		login = `the credentials are from ${secretSource}, not from a profile: correct it, or unset it and use supportctl login`;
	} else if (name !== undefined) {
		login = `the credentials of profile "${name}" may have expired: supportctl login --profile ${name} stores others`;
	}
	return `${login}; supportctl doctor checks whether the host drops them`;
}

/**
 * The next step after an outcome, where there is one.
 * @param request Whether it changes nothing, and whether the command has --verify.
 */
export function nextStep(
	{ status, code, outcome }: Outcome,
	{ isRead = false, canVerify = false }: { isRead?: boolean; canVerify?: boolean },
	caller: Caller,
): string | undefined {
	const isPage = code === 'html_answer';
	if (status === 401) return signInAgain(caller);
	if (status === 403 && !isPage) return 'the account that is signed in lacks the right; use a profile that has it';
	if (code === NO_ROUTE)
		return 'the service has no such path or method: supportctl doctor checks the base URL and the prefixes';
	if (status === 404 && isPage)
		return 'nothing serves that path: check the base URL (is /wp-json missing?) with supportctl doctor';
	if (code === 'redirect') return 'supportctl profile set NAME --base-url URL changes it in a profile';
	const ofConnection = nextStepFor(code);
	if (ofConnection !== undefined) return ofConnection;
	if (status === 429 || status === 503)
		return 'try again later; where there are many rows, --rate asks for fewer a second';
	if (outcome === 'differs') return '--allow-differs=FIELDS takes other values of these fields for ok';
	if (outcome !== 'unknown') return undefined;
	if (isRead) return 'a read changes nothing: try again';
	return `the service may have done it: check before you send it again${canVerify ? ', or use --verify' : ''}`;
}

const VERDICTS: Partial<Record<Outcome['outcome'], string>> = {
	failed: 'failed',
	differs: 'was carried out and differs',
	unknown: 'is unknown',
	'not-sent': 'was not sent',
	invalid: 'is invalid',
};

/** The error that a row stands for: what happened to what, why, and the next step. */
export function failureOf(outcome: Outcome, endpoint: Endpoint, caller: Caller): SupportctlError {
	const { verb, noun, replay } = endpoint;
	const request = { isRead: replay === 'read', canVerify: readEndpointOf(endpoint) !== undefined };
	return errorOf(outcome, `${verb} ${nameRow(outcome.ids, noun)}`, nextStep(outcome, request, caller));
}

/** The error of an outcome. @param what was asked for: "update ticket 14" */
export function errorOf(given: Outcome, what: string, hint: string | undefined): SupportctlError {
	const { ids, outcome, status, code, message, attempts, reasons, differs } = given;
	const verdict = code === 'wait_too_long' ? 'was put off' : (VERDICTS[outcome] ?? outcome);
	const ofService = code === undefined || code.startsWith('http_') ? '' : ` ${code}`;
	const http = status === undefined || outcome === 'differs' ? '' : ` (HTTP ${status}${ofService})`;
	const tries = attempts > 1 ? `, after ${attempts} attempts` : '';
	const why = message ?? code ?? '';
	return new SupportctlError(
		`${what} ${verdict}${http}${tries}${why === '' ? '' : `: ${why}`}`,
		exitCodeOfOutcome(given),
		{
			code: code ?? outcome,
			details: [...Object.entries(reasons ?? {}).map((pair) => pair.join(': ')), ...differences(given)],
			// A key without a value is not printed.
			data: { ...printedIds(ids), status, outcome, attempts, reasons, differs },
			...(hint === undefined ? {} : { hint }),
		},
	);
}

/** The exit code of a single outcome. */
export function exitCodeOfOutcome({ outcome, status }: Outcome): ExitCode {
	if (outcome === 'ok' || outcome === 'skipped') return ExitCode.ok;
	if (outcome === 'unknown') return ExitCode.unknown;
	if (outcome === 'differs') return ExitCode.differs;
	return status === 401 || status === 403 ? ExitCode.refused : ExitCode.failed;
}

/** What a person has to know of a row that went well; differences are those that --allow-differs allows. */
export function warningsOf(outcome: Outcome): string[] {
	return [...differences(outcome), ...(outcome.warnings ?? [])];
}

/** Prints what went wrong with a row, or its warnings. @param isLone Whether it is the only row of the call */
export function printTrouble(job: RunJob, outcome: Outcome, palette: Palette, isLone: boolean): void {
	const { endpoint, plan, session, invocation } = job;
	const { context, options } = invocation;
	const { stderr, env } = context;
	if (env.GITHUB_ACTIONS === 'true') {
		const annotation = outcomeAnnotation(outcome, fileOf(plan));
		if (annotation !== undefined) writeAnnotation(stderr, annotation);
	}
	const json = wantsJson(options);
	// Of several rows a program gets one object at the end.
	if (json && !isLone) return;
	if (exitCodeOfOutcome(outcome) !== ExitCode.ok) {
		const error = failureOf(outcome, endpoint, session.connection);
		stderr.write(renderError(error, { json, debug: options.debug === true, palette }));
		return;
	}
	const name = nameRow(outcome.ids, endpoint.noun);
	const where = isLone ? name : `row ${outcome.row} (${name})`;
	for (const warning of warningsOf(outcome)) stderr.write(`warning: ${sanitise(`${where}: ${warning}`)}\n`);
}

/** The error where results could not be printed. @param trouble Why they could not */
export function lostResults(trouble: SupportctlError, { endpoint }: RunJob, exitCode: ExitCode): SupportctlError {
	// What was only read can be read again.
	if (exitCode === ExitCode.ok && endpoint.replay === 'read') return trouble;
	const says = exitCode === ExitCode.ok ? 'every row is ok' : 'the outcomes of the rows stand';
	return onlyOutputFailed(trouble, says, exitCode);
}

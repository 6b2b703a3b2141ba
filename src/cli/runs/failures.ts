/** Failed rows as a person reads them on stderr: what happened to what, why, and the next step. */

import type { Endpoint } from '../../api/endpoints.js';
import { readEndpointOf } from '../../api/reads.js';
import { differences } from '../../bulk/journal/records.js';
import type { StopReason } from '../../bulk/run/stop.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import type { Outcome } from '../../http/outcome.js';
import { nextStepFor } from '../../http/problem.js';
import { printedIds } from '../../output/outcome-view.js';
import type { ResolvedConnection } from '../../profile/resolve.js';

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

/** How many rows a group of failures names, and how many groups are kept. */
const NAMED = 3;
const MOST_GROUPS = 20;

/** Rows that did not go well, by reason. */
export class FailureGroups {
	private readonly groups = new Map<string, { reason: string; count: number; rows: string[] }>();
	private others = 0;

	add({ outcome, status, code, message, ids }: Outcome, noun: string): void {
		const key = [outcome, status, code].join(' ');
		let group = this.groups.get(key);
		if (group === undefined) {
			if (this.groups.size === MOST_GROUPS) return void this.others++;
			const http = [status === undefined ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ');
			const text = [http, message].filter(Boolean).join(': ');
			group = { reason: text === '' ? outcome : `${outcome} (${text})`, count: 0, rows: [] };
			this.groups.set(key, group);
		}
		group.count++;
		if (group.rows.length < NAMED) group.rows.push(nameRow(ids, noun));
	}

	/** A line for each reason, the most frequent first: `26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, …`. */
	lines(): string[] {
		const groups = [...this.groups.values()].sort((one, other) => other.count - one.count);
		return [
			...groups.map(
				({ reason, count, rows }) => `${count} ${reason}: ${rows.join(', ')}${count > rows.length ? ', …' : ''}`,
			),
			...(this.others === 0 ? [] : [`${this.others} for other reasons`]),
		];
	}
}

/** `ticket` → `tickets`, `reply` → `replies`. */
export function plural(noun: string, count: number): string {
	if (count === 1) return noun;
	return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

export const DOCTOR_STEP = 'supportctl doctor checks the way to the service';

/** The service's own code for a path, or a method on it, that it does not have. */
export const NO_ROUTE = 'rest_no_route';

/** What to do where credentials are refused; those that a profile holds may have expired. */
export function signInAgain({ profileName: name, secretSource }: Caller): string {
	const isStored = name !== undefined && !secretSource.startsWith('SUPPORTCTL_');
	const login = isStored
		? `the credentials of profile "${name}" may have expired: supportctl login --profile ${name} stores others`
		: 'supportctl login stores other credentials';
	return `${login}; supportctl doctor checks whether the host drops them`;
}

/** Who sends the requests. */
export type Caller = Pick<ResolvedConnection, 'profileName' | 'secretSource'>;

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
	const { message, details } = whatFailed(outcome, `${verb} ${nameRow(outcome.ids, noun)}`);
	const request = { isRead: replay === 'read', canVerify: readEndpointOf(endpoint) !== undefined };
	const hint = nextStep(outcome, request, caller);
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

/** The exit code that a lone outcome stands for. */
export function exitCodeOfOutcome(outcome: Outcome): ExitCode {
	if (outcome.outcome === 'unknown') return ExitCode.unknown;
	if (outcome.outcome === 'differs') return ExitCode.differs;
	return outcome.status === 401 || outcome.status === 403 ? ExitCode.refused : ExitCode.failed;
}

/** Why a run stopped before its end, for a person. */
export function whyStopped(reason: StopReason): string {
	switch (reason.kind) {
		case 'signal':
			return 'interrupted';
		case 'unauthorized':
			return `stopped: the service refused the credentials (401${reason.outcome.message === undefined ? '' : `: ${reason.outcome.message}`})`;
		case 'failure':
			return `stopped at row ${reason.outcome.row}, the first that failed (--stop-on-error)`;
		case 'too-many-failures':
			return `stopped: more than ${reason.limit} rows failed (--max-failures)`;
		case 'same-refusal':
			return `stopped: the first ${reason.rows} rows failed for the same reason: ${reason.outcome.message ?? reason.outcome.code}`;
		case 'unreachable':
			return `stopped: the service could not be reached (${reason.why})`;
		default:
			return `stopped: ${reason.outcome.message}`;
	}
}

/** What a person can do about the reason for which a run stopped, where there is something. */
export function stepAfterStop(reason: StopReason, caller: Caller): string | undefined {
	if (reason.kind === 'unreachable') return DOCTOR_STEP;
	return 'outcome' in reason ? nextStep(reason.outcome, {}, caller) : undefined;
}

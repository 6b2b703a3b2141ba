/** Sends a planned request until its fate is known or can't be: attempts, waits, and what the row's outcome is in the end. */

import { type Dialect, neutralDialect } from '../api/dialect.js';
import type { ReplayRule } from '../api/endpoints.js';
import { type Answered, judgeAnswer, type Verdict } from './answer.js';
import type { Attempt, Client, HttpRequest, RawAnswer } from './client.js';
import type { CleanWords } from './content.js';
import type { Delivery, OutcomeName } from './outcome.js';
import { type AttemptBearing, decideRetry, parseRetryAfter } from './retry.js';

/** What can be delivered: a planned request, or one outside the endpoint table that says how it may be repeated. */
export interface Deliverable extends HttpRequest {
	readonly endpoint: Answered & { readonly replay: ReplayRule };
}

/** The run-wide brake that all rows share. */
export interface Pace {
	/** Resolves when the next request may go; undefined where it may go now. */
	ready(signal: AbortSignal | undefined): Promise<void> | undefined;
	/** The service asked to come back later, or could not be reached. `sentAt` is from the same clock as `ready`. */
	refused(sentAt: number, retryAfterMs: number | undefined): void;
	/** The service answered in its own right. */
	answered(sentAt: number): void;
	/** Sent, and nobody knows what became of it. */
	lost(sentAt: number): void;
}

/** An attempt that failed and will be followed by another. */
export interface FailedAttempt {
	attempt: number;
	/** Present where an answer came. */
	status?: number;
	code?: string;
	/** False where no connection could be made. */
	sent: boolean;
	/** It may have been carried out without our knowing. */
	lost: boolean;
	waitMs: number;
}

export interface DeliverClock {
	now(): number;
	monotonic(): number;
	sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How requests are delivered. */
export interface DeliverOptions extends OwnDeliverOptions {
	/** Attempts after the first. */
	retries: number;
	clock: DeliverClock;
	random(): number;
	dialect?: Dialect;
	/** Aborted when nothing new may be sent; what is in flight is waited for. */
	stop?: AbortSignal;
	pace?: Pace;
	/** Takes 404 and 410 on a delete for success. */
	ignoreMissing?: boolean;
	/** Each answer as it came, for what shows more of it than its meaning. */
	onAnswer?(answer: RawAnswer): void;
}

/** What belongs to one request, where many share their options. */
export interface OwnDeliverOptions {
	/** True where an earlier process may have sent this request already. */
	maybeSent?: boolean;
	/** Before each sending; the request waits for it. */
	beforeSend?(): Promise<void> | undefined;
	/** Blacks out in the service's words what the request holds in secret; code and body are as they came. */
	clean?: CleanWords | undefined;
	/** After an attempt that will be repeated. */
	onRetry?(record: FailedAttempt): void;
}

/** One attempt, judged. */
interface Judged {
	bearing: AttemptBearing;
	permanent: boolean;
	verdict: Verdict | undefined;
	code: string | undefined;
	message: string | undefined;
	sent: boolean;
}

function judgeProblem({ problem, sent }: Extract<Attempt, { kind: 'problem' }>): Judged {
	const { code, message, permanent } = problem;
	// Once written, even a hopeless connection may have carried the request.
	return { bearing: sent ? 'no-answer' : 'not-sent', permanent, verdict: undefined, code, message, sent };
}

function judgedBy(verdict: Verdict): Judged {
	const { bearing, code, message } = verdict;
	return { bearing, permanent: false, verdict, code, message, sent: true };
}

/**
 * Delivers one request. Never throws for what the service or the network does.
 * @param own What belongs to this request alone, in place of the same parts of `options`.
 */
export async function deliver(
	client: Client,
	request: Deliverable,
	options: DeliverOptions,
	own: OwnDeliverOptions = options,
): Promise<Delivery> {
	const { clock, stop, pace } = options;
	const dialect = options.dialect ?? neutralDialect;
	let started: number | undefined;
	let lost = own.maybeSent === true;
	let last: Judged | undefined;
	let attempts = 0;

	const finish = (judged: Judged | undefined, more: Pick<Conclusion, 'note' | 'stopped'> = {}): Delivery =>
		conclude(request, judged, {
			lost,
			attempts,
			ms: started === undefined ? 0 : clock.monotonic() - started,
			ignoreMissing: options.ignoreMissing,
			...more,
		});

	for (;;) {
		const gate = pace?.ready(stop);
		if (gate !== undefined) await gate;
		if (stop?.aborted) return finish(last, { stopped: true });
		const before = own.beforeSend?.();
		if (before !== undefined) await before;
		const sentAt = clock.monotonic();
		started ??= sentAt;
		const attempt = await client.send(request);
		attempts++;
		let judged: Judged;
		if (attempt.kind === 'problem') {
			judged = judgeProblem(attempt);
		} else {
			options.onAnswer?.(attempt.answer);
			const verdict = judgeAnswer(attempt.answer, request.endpoint, dialect, own.clean);
			judged = judgedBy(verdict instanceof Promise ? await verdict : verdict);
		}
		last = judged;
		const retryAfterMs = parseRetryAfter(judged.verdict?.retryAfter, clock.now(), judged.verdict?.date);
		if (asksToSlowDown(judged)) pace?.refused(sentAt, retryAfterMs);
		else if (judged.verdict !== undefined) pace?.answered(sentAt);
		else pace?.lost(sentAt);
		const decision = decideRetry({
			bearing: judged.bearing,
			replay: request.endpoint.replay,
			attempt: attempts,
			retries: options.retries,
			permanent: judged.permanent,
			retryAfterMs,
			random: options.random(),
		});
		if (!decision.again) {
			const note =
				decision.why === 'wait-too-long' && retryAfterMs !== undefined
					? `the service asks to wait until ${new Date(clock.now() + Math.min(retryAfterMs, 8e12)).toISOString()}`
					: undefined;
			return finish(judged, { note });
		}
		if (judged.bearing === 'no-answer') lost = true;
		own.onRetry?.({
			attempt: attempts,
			sent: judged.sent,
			lost: judged.bearing === 'no-answer',
			waitMs: Math.round(decision.waitMs),
			...(judged.verdict === undefined ? {} : { status: judged.verdict.status }),
			...(judged.code === undefined ? {} : { code: judged.code }),
		});
		await clock.sleep(decision.waitMs, stop);
	}
}

/** A service that is busy, a gateway that waited for it in vain, or nobody there: reasons for the whole run to slow down. */
function asksToSlowDown(judged: Judged): boolean {
	const gatewayGaveUp = judged.bearing === 'no-answer' && judged.verdict !== undefined;
	return judged.bearing === 'later' || judged.bearing === 'not-sent' || gatewayGaveUp;
}

interface Conclusion {
	/** Whether some attempt may have been carried out without our knowing. */
	lost: boolean;
	attempts: number;
	ms: number;
	ignoreMissing: boolean | undefined;
	/** Until when the service puts the request off, where that is too long to wait for. */
	note?: string | undefined;
	/** Whether a further attempt was due when the run was stopped. */
	stopped?: boolean;
}

/** The row's outcome from its last attempt and what went before. */
export function conclude(request: Deliverable, judged: Judged | undefined, facts: Conclusion): Delivery {
	const delivery: Delivery = { outcome: 'not-sent', attempts: facts.attempts, ms: Math.round(facts.ms * 10) / 10 };
	const verdict = judged?.verdict;
	if (verdict !== undefined) {
		delivery.status = verdict.status;
		if (verdict.hasBody) delivery.body = verdict.body;
		if (verdict.reasons !== undefined) delivery.reasons = verdict.reasons;
		if (verdict.warnings !== undefined) delivery.warnings = verdict.warnings;
	}
	if (judged?.code !== undefined) delivery.code = judged.code;
	if (judged?.message !== undefined) delivery.message = judged.message;
	if (facts.note !== undefined) {
		delivery.code = 'wait_too_long';
		delivery.message = delivery.message === undefined ? facts.note : `${delivery.message}; ${facts.note}`;
	}
	if (isMissing(request, verdict) && (facts.lost || facts.ignoreMissing)) {
		delivery.outcome = 'ok';
		delivery.message = facts.lost
			? 'it is gone; an earlier attempt without an answer may have deleted it'
			: 'it was gone already';
		return delivery;
	}
	delivery.outcome = outcomeOf(judged, facts);
	return delivery;
}

function outcomeOf(judged: Judged | undefined, { lost, stopped, note }: Conclusion): OutcomeName {
	switch (judged?.bearing) {
		case 'accepted':
			return 'ok';
		case 'said-no':
			return lost && !speaksOfAll(judged.verdict) ? 'unknown' : 'failed';
		case 'later':
			// A row whose next attempt was due, or that the service put off, is one that a resume has to send.
			return lost ? 'unknown' : stopped === true || note !== undefined ? 'not-sent' : 'failed';
		case 'no-answer':
		case 'unclear':
			return 'unknown';
		default:
			return lost ? 'unknown' : 'not-sent';
	}
}

/** Whether a refusal says what became of earlier attempts too: the same request would have been refused before as well. */
function speaksOfAll(verdict: Verdict | undefined): boolean {
	if (verdict?.status === 401) return true;
	// A fault of its own, or what another request did meanwhile, says nothing of an attempt that may have got through.
	return verdict?.hasBody === true && verdict.status < 500 && verdict.status !== 409;
}

function isMissing(request: Deliverable, verdict: Verdict | undefined): boolean {
	if (request.endpoint.replay !== 'delete' || verdict === undefined) return false;
	if (verdict.status !== 404 && verdict.status !== 410) return false;
	// A page, or a path that nobody serves, says nothing of the thing that was to be deleted.
	if (verdict.code === 'rest_no_route') return false;
	return verdict.hasBody || verdict.code === `http_${verdict.status}`;
}

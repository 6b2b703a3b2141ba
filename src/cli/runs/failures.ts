/** Errors for rows that need attention, and next steps. */

import { type Endpoint, replayRules } from '../../api/endpoints.js';
import { nameRow } from '../../api/names.js';
import { readEndpointOf } from '../../api/reads.js';
import { exitCodeOfOne } from '../../bulk/journal/counts.js';
import { differences, fullMessage } from '../../bulk/journal/records.js';
import { NOT_READ } from '../../bulk/run/settle.js';
import { fileOf } from '../../bulk/sources.js';
import { ExitCode, FailedError, SupportctlError } from '../../errors.js';
import { NO_ROUTE } from '../../http/judge.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { outcomes } from '../../http/outcomes.js';
import { missingRight, nextStepFor } from '../../http/problem.js';
import { WAIT_TOO_LONG } from '../../http/send.js';
import type { Palette } from '../../output/colour.js';
import { renderError } from '../../output/errors.js';
import { annotate, asksForJson } from '../../output/sanitise.js';
import type { Connection } from '../../profile/resolve.js';
import { warn } from '../notices.js';
import { onlyOutputFailed } from '../results.js';
import { signInAgain } from '../session.js';
import type { RunJob } from './job.js';
import { printedIds } from './outcomes.js';

/** How to go on with an outcome. */
interface Ways {
	isRead?: boolean;
	/** What sends the row again. */
	resume?: string | undefined;
	retry?: string | undefined;
}

export function nextStep(
	{ code, outcome, signedOut, forbidden, notServed, busy, mayBePartly }: Outcome,
	{ isRead = false, resume, retry }: Ways,
	connection: Connection,
): string | undefined {
	const isPage = code === 'html_response';
	if (signedOut) return signInAgain(connection);
	if (forbidden && !isPage) {
		const right = code === NOT_READ ? ' to read this' : missingRight(code);
		return `your account lacks permission${right}; ask an administrator or use a different profile (to see what this account can do: supportctl whoami)`;
	}
	if (forbidden) return nextStepFor('login_form');
	if (code === NO_ROUTE) return 'endpoint not found; run "supportctl doctor" to check the base URL and the prefixes';
	if (isPage && notServed && outcome === 'failed') {
		return 'nothing found at that path: is /wp-json missing from the base URL? Run "supportctl doctor"';
	}
	const known = nextStepFor(code);
	if (known !== undefined) return known;
	if (busy && outcome !== 'unknown') return 'try again later, or slow down with --rate';
	if (outcome === 'differs') return 'to accept different values: --allow-differs=FIELDS';
	if (outcome === 'failed' && mayBePartly && retry !== undefined) return `look at it, then to send it again: ${retry}`;
	if (outcome !== 'unknown') return undefined;
	if (isRead) return 'try again';
	return resume === undefined
		? 'the change may have been applied; check before retrying'
		: `the change may have been applied; to check, and to send it again if it was not: ${resume}`;
}

/** `update ticket 14 failed (HTTP 500 db_error), after 2 attempts: Out of rows` */
export function verdictOf(
	{ outcome, status, code, message, attempts }: Outcome,
	what: string,
	verdict = code === WAIT_TOO_LONG ? ' was put off' : outcomes[outcome].verdict,
): string {
	const ofService = code === undefined || code.startsWith('http_') ? '' : ` ${code}`;
	const http = status === undefined ? '' : ` (HTTP ${status}${ofService})`;
	const tries = attempts > 1 ? `, after ${attempts} attempts` : '';
	const why = message ?? code ?? '';
	return `${what}${verdict}${http}${tries}${why === '' ? '' : `: ${why}`}`;
}

interface ResumableRun {
	readonly id: string;
	readonly verify: boolean;
	/** Of one row. */
	readonly isLone: boolean;
}

type ObjectOutcome = Omit<RowOutcome, 'row'>;

/** What happened to what, why, and the next step. */
export function failureOf(
	outcome: ObjectOutcome,
	endpoint: Endpoint,
	connection: Connection,
	run?: ResumableRun,
): SupportctlError {
	const { verb, noun, reads, replay } = endpoint;
	const { ids, gone } = outcome;
	const object = nameRow(ids, noun);
	let text = verdictOf(outcome, `${verb} ${object}`);
	if (outcome.outcome === 'differs') {
		text = `${object} ${replayRules[replay].done}, but ${outcome.message ?? 'the response differs'}`;
	} else if (outcome.outcome === 'failed' && gone === 'missing' && Object.keys(ids).length > 0) {
		// A 410 is about the trash.
		// A read before the write says that with the object's name.
		const message = outcome.message?.replace(`${object} not found; `, '');
		text = verdictOf({ ...outcome, message }, object, ' not found');
	}
	return errorOf(outcome, text, nextStep(outcome, { isRead: reads, ...waysOf(endpoint, run) }, connection));
}

function waysOf(endpoint: Endpoint, run: ResumableRun | undefined): Ways {
	if (run === undefined) return {};
	// A run that verifies also does so when it is resumed.
	const verify = !run.verify && readEndpointOf(endpoint) !== undefined ? ' --verify' : '';
	const yes = endpoint.deletes ? ' --yes' : '';
	return {
		resume: `supportctl run resume ${run.id}${verify}${yes}`,
		// The end of a run of many rows names it.
		retry: run.isLone ? `supportctl run retry ${run.id}${yes}` : undefined,
	};
}

export function errorOf(given: ObjectOutcome, text: string, hint: string | undefined): SupportctlError {
	const { ids, outcome, status, code, attempts, reasons, differs } = given;
	return new SupportctlError(text, exitCodeOfOne(given), {
		code: code ?? outcome,
		details: [...Object.entries(reasons ?? {}).map((pair) => pair.join(': ')), ...differences(given)],
		// Keys without a value are left out.
		data: { ...printedIds(ids), status, outcome, attempts, reasons, differs },
		hint,
	});
}

/** @param isLone rows of a run take one line each @param runId if the run can be resumed @returns the next step, for which a line has no room */
export function printTrouble(
	job: RunJob,
	outcome: RowOutcome,
	palette: Palette,
	isLone: boolean,
	runId: string | undefined,
): string | undefined {
	const { endpoint, plan, session, context, options } = job;
	const { row, line, ids, outcome: name, warnings = [] } = outcome;
	const differing = differences(outcome);
	if (exitCodeOfOne(outcome) === ExitCode.ok) {
		const object = nameRow(ids, endpoint.noun);
		const where = isLone ? object : `row ${row} (${object})`;
		const remarks = [...differing, ...warnings].map((remark) => `${where}: ${remark}`);
		warn(context, remarks);
		return undefined;
	}
	const { level } = outcomes[name];
	const message = [fullMessage(outcome) ?? name, ...differing].join('; ');
	annotate(context, { level, file: fileOf(plan), line, title: `row ${row}: ${name}`, message });
	const run = runId === undefined ? undefined : { id: runId, verify: plan.checks.verify, isLone };
	const error = failureOf(outcome, endpoint, session.connection, run);
	if (isLone) {
		const debug = options.debug === true;
		context.stderr.write(renderError(error, { json: asksForJson(context.argv), debug, palette }));
		return undefined;
	}
	const text = [error.message.replace(/\s*\r?\n\s*/g, ' '), ...error.details].join('; ');
	context.stderr.write(renderError(new FailedError(text), { palette }));
	return error.hint;
}

/** For rows whose results could not be printed. */
export function lostResults(trouble: SupportctlError, { endpoint }: RunJob, exitCode: ExitCode): SupportctlError {
	if (exitCode === ExitCode.ok && endpoint.reads) return trouble;
	const says = exitCode === ExitCode.ok ? 'every row is ok' : 'the outcomes are not affected';
	return onlyOutputFailed(trouble, says, exitCode);
}

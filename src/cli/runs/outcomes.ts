/** Outcomes as they are printed, and errors for those that failed. */

import { readCustomFields } from '../../api/applied.js';
import { type Endpoint, idNames } from '../../api/endpoints.js';
import { nameRow } from '../../api/names.js';
import { readEndpointOf } from '../../api/reads.js';
import { differences, fullMessage, type RowRecord } from '../../bulk/journal/records.js';
import { fileOf } from '../../bulk/run/plan.js';
import type { RowRedactor } from '../../bulk/run/send-row.js';
import { ExitCode, SupportctlError } from '../../errors.js';
import { NO_ROUTE } from '../../http/judge.js';
import type { Outcome, RowOutcome } from '../../http/outcome.js';
import { nextStepFor } from '../../http/problem.js';
import { outcomeStyle, type Palette } from '../../output/colour.js';
import { type Column, ownOf, type Row } from '../../output/columns.js';
import { renderError } from '../../output/errors.js';
import { createOutcomeRedactor, secretValues } from '../../output/redact.js';
import { annotate } from '../../output/sanitise.js';
import type { Connection } from '../../profile/resolve.js';
import { paletteFor, warn } from '../notices.js';
import { onlyOutputFailed, type ResultShape, wantsJson } from '../results.js';
import { positionalsOf } from './options.js';
import type { RunJob } from './plan.js';

/** As numbers if they fit. */
export function printedIds(ids: Readonly<Record<string, string>>): Record<string, string | number> {
	const printed: Record<string, string | number> = {};
	for (const name of Object.keys(ids)) {
		const text = ids[name] as string;
		const number = (name === 'id' || name.endsWith('_id')) && /^\d+$/.test(text) ? Number(text) : Number.NaN;
		printed[name] = Number.isSafeInteger(number) ? number : text;
	}
	return printed;
}

/** The same keys in every row; `reasons` and `warnings` only if there are any. */
export function outcomeView(result: RowOutcome): Row {
	const { row, ids, outcome, status, code, message, reasons, warnings, attempts, ms, differs, body } = result;
	// Key by key: rows then share one hidden class, which is much faster.
	const view: Record<string, unknown> = { row };
	const printed = printedIds(ids);
	for (const name of Object.keys(printed)) view[name] = printed[name];
	if (ids.username !== undefined && ids.id === undefined) view.id = null;
	view.outcome = outcome;
	view.status = status ?? null;
	view.code = code ?? null;
	view.message = message ?? null;
	if (reasons) view.reasons = reasons;
	if (warnings && warnings.length > 0) view.warnings = warnings;
	view.attempts = attempts;
	view.ms = Math.round(ms);
	view.differs = differs ?? [];
	view.body = body ?? null;
	return view;
}

export function outcomeKeys(ids: readonly string[]): string[] {
	const found = ids.includes('username') ? ['id'] : [];
	const own = ['outcome', 'status', 'code', 'message', 'reasons', 'warnings', 'attempts', 'ms', 'differs', 'body'];
	return ['row', ...ids, ...found, ...own];
}

const RESERVED = outcomeKeys(idNames);

function messageOf(row: Row): string {
	const { message, reasons, warnings = [], differs } = row as Partial<RowRecord>;
	const said = fullMessage({ message: message ?? undefined, reasons });
	return [...(said === undefined ? [] : [said]), ...warnings, ...differences({ differs })].join('; ');
}

export function outcomeColumns(ids: readonly string[], palette: Palette, own: readonly Column[] = []): Column[] {
	const style = (text: string, row: Row): string => outcomeStyle(palette, String(row.outcome))(text);
	const message: Column = { path: 'message', get: messageOf, optional: true, important: true };
	return [...ids.map((path) => ({ path })), { path: 'outcome', style }, ...own, message];
}

/** To programs, an outcome's own keys mean the same in every format. */
function namedColumn(space: string, name: string, get: NonNullable<Column['get']>): Column {
	const path = `${space}.${name}`;
	return { path, label: name, get, ...(RESERVED.includes(name) && { key: path }) };
}

const deletionColumn: Column = {
	path: 'result',
	get({ outcome, status, code, body }) {
		if (outcome !== 'ok' && outcome !== 'differs') return '';
		if (ownOf(body, 'deleted') === true) return 'deleted';
		if (ownOf(body, 'status') === 'trash') return 'trashed';
		return code === 'gone' || status === 404 || status === 410 ? 'already gone' : 'accepted';
	},
};

/** Each row has its own. */
function customFields(keys: readonly string[]): Pick<ResultShape, 'more' | 'resolve'> {
	let last: { row?: Row; fields?: ReturnType<typeof readCustomFields> } = {};
	/** Every column asks for the same fields. */
	const fieldsOf = (row: Row): typeof last.fields => {
		if (row !== last.row) last = { row, fields: row.outcome === 'ok' ? readCustomFields(row.body) : undefined };
		return last.fields;
	};
	return {
		more: (row) =>
			Object.keys(fieldsOf(row) ?? {}).map((name) => namedColumn('field', name, (each) => ownOf(fieldsOf(each), name))),
		resolve(name) {
			if (keys.includes(name.split('.')[0] as string)) return undefined;
			const bare = name.replace(/^field\./, '');
			const field = RESERVED.includes(bare) ? bare : name;
			return (row) => ownOf(fieldsOf(row), field) ?? (name === 'ticket_id' ? row.id : undefined);
		},
	};
}

/** The next command takes their IDs. */
const WENT_WELL: ReadonlySet<unknown> = new Set(['ok', 'differs', 'skipped']);

export async function outcomeShape(
	{ endpoint, plan, session, invocation }: Pick<RunJob, 'endpoint' | 'plan' | 'session' | 'invocation'>,
	fields: readonly string[],
): Promise<ResultShape> {
	const palette = await paletteFor(invocation, 'stdout');
	const ids = positionalsOf(plan.endpoint, endpoint).map((each) => each.name);
	const last = ids.at(-1) as string;
	const idName = last === 'username' ? 'id' : last;
	const keys = outcomeKeys(ids);
	const shape = (columns: Column[]): ResultShape => ({
		...{ keys, columns, holdsResponses: true, profileFormat: session.connection.settings.format },
		idOf: (row) => (WENT_WELL.has(row.outcome) ? row[idName] : undefined),
	});
	const plain = shape(outcomeColumns(ids, palette));
	if (endpoint.returns === 'user-id') return shape(outcomeColumns(['username', 'id'], palette));
	// A ticket's ID has two names.
	if (endpoint.returns === 'fields-set') {
		return { ...plain, resolve: (name) => (name === 'id' ? (row) => row.ticket_id : undefined) };
	}
	if (endpoint.returns === 'fields') return { ...plain, ...customFields(keys) };
	// Dots in a name mean nothing.
	const changed = fields
		.filter((field) => field !== 'password')
		.map((field) => namedColumn('body', field, (row) => ownOf(row.body, field)));
	return shape(outcomeColumns(ids, palette, endpoint.replay === 'delete' ? [deletionColumn] : changed));
}

/** @param own the caller's credentials */
export function redactRows(own: readonly string[], hasSecrets: boolean): RowRedactor {
	const redact = createOutcomeRedactor(own);
	return (outcome, { sent }) => redact(outcome, hasSecrets ? secretValues(sent) : []);
}

export type Caller = Pick<Connection, 'profileName' | 'secretSource'>;

/** A profile's may have expired. */
export function signInAgain({ profileName: name, secretSource }: Caller): string {
	let login = 'sign in again: supportctl login';
	if (secretSource.startsWith('SUPPORTCTL_')) {
		login = `the credentials are from ${secretSource}, not from a profile: fix it, or unset it and use supportctl login`;
	} else if (name !== undefined) {
		login = `the credentials of profile "${name}" may have expired; sign in again: supportctl login --profile ${name}`;
	}
	return `${login}; if they are correct, run "supportctl doctor"`;
}

/** The next step by the code of a refusal. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
	['incorrect_agent', 'assign an agent: this service requires one on every ticket and accepts no other users'],
	['invalid_term', 'use the ID of a term: supportctl term list TAXONOMY'],
	['invalid_username', 'find usernames with: supportctl user list --search TEXT'],
	[
		'invalid_username_access',
		'your account can only look up itself; to find others: supportctl user list --search TEXT',
	],
	['rest_trash_not_supported', 'pass --force to delete permanently'],
	['no_such_field', 'list the fields with: supportctl ticket fields get TICKET-ID'],
]);

/** @param request whether it changes nothing, and has --verify */
export function nextStep(
	{ code, outcome, signedOut, forbidden, notServed, busy }: Outcome,
	{ isRead = false, canVerify = false }: { isRead?: boolean; canVerify?: boolean },
	caller: Caller,
): string | undefined {
	const isPage = code === 'html_response';
	if (signedOut) return signInAgain(caller);
	if (forbidden && !isPage) return 'your account lacks permission; ask an administrator or use a different profile';
	if (forbidden || code === 'login_form')
		return 'a sign-on page or a firewall in front of the service responded: use a base URL without it';
	if (code === NO_ROUTE) return 'endpoint not found; run "supportctl doctor" to check the base URL and the prefixes';
	if (isPage && notServed && outcome === 'failed')
		return 'nothing found at that path: is /wp-json missing from the base URL? Run "supportctl doctor"';
	if (code === 'redirect') return 'to change it in a profile: supportctl profile set NAME --base-url URL';
	const known = nextStepFor(code) ?? (code === undefined ? undefined : REFUSALS.get(code));
	if (known !== undefined) return known;
	if (busy && outcome !== 'unknown') return 'try again later, or slow down with --rate';
	if (outcome === 'differs') return 'to accept different values: --allow-differs=FIELDS';
	if (outcome !== 'unknown') return undefined;
	if (isRead) return 'try again';
	return `the change may have been applied; check before retrying${canVerify ? ', or use --verify' : ''}`;
}

const VERDICTS: Partial<Record<RowOutcome['outcome'], string>> = {
	failed: ' failed',
	unknown: ': outcome unknown',
	'not-sent': ' was not sent',
	invalid: ' is invalid',
};

/** `update ticket 14 failed (HTTP 500 db_error), after 2 attempts: Out of rows` */
export function verdictOf(
	{ outcome, status, code, message, attempts }: RowOutcome,
	what: string,
	verdict = code === 'wait_too_long' ? ' was put off' : (VERDICTS[outcome] ?? ''),
): string {
	const ofService = code === undefined || code.startsWith('http_') ? '' : ` ${code}`;
	const http = status === undefined ? '' : ` (HTTP ${status}${ofService})`;
	const tries = attempts > 1 ? `, after ${attempts} attempts` : '';
	const why = message ?? code ?? '';
	return `${what}${verdict}${http}${tries}${why === '' ? '' : `: ${why}`}`;
}

/** 410 is what is in the trash. */
function isMissing({ ids, outcome, status, gone = false }: RowOutcome): boolean {
	return outcome === 'failed' && gone && status === 404 && Object.keys(ids).length > 0;
}

export function failureOf(
	outcome: RowOutcome,
	endpoint: Endpoint,
	caller: Caller,
	{ verify = false }: { verify?: boolean } = {},
): SupportctlError {
	const { verb, noun, replay } = endpoint;
	const request = { isRead: replay === 'read', canVerify: !verify && readEndpointOf(endpoint) !== undefined };
	const hint = nextStep(outcome, request, caller);
	const object = nameRow(outcome.ids, noun);
	if (outcome.outcome === 'differs') {
		const done = replay === 'delete' ? 'deleted' : 'updated';
		return errorOf(outcome, `${object} ${done}, but ${outcome.message ?? 'the response differs'}`, hint);
	}
	if (isMissing(outcome)) return errorOf(outcome, verdictOf(outcome, object, ' not found'), hint);
	return errorOf(outcome, verdictOf(outcome, `${verb} ${object}`), hint);
}

/** @param text what happened to what, and why */
export function errorOf(given: RowOutcome, text: string, hint: string | undefined): SupportctlError {
	const { ids, outcome, status, code, attempts, reasons, differs } = given;
	return new SupportctlError(text, exitCodeOfOutcome(given), {
		code: code ?? outcome,
		details: [...Object.entries(reasons ?? {}).map((pair) => pair.join(': ')), ...differences(given)],
		data: { ...printedIds(ids), status, outcome, attempts, reasons, differs },
		...(hint === undefined ? {} : { hint }),
	});
}

export function exitCodeOfOutcome({ outcome, signedOut, forbidden }: RowOutcome): ExitCode {
	if (outcome === 'ok' || outcome === 'skipped') return ExitCode.ok;
	if (outcome === 'unknown') return ExitCode.unknown;
	if (outcome === 'differs') return ExitCode.differs;
	return signedOut || forbidden ? ExitCode.refused : ExitCode.failed;
}

/** Also differences that --allow-differs accepts. */
export function warningsOf(outcome: RowOutcome): string[] {
	return [...differences(outcome), ...(outcome.warnings ?? [])];
}

/** @param isLone others take one line each @returns the advice beneath a lone row */
export function printTrouble(job: RunJob, outcome: RowOutcome, palette: Palette, isLone: boolean): string | undefined {
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
	// A program gets one object at the end.
	if (json && !isLone) return undefined;
	if (exitCodeOfOutcome(outcome) !== ExitCode.ok) {
		const error = failureOf(outcome, endpoint, session.connection, plan.checks);
		const shown = isLone ? error : inOneLine(error);
		stderr.write(renderError(shown, { json, debug: options.debug === true, palette }));
		return error.hint;
	}
	const object = nameRow(outcome.ids, endpoint.noun);
	const where = isLone ? object : `row ${row} (${object})`;
	warn(
		context,
		warningsOf(outcome).map((warning) => `${where}: ${warning}`),
	);
	return undefined;
}

function inOneLine({ message, details, exitCode, code, cause }: SupportctlError): SupportctlError {
	const text = [message.replace(/\s*\r?\n\s*/g, ' '), ...details].join('; ');
	return new SupportctlError(text, exitCode, { code, cause });
}

/** @param trouble why */
export function lostResults(trouble: SupportctlError, { endpoint }: RunJob, exitCode: ExitCode): SupportctlError {
	if (exitCode === ExitCode.ok && endpoint.replay === 'read') return trouble;
	const says = exitCode === ExitCode.ok ? 'every row is ok' : 'the outcomes are not affected';
	return onlyOutputFailed(trouble, says, exitCode);
}

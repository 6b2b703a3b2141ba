/** A dry run: the requests that would be sent, or with --diff old and new values. */

import { plural } from '../../../api/names.js';
import type { FieldChange, Preview, RowChange, RunEvent } from '../../../bulk/run/events.js';
import type { RunRow } from '../../../bulk/run/rows.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { ExitCode, SupportctlError } from '../../../errors.js';
import type { Row } from '../../../output/columns.js';
import { isSecretName, REDACTED } from '../../../output/redact.js';
import type { Renderer } from '../../../output/render.js';
import { escapeJson, sanitise } from '../../../output/sanitise.js';
import { openResults, type ResultShape, wantsJson } from '../../results.js';
import { placeOf } from '../checks.js';
import { printedIds, redactRows } from '../outcomes.js';
import type { RunJob } from '../plan.js';
import { SHOWN } from './view.js';

export function createPreviewPrinter(job: RunJob) {
	const { endpoint, plan, tuning, session, invocation } = job;
	const { context, options } = invocation;
	const { stdout, stderr } = context;
	const isDiff = options.diff === true || options.plan !== undefined;
	const isWhole = !stdout.isTTY || options.all === true || options.format !== undefined || options.json === true;
	// What a list will hold is known after the read alone.
	const items = Object.entries({ add: plan.values.add, remove: plan.values.remove }).filter(
		([, fields]) => Object.keys(fields).length > 0,
	);
	const hide = redactRows(session.secrets, false);
	let results: Renderer | undefined;
	let printed = 0;

	function columnsFor(survey: Survey): ResultShape['columns'] {
		const ids = Object.keys(survey.first[0]?.ids ?? {});
		if (isDiff) {
			return [...[...ids, 'field', 'old', 'new'].map((path) => ({ path })), { path: 'message', optional: true }];
		}
		return [
			{ path: 'method', whole: true },
			{ path: 'path', whole: true },
			{ path: 'body', least: 16 },
			...items.map(([path]) => ({ path })),
		];
	}

	async function open(survey: Survey): Promise<void> {
		if (survey.invalid > 0 && !plan.skipInvalid) return;
		const profileFormat = session.connection.settings.format;
		results = await openResults(invocation, { profileFormat, columns: columnsFor(survey) });
	}

	/** What a service says may hold our own credentials. */
	function withoutSecrets(change: RowChange, { row, request }: RunRow): RowChange {
		const place = { row, ids: request.ids };
		if ('unread' in change) return { ...change, unread: hide({ ...place, ...change.unread }, request) };
		return 'skip' in change ? { ...change, skip: hide({ ...place, ...change.skip }, request) } : change;
	}

	async function print(planned: RunRow, change: RowChange | undefined): Promise<void> {
		const { row, line, request } = planned;
		const place = line === undefined || isDiff ? { row } : { row, line };
		for (const more of change === undefined ? [requestOf(request)] : linesOf(withoutSecrets(change, planned))) {
			if (printed++ >= SHOWN && !isWhole) continue;
			await results?.row({ ...place, ...printedIds(request.ids), ...more });
		}
	}

	function requestOf({ method, path, body }: RunRow['request']): object {
		return { method, path, body: body === undefined ? null : JSON.parse(body), ...Object.fromEntries(items) };
	}

	async function end(preview: Preview): Promise<void> {
		await results?.end();
		if (options.plan !== undefined) return endPlan(preview, options.plan);
		const { requests, upTo, skipped, unread } = preview;
		if (tuning.quiet) return;
		const { host, connection } = session;
		const { profileName: profile } = connection;
		if (wantsJson(options)) {
			const summary = { dryRun: true, host, profile: profile ?? null, requests, upTo, skipped, unread };
			stderr.write(`${JSON.stringify({ summary })}\n`);
			return;
		}
		if (printed > SHOWN && !isWhole) stderr.write(`… and ${printed - SHOWN} more; to print all: --all\n`);
		const count = `${upTo ? 'up to ' : ''}${requests} ${plural('request', requests)}`;
		const notes = [
			`dry run ${placeOf({ profile }, host)}: ${count}, none sent`,
			...(skipped === 0 ? [] : [`${skipped} ${skipped === 1 ? 'row has' : 'rows have'} nothing to send`]),
			...(unread === 0 ? [] : [`${unread} ${plural(endpoint.noun, unread)} could not be read`]),
		];
		stderr.write(`${notes.join('; ')}\n`);
	}

	function endPlan({ saved, skipped, unread }: Preview, path: string): void {
		const nouns = plural(endpoint.noun, unread);
		const problem = unread === 0 ? [] : [`${unread} ${nouns} can't be planned, as shown above`];
		if (saved === undefined) {
			const isNew = job.resumes === undefined && plan.source.from !== 'snapshots';
			const details = { code: 'not_planned', ...(isNew && { hint: 'to plan the others: --skip-invalid' }) };
			throw new SupportctlError(`${problem[0]}; no plan was written`, ExitCode.partial, details);
		}
		const { sha256, rows } = saved;
		const next = `supportctl run apply ${path}`;
		if (wantsJson(options)) {
			const facts = { plan: path, digest: sha256, host: session.host, rows, skipped, unread, next: [next] };
			stderr.write(`${escapeJson(JSON.stringify({ summary: facts }))}\n`);
			return;
		}
		if (tuning.quiet) return;
		if (printed > SHOWN && !isWhole) stderr.write(`… and ${printed - SHOWN} more; to print all: --all\n`);
		const upToDate = skipped === 0 ? [] : [`${skipped} ${skipped === 1 ? 'row has' : 'rows have'} nothing to change`];
		const what = `plan ${path}: ${rows} ${plural(endpoint.noun, rows)} on ${session.host}`;
		const parts = [rows === 0 ? 'no changes: everything is already up to date' : what, ...upToDate, ...problem];
		stderr.write(`${sanitise(parts.join('; '))}\ndigest: ${sha256}\n`);
		if (rows > 0) stderr.write(`to send it: ${sanitise(next)}\n`);
	}

	return (event: RunEvent): Promise<void> | void => {
		switch (event.type) {
			case 'surveyed':
				return open(event.survey);
			case 'planned':
				return print(event.row, event.change);
			case 'previewed':
				return end(event);
			case 'complaint':
			case 'started':
			case 'row':
			case 'retry':
			case 'tick':
			case 'stopped':
			case 'settled':
			case 'ended':
				return;
			default:
				event satisfies never;
		}
	};
}

/** A line for each field that would change; a row that a check skips is one line. */
function linesOf(change: RowChange): object[] {
	if ('unread' in change) {
		const { outcome, code = outcome, message = code } = change.unread;
		return [noChange(`not readable: ${outcome === 'ok' ? 'the response is in an unknown shape' : message}`)];
	}
	if ('skip' in change) {
		const { code, message = null } = change.skip;
		return code === 'unchanged' || code === 'nothing_to_send' ? [] : [noChange(message)];
	}
	return changeLines(change.fields);
}

/** A line for each field that changes. */
export function changeLines(fields: readonly FieldChange[]): Row[] {
	return fields.map(({ field, old, new: next, isShown }) => {
		const hidden = (value: unknown): unknown => (isSecretName(field) ? REDACTED : value);
		return {
			field,
			old: isShown ? hidden(old) : null,
			new: hidden(next),
			message: isShown ? null : 'the service does not return this field',
		};
	});
}

function noChange(message: string | null): object {
	return { field: null, old: null, new: null, message };
}

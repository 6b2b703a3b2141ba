/** A dry run: the requests that would be sent, or old and new values. */

import { relative, resolve } from 'node:path';
import { counted } from '../../../api/names.js';
import type { FieldChange, Preview, RowChange } from '../../../bulk/run/events.js';
import type { RunRow } from '../../../bulk/run/rows.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { ExitCode, SupportctlError } from '../../../errors.js';
import type { Outcome } from '../../../http/outcome.js';
import type { Column, Row } from '../../../output/columns.js';
import { createOutcomeRedactor, isSecretName, REDACTED } from '../../../output/redact.js';
import type { Renderer } from '../../../output/render.js';
import { asksForJson, sanitise } from '../../../output/sanitise.js';
import { shellWord } from '../../../profile/settings.js';
import { writeSummary } from '../../notices.js';
import { isOwnTable, openResults, SHOWN } from '../../results.js';
import { placeOf } from '../checks.js';
import { printedIds } from '../outcomes.js';
import type { RunJob } from '../plan.js';

export function createPreview(job: RunJob) {
	const { endpoint, plan, tuning, session, context, options } = job;
	const { host } = session;
	const isDiff = options.diff === true || options.plan !== undefined;
	const isWhole = !isOwnTable(job) || options.all === true;
	// What a list will hold is known after the read alone.
	const { add, remove } = plan.values;
	const items = Object.entries({ add, remove }).filter(([, fields]) => Object.keys(fields).length > 0);
	const hide = createOutcomeRedactor(session.secrets, false);
	let results: Renderer | undefined;
	let printed = 0;

	function columnsFor({ first }: Survey): Column[] {
		if (!isDiff) {
			const request = [
				{ path: 'method', whole: true },
				{ path: 'path', whole: true },
				{ path: 'body', least: 16 },
			];
			return [...request, ...items.map(([path]) => ({ path }))];
		}
		const ids = Object.keys(first[0]?.request.ids ?? {});
		return [...[...ids, 'field', 'old', 'new'].map((path) => ({ path })), { path: 'message', optional: true }];
	}

	function requestOf({ method, path, body }: RunRow['request']): Row {
		return { method, path, body: body === undefined ? null : JSON.parse(body), ...Object.fromEntries(items) };
	}

	function changesOf({ row, request }: RunRow, change: RowChange): Row[] {
		// What a service says may hold our own credentials.
		const hidden = (outcome: Outcome): Outcome => hide({ row, ids: request.ids, ...outcome }, request);
		if ('fields' in change) return changeLines(change.fields);
		if ('unread' in change) {
			const { outcome, code = outcome, message = code } = hidden(change.unread);
			return [noChange(`not readable: ${outcome === 'ok' ? 'the response is in an unknown shape' : message}`)];
		}
		const { code, message = null } = hidden(change.skip);
		return code === 'unchanged' || code === 'nothing_to_send' ? [] : [noChange(message)];
	}

	function writeEnd(facts: object, notes: readonly string[], more: readonly string[] = []): void {
		if (tuning.quiet) return;
		if (asksForJson(context.argv)) {
			writeSummary(context, facts);
			return;
		}
		if (printed > SHOWN && !isWhole) context.stderr.write(`… and ${printed - SHOWN} more; to print all: --all\n`);
		for (const line of [notes.join('; '), ...more]) context.stderr.write(`${sanitise(line)}\n`);
	}

	function endDryRun({ requests, upTo, skipped, unread }: Preview): void {
		const count = `${upTo ? 'up to ' : ''}${counted(requests, 'request')}`;
		const notes = [`dry run ${placeOf(plan.service)}: ${count}, none sent`];
		if (skipped > 0) notes.push(`${haveRows(skipped)} nothing to send`);
		if (unread > 0) notes.push(`${counted(unread, endpoint.noun)} could not be read`);
		writeEnd({ dryRun: true, host, profile: plan.service.profile ?? null, requests, upTo, skipped, unread }, notes);
	}

	function endPlan(path: string, { saved, skipped, unread }: Preview): void {
		const problem = `${counted(unread, endpoint.noun)} can't be planned, as shown above`;
		if (saved === undefined) {
			const isNew = job.resumes === undefined && plan.source.from !== 'snapshots';
			throw new SupportctlError(`${problem}; no plan was written`, ExitCode.partial, {
				code: 'not_planned',
				hint: isNew ? 'to plan the others: --skip-invalid' : undefined,
			});
		}
		const { sha256, rows } = saved;
		const next = `supportctl run apply ${path}`;
		const what = `plan ${path}: ${counted(rows, endpoint.noun)} on ${host}`;
		const notes = [rows === 0 ? 'no changes: everything is already up to date' : what];
		if (skipped > 0) notes.push(`${haveRows(skipped)} nothing to change`);
		if (unread > 0) notes.push(problem);
		const facts = { plan: path, digest: sha256, host, rows, skipped, unread, next: [next] };
		writeEnd(facts, notes, [`digest: ${sha256}`, ...(rows > 0 ? [`to send it: ${next}`] : [])]);
	}

	return {
		async open(survey: Survey): Promise<void> {
			results = await openResults(job, { columns: columnsFor(survey) });
		},
		async print(planned: RunRow, change: RowChange | undefined): Promise<void> {
			const { row, line, request } = planned;
			const place = line === undefined || isDiff ? { row } : { row, line };
			for (const more of change === undefined ? [requestOf(request)] : changesOf(planned, change)) {
				printed++;
				if (printed <= SHOWN || isWhole) await results?.row({ ...place, ...printedIds(request.ids), ...more });
			}
		},
		async end(preview: Preview): Promise<void> {
			await results?.end();
			const { saved } = preview;
			if (options.plan === undefined) endDryRun(preview);
			else endPlan(options.plan, preview);
			if (saved !== undefined && options.report !== undefined)
				await reportPlan(saved.path, options.report, context.cwd);
		},
	};
}

function haveRows(count: number): string {
	return `${count} ${count === 1 ? 'row has' : 'rows have'}`;
}

export async function reportPlan(path: string, texts: readonly string[], cwd: string): Promise<void> {
	const { checkReports, writePlanReports } = await import('../../../bulk/reports/write.js');
	const { plannedChanges, readPlan } = await import('../../../bulk/run/plan-file.js');
	const specs = await checkReports(texts, [['the plan', path]], cwd);
	const { header, sha256 } = readPlan(path);
	const near = relative(cwd, resolve(path));
	const name = shellWord(near.startsWith('..') ? path : near);
	const steps = [['apply it', `supportctl run apply ${name} --digest ${sha256}`]] as const;
	await writePlanReports(specs, { header, steps, rows: plannedChanges(path, header.plan) }, cwd);
}

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

function noChange(message: string | null): Row {
	return { field: null, old: null, new: null, message };
}

/** A dry run: the requests that would be sent, or old and new values. */

import { resolve } from 'node:path';
import { counted } from '../../../api/names.js';
import type { FieldChange, Preview, RowChange } from '../../../bulk/run/events.js';
import type { RunRow } from '../../../bulk/run/rows.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { sources } from '../../../bulk/sources.js';
import { ExitCode, SupportctlError } from '../../../errors.js';
import type { Outcome } from '../../../http/outcome.js';
import type { Column, Row } from '../../../output/columns.js';
import { createOutcomeRedactor, isSecretName, REDACTED } from '../../../output/redact.js';
import type { Renderer } from '../../../output/render.js';
import { asksForJson, sanitise } from '../../../output/sanitise.js';
import { shellWord } from '../../../profile/settings.js';
import { writeSummary } from '../../notices.js';
import { isOwnTable, openResults, SHOWN } from '../../results.js';
import type { RunJob } from '../job.js';
import { printedIds } from '../outcomes.js';
import { placeOf } from '../questions.js';

interface End {
	facts: object;
	lines: readonly string[];
}

export class PreviewScreen {
	readonly #isDiff: boolean;
	readonly #isWhole: boolean;
	/** What a list will hold is known after the read alone. */
	readonly #items: Row;
	readonly #hide: ReturnType<typeof createOutcomeRedactor>;
	#results: Renderer | undefined;
	#printed = 0;

	constructor(private readonly job: RunJob) {
		const { options, plan, session } = job;
		const { add, remove } = plan.values;
		const items = Object.entries({ add, remove }).filter(([, fields]) => Object.keys(fields).length > 0);
		this.#isDiff = options.diff === true || options.plan !== undefined;
		this.#isWhole = !isOwnTable(job) || options.all === true;
		this.#items = Object.fromEntries(items);
		this.#hide = createOutcomeRedactor(session.secrets, false);
	}

	async open({ first }: Survey): Promise<void> {
		const request: Column[] = [
			{ path: 'method', whole: true },
			{ path: 'path', whole: true },
			{ path: 'body', least: 16 },
			...Object.keys(this.#items).map((path) => ({ path })),
		];
		const ids = Object.keys(first[0]?.request.ids ?? {});
		this.#results = await openResults(this.job, { columns: this.#isDiff ? changeColumns(ids) : request });
	}

	async print({ row, line, request }: RunRow, change: RowChange | undefined): Promise<void> {
		const { method, path, body = 'null' } = request;
		const place = line === undefined || this.#isDiff ? { row } : { row, line };
		const own = { method, path, body: JSON.parse(body), ...this.#items };
		for (const more of change === undefined ? [own] : this.#changesOf(row, request, change)) {
			this.#printed++;
			if (this.#printed > SHOWN && !this.#isWhole) continue;
			await this.#results?.row({ ...place, ...printedIds(request.ids), ...more });
		}
	}

	#changesOf(row: number, request: RunRow['request'], change: RowChange): Row[] {
		if ('fields' in change) return changeLines(change.fields);
		// What a service says may hold our own credentials.
		const hidden = (outcome: Outcome): Outcome => this.#hide({ row, ids: request.ids, ...outcome }, request);
		if ('unread' in change) {
			const { outcome, code = outcome, message = code } = hidden(change.unread);
			return [noChange(`not readable: ${message}`)];
		}
		const { code, message = null } = hidden(change.skip);
		return code === 'unchanged' || code === 'nothing_to_send' ? [] : [noChange(message)];
	}

	async end(preview: Preview): Promise<void> {
		await this.#results?.end();
		const { plan: path, report } = this.job.options;
		this.#write(path === undefined ? this.#endDryRun(preview) : this.#endPlan(path, preview));
		if (path !== undefined && report !== undefined) await reportPlan(path, report, this.job.context.cwd);
	}

	#write({ facts, lines }: End): void {
		const { context, options } = this.job;
		if (options.quiet) return;
		if (asksForJson(context.argv)) {
			writeSummary(context, facts);
			return;
		}
		const hidden = this.#isWhole ? 0 : this.#printed - SHOWN;
		const all = hidden > 0 ? [`… and ${hidden} more; to print all: --all`] : [];
		for (const line of [...all, ...lines]) context.stderr.write(`${sanitise(line)}\n`);
	}

	#endDryRun({ requests, upTo, skipped, unread }: Preview): End {
		const { endpoint, plan, session } = this.job;
		const { profile = null } = plan.service;
		const count = `${upTo ? 'up to ' : ''}${counted(requests, 'request')}`;
		const notes = [`dry run ${placeOf(plan.service)}: ${count}, none sent`];
		if (skipped > 0) notes.push(`${haveRows(skipped)} nothing to send`);
		if (unread > 0) notes.push(`${counted(unread, endpoint.noun)} could not be read`);
		const facts = { dryRun: true, host: session.host, profile, requests, upTo, skipped, unread };
		return { facts, lines: [notes.join('; ')] };
	}

	#endPlan(path: string, { saved, skipped, unread }: Preview): End {
		const { endpoint, plan, session, resumes } = this.job;
		const { host } = session;
		const problem = `${counted(unread, endpoint.noun)} can't be planned, as shown above`;
		if (saved === undefined) {
			const isNew = resumes === undefined && !sources[plan.source.from].restores;
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
		return { facts, lines: [notes.join('; '), `digest: ${sha256}`, ...(rows > 0 ? [`to send it: ${next}`] : [])] };
	}
}

function haveRows(count: number): string {
	return `${count} ${count === 1 ? 'row has' : 'rows have'}`;
}

/** @param name of its file, as it was typed */
export async function reportPlan(name: string, texts: readonly string[], cwd: string): Promise<void> {
	const path = resolve(cwd, name);
	const { checkReports, writePlanReports } = await import('../../../bulk/reports/write.js');
	const { plannedChanges, readPlan } = await import('../../../bulk/run/plan-file.js');
	const specs = await checkReports(texts, [['the plan', path]], cwd);
	const { header, sha256 } = readPlan(path);
	const steps = [['apply it', `supportctl run apply ${shellWord(name)} --digest ${sha256}`]] as const;
	await writePlanReports(specs, { header, steps, rows: plannedChanges(path, header.plan) }, cwd);
}

export function changeColumns(ids: readonly string[]): Column[] {
	return [...[...ids, 'field', 'old', 'new'].map((path) => ({ path })), { path: 'message', optional: true }];
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

/** A run that sends nothing: what it would change, or the requests that it would send. */

import { resolve } from 'node:path';
import { type Endpoint, isOfPasswords } from '../../../api/endpoints.js';
import { counted } from '../../../api/names.js';
import { readOfWrite } from '../../../api/reads.js';
import type { Request } from '../../../api/request.js';
import { changeLines, changeView } from '../../../bulk/change.js';
import { LABELS } from '../../../bulk/held.js';
import { isListed, unplanned } from '../../../bulk/left.js';
import type { Planned } from '../../../bulk/planned.js';
import type { Preview } from '../../../bulk/run/events.js';
import { type Extent, extents } from '../../../bulk/run/setup.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { sources } from '../../../bulk/sources.js';
import { ExitCode, SupportctlError } from '../../../errors.js';
import type { Column, Row } from '../../../output/columns.js';
import type { Renderer } from '../../../output/render.js';
import { asksForJson, sanitise } from '../../../output/sanitise.js';
import { shellWord } from '../../../profile/settings.js';
import { formatCount } from '../../../text.js';
import { writeSummary } from '../../notices.js';
import {
	asksForData,
	type Caller,
	isDataFormat,
	isOwnTable,
	openResults,
	picksValues,
	printsLeft,
	printsLines,
	SHOWN,
} from '../../results.js';
import type { RunJob } from '../job.js';
import { printedIds } from '../outcomes.js';
import { placeOf } from '../questions.js';

interface End {
	facts: object;
	lines: readonly string[];
}

export class PreviewScreen {
	readonly #showsChanges: boolean;
	readonly #isForPerson: boolean;
	readonly #isSilent: boolean;
	readonly #isWhole: boolean;
	/** What a list will hold is known after the read alone. */
	readonly #items: Row;
	#results: Renderer | undefined;
	#printed = 0;

	constructor(
		private readonly job: RunJob,
		extent: Extent,
	) {
		const { options, plan } = job;
		const { add, remove } = plan.values;
		const items = Object.entries({ add, remove }).filter(([, fields]) => Object.keys(fields).length > 0);
		this.#showsChanges = extents[extent].showsChanges;
		this.#isForPerson = printsLines(job);
		// A dry run is asked for its rows, a plan for its file.
		this.#isSilent = options.quiet === true && options.plan !== undefined && !asksForData(job);
		this.#isWhole = !isOwnTable(job) || options.all === true;
		this.#items = Object.fromEntries(items);
	}

	async open({ first }: Survey): Promise<void> {
		const request: Column[] = [
			{ path: 'method', whole: true },
			{ path: 'path', whole: true },
			{ path: 'body', least: 16 },
			...Object.keys(this.#items).map((path) => ({ path })),
		];
		const ids = Object.keys(first[0]?.request.ids ?? {}).filter((name) => name !== 'username');
		this.#results = await openResults(this.job, {
			columns: this.#showsChanges ? changeColumns(this.job.endpoint, ids, this.job) : request,
		});
	}

	async print(planned: Planned): Promise<void> {
		if (this.#isSilent) return;
		for (const line of this.#linesOf(planned)) {
			this.#printed++;
			if (this.#printed > SHOWN && !this.#isWhole) continue;
			await this.#results?.row(line);
		}
	}

	#linesOf(planned: Planned): Row[] {
		const { change } = planned;
		if (change?.left !== undefined && (!isListed(change.left) || !printsLeft(this.job))) return [];
		if (this.#isForPerson && change !== undefined) return plannedLines(planned, this.job);
		return [change === undefined ? { ...plannedView(planned), ...this.#items } : plannedView(planned)];
	}

	async end(preview: Preview): Promise<void> {
		await this.#results?.end();
		const { plan: path, report } = this.job.options;
		this.#write(path === undefined ? this.#endDryRun(preview) : this.#endPlan(path, preview));
		if (path !== undefined && report !== undefined) await reportPlan(path, report, this.job.context.cwd);
	}

	get #hidden(): number {
		return this.#isWhole || this.#isSilent ? 0 : Math.max(0, this.#printed - SHOWN);
	}

	/** How to see lines that were left out; empty if there are none. */
	#wayToRest(): string {
		if (this.#isSilent) return 'to print them: leave out --quiet';
		return this.#hidden > 0 ? 'to print all: --all' : '';
	}

	#write({ facts, lines }: End): void {
		const { context, options } = this.job;
		if (options.quiet) return;
		if (asksForJson(context.argv)) {
			writeSummary(context, facts);
			return;
		}
		const rest = this.#wayToRest();
		const all = rest === '' ? [] : [`… and ${formatCount(this.#hidden)} more; ${rest}`];
		for (const line of [...all, ...lines]) context.stderr.write(`${sanitise(line)}\n`);
	}

	#endDryRun(preview: Preview): End {
		const { requests, upTo, totals, left, unrestored } = preview;
		const { endpoint, plan, session } = this.job;
		const { profile = null } = plan.service;
		const upToText = upTo ? 'up to ' : '';
		const isNothing = requests === 0;
		const changes = totals.rows === 0 ? [] : [totals.would(endpoint.noun)];
		const sends = totals.rows === requests ? [] : [`${upToText}${counted(requests, 'request')} would be sent`];
		const notes = [...(isNothing ? [nothing(preview)] : [...sends, ...changes]), 'nothing was sent'];
		const others = [
			...left.texts().map((text) => `not sent: ${text}`),
			...unrestored.texts().map((text) => `restored only in part: ${text}`),
		];
		const facts = {
			dryRun: true,
			host: session.host,
			profile,
			requests,
			upTo,
			...sumsOf(preview),
		};
		return { facts, lines: [`dry run ${placeOf(plan.service)}: ${notes.join('; ')}`, ...others] };
	}

	#endPlan(path: string, preview: Preview): End {
		const { saved, totals, left, unrestored, unread } = preview;
		const { endpoint, plan, session, resumes } = this.job;
		const { host } = session;
		if (saved === undefined) {
			const isNew = resumes === undefined && !sources[plan.source.from].restores;
			const hints = [this.#wayToRest(), isNew ? 'to plan the others: --skip-invalid' : ''];
			throw new SupportctlError(`${unplanned(unread, endpoint.noun)}; no plan was written`, ExitCode.partial, {
				code: 'not_planned',
				hint: hints.filter((each) => each !== '').join('; ') || undefined,
			});
		}
		const { sha256, rows } = saved;
		const next = `supportctl run apply ${shellWord(path)}`;
		const what = `plan ${path}: ${counted(rows, endpoint.noun)} on ${host}`;
		const lines = rows === 0 ? [nothing(preview)] : [what, totals.long()];
		const others = [
			...left.texts().map((text) => `not in the plan: ${text}`),
			...unrestored.texts().map((text) => `only in part in the plan: ${text}`),
		];
		const facts = {
			plan: path,
			digest: sha256,
			host,
			rows,
			...sumsOf(preview),
			next: rows > 0 ? [next] : [],
		};
		return { facts, lines: [...lines, ...others, `digest: ${sha256}`, ...(rows > 0 ? [`Apply: ${next}`] : [])] };
	}
}

function sumsOf({ totals, left, unrestored, unread }: Preview) {
	return { totals: totals.parts(), left: [...left.view(), ...unrestored.view()], skipped: left.rows - unread, unread };
}

/** Why there is nothing to send. */
export function nothing({ left }: Pick<Preview, 'left'>): string {
	if (!left.areAllUnchanged) return 'nothing to send';
	return `no changes: ${counted(left.rows, 'row')} ${left.rows === 1 ? 'is' : 'are'} already up to date`;
}

/** @param name of its file, as it was typed */
export async function reportPlan(name: string, texts: readonly string[], cwd: string): Promise<void> {
	const path = resolve(cwd, name);
	const { checkReports, writePlanReports } = await import('../../../bulk/reports/write.js');
	const { plannedChanges, readPlan, sumUp } = await import('../../../bulk/plan-file/read.js');
	const specs = await checkReports(texts, [['the plan', path]], cwd);
	const { header, sha256 } = readPlan(path);
	const { plan } = header;
	const rows = plannedChanges(path, plan);
	await writePlanReports(specs, { header, name: shellWord(name), digest: sha256, rows, ...sumUp(path, plan) }, cwd);
}

/** Narrower terminals cut titles more. */
const WIDE = 72;

/** For programs, all that is known. */
export function changeColumns(endpoint: Endpoint, ids: readonly string[], call: Caller): Column[] {
	const isNarrow = (call.context.stdout.columns ?? WIDE) < WIDE;
	const shown = readOfWrite(endpoint)?.update?.fields ?? [];
	const isTitled = shown.some(({ name }) => LABELS.includes(name)) || isOfPasswords(endpoint);
	const names: Column[] = [
		...ids.map((path) => ({ path })),
		...(isTitled ? [{ path: 'title', least: isNarrow ? 8 : 18 }] : []),
	];
	const wide = { important: true, wraps: true, least: 12 };
	const values = ['old', 'new'].map((path) => ({ path, ...wide }));
	const own = [...names, { path: 'field', whole: true }, ...values];
	const data = isDataFormat(call) ? ['old_id', 'new_id', 'method', 'path', 'body'].map((path) => ({ path })) : [];
	return [...own, { path: 'message', optional: true, ...wide }, ...data];
}

/** For people: a line for each field, with the whole request only where it may be printed. */
export function plannedLines({ row, change, request }: Planned, call: Caller): Row[] {
	if (change === undefined) return [];
	const ids = printedIds(change.object.ids);
	const sent = isDataFormat(call) || picksValues(call.options) ? requestView(request) : {};
	return changeLines(change).map((line) => ({ row, ...ids, ...line, ...sent }));
}

/** For programs: an object for each row. */
export function plannedView({ row, line, change, request }: Planned): Row {
	const place = line === undefined ? { row } : { row, line };
	const ids = printedIds(request?.ids ?? change?.object.ids ?? {});
	return { ...place, ...ids, ...(change && changeView(change)), ...requestView(request) };
}

function requestView(request: Request | undefined): Row {
	if (request === undefined) return { method: null, path: null, body: null };
	const { method, path, body = 'null' } = request;
	return { method, path, body: JSON.parse(body) as unknown };
}

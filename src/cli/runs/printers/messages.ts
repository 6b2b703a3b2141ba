/** What a run says beside its results: text for people, one error object and one summary for programs. */

import { counted, nameRow, plural } from '../../../api/names.js';
import { type Complaint, formatComplaint } from '../../../bulk/input/rows.js';
import { badRows, countWords, leftRows, stepsAfter, totalOf } from '../../../bulk/journal/counts.js';
import { changedNotes, LeftRows } from '../../../bulk/left.js';
import { type RunPlan, undoObstacle } from '../../../bulk/plan.js';
import type { Ended, Started } from '../../../bulk/run/events.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import { type StopReason, whyStopped } from '../../../bulk/run/stop.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { fileOf, sourceName } from '../../../bulk/sources.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import { writes } from '../../../http/judge.js';
import type { RowOutcome } from '../../../http/outcome.js';
import { type OutcomeName, outcomeNames, outcomes } from '../../../http/outcomes.js';
import type { Palette } from '../../../output/colour.js';
import { renderError } from '../../../output/errors.js';
import { annotate, sanitise } from '../../../output/sanitise.js';
import { formatCount } from '../../../text.js';
import { notify, warn, writeSummary } from '../../notices.js';
import { SHOWN } from '../../results.js';
import { nextStep } from '../failures.js';
import type { RunJob } from '../job.js';

/** In a summary. */
const MOST_ADVICES = 2;

const MOST_COMPLAINTS = 10_000;

/** What a run's messages need of its rows, noted as they come. */
export class Noted {
	journal: Started['journal'];
	/** Whether stdout has each row that needs attention. */
	isAllPrinted = false;
	failures = 0;
	readonly groups = new Map<string, Group<RowOutcome>>();
	readonly advices = new Set<string>();
	/** Names that nobody knows: counted apart, and named. */
	readonly notFound = new LeftRows();
}

interface Group<Item> {
	count: number;
	named: [Item, ...Item[]];
}

/** What happens to many rows is said once, with their number and the first of them. */
const MOST_GROUPS = 1000;
const NAMED = 4;

export function addTo<Item>(groups: Map<string, Group<Item>>, key: string, item: Item): void {
	const group = groups.get(key);
	if (group !== undefined) {
		group.count++;
		if (group.named.length < NAMED) group.named.push(item);
	} else if (groups.size < MOST_GROUPS) groups.set(key, { count: 1, named: [item] });
}

export interface Messages {
	complain(complaint: Complaint): void;
	invalid(survey: Survey): void;
	unreadable(error: unknown): void;
	ended(ended: Ended): void;
}

export class TextMessages implements Messages {
	readonly #byReason = new Map<string, Group<Complaint>>();

	constructor(
		private readonly job: RunJob,
		private readonly noted: Noted,
		private readonly palette: Palette,
	) {}

	complain(complaint: Complaint): void {
		addTo(this.#byReason, `${complaint.column} ${complaint.message}`, complaint);
	}

	invalid(survey: Survey): void {
		const { plan } = this.job;
		this.unreadable();
		if (plan.source.from === 'ids') return;
		const canSkip = !plan.skipInvalid && survey.invalid < survey.rows;
		this.#write(`${invalidNote(plan, survey)}${canSkip ? '; pass --skip-invalid to send the others' : ''}`);
	}

	unreadable(): void {
		const { plan, context } = this.job;
		const reasons = [...this.#byReason.values()];
		for (const reason of reasons.slice(0, SHOWN)) {
			const { row, line, message } = reason.named[0];
			const isOne = plan.source.from === 'ids' && reason.count === 1;
			this.#write(`error: ${sanitise(isOne ? message : reasonText(reason, sourceName(plan.source)))}`);
			annotate(context, { file: fileOf(plan), line, title: `row ${row} is invalid`, message });
		}
		const hidden = reasons.length - SHOWN;
		if (hidden <= 0) return;
		const all = plan.skipInvalid ? 'supportctl run rejects last' : '--json';
		this.#write(`… and ${formatCount(hidden)} more; to print all: ${all}`);
	}

	ended(ended: Ended): void {
		const { job, noted, palette } = this;
		this.#writeFailures(ended);
		const { stopped } = ended;
		const header = noted.journal?.header;
		if (header === undefined || (job.options.quiet && stopped === undefined)) return;
		if (stopped !== undefined) this.#write(palette.bad(sanitise(whyStopped(stopped))));
		const advice = adviceAfter(stopped, job);
		if (advice !== undefined) noted.advices.add(advice);
		for (const each of [...noted.advices].slice(0, MOST_ADVICES)) {
			this.#write(`${palette.strong('hint:')} ${sanitise(each)}`);
		}
		for (const [text, command] of stepsAfter(header, ended.counts, ended.resumable))
			this.#write(`${text}: ${palette.command(command)}`);
		const { counts } = ended;
		const isWritten = writes(job) && counts.ok + counts.differs + counts.unknown > 0;
		// Who passes --no-snapshot knows.
		const obstacle = isWritten && job.options.snapshot !== false ? undoObstacle(header.plan) : undefined;
		if (obstacle !== undefined) this.#write(`can't be undone: ${obstacle}`);
		for (const each of [...changedNotes(counts, header), ...noted.notFound.texts()]) this.#write(sanitise(each));
		this.#write(`run ${header.id} on ${job.session.host}: ${summaryOf(ended)}`);
	}

	#writeFailures({ counts }: Ended): void {
		const { failures, groups, journal, isAllPrinted } = this.noted;
		if (failures <= SHOWN || isAllPrinted) return;
		this.#write(`${counted(failures, 'row')} need attention:`);
		const largestFirst = [...groups.values()].sort((one, other) => other.count - one.count);
		const { noun } = this.job.endpoint;
		for (const group of largestFirst.slice(0, SHOWN)) this.#write(`  ${sanitise(failureText(group, noun))}`);
		const isListed = (name: OutcomeName) => name !== 'not-sent' && outcomes[name].attention && counts[name] > 0;
		const bad = outcomeNames.filter((name) => isListed(name) || (name === 'skipped' && leftRows(counts) > 0));
		const list = `supportctl run show ${journal?.header.id ?? 'last'}${bad.map((name) => ` --outcome ${name}`).join('')}`;
		const hidden = failures - SHOWN;
		this.#write(
			`${counted(hidden, 'row')} ${hidden === 1 ? 'is' : 'are'} not shown; list all ${formatCount(failures)}: ${list}`,
		);
	}

	#write(line: string): void {
		this.job.context.stderr.write(`${line}\n`);
	}
}

/** `row 3 (edits.csv line 4): status "hodl" …; 311 more: lines 5, 9, …` */
function reasonText({ count, named: [first, ...others] }: Group<Complaint>, inputName: string): string {
	const message = formatComplaint(first, inputName);
	const more = count - 1;
	if (more === 0) return message;
	const kind = first.line === undefined ? 'row' : 'line';
	const places = others.map(({ row, line }) => line ?? row);
	return `${message} (${formatCount(more)} more: ${plural(kind, more)} ${places.join(', ')}${more > places.length ? ', …' : ''})`;
}

/** `26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, …` */
function failureText({ count, named }: Group<RowOutcome>, noun: string): string {
	const [{ outcome, status, code, message }] = named;
	const http = [status === undefined ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ');
	const why = [http, message].filter(Boolean).join(': ');
	const rows = named.slice(0, 3).map(({ ids }) => nameRow(ids, noun));
	const reason = why === '' ? outcome : `${outcome} (${why})`;
	return `${formatCount(count)} ${reason}: ${rows.join(', ')}${count > rows.length ? ', …' : ''}`;
}

/** `26 rows in 3.4 s: 20 ok, 6 failed` */
function summaryOf({ counts, ms }: Ended): string {
	const rows = totalOf(counts);
	const time = ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000);
	return `${counted(rows, 'row')} in ${time} s: ${countWords(counts).join(', ') || 'no rows'}`;
}

export class JsonMessages implements Messages {
	readonly #complaints: Complaint[] = [];

	constructor(
		private readonly job: RunJob,
		private readonly noted: Noted,
	) {}

	complain(complaint: Complaint): void {
		if (this.#complaints.length < MOST_COMPLAINTS) this.#complaints.push(complaint);
	}

	invalid(survey: Survey): void {
		const { plan, context } = this.job;
		const note = invalidNote(plan, survey);
		if (plan.skipInvalid) warn(context, [note]);
		else this.#write(new UsageError(note, { code: 'invalid_input', data: { complaints: this.#found() } }));
	}

	unreadable(error: unknown): void {
		const isKnown = error instanceof SupportctlError && this.#complaints.length > 0;
		if (isKnown) error.data.complaints = this.#found();
	}

	ended(ended: Ended): void {
		const { session, context, options } = this.job;
		const { counts, exitCode, stopped, ms } = ended;
		if (exitCode !== ExitCode.ok) this.#write(this.#failureOf(ended));
		if (options.quiet && stopped === undefined) return;
		const header = this.noted.journal?.header;
		writeSummary(context, {
			run: header?.id ?? null,
			host: session.host,
			rows: totalOf(counts),
			ms: Math.round(ms),
			counts,
			...(counts.not_found > 0 && { not_found: this.noted.notFound.view().flatMap(({ named }) => named) }),
			exitCode,
			next: header === undefined ? [] : stepsAfter(header, ended.counts, ended.resumable).map(([, command]) => command),
		});
	}

	#failureOf({ counts, exitCode, stopped, resumable }: Ended): SupportctlError {
		const run = this.noted.journal?.header.id;
		const count = badRows(counts);
		const why = stopped === undefined ? '' : `${whyStopped(stopped)}; `;
		const rest = resumable && run !== undefined ? `to send the rest: supportctl run resume ${run}` : undefined;
		const hints = [adviceAfter(stopped, this.job), rest].filter((text) => text !== undefined);
		return new SupportctlError(
			`${why}${formatCount(count)} of ${counted(totalOf(counts), 'row')} did not succeed`,
			exitCode,
			{
				code: 'rows_failed',
				hint: hints.join('; ') || undefined,
				data: { run, stopped: stopped?.kind, counts },
			},
		);
	}

	#found(): object[] {
		const { plan } = this.job;
		const name = sourceName(plan.source);
		return this.#complaints.map(({ ids: _, ...each }) => {
			return { ...each, file: fileOf(plan), message: formatComplaint(each, name) };
		});
	}

	#write(error: SupportctlError): void {
		const { context, options } = this.job;
		context.stderr.write(renderError(error, { json: true, debug: options.debug === true }));
	}
}

export function adviceAfter(reason: StopReason | undefined, { session }: RunJob): string | undefined {
	if (reason?.kind === 'unreachable') return 'run "supportctl doctor"';
	return reason !== undefined && 'outcome' in reason ? nextStep(reason.outcome, {}, session.connection) : undefined;
}

export function noteColumns({ plan, context, options }: RunJob, { columns }: PlannedRows): void {
	const { ignored = [], matched = [] } = columns ?? {};
	const pairs = matched.map(({ column, field }) => `${sanitise(column)} → ${field}`);
	if (pairs.length > 0 && !options.quiet) notify(context, 'message', `columns: ${pairs.join(', ')}`);
	if (plan.endpoint !== 'ticket.fields.set') return;
	for (const column of ignored.filter((name) => !plan.columns.ignore.includes(name))) {
		warn(context, [`column ${column} is not sent; to send it: --map ${column}=${column}`]);
	}
}

/** `2 of 9 rows are invalid; nothing was sent` */
function invalidNote({ skipInvalid }: RunPlan, survey: Survey): string {
	return survey.invalidText() + (skipInvalid ? ' and will be skipped' : '; nothing was sent');
}

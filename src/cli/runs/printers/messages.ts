/** What a run says beside its results: text for people, one error object and one summary for programs. */

import { counted, nameRow, plural } from '../../../api/names.js';
import { readEndpointOf } from '../../../api/reads.js';
import { type Complaint, formatComplaint } from '../../../bulk/input/rows.js';
import { nextSteps, outcomeNames, totalOf } from '../../../bulk/journal/counts.js';
import type { Ended, Started } from '../../../bulk/run/events.js';
import { fileOf, type RunHeader, type RunPlan, sourceName } from '../../../bulk/run/plan.js';
import type { PlannedRows } from '../../../bulk/run/rows.js';
import type { StopReason } from '../../../bulk/run/stop.js';
import type { Survey } from '../../../bulk/run/survey.js';
import { ExitCode, SupportctlError, UsageError } from '../../../errors.js';
import type { Outcome, RowOutcome } from '../../../http/outcome.js';
import type { Palette } from '../../../output/colour.js';
import { renderError } from '../../../output/errors.js';
import { annotate, sanitise } from '../../../output/sanitise.js';
import { notify, warn, writeSummary } from '../../notices.js';
import { SHOWN } from '../../results.js';
import { nextStep } from '../failures.js';
import type { RunJob } from '../plan.js';

export const BAD = ['failed', 'differs', 'invalid', 'unknown', 'not-sent'] as const;

const MOST_ADVICES = 2;

const MOST_COMPLAINTS = 10_000;

export class Noted {
	journal: Started['journal'];
	/** Whether stdout has each row that needs attention. */
	isAllPrinted = false;
	failures = 0;
	readonly groups = new Map<string, Group<RowOutcome>>();
	readonly advices = new Set<string>();
}

interface Group<Item> {
	count: number;
	named: [Item, ...Item[]];
}

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

export function textMessages(job: RunJob, noted: Noted, palette: Palette): Messages {
	const { endpoint, plan, tuning, session, context } = job;
	const fromArguments = plan.source.from === 'ids';
	const byReason = new Map<string, Group<Complaint>>();

	function write(line: string): void {
		context.stderr.write(`${line}\n`);
	}

	function writeComplaints(): void {
		const reasons = [...byReason.values()];
		for (const reason of reasons.slice(0, SHOWN)) {
			const { row, line, message } = reason.named[0];
			const isOne = fromArguments && reason.count === 1;
			write(`error: ${sanitise(isOne ? message : reasonText(reason, sourceName(plan.source)))}`);
			annotate(context, { file: fileOf(plan), line, title: `row ${row} is invalid`, message });
		}
		const hidden = reasons.length - SHOWN;
		if (hidden <= 0) return;
		const all = plan.skipInvalid ? 'supportctl run rejects last' : '--json';
		write(`… and ${hidden} more; to print all: ${all}`);
	}

	function writeFailures({ counts }: Ended): void {
		const { failures, groups, journal } = noted;
		if (failures <= SHOWN || noted.isAllPrinted) return;
		write(`${failures} rows need attention:`);
		const largestFirst = [...groups.values()].sort((one, other) => other.count - one.count);
		for (const group of largestFirst.slice(0, SHOWN)) write(`  ${sanitise(failureText(group, endpoint.noun))}`);
		const bad = BAD.filter((name) => counts[name] > 0 && name !== 'not-sent');
		const list = `supportctl run show ${journal?.header.id ?? 'last'}${bad.map((name) => ` --outcome ${name}`).join('')}`;
		write(`… and ${failures - SHOWN} more; to list them: ${list}`);
	}

	return {
		complain(complaint) {
			addTo(byReason, `${complaint.column} ${complaint.message}`, complaint);
		},
		invalid(survey) {
			writeComplaints();
			if (fromArguments) return;
			const canSkip = !plan.skipInvalid && survey.invalid < survey.rows;
			write(`${invalidNote(plan, survey)}${canSkip ? '; pass --skip-invalid to send the others' : ''}`);
		},
		unreadable: writeComplaints,
		ended(ended) {
			writeFailures(ended);
			const { stopped } = ended;
			const header = noted.journal?.header;
			if (header === undefined || (tuning.quiet && stopped === undefined)) return;
			if (stopped !== undefined) write(palette.bad(sanitise(whyStopped(stopped))));
			const advice = adviceAfter(stopped, job);
			if (advice !== undefined) noted.advices.add(advice);
			for (const each of [...noted.advices].slice(0, MOST_ADVICES)) {
				write(`${palette.strong('hint:')} ${sanitise(each)}`);
			}
			for (const [text, command] of stepsAfter(ended, header)) write(`${text}: ${palette.command(command)}`);
			const obstacle = undoObstacle(job, ended, header.plan);
			if (obstacle !== undefined) write(`can't be undone: ${obstacle}`);
			write(`run ${header.id} on ${session.host}: ${summaryOf(ended)}`);
		},
	};
}

/** `row 3 (edits.csv line 4): status "hodl" …; 311 more: lines 5, 9, …` */
function reasonText({ count, named: [first, ...others] }: Group<Complaint>, inputName: string): string {
	const message = formatComplaint(first, inputName);
	const more = count - 1;
	if (more === 0) return message;
	const kind = first.line === undefined ? 'row' : 'line';
	const places = others.map(({ row, line }) => line ?? row);
	return `${message} (${more} more: ${plural(kind, more)} ${places.join(', ')}${more > places.length ? ', …' : ''})`;
}

/** `26 failed (HTTP 400 rest_no: Sorry.): ticket 1, ticket 2, …` */
function failureText({ count, named }: Group<RowOutcome>, noun: string): string {
	const [{ outcome, status, code, message }] = named;
	const http = [status === undefined ? '' : `HTTP ${status}`, code].filter(Boolean).join(' ');
	const why = [http, message].filter(Boolean).join(': ');
	const rows = named.slice(0, 3).map(({ ids }) => nameRow(ids, noun));
	const reason = why === '' ? outcome : `${outcome} (${why})`;
	return `${count} ${reason}: ${rows.join(', ')}${count > rows.length ? ', …' : ''}`;
}

function summaryOf({ counts, ms }: Ended): string {
	const rows = totalOf(counts);
	const time = ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000);
	const parts = outcomeNames
		.filter((name) => counts[name] > 0)
		.map((name) => `${counts[name]} ${name.replace('-', ' ')}`);
	return `${counted(rows, 'row')} in ${time} s: ${parts.join(', ') || 'no rows'}`;
}

export function jsonMessages(job: RunJob, noted: Noted): Messages {
	const { plan, tuning, session, context, options } = job;
	const complaints: Complaint[] = [];

	function writeError(error: SupportctlError): void {
		context.stderr.write(renderError(error, { json: true, debug: options.debug === true }));
	}

	function complaintsFound(): object[] {
		const name = sourceName(plan.source);
		return complaints.map(({ ids: _, ...each }) => {
			return { ...each, file: fileOf(plan), message: formatComplaint(each, name) };
		});
	}

	function failureOf({ counts, exitCode, stopped, resumable }: Ended): SupportctlError {
		const run = noted.journal?.header.id;
		const count = BAD.reduce((sum, name) => sum + counts[name], 0);
		const why = stopped === undefined ? '' : `${whyStopped(stopped)}; `;
		const rest = resumable && run !== undefined ? `to send the rest: supportctl run resume ${run}` : undefined;
		const hints = [adviceAfter(stopped, job), rest].filter((text) => text !== undefined);
		return new SupportctlError(`${why}${count} of ${totalOf(counts)} rows did not succeed`, exitCode, {
			code: 'rows_failed',
			hint: hints.length === 0 ? undefined : hints.join('; '),
			data: { run, stopped: stopped?.kind, counts },
		});
	}

	return {
		complain(complaint) {
			if (complaints.length < MOST_COMPLAINTS) complaints.push(complaint);
		},
		invalid(survey) {
			const note = invalidNote(plan, survey);
			if (plan.skipInvalid) warn(context, [note]);
			else writeError(new UsageError(note, { code: 'invalid_input', data: { complaints: complaintsFound() } }));
		},
		unreadable(error) {
			if (error instanceof SupportctlError && complaints.length > 0) error.data.complaints = complaintsFound();
		},
		ended(ended) {
			const { counts, exitCode, stopped, ms } = ended;
			if (exitCode !== ExitCode.ok) writeError(failureOf(ended));
			if (tuning.quiet && stopped === undefined) return;
			const header = noted.journal?.header;
			const summary = {
				run: header?.id ?? null,
				host: session.host,
				rows: totalOf(counts),
				ms: Math.round(ms),
				counts,
				exitCode,
				next: header === undefined ? [] : stepsAfter(ended, header).map(([, command]) => command),
			};
			writeSummary(context, summary);
		},
	};
}

const messageOf = ({ message, code, outcome }: Outcome): string => message ?? code ?? outcome;

function whyStopped(reason: StopReason): string {
	switch (reason.kind) {
		case 'signal':
			return 'interrupted';
		case 'unauthorized': {
			const { message = 'no reason given' } = reason.outcome;
			return `stopped: the service refused the credentials (401: ${message})`;
		}
		case 'failure':
			return `stopped at row ${reason.outcome.row}: it failed (--stop-on-error)`;
		case 'too-many-failures':
			return `stopped: more than ${reason.limit} rows failed (--max-failures)`;
		case 'same-refusal':
			return `stopped: the first ${reason.rows} rows failed for the same reason: ${messageOf(reason.outcome)}`;
		case 'unreachable':
			return `stopped: the service could not be reached (${reason.why})`;
		case 'asked-to-wait':
			return `stopped: ${messageOf(reason.outcome)}`;
		case 'out-of-time':
			return `stopped at ${new Date(reason.until).toISOString()}: time is up`;
	}
}

function adviceAfter(reason: StopReason | undefined, { session }: RunJob): string | undefined {
	if (reason?.kind === 'unreachable') return 'run "supportctl doctor"';
	return reason !== undefined && 'outcome' in reason ? nextStep(reason.outcome, {}, session.connection) : undefined;
}

function stepsAfter({ counts, resumable }: Ended, { id, plan }: RunHeader): [text: string, command: string][] {
	const steps = nextSteps(id, counts, resumable);
	if (plan.checks.snapshot && counts.ok + counts.differs > 0) steps.push(['Undo', `supportctl run undo ${id}`]);
	return steps.slice(0, 2);
}

function undoObstacle({ endpoint, options }: RunJob, { counts }: Ended, plan: RunPlan): string | undefined {
	// Who passes --no-snapshot knows.
	if (options.snapshot === false) return undefined;
	const isWrite = endpoint.replay === 'set' || endpoint.replay === 'delete';
	if (!isWrite || plan.checks.snapshot || counts.ok + counts.differs + counts.unknown === 0) return undefined;
	if (readEndpointOf(endpoint) === undefined) return `the API has no way to read ${plural(endpoint.noun, 2)}`;
	const isPermanent = endpoint.replay === 'delete' && (!endpoint.trash || plan.values.force);
	return isPermanent ? 'the deletes were permanent' : 'no old values were saved';
}

export function noteColumns({ plan, tuning, context }: RunJob, { columns }: PlannedRows): void {
	const { ignored = [], matched = [] } = columns ?? {};
	const pairs = matched.map(({ column, field }) => `${sanitise(column)} → ${field}`);
	if (pairs.length > 0 && !tuning.quiet) notify(context, 'message', `columns: ${pairs.join(', ')}`);
	if (plan.endpoint !== 'ticket.fields.set') return;
	for (const column of ignored.filter((name) => !plan.columns.ignore.includes(name))) {
		warn(context, [`column ${column} is not sent; to send it: --map ${column}=${column}`]);
	}
}

function invalidNote({ skipInvalid }: RunPlan, { invalid, rows }: Survey): string {
	const of = `${invalid} of ${counted(rows, 'row')} ${invalid === 1 ? 'is' : 'are'} invalid`;
	return skipInvalid ? `${of} and will be skipped` : `${of}; nothing was sent`;
}
